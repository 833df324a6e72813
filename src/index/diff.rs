//! What differs between two states of a repository: two commits, or a commit and the work tree. Both texts of each file.
//!
//! Commits are read from the object database alone, like the history of neighborhoods: the repository is never opened, so
//! none of its configuration, filters or attributes is looked at and nothing from it runs. A work tree file whose line ends
//! were made CRLF on checkout is therefore compared with its line ends put back.

use super::objects::{self, Differing};
use super::scan::denied::Denied;
use super::scan::{self, Outcome};
use crate::lang;
use crate::model::FileVersions;
use crate::repo::{self, Head, Repo};
use anyhow::{Context, Result, bail};
use git2::{ObjectType, Oid, Repository};
use std::collections::BTreeMap;

/// Blobs larger than this are passed over, as the index does.
const MAX_BLOB: usize = 16 << 20;

/// `HEAD~1000000` is a slip of the hand.
const MAX_STEPS: u32 = 10_000;

/// Hexadecimal digits of an object's name.
const SHA1: usize = 40;

/// What to do where an object is not there: clones may come without old ones.
const FETCH: &str = "it is not in this clone; `git fetch --unshallow`, `git fetch --refetch` (partial clones) or `git fsck` (damage) help";

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// 40 hexadecimal digits.
    Commit(String),
    WorkTree,
}

/// The objects of a repository.
pub struct Objects {
    repo: Repository,
}

impl Objects {
    /// # Errors
    /// No git, or an object database that libgit2 does not read (SHA-256).
    pub fn open(of: &Repo) -> Result<Objects> {
        let Some(common_dir) = &of.common_dir else { bail!("{} is not in a git repository", of.root.display()) };
        if matches!(repo::head(of), Head::Commit(id) if id.len() != SHA1) {
            bail!(
                "this repository's objects are named by SHA-256, which is not read: its commits cannot be compared (the graph itself needs none of them)"
            );
        }
        Ok(Objects { repo: objects::open(common_dir)? })
    }

    /// The commit that a name stands for: `HEAD`, a branch, a tag, a remote's branch, a hash or its beginning, each with any
    /// number of `~N` and `^` behind it.
    ///
    /// # Errors
    /// Nothing of that name, or a beginning of several hashes.
    pub fn commit(&self, of: &Repo, name: &str) -> Result<String> {
        let base = name.find(['~', '^']).map_or(name, |at| &name[..at]);
        let mut id = self.named(of, base).with_context(|| format!("there is no commit {base}"))?;
        let mut rest = &name[base.len()..];
        while !rest.is_empty() {
            let digits = rest[1..].chars().take_while(char::is_ascii_digit).count();
            let number: u32 = if digits == 0 { 1 } else { rest[1..1 + digits].parse().unwrap_or(u32::MAX) };
            // `^2` is the second parent of a merge, which nobody asks a review of.
            if number > MAX_STEPS || rest.starts_with('^') && number != 1 {
                bail!("{name} is more than is understood here: NAME, NAME~N and NAME^ are");
            }
            for _ in 0..number {
                let commit = self.repo.find_commit(id)?;
                id = commit.parent_id(0).with_context(|| format!("{name} goes beyond the first commit"))?;
            }
            rest = &rest[1 + digits..];
        }
        Ok(id.to_string())
    }

