//! Which files of a work tree are ours. One walk over the disk, with git's index as data: what it tracks is listed whatever
//! the ignore files say, everything else only if they let it.
//!
//! The index file is read by libgit2 without opening the repository, so no configuration is read and nothing from the
//! repository can make it wait or run anything; reftable, partial clones and unknown extensions do not matter either. Where
//! the index itself cannot be read (SHA-256, split, sparse, damaged) the walk goes without it, and [`Scan`] says so.
//! What the user denied the agent is not listed ([`denied`]). Links are never followed. Only names are looked at here; [`read`] looks at content.

mod content;
pub mod denied;
mod names;
mod rules;

pub use content::{Source, Stat, read};

use crate::lang;
use crate::model::Language;
use denied::Denied;
use rules::{Level, Standing};
use rustc_hash::FxHashSet;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A file that is ours, or would be if nothing spoke against it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Relative to the root, `/` between parts; bytes that are not UTF-8 are U+FFFD.
    pub path: String,
    /// The exact place on disk, below the root as it was given.
    pub on_disk: PathBuf,
    pub outcome: Outcome,
    /// As it was when its folder was listed; `None` for what is skipped.
    pub stat: Option<Stat>,
}

/// What to do with a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Extract facts.
    Read,
    /// Take its words only.
    Words,
    /// Leave it alone, for this reason.
    Skip(String),
}

/// Where the list of files came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Git's index, and what is untracked and not ignored.
    Git,
    /// A git work tree whose index could not be read, for this reason: everything that is not ignored.
    Walk(String),
    /// Outside git: everything that is not ignored and not hidden.
    Folder,
}

/// The files of a work tree.
#[derive(Clone, Debug)]
pub struct Scan {
    /// Sorted by path, no path twice.
    pub candidates: Vec<Candidate>,
    pub origin: Origin,
    /// The user's deny rules that were kept.
    pub denied: Denied,
    /// Folders that are repositories of their own (submodules, clones), sorted: their files are not listed.
    pub repositories: Vec<String>,
}

/// Lists the files below `root`. `git_dir` is the repository's own folder (for a linked worktree the one below
/// `.git/worktrees`), `None` outside git.
///
/// # Errors
/// The root cannot be listed. Folders below it that cannot be are passed over.
pub fn scan(root: &Path, git_dir: Option<&Path>) -> anyhow::Result<Scan> {
    let (tracked, origin) = match git_dir.map(Tracked::of) {
        None => (None, Origin::Folder),
        Some(Ok(tracked)) => (Some(tracked), Origin::Git),
        Some(Err(reason)) => (None, Origin::Walk(reason)),
    };
    let top = Folder {
        on_disk: root.to_owned(),
        path: Vec::new(),
        ignored: false,
        vendored: None,
        secret: false,
        level: None,
    };
    let (standing, denied) = (Standing::of(root, git_dir), Denied::of(root));
    let mut walk =
        Walk { tracked, standing, denied, candidates: Vec::new(), repositories: Vec::new(), open: Vec::new() };
    use anyhow::Context;
    let (dir, listing) = list(root).with_context(|| format!("listing {}", root.display()))?;
    if !walk.denied.hides_root() {
        walk.folder(&top, &dir, &listing);
    }
    while let Some(folder) = walk.open.pop() {
        if let Ok((dir, listing)) = list(&folder.on_disk) {
            walk.folder(&folder, &dir, &listing);
        }
    }
    let (mut candidates, mut repositories) = (walk.candidates, walk.repositories);
    repositories.sort();
    candidates.sort_by(|a, b| (&a.path, &a.on_disk).cmp(&(&b.path, &b.on_disk)));
    // Two names that differ only in bytes that are not UTF-8 look the same; a path stands for one file.
    candidates.dedup_by(|later, kept| later.path == kept.path);
    Ok(Scan { candidates, origin, denied: walk.denied, repositories })
}

/// Paths of git's index, in bytes.
struct Tracked {
    files: FxHashSet<Vec<u8>>,
    /// Every folder that holds one.
    folders: FxHashSet<Vec<u8>>,
}

impl Tracked {
    fn of(git_dir: &Path) -> Result<Self, String> {
        let path = git_dir.join("index");
        // Opening a FIFO would wait for ever. A repository without commits has no index yet, which is an empty one.
        match path.symlink_metadata() {
            Ok(found) if !found.is_file() => return Err("git's index is not a regular file".to_owned()),
            _ => {}
        }
        let index = git2::Index::open(&path).map_err(|error| format!("git's index: {}", error.message()))?;
        let mut tracked = Tracked { files: FxHashSet::default(), folders: FxHashSet::default() };
        for entry in index.iter() {
            let mut path = entry.path.as_slice();
            while let Some(slash) = path.iter().rposition(|byte| *byte == b'/') {
                path = &path[..slash];
                if !tracked.folders.insert(path.to_vec()) {
                    break;
                }
            }
            tracked.files.insert(entry.path);
        }
        Ok(tracked)
    }
}

