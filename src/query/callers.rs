//! Who calls this symbol, or uses it in another way that was asked for? What is resolved makes the answer; guesses, and calls
//! that reach it only if the object at hand is of its class, are kept apart, and so are tests.

use super::confidence::by_grade;
use super::kinds::Kinds;
use super::{MAX_SITES, Site, SymbolRow, grade, overrides};
use crate::model::EdgeKind;
use crate::store::Reader;
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, Row};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Serialize)]
pub struct Callers {
    /// The symbol asked about; several if it is overloaded.
    pub symbols: Vec<SymbolRow>,
    /// Resolved uses of the kinds asked for (calls, unless others were named) from production code, by file and line of the
    /// caller.
    pub callers: Vec<Caller>,
    /// The same from tests.
    pub tests: Vec<Caller>,
    /// By name alone, or through a method that this one overrides.
    pub possible: Vec<Caller>,
    /// Resolved uses of other kinds (import, inherit, type, read, value, ...); tests included.
    pub other_uses: BTreeMap<&'static str, u64>,
    /// Calls of something of this name whose receiver is not known: what may hide a caller.
    pub unresolved_calls: u64,
    /// Only the first [`MAX_SITES`] sites were looked at.
    pub capped: bool,
    /// How often a site of each resolution is right in the symbol's language, as measured; empty where it was not.
    pub confidence: BTreeMap<&'static str, f64>,
}

/// A function, or the module-level code of a file, with its calls of the symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Caller {
    pub file: String,
    /// Empty for module-level code.
    pub qualname: String,
    /// Where the caller is defined; 0 for module-level code.
    pub line: u32,
    pub test: bool,
    pub sites: Vec<Site>,
}

/// Covered by the edge table's own key; files and callers are found by id.
const EDGES: &str = "SELECT e.caller_file, f.path, f.test, e.caller, c.qualname, c.line, e.line, e.kind, e.resolution
    FROM edge e JOIN file f ON f.id = e.caller_file LEFT JOIN symbol c ON c.id = e.caller
    WHERE e.callee = ?1 LIMIT ?2";

const UNRESOLVED: &str = "SELECT count(*) FROM unresolved
    WHERE name = (SELECT name FROM symbol WHERE id = ?1) AND external = 0 AND kind < 3";

/// A class is also called where its constructors are ...
const CONSTRUCTORS: &str =
    "SELECT s.id FROM symbol s WHERE s.file = ?1 AND s.line BETWEEN ?2 AND ?3 AND s.container = ?4 AND s.kind = 7";

/// ... and a constructor where its class is constructed.
const CLASS: &str = "SELECT s.container FROM symbol s WHERE s.id = ?1 AND s.container > 0 AND ";

struct EdgeRow {
    path: String,
    test: bool,
    caller: i64,
    qualname: String,
    defined: u32,
    kind: EdgeKind,
    resolved: bool,
    site: Site,
}

impl EdgeRow {
    fn of(row: &Row<'_>) -> rusqlite::Result<EdgeRow> {
        let (kind, resolution) = grade(row, 7, 8)?;
        Ok(EdgeRow {
            path: row.get(1)?,
            test: row.get(2)?,
            caller: row.get(3)?,
            qualname: row.get::<_, Option<String>>(4)?.unwrap_or_default(),
            defined: row.get::<_, Option<u32>>(5)?.unwrap_or_default(),
            kind,
            resolved: resolution.is_resolved(),
            site: Site { line: row.get(6)?, kind: kind.name(), resolution: resolution.name() },
        })
    }
}

/// Callers in the making: by path, line, name and id, which is also the order of the answer.
#[derive(Default)]
struct Group(BTreeMap<(String, u32, String, i64), Caller>);

impl Group {
    fn add(&mut self, edge: EdgeRow) {
        let key = (edge.path.clone(), edge.defined, edge.qualname.clone(), edge.caller);
        let caller = self.0.entry(key).or_insert_with(|| Caller {
            file: edge.path,
            qualname: edge.qualname,
            line: edge.defined,
            test: edge.test,
            sites: Vec::new(),
        });
        caller.sites.push(edge.site);
    }

    fn finish(self) -> Vec<Caller> {
        let mut callers: Vec<Caller> = self.0.into_values().collect();
        for caller in &mut callers {
            caller.sites.sort_unstable();
        }
        callers
    }
}

/// `symbols` is one symbol or its overloads, as [`super::find`] gives them.
///
/// # Errors
/// What SQLite says.
pub fn callers(reader: &Reader, symbols: &[SymbolRow], kinds: Kinds) -> Result<Callers> {
    ask(reader, symbols, kinds).context("asking for callers")
}

