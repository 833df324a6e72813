//! What does this symbol call, or use in another way that was asked for? For a class or a function with functions inside: the calls of all of it.

use super::kinds::Kinds;
use super::symbol::COLUMNS;
use super::target::inside;
use super::{MAX_SITES, Site, SymbolRow, grade, overrides};
use crate::model::Resolution;
use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Overriding methods that are named for one call.
pub(crate) const MAX_OVERRIDERS: usize = 64;

#[derive(Clone, Debug, Serialize)]
pub struct Callees {
    /// The symbol asked about; several if it is overloaded.
    pub symbols: Vec<SymbolRow>,
    /// Resolved, by file and line of what is called.
    pub callees: Vec<Callee>,
    /// By name alone, or an override of what is resolved.
    pub possible: Vec<Callee>,
    /// Calls whose target is not known, and those that are known to go to a library.
    pub unresolved_calls: u64,
    pub external_calls: u64,
    /// Only the first [`MAX_SITES`] sites were looked at.
    pub capped: bool,
}

/// A called symbol with the places that call it.
#[derive(Clone, Debug, Serialize)]
pub struct Callee {
    #[serde(flatten)]
    pub symbol: SymbolRow,
    pub sites: Vec<Site>,
}

/// # Errors
/// What SQLite says.
pub fn callees(reader: &Reader, symbols: &[SymbolRow], kinds: Kinds) -> Result<Callees> {
    ask(reader, symbols, kinds).context("asking for callees")
}

type Group = BTreeMap<i64, BTreeSet<Site>>;

fn ask(reader: &Reader, symbols: &[SymbolRow], kinds: Kinds) -> Result<Callees> {
    let connection = reader.connection();
    let (mut resolved, mut possible) = (Group::new(), Group::new());
    let mut left = MAX_SITES;
    let (mut unresolved_calls, mut external_calls) = (0, 0);
    for (file, callers) in inside(reader, symbols)? {
        let mut edges = connection.prepare_cached(
            "SELECT callee, line, kind, resolution FROM edge WHERE caller_file = ?1 AND caller = ?2 LIMIT ?3",
        )?;
        for &caller in &callers {
            let mut rows = edges.query((file, caller, left))?;
            while let Some(row) = rows.next()? {
                left = left.saturating_sub(1);
                let (kind, resolution) = grade(row, 2, 3)?;
                let callee: i64 = row.get(0)?;
                let site = Site { line: row.get(1)?, kind: kind.name(), resolution: resolution.name() };
                if !kinds.has(kind) {
                    continue;
                }
                if !resolution.is_resolved() {
                    possible.entry(callee).or_default().insert(site);
                    continue;
                }
                resolved.entry(callee).or_default().insert(site);
                let overriders = if kind.is_call() { overrides::overriders(reader, callee)? } else { BTreeSet::new() };
                if !overriders.contains(&caller) {
                    let site = Site { resolution: Resolution::Override.name(), ..site };
                    for overrider in overriders.into_iter().take(MAX_OVERRIDERS) {
                        possible.entry(overrider).or_default().insert(site);
                    }
                }
            }
        }
        let mut rest =
            connection.prepare_cached("SELECT caller, external FROM unresolved WHERE file = ?1 AND kind < 3")?;
        let mut rows = rest.query([file])?;
        while let Some(row) = rows.next()? {
            if callers.contains(&row.get(0)?) {
                *if row.get(1)? { &mut external_calls } else { &mut unresolved_calls } += 1;
            }
        }
    }
    Ok(Callees {
        symbols: symbols.to_vec(),
        callees: named(reader, resolved)?,
        possible: named(reader, possible)?,
        unresolved_calls,
        external_calls,
        capped: left == 0,
    })
}

fn named(reader: &Reader, group: Group) -> Result<Vec<Callee>> {
    let sql = format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1");
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let mut callees = Vec::with_capacity(group.len());
    for (id, sites) in group {
        let symbol = statement.query_row([id], SymbolRow::of)?;
        callees.push(Callee { symbol, sites: sites.into_iter().collect() });
    }
    callees.sort_by(|a, b| {
        let key = |callee: &'_ Callee| (callee.symbol.file.clone(), callee.symbol.line, callee.symbol.id);
        key(a).cmp(&key(b))
    });
    Ok(callees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Found, find};
    use crate::store::sample;
    use insta::assert_snapshot;
    use std::fmt::Write;

    fn callees_of(graph: &str, question: &str) -> String {
        let (_folder, reader) = sample::reader(graph);
        let Found::One(symbols) = find(&reader, question).unwrap() else { panic!("{question}") };
        let answer = callees(&reader, &symbols, Kinds::calls()).unwrap();
        let mut text = String::new();
        for (title, group) in [("calls", &answer.callees), ("possible", &answer.possible)] {
            for callee in group {
                let sites: Vec<String> = callee
                    .sites
                    .iter()
                    .map(|site| format!("{} {} {}", site.line, site.kind, site.resolution))
                    .collect();
                writeln!(text, "{title} {} [{}]", callee.symbol, sites.join(", ")).unwrap();
            }
        }
        writeln!(text, "unresolved {} external {}", answer.unresolved_calls, answer.external_calls).unwrap();
        text
    }

    #[test]
    fn calls_are_grouped_by_what_is_called_and_overrides_are_possible() {
        assert_snapshot!(callees_of(sample::SHOP, "show"), @"
        calls app/models.py::Invoice [4 construct imported]
        calls app/models.py::Invoice.total [5 call typed_receiver, 7 call typed_receiver]
        possible app/special.py::Special.total [5 call override, 7 call override]
        possible app/special.py::Rare.total [5 call override, 7 call override]
        unresolved 2 external 0
        ");
    }

    #[test]
    fn guesses_are_possible_only() {
        assert_snapshot!(callees_of(sample::SHOP, "views.py::list"), @"
        possible app/models.py::legacy [12 call unique_name]
        possible app/special.py::Rare.total [13 call ambiguous]
        unresolved 0 external 0
        ");
    }

    #[test]
    fn a_class_calls_what_its_methods_call() {
        let graph = "file a.py\ndef class A 1 9\ndef method A.m 2 5\ndef function A.m.inner 3 4\ndef function f 11 12\n\
            edge a.py::A.m.inner 4 call same_scope a.py::f\nedge a.py::f 12 call same_scope a.py::A.m\n";
        assert_snapshot!(callees_of(graph, "A"), @"
        calls a.py::f [4 call same_scope]
        unresolved 0 external 0
        ");
    }
}
