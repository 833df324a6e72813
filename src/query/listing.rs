//! Nodes of a traversal as they are listed: what they are, and which of their references makes them part of the answer.

use super::reach::{Node, Reach, Reached};
use super::{SymbolRow, grade};
use crate::model::Resolution;
use crate::query::symbol::COLUMNS;
use crate::store::Reader;
use anyhow::Result;
use rusqlite::OptionalExtension;
use serde::Serialize;
use std::collections::BTreeMap;

/// References of one node that are looked at for the reasons it is listed.
const MAX_OUTGOING: u32 = 5_000;

/// Reasons that are given for one node.
const MAX_LINKS: usize = 4;

/// A symbol, or the module-level code of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    #[serde(skip)]
    pub(crate) node: Node,
    #[serde(skip)]
    pub(crate) file_id: i64,
    pub file: String,
    /// Empty for module-level code.
    pub qualname: String,
    /// As in [`crate::model::DefKind::name`], or `module`.
    pub kind: &'static str,
    /// 0 for module-level code.
    pub line: u32,
    pub end_line: u32,
    pub test: bool,
}

impl Place {
    pub(crate) fn of_symbol(row: SymbolRow) -> Place {
        let SymbolRow { id, file_id, file, qualname, kind, line, end_line, test, .. } = row;
        Place { node: id, file_id, file, qualname, kind, line, end_line, test }
    }

    /// The name, or what stands for the code outside of all names.
    pub fn name(&self) -> &str {
        if self.qualname.is_empty() { "<module>" } else { &self.qualname }
    }

    /// The directory, which is the package in the languages that have packages.
    pub fn package(&self) -> &str {
        self.file.rsplit_once('/').map_or("", |(directory, _)| directory)
    }
}

/// Why a node is listed: a reference between it and `nearer`, which is one step nearer to what was asked about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Link {
    /// Of the reference; of the definition for overrides.
    pub line: u32,
    /// As in [`crate::model::EdgeKind::name`], or `override`.
    pub kind: &'static str,
    /// As in [`Resolution::name`].
    pub resolution: &'static str,
    /// `path::name`
    pub nearer: String,
}

/// One node of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    #[serde(flatten)]
    pub place: Place,
    /// Steps from what was asked about.
    pub depth: u32,
    /// By line.
    pub links: Vec<Link>,
}

/// The symbol or file of a node; `None` for what is not in the graph.
pub(crate) fn place(reader: &Reader, node: Node) -> Result<Option<Place>> {
    let connection = reader.connection();
    if node > 0 {
        let sql = format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1");
        let row = connection.prepare_cached(&sql)?.query_row([node], SymbolRow::of).optional()?;
        return Ok(row.map(Place::of_symbol));
    }
    let mut statement = connection.prepare_cached("SELECT path, test FROM file WHERE id = ?1")?;
    let row = statement.query_row([-node], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(row.map(|(file, test)| Place {
        node,
        file_id: -node,
        file,
        qualname: String::new(),
        kind: "module",
        line: 0,
        end_line: 0,
        test,
    }))
}

/// One reference of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    pub(crate) to: Node,
    pub(crate) line: u32,
    pub(crate) kind: &'static str,
    pub(crate) resolution: Resolution,
}

/// The references in a node's own code and head, and the methods that it overrides.
pub(crate) fn outgoing(reader: &Reader, node: Node) -> Result<Vec<Outgoing>> {
    let connection = reader.connection();
    let mut found = Vec::new();
    let mut push = |rows: &mut rusqlite::Rows<'_>| -> Result<()> {
        while let Some(row) = rows.next()? {
            let (kind, resolution) = grade(row, 2, 3)?;
            found.push(Outgoing { to: row.get(0)?, line: row.get(1)?, kind: kind.name(), resolution });
        }
        Ok(())
    };
    if node < 0 {
        let sql = "SELECT callee, line, kind, resolution FROM edge WHERE caller_file = -?1 AND caller = 0 LIMIT ?2";
        push(&mut connection.prepare_cached(sql)?.query((node, MAX_OUTGOING))?)?;
        return Ok(found);
    }
    let sql = "SELECT e.callee, e.line, e.kind, e.resolution FROM symbol s
        CROSS JOIN edge e ON e.caller_file = s.file AND e.caller = s.id WHERE s.id = ?1 LIMIT ?2";
    push(&mut connection.prepare_cached(sql)?.query((node, MAX_OUTGOING))?)?;
    let sql = format!(
        "SELECT e.callee, e.line, e.kind, e.resolution FROM symbol s
         CROSS JOIN edge e ON e.caller_file = s.file AND e.caller = s.container
            AND e.line BETWEEN s.line - 50 AND s.end_line
         WHERE s.id = ?1 AND {} LIMIT ?2",
        super::reach::HEADER
    );
    push(&mut connection.prepare_cached(&sql)?.query((node, MAX_OUTGOING))?)?;
    let sql = "SELECT o.base, s.line FROM override o JOIN symbol s ON s.id = o.method WHERE o.method = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([node])?;
    while let Some(row) = rows.next()? {
        let (to, line) = (row.get(0)?, row.get(1)?);
        found.push(Outgoing { to, line, kind: "override", resolution: Resolution::Inherited });
    }
    Ok(found)
}

