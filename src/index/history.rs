//! Past commits: which files changed together.
//!
//! Objects are read from the object database alone: the repository is never opened, so none of its configuration, hooks or
//! attributes is looked at, and nothing from it runs. What a clone lacks (shallow, partial, damaged) is passed over: less
//! history is no error. Bounded by numbers of commits, never by time, so that the same commit always tells the same.

use std::collections::BTreeSet;
use std::path::Path;

use git2::{Delta, Oid, Repository};
use rustc_hash::FxHashMap;

/// Newest commits that are looked at. RETRIEVAL.md used whole histories; the last thousands hold what still applies.
const MAX_COMMITS: usize = 2000;

/// A commit with more files than this is a renaming, a release or a reformatting: it says nothing of what belongs together
/// (RETRIEVAL.md, "hist").
const MAX_FILES: usize = 10;

/// Files of any kind that are counted before a commit is called a bulk one: the diff of an import of a whole tree is long.
const MAX_DELTAS: usize = 100;

/// How often files changed, alone and in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CoChanges {
    /// Commits by path.
    pub(crate) commits: FxHashMap<String, u32>,
    /// Commits by pair of paths, the smaller first.
    pub(crate) pairs: FxHashMap<(String, String), u32>,
}

/// What the commits before and at `head` (40 hexadecimal digits) changed together, of paths that `counts` is true for.
/// Merges and bulk commits are left out. Empty where there is no history to be read.
pub(crate) fn co_changes(common_dir: &Path, head: &str, counts: impl Fn(&str) -> bool) -> CoChanges {
    let mut found = CoChanges::default();
    // Whatever is missing ends the look at a commit, not the index run.
    if let Some(commits) = commits(common_dir, head) {
        for files in commits {
            let files: Vec<String> = files.into_iter().filter(|path| counts(path)).collect();
            if files.len() > MAX_FILES {
                continue;
            }
            for (index, file) in files.iter().enumerate() {
                *found.commits.entry(file.clone()).or_default() += 1;
                for other in &files[index + 1..] {
                    *found.pairs.entry((file.clone(), other.clone())).or_default() += 1;
                }
            }
        }
    }
    found
}

/// The changed paths of each commit, newest commit first, paths sorted.
fn commits(common_dir: &Path, head: &str) -> Option<Vec<BTreeSet<String>>> {
    let odb = git2::Odb::new().ok()?;
    odb.add_disk_alternate(common_dir.join("objects").to_str()?).ok()?;
    let repo = Repository::from_odb(odb).ok()?;
    let mut walk = repo.revwalk().ok()?;
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME).ok()?;
    walk.push(Oid::from_str(head).ok()?).ok()?;
    // At the border of a shallow clone the walk reports the parent that is not there, and ends.
    Some(walk.map_while(Result::ok).take(MAX_COMMITS).filter_map(|id| changed(&repo, id)).collect())
}

/// Paths that a commit changed; `None` for merges, bulk commits and the first commit of all.
fn changed(repo: &Repository, id: Oid) -> Option<BTreeSet<String>> {
    let commit = repo.find_commit(id).ok()?;
    if commit.parent_count() != 1 {
        return None;
    }
    let (old, new) = (commit.parent(0).ok()?.tree().ok()?, commit.tree().ok()?);
    let diff = repo.diff_tree_to_tree(Some(&old), Some(&new), None).ok()?;
    let deltas = diff.deltas();
    if deltas.len() > MAX_DELTAS {
        return None;
    }
    let kept = deltas.filter(|delta| matches!(delta.status(), Delta::Added | Delta::Modified));
    Some(kept.filter_map(|delta| Some(delta.new_file().path()?.to_str()?.to_owned())).collect())
}

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
            let mut tree = repo.treebuilder(old.as_ref().map(|old| old.tree().unwrap()).as_ref()).unwrap();
            for file in *files {
                let blob = repo.blob(format!("{file} {number}").as_bytes()).unwrap();
                tree.insert(file, blob, 0o100644).unwrap();
            }
            let tree = repo.find_tree(tree.write().unwrap()).unwrap();
            let parents: Vec<_> = old.iter().collect();
            parent = Some(repo.commit(Some("HEAD"), &who, &who, "m", &tree, &parents).unwrap());
        }
        parent.unwrap().to_string()
    }

    fn together(found: &CoChanges, a: &str, b: &str) -> u32 {
        found.pairs.get(&(a.to_owned(), b.to_owned())).copied().unwrap_or(0)
    }

    #[test]
    fn files_are_counted_alone_and_in_pairs() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let head =
            commit_all(&repo, &[&["a.py", "b.py", "c.md"], &["a.py", "b.py"], &["a.py", "b.py", "c.md"], &["a.py"]]);
        let found = co_changes(&folder.path().join(".git"), &head, |path| path.ends_with(".py"));
        // The first commit changes nothing: it is all there is.
        assert_eq!((found.commits["a.py"], found.commits["b.py"]), (3, 2));
        assert_eq!(together(&found, "a.py", "b.py"), 2);
        assert_eq!(found.pairs.len(), 1);
    }

    #[test]
    fn bulk_commits_say_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let many: Vec<String> = (0..MAX_FILES + 1).map(|n| format!("f{n}.py")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let head = commit_all(&repo, &[&["a.py"], &many, &["f0.py", "f1.py"]]);
        let found = co_changes(&folder.path().join(".git"), &head, |_| true);
        assert_eq!((found.commits.len(), together(&found, "f0.py", "f1.py")), (2, 1));
    }

    #[test]
    fn no_history_and_damage_are_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        let head = "5cb4f9a05cb4f9a05cb4f9a05cb4f9a05cb4f9a0";
        assert_eq!(co_changes(&git, head, |_| true), CoChanges::default());
        let repo = Repository::init(folder.path()).unwrap();
        assert_eq!(co_changes(&git, head, |_| true), CoChanges::default());
        assert_eq!(co_changes(&git, "not a hash", |_| true), CoChanges::default());
        let head = commit_all(&repo, &[&["a.py"], &["a.py", "b.py"], &["a.py", "b.py"]]);
        // An object in the middle is lost, as in a shallow or partial clone.
        let lost = repo.revparse_single("HEAD~1").unwrap().id().to_string();
        std::fs::remove_file(git.join("objects").join(&lost[..2]).join(&lost[2..])).unwrap();
        assert_eq!(co_changes(&git, &head, |_| true), CoChanges::default());
    }

    /// Whoever plants a configuration in a clone must not be read, let alone obeyed.
    #[test]
    fn the_configuration_of_the_repository_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let head = commit_all(&repo, &[&["a.py"], &["a.py", "b.py"]]);
        std::fs::write(folder.path().join(".git/config"), "[broken").unwrap();
        assert!(Repository::open(folder.path()).is_err());
        assert_eq!(co_changes(&folder.path().join(".git"), &head, |_| true).commits.len(), 2);
    }
}
