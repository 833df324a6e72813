//! CoChanges commits: which files changed together, and what was said of each change.
//!
//! Objects are read from the object database alone: the repository is never opened, so none of its configuration, hooks or
//! attributes is looked at, and nothing from it runs. What a clone lacks (shallow, partial, damaged) is passed over: less
//! history is no error. Bounded by numbers of commits and files, never by time, so that the same commit always tells the
//! same and a planted history cannot hold an index run.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::objects;
use git2::{Commit, Oid, Repository};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::lang::terms;
use crate::model::{FileId, FileRecord};

/// Newest commits that are counted. RETRIEVAL.md used whole histories; the last thousands hold what still applies.
const MAX_COMMITS: usize = 2000;

/// Commits that are looked at for them. Where machines raise the versions of dependencies most commits tell nothing:
/// of dropwizard's last 2,000, 150.
const MAX_WALKED: usize = 10_000;

/// A commit with more files than this is a renaming, a release or a reformatting: it says nothing of what belongs together
/// (RETRIEVAL.md, "hist").
const MAX_FILES: usize = 10;

/// Changed and removed files of any kind, and changed directories, after which a commit is called a bulk one without looking
/// on.
const MAX_CHANGES: usize = 200;

/// A message is read this far, in bytes: its first paragraphs say what the change is about.
const MAX_MESSAGE: usize = 4096;

/// How often files changed, alone and in pairs, and the words of what was said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoChanges {
    /// Commits by path.
    pub(crate) commits: FxHashMap<String, u32>,
    /// Commits by pair of paths, the smaller first.
    pub(crate) pairs: FxHashMap<(String, String), u32>,
    /// By path: terms ([`terms`]) of the messages, by hash, with the number of commits.
    pub(crate) words: BTreeMap<String, Vec<(u32, u8)>>,
}

/// Which files count.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// For changing together.
    pub(crate) counts: &'a dyn Fn(&str) -> bool,
    /// For what was said of them: those that can be found by it.
    pub(crate) found: &'a dyn Fn(&str) -> bool,
}

/// What the commits before and at `head` (40 hexadecimal digits) changed together, and what was said of it. Merges and bulk
/// commits are left out. Empty where there is no history to be read.
pub(crate) fn co_changes(common_dir: &Path, head: &str, wanted: Wanted<'_>) -> CoChanges {
    let mut found = CoChanges::default();
    // Whatever is missing ends the look at a commit, not the index run.
    let Some(repo) = objects_of(common_dir) else { return found };
    let mut words: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let (mut counted, mut read) = (0, 0);
    // What files were called later, by their older paths.
    let mut later: FxHashMap<String, String> = FxHashMap::default();
    for commit in Walk::from(&repo, head).take(MAX_WALKED) {
        if counted == MAX_COMMITS && read == MAX_COMMITS {
            break;
        }
        let Some(Changed { mut files, added, removed }) = changed(&repo, &commit) else { continue };
        let moved = moved(&added, &removed);
        for file in &mut files {
            if let Some(now) = later.get(file) {
                file.clone_from(now);
            }
        }
        for (old, new) in moved {
            let now = later.get(&new).cloned().unwrap_or(new);
            later.insert(old, now);
        }
        files.sort_unstable();
        files.dedup();
        let of_code: Vec<&String> = files.iter().filter(|path| (wanted.found)(path)).collect();
        if (1..=MAX_FILES).contains(&of_code.len()) && read < MAX_COMMITS {
            let said = words_of(&commit);
            for file in of_code {
                words.entry(file.clone()).or_default().extend_from_slice(&said);
            }
            read += 1;
        }
        files.retain(|path| (wanted.counts)(path));
        if !(1..=MAX_FILES).contains(&files.len()) || counted == MAX_COMMITS {
            continue;
        }
        for (index, file) in files.iter().enumerate() {
            *found.commits.entry(file.clone()).or_default() += 1;
            for other in &files[index + 1..] {
                *found.pairs.entry((file.clone(), other.clone())).or_default() += 1;
            }
        }
        counted += 1;
    }
    found.words = words.into_iter().map(|(path, said)| (path, counted_words(said))).collect();
    found
}

/// Files that changed together less often may have done so by chance.
pub(crate) const MIN_TOGETHER: u32 = 2;

/// Files that are told of one file.
const MAX_TOGETHER: usize = 16;