/// A folder still to be walked.
struct Folder {
    on_disk: PathBuf,
    /// Relative to the root, in bytes; empty for the root.
    path: Vec<u8>,
    /// Ignored, and walked only for the tracked files in it.
    ignored: bool,
    vendored: Option<&'static str>,
    /// Called like something that holds secrets: only code is listed.
    secret: bool,
    /// Ignore and attribute files of the folders above.
    level: Option<Rc<Level>>,
}

type Listing = Vec<(OsString, FileType)>;

/// What a folder holds, and the open folder: its files are looked at from there, without walking down to it again.
fn list(folder: &Path) -> rustix::io::Result<(Dir, Listing)> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut dir = Dir::new(rustix::fs::open(folder, flags, Mode::empty())?)?;
    let mut listing = Listing::new();
    while let Some(Ok(entry)) = dir.read() {
        let name = entry.file_name();
        let kind = match entry.file_type() {
            // Not every file system tells.
            FileType::Unknown => match rustix::fs::statat(dir.fd()?, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        if !matches!(name.to_bytes(), b"." | b"..") {
            listing.push((OsString::from_vec(name.to_bytes().to_vec()), kind));
        }
    }
    Ok((dir, listing))
}

struct Walk {
    tracked: Option<Tracked>,
    standing: Standing,
    denied: Denied,
    candidates: Vec<Candidate>,
    repositories: Vec<String>,
    open: Vec<Folder>,
}

impl Walk {
    fn folder(&mut self, folder: &Folder, dir: &Dir, listing: &Listing) {
        let has = |name: &str| listing.iter().any(|(found, _)| found == name);
        let is_root = folder.path.is_empty();
        // A repository of its own (a submodule, a worktree, a clone): its files are its own graph's.
        if !is_root && has(".git") {
            self.repositories.push(String::from_utf8_lossy(&folder.path).into_owned());
            return;
        }
        let holds_tracked = is_root || self.holds_tracked(&folder.path);
        let vendored = folder.vendored.or_else(|| names::vendored(&folder.path, has));
        if vendored.is_some() && !holds_tracked {
            return;
        }
        if has(".claude") {
            self.denied.enter(&folder.on_disk);
        }
        let level = Level::of(&folder.on_disk, has, folder.level.clone());
        let is_project = || listing.iter().any(|(name, _)| names::is_manifest(name));
        for (name, kind) in listing {
            // Settings, hooks and commands of the agent itself, and its worktrees, which are copies of everything here.
            let is_agents = name == ".claude" && kind.is_dir();
            // A folder may be called so for what its code is about; of its other files nothing is listed.
            let secret = names::is_secret(name);
            let is_named = kind.is_dir() && !name.as_bytes().starts_with(b".");
            if name == ".git" || is_agents || secret && !is_named {
                continue;
            }
            let on_disk = folder.on_disk.join(name);
            if self.denied.hides(&on_disk, kind.is_dir()) {
                continue;
            }
            let path = join(&folder.path, name);
            let hidden = self.tracked.is_none() && name.as_bytes().starts_with(b".");
            let ignored =
                || hidden || folder.ignored || self.standing.ignores(level.as_deref(), &on_disk, kind.is_dir());
            if kind.is_dir() {
                let holds_tracked = self.holds_tracked(&path);
                let ignored = ignored();
                let left_out = ignored || names::is_output(name, is_project);
                if !left_out || holds_tracked {
                    let secret = secret || folder.secret;
                    self.open.push(Folder { on_disk, path, ignored, vendored, secret, level: level.clone() });
                }
                continue;
            }
            let shown = String::from_utf8_lossy(&path).into_owned();
            let Some(language) = lang::language_of(&shown).filter(|_| !names::is_lock(name)) else { continue };
            if folder.secret && language == Language::Text {
                continue;
            }
            let tracked = self.tracked.as_ref().is_some_and(|tracked| tracked.files.contains(&path));
            if !tracked && ignored() {
                continue;
            }
            let marked = || level.as_ref().and_then(|level| level.mark(&on_disk));
            let reason = if kind.is_symlink() {
                Some("link".to_owned())
            } else if !kind.is_file() {
                Some("not a regular file".to_owned())
            } else if let Some(by) = vendored {
                Some(format!("vendored ({by})"))
            } else if names::is_generated(name) {
                Some("generated (by its name)".to_owned())
            } else {
                marked().map(str::to_owned)
            };
            let outcome = match (reason, language) {
                (None, Language::Text) => Outcome::Words,
                (None, _) => Outcome::Read,
                // Thousands of skipped texts would say nothing to anyone.
                (Some(_), of) if of.family() == Language::Text => continue,
                (Some(reason), _) => Outcome::Skip(reason),
            };
            // What is left out because of its name is told by its name again.
            let stat = if matches!(outcome, Outcome::Skip(_)) { None } else { Stat::of(dir, name) };
            self.candidates.push(Candidate { path: shown, on_disk, outcome, stat });
        }
    }

    fn holds_tracked(&self, folder: &[u8]) -> bool {
        self.tracked.as_ref().is_some_and(|tracked| tracked.folders.contains(folder))
    }
}

fn join(folder: &[u8], name: &OsStr) -> Vec<u8> {
    if folder.is_empty() {
        return name.to_owned().into_vec();
    }
    [folder, b"/", name.as_bytes()].concat()
}

#[cfg(test)]
mod tests;
