//! The one traversal of the graph: what depends on a set of symbols, or what they depend on, any number of steps away.
//! Blast radius, paths, neighbors and plans are all read off its rows.
//!
//! It is a recursive query of SQLite over rows (node, depth, possible, role): equal rows are dropped and depth is bounded,
//! so cycles end; rows come in order of depth and are capped, so a hub with 200,000 callers costs what the cap allows. A
//! **hub** is crossed but never expanded: it is in the answer, what uses it is not, except where the hub itself is asked about.
//!
//! What "depends" means beyond the stored edges:
//! - an override depends on what it overrides (its signature has to follow) and is not expanded for that alone;
//! - callers of a base method *possibly* depend on each override of it, but for calls of it by overrides (`super().m()`);
//! - who constructs a class depends on its constructor (possibly, where the language has several and none was chosen), and
//!   the other way round;
//! - a subclass depends on its base, and what is decorated on its decorator, although the reference stands outside of both.
//!
//! Module-level code is a node too, and is never expanded: what it does happens once, when the file is loaded.

use super::kinds::Kinds;
use crate::store::Reader;
use anyhow::{Context, Result};
use rusqlite::named_params;
use std::collections::BTreeMap;

/// Rows of one traversal. 20,000 take some 30 ms; nobody reads more.
pub(crate) const MAX_ROWS: u32 = 20_000;

/// A method that more than this many override is not expanded into them.
const MAX_OVERRIDERS: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// What uses the symbols: who has to look when they change.
    Dependents,
    /// What the symbols use.
    Dependencies,
}

/// How far and along what to go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) direction: Direction,
    pub(crate) depth: u32,
    pub(crate) kinds: Kinds,
}

/// A symbol's id, or minus the id of a file for its module-level code.
pub(crate) type Node = i64;

/// How a node was reached, at best: by resolved steps only if there is such a way, and then by the fewest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reached {
    /// Some step of every way to it is a guess.
    pub(crate) possible: bool,
    pub(crate) depth: u32,
    /// Stands for another node on the way and is no part of the answer: the base that a call goes through, the class of a
    /// constructor.
    pub(crate) stand_in: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// The nodes asked about are in it, at depth 0.
    pub(crate) nodes: BTreeMap<Node, Reached>,
    /// There is more than [`MAX_ROWS`].
    pub(crate) capped: bool,
}

impl Reach {
    /// The answer proper: neither what was asked about nor stand-ins.
    pub(crate) fn found(&self) -> impl Iterator<Item = (Node, Reached)> + '_ {
        self.nodes.iter().map(|(node, reached)| (*node, *reached)).filter(|(_, at)| at.depth > 0 && !at.stand_in)
    }
}

