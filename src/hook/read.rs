//! PreToolUse of Read: what the graph knows about the file, around the lines that will be read.

use std::path::Path;

use super::event::Event;
use super::memory::About;
use super::place::{self, Place};
use super::{graph, memory};
use crate::annotate::{self, MAX_TOKENS, Said, State};
use crate::session::Entry;

/// The Read tool shows this many lines unless told otherwise.
const DEFAULT_LIMIT: u32 = 2000;

pub(super) fn context(event: &Event, cwd: &Path) -> Option<Said> {
    let path = event.input.file_path.as_deref()?;
    let place = place::of_file(&cwd.join(usable(path)?))?;
    annotation(event, place, focus(event.input.offset, event.input.limit), MAX_TOKENS)
}

/// A path that can be a file's: not blank (joined to a folder it would be the folder) and without NUL.
pub(super) fn usable(path: &str) -> Option<&str> {
    (!path.trim().is_empty() && !path.contains('\0')).then_some(path)
}

/// The annotation of one file in so many tokens; starts an index run if the graph is behind.
pub(super) fn annotation(event: &Event, place: Place, focus: Option<(u32, u32)>, tokens: usize) -> Option<Said> {
    let graph = graph::open(place.repo)?;
    graph.refresh();
    let card = match graph.snapshot.file(&place.path) {
        Ok(card) => card?,
        Err(reason) => {
            super::log::note(&format!("file card refused: {reason:?}"));
            return None;
        }
    };
    let state = State { tokens, ..graph.state_of(&card, &place.on_disk, &place.meta) };
    let Some(mut memory) = memory::of(event, graph.cache()) else { return annotate::file(&card, focus, &[], state) };
    let notes = memory.journal().notes(&card.path);
    let text = annotate::file(&card, focus, &notes, state);
    let read = Entry::Read { path: card.path.to_string(), lines: focus };
    let changes = |before: &[(String, u32)]| match focus {
        None => annotate::changes(&card, before, state),
        // Other lines are another matter: what is said of them was not said before.
        Some(_) => text.clone(),
    };
    let near = [&card.callers, &card.overriders, &card.bases, &card.possible].into_iter().flatten();
    let sites = card.symbols.iter().flat_map(|symbol| &symbol.sites);
    let files = near.map(|file| &*file.path).chain(sites.map(|site| &*site.path)).filter(|path| **path != *card.path);
    let about = About { files: files.collect(), counts: annotate::counts(&card, state) };
    memory.say(&card.path, vec![read], text.clone(), about, changes)
}

/// First and last line that will be read; `None` for the whole file.
fn focus(offset: Option<u32>, limit: Option<u32>) -> Option<(u32, u32)> {
    if offset.is_none() && limit.is_none() {
        return None;
    }
    let first = offset.unwrap_or(1).max(1);
    Some((first, first.saturating_add(limit.unwrap_or(DEFAULT_LIMIT).max(1) - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn focus_is_what_will_be_shown() {
        let table = [
            (None, None, None),
            (Some(10), Some(5), Some((10, 14))),
            (None, Some(20), Some((1, 20))),
            (Some(0), Some(0), Some((1, 1))),
            (Some(100), None, Some((100, 2099))),
            (Some(u32::MAX), Some(u32::MAX), Some((u32::MAX, u32::MAX))),
        ];
        for (offset, limit, expected) in table {
            assert_eq!(focus(offset, limit), expected, "{offset:?} {limit:?}");
        }
    }
}
