//! One graph in two forms: SQLite for planning, increments and commands (`writer`, `reader`), and a flat snapshot file for
//! the hook. Both are a cache: what is damaged, foreign or of another version is refused by readers and rebuilt by the
//! indexer, and neither is ever taken for an empty graph.

mod change;
pub(crate) mod codes;
mod place;
pub(crate) mod postings;
pub mod reader;
pub(crate) mod segments;
pub mod snapshot;
pub mod writer;

pub use change::{Change, Place, TermChange, TermsOf, change, holds};
pub use reader::{Reader, Reason, Refused};
pub use writer::{Room, Written, replace_all, scrub};

/// "flpn" in the header of the database (SQLite's `application_id`).
pub const APPLICATION_ID: i32 = 0x666c_706e;

/// SQLite's `user_version`. Raised whenever `schema.sql` or the meaning of a code in it changes.
pub const SCHEMA_VERSION: i32 = 6;

/// What the indexer says about a graph besides the graph itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Real path of the work tree.
    pub root: String,
    /// Real path of the git directory; empty outside git.
    pub git_dir: String,
    /// The commit that was checked out, 40 or 64 hex digits; `None` when there is none or it cannot be read.
    pub head: Option<String>,
    /// Seconds since 1970.
    pub indexed_at: i64,
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
