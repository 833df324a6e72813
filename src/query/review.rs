//! What does a change touch? The symbols that differ between two versions of some files, who depends on them, call sites that
//! no longer fit, tests that reach them, and the neighborhoods that it crosses.
//!
//! Both versions are read from their text; who depends on what is asked of the graph, which may be of either or of neither. A
//! call site is looked for again in the text of its file, so lines that have moved do no harm. Only calls that did fit and do
//! not any more are named: a decorator that adds arguments makes calls that never fitted.

pub(crate) mod compare;
mod fits;
mod overriding;
mod sites;
mod types;

use super::blast_radius::{self, BlastRadius, Group, Question};
use super::kinds::Kinds;
use super::listing::{self, Listed};
use super::reach::Direction;
use super::symbol::{COLUMNS, SymbolRow};
use super::target::Target;
use crate::model::*;
use crate::store::Reader;
use anyhow::{Context, Result};
use compare::Version;
pub use fits::Misfit;
use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_64;

/// Changed symbols whose dependents are asked for; a change of more is a release, and no review of it is read.
const MAX_SYMBOLS: usize = 300;

/// Dependents listed for one symbol, and for all together.
const MAX_LISTED: usize = 5;
const MAX_TOGETHER: usize = 60;

/// Steps within which a test counts as reaching a symbol.
const TEST_STEPS: u32 = 3;

#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// What was compared, in words or hashes.
    pub from: String,
    pub to: String,
    /// Files of languages with a front end that differ.
    pub files: usize,
    /// By file and line; those without a use outside of their file too.
    pub symbols: Vec<ChangedSymbol>,
    /// Call sites that no longer fit, and uses of what is gone.
    pub broken: Vec<Broken>,
    /// Test files that reach a changed symbol within three steps, nearest first.
    pub tests: Vec<Reaching>,
    /// Changed production symbols that no test is known to reach: `path::name`.
    pub untested: Vec<String>,
    /// What depends on the changed symbols; nothing where none of them is in the graph.
    pub dependents: Option<BlastRadius>,
    /// Neighborhoods of the changed files, and others that depend on them.
    pub neighborhoods: Vec<String>,
    pub crossed: Vec<Group>,
    /// More symbols changed than are looked at.
    pub capped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Added,
    Removed,
    /// Parameters, result or supertypes.
    Signature,
    Body,
    /// To another file, unchanged.
    Moved,
}

#[derive(Clone, Debug, Serialize)]
pub struct ChangedSymbol {
    pub file: String,
    pub qualname: String,
    /// As in [`DefKind::name`].
    pub kind: &'static str,
    /// In the new version; in the old one of what was removed.
    pub line: u32,
    pub end_line: u32,
    pub change: Change,
    /// Where it was moved from.
    pub from: Option<String>,
    /// Signatures, where they differ.
    pub before: Option<String>,
    pub after: Option<String>,
    #[serde(skip)]
    pub(crate) body: u64,
    pub exported: bool,
    pub test: bool,
    /// One step away; `None` for what the graph does not hold.
    pub dependents: Option<Dependents>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Dependents {
    #[serde(flatten)]
    pub counts: blast_radius::Counts,
    /// The first few, in production code.
    pub first: Vec<Listed>,
}

/// A place that does not go with the change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Broken {
    pub file: String,
    pub line: u32,
    /// Empty for module-level code.
    pub caller: String,
    /// `path::name` of what it calls.
    pub symbol: String,
    #[serde(flatten)]
    pub why: Misfit,
    pub test: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Reaching {
    pub file: String,
    pub depth: u32,
}

/// What to compare: the two sides in words, the files that differ, and of any other file on the new side its text and its facts.
pub struct Comparison<'c> {
    pub from: String,
    pub to: String,
    pub files: Vec<FileVersions>,
    pub text: &'c dyn Fn(&str) -> Option<Vec<u8>>,
    pub facts: &'c dyn Fn(&str, &[u8]) -> FileFacts,
}

/// # Errors
/// What SQLite says.
pub fn review(reader: &Reader, comparison: Comparison<'_>) -> Result<Review> {
    ask(reader, comparison).context("reviewing the change")
}

/// The places that one edit leaves unfit, as far as they are found by then.
///
/// # Errors
/// What SQLite says.
pub fn broken_by(reader: &Reader, comparison: Comparison<'_>, until: Instant) -> Result<Vec<Broken>> {
    let mut versions = Versions::of(comparison, Some(until));
    let mut broken = BTreeSet::new();
    for symbol in versions.compared().into_iter().take(MAX_SYMBOLS) {
        if versions.is_late() {
            break;
        }
        let rows = in_graph(reader, &symbol)?;
        broken.extend(sites::check(reader, &symbol, &rows, &mut versions)?);
    }
    Ok(one_for_each_line(broken))
}

