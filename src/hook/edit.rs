//! PostToolUse of Edit, Write and NotebookEdit: remembers that the file was edited, and has the graph brought up to date
//! behind the agent's back.

use std::path::Path;

use super::event::Event;
use super::read::usable;
use super::{graph, memory, place};
use crate::index::background;
use crate::session::Entry;

pub(super) fn context(event: &Event, cwd: &Path) -> Option<String> {
    let path = event.input.file_path.as_deref().or(event.input.notebook_path.as_deref())?;
    let place = place::of_file(&cwd.join(usable(path)?))?;
    let cache = graph::cache_of_indexed(&place.repo)?;
    if let Some(mut memory) = memory::of(event, &cache) {
        memory.journal().append(&[Entry::Edited { path: place.path }]);
    }
    background::want(&place.repo, &cache);
    None
}
