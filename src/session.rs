//! Exploration memory: what each agent of a session has read, searched, edited and been told.
//!
//! One append-only journal a session in the repository's cache folder itself (a folder below it could be swapped for a link,
//! and looking would cost each hook call), a line an event, written in one `write` each so that
//! agents at the same time never tear each other's lines. It is no cache (nothing can rebuild it) and holds no content: paths,
//! names, line ranges, hashes, and the notes that an agent asked to keep. A line that cannot be read (a crash, a full disk,
//! another version) is passed over.
//!
//! The hook looks for lines about one subject in the raw bytes; only questions about the whole session read every line.

mod adoption;
mod entry;
pub mod ephemeral;
mod frontier;
mod trail;

pub use adoption::{Adoption, named_in};
pub use entry::{Entry, Shown};
pub use frontier::{Frontier, Reason, frontier};
pub use trail::{Trail, Visit};

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use memchr::memmem;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use xxhash_rust::xxh3::xxh3_64;

/// What the name of a journal ends in.
const ENDING: &str = ".journal";

/// A journal is read from its end, as far as this: some thousand events.
const MAX_READ: u64 = 256 << 10;

/// A journal grows no longer than this, in bytes; a session of ten thousand events comes to half of it.
const MAX_SIZE: u64 = 2 << 20;

/// Journals that nobody wrote to for so long are removed.
const MAX_AGE: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Journals that one pruning looks at.
const MAX_PRUNED: usize = 500;

/// Who acts: one agent of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who<'a> {
    /// The host's session id; any text.
    pub session: &'a str,
    /// Empty for the main agent.
    pub agent: &'a str,
}

/// The journal of a session as it was when it was opened.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// In bytes.
    size: u64,
    /// Whole lines, the oldest perhaps left out.
    text: Vec<u8>,
    agent: String,
}

impl Journal {
    /// Opens (and begins, if it is new) the journal of a session. `cache` is the repository's cache folder, which must
    /// exist. It stays locked against other agents until the value is dropped, if the lock was to be had at once.
    ///
    /// `None` when the disk says no, for a file that is none of ours, and where nothing is to be kept.
    pub fn open(cache: &Path, who: Who<'_>) -> Option<Journal> {
        if ephemeral::in_environment() {
            return None;
        }
        let path = path_of(cache, who.session);
        // The setting is only asked for before a session's first line: setting it removes the journals that there are.
        Journal::at(&path, who.agent, OFlags::empty())
            .or_else(|| if ephemeral::is_set() { None } else { Journal::at(&path, who.agent, OFlags::CREATE) })
    }

    /// Opens the journal at a path that [`newest`] or [`existing`] gave.
    pub fn read(path: &Path, agent: &str) -> Option<Journal> {
        Journal::at(path, agent, OFlags::empty())
    }

