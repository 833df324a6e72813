//! Puts together what a review needs: which two states, the files that differ, and the graph. For the command and the server.

use crate::graph::Graph;
use crate::index::diff::{Objects, State};
use crate::query::review::{self, Comparison, Review};
use crate::repo::Repo;
use anyhow::Result;

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
    let short = |id: &str| id.get(..12).unwrap_or(id).to_string();
    let names = match &to {
        State::WorkTree => "work tree".to_string(),
        State::Commit(id) => short(id),
    };
    review::review(&graph.reader, Comparison { from: short(&from), to: names, files, text: &text })
}
