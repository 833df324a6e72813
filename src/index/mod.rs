//! From a work tree to a stored graph: the only place that orders the stages.

pub mod background;

use crate::repo::Repo;
use serde::Serialize;

/// How to index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Threads; 0: one for each core.
    pub jobs: usize,
}

/// What an index run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Files that were read, with and without a front end of their own.
    pub files: u64,
    pub skipped: u64,
    pub symbols: u64,
    pub edges: u64,
    pub unresolved: u64,
    /// Wall time.
    pub seconds: f64,
}

/// Told how far a run is.
pub trait Progress: Sync {
    /// A stage of `total` steps begins; 0 if their number is not known.
    fn stage(&self, name: &str, total: u64);
    /// `n` more steps are done.
    fn tick(&self, n: u64);
}

/// Indexes `repo` and replaces its stored graph. The caller holds the lock of the cache folder.
///
/// # Errors
/// Whatever kept the whole from being read or stored; the graph is then the one from before.
pub fn index(repo: &Repo, _options: &Options, _progress: &dyn Progress) -> anyhow::Result<Report> {
    anyhow::bail!("{} cannot be indexed: this build has no extraction", repo.root.display())
}