/// One reason to look at a line will do.
fn one_for_each_line(broken: BTreeSet<Broken>) -> Vec<Broken> {
    let mut broken: Vec<Broken> = broken.into_iter().collect();
    broken.dedup_by(|later, first| (&later.file, later.line) == (&first.file, first.line));
    broken
}

/// Both versions of the changed files, and the new one of any other that is asked for.
struct Versions<'c> {
    changed: BTreeMap<String, (Option<Version>, Option<Version>)>,
    others: BTreeMap<String, Option<Other>>,
    text: &'c dyn Fn(&str) -> Option<Vec<u8>>,
    facts: &'c dyn Fn(&str, &[u8]) -> FileFacts,
    /// No file is read after it.
    until: Option<Instant>,
}

/// A file that is no part of the change.
struct Other {
    version: Version,
    /// As in [`FileRecord::content_hash`].
    hash: u64,
}

impl<'c> Versions<'c> {
    fn of(comparison: Comparison<'c>, until: Option<Instant>) -> Versions<'c> {
        let mut changed = BTreeMap::new();
        for FileVersions { path, old, new } in comparison.files {
            let version = |bytes: Option<Vec<u8>>| bytes.map(|bytes| Version::new(&path, &bytes));
            changed.insert(path.clone(), (version(old), version(new)));
        }
        Versions { changed, others: BTreeMap::new(), text: comparison.text, facts: comparison.facts, until }
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn compared(&self) -> Vec<ChangedSymbol> {
        let compared = |(path, (old, new)): (&String, &(Option<Version>, Option<Version>))| {
            compare::compare(path, old.as_ref(), new.as_ref())
        };
        self.changed.iter().flat_map(compared).collect()
    }

    /// `None` for a file that is not there, and when time is up.
    fn new_of(&mut self, path: &str) -> Option<&Version> {
        if self.changed.contains_key(path) || self.others.contains_key(path) {
            return self.known(path);
        }
        if self.is_late() {
            return None;
        }
        let other = (self.text)(path).map(|bytes| {
            let version = Version::of_facts((self.facts)(path, &bytes));
            Other { version, hash: xxh3_64(&bytes) }
        });
        self.others.insert(path.to_string(), other);
        self.known(path)
    }

    /// Both versions of a changed file.
    fn both(&self, path: &str) -> Option<(Option<&Version>, Option<&Version>)> {
        self.changed.get(path).map(|(old, new)| (old.as_ref(), new.as_ref()))
    }

    /// What [`Versions::new_of`] gave for a file.
    fn known(&self, path: &str) -> Option<&Version> {
        match self.changed.get(path) {
            Some((_, new)) => new.as_ref(),
            None => self.others.get(path)?.as_ref().map(|other| &other.version),
        }
    }

    /// Whether the lines that the graph has of a file that was read are those of another state of it.
    fn has_moved(&self, reader: &Reader, path: &str) -> Result<bool> {
        let Some(Some(other)) = self.others.get(path) else { return Ok(false) };
        let mut stored = reader.connection().prepare_cached("SELECT content_hash FROM file WHERE path = ?1")?;
        let stored: Option<i64> = stored.query_row([path], |row| row.get(0)).optional()?;
        Ok(stored != Some(other.hash.cast_signed()))
    }
}

fn ask(reader: &Reader, comparison: Comparison<'_>) -> Result<Review> {
    let (from, to, count) = (comparison.from.clone(), comparison.to.clone(), comparison.files.len());
    let mut versions = Versions::of(comparison, None);
    let mut symbols = versions.compared();
    pair_moves(&mut symbols);
    let capped = symbols.len() > MAX_SYMBOLS;
    symbols.truncate(MAX_SYMBOLS);

    let mut known = Vec::new();
    let mut broken = BTreeSet::new();
    for symbol in &mut symbols {
        let rows = in_graph(reader, symbol)?;
        if symbol.change == Change::Added {
            broken.extend(sites::check(reader, symbol, &rows, &mut versions)?);
            continue;
        }
        if rows.is_empty() {
            continue;
        }
        symbol.dependents = Some(dependents(reader, &rows)?);
        broken.extend(sites::check(reader, symbol, &rows, &mut versions)?);
        known.push((symbol.file.clone(), symbol.qualname.clone(), symbol.test, rows));
    }
    let broken = one_for_each_line(broken);
    let targets: Vec<Target> = known.iter().map(|(.., rows)| Target::Symbols(rows.clone())).collect();
    let (tests, untested) = tests(reader, &known)?;
    let mut neighborhoods = BTreeSet::new();
    for (.., rows) in &known {
        if let Some(row) = rows.first() {
            neighborhoods.extend(listing::neighborhood(reader, row.file_id)?);
        }
    }
    let dependents = if targets.is_empty() {
        None
    } else {
        let question =
            Question { direction: Direction::Dependents, depth: 2, kinds: Kinds::all(), limit: MAX_TOGETHER };
        Some(blast_radius::blast_radius(reader, targets, &question)?)
    };
    let crossed = dependents.iter().flat_map(|radius| &radius.neighborhoods);
    Ok(Review {
        from,
        to,
        files: count,
        crossed: crossed.filter(|group| !neighborhoods.contains(&group.name)).cloned().collect(),
        neighborhoods: neighborhoods.into_iter().collect(),
        symbols,
        broken,
        tests,
        untested,
        dependents,
        capped,
    })
}

/// What was removed here and added there with the same body has moved.
fn pair_moves(symbols: &mut Vec<ChangedSymbol>) {
    let key = |symbol: &ChangedSymbol| (symbol.qualname.clone(), symbol.kind, symbol.body);
    let mut removed: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.change == Change::Removed) {
        removed.entry(key(symbol)).or_default().push(index);
    }
    let mut gone = BTreeSet::new();
    for index in 0..symbols.len() {
        if symbols[index].change == Change::Added
            && let Some(from) = removed.get_mut(&key(&symbols[index])).and_then(Vec::pop)
        {
            symbols[index].from = Some(symbols[from].file.clone());
            symbols[index].change = Change::Moved;
            gone.insert(from);
        }
    }
    let mut index = 0;
    symbols.retain(|_| {
        index += 1;
        !gone.contains(&(index - 1))
    });
}

/// The symbol in the graph, where it was before the change or is after it; all overloads of it.
fn in_graph(reader: &Reader, symbol: &ChangedSymbol) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM file f JOIN symbol s ON s.file = f.id
         WHERE f.path = ?1 AND s.qualname = ?2 ORDER BY s.line, s.id LIMIT 50"
    );
    let mut statement = reader.connection().prepare_cached(&sql)?;
    for path in symbol.from.iter().chain([&symbol.file]) {
        let rows = statement.query_map([path, &symbol.qualname], SymbolRow::of)?;
        let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        if !rows.is_empty() {
            return Ok(rows);
        }
    }
    Ok(Vec::new())
}

