//! PostToolUse of Edit and Write: places that no longer fit what was edited, those that the agent has not opened first.
//! The comparison needs parsers and the database, so a child does it, within a time of its own.

use std::path::Path;

use super::event::Event;
use super::place;
use super::{graph, memory, read};
use crate::annotate::{self, Broken};
use crate::index::background;
use crate::session::{Entry, Trail};

pub(super) fn context(event: &Event, cwd: &Path) -> Option<String> {
    let path = event.input.file_path.as_deref()?;
    let place = place::of_file(&cwd.join(read::usable(path)?))?;
    let graph = graph::open(place.repo)?;
    let broken: Vec<Broken> = match event.before_edit() {
        Some(before) => background::impact(graph.repo(), &place.path, before.as_bytes())
            .and_then(|answer| serde_json::from_slice(&answer).ok())
            .unwrap_or_default(),
        None => Vec::new(),
    };
    let mut memory = memory::of(event, graph.cache());
    let trail = memory.as_mut().map(|memory| Trail::of(memory.journal().own())).unwrap_or_default();
    let text = annotate::impact(&place.path, &broken, |path| trail.has(path));
    let Some(memory) = &mut memory else { return text };
    let mut done = vec![Entry::Edited { path: place.path.clone() }];
    let mut files: Vec<&str> = broken.iter().map(|broken| broken.file.as_str()).collect();
    files.dedup();
    files.retain(|file| *file != place.path);
    done.extend(files.into_iter().map(|path| Entry::ToCheck { path: path.to_string() }));
    // By its own name: what is said of the file itself is another matter.
    memory.say(&format!("{} edited", place.path), done, text.clone(), Vec::new(), |_| text)
}
