//! Puts together what a review needs: which two states, the files that differ, and the graph. For the command and the server.

use crate::graph::{self, Graph};
use crate::index::KnownFacts;
use crate::index::diff::{Objects, State};
use crate::model::FileVersions;
use crate::query::review::{self, Broken, Comparison, Review};
use crate::repo::Repo;
use anyhow::Result;
use std::time::Instant;

/// What an edit of `path` left unfit, which was `old` before and is on disk what it is now, as far as it is found until then.
///
/// # Errors
/// What SQLite says.
pub(crate) fn broken_by_edit(
    repo: &Repo,
    graph: &Graph,
    path: &str,
    old: Vec<u8>,
    until: Instant,
) -> Result<Vec<Broken>> {
    let text = |path: &str| graph::text(repo, path).map(String::into_bytes);
    let files = vec![FileVersions { path: path.to_string(), old: Some(old), new: text(path) }];
    let known = KnownFacts::open(repo);
    let facts = |path: &str, bytes: &[u8]| known.of(path, bytes);
    let comparison = Comparison { from: String::new(), to: String::new(), files, text: &text, facts: &facts };
    review::broken_by(&graph.reader, comparison, until)
}

/// `range`: `None` for the work tree against HEAD; `BASE` for HEAD since it left BASE; `A..B` for two commits as they are.
///
/// # Errors
/// No git, a name that is no commit, and what SQLite says.
pub(crate) fn review(repo: &Repo, graph: &Graph, range: Option<&str>) -> Result<Review> {
    let objects = Objects::open(repo)?;
    let (from, to) = match range.map(|range| (range, range.split_once(".."))) {
        None => (objects.commit(repo, "HEAD")?, State::WorkTree),
        Some((_, Some((from, to)))) => {
            let to = to.trim_start_matches('.');
            let (from, to) = (if from.is_empty() { "HEAD" } else { from }, if to.is_empty() { "HEAD" } else { to });
            (objects.commit(repo, from)?, State::Commit(objects.commit(repo, to)?))
        }
        Some((base, None)) => {
            let (base, head) = (objects.commit(repo, base)?, objects.commit(repo, "HEAD")?);
            // Without a common past, as in a shallow clone: the difference as it is.
            (objects.merge_base(&base, &head).unwrap_or(base), State::Commit(head))
        }
    };
    let files = objects.changes(repo, &from, &to)?;
    let text = |path: &str| objects.read(repo, &to, path);
    let known = KnownFacts::open(repo);
    let facts = |path: &str, bytes: &[u8]| known.of(path, bytes);
    let short = |id: &str| id.get(..12).unwrap_or(id).to_string();
    let names = match &to {
        State::WorkTree => "work tree".to_string(),
        State::Commit(id) => short(id),
    };
    review::review(&graph.reader, Comparison { from: short(&from), to: names, files, text: &text, facts: &facts })
}
