//! The program without arguments: an event of the host on standard input, at most one line of context on standard output.
//!
//! Whatever happens, the exit code is 0 and the agent goes on: no event, no graph, a fault of our own and a deadline all
//! end in silence. No decision is ever made about the tool call. Nothing here parses code or runs git, and
//! nothing but a prompt opens SQLite.

#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod bash;
mod checkout;
mod edit;
mod event;
mod graph;
mod log;
mod memory;
mod pattern;
mod place;
mod prompt;
mod read;
mod reply;
mod search;
mod session;
mod shell;
mod watchdog;

use std::io::BufReader;
use std::path::PathBuf;

use bash::Intent;
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
    let mut input = BufReader::with_capacity(INPUT_BUFFER, watchdog::Input::default());
    let Some(json) = event::read(&mut input) else { return };
    if let Some(task) = Task::of(&json) {
        watchdog::start();
        if let Some(line) = task.reply() {
            reply::write(&line);
        }
    }
}

/// An event that may get an answer.
struct Task<'a> {
    event: Event<'a>,
    cwd: PathBuf,
    question: Question,
}

enum Question {
    Read,
    Search,
    /// Of a command line; never empty.
    Commands(Vec<Intent>),
    Briefing,
    ShortBriefing,
    Prompt,
    /// A tool has changed a file.
    Edited,
    /// A command has had git change files in the work trees of these folders; never empty.
    CheckedOut(Vec<PathBuf>),
}

impl<'a> Task<'a> {
    /// Looks at nothing but the event, so that most events (commands that neither read nor search) end here, without
    /// the cost of the watchdog.
    fn of(json: &'a [u8]) -> Option<Task<'a>> {
        let event = Event::parse(json)?;
        let cwd = PathBuf::from(read::usable(event.cwd.as_deref()?)?);
        if !cwd.is_absolute() {
            return None;
        }
        let question = match (event.name.as_deref()?, event.tool.as_deref()) {
            ("PreToolUse", Some("Read")) => Question::Read,
            ("PreToolUse", Some("Grep")) => Question::Search,
            ("PreToolUse", Some("Bash")) => {
                let intents = bash::intents(event.input.command.as_deref()?, &cwd);
                (!intents.is_empty()).then_some(Question::Commands(intents))?
            }
            ("PostToolUse", Some("Edit" | "Write" | "MultiEdit" | "NotebookEdit")) => Question::Edited,
            ("PostToolUse", Some("Bash")) => {
                let folders = bash::checkouts(event.input.command.as_deref()?, &cwd);
                (!folders.is_empty()).then_some(Question::CheckedOut(folders))?
            }
            ("SessionStart", _) => Question::Briefing,
            ("SubagentStart", _) => Question::ShortBriefing,
            ("UserPromptSubmit", _) => Question::Prompt,
            _ => return None,
        };
        Some(Task { event, cwd, question })
    }

    fn reply(&self) -> Option<String> {
        let context = match &self.question {
            Question::Read => read::context(&self.event, &self.cwd),
            Question::Search => search::context(&self.event, &self.cwd),
            Question::Commands(intents) => shell::context(&self.event, intents),
            Question::Briefing => session::briefing(&self.event, &self.cwd),
            Question::ShortBriefing => session::short_briefing(&self.event, &self.cwd),
            Question::Prompt => prompt::context(&self.event, &self.cwd),
            Question::Edited => edit::context(&self.event, &self.cwd),
            Question::CheckedOut(folders) => checkout::context(folders),
        }?;
        reply::json(self.event.name.as_deref()?, &context)
    }
}

#[cfg(test)]
mod tests;