    fn at(path: &Path, agent: &str, more: OFlags) -> Option<Journal> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | more;
        let mut file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).ok()?);
        // Two copies of the hook for one call (plugin and settings) must not both find that nothing was said yet. Whoever
        // holds the lock too long is not waited for: saying a thing twice is better than being late.
        for _ in 0..3 {
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let meta = file.metadata().ok()?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            return None;
        }
        let size = meta.len();
        let start = size.saturating_sub(MAX_READ);
        if start > 0 {
            file.seek(SeekFrom::Start(start)).ok()?;
        }
        let mut text = Vec::with_capacity((size - start) as usize);
        Read::by_ref(&mut file).take(size - start).read_to_end(&mut text).ok()?;
        if start > 0 {
            let first = memchr::memchr(b'\n', &text).map_or(text.len(), |end| end + 1);
            text.drain(..first);
        }
        Some(Journal { file, size, text, agent: entry::short(agent) })
    }

    /// Appends entries of this agent, in one write.
    pub fn append(&mut self, entries: &[Entry]) {
        // After a torn line (a crash, a full disk) the next one begins anew.
        let torn = self.text.last().is_some_and(|last| *last != b'\n');
        let mut line = String::from(if torn { "\n" } else { "" });
        for entry in entries {
            entry.write(&self.agent, &mut line);
        }
        if self.size < MAX_SIZE && self.file.write_all(line.as_bytes()).is_ok() {
            self.size += line.len() as u64;
            self.text.extend_from_slice(line.as_bytes());
        }
    }

    /// What this agent was told about a subject since it last lost its context, oldest first.
    pub fn shown(&self, subject: &str) -> Vec<Shown> {
        let needle = entry::field(subject);
        let since = self.last_cut();
        let told = memmem::find_iter(&self.text[since..], needle.as_bytes()).filter_map(|at| {
            let line = self.line_at(since + at)?;
            match Entry::parse(line)? {
                (agent, Entry::Shown(shown)) if agent == self.agent && shown.subject == subject => Some(shown),
                _ => None,
            }
        });
        let mut told: Vec<Shown> = told.collect();
        // A line that holds the needle twice is found twice.
        told.dedup();
        told
    }

    /// Every line that can be read, with its agent, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = (String, Entry)> + '_ {
        self.text.split(|byte| *byte == b'\n').filter_map(Entry::parse)
    }

    /// What this agent did, oldest first.
    pub fn own(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries().filter(|(agent, _)| *agent == self.agent).map(|(_, entry)| entry)
    }

    /// Notes about a subject (a path, or `path::name` below it) by any agent of the session, oldest first.
    pub fn notes(&self, path: &str) -> Vec<(String, String)> {
        if memmem::find(&self.text, b"\nnote\t").is_none() && !self.text.starts_with(b"note\t") {
            return Vec::new();
        }
        let about =
            |subject: &str| subject.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        self.entries()
            .filter_map(|(_, entry)| match entry {
                Entry::Note { subject, text } if about(&subject) => Some((subject, text)),
                _ => None,
            })
            .collect()
    }

    /// Where the last line ends that says that this agent lost its context; 0 without one.
    fn last_cut(&self) -> usize {
        let mut line = String::new();
        Entry::Cut.write(&self.agent, &mut line);
        let at = memmem::rfind_iter(&self.text, line.as_bytes()).find(|at| *at == 0 || self.text[at - 1] == b'\n');
        at.map_or(0, |at| at + line.len())
    }

    fn line_at(&self, at: usize) -> Option<&[u8]> {
        let start = memchr::memrchr(b'\n', &self.text[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &self.text[at..]).map(|end| at + end)?;
        self.text.get(start..end)
    }
}

/// The journal of a session, if there is one.
pub fn existing(cache: &Path, session: &str) -> Option<PathBuf> {
    let path = path_of(cache, session);
    fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file()).then_some(path)
}

/// The journal that was written to last.
pub fn newest(cache: &Path) -> Option<PathBuf> {
    let journals = journals(cache).filter_map(|(path, meta)| Some((meta.modified().ok()?, path)));
    journals.max().map(|(_, path)| path)
}

/// All journals of a repository.
pub fn all(cache: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = journals(cache).map(|(path, _)| path).collect();
    paths.sort();
    paths
}

/// Removes the journals of all repositories below the folder of caches; gives how many.
///
/// # Errors
/// What the disk says; some may be gone then.
pub fn forget(caches: &Path) -> std::io::Result<usize> {
    let mut removed = 0;
    for cache in fs::read_dir(caches).into_iter().flatten().flatten() {
        for (path, _) in journals(&cache.path()) {
            fs::remove_file(path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Removes old journals.
pub fn prune(cache: &Path, now: SystemTime) {
    for (path, meta) in journals(cache).take(MAX_PRUNED) {
        let old = meta.modified().is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age > MAX_AGE));
        if old {
            // Whoever else removes it did what we wanted.
            let _ = fs::remove_file(path);
        }
    }
}

fn journals(cache: &Path) -> impl Iterator<Item = (PathBuf, fs::Metadata)> {
    fs::read_dir(cache).into_iter().flatten().flatten().filter_map(|entry| {
        let is_journal = entry.file_name().to_str().is_some_and(|name| name.ends_with(ENDING));
        let meta = entry.metadata().ok().filter(|meta| is_journal && meta.is_file())?;
        Some((entry.path(), meta))
    })
}

/// By hash: a session id is text of the host's, and no file name.
fn path_of(cache: &Path, session: &str) -> PathBuf {
    cache.join(format!("{:016x}{ENDING}", xxh3_64(session.as_bytes())))
}

#[cfg(test)]
mod tests;
