//! Extracted facts, kept by content and shared by all work trees and branches of a repository: what was parsed once is not
//! parsed again, whatever commit it comes back with.
//!
//! The key is a hash of the bytes on disk and of what extraction sees of the path, not git's blob id: the two differ where
//! git converts line ends or filters, and files that git does not know have none. The store is a folder of immutable packs
//! ([`pack`]), each put in place by a rename, so that any number of indexers may read and add at once; one that loses a
//! race writes a record twice, and the next merge drops it. It is a cache: what is damaged, truncated or gone is a miss.

mod pack;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

use crate::lang;
use crate::model::{
    Binding, Definition, Exports, Expr, ExprId, FileFacts, Import, Language, NameId, Scope, SearchRule, Status,
};
use pack::{Pack, Writer};

/// Names facts in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key(pub(crate) u128);

impl Key {
    /// The key of a file with this path (relative to the root) and these bytes.
    pub(crate) fn of(path: &str, bytes: &[u8]) -> Key {
        Key(xxh3_128_with_seed(bytes, xxh3_64(lang::seen_of_path(path).as_bytes())))
    }
}

/// More packs than these are merged into one.
const MAX_PACKS: usize = 12;

/// What all packs may hold, in bytes, before the oldest facts are dropped. Facts are about twice the source's size.
const MAX_BYTES: u64 = 1 << 30;

/// Facts that no merge found in use for so long are dropped.
const MAX_AGE: Duration = Duration::from_secs(60 * 24 * 3600);

/// A writer that died leaves its file; nobody writes for longer than this.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// The facts of one repository. May be used from several threads.
pub(crate) struct Facts {
    folder: PathBuf,
    packs: Vec<Pack>,
    /// What is added by this run; `None` until something is, and after a write has failed.
    adding: Mutex<Adding>,
}

enum Adding {
    Nothing,
    Some(Writer),
    /// The disk is full or read-only: facts are extracted all the same, and forgotten.
    Failed,
}

impl Facts {
    /// Opens the store in `folder`, which must exist. Packs that cannot be read are passed over.
    pub(crate) fn open(folder: &Path) -> Facts {
        let mut packs: Vec<Pack> =
            names(folder).into_iter().filter_map(|name| Pack::open(&folder.join(name))).collect();
        // The biggest has most of what will be asked for.
        packs.sort_by_key(|pack| std::cmp::Reverse(pack.len()));
        Facts { folder: folder.to_owned(), packs, adding: Mutex::new(Adding::Nothing) }
    }

    /// The facts under a key, if they are there and sound.
    pub(crate) fn get(&self, key: Key) -> Option<FileFacts> {
        self.packs.iter().find_map(|pack| postcard::from_bytes(&pack.get(key)?).ok())
    }

    /// Of the facts under a key, what the resolution of other files looks at: half of the bytes. The rest is empty.
    pub(crate) fn get_interface(&self, key: Key) -> Option<FileFacts> {
        self.packs.iter().find_map(|pack| interface(&pack.get(key)?))
    }

    /// Adds facts; what cannot be written is forgotten.
    pub(crate) fn put(&self, key: Key, facts: &FileFacts) {
        let Ok(bytes) = postcard::to_allocvec(facts) else { return };
        let Ok(mut adding) = self.adding.lock() else { return };
        if matches!(*adding, Adding::Nothing) {
            *adding = Writer::create(&self.folder).map_or(Adding::Failed, Adding::Some);
        }
        if let Adding::Some(writer) = &mut *adding
            && writer.add(key, &bytes, now()).is_err()
        {
            *adding = Adding::Failed;
        }
    }

    /// Publishes what was added, so that it can be read, also by this store.
    pub(crate) fn publish(&mut self) {
        let adding = std::mem::replace(&mut self.adding, Mutex::new(Adding::Nothing)).into_inner();
        if let Ok(Adding::Some(writer)) = adding
            && let Ok(path) = writer.publish()
        {
            self.packs.extend(Pack::open(&path));
        }
    }

