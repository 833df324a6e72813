//! The object database of a repository, opened by itself: none of the repository's configuration, filters or attributes is
//! looked at, and nothing from it runs.
//!
//! libgit2 opens whatever lies there under the right name, and a FIFO would hold it for ever; so what is no file or folder
//! is looked for first.

use anyhow::{Context, Result, bail};
use git2::{ObjectType, Odb, Oid, Repository};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Databases that borrow from one another; git follows five.
const MAX_ALTERNATES: usize = 5;

/// A list of alternates larger than this is none.
const MAX_LIST: usize = 64 << 10;

/// Entries of trees that one comparison looks at: trees of a few kilobytes can stand for billions of files.
const MAX_ENTRIES: usize = 4_000_000;

/// Longest path that is followed, in bytes.
const MAX_PATH: usize = 4096;

/// # Errors
/// An object database that libgit2 does not read (SHA-256), or that holds something else than files.
pub(super) fn open(common_dir: &Path) -> Result<Repository> {
    let objects = common_dir.join("objects");
    let mut open = vec![objects.clone()];
    for _ in 0..MAX_ALTERNATES {
        let Some(next) = open.pop() else { break };
        only_files(&next)?;
        open.extend(alternates(&next));
    }
    let path = objects.to_str().with_context(|| format!("{} is not UTF-8", objects.display()))?;
    let odb = Odb::new().context("preparing to read git's objects")?;
    odb.add_disk_alternate(path).with_context(|| format!("reading {path}"))?;
    Ok(Repository::from_odb(odb)?)
}

fn only_files(objects: &Path) -> Result<()> {
    let mut folders = vec![objects.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            // A link is judged by what it leads to.
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => fs::metadata(entry.path()).map(|meta| meta.file_type()),
                kind => kind,
            };
            match kind {
                Ok(kind) if kind.is_dir() && folder == objects => folders.push(entry.path()),
                Ok(kind) if kind.is_dir() || kind.is_file() => {}
                Ok(_) => bail!("{} is no file", entry.path().display()),
                Err(_) => {}
            }
        }
    }
    Ok(())
}

fn alternates(objects: &Path) -> Vec<PathBuf> {
    let list = crate::repo::read_file(&objects.join("info/alternates"), MAX_LIST).unwrap_or_default();
    let list = String::from_utf8_lossy(&list).into_owned();
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| objects.join(line)).collect()
}

/// A file on either side of a comparison.
pub(super) struct Differing {
    pub(super) path: String,
    pub(super) old: Option<Oid>,
    pub(super) new: Option<Oid>,
}

/// The files that differ between two trees, by path. Without recursion, and past folders that are the same.
///
/// # Errors
/// A tree that is not there, or more of them than a repository has.
pub(super) fn differing(repo: &Repository, old: Option<Oid>, new: Option<Oid>) -> Result<Vec<Differing>> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), old, new)];
    let mut left = MAX_ENTRIES;
    while let Some((folder, old, new)) = open.pop() {
        let mut pairs: BTreeMap<String, [Option<(Oid, bool)>; 2]> = BTreeMap::new();
        for (side, tree) in [old, new].into_iter().enumerate() {
            let Some(tree) = tree else { continue };
            let tree = repo.find_tree(tree)?;
            left = left.checked_sub(tree.len()).context("more files than are compared")?;
            for entry in &tree {
                let is_tree = match (entry.kind(), entry.filemode()) {
                    (Some(ObjectType::Tree), _) => true,
                    (Some(ObjectType::Blob), mode) if mode != i32::from(git2::FileMode::Link) => false,
                    _ => continue,
                };
                let Ok(name) = entry.name() else { continue };
                if folder.len() + name.len() < MAX_PATH {
                    pairs.entry(format!("{folder}{name}")).or_default()[side] = Some((entry.id(), is_tree));
                }
            }
        }
        for (path, [old, new]) in pairs {
            if old == new {
                continue;
            }
            let of =
                |side: Option<(Oid, bool)>, tree: bool| side.filter(|(_, is_tree)| *is_tree == tree).map(|(id, _)| id);
            let (old_tree, new_tree) = (of(old, true), of(new, true));
            let (old, new) = (of(old, false), of(new, false));
            if old_tree.or(new_tree).is_some() {
                open.push((format!("{path}/"), old_tree, new_tree));
            }
            if old.or(new).is_some() {
                found.push(Differing { path, old, new });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        Repository::init(folder.path()).unwrap();
        let git = folder.path().join(".git");
        assert!(open(&git).is_ok());
        for place in ["info/alternates", "pack/pack-x.idx", "ab"] {
            let at = git.join("objects").join(place);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            rustix::fs::mknodat(rustix::fs::CWD, &at, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
            let refused = open(&git).err().unwrap().to_string();
            assert!(refused.ends_with(&format!("{place} is no file")), "{refused}");
            fs::remove_file(at).unwrap();
        }
        let borrowed = tempfile::tempdir().unwrap();
        fs::create_dir(borrowed.path().join("pack")).unwrap();
        let fifo = borrowed.path().join("pack/multi-pack-index");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        fs::write(git.join("objects/info/alternates"), format!("{}\n", borrowed.path().display())).unwrap();
        assert!(open(&git).is_err(), "nor behind an alternate");
    }

    #[test]
    fn a_tree_that_stands_for_billions_of_files_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init(folder.path()).unwrap();
        let mut id = repo.blob(b"x = 1\n").unwrap();
        for level in 0..12 {
            let mut tree = repo.treebuilder(None).unwrap();
            let mode = if level == 0 { 0o100_644 } else { 0o040_000 };
            for name in 0..10 {
                tree.insert(format!("d{name}.py"), id, mode).unwrap();
            }
            id = tree.write().unwrap();
        }
        assert!(differing(&repo, None, Some(id)).is_err());
        assert!(differing(&repo, Some(id), Some(id)).unwrap().is_empty());
    }
}
