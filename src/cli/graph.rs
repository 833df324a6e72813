//! The stored graph of a repository, and whether it is of what is checked out now.

use crate::freshness::{self, Freshness};
use crate::repo::{self, Repo};
use crate::store::Reader;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// A graph with the state it is in.
pub(super) struct Graph {
    pub(super) reader: Reader,
    pub(super) freshness: Freshness,
}

/// The identity that a graph is stored under: root and git directory, as text.
pub(super) fn identity(repo: &Repo) -> (String, String) {
    let git_dir = repo.git_dir.as_ref().map(|dir| dir.to_string_lossy().into_owned());
    (repo.root.to_string_lossy().into_owned(), git_dir.unwrap_or_default())
}

/// The folder that holds the graph; it need not exist.
pub(super) fn cache(repo: &Repo) -> Result<PathBuf> {
    repo::cache_dir(repo)
        .context("there is no place for the graph: neither XDG_CACHE_HOME nor HOME is an absolute path")
}

/// # Errors
/// [`crate::store::Refused`], which has a hint, or that there is no cache folder.
pub(super) fn open(repo: &Repo) -> Result<Graph> {
    let (root, git_dir) = identity(repo);
    let reader = Reader::open(&cache(repo)?.join("graph.db"), &root, &git_dir)?;
    let freshness = freshness::of(reader.meta().head.as_deref(), &repo::head(repo));
    Ok(Graph { reader, freshness })
}

/// The word for it in JSON.
pub(super) fn word(freshness: Freshness) -> &'static str {
    match freshness {
        Freshness::Fresh => "fresh",
        Freshness::Behind => "behind",
        Freshness::FileChanged => "file_changed",
        Freshness::Absent => "absent",
        Freshness::Unknown => "unknown",
    }
}
