//! Which repository a path belongs to, which commit is checked out there, and where its cache lies.
//!
//! All of it by hand, from a handful of small files: no `git` process (its configuration names programs to run) and no
//! libgit2 (it refuses reftable, sha256 and unknown extensions, and takes a bare repository planted in a clone for the
//! real one). Everything under `.git` counts as hostile: reads are capped, only regular files are read, links are not
//! followed, and what cannot be read is [`Head::Unknown`], never a guess.

mod cache;
mod head;

use std::fs::{self, File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};

pub use cache::{cache_dir, caches_dir, ensure_cache_dir, ensure_facts_dir, facts_dir, settings_dir};
pub use head::{Head, head, reference};

/// More folders than this between a file and its repository are not searched.
const MAX_ANCESTORS: usize = 256;

/// A gitfile or `commondir` holds one path: the longest path of Linux and the word before it.
const MAX_POINTER: usize = 4096 + 16;

/// A work tree and its git directory, as real paths (no links, no dots).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    pub root: PathBuf,
    /// `None` outside git.
    pub git_dir: Option<PathBuf>,
    /// Where the refs of all linked worktrees lie; equal to `git_dir` but in linked worktrees. `None` outside git.
    pub common_dir: Option<PathBuf>,
}

/// The repository of a file or folder: the nearest ancestor with an entry named `.git`, as git finds it, but for two
/// things: a folder that is itself a bare repository is none, and neither is anything inside a `.git`.
///
/// `None` outside git, and where `.git`, the work tree or the git directory belongs to somebody else.
pub fn locate(path: &Path) -> Option<Repo> {
    let is_dir = fs::metadata(path).is_ok_and(|meta| meta.is_dir());
    let dir = if is_dir { path } else { parent(path)? };
    locate_real(&fs::canonicalize(dir).ok()?)
}

/// [`locate`] for a folder whose path is known to be real already (saves resolving it twice).
pub fn locate_real(dir: &Path) -> Option<Repo> {
    let (root, entry, meta) = dir.ancestors().take(MAX_ANCESTORS).find_map(|root| {
        let entry = root.join(".git");
        let meta = fs::symlink_metadata(&entry).ok()?;
        // Like git, an empty folder of that name is passed by; anything else ends the search, good or bad.
        let counts = !meta.is_dir() || fs::symlink_metadata(entry.join("HEAD")).is_ok();
        counts.then_some((root, entry, meta))
    })?;
    if dir.strip_prefix(root).ok()?.components().next().is_some_and(is_git_entry) {
        return None;
    }
    // A link to the git directory keeps the folder it stands in as the work tree.
    let target = if meta.is_symlink() { fs::metadata(&entry).ok()? } else { meta.clone() };
    let git_dir = if target.is_dir() {
        if meta.is_symlink() { fs::canonicalize(&entry).ok()? } else { entry }
    } else if target.is_file() && is_ours(&target) {
        follow_gitfile(root, &entry)?
    } else {
        return None;
    };
    let git_meta = if meta.is_dir() { meta.clone() } else { fs::metadata(&git_dir).ok()? };
    let tree_meta = fs::symlink_metadata(root).ok()?;
    let all_ours = meta.uid() == git_meta.uid() && meta.uid() == tree_meta.uid() && is_ours(&meta);
    let each_ours = || is_ours(&meta) && is_ours(&git_meta) && is_ours(&tree_meta);
    if !git_meta.is_dir() || !(all_ours || each_ours()) {
        return None;
    }
    let common_dir = match read_pointer(&git_dir.join("commondir")) {
        Some(common) => fs::canonicalize(git_dir.join(common)).ok()?,
        None => git_dir.clone(),
    };
    Some(Repo { root: root.to_path_buf(), git_dir: Some(git_dir), common_dir: Some(common_dir) })
}

/// For commands that are given a folder: its repository, or the folder itself as a root without git.
pub fn locate_or_folder(dir: &Path) -> Repo {
    locate(dir).unwrap_or_else(|| {
        let root = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
        Repo { root, git_dir: None, common_dir: None }
    })
}

