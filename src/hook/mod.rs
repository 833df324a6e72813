//! The program without arguments: an event of the host on standard input, at most one line of context on standard output.
//!
//! Whatever happens, the exit code is 0 and the agent goes on: no event, no graph, a fault of our own and a deadline all
//! end in silence. No decision is ever made about the tool call. Nothing here parses code, opens SQLite or runs git.

#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod bash;
mod event;
mod graph;
mod log;
mod pattern;
mod place;
mod read;
mod reply;
mod search;
mod session;
mod shell;
mod watchdog;

use std::io::BufReader;
use std::path::Path;

use event::Event;

/// Events come in pieces of a pipe's buffer at most; one of usual size in one.
const INPUT_BUFFER: usize = 8 << 10;

/// Answers the event on standard input. Never panics.
pub fn run() {
    // The default hook would print to the user's screen at each tool call.
    std::panic::set_hook(Box::new(|_| {}));
    if std::panic::catch_unwind(answer).is_err() {
        log::note("panic");
    }
}

fn answer() {
    let mut input = BufReader::with_capacity(INPUT_BUFFER, watchdog::Input::new());
    let Some(json) = event::read(&mut input) else { return };
    if let Some(line) = reply_to(&json) {
        reply::write(&line);
    }
}

/// The reply to an event, if there is anything to say.
fn reply_to(json: &[u8]) -> Option<String> {
    let event = Event::parse(json)?;
    let name = event.name.as_deref()?;
    reply::json(name, &context(&event, name)?)
}

fn context(event: &Event, name: &str) -> Option<String> {
    let cwd = Path::new(read::usable(event.cwd.as_deref()?)?);
    if !cwd.is_absolute() {
        return None;
    }
    match (name, event.tool.as_deref()) {
        ("PreToolUse", Some("Read")) => in_time(|| read::context(event, cwd)),
        ("PreToolUse", Some("Grep")) => in_time(|| search::context(event, cwd)),
        ("PreToolUse", Some("Bash")) => in_time(|| shell::context(event, cwd)),
        ("SessionStart", _) => in_time(|| session::briefing(cwd)),
        ("SubagentStart", _) => in_time(|| session::short_briefing(cwd)),
        _ => None,
    }
}

fn in_time(work: impl FnOnce() -> Option<String>) -> Option<String> {
    watchdog::start();
    work()
}

#[cfg(test)]
mod tests;