fn ask(reader: &Reader, symbols: &[SymbolRow], kinds: Kinds) -> Result<Callers> {
    let (mut production, mut tests, mut possible) = (Group::default(), Group::default(), Group::default());
    let mut other_uses = BTreeMap::new();
    let subjects = subjects(reader, symbols)?;
    let mut left = MAX_SITES;
    for &subject in &subjects {
        for edge in edges(reader, subject, &mut left)? {
            match (kinds.has(edge.kind), edge.resolved) {
                (true, true) if edge.test => tests.add(edge),
                (true, true) => production.add(edge),
                (true, false) => possible.add(edge),
                (false, true) => *other_uses.entry(edge.site.kind).or_insert(0) += 1,
                (false, false) => {}
            }
        }
        for base in overrides::bases(reader, subject)? {
            let siblings = overrides::overriders(reader, base)?;
            for mut edge in edges(reader, base, &mut left)? {
                // A call of the base from an override of it is `super.m()`, which goes nowhere else.
                if edge.kind.is_call() && kinds.has(edge.kind) && edge.resolved && !siblings.contains(&edge.caller) {
                    edge.site.resolution = crate::model::Resolution::Override.name();
                    possible.add(edge);
                }
            }
        }
    }
    for class in classes(reader, symbols, &subjects)? {
        for edge in edges(reader, class, &mut left)? {
            if edge.kind == EdgeKind::Construct && kinds.has(edge.kind) {
                // With several constructors, one that was not chosen is a guess.
                let one = symbols.iter().all(|symbol| symbol.kind != "constructor");
                match edge.resolved && one {
                    true if edge.test => tests.add(edge),
                    true => production.add(edge),
                    false => possible.add(edge),
                }
            }
        }
    }
    Ok(Callers {
        symbols: symbols.to_vec(),
        callers: production.finish(),
        tests: tests.finish(),
        possible: possible.finish(),
        other_uses,
        unresolved_calls: unresolved_calls(reader, symbols)?,
        capped: left == 0,
        confidence: by_grade(&language(reader, symbols)?),
    })
}

/// Of the file that the symbols stand in.
fn language(reader: &Reader, symbols: &[SymbolRow]) -> rusqlite::Result<String> {
    let Some(symbol) = symbols.first() else { return Ok(String::new()) };
    reader.connection().query_row("SELECT language FROM file WHERE id = ?1", [symbol.file_id], |row| row.get(0))
}

fn edges(reader: &Reader, callee: i64, left: &mut u32) -> Result<Vec<EdgeRow>> {
    let mut statement = reader.connection().prepare_cached(EDGES)?;
    let rows = statement.query_map((callee, *left), EdgeRow::of)?.collect::<rusqlite::Result<Vec<_>>>()?;
    *left = left.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    Ok(rows)
}

fn subjects(reader: &Reader, symbols: &[SymbolRow]) -> Result<Vec<i64>> {
    let mut subjects: Vec<i64> = symbols.iter().map(|symbol| symbol.id).collect();
    for class in symbols.iter().filter(|symbol| symbol.is_type()) {
        let mut statement = reader.connection().prepare_cached(CONSTRUCTORS)?;
        for constructor in
            statement.query_map((class.file_id, class.line, class.end_line, class.id), |row| row.get(0))?
        {
            subjects.push(constructor?);
        }
    }
    Ok(subjects)
}

/// The classes of the constructors among `symbols`, without those that are asked about themselves.
fn classes(reader: &Reader, symbols: &[SymbolRow], subjects: &[i64]) -> Result<BTreeSet<i64>> {
    let sql = format!("{CLASS}{}", super::reach::CONSTRUCTOR);
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let mut classes = BTreeSet::new();
    for symbol in symbols {
        classes.extend(statement.query_row([symbol.id], |row| row.get::<_, i64>(0)).optional()?);
    }
    classes.retain(|class| !subjects.contains(class));
    Ok(classes)
}