/// Roles of a row: 0 a node of the answer; 1 a base method, of which only calls are followed; 2 the class of a constructor
/// or the constructor of a class, of which only constructions are; 3 an override, which is not followed.
///
/// `{hub}` keeps hubs from being expanded. Every step is a search in an index (a test asks the query planner).
const DEPENDENTS: &str = "
WITH RECURSIVE reach(node, depth, possible, role) AS (
    SELECT value, 0, 0, 0 FROM json_each(:seeds)
    UNION
    SELECT CASE
            WHEN e.kind IN (3, 4) THEN coalesce(
                (SELECT t.id FROM symbol t WHERE t.file = e.caller_file AND t.line <= e.line AND t.end_line >= e.line
                    AND t.kind < 5 ORDER BY t.line DESC LIMIT 1),
                nullif(e.caller, 0), -e.caller_file)
            WHEN e.kind = 2 THEN coalesce(
                (SELECT t.id FROM symbol t WHERE t.file = e.caller_file AND t.line BETWEEN e.line AND e.line + 50
                    AND t.container = e.caller ORDER BY t.line LIMIT 1),
                nullif(e.caller, 0), -e.caller_file)
            ELSE coalesce(nullif(e.caller, 0), -e.caller_file)
        END,
        r.depth + 1, max(r.possible, e.resolution > 3), 0
    FROM reach r CROSS JOIN edge e ON e.callee = r.node
    WHERE r.depth < :depth AND r.node > 0 AND r.role < 3 AND (r.depth = 0 OR {hub})
        AND :kinds >> e.kind & 1
        AND (r.role = 0
            OR r.role = 1 AND e.kind < 3 AND e.resolution < 4
                AND NOT EXISTS (SELECT 1 FROM override o WHERE o.method = e.caller AND o.base = r.node)
            OR r.role = 2 AND e.kind = 1)
    UNION
    SELECT o.base, r.depth, 1, 1
    FROM reach r CROSS JOIN override o ON o.method = r.node
    WHERE r.depth < :depth AND r.role < 2 AND :kinds & 7
    UNION
    SELECT o.method, r.depth + (r.role = 0), r.possible, 3
    FROM reach r CROSS JOIN override o ON o.base = r.node
    WHERE r.role IN (0, 3) AND r.depth + (r.role = 0) <= :depth AND :kinds >> 9 & 1 AND (r.depth = 0 OR {hub})
    UNION
    SELECT s.container, r.depth, max(r.possible, s.kind = 7), 2
    FROM reach r CROSS JOIN symbol s ON s.id = r.node
    WHERE r.depth < :depth AND r.role = 0 AND s.container > 0 AND {constructor}
    UNION
    SELECT s.id, r.depth, r.possible, 2
    FROM reach r CROSS JOIN symbol c ON c.id = r.node
        CROSS JOIN symbol s ON s.file = c.file AND s.line BETWEEN c.line AND c.end_line
    WHERE r.depth < :depth AND r.role = 0 AND c.kind < 5 AND s.container = c.id AND {constructor}
    LIMIT :rows
)
SELECT node, depth, possible, role FROM reach";

/// As above. Role 2 is code inside a node (a constructor, a nested function), whose uses are the node's.
const DEPENDENCIES: &str = "
WITH RECURSIVE reach(node, depth, possible, role) AS (
    SELECT value, 0, 0, 0 FROM json_each(:seeds)
    UNION
    SELECT e.callee, r.depth + 1, max(r.possible, e.resolution > 3), 0
    FROM reach r CROSS JOIN symbol s ON s.id = r.node
        CROSS JOIN edge e ON e.caller_file = s.file AND e.caller = s.id
    WHERE r.depth < :depth AND r.node > 0 AND (r.depth = 0 OR {hub}) AND :kinds >> e.kind & 1
    UNION
    SELECT e.callee, r.depth + 1, max(r.possible, e.resolution > 3), 0
    FROM reach r CROSS JOIN symbol s ON s.id = r.node
        CROSS JOIN edge e ON e.caller_file = s.file AND e.caller = s.container
            AND e.line BETWEEN s.line - 50 AND s.end_line
    WHERE r.depth < :depth AND r.node > 0 AND (r.depth = 0 OR {hub}) AND :kinds >> e.kind & 1 AND {header}
    UNION
    SELECT e.callee, r.depth + 1, max(r.possible, e.resolution > 3), 0
    FROM reach r CROSS JOIN edge e ON e.caller_file = -r.node AND e.caller = 0
    WHERE r.depth < :depth AND r.node < 0 AND :kinds >> e.kind & 1
    UNION
    SELECT o.method, r.depth, 1, 0
    FROM reach r CROSS JOIN override o ON o.base = r.node
    WHERE r.depth > 0 AND r.role = 0 AND :kinds >> 9 & 1
        AND (SELECT count(*) FROM (SELECT 1 FROM override m WHERE m.base = r.node LIMIT :overriders + 1)) <= :overriders
    UNION
    SELECT o.base, r.depth + 1, r.possible, 0
    FROM reach r CROSS JOIN override o ON o.method = r.node
    WHERE r.depth < :depth AND r.role = 0 AND :kinds >> 9 & 1
    UNION
    SELECT s.id, r.depth, r.possible, 2
    FROM reach r CROSS JOIN symbol c ON c.id = r.node
        CROSS JOIN symbol s ON s.file = c.file AND s.line BETWEEN c.line AND c.end_line
    WHERE r.depth > 0 AND r.depth < :depth AND s.container = c.id
        AND (c.kind BETWEEN 5 AND 7 OR c.kind < 5 AND {constructor})
    LIMIT :rows
)
SELECT node, depth, possible, role FROM reach";

