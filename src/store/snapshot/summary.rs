//! Graph -> summary: what this repository is, for the briefing at session start. The same graph gives the same bytes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::build::{Analysis, told};
use super::card::{Area, Directory, Hub, LanguageCount, Summary};
use crate::model::{Community, DefFlags, DefKind, Language};

const MAX_DIRECTORIES: usize = 6;
/// Files that stand directly in a divided directory are listed from here on: one or two are its packaging.
const MIN_OWN: u32 = 3;
const MAX_AREAS: usize = 6;
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
    let sources: Vec<u32> =
        (0..graph.files.len() as u32).filter(|file| graph.files[*file as usize].is_source()).collect();
    for file in &sources {
        let file = &graph.files[*file as usize];
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

    let production: Vec<u32> = sources.into_iter().filter(|file| !graph.files[*file as usize].test).collect();
    let mut hubs: Vec<Hub> = production
        .iter()
        .map(|file| Hub {
            path: path(analysis, *file).to_string(),
            dependents: analysis.dependents(*file).len() as u32,
        })
        .filter(|hub| hub.dependents > 1)
        .collect();
    hubs.sort_by(|a, b| b.dependents.cmp(&a.dependents).then(a.path.cmp(&b.path)));
    hubs.truncate(MAX_HUBS);
    summary.hubs = hubs;
    summary.directories = directories(analysis, &production);
    summary.neighborhoods = areas(analysis);
    summary.neighborhoods_total = told(graph).len() as u32;
    summary.entry_points = entry_points(analysis, &production);
    summary
}

fn path<'g>(analysis: &Analysis<'g>, file: u32) -> &'g str {
    &analysis.graph.files[file as usize].path
}

/// The largest neighborhoods.
fn areas(analysis: &Analysis<'_>) -> Vec<Area> {
    let mut communities: Vec<&Community> = told(analysis.graph).iter().collect();
    communities.sort_by_key(|community| Reverse(community.members.len()));
    let area = |community: &&Community| Area {
        label: community.label.clone(),
        files: community.members.len() as u32,
        cohesion: community.cohesion,
        entry: community.entries.first().map(|file| path(analysis, file.0).to_owned()),
    };
    communities.iter().take(MAX_AREAS).map(area).collect()
}

/// A directory with all that is under it, or only the files that stand directly in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Part<'a> {
    path: &'a str,
    own: bool,
}

impl Part<'_> {
    fn holds(&self, file: &str) -> bool {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        if self.own || self.path.is_empty() {
            return folder == self.path;
        }
        folder.strip_prefix(self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Divides the tree where most files are: a directory that holds a good share of everything gives way to its
/// sub-directories and its own files, if the sub-directories hold most of it, as long as that gives no more than six parts.
fn directories<'a>(analysis: &Analysis<'a>, production: &[u32]) -> Vec<Directory> {
    let mut size: FxHashMap<Part<'a>, u32> = FxHashMap::default();
    let mut children: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in production {
        let mut child = path(analysis, *file);
        let mut is_file = true;
        while !child.is_empty() {
            let parent = child.rsplit_once('/').map_or("", |(parent, _)| parent);
            *size.entry(Part { path: parent, own: false }).or_insert(0) += 1;
            if is_file {
                *size.entry(Part { path: parent, own: true }).or_insert(0) += 1;
            } else {
                children.entry(parent).or_default().insert(child);
            }
            (child, is_file) = (parent, false);
        }
    }
    let of = |part: &Part<'_>| size.get(part).copied().unwrap_or(0);
    let all = of(&Part { path: "", own: false });
    let mut parts = vec![Part { path: "", own: false }];
    loop {
        parts.sort_by_key(|part| (Reverse(of(part)), *part));
        let divisible = |part: &Part<'_>| {
            let own = of(&Part { own: true, ..*part });
            !part.own
                && children.contains_key(part.path)
                && (part.path.is_empty() || (of(part) * 3 > all && own * 2 < of(part)))
        };
        // Divided where the places left hold most of what it holds: what is not listed is not seen.
        let division = |part: &Part<'a>| {
            let mut inner: Vec<Part<'a>> = children[part.path].iter().map(|path| Part { path, own: false }).collect();
            inner.push(Part { own: true, ..*part });
            inner.retain(|part| of(part) >= if part.own { MIN_OWN } else { 1 });
            inner.sort_by_key(|part| (Reverse(of(part)), *part));
            inner.truncate((MAX_DIRECTORIES + 1).saturating_sub(parts.len()).max(1));
            let kept = inner.iter().map(of).sum::<u32>();
            (part.path.is_empty() || kept * 4 > of(part) * 3).then_some(inner)
        };
        let divided = parts.iter().enumerate().filter(|(_, part)| divisible(part));
        let Some((index, inner)) = divided.filter_map(|(index, part)| Some((index, division(part)?))).next() else {
            break;
        };
        parts.remove(index);
        parts.extend(inner);
    }
    parts.truncate(MAX_DIRECTORIES);
    parts.retain(|part| of(part) > 0);
    let entries = entries(analysis, &parts);
    let directory =
        |(part, entry): (&Part<'_>, Option<String>)| Directory { path: part.path.to_string(), files: of(part), entry };
    parts.iter().zip(entries).map(directory).collect()
}

/// Of each part the file that most files outside of it use or import, where at least two do.
fn entries(analysis: &Analysis<'_>, parts: &[Part<'_>]) -> Vec<Option<String>> {
    let home = |file: u32| parts.iter().position(|part| part.holds(path(analysis, file)));
    let homes: Vec<Option<usize>> = (0..analysis.graph.files.len() as u32).map(home).collect();
    let mut best: Vec<Option<(u32, u32)>> = vec![None; parts.len()];
    for users in analysis.production_dependents.chunk_by(|a, b| a.0 == b.0) {
        let used = users[0].0;
        let Some(home) = homes[used as usize] else { continue };
        let outside = users.iter().filter(|pair| homes[pair.1 as usize] != Some(home)).count() as u32;
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