    fn named(&self, of: &Repo, name: &str) -> Result<Oid> {
        let id = if name == "HEAD" {
            match repo::head(of) {
                Head::Commit(id) => Oid::from_str(&id)?,
                Head::Unknown => {
                    bail!("HEAD cannot be read (kept in a reftable, or damaged): give the hash of a commit")
                }
                _ => bail!("HEAD is no commit yet"),
            }
        } else if let Some(id) = repo::reference(of, name) {
            Oid::from_str(&id)?
        } else if name.len() >= 4 && name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            self.repo.odb()?.exists_prefix(Oid::from_str(name)?, name.len())?
        } else {
            bail!("no reference is called that");
        };
        Ok(self.repo.find_object(id, None)?.peel(ObjectType::Commit)?.id())
    }

    /// Where two lines of commits parted; `None` if they have nothing in common that is here.
    pub fn merge_base(&self, a: &str, b: &str) -> Option<String> {
        let (a, b) = (Oid::from_str(a).ok()?, Oid::from_str(b).ok()?);
        self.repo.merge_base(a, b).ok().map(|id| id.to_string())
    }

    /// Commits that `to` has and `from` has not, and the other way; `None` if one of them is not there.
    pub fn distance(&self, from: &str, to: &str) -> Option<(usize, usize)> {
        let (from, to) = (Oid::from_str(from).ok()?, Oid::from_str(to).ok()?);
        self.repo.graph_ahead_behind(to, from).ok()
    }

    /// The files of languages with a front end that differ, by path.
    ///
    /// # Errors
    /// A commit or tree that is not there.
    pub fn changes(&self, of: &Repo, from: &str, to: &State) -> Result<Vec<FileVersions>> {
        match to {
            State::Commit(to) => self.between(of, from, to).with_context(|| format!("comparing {from} with {to}")),
            State::WorkTree => {
                self.to_work_tree(of, from).with_context(|| format!("comparing the work tree with {from}"))
            }
        }
    }

    /// The text of a file in a state.
    pub fn read(&self, of: &Repo, state: &State, path: &str) -> Option<Vec<u8>> {
        match state {
            State::WorkTree => repo::read_file(&of.root.join(path), MAX_BLOB),
            State::Commit(id) => {
                let commit = self.repo.find_commit(Oid::from_str(id).ok()?).ok()?;
                let entry = commit.tree().ok()?.get_path(std::path::Path::new(path)).ok()?;
                self.blob(entry.id())
            }
        }
    }

    fn between(&self, of: &Repo, from: &str, to: &str) -> Result<Vec<FileVersions>> {
        let blob = |id: Option<Oid>| id.and_then(|id| self.blob(id));
        let versions = |file: Differing| FileVersions { old: blob(file.old), new: blob(file.new), path: file.path };
        let differing = objects::differing(&self.repo, Some(self.tree(from)?), Some(self.tree(to)?));
        let differing = differing.with_context(|| format!("reading a folder: {FETCH}"))?;
        let mut denied = Denied::of(&of.root);
        let shown = differing.into_iter().filter(|file| {
            denied.enter_towards(&file.path);
            is_code(&file.path) && !denied.hides_file(&file.path)
        });
        Ok(shown.map(versions).collect())
    }

    fn to_work_tree(&self, of: &Repo, from: &str) -> Result<Vec<FileVersions>> {
        let mut committed = self.files(from)?;
        let mut changes = Vec::new();
        let scan = scan::scan(&of.root, of.git_dir.as_deref())?;
        for candidate in scan.candidates {
            let old = committed.remove(&candidate.path);
            if candidate.outcome != Outcome::Read || !is_code(&candidate.path) {
                continue;
            }
            let Ok(source) = scan::read(&candidate) else { continue };
            let new = source.bytes;
            let same = |bytes: &[u8]| Oid::hash_object(ObjectType::Blob, bytes).is_ok_and(|id| Some(id) == old);
            if same(&new) || new.contains(&b'\r') && same(&without_returns(&new)) {
                continue;
            }
            let old = old.and_then(|id| self.blob(id));
            changes.push(FileVersions { path: candidate.path, old, new: Some(new) });
        }
        // What is still there, but not among the candidates, is left out by the index's rules (vendored, generated, ...).
        committed.retain(|path, _| {
            is_code(path) && of.root.join(path).symlink_metadata().is_err() && !scan.denied.hides_file(path)
        });
        let gone = committed.into_iter().map(|(path, id)| FileVersions { path, old: self.blob(id), new: None });
        changes.extend(gone);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    fn tree(&self, commit: &str) -> Result<Oid> {
        let found = self.repo.find_commit(Oid::from_str(commit)?);
        Ok(found.with_context(|| format!("reading commit {commit}: {FETCH}"))?.tree_id())
    }

    /// All files of a commit.
    fn files(&self, commit: &str) -> Result<BTreeMap<String, Oid>> {
        let files = objects::differing(&self.repo, None, Some(self.tree(commit)?));
        let files = files.with_context(|| format!("reading a folder: {FETCH}"))?;
        Ok(files.into_iter().filter_map(|file| Some((file.path, file.new?))).collect())
    }

    fn blob(&self, id: Oid) -> Option<Vec<u8>> {
        // Its head tells the size before the rest is unpacked.
        let (size, _) = self.repo.odb().ok()?.read_header(id).ok()?;
        (size <= MAX_BLOB).then(|| self.repo.find_blob(id).ok().map(|blob| blob.content().to_vec())).flatten()
    }
}

