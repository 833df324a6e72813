//! Graph -> summary: what this repository is, for the briefing at session start. The same graph gives the same bytes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::build::Analysis;
use super::card::{Directory, Hub, LanguageCount, Summary};
use crate::model::{DefFlags, DefKind, Language};

const MAX_DIRECTORIES: usize = 6;
const MAX_HUBS: usize = 3;
const MAX_ENTRY_POINTS: usize = 3;

pub(super) fn of(analysis: &Analysis<'_>) -> Summary {
    let graph = analysis.graph;
    let mut summary = Summary {
        symbols: graph.symbols.len() as u64,
        edges: graph.edges.len() as u64,
        resolved_permille: analysis.resolved_permille(),
        skipped: graph.files.iter().filter(|file| file.status == "skipped").count() as u32,
        ..Summary::default()
    };
    let mut languages: BTreeMap<Language, (u32, u64)> = BTreeMap::new();
    for file in analysis.code_files() {
        let file = &graph.files[file as usize];
        summary.files += 1;
        summary.test_files += u32::from(file.test);
        summary.lines += u64::from(file.lines);
        let count = languages.entry(file.language).or_default();
        count.0 += 1;
        count.1 += u64::from(file.lines);
    }
    summary.languages =
        languages.into_iter().map(|(language, (files, lines))| LanguageCount { language, files, lines }).collect();
    summary.languages.sort_by_key(|count| Reverse(count.lines));

    let production: Vec<u32> = analysis.code_files().filter(|file| !graph.files[*file as usize].test).collect();
    let mut hubs: Vec<Hub> = production
        .iter()
        .map(|file| Hub { path: path(analysis, *file).to_string(), dependents: analysis.dependents(*file).0 })
        .filter(|hub| hub.dependents > 1)
        .collect();
    hubs.sort_by(|a, b| b.dependents.cmp(&a.dependents).then(a.path.cmp(&b.path)));
    hubs.truncate(MAX_HUBS);
    summary.hubs = hubs;
    summary.directories = directories(analysis, &production);
    summary.entry_points = entry_points(analysis, &production);
    summary
}

fn path<'g>(analysis: &Analysis<'g>, file: u32) -> &'g str {
    &analysis.graph.files[file as usize].path
}

/// Divides the tree where most files are: the largest directory is replaced by its sub-directories (its own files stay
/// with the parent and are left out) as long as that gives no more than six parts.
fn directories(analysis: &Analysis<'_>, production: &[u32]) -> Vec<Directory> {
    let mut size: FxHashMap<&str, u32> = FxHashMap::default();
    let mut children: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in production {
        let mut child = path(analysis, *file);
        let mut is_file = true;
        while !child.is_empty() {
            let parent = child.rsplit_once('/').map_or("", |(parent, _)| parent);
            *size.entry(parent).or_insert(0) += 1;
            if !is_file {
                children.entry(parent).or_default().insert(child);
            }
            (child, is_file) = (parent, false);
        }
    }
    let of = |directory: &str| size.get(directory).copied().unwrap_or(0);
    let mut parts = vec![""];
    loop {
        parts.sort_by_key(|part| (Reverse(of(part)), *part));
        // Only a part that holds a good share of everything hides its structure.
        let divisible = |part: &&str| children.contains_key(*part) && (part.is_empty() || of(part) * 3 > of(""));
        let Some(index) = parts.iter().position(divisible) else { break };
        let mut inner: Vec<&str> = children[parts[index]].iter().copied().collect();
        inner.sort_by_key(|child| (Reverse(of(child)), *child));
        inner.truncate(MAX_DIRECTORIES + 1 - parts.len().min(MAX_DIRECTORIES));
        parts.remove(index);
        parts.extend(inner);
    }
    parts.truncate(MAX_DIRECTORIES);
    parts.retain(|part| of(part) > 0);
    let entries = entries(analysis, &parts);
    let directory =
        |(part, entry): (&&str, Option<String>)| Directory { path: part.to_string(), files: of(part), entry };
    parts.iter().zip(entries).map(directory).collect()
}

/// Of each directory the file that most files outside of the directory use, where at least two do.
fn entries(analysis: &Analysis<'_>, directories: &[&str]) -> Vec<Option<String>> {
    let home = |file: u32| {
        let inside =
            |directory: &&str| path(analysis, file).strip_prefix(*directory).is_some_and(|rest| rest.starts_with('/'));
        directories.iter().position(inside)
    };
    let homes: Vec<Option<usize>> = (0..analysis.graph.files.len() as u32).map(home).collect();
    let mut best: Vec<Option<(u32, u32)>> = vec![None; directories.len()];
    for users in analysis.file_uses.chunk_by(|a, b| a.used == b.used) {
        let used = users[0].used;
        let Some(home) = homes[used as usize] else { continue };
        let outside = users.iter().filter(|pair| homes[pair.user as usize] != Some(home)).count() as u32;
        let test = analysis.graph.files[used as usize].test;
        if !test && outside > best[home].map_or(1, |best| best.0) {
            best[home] = Some((outside, used));
        }
    }
    best.into_iter().map(|best| best.map(|(_, file)| path(analysis, file).to_string())).collect()
}

/// Files that are started: `__main__.py`, `manage.py`, and classes with a static `main` of one parameter.
fn entry_points(analysis: &Analysis<'_>, production: &[u32]) -> Vec<String> {
    let graph = analysis.graph;
    let mains: BTreeSet<u32> = graph
        .symbols
        .iter()
        .filter(|symbol| symbol.name == "main" && symbol.kind == DefKind::Method && symbol.params <= 1)
        .filter(|symbol| symbol.flags.has(DefFlags::STATIC) && symbol.flags.has(DefFlags::PUBLIC))
        .map(|symbol| symbol.file.0)
        .collect();
    let is_start = |file: &&u32| {
        let name = path(analysis, **file).rsplit('/').next().unwrap_or("");
        matches!(name, "__main__.py" | "manage.py") || mains.contains(*file)
    };
    let mut found: Vec<&str> = production.iter().filter(is_start).map(|file| path(analysis, *file)).collect();
    // The shallow ones start the product, the deep ones its tools.
    found.sort_by_key(|path| (path.matches('/').count(), *path));
    found.into_iter().take(MAX_ENTRY_POINTS).map(str::to_string).collect()
}