    /// Merges packs where there are many, dropping what is old. `live` is what the graph at hand is made of.
    pub(crate) fn tidy(self, live: &FxHashSet<Key>) {
        if self.packs.len() <= MAX_PACKS && self.packs.iter().map(Pack::bytes).sum::<u64>() <= MAX_BYTES {
            return;
        }
        let oldest = now().saturating_sub(MAX_AGE.as_secs());
        self.merge(live, |used, _| used >= oldest);
    }

    /// Merges all packs, and drops everything but what the graph at hand is made of.
    pub(crate) fn keep_only(self, live: &FxHashSet<Key>) {
        self.merge(live, |_, key| live.contains(&key));
    }

    fn merge(self, live: &FxHashSet<Key>, keeps: impl Fn(u64, Key) -> bool) {
        let now = now();
        let mut entries: Vec<(u64, Key, usize)> = Vec::new();
        for (index, pack) in self.packs.iter().enumerate() {
            entries
                .extend(pack.entries().map(|(key, used)| (if live.contains(&key) { now } else { used }, key, index)));
        }
        // Latest use first; of one key, one.
        entries.sort_by_key(|(used, key, index)| (std::cmp::Reverse(*used), *key, *index));
        let mut kept = FxHashSet::default();
        let mut left = MAX_BYTES / 2;
        let Ok(mut merged) = Writer::create(&self.folder) else { return };
        for (used, key, index) in entries {
            if !keeps(used, key) || !kept.insert(key) {
                continue;
            }
            let Some(bytes) = self.packs[index].get(key) else { continue };
            let Some(rest) = left.checked_sub(bytes.len() as u64) else { break };
            left = rest;
            if merged.add(key, &bytes, used).is_err() {
                return;
            }
        }
        // Packs that others have added since are none of ours and stay.
        if let Ok(path) = merged.publish() {
            // A pack is called by what it holds: one of them may hold just that.
            for pack in self.packs.iter().filter(|pack| pack.path() != path) {
                let _ = fs::remove_file(pack.path());
            }
            remove_abandoned(&self.folder);
        }
    }
}

/// The beginning of [`FileFacts`], field by field: packed facts are read as far as this and no further.
#[derive(Deserialize)]
struct Interface {
    language: Language,
    status: Status,
    package: Option<NameId>,
    names: Vec<Box<str>>,
    scopes: Vec<Scope>,
    definitions: Vec<Definition>,
    bindings: Vec<Binding>,
    imports: Vec<Import>,
    exports: Exports,
    exprs: Vec<Expr>,
    lists: Vec<ExprId>,
    search: Vec<SearchRule>,
}

fn interface(bytes: &[u8]) -> Option<FileFacts> {
    let (begin, _): (Interface, _) = postcard::take_from_bytes(bytes).ok()?;
    let Interface { language, status, package, names, scopes, definitions, bindings, imports, exports, .. } = begin;
    let Interface { exprs, lists, search, .. } = begin;
    let rest = FileFacts::empty(language);
    let half = FileFacts { status, package, names, scopes, definitions, bindings, imports, exports, ..rest };
    Some(FileFacts { exprs, lists, search, ..half })
}

/// Removes all packs of a folder.
pub(crate) fn forget(folder: &Path) {
    for name in names(folder) {
        let _ = fs::remove_file(folder.join(name));
    }
}

/// The packs of a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(pack::ENDING))
        .collect();
    names.sort();
    names
}

fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_temporary = entry.file_name().to_string_lossy().ends_with(pack::TEMPORARY);
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
        if is_temporary && age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{Limits, extract};

    fn facts(text: &str) -> (Key, FileFacts) {
        (Key::of("a.py", text.as_bytes()), extract("a.py", text.as_bytes(), &Limits::default()))
    }

    fn stored(folder: &Path, text: &str) -> Key {
        let mut store = Facts::open(folder);
        let (key, facts) = facts(text);
        store.put(key, &facts);
        store.publish();
        assert!(store.get(key).is_some(), "readable once published");
        key
    }

    #[test]
    fn facts_come_back_as_they_were_put() {
        let dir = tempfile::tempdir().unwrap();
        let key = stored(dir.path(), "def f(a): return a.b()\n");
        let back = Facts::open(dir.path()).get(key).unwrap();
        let (_, fresh) = facts("def f(a): return a.b()\n");
        assert_eq!(postcard::to_allocvec(&back).unwrap(), postcard::to_allocvec(&fresh).unwrap());
        assert!(Facts::open(dir.path()).get(Key(1)).is_none());
        let mut half = Facts::open(dir.path()).get_interface(key).unwrap();
        assert!(half.references.is_empty() && !fresh.references.is_empty());
        half.references.clone_from(&fresh.references);
        half.dynamic.clone_from(&fresh.dynamic);
        half.words = fresh.words.clone();
        half.terms = fresh.terms.clone();
        (half.lines, half.interface_hash, half.body_hash) = (fresh.lines, fresh.interface_hash, fresh.body_hash);
        assert_eq!(postcard::to_allocvec(&half).unwrap(), postcard::to_allocvec(&fresh).unwrap());
    }

    #[test]
    fn a_key_is_content_and_what_is_seen_of_the_path() {
        let key = |path| Key::of(path, b"x = 1\n");
        assert_eq!(key("a/m.py"), key("b/m.py"));
        assert_ne!(key("m.py"), key("m.java"));
        assert_ne!(key("a/notes.md"), key("changes/notes.md"), "a change log mentions nothing");
    }

    #[test]
    fn every_damage_is_a_miss() {
        let dir = tempfile::tempdir().unwrap();
        let key = stored(dir.path(), "def f(): pass\n");
        let path = dir.path().join(&names(dir.path())[0]);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            fs::write(&path, &bytes).unwrap();
            assert!(Facts::open(dir.path()).get(key).is_none(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(Facts::open(dir.path()).get(key).is_none(), "cut at {at}");
        }
        fs::write(&path, &whole).unwrap();
        let store = Facts::open(dir.path());
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let _ = store.get(key);
    }

    #[test]
    fn packs_are_merged_and_what_lives_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let keys: Vec<Key> = (0..=MAX_PACKS).map(|i| stored(dir.path(), &format!("x = f{i}()\n"))).collect();
        assert_eq!(names(dir.path()).len(), MAX_PACKS + 1);
        let late = Facts::open(dir.path());
        Facts::open(dir.path()).tidy(&keys.iter().copied().collect());
        assert_eq!(names(dir.path()).len(), 1);
        let merged = Facts::open(dir.path());
        for key in &keys {
            assert!(merged.get(*key).is_some());
            assert!(late.get(*key).is_some(), "who had the old packs open still reads them");
        }
    }

    #[test]
    fn what_is_not_of_the_graph_can_be_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, gone) = (stored(dir.path(), "x = 1\n"), stored(dir.path(), "y = 1\n"));
        Facts::open(dir.path()).keep_only(&FxHashSet::from_iter([kept]));
        let store = Facts::open(dir.path());
        assert!(store.get(kept).is_some() && store.get(gone).is_none());
        assert_eq!(names(dir.path()).len(), 1);
    }

    #[test]
    fn two_writers_do_not_disturb_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let (mut a, mut b) = (Facts::open(dir.path()), Facts::open(dir.path()));
        let (key, facts_of_key) = facts("x = f()\n");
        a.put(key, &facts_of_key);
        b.put(key, &facts_of_key);
        a.publish();
        b.publish();
        assert!(Facts::open(dir.path()).get(key).is_some());
    }

    #[test]
    fn a_folder_that_cannot_be_written_only_forgets() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Facts::open(&dir.path().join("none"));
        let (key, facts) = facts("x = 1\n");
        store.put(key, &facts);
        store.publish();
        assert!(store.get(key).is_none());
    }
}
