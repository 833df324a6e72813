//! The graph of a repository as the hook finds it: the snapshot in the cache, and how fresh it is.

use std::fs;
use std::path::{Path, PathBuf};

use super::log;
use crate::annotate::{MAX_TOKENS, State};
use crate::freshness::{self, Freshness};
use crate::index::background;
use crate::repo::{self, Head, Repo};
use crate::store::Reader;
use crate::store::snapshot::{FileCard, Identity, Refused, Snapshot};

/// Folders without git are looked for this far up.
const MAX_ANCESTORS: usize = 40;

/// Holds the commit for which an index run was last started, so that one that fails is not started at each read.
const STAMP: &str = "tried";

pub(super) struct Graph {
    pub(super) snapshot: Snapshot,
    repo: Repo,
    cache: PathBuf,
    head: Head,
    freshness: Freshness,
}

/// Opens the graph of `repo`. `None` where there is none that can be trusted.
pub(super) fn open(repo: Repo) -> Option<Graph> {
    let cache = repo::cache_dir(&repo)?;
    log::writes_to(&cache);
    let root = repo.root.to_str()?;
    let git_dir = repo.git_dir.as_deref().map_or(Some(""), Path::to_str)?;
    let snapshot = match Snapshot::open(&cache.join("snapshot.bin"), &Identity { root, git_dir }) {
        Ok(snapshot) => snapshot,
        Err(Refused::Absent) => {
            begin_in_work_tree(&repo);
            return None;
        }
        Err(reason) => {
            log::note(&format!("snapshot refused: {reason:?}"));
            return None;
        }
    };
    let head = repo::head(&repo);
    let freshness = freshness::of(snapshot.head(), &head);
    Some(Graph { snapshot, repo, cache, head, freshness })
}

/// The cache folder of a repository that has a graph, whatever its state.
pub(super) fn cache_of_indexed(repo: &Repo) -> Option<PathBuf> {
    let cache = repo::cache_dir(repo)?;
    log::writes_to(&cache);
    fs::symlink_metadata(cache.join("snapshot.bin")).ok()?;
    Some(cache)
}

impl Graph {
    /// The cache folder of the repository.
    pub(super) fn cache(&self) -> &Path {
        &self.cache
    }

    /// The graph's other form, for questions that the snapshot has no answer to.
    pub(super) fn database(&self) -> Option<Reader> {
        let root = self.repo.root.to_str()?;
        let git_dir = self.repo.git_dir.as_deref().map_or(Some(""), Path::to_str)?;
        match Reader::open_in_hook(&self.cache.join("graph.db"), root, git_dir) {
            Ok(reader) => Some(reader),
            Err(refused) => {
                log::note(&format!("database refused: {:?}", refused.reason));
                None
            }
        }
    }

    /// For answers about the whole graph.
    pub(super) fn state(&self) -> State<'_> {
        self.state_with(self.freshness)
    }

    /// For an answer about one file: what the file itself says counts more than what the graph says.
    pub(super) fn state_of(&self, card: &FileCard, on_disk: &Path, meta: &fs::Metadata) -> State<'_> {
        match freshness::of_stat((card.size, card.mtime_ns, card.content_hash), on_disk, meta) {
            Freshness::Fresh => self.state(),
            other => self.state_with(other),
        }
    }

    fn state_with(&self, freshness: Freshness) -> State<'_> {
        // As git abbreviates.
        State { freshness, indexed: self.snapshot.head().and_then(|head| head.get(..7)), tokens: MAX_TOKENS }
    }

    /// Starts an index run if the graph is behind, at most once for each commit.
    pub(super) fn refresh(&self) {
        if self.freshness == Freshness::Behind && stamp(&self.cache, &self.head) {
            background::spawn(&self.repo);
        }
    }
}

/// Agents make work trees in the middle of a session. One without a graph gets one if its repository is known: all that it
/// holds was read before, in another work tree.
fn begin_in_work_tree(repo: &Repo) {
    let is_linked = repo.git_dir.is_some() && repo.git_dir != repo.common_dir;
    let is_known = || repo::facts_dir(repo).is_some_and(|facts| fs::symlink_metadata(facts).is_ok());
    if is_linked
        && is_known()
        && let Ok(cache) = repo::ensure_cache_dir(repo)
        && stamp(&cache, &repo::head(repo))
    {
        background::spawn(repo);
    }
}

/// At the start of a session: the graph, and an index run if it is absent or behind.
pub(super) fn open_for_session(repo: Repo) -> Option<Graph> {
    let graph = open(repo.clone());
    // A folder outside git is only indexed when its user asks for it.
    let wanted = match &graph {
        Some(graph) => graph.freshness == Freshness::Behind,
        None => repo.git_dir.is_some() && repo.root.parent().is_some(),
    };
    if wanted && let Ok(cache) = repo::ensure_cache_dir(&repo) {
        stamp(&cache, &repo::head(&repo));
        background::spawn(&repo);
    }
    graph
}

/// Notes that an index run for `head` is being started. False if that was noted before, or cannot be.
fn stamp(cache: &Path, head: &Head) -> bool {
    let text = match head {
        Head::Commit(hash) => hash.as_str(),
        _ => "none",
    };
    let path = cache.join(STAMP);
    if log::read(&path, 128).is_some_and(|noted| noted == text.as_bytes()) {
        return false;
    }
    log::overwrite(&path, text.as_bytes()).is_some()
}

/// The nearest folder above that was indexed as a root without git. Never the root of the file system, and nothing
/// above the home folder: an index of either would be an accident.
pub(super) fn folder_indexed_without_git(real_folder: &Path) -> Option<Repo> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let above_home = |folder: &Path| home.as_deref().is_some_and(|home| home != folder && home.starts_with(folder));
    real_folder
        .ancestors()
        .take(MAX_ANCESTORS)
        .take_while(|folder| folder.parent().is_some() && !above_home(folder))
        .find_map(|folder| {
            let repo = Repo { root: folder.to_path_buf(), git_dir: None, common_dir: None };
            let snapshot = repo::cache_dir(&repo)?.join("snapshot.bin");
            fs::symlink_metadata(snapshot).is_ok().then_some(repo)
        })
}
