//! SessionStart and SubagentStart: what this codebase is.
//!
//! The text depends on the graph and its freshness alone, so that it is the same bytes when a session is resumed (the
//! host then does not repeat it). The start of a session is also when a graph that is absent or behind gets renewed.
//! After a compaction, and to a subagent, it is also said what was done in the session so far.

use std::path::Path;
use std::time::SystemTime;

use super::event::Event;
use super::graph::Graph;
use super::{graph, memory, place};
use crate::annotate::{self, Recall, Said};
use crate::session::{self, Entry, Journal, frontier};
use crate::store::snapshot::{CallerFile, FileCard};

/// Visited files whose neighbours are looked at, the latest first: one card each.
const MAX_CARDS: usize = 12;

/// For the main agent; starts an index run where one is due.
pub(super) fn briefing(event: &Event, cwd: &Path) -> Option<Said> {
    let graph = graph::open_for_session(place::repo_around(cwd)?)?;
    let text = annotate::briefing(&graph.snapshot.summary().ok()?, graph.state())?;
    session::prune(graph.cache(), SystemTime::now());
    match event.source.as_deref() {
        // The host has thrown away what was said.
        Some("clear") => {
            if let Some(mut memory) = memory::of(event, graph.cache()) {
                memory.journal().append(&[Entry::Cut]);
            }
        }
        Some("compact") => {
            let mut memory = memory::of(event, graph.cache());
            let recalled = memory.as_mut().and_then(|memory| recall(&graph, memory.journal()));
            if let Some(memory) = &mut memory {
                memory.journal().append(&[Entry::Cut]);
            }
            return with(text, recalled);
        }
        _ => {}
    }
    Some(text)
}

/// For a subagent, which does not see the main agent's briefing.
pub(super) fn short_briefing(event: &Event, cwd: &Path) -> Option<Said> {
    let graph = graph::open(place::repo_around(cwd)?)?;
    let text = annotate::briefing_short(&graph.snapshot.summary().ok()?, graph.state())?;
    let recalled = memory::of(event, graph.cache()).and_then(|mut memory| recall(&graph, memory.journal()));
    with(text, recalled)
}

fn with(text: Said, more: Option<Said>) -> Option<Said> {
    Said::lines([text].into_iter().chain(more).collect())
}

/// What all agents of the session did so far.
fn recall(graph: &Graph, journal: &Journal) -> Option<Said> {
    let trail = session::Trail::of(journal.entries().map(|(_, entry)| entry));
    let cards: Vec<(FileCard, bool)> = trail
        .visited
        .iter()
        .rev()
        .take(MAX_CARDS)
        .filter_map(|visit| Some((graph.snapshot.file(&visit.path).ok()??, visit.edited)))
        .collect();
    let next: Vec<CallerFile> = frontier(&trail, &cards).into_iter().map(|found| found.file).collect();
    let files = |edited: bool| -> Vec<CallerFile> {
        let wanted = trail.visited.iter().rev().filter(|visit| visit.edited == edited);
        wanted.map(|visit| CallerFile { path: visit.path.as_str().into(), unique_from: 0, line: 0 }).collect()
    };
    annotate::recall(&Recall { edited: &files(true), read: &files(false), next: &next, notes: &trail.notes })
}