/// How much the changes of two files are tied: c / sqrt(n_a n_b) for c common commits and n of each (Salton's cosine, as
/// RETRIEVAL.md found best for neighborhoods too).
pub(crate) fn tie(changes: &CoChanges, (a, b): (&str, &str), together: u32) -> f64 {
    let commits = |path: &str| f64::from(changes.commits.get(path).copied().unwrap_or(1));
    f64::from(together) / (commits(a) * commits(b)).sqrt()
}

/// What each file changed with, as [`crate::model::Graph::together`] holds it.
pub(crate) fn together(files: &[FileRecord], changes: &CoChanges) -> Vec<(FileId, FileId)> {
    let ids: FxHashMap<&str, u32> = (0..)
        .zip(files)
        .filter(|(_, file)| !file.test && file.has_facts())
        .map(|(id, file)| (file.path.as_str(), id))
        .collect();
    let mut ties = Vec::new();
    for ((a, b), commits) in changes.pairs.iter().filter(|(_, commits)| **commits >= MIN_TOGETHER) {
        if let (Some(&first), Some(&second)) = (ids.get(a.as_str()), ids.get(b.as_str())) {
            let tie = tie(changes, (a, b), *commits);
            ties.extend([(first, tie, second), (second, tie, first)]);
        }
    }
    ties.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    let of_each = ties.chunk_by(|a, b| a.0 == b.0).flat_map(|of_file| of_file.iter().take(MAX_TOGETHER));
    of_each.map(|(file, _, other)| (FileId(*file), FileId(*other))).collect()
}

/// Each word once, with how often it was there.
fn counted_words(mut words: Vec<u32>) -> Vec<(u32, u8)> {
    words.sort_unstable();
    words.chunk_by(|a, b| a == b).map(|same| (same[0], u8::try_from(same.len()).unwrap_or(u8::MAX))).collect()
}

/// The terms of a commit's message, each once, without the lines that name people and places.
fn words_of(commit: &Commit<'_>) -> Vec<u32> {
    let message = commit.message_bytes();
    let message = String::from_utf8_lossy(&message[..message.len().min(MAX_MESSAGE)]);
    let mut words = Vec::new();
    for line in message.lines().filter(|line| !is_trailer(line)) {
        terms::of_text(line, |term| words.push(term));
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// `Signed-off-by: ...` and its like.
fn is_trailer(line: &str) -> bool {
    let key = line.split_once(": ").map_or("", |(key, _)| key);
    key.to_ascii_lowercase().ends_with("-by") && !key.contains(' ') || key == "Change-Id"
}

/// A repository that is nothing but objects, those of alternates among them.
fn objects_of(common_dir: &Path) -> Option<Repository> {
    objects::open(common_dir).ok()
}

/// A commit and its ancestors, newest first by commit time and then by hash. git's own walk reads the whole history before it
/// tells the order, and gives up where a shallow clone ends.
struct Walk<'r> {
    repo: &'r Repository,
    /// Known and not yet told.
    waiting: BTreeMap<(i64, Oid), Commit<'r>>,
    met: HashSet<Oid>,
}

impl<'r> Walk<'r> {
    fn from(repo: &'r Repository, head: &str) -> Walk<'r> {
        let mut walk = Walk { repo, waiting: BTreeMap::new(), met: HashSet::new() };
        if let Ok(head) = Oid::from_str(head) {
            walk.meet(head);
        }
        walk
    }

    fn meet(&mut self, id: Oid) {
        if self.met.insert(id)
            && let Ok(commit) = self.repo.find_commit(id)
        {
            self.waiting.insert((commit.time().seconds(), id), commit);
        }
    }
}

impl<'r> Iterator for Walk<'r> {
    type Item = Commit<'r>;

    fn next(&mut self) -> Option<Commit<'r>> {
        let (_, commit) = self.waiting.pop_last()?;
        for parent in commit.parent_ids() {
            self.meet(parent);
        }
        Some(commit)
    }
}

/// Old and new path of what a commit moved: a file that is gone, and one of its name that is new, where no others have that
/// name. Contents are not compared: they would have to be read, and a moved file is mostly changed too.
fn moved(added: &[String], removed: &[String]) -> Vec<(String, String)> {
    fn only<'f>(files: &'f [String], name: &str) -> Option<&'f String> {
        let mut named = files.iter().filter(|path| path.rsplit('/').next() == Some(name));
        named.next().filter(|_| named.next().is_none())
    }
    let name = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
    let pair = |old: &String| Some((only(removed, &name(old))?.clone(), only(added, &name(old))?.clone()));
    removed.iter().filter_map(pair).collect()
}