/// One step away. A changed class is its own head here: its methods are in the list by themselves.
fn dependents(reader: &Reader, rows: &[SymbolRow]) -> Result<Dependents> {
    let question = Question { direction: Direction::Dependents, depth: 1, kinds: Kinds::all(), limit: MAX_LISTED };
    let answer = blast_radius::of_symbols(reader, rows, &question)?;
    let counts = answer.levels.first().map(|level| level.counts).unwrap_or_default();
    Ok(Dependents { counts, first: answer.resolved })
}

/// Test files by distance, and changed production code that none reaches.
fn tests(reader: &Reader, known: &[(String, String, bool, Vec<SymbolRow>)]) -> Result<(Vec<Reaching>, Vec<String>)> {
    let question =
        Question { direction: Direction::Dependents, depth: TEST_STEPS, kinds: Kinds::all(), limit: usize::MAX };
    let mut nearest: BTreeMap<String, u32> = BTreeMap::new();
    let mut untested = Vec::new();
    for (file, qualname, is_test, rows) in known {
        let reached = blast_radius::tests_reaching(reader, rows, &question)?;
        if reached.is_empty() && !is_test && rows.iter().any(|row| row.kind != "field" && row.kind != "variable") {
            untested.push(format!("{file}::{qualname}"));
        }
        for (test, depth) in reached {
            let nearest = nearest.entry(test).or_insert(depth);
            *nearest = depth.min(*nearest);
        }
    }
    let mut tests: Vec<Reaching> = nearest.into_iter().map(|(file, depth)| Reaching { file, depth }).collect();
    tests.sort_by(|a, b| (a.depth, &a.file).cmp(&(b.depth, &b.file)));
    Ok((tests, untested))
}
