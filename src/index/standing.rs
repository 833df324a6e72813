//! How the work tree stands to a graph of it: what an index run would find to do.

use super::background;
use super::diff::Objects;
use super::scan::{self, Origin, Outcome};
use crate::freshness::{self, Freshness};
use crate::model::Recorded;
use crate::repo::{self, Head, Repo};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Commits between the one that the graph was made of and the one that is checked out, this way and the other way.
    /// `None` where they cannot be counted.
    pub commits: Option<(usize, usize)>,
    /// Files that are not what they were, by path.
    pub differing: Vec<Differing>,
    /// Why git's own list of files could not be used, if it could not.
    pub without_git: Option<String>,
    /// Folders whose files are not in the graph because they are repositories of their own.
    pub repositories: Vec<String>,
    /// An index run is at work.
    pub running: bool,
    /// One is wanted that has not begun.
    pub wanted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differing {
    pub path: String,
    pub how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    Changed,
    New,
    Gone,
}

/// Compares the work tree with a graph, whose files `recorded` lists by path and that was made of the commit `indexed`.
/// `cache` is the folder of the graph.
///
/// # Errors
/// The work tree cannot be listed.
pub fn standing(
    repo: &Repo,
    cache: &Path,
    indexed: Option<&str>,
    mut recorded: BTreeMap<String, Recorded>,
) -> Result<Standing> {
    let commits = match (indexed, repo::head(repo)) {
        (Some(indexed), Head::Commit(now)) if indexed == now => Some((0, 0)),
        (Some(indexed), Head::Commit(now)) => {
            Objects::open(repo).ok().and_then(|objects| objects.distance(indexed, &now))
        }
        _ => None,
    };
    let scan = scan::scan(&repo.root, repo.git_dir.as_deref())?;
    let mut differing = Vec::new();
    for candidate in scan.candidates {
        let skipped = matches!(candidate.outcome, Outcome::Skip(_));
        let how = match recorded.remove(&candidate.path) {
            None => Some(How::New),
            Some(None) => None,
            Some(Some(_)) if skipped => Some(How::Changed),
            Some(Some(recorded)) => match freshness::of_file(recorded, &candidate.on_disk) {
                Freshness::FileChanged | Freshness::Absent => Some(How::Changed),
                Freshness::Fresh | Freshness::Behind | Freshness::Unknown => None,
            },
        };
        differing.extend(how.map(|how| Differing { path: candidate.path, how }));
    }
    differing.extend(recorded.into_keys().map(|path| Differing { path, how: How::Gone }));
    differing.sort_by(|a, b| a.path.cmp(&b.path));
    let without_git = match scan.origin {
        Origin::Walk(reason) => Some(reason),
        Origin::Git | Origin::Folder => None,
    };
    let (running, wanted) = (background::is_running(cache), background::is_wanted(cache));
    Ok(Standing { commits, differing, without_git, repositories: scan.repositories, running, wanted })
}
