//! What has to be looked at when these symbols or files change, and how far away is it? Or, the other way round, what do
//! they rest on? The two are never mixed. What is resolved, what is only possible and what is a test stand apart.

use super::SymbolRow;
use super::kinds::Kinds;
use super::listing::{self, Listed, Place};
use super::reach::{self, Direction, Node, Reach, Walk, reach};
use super::target::{self, Target};
use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Steps that are walked at most: past some, everything depends on everything.
pub const MAX_DEPTH: u32 = 8;

/// Hubs and groups that are named at most.
const MAX_NAMED: usize = 20;

/// Nearest nodes that are looked at for being hubs.
const MAX_CHECKED: usize = 2_000;

/// Uses of a hub are counted no further than this.
pub(crate) const MAX_USES: u32 = 10_000;

/// What to ask for.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub direction: Direction,
    /// From 1 to [`MAX_DEPTH`].
    pub depth: u32,
    pub kinds: Kinds,
    /// Nodes that are listed at most; all are counted.
    pub limit: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct BlastRadius {
    pub targets: Vec<Target>,
    /// `dependents` or `dependencies`.
    pub direction: &'static str,
    pub depth: u32,
    /// Of everything found, by depth from 1.
    pub levels: Vec<Level>,
    /// Number of files with something found in them.
    pub files: usize,
    /// Directories, those with most in them first; at most 20.
    pub packages: Vec<Group>,
    /// The same by neighborhood, where those are known.
    pub neighborhoods: Vec<Group>,
    /// Resolved, in production code: by depth, file and line.
    pub resolved: Vec<Listed>,
    pub tests: Vec<Listed>,
    /// Some step of every way to these is a guess; tests included.
    pub possible: Vec<Listed>,
    /// Found, but beyond the limit of what is listed.
    pub left_out: usize,
    /// Crossed but not expanded: so much uses them that what does says nothing; at most 20.
    pub hubs: Vec<Hub>,
    /// Files that import a file asked about without a known use of what is in it.
    pub importers: Vec<String>,
    /// The walk was ended by its bound on rows: counts are lower bounds.
    pub capped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub resolved: usize,
    pub tests: usize,
    pub possible: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Level {
    pub depth: u32,
    #[serde(flatten)]
    pub counts: Counts,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    pub name: String,
    #[serde(flatten)]
    pub counts: Counts,
}

#[derive(Clone, Debug, Serialize)]
pub struct Hub {
    #[serde(flatten)]
    pub place: Place,
    /// Places that use it, counted up to 10,000.
    pub uses: u32,
}

impl Counts {
    fn add(&mut self, sort: Sort) {
        match sort {
            Sort::Resolved => self.resolved += 1,
            Sort::Test => self.tests += 1,
            Sort::Possible => self.possible += 1,
        }
    }

    pub fn all(self) -> usize {
        self.resolved + self.tests + self.possible
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Resolved,
    Test,
    Possible,
}

/// One found node.
struct Found {
    place: Place,
    depth: u32,
    sort: Sort,
}

/// # Errors
/// What SQLite says.
pub fn blast_radius(reader: &Reader, targets: Vec<Target>, question: &Question) -> Result<BlastRadius> {
    ask(reader, targets, question).context("asking for the blast radius")
}

/// The same of the symbols alone, without what classes among them contain.
pub(crate) fn of_symbols(reader: &Reader, symbols: &[SymbolRow], question: &Question) -> Result<BlastRadius> {
    let seeds: Vec<Node> = symbols.iter().map(|symbol| symbol.id).collect();
    answer(reader, vec![Target::Symbols(symbols.to_vec())], &seeds, question)
}

/// Test files among the dependents of symbols and what they contain, with the distance of each.
pub(crate) fn tests_reaching(
    reader: &Reader,
    symbols: &[SymbolRow],
    question: &Question,
) -> Result<BTreeMap<String, u32>> {
    let seeds: Vec<Node> = target::inside(reader, symbols)?.into_values().flatten().collect();
    let Question { direction, depth, kinds, .. } = *question;
    let reach = reach(reader, &seeds, Walk { direction, depth, kinds })?;
    let mut tests: BTreeMap<String, u32> = BTreeMap::new();
    for node in found(reader, &[], &reach)?.into_iter().filter(|node| node.sort == Sort::Test) {
        let nearest = tests.entry(node.place.file).or_insert(node.depth);
        *nearest = node.depth.min(*nearest);
    }
    Ok(tests)
}

fn ask(reader: &Reader, targets: Vec<Target>, question: &Question) -> Result<BlastRadius> {
    let seeds: Vec<Node> = target::nodes(reader, &targets)?.into_iter().collect();
    answer(reader, targets, &seeds, question)
}

fn answer(reader: &Reader, targets: Vec<Target>, seeds: &[Node], question: &Question) -> Result<BlastRadius> {
    let Question { direction, kinds, limit, .. } = *question;
    let depth = question.depth.clamp(1, MAX_DEPTH);
    let reach = reach(reader, seeds, Walk { direction, depth, kinds })?;
    let found = found(reader, &targets, &reach)?;

    let mut levels: BTreeMap<u32, Counts> = BTreeMap::new();
    let (mut packages, mut neighborhoods) = (BTreeMap::new(), BTreeMap::new());
    let mut labels: BTreeMap<i64, Option<String>> = BTreeMap::new();
    for node in &found {
        levels.entry(node.depth).or_default().add(node.sort);
        packages.entry(node.place.package().to_string()).or_insert_with(Counts::default).add(node.sort);
        let file = node.place.file_id;
        if let std::collections::btree_map::Entry::Vacant(entry) = labels.entry(file) {
            entry.insert(listing::neighborhood(reader, file)?);
        }
        if let Some(Some(label)) = labels.get(&file) {
            neighborhoods.entry(label.clone()).or_insert_with(Counts::default).add(node.sort);
        }
    }
    let mut answer = BlastRadius {
        direction: match direction {
            Direction::Dependents => "dependents",
            Direction::Dependencies => "dependencies",
        },
        depth,
        levels: levels.into_iter().map(|(depth, counts)| Level { depth, counts }).collect(),
        files: labels.len(),
        packages: groups(packages),
        neighborhoods: groups(neighborhoods),
        left_out: found.len().saturating_sub(limit),
        hubs: hubs(reader, &found, depth)?,
        importers: importers(reader, &targets, question, &labels)?,
        capped: reach.capped,
        targets,
        resolved: Vec::new(),
        tests: Vec::new(),
        possible: Vec::new(),
    };
    let listed: Vec<Found> = chosen(found, limit);
    let into = match direction {
        Direction::Dependents => BTreeMap::new(),
        Direction::Dependencies => listing::references_into(reader, &reach)?,
    };
    for node in listed {
        let id = node.place.node;
        let links = match (direction, reach.nodes.get(&id)) {
            (Direction::Dependents, Some(at)) => listing::links_of_dependent(reader, &reach, id, *at)?,
            _ => listing::links_of_dependency(reader, &reach, id, into.get(&id).map_or(&[], Vec::as_slice))?,
        };
        let entry = Listed { place: node.place, depth: node.depth, links };
        match node.sort {
            Sort::Resolved => answer.resolved.push(entry),
            Sort::Test => answer.tests.push(entry),
            Sort::Possible => answer.possible.push(entry),
        }
    }
    Ok(answer)
}

/// Everything that was reached, by depth, file and line. Module-level code of a file that is asked about is the file itself.
fn found(reader: &Reader, targets: &[Target], reach: &Reach) -> Result<Vec<Found>> {
    let asked: BTreeSet<i64> = targets
        .iter()
        .filter_map(|target| if let Target::File { id, .. } = target { Some(*id) } else { None })
        .collect();
    let mut found = Vec::new();
    for (node, at) in reach.found() {
        let Some(place) = listing::place(reader, node)? else { continue };
        if asked.contains(&place.file_id) {
            continue;
        }
        let sort = match (at.possible, place.test) {
            (true, _) => Sort::Possible,
            (false, true) => Sort::Test,
            (false, false) => Sort::Resolved,
        };
        found.push(Found { place, depth: at.depth, sort });
    }
    found.sort_by(|a, b| {
        let key = |node: &Found| (node.depth, node.place.line, node.place.node);
        (a.depth, &a.place.file).cmp(&(b.depth, &b.place.file)).then_with(|| key(a).cmp(&key(b)))
    });
    Ok(found)
}

/// What is listed where not all can be: nearer before farther, at each depth resolved ones first.
fn chosen(mut found: Vec<Found>, limit: usize) -> Vec<Found> {
    if found.len() > limit {
        found.sort_by_key(|node| (node.depth, node.sort));
        found.truncate(limit);
    }
    found
}

fn groups(counts: BTreeMap<String, Counts>) -> Vec<Group> {
    let mut groups: Vec<Group> = counts.into_iter().map(|(name, counts)| Group { name, counts }).collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.counts.resolved, group.counts.all())));
    groups.truncate(MAX_NAMED);
    groups
}