fn is_code(path: &str) -> bool {
    lang::front_end(path).is_some()
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    for (index, &byte) in bytes.iter().enumerate() {
        if byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            kept.push(byte);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use git2::{Signature, Time};
    use std::fs;
    use std::path::Path;

    fn commit_all(repo: &Repository) -> String {
        let mut index = repo.index().unwrap();
        index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
        index.update_all(["*"], None).unwrap();
        index.write().unwrap();
        let tree = repo.find_tree(index.write_tree().unwrap()).unwrap();
        let who = Signature::new("n", "n@localhost", &Time::new(1_700_000_000, 0)).unwrap();
        let parent = repo.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        repo.commit(Some("HEAD"), &who, &who, "m", &tree, &parents).unwrap().to_string()
    }

    fn shown(changes: &[FileVersions]) -> Vec<String> {
        let side = |text: &Option<Vec<u8>>| {
            text.as_ref().map_or("-".into(), |text| String::from_utf8_lossy(text).into_owned())
        };
        changes.iter().map(|c| format!("{} {:?} {:?}", c.path, side(&c.old), side(&c.new))).collect()
    }

    struct Sandbox {
        _folder: tempfile::TempDir,
        git: Repository,
        repo: Repo,
    }

    fn sandbox() -> Sandbox {
        let folder = tempfile::tempdir().unwrap();
        let git = Repository::init(folder.path()).unwrap();
        let repo = repo::locate(folder.path()).unwrap();
        Sandbox { _folder: folder, git, repo }
    }

    impl Sandbox {
        fn write(&self, path: &str, text: &str) {
            fs::write(self.repo.root.join(path), text).unwrap();
        }
    }

    #[test]
    fn commits_and_the_work_tree_are_compared_file_by_file() {
        let s = sandbox();
        s.write("a.py", "1\n");
        s.write("b.py", "1\n");
        s.write("c.md", "1\n");
        let first = commit_all(&s.git);
        s.write("a.py", "2\n");
        s.write("c.md", "2\n");
        let second = commit_all(&s.git);
        let objects = Objects::open(&s.repo).unwrap();
        assert_eq!(
            shown(&objects.changes(&s.repo, &first, &State::Commit(second.clone())).unwrap()),
            ["a.py \"1\\n\" \"2\\n\""]
        );
        assert!(objects.changes(&s.repo, &second, &State::WorkTree).unwrap().is_empty());
        s.write("new.py", "n\n");
        s.write("a.py", "2\r\n");
        fs::remove_file(s.repo.root.join("b.py")).unwrap();
        let changes = objects.changes(&s.repo, &second, &State::WorkTree).unwrap();
        assert_eq!(shown(&changes), ["b.py \"1\\n\" \"-\"", "new.py \"-\" \"n\\n\""], "line ends alone are no change");
        assert_eq!(objects.read(&s.repo, &State::Commit(first), "a.py").unwrap(), b"1\n");
        assert_eq!(objects.read(&s.repo, &State::WorkTree, "../outside.py"), None);
    }

    #[test]
    fn commits_have_many_names() {
        let s = sandbox();
        s.write("a.py", "1\n");
        let first = commit_all(&s.git);
        s.write("a.py", "2\n");
        let second = commit_all(&s.git);
        s.git
            .tag(
                "v1",
                &s.git.find_object(Oid::from_str(&first).unwrap(), None).unwrap(),
                &s.git.signature().unwrap_or(Signature::new("n", "n@localhost", &Time::new(1_700_000_000, 0)).unwrap()),
                "m",
                false,
            )
            .unwrap();
        let objects = Objects::open(&s.repo).unwrap();
        for (name, id) in
            [("HEAD", &second), ("HEAD~1", &first), ("HEAD^", &first), ("v1", &first), (&second[..8], &second)]
        {
            assert_eq!(&objects.commit(&s.repo, name).unwrap(), id, "{name}");
        }
        for name in ["HEAD~7", "nothing", "", "~", "HEAD^2", "../../etc/passwd", "HEAD~99999999999", "abcd"] {
            assert!(objects.commit(&s.repo, name).is_err(), "{name}");
        }
        assert_eq!(objects.merge_base(&first, &second), Some(first.clone()));
        assert_eq!(objects.distance(&first, &second), Some((1, 0)));
        assert_eq!(objects.distance(&"1".repeat(40), &second), None);
    }

    #[test]
    fn what_cannot_be_read_is_said_with_what_to_do() {
        let s = sandbox();
        s.write("a.py", "1\n");
        let first = commit_all(&s.git);
        fs::remove_file(s.repo.root.join(format!(".git/objects/{}/{}", &first[..2], &first[2..]))).unwrap();
        let objects = Objects::open(&s.repo).unwrap();
        let error = objects.changes(&s.repo, &first, &State::WorkTree).unwrap_err();
        assert!(format!("{error:#}").contains("git fetch --unshallow"), "{error:#}");
        fs::write(s.repo.root.join(".git/HEAD"), "0".repeat(64)).unwrap();
        let error = Objects::open(&s.repo).err().unwrap();
        assert!(format!("{error:#}").contains("SHA-256"), "{error:#}");
    }

    /// A filter or an alias in the repository's configuration would be a program to run.
    #[test]
    fn configuration_of_the_repository_is_not_read() {
        let s = sandbox();
        s.write("a.py", "1\n");
        let first = commit_all(&s.git);
        fs::write(s.repo.root.join(".git/config"), "not a configuration [").unwrap();
        assert!(Path::new(&s.repo.root).join(".git/config").exists());
        s.write("a.py", "2\n");
        let objects = Objects::open(&s.repo).unwrap();
        assert_eq!(shown(&objects.changes(&s.repo, &first, &State::WorkTree).unwrap()), ["a.py \"1\\n\" \"2\\n\""]);
    }
}
