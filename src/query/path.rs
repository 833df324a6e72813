//! How does one symbol come to depend on another? The shortest chain of references between them, resolved ones before
//! guesses; read off the dependents of the far end.

use super::kinds::Kinds;
use super::listing::{self, Listed, Outgoing, Place};
use super::reach::{Direction, Node, Reach, Reached, Walk, reach};
use super::target::{self, Target};
use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeSet;

/// Steps that are looked for at most.
pub const MAX_STEPS: u32 = 8;

#[derive(Clone, Debug, Serialize)]
pub struct Path {
    pub from: Target,
    pub to: Target,
    /// It is `to` that depends on `from`, and not as asked.
    pub reversed: bool,
    /// From the depending end to the other; each but the last has the reference to the next. Empty where there is no way.
    pub steps: Vec<Listed>,
    /// Some step is a guess.
    pub possible: bool,
    /// Not all ways were looked at.
    pub capped: bool,
}

/// Looks from `from` to `to`, and the other way only if there is none.
///
/// # Errors
/// What SQLite says.
pub fn path(reader: &Reader, from: Target, to: Target, kinds: Kinds) -> Result<Path> {
    let ask = || -> Result<Path> {
        let (near, far) = (nodes(reader, &from)?, nodes(reader, &to)?);
        let there = way(reader, &near, &far, kinds)?;
        if !there.steps.is_empty() {
            return Ok(Path { from: from.clone(), to: to.clone(), reversed: false, ..there.into_path(&from, &to) });
        }
        let back = way(reader, &far, &near, kinds)?;
        let reversed = !back.steps.is_empty();
        let capped = there.capped || back.capped;
        Ok(Path { reversed, capped, ..back.into_path(&from, &to) })
    };
    ask().context("looking for a path")
}

struct Way {
    steps: Vec<Listed>,
    possible: bool,
    capped: bool,
}

impl Way {
    fn into_path(self, from: &Target, to: &Target) -> Path {
        let Way { steps, possible, capped } = self;
        Path { from: from.clone(), to: to.clone(), reversed: false, steps, possible, capped }
    }
}

fn nodes(reader: &Reader, target: &Target) -> Result<BTreeSet<Node>> {
    target::nodes(reader, std::slice::from_ref(target))
}

fn way(reader: &Reader, from: &BTreeSet<Node>, to: &BTreeSet<Node>, kinds: Kinds) -> Result<Way> {
    let seeds: Vec<Node> = to.iter().copied().collect();
    let mut capped = false;
    // Most ways are short, and a long walk from a much used symbol costs a hundred times a short one.
    for depth in [2, 4, MAX_STEPS] {
        let reach = reach(reader, &seeds, Walk { direction: Direction::Dependents, depth, kinds })?;
        capped = reach.capped;
        let start = from
            .iter()
            .filter_map(|node| Some((*reach.nodes.get(node)?, *node)))
            .filter(|(at, _)| at.depth > 0 && !at.stand_in)
            .min();
        // A guess may have a longer way without one.
        if let Some(start) = start.filter(|(at, _)| !at.possible || depth == MAX_STEPS || capped) {
            return steps(reader, &reach, start, to);
        }
        if capped {
            break;
        }
    }
    Ok(Way { steps: Vec::new(), possible: false, capped })
}

/// The chain from `start` to the nearest of `to`.
fn steps(reader: &Reader, reach: &Reach, start: (Reached, Node), to: &BTreeSet<Node>) -> Result<Way> {
    let (at, mut node) = start;
    let mut steps = Vec::new();
    let mut seen = BTreeSet::from([node]);
    while let Some(place) = listing::place(reader, node)? {
        let next = if to.contains(&node) { None } else { next(reader, reach, node, &seen)? };
        let links = match next {
            Some(reference) => vec![listing::link(reader, reference, reference.resolution)?],
            None => Vec::new(),
        };
        steps.push(Listed { place, depth: steps.len() as u32, links });
        let Some(reference) = next else { break };
        node = reference.to;
        seen.insert(node);
    }
    // A chain that does not arrive would be a wrong answer.
    if !to.contains(&node) {
        steps.clear();
    }
    Ok(Way { steps, possible: at.possible, capped: reach.capped })
}