fn hubs(reader: &Reader, found: &[Found], depth: u32) -> Result<Vec<Hub>> {
    let limit = u32::try_from(reader.meta().hub_uses).unwrap_or(u32::MAX - 1);
    let mut hubs = Vec::new();
    for node in found.iter().take(MAX_CHECKED).filter(|node| node.depth < depth && node.place.node > 0) {
        if reach::uses_up_to(reader, node.place.node, limit + 1)? > limit {
            let uses = reach::uses_up_to(reader, node.place.node, MAX_USES)?;
            hubs.push(Hub { place: node.place.clone(), uses });
        }
        if hubs.len() == MAX_NAMED {
            break;
        }
    }
    Ok(hubs)
}

fn importers(
    reader: &Reader,
    targets: &[Target],
    question: &Question,
    known: &BTreeMap<i64, Option<String>>,
) -> Result<Vec<String>> {
    if question.direction != Direction::Dependents || !question.kinds.has(crate::model::EdgeKind::Import) {
        return Ok(Vec::new());
    }
    let sql =
        "SELECT f.id, f.path FROM import i JOIN file f ON f.id = i.importer WHERE i.imported = ?1 ORDER BY f.path";
    let mut statement = reader.connection().prepare_cached(sql)?;
    let mut importers = BTreeSet::new();
    for target in targets {
        if let Target::File { id, .. } = target {
            let mut rows = statement.query([id])?;
            while let Some(row) = rows.next()? {
                if !known.contains_key(&row.get(0)?) {
                    importers.insert(row.get::<_, String>(1)?);
                }
            }
        }
    }
    Ok(importers.into_iter().collect())
}

#[cfg(test)]
mod tests;
