//! The stored graph of a repository, and whether it is of what is checked out now: what every command and the server begin
//! with.

use crate::freshness::{self, Freshness};
use crate::repo::{self, Repo};
use crate::store::Reader;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// A graph with the state it is in.
pub(crate) struct Graph {
    pub(crate) reader: Reader,
    pub(crate) freshness: Freshness,
}

/// The identity that a graph is stored under: root and git directory, as text.
pub(crate) fn identity(repo: &Repo) -> (String, String) {
    let git_dir = repo.git_dir.as_ref().map(|dir| dir.to_string_lossy().into_owned());
    (repo.root.to_string_lossy().into_owned(), git_dir.unwrap_or_default())
}

/// The folder that holds the graph; it need not exist.
pub(crate) fn cache(repo: &Repo) -> Result<PathBuf> {
    repo::cache_dir(repo)
        .context("there is no place for the graph: neither XDG_CACHE_HOME nor HOME is an absolute path")
}

/// # Errors
/// [`crate::store::Refused`], which has a hint, or that there is no cache folder.
pub(crate) fn open(repo: &Repo) -> Result<Graph> {
    let (root, git_dir) = identity(repo);
    let reader = Reader::open(&cache(repo)?.join(crate::index::DATABASE), &root, &git_dir)?;
    let freshness = freshness::of(reader.meta().head.as_deref(), &repo::head(repo));
    Ok(Graph { reader, freshness })
}

/// The path of an indexed file as the graph has it, from what was typed: from the root, or from the folder that the command
/// was started in.
///
/// # Errors
/// No such file in the graph; those with that end are named.
pub(crate) fn indexed_path(folder: &Path, repo: &Repo, reader: &Reader, typed: &str) -> Result<String> {
    let from_folder = folder.join(typed);
    let real = from_folder.parent().and_then(|parent| Some(parent.canonicalize().ok()?.join(from_folder.file_name()?)));
    let from_folder = real.as_deref().and_then(|path| path.strip_prefix(&repo.root).ok()?.to_str());
    let from_root = typed.trim_start_matches("./").trim_end_matches('/');
    let mut exact = reader.connection().prepare_cached("SELECT path FROM file WHERE path = ?1")?;
    for path in from_folder.into_iter().chain([from_root]) {
        if let Some(row) = exact.query([path])?.next()? {
            return Ok(row.get(0)?);
        }
    }
    let sql = "SELECT path FROM file WHERE substr(path, -length(?1) - 1) = '/' || ?1 ORDER BY path LIMIT 5";
    let mut similar = reader.connection().prepare(sql)?;
    let found = similar.query_map([from_root], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    match found.is_empty() {
        true => bail!("there is no file {typed} in the graph; `floorplan status` says what is"),
        false => bail!("there is no file {typed} in the graph, but {}", found.join(", ")),
    }
}

/// A file larger than this is not read for its text.
const MAX_TEXT: usize = 16 << 20;

/// The text of a file of the work tree as it is now, given from the root.
pub(crate) fn text(repo: &Repo, path: &str) -> Option<String> {
    let bytes = repo::read_file(&repo.root.join(path), MAX_TEXT)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The word for it in JSON.
pub(crate) fn word(freshness: Freshness) -> &'static str {
    match freshness {
        Freshness::Fresh => "fresh",
        Freshness::Behind => "behind",
        Freshness::FileChanged => "file_changed",
        Freshness::Absent => "absent",
        Freshness::Unknown => "unknown",
    }
}
