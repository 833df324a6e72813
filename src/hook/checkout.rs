//! PostToolUse of Bash, where git may have changed the files: has the graphs of those work trees brought up to date.

use std::path::PathBuf;

use super::{graph, place};
use crate::annotate::Said;
use crate::index::background;

pub(super) fn context(folders: &[PathBuf]) -> Option<Said> {
    for repo in folders.iter().filter_map(|folder| place::repo_around(folder)) {
        if let Some(cache) = graph::cache_of_indexed(&repo) {
            background::want(&repo, &cache);
        }
    }
    None
}