/// Regular files.
struct Changed {
    /// Those that the commit added or changed, sorted.
    files: Vec<String>,
    added: Vec<String>,
    removed: Vec<String>,
}

/// `None` for merges, bulk commits, and where there is nothing to compare with.
fn changed(repo: &Repository, commit: &Commit<'_>) -> Option<Changed> {
    if commit.parent_count() != 1 {
        return None;
    }
    let (mut files, mut added, mut removed) = (Vec::new(), Vec::new(), Vec::new());
    let mut folders = vec![(String::new(), Some(commit.parent(0).ok()?.tree().ok()?), Some(commit.tree().ok()?))];
    let mut looked_at = 0;
    while let Some((folder, old, new)) = folders.pop() {
        looked_at += 1;
        let path_of = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        for entry in old.iter().flatten() {
            let gone = new.as_ref().is_none_or(|new| new.get_name_bytes(entry.name_bytes()).is_none());
            let Some(name) = entry.name().ok().filter(|_| gone) else { continue };
            match entry.filemode() {
                FOLDER => folders.extend(repo.find_tree(entry.id()).ok().map(|old| (path_of(name), Some(old), None))),
                FILE | EXECUTABLE => removed.push(path_of(name)),
                _ => {}
            }
            if removed.len() + folders.len() + looked_at > MAX_CHANGES {
                return None;
            }
        }
        let Some(new) = new else { continue };
        for entry in &new {
            let before = old.as_ref().and_then(|old| old.get_name_bytes(entry.name_bytes()));
            if before.as_ref().is_some_and(|before| before.id() == entry.id()) {
                continue;
            }
            let Ok(name) = entry.name() else { continue };
            let path = path_of(name);
            match entry.filemode() {
                FOLDER => {
                    let old = before.filter(|before| before.filemode() == FOLDER);
                    // One that was there and cannot be read tells nothing; one that was not there has only new files.
                    let old = old.map(|old| repo.find_tree(old.id())).transpose().ok()?;
                    folders.push((path, old, Some(repo.find_tree(entry.id()).ok()?)));
                }
                FILE | EXECUTABLE => {
                    if before.is_none() {
                        added.push(path.clone());
                    }
                    files.push(path);
                }
                // Links and submodules.
                _ => {}
            }
            if files.len() + removed.len() + folders.len() + looked_at > MAX_CHANGES {
                return None;
            }
        }
    }
    files.sort_unstable();
    Some(Changed { files, added, removed })
}

// File modes of tree entries, as git normalises them.
const FOLDER: i32 = 0o040000;
const FILE: i32 = 0o100644;
const EXECUTABLE: i32 = 0o100755;

#[cfg(test)]
mod tests {
    use super::*;
    use git2::{Signature, Time};

    /// Commits one set of files after the other, each with new content; returns the hash of the last.
    fn commit_all(repo: &Repository, commits: &[&[&str]]) -> String {
        let who = Signature::new("n", "n@localhost", &Time::new(1_700_000_000, 0)).unwrap();
        let mut parent: Option<Oid> = repo.head().ok().and_then(|head| head.target());
        for (number, files) in commits.iter().enumerate() {
            let old = parent.map(|parent| repo.find_commit(parent).unwrap());
            let mut update = git2::build::TreeUpdateBuilder::new();
            for file in *files {
                let blob = repo.blob(format!("{file} {number}").as_bytes()).unwrap();
                update.upsert(*file, blob, git2::FileMode::Blob);
            }
            let empty = repo.find_tree(repo.treebuilder(None).unwrap().write().unwrap()).unwrap();
            let before = old.as_ref().map_or(empty, |old| old.tree().unwrap());
            let tree = repo.find_tree(update.create_updated(repo, &before).unwrap()).unwrap();
            let parents: Vec<_> = old.iter().collect();
            parent = Some(repo.commit(Some("HEAD"), &who, &who, "m", &tree, &parents).unwrap());
        }
        parent.unwrap().to_string()
    }

    fn together(found: &CoChanges, a: &str, b: &str) -> u32 {
        found.pairs.get(&(a.to_owned(), b.to_owned())).copied().unwrap_or(0)
    }