/// True for the path component `.git`, in any case: on file systems that fold case `.GIT` is the same folder.
pub fn is_git_entry(component: Component) -> bool {
    component.as_os_str().as_bytes().eq_ignore_ascii_case(b".git")
}

/// True if we may trust what lies there: our own, and as root also what belongs to whoever called sudo (git's rule).
fn is_ours(meta: &Metadata) -> bool {
    let me = rustix::process::geteuid().as_raw();
    if meta.uid() == me {
        return true;
    }
    let sudo = || std::env::var("SUDO_UID").ok()?.parse::<u32>().ok();
    me == 0 && sudo() == Some(meta.uid())
}

fn parent(path: &Path) -> Option<&Path> {
    let parent = path.parent()?;
    Some(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

/// `gitdir: PATH`, relative to the folder of the gitfile. A gitfile that names another gitfile is refused, as in git.
fn follow_gitfile(root: &Path, entry: &Path) -> Option<PathBuf> {
    let target = {
        // The entry may be a link (checked by owner); what it leads to is read without following any further.
        let real = fs::canonicalize(entry).ok()?;
        let bytes = read_small(&real, MAX_POINTER).ok()?;
        path_of(bytes.strip_prefix(b"gitdir:")?)?
    };
    let git_dir = fs::canonicalize(root.join(target)).ok()?;
    fs::symlink_metadata(git_dir.join("HEAD")).is_ok().then_some(git_dir)
}

fn read_pointer(file: &Path) -> Option<PathBuf> {
    path_of(&read_small(file, MAX_POINTER).ok()?)
}

/// One line that is a path; `None` if it holds a NUL or is empty.
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    let line = bytes.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let usable = !line.is_empty() && !line.contains(&0);
    usable.then(|| PathBuf::from(std::ffi::OsStr::from_bytes(line)))
}

/// Why [`read_small`] gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unread {
    Absent,
    Link,
    Other,
}

/// Opens a file for reading: never through a link, never waiting for a FIFO.
fn open(path: &Path) -> Result<File, Unread> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(fd) => Ok(File::from(fd)),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Err(Unread::Absent),
        Err(rustix::io::Errno::LOOP) => Err(Unread::Link),
        Err(_) => Err(Unread::Other),
    }
}

/// [`open`] of a regular file and nothing else, with its size.
fn open_regular(path: &Path) -> Result<(File, u64), Unread> {
    let file = open(path)?;
    let size = size_of_regular(&file)?;
    Ok((file, size))
}

fn size_of_regular(file: &File) -> Result<u64, Unread> {
    let meta = file.metadata().map_err(|_| Unread::Other)?;
    // An empty folder may stand where a ref once was: the ref is packed.
    match meta.is_file() {
        true => Ok(meta.len()),
        false if meta.is_dir() => Err(Unread::Absent),
        false => Err(Unread::Other),
    }
}

/// The content of a regular file of at most `cap` bytes; a longer one is [`Unread::Other`].
fn read_small(path: &Path, cap: usize) -> Result<Vec<u8>, Unread> {
    let file = open(path)?;
    // What git keeps in small files is nearly always shorter than this, and then one read tells all: what is no regular file
    // cannot be read at an offset or does not end so soon.
    let mut first = [0; 256];
    if let Ok(read) = file.read_at(&mut first, 0)
        && read < first.len().min(cap)
    {
        return Ok(first[..read].to_vec());
    }
    let size = size_of_regular(&file)?;
    if size > cap as u64 {
        return Err(Unread::Other);
    }
    // One read: a regular file gives all it has, and one that is growing meanwhile is caught by the byte to spare.
    let mut bytes = vec![0; size as usize + 1];
    let read = file.read_at(&mut bytes, 0).map_err(|_| Unread::Other)?;
    if read as u64 != size {
        return Err(Unread::Other);
    }
    bytes.truncate(read);
    Ok(bytes)
}

/// The content of a regular file of the work tree, of at most `cap` bytes, and nothing for any other: no link is followed.
pub fn read_file(path: &Path, cap: usize) -> Option<Vec<u8>> {
    read_small(path, cap).ok()
}

#[cfg(test)]
mod tests;
