//! Which reads would now give something else: what must be asked again after a change of some files.

use super::interface::fingerprint;
use super::outcome::Outcome;
use super::reads::{Read, facts_read, files_read, folder_read, listing_read, path_read, roots_read, search_read};
use super::specifiers::Setting;
use super::world::{Listing, Tree, parent};
use crate::lang::{configures_search, languages};
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A file as it was or is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) path: &'a str,
    pub(crate) language: Language,
    pub(crate) listings: &'a [Listing],
}

/// Reads that would now give something else.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    reads: FxHashSet<Read>,
}

impl Changes {
    /// What the comparison of two states of the tree tells, both in path order; `changed` are the paths of files that say
    /// something else.
    pub(crate) fn between(old: &[Known<'_>], new: &[Known<'_>], changed: &FxHashSet<&str>) -> Changes {
        let mut changes = Changes::default();
        let same_files = old.len() == new.len()
            && old.iter().zip(new).all(|(old, new)| (old.path, old.language) == (new.path, new.language));
        if !same_files {
            changes.paths(old, new);
        }
        changes.listings(old, new, changed);
        changes
    }

    fn paths(&mut self, old: &[Known<'_>], new: &[Known<'_>]) {
        fn paths<'a>(known: &[Known<'a>]) -> BTreeSet<(&'a str, Language)> {
            known.iter().map(|file| (file.path, file.language)).collect()
        }
        let (before, after) = (paths(old), paths(new));
        for (path, language) in before.symmetric_difference(&after) {
            self.reads.extend([path_read(path), facts_read(path), files_read(*language, parent(path))]);
            if configures_search(path) {
                self.reads.insert(search_read());
            }
        }
        let folders = |paths: &BTreeSet<(&str, Language)>| {
            let mut folders: BTreeSet<(Language, String)> = BTreeSet::new();
            for (path, language) in paths {
                let mut path = *path;
                while let Some((folder, _)) = path.rsplit_once('/') {
                    if !folders.insert((*language, folder.to_owned())) {
                        break;
                    }
                    path = folder;
                }
            }
            folders
        };
        for (language, folder) in folders(&before).symmetric_difference(&folders(&after)) {
            self.reads.insert(folder_read(*language, folder));
        }
        let tree = |known: &[Known<'_>]| Tree::of(known.iter().map(|file| (file.path, file.language)));
        let (before, after) = (tree(old), tree(new));
        for language in languages() {
            if before.roots(language) != after.roots(language) {
                self.reads.insert(roots_read(language));
            }
        }
    }

    /// What is listed under a key, where it is not the same from the files that changed.
    fn listings(&mut self, old: &[Known<'_>], new: &[Known<'_>], changed: &FxHashSet<&str>) {
        // By path and key. Where in its file a definition stands does not matter.
        let gather = |known: &[Known<'_>]| {
            let mut gathered: FxHashMap<(Read, u64), Vec<(u16, u16)>> = FxHashMap::default();
            for file in known.iter().filter(|file| changed.contains(file.path)) {
                for listing in file.listings {
                    gathered.entry((path_read(file.path), listing.key)).or_default().push(listing.arity());
                }
            }
            gathered
        };
        let (before, after) = (gather(old), gather(new));
        let mut presences: FxHashSet<u64> = FxHashSet::default();
        for key in before.keys().chain(after.keys()) {
            let (before, after) = (before.get(key), after.get(key));
            if before == after {
                continue;
            }
            let is_presence = before.or(after).is_some_and(|of| of.first() == Some(&Listing::PRESENCE));
            if is_presence {
                presences.insert(key.1);
            } else {
                self.reads.insert(listing_read(key.1));
            }
        }
        if presences.is_empty() {
            return;
        }
        let present = |known: &[Known<'_>]| -> FxHashSet<u64> {
            let keys = known.iter().flat_map(|file| file.listings).map(|listing| listing.key);
            keys.filter(|key| presences.contains(key)).collect()
        };
        let (before, after) = (present(old), present(new));
        self.reads.extend(before.symmetric_difference(&after).map(|key| listing_read(*key)));
    }

    /// A file says something else; `old` is what it said, if that is still known.
    pub(crate) fn facts(&mut self, path: &str, old: Option<FileFacts>, new: &FileFacts) {
        let says_the_same = |old: &FileFacts| Setting::all(old) == Setting::all(new);
        if configures_search(path) && !old.as_ref().is_some_and(says_the_same) {
            self.reads.insert(search_read());
        }
        if old.is_none_or(|old| fingerprint(old) != fingerprint(new.clone())) {
            self.reads.insert(facts_read(path));
        }
    }

    /// Was something read for it that is no longer what it was?
    pub(crate) fn touch(&self, outcome: &Outcome) -> bool {
        !self.reads.is_empty() && outcome.reads.iter().any(|read| self.reads.contains(read))
    }
}

/// Where the definitions of a file have gone to, by their old index: told by qualified name and kind, and among equals by
/// order.
pub(crate) fn moved(old: &Outcome, new: &Outcome) -> Vec<Option<u32>> {
    let new: FxHashMap<_, u32> = told(new).zip(0..).collect();
    told(old).map(|told| new.get(&told).copied()).collect()
}

fn told(outcome: &Outcome) -> impl Iterator<Item = (&str, DefKind, u32)> {
    let mut counts: FxHashMap<(&str, DefKind), u32> = FxHashMap::default();
    (0..outcome.place.len() as u32).map(move |def| {
        let named = outcome.named(def);
        let nth = counts.entry((&named.qualname, named.kind)).or_default();
        *nth += 1;
        (&*named.qualname, named.kind, *nth)
    })
}
