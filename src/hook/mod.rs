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
    if let Some(task) = Task::of(&json) {
        watchdog::start();
        if let Some(line) = task.reply() {
            reply::write(&line);
        }
    }
}

/// Gives the context for an event in a folder, if there is anything to say.
type Answer = fn(&Event, &Path) -> Option<String>;

/// An event that may get an answer.
struct Task<'a> {
    event: Event<'a>,
    answer: Answer,
}

impl<'a> Task<'a> {
    fn of(json: &'a [u8]) -> Option<Task<'a>> {
        let event = Event::parse(json)?;
        let answer: Answer = match (event.name.as_deref()?, event.tool.as_deref()) {
            ("PreToolUse", Some("Read")) => read::context,
            ("PreToolUse", Some("Grep")) => search::context,
            ("PreToolUse", Some("Bash")) => shell::context,
            ("SessionStart", _) => |_, cwd| session::briefing(cwd),
            ("SubagentStart", _) => |_, cwd| session::short_briefing(cwd),
            _ => return None,
        };
        Some(Task { event, answer })
    }

    fn reply(&self) -> Option<String> {
        let cwd = Path::new(read::usable(self.event.cwd.as_deref()?)?);
        if !cwd.is_absolute() {
            return None;
        }
        reply::json(self.event.name.as_deref()?, &(self.answer)(&self.event, cwd)?)
    }
}

#[cfg(test)]
mod tests;