/// Overloads share their name, so the first one speaks for all.
fn unresolved_calls(reader: &Reader, symbols: &[SymbolRow]) -> Result<u64> {
    let Some(symbol) = symbols.first() else { return Ok(0) };
    let count: Option<i64> =
        reader.connection().prepare_cached(UNRESOLVED)?.query_row([symbol.id], |row| row.get(0)).optional()?;
    Ok(count.unwrap_or_default().cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Found, find};
    use crate::store::sample;
    use insta::assert_snapshot;
    use std::fmt::Write;

    fn callers_of(graph: &str, question: &str) -> String {
        let (_folder, reader) = sample::reader(graph);
        let Found::One(symbols) = find(&reader, question).unwrap() else { panic!("{question}") };
        let answer = callers(&reader, &symbols, Kinds::calls()).unwrap();
        let mut text = String::new();
        for (title, group) in [("callers", &answer.callers), ("tests", &answer.tests), ("possible", &answer.possible)] {
            for caller in group {
                let sites: Vec<String> = caller
                    .sites
                    .iter()
                    .map(|site| format!("{} {} {}", site.line, site.kind, site.resolution))
                    .collect();
                writeln!(text, "{title} {}::{} [{}]", caller.file, caller.qualname, sites.join(", ")).unwrap();
            }
        }
        writeln!(text, "other {:?} unresolved {}", answer.other_uses, answer.unresolved_calls).unwrap();
        text
    }

    #[test]
    fn resolved_callers_tests_and_sites_are_told_apart() {
        assert_snapshot!(callers_of(sample::SHOP, "Invoice.total"), @"
        callers app/models.py::legacy [31 call same_scope]
        callers app/views.py::show [5 call typed_receiver, 5 call typed_receiver, 7 call typed_receiver]
        tests tests/test_models.py::test_total [3 call typed_receiver]
        other {} unresolved 0
        ");
    }

    #[test]
    fn guesses_are_possible_only() {
        assert_snapshot!(callers_of(sample::SHOP, "legacy"), @"
        possible app/views.py::list [12 call unique_name]
        other {} unresolved 0
        ");
    }

    #[test]
    fn callers_of_the_base_are_possible_callers_of_an_override() {
        assert_snapshot!(callers_of(sample::SHOP, "Rare.total"), @"
        possible app/models.py::legacy [31 call override]
        possible app/views.py::show [5 call override, 5 call override, 7 call override]
        possible app/views.py::list [13 call ambiguous]
        possible tests/test_models.py::test_total [3 call override]
        other {} unresolved 0
        ");
    }

    #[test]
    fn uses_that_run_nothing_are_counted_by_kind() {
        assert_snapshot!(callers_of(sample::SHOP, "Invoice"), @r#"
        callers app/views.py::show [4 construct imported]
        other {"import": 1, "inherit": 1} unresolved 0
        "#);
    }

    #[test]
    fn a_class_is_called_where_its_constructor_is() {
        let graph = "file A.java\ndef class A 1 9\ndef constructor A.<init> 2 3\nfile B.java\ndef class B 1 9\n\
            def method B.make 2 5\nedge B.java::B.make 3 construct imported A.java::A.<init>\n\
            unresolved B.java::B.make 4 call A\n";
        assert_snapshot!(callers_of(graph, "A"), @"
        callers B.java::B.make [3 construct imported]
        other {} unresolved 1
        ");
    }

    #[test]
    fn a_constructor_is_called_where_its_class_is_constructed() {
        let graph = "file a.py\ndef class A 1 9\ndef method A.__init__ 2 3\nfile b.py\ndef function make 1 5\n\
            edge b.py::make 3 construct imported a.py::A\nedge b.py::make 4 type imported a.py::A\n";
        assert_snapshot!(callers_of(graph, "A.__init__"), @"
        callers b.py::make [3 construct imported]
        other {} unresolved 0
        ");
    }

    #[test]
    fn other_uses_are_listed_where_they_are_asked_for() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let Found::One(symbols) = find(&reader, "Invoice").unwrap() else { panic!() };
        let answer = callers(&reader, &symbols, Kinds::of_words(["extends", "imports"]).unwrap()).unwrap();
        let files: Vec<&str> = answer.callers.iter().map(|caller| caller.file.as_str()).collect();
        assert_eq!(files, ["app/special.py", "app/views.py"]);
        assert_eq!(answer.other_uses, [("construct", 1)].into());
    }

    #[test]
    fn a_super_call_is_no_caller_of_other_overrides() {
        let graph = "file a.py\ndef class A 1 3\ndef method A.m 2 3\ndef class B 4 6\ndef method B.m 5 6\ndef class C 7 9\n\
            def method C.m 8 9\noverride a.py::B.m a.py::A.m\noverride a.py::C.m a.py::A.m\n\
            edge a.py::B.m 6 call inherited a.py::A.m\n";
        assert_snapshot!(callers_of(graph, "C.m"), @"
        other {} unresolved 0
        ");
    }

    /// Hubs and large repositories: a look-up must not grow with the number of rows that it is not about.
    #[test]
    fn every_look_up_is_a_search() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let plan = |sql: &str, bound: usize| -> Vec<String> {
            let mut statement = reader.connection().prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let rows = statement.query_map(rusqlite::params_from_iter(vec![1; bound]), |row| row.get(3)).unwrap();
            rows.collect::<Result<_, _>>().unwrap()
        };
        assert_snapshot!(plan(EDGES, 2).join("\n"), @"
        SEARCH e USING PRIMARY KEY (callee=?)
        SEARCH f USING INTEGER PRIMARY KEY (rowid=?)
        SEARCH c USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
        ");
        assert_snapshot!(plan(UNRESOLVED, 1).join("\n"), @"
        SEARCH unresolved USING COVERING INDEX unresolved_by_name (name=?)
        SCALAR SUBQUERY 1
        SEARCH symbol USING INTEGER PRIMARY KEY (rowid=?)
        ");
        assert_snapshot!(plan(CONSTRUCTORS, 4).join("\n"), @"SEARCH s USING INDEX symbol_by_file (file=? AND line>? AND line<?)");
    }
}