/// Counts no further than it has to.
const NO_HUB: &str = "(SELECT count(*) FROM (SELECT 1 FROM edge h WHERE h.callee = r.node LIMIT :hub + 1)) <= :hub";

/// `s` is a constructor: by kind, or by the name that Python gives it.
pub(crate) const CONSTRUCTOR: &str = "(s.kind = 7 OR s.kind = 6 AND s.qualname LIKE '%.\\_\\_init\\_\\_' ESCAPE '\\')";

/// `e`, which belongs to the code around `s`, is of the head of `s`: a base of it, or a decorator with nothing between.
pub(crate) const HEADER: &str = "(e.kind IN (3, 4) AND s.kind < 5 AND e.line >= s.line
        OR e.kind = 2 AND e.line <= s.line AND NOT EXISTS (SELECT 1 FROM symbol b
            WHERE b.file = s.file AND b.line >= e.line AND b.line < s.line AND b.container = s.container))";

fn sql(direction: Direction) -> String {
    let text = match direction {
        Direction::Dependents => DEPENDENTS,
        Direction::Dependencies => DEPENDENCIES,
    };
    text.replace("{hub}", NO_HUB).replace("{constructor}", CONSTRUCTOR).replace("{header}", HEADER)
}

/// Walks from `seeds`, which are expanded even where they are hubs.
///
/// # Errors
/// What SQLite says.
pub(crate) fn reach(reader: &Reader, seeds: &[Node], walk: Walk) -> Result<Reach> {
    ask(reader, seeds, walk).context("walking the graph")
}

fn ask(reader: &Reader, seeds: &[Node], walk: Walk) -> Result<Reach> {
    let mut statement = reader.connection().prepare_cached(&sql(walk.direction))?;
    let list = serde_json::to_string(seeds)?;
    let mut rows = match walk.direction {
        Direction::Dependents => statement.query(named_params! {
            ":seeds": list, ":depth": walk.depth, ":kinds": walk.kinds.bits(), ":hub": reader.meta().hub_uses,
            ":rows": MAX_ROWS + 1,
        })?,
        Direction::Dependencies => statement.query(named_params! {
            ":seeds": list, ":depth": walk.depth, ":kinds": walk.kinds.bits(), ":hub": reader.meta().hub_uses,
            ":rows": MAX_ROWS + 1, ":overriders": MAX_OVERRIDERS,
        })?,
    };
    let mut reach = Reach::default();
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        let role: u8 = row.get(3)?;
        let way = Reached { possible: row.get(2)?, depth: row.get(1)?, stand_in: matches!(role, 1 | 2) };
        let best = reach.nodes.entry(row.get(0)?).or_insert(way);
        let rank = |at: &Reached| (at.stand_in, at.possible, at.depth);
        if rank(&way) < rank(best) {
            *best = way;
        }
    }
    reach.capped = count > MAX_ROWS;
    Ok(reach)
}

