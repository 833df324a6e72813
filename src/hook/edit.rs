//! PostToolUse of Edit, Write and NotebookEdit: names the places that no longer fit, those that the agent has not opened
//! first, remembers that the file was edited, and has the graph brought up to date behind the agent's back.
//!
//! The comparison needs parsers and the database, so a child does it, within a time of its own, on the graph as it was
//! before the edit.

use std::path::Path;

use super::event::Event;
use super::read::usable;
use super::{graph, memory, place};
use crate::annotate::{self, Broken, Said};
use crate::index::background;
use crate::session::{Entry, Trail};

pub(super) fn context(event: &Event, cwd: &Path) -> Option<Said> {
    let path = event.input.file_path.as_deref().or(event.input.notebook_path.as_deref())?;
    let place = place::of_file(&cwd.join(usable(path)?))?;
    let cache = graph::cache_of_indexed(&place.repo)?;
    let broken: Vec<Broken> = match event.before_edit() {
        Some(before) => background::impact(&place.repo, &place.path, before.as_bytes())
            .and_then(|answer| serde_json::from_slice(&answer).ok())
            .unwrap_or_default(),
        None => Vec::new(),
    };
    background::want(&place.repo, &cache);
    let mut memory = memory::of(event, &cache);
    let trail = memory.as_mut().map(|memory| Trail::of(memory.journal().own())).unwrap_or_default();
    let text = annotate::impact(&place.path, &broken, |path| trail.has(path));
    let Some(memory) = &mut memory else { return text };
    let mut done = vec![Entry::Edited { path: place.path.clone() }];
    let mut files: Vec<&str> = broken.iter().map(|broken| broken.file.as_str()).collect();
    files.dedup();
    files.retain(|file| *file != place.path);
    done.extend(files.into_iter().map(|path| Entry::ToCheck { path: path.to_string() }));
    // By its own name: what is said of the file itself is another matter.
    let about =
        memory::About { files: broken.iter().map(|broken| broken.file.as_str()).collect(), ..Default::default() };
    memory.say(&format!("{} edited", place.path), done, text.clone(), about, |_| text)
}