/// Why `node` is among the dependents that `reach` holds: its references to nodes one step nearer.
pub(crate) fn links_of_dependent(reader: &Reader, reach: &Reach, node: Node, at: Reached) -> Result<Vec<Link>> {
    let mut references = Vec::new();
    for reference in outgoing(reader, node)? {
        let Some(target) = reach.nodes.get(&reference.to) else { continue };
        // An override of an override is as near as that one.
        let near = target.depth + 1 == at.depth || target.depth == at.depth && reference.kind == "override";
        let sure = !target.possible && near && reference.resolution.is_resolved();
        // The class of a constructor stands in for it where it is constructed, and nowhere else.
        let of_another = target.stand_in && !target.possible && reference.kind != "construct";
        if (at.possible || sure) && !of_another {
            references.push((reference, *target));
        }
    }
    references.sort_by_key(|(reference, target)| (target.depth, reference.line, reference.to, reference.kind));
    references.dedup_by_key(|(reference, _)| (reference.to, reference.kind));
    let mut links = Vec::new();
    for (reference, target) in references.into_iter().take(MAX_LINKS) {
        // A call of the base of what was asked about reaches it only if the object at hand is of its class.
        let through_base = target.stand_in && target.possible;
        let resolution = if through_base { Resolution::Override } else { reference.resolution };
        links.push(link(reader, reference, resolution)?);
    }
    links.sort();
    Ok(links)
}

/// The references that lead from nearer nodes to each dependency that `reach` holds.
pub(crate) fn references_into(reader: &Reader, reach: &Reach) -> Result<BTreeMap<Node, Vec<Outgoing>>> {
    let mut into: BTreeMap<Node, Vec<Outgoing>> = BTreeMap::new();
    let farthest = reach.nodes.values().map(|at| at.depth).max().unwrap_or_default();
    for (node, at) in reach.nodes.iter().filter(|(_, at)| at.depth < farthest) {
        for reference in outgoing(reader, *node)? {
            if reach.nodes.get(&reference.to).is_some_and(|target| target.depth > at.depth) {
                into.entry(reference.to).or_default().push(Outgoing { to: *node, ..reference });
            }
        }
    }
    Ok(into)
}

/// Why `node` is among the dependencies: `references` to it, whose `to` is where they come from; for an override, what it
/// overrides.
pub(crate) fn links_of_dependency(
    reader: &Reader,
    reach: &Reach,
    node: Node,
    references: &[Outgoing],
) -> Result<Vec<Link>> {
    let mut references = references.to_vec();
    if references.is_empty() {
        references = outgoing(reader, node)?;
        references.retain(|reference| reference.kind == "override" && reach.nodes.contains_key(&reference.to));
    }
    references.sort_by_key(|reference| (!reference.resolution.is_resolved(), reference.to, reference.line));
    references.dedup_by_key(|reference| (reference.to, reference.kind));
    let links = references.into_iter().take(MAX_LINKS);
    links.map(|reference| link(reader, reference, reference.resolution)).collect()
}

pub(crate) fn link(reader: &Reader, reference: Outgoing, resolution: Resolution) -> Result<Link> {
    let nearer = place(reader, reference.to)?;
    let nearer = nearer.map_or_else(String::new, |place| format!("{}::{}", place.file, place.name()));
    Ok(Link { line: reference.line, kind: reference.kind, resolution: resolution.name(), nearer })
}

/// The label of a file's neighborhood, if it is in one.
pub(crate) fn neighborhood(reader: &Reader, file: i64) -> Result<Option<String>> {
    let sql = "SELECT c.label FROM member m JOIN community c ON c.id = m.community WHERE m.file = ?1";
    Ok(reader.connection().prepare_cached(sql)?.query_row([file], |row| row.get(0)).optional()?)
}
