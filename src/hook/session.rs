//! SessionStart and SubagentStart: what this codebase is.
//!
//! The text depends on the graph and its freshness alone, so that it is the same bytes when a session is resumed (the
//! host then does not repeat it). The start of a session is also when a graph that is absent or behind gets renewed.

use std::path::Path;

use super::{graph, place};
use crate::annotate;

/// For the main agent; starts an index run where one is due.
pub(super) fn briefing(cwd: &Path) -> Option<String> {
    let graph = graph::open_for_session(place::repo_around(cwd)?)?;
    annotate::briefing(&graph.snapshot.summary().ok()?, graph.state())
}

/// For a subagent, which does not see the main agent's briefing.
pub(super) fn short_briefing(cwd: &Path) -> Option<String> {
    let graph = graph::open(place::repo_around(cwd)?)?;
    annotate::briefing_short(&graph.snapshot.summary().ok()?, graph.state())
}