/// The reference from `node` that leads nearest to the end.
fn next(reader: &Reader, reach: &Reach, node: Node, seen: &BTreeSet<Node>) -> Result<Option<Outgoing>> {
    let here = reach.nodes.get(&node).copied();
    let mut references = listing::outgoing(reader, node)?;
    if here.is_some_and(|at| at.stand_in) {
        references.extend(stood_for(reader, node)?);
    }
    let at = |reference: &Outgoing| reach.nodes.get(&reference.to).copied();
    let rank = |reference: &Outgoing, at: Reached| {
        (at.possible || !reference.resolution.is_resolved(), at.depth, at.stand_in, reference.line, reference.to)
    };
    let ranked = references.into_iter().filter_map(|reference| Some((rank(&reference, at(&reference)?), reference)));
    Ok(ranked.filter(|(_, reference)| !seen.contains(&reference.to)).min_by_key(|(rank, _)| *rank).map(|(_, to)| to))
}

/// From a stand-in to what it may stand for: overrides of a base, the constructors of a class, the class of a constructor.
fn stood_for(reader: &Reader, node: Node) -> Result<Vec<Outgoing>> {
    let sql = format!(
        "SELECT o.method, m.line, 'override' FROM override o JOIN symbol m ON m.id = o.method WHERE o.base = ?1
         UNION ALL SELECT s.container, s.line, 'construct' FROM symbol s WHERE s.id = ?1 AND {constructor}
         UNION ALL SELECT s.id, s.line, 'construct' FROM symbol c
            CROSS JOIN symbol s ON s.file = c.file AND s.line BETWEEN c.line AND c.end_line
            WHERE c.id = ?1 AND s.container = c.id AND {constructor}",
        constructor = super::reach::CONSTRUCTOR
    );
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let mut rows = statement.query([node])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let kind = if row.get_ref(2)?.as_str()? == "override" { "override" } else { "construct" };
        let resolution = crate::model::Resolution::Override;
        found.push(Outgoing { to: row.get(0)?, line: row.get(1)?, kind, resolution });
    }
    Ok(found)
}

impl Path {
    /// The places on the way.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.steps.iter().map(|step| &step.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::target::{Meant, target};
    use crate::store::sample;
    use insta::assert_snapshot;

    fn path_of(graph: &str, from: &str, to: &str) -> String {
        let (_folder, reader) = sample::reader(graph);
        let one = |question: &str| match target(&reader, question).unwrap() {
            Meant::One(target) => target,
            other => panic!("{question}: {other:?}"),
        };
        let answer = path(&reader, one(from), one(to), Kinds::all()).unwrap();
        let mut text = String::from(if answer.reversed { "reversed\n" } else { "" });
        text.push_str(if answer.possible { "possible\n" } else { "" });
        for step in &answer.steps {
            let links: Vec<String> =
                step.links.iter().map(|link| format!(" -{}@{}-> {}", link.kind, link.line, link.nearer)).collect();
            text.push_str(&format!("{}::{}{}\n", step.place.file, step.place.name(), links.join("")));
        }
        text
    }

    const CHAIN: &str = "file a.py\ndef function a 1 2\nfile b.py\ndef function b 1 2\nfile c.py\ndef function c 1 2\n\
        def class K 4 9\ndef method K.__init__ 5 6\n\
        edge a.py::a 2 call imported b.py::b\nedge b.py::b 2 call imported c.py::c\nedge b.py::b 2 call imported a.py::a\n\
        edge a.py::a 1 call unique_name c.py::c\nedge c.py::c 2 construct imported c.py::K\n";

    #[test]
    fn resolved_ways_are_preferred_to_shorter_guesses() {
        assert_snapshot!(path_of(CHAIN, "a", "c"), @"
        a.py::a -call@2-> b.py::b
        b.py::b -call@2-> c.py::c
        c.py::c
        ");
    }

    #[test]
    fn the_other_way_is_said_to_be_that() {
        assert_snapshot!(path_of(CHAIN, "c.py::c", "a.py"), @"
        reversed
        a.py::a -call@2-> b.py::b
        b.py::b -call@2-> c.py::c
        c.py::c
        ");
    }

    #[test]
    fn a_call_of_the_base_leads_to_an_override_and_a_construction_to_the_constructor() {
        assert_snapshot!(path_of(sample::SHOP, "show", "Rare.total"), @"
        possible
        app/views.py::show -call@5-> app/models.py::Invoice.total
        app/models.py::Invoice.total -override@2-> app/special.py::Special.total
        app/special.py::Special.total -override@12-> app/special.py::Rare.total
        app/special.py::Rare.total
        ");
        assert_snapshot!(path_of(CHAIN, "a", "K.__init__"), @"
        a.py::a -call@2-> b.py::b
        b.py::b -call@2-> c.py::c
        c.py::c -construct@2-> c.py::K
        c.py::K -construct@5-> c.py::K.__init__
        c.py::K.__init__
        ");
    }

    #[test]
    fn no_way_is_an_empty_answer() {
        assert_snapshot!(path_of("file a.py\ndef function f 1 2\ndef function g 3 4\n", "f", "g"), @"");
    }
}