    fn read(common_dir: &Path, head: &str, counts: &dyn Fn(&str) -> bool) -> CoChanges {
        co_changes(common_dir, head, Wanted { counts, found: counts })
    }

    #[test]
    fn files_are_counted_alone_and_in_pairs() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let head =
            commit_all(&repo, &[&["a.py", "b.py", "c.md"], &["a.py", "b.py"], &["a.py", "b.py", "c.md"], &["a.py"]]);
        let found = read(&folder.path().join(".git"), &head, &|path| path.ends_with(".py"));
        // The first commit changes nothing: it is all there is.
        assert_eq!((found.commits["a.py"], found.commits["b.py"]), (3, 2));
        assert_eq!(together(&found, "a.py", "b.py"), 2);
        assert_eq!(found.pairs.len(), 1);
    }

    #[test]
    fn the_most_tied_files_come_first_and_chance_is_left_out() {
        let graph = crate::index::graph_of_sources(&[
            ("a.py", "def f(): pass"),
            ("b.py", "def f(): pass"),
            ("c.py", "def f(): pass"),
            ("d.py", "def f(): pass"),
            ("tests/test_a.py", "def f(): pass"),
        ]);
        let mut changes = CoChanges::default();
        for (path, commits) in [("a.py", 4), ("b.py", 100), ("c.py", 4), ("d.py", 1), ("tests/test_a.py", 4)] {
            changes.commits.insert(path.into(), commits);
        }
        for (other, commits) in [("b.py", 3), ("c.py", 2), ("d.py", 1), ("tests/test_a.py", 4)] {
            changes.pairs.insert(("a.py".into(), other.into()), commits);
        }
        let ids: Vec<(u32, u32)> = super::together(&graph.unwrap().files, &changes)
            .into_iter()
            .map(|(file, other)| (file.0, other.0))
            .collect();
        assert_eq!(ids, [(0, 2), (0, 1), (1, 0), (2, 0)]);
    }

    #[test]
    fn bulk_commits_say_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let notes: Vec<String> = (0..MAX_CHANGES).map(|n| format!("{n}/notes.md")).collect();
        let imported: Vec<&str> = ["f0.py", "f1.py"].into_iter().chain(notes.iter().map(String::as_str)).collect();
        let many: Vec<String> = (0..MAX_FILES + 1).map(|n| format!("f{n}.py")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let head = commit_all(&repo, &[&["a.py"], &many, &["f0.py", "f1.py"], &imported]);
        let found = read(&folder.path().join(".git"), &head, &|path| path.ends_with(".py"));
        assert_eq!((found.commits.len(), together(&found, "f0.py", "f1.py")), (2, 1));
    }

    #[test]
    fn a_file_keeps_its_past_when_it_is_moved() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let who = Signature::new("n", "n@localhost", &Time::new(1_700_000_000, 0)).unwrap();
        let mut parent: Option<Oid> = None;
        let steps: [(&str, &[&str]); 5] = [
            ("begin", &["x.md"]),
            ("zebras", &["old/a.py", "old/b.py"]),
            ("move", &["new/deep/a.py", "old/b.py"]),
            ("again", &["last/a.py", "old/b.py"]),
            ("lions", &["last/a.py", "old/b.py"]),
        ];
        for (number, (message, files)) in steps.into_iter().enumerate() {
            let mut update = git2::build::TreeUpdateBuilder::new();
            for file in files {
                update.upsert(*file, repo.blob(format!("{file}{number}").as_bytes()).unwrap(), git2::FileMode::Blob);
            }
            let empty = repo.find_tree(repo.treebuilder(None).unwrap().write().unwrap()).unwrap();
            let tree = repo.find_tree(update.create_updated(&repo, &empty).unwrap()).unwrap();
            let old: Vec<Commit<'_>> = parent.iter().map(|id| repo.find_commit(*id).unwrap()).collect();
            let old: Vec<&Commit<'_>> = old.iter().collect();
            parent = Some(repo.commit(Some("HEAD"), &who, &who, message, &tree, &old).unwrap());
        }
        let found = read(&folder.path().join(".git"), &parent.unwrap().to_string(), &|path| path.ends_with(".py"));
        assert_eq!((found.commits["last/a.py"], together(&found, "last/a.py", "old/b.py")), (4, 4));
        let said = |path: &str, word: &str| {
            let hash = crate::model::word_hash(word.as_bytes());
            found.words[path].iter().find(|(term, _)| *term == hash).map(|(_, commits)| *commits)
        };
        assert_eq!((said("last/a.py", "zebra"), said("last/a.py", "lion")), (Some(1), Some(1)));
        assert_eq!((said("last/a.py", "begin"), said("old/b.py", "move")), (None, Some(1)));
        assert!(!found.words.contains_key("old/a.py"));
    }

    #[test]
    fn no_history_and_damage_are_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        let head = "5cb4f9a05cb4f9a05cb4f9a05cb4f9a05cb4f9a0";
        assert_eq!(read(&git, head, &|_| true), CoChanges::default());
        Repository::init(folder.path()).unwrap();
        assert_eq!(read(&git, head, &|_| true), CoChanges::default());
        assert_eq!(read(&git, "not a hash", &|_| true), CoChanges::default());
    }

    /// A shallow clone ends at a commit whose parent is not there; a partial one may lack folders.
    #[test]
    fn what_is_there_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        let repo = Repository::init(folder.path()).unwrap();
        let both: &[&str] = &["src/a.py", "src/b.py"];
        let head = commit_all(&repo, &[both; 5]);
        let ab = |git: &Path| together(&read(git, &head, &|_| true), "src/a.py", "src/b.py");
        assert_eq!(ab(&git), 4);
        let lose = |id: Oid| {
            let hash = id.to_string();
            std::fs::remove_file(git.join("objects").join(&hash[..2]).join(&hash[2..])).unwrap();
        };
        lose(repo.revparse_single("HEAD~3").unwrap().id());
        assert_eq!(ab(&git), 2);
        lose(repo.revparse_single("HEAD~1:src").unwrap().id());
        assert_eq!(ab(&git), 0);
    }

    #[test]
    fn packs_alternates_and_work_trees_have_a_history() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path().join("one")).unwrap();
        let head = commit_all(&repo, &[["a.py", "b.py"].as_slice(); 3]);
        let expected = read(repo.commondir(), &head, &|_| true);
        assert_eq!(together(&expected, "a.py", "b.py"), 2);

        let tree = repo.worktree("w", &folder.path().join("w"), None).unwrap();
        let tree = Repository::open_from_worktree(&tree).unwrap();
        assert_eq!(read(tree.commondir(), &head, &|_| true), expected);

        let borrower = Repository::init(folder.path().join("two")).unwrap();
        let objects = borrower.path().join("objects");
        std::fs::write(objects.join("info/alternates"), repo.path().join("objects").to_str().unwrap()).unwrap();
        assert_eq!(read(borrower.path(), &head, &|_| true), expected);

        let packed = Repository::init(folder.path().join("three")).unwrap();
        let mut pack = repo.packbuilder().unwrap();
        let mut walk = repo.revwalk().unwrap();
        walk.push_head().unwrap();
        pack.insert_walk(&mut walk).unwrap();
        pack.write(&packed.path().join("objects/pack"), 0).unwrap();
        assert_eq!(read(packed.path(), &head, &|_| true), expected);
    }

    #[test]
    fn the_newest_commits_come_first_whichever_way_they_are_reached() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let commit = |second: i64, parents: &[Oid]| {
            let who = Signature::new("n", "n@localhost", &Time::new(second, 0)).unwrap();
            let tree = repo.find_tree(repo.treebuilder(None).unwrap().write().unwrap()).unwrap();
            let parents: Vec<Commit<'_>> = parents.iter().map(|id| repo.find_commit(*id).unwrap()).collect();
            repo.commit(None, &who, &who, "m", &tree, &parents.iter().collect::<Vec<_>>()).unwrap()
        };
        let root = commit(1, &[]);
        let (left, right) = (commit(2, &[root]), commit(3, &[root]));
        let merge = commit(4, &[left, right]);
        let found: Vec<i64> = Walk::from(&repo, &merge.to_string()).map(|commit| commit.time().seconds()).collect();
        assert_eq!(found, [4, 3, 2, 1]);
    }

    /// Whoever plants a configuration in a clone must not be read, let alone obeyed.
    #[test]
    fn the_configuration_of_the_repository_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let head = commit_all(&repo, &[&["a.py"], &["a.py", "b.py"]]);
        std::fs::write(folder.path().join(".git/config"), "[broken").unwrap();
        assert!(Repository::open(folder.path()).is_err());
        assert_eq!(read(&folder.path().join(".git"), &head, &|_| true).commits.len(), 2);
    }
}
