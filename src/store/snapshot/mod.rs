//! The hook's own form of the graph: one flat, immutable file, written beside the old one and renamed over it.
//!
//! Readers need no lock, never see half a graph and pay three or four `pread`s whatever the size. It is read by `pread`
//! and not by mmap: a cold map was measured 25 times slower, and a truncated file would kill the process. Every byte is
//! under a checksum, so damage is refused and never becomes a smaller number of callers.

mod build;
mod card;
mod cards;
mod layout;
mod read;
mod reuse;
#[cfg(test)]
pub(crate) mod sample;
mod summary;
#[cfg(test)]
mod tests;
mod wire;
mod write;

pub use card::{
    Area, CallerFile, Directory, FileCard, Hub, LanguageCount, Neighborhood, POSSIBLE_LIMIT, Site, Summary, SymbolCard,
    Unreferenced,
};
pub use read::Snapshot;
pub use reuse::Reuse;
pub use write::{Prepared, prepare, write};

/// What a snapshot is the snapshot of; both are real paths, and both are checked on opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The work tree.
    pub root: &'a str,
    /// The git directory; empty outside git.
    pub git_dir: &'a str,
}

/// Why a snapshot is not believed. The hook is silent on all of them; the indexer writes a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is none.
    Absent,
    /// A link, folder, pipe, socket or device stands in its place.
    NotRegular,
    /// Another user owns it, or others may write it, or it may not be read.
    NotOurs,
    /// Written by another version of the format.
    Version,
    /// Truncated, overwritten or unreadable somewhere.
    Damaged,
    /// The graph of another work tree or git directory.
    Foreign,
}

impl Refused {
    /// The reason in words, for logs and `doctor`.
    pub fn reason(self) -> &'static str {
        match self {
            Refused::Absent => "there is no snapshot",
            Refused::NotRegular => "the snapshot is not a regular file",
            Refused::NotOurs => "the snapshot belongs to another user or is writable by others",
            Refused::Version => "the snapshot has another format version",
            Refused::Damaged => "the snapshot is damaged",
            Refused::Foreign => "the snapshot is of another work tree",
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.reason())
    }
}

impl std::error::Error for Refused {}