/// Number of places that use a symbol, counted no further than `limit`.
///
/// # Errors
/// What SQLite says.
pub(crate) fn uses_up_to(reader: &Reader, node: Node, limit: u32) -> Result<u32> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM edge WHERE callee = ?1 LIMIT ?2)";
    Ok(reader.connection().prepare_cached(sql)?.query_row((node, limit), |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DefFlags, DefKind, Edge, EdgeKind, FileId, Graph, Resolution, Symbol, SymbolId};
    use crate::store::sample;
    use std::time::{Duration, Instant};

    /// What the query planner does for each step. "index-only" but for the rows of `symbol`, which are found by id or by
    /// file and line: no table is scanned, so the cost is that of the answer and not of the repository.
    #[test]
    fn every_step_is_a_search() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        for direction in [Direction::Dependents, Direction::Dependencies] {
            let sql = format!("EXPLAIN QUERY PLAN {}", sql(direction));
            let mut statement = reader.connection().prepare(&sql).unwrap();
            let mut rows = statement.raw_query();
            let (mut steps, mut edges) = (0, 0);
            while let Some(row) = rows.next().unwrap() {
                let step: String = row.get(3).unwrap();
                let scan = step.strip_prefix("SCAN ");
                let of_ours = |of: &str| {
                    matches!(of, "r" | "reach" | "json_each VIRTUAL TABLE INDEX 1:") || of.starts_with("(sub")
                };
                assert!(scan.is_none_or(of_ours), "{step}");
                if let Some(search) = step.strip_prefix("SEARCH ") {
                    steps += 1;
                    edges +=
                        usize::from(search.starts_with("e ") || search.starts_with("h ") || search.starts_with("o "));
                    let covered = search.contains("COVERING INDEX") || search.contains("PRIMARY KEY");
                    let of_symbol = ["s ", "t ", "c ", "b "].iter().any(|alias| search.starts_with(alias));
                    assert!(covered || of_symbol && search.contains("symbol_by_file"), "{step}");
                }
            }
            assert!(steps > 8 && edges > 4, "the plan was read: {steps} steps, {edges} of edges");
        }
    }

    /// 200,000 functions call one, which is called from a chain above; each caller has a caller of its own.
    fn hub_of(callers: u32) -> Graph {
        let mut graph = sample::graph("file a.py\ndef function base 1 2\ndef function hub 3 4\n");
        let symbol = |number: u32| Symbol {
            file: FileId(0),
            name: format!("f{number}"),
            qualname: format!("f{number}"),
            kind: DefKind::Function,
            container: None,
            line: 10 + number,
            end_line: 10 + number,
            exported: true,
            params: 0,
            flags: DefFlags(0),
            signature: String::new(),
        };
        graph.symbols.extend((0..callers).map(symbol));
        let edge = |caller: u32, callee: u32| Edge {
            caller_file: FileId(0),
            line: 10 + caller,
            callee: SymbolId(callee),
            kind: EdgeKind::Call,
            resolution: Resolution::SameScope,
            caller: Some(SymbolId(caller)),
        };
        graph.edges.push(edge(1, 0));
        graph.edges.extend((2..callers + 2).map(|caller| edge(caller, 1)));
        graph.edges.sort_unstable();
        graph
    }

    #[test]
    fn a_hub_of_200_000_callers_is_bounded_in_time_and_rows() {
        let (_folder, db) = sample::stored(&hub_of(200_000));
        let reader = Reader::open(&db, "/repo", "/repo/.git").unwrap();
        let walk = Walk { direction: Direction::Dependents, depth: 8, kinds: Kinds::all() };
        let began = Instant::now();
        // Asked about a hub: the first callers, and that there are more.
        let asked = reach(&reader, &[2], walk).unwrap();
        assert!(asked.capped && asked.nodes.len() <= MAX_ROWS as usize + 1, "{}", asked.nodes.len());
        // Asked about what it calls: the hub is crossed and not expanded.
        let crossed = reach(&reader, &[1], walk).unwrap();
        assert_eq!((crossed.capped, crossed.nodes.keys().copied().collect::<Vec<_>>()), (false, vec![1, 2]));
        assert_eq!(uses_up_to(&reader, 2, 1000).unwrap(), 1000);
        // 60 ms in a debug build on an idle machine; this only has to tell bounded from not.
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }

    #[test]
    fn the_limit_of_hubs_is_the_percentile_and_never_small() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        assert_eq!(reader.meta().hub_uses, 25);
    }
}
