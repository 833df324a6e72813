//! The program without arguments: an event of the host on standard input, at most one line of context on standard output.
//!
//! Whatever happens, the exit code is 0 and the agent goes on: no event, no graph, a fault of our own and a deadline all
//! end in silence. No decision is ever made about the tool call. Nothing here parses code or runs git, and
//! nothing but a prompt opens SQLite.

#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod bash;
mod checkout;
mod choices;
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

use std::path::PathBuf;

use bash::Intent;
use event::Event;
pub use watchdog::{out_of_time, watchdog_thread};

use crate::annotate::Said;

/// Answers the event on standard input. Never panics.
pub fn run(watchdog: watchdog::Start) {
    // The default hook would print to the user's screen at each tool call.
    std::panic::set_hook(Box::new(|_| {}));
    if std::panic::catch_unwind(|| answer(watchdog)).is_err() {
        log::note("panic");
    }
}

fn answer(watchdog: watchdog::Start) {
    let Some(json) = event::read(&mut watchdog::Input::default()) else { return };
    if let Some(task) = Task::of(&json) {
        watchdog(match task.question {
            Question::Prompt => watchdog::WORK_OF_PROMPT,
            _ => watchdog::WORK,
        });
        if let Some(line) = task.reply() {
            reply::write(&line);
        }
    }
}

/// What became of an event that was answered again.
pub struct Replay {
    /// Its name, and the tool's if it has one.
    pub event: String,
    /// What it asks; none if no event of its kind is answered.
    pub asks: Option<String>,
    /// What is said to it in a session that has just begun.
    pub said: Option<String>,
}

/// Answers a captured event again, without a trace in a session's journal. `None` if it is no event.
pub fn replay(json: &[u8]) -> Option<Replay> {
    let json = event::read(&mut &*json)?;
    let event = Event::parse(&json)?;
    let words = [event.name.as_deref()?, event.tool.as_deref().unwrap_or_default()];
    let event = words.join(" ").trim_end().to_string();
    let Some(mut task) = Task::of(&json) else { return Some(Replay { event, asks: None, said: None }) };
    // Nothing is remembered without a session.
    task.event.session = None;
    Some(Replay { event, asks: Some(task.asks()), said: task.context().map(|said| said.to_string()) })
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
        reply::json(self.event.name.as_deref()?, &self.context()?)
    }

    fn asks(&self) -> String {
        let input = &self.event.input;
        let path = || input.file_path.as_deref().or(input.notebook_path.as_deref()).unwrap_or("no file").to_string();
        let asked = |intent: &Intent| match intent {
            Intent::Read { path, .. } => format!("a read of {}", path.display()),
            Intent::Checkout { folder } => format!("a checkout in {}", folder.display()),
            Intent::Search { pattern, .. } => match intent.identifiers().join(", ") {
                names if names.is_empty() => format!("a search for {pattern}, which holds no name"),
                names => format!("a search for {names}"),
            },
        };
        match &self.question {
            Question::Read => format!("a read of {}", path()),
            Question::Search => format!("a search for {}", input.pattern.as_deref().unwrap_or_default()),
            Question::Commands(intents) => intents.iter().map(asked).collect::<Vec<_>>().join("; "),
            Question::Briefing => "a briefing".to_string(),
            Question::ShortBriefing => "a briefing for a subagent".to_string(),
            Question::Prompt => "what a prompt is about".to_string(),
            Question::Edited => format!("what an edit of {} breaks", path()),
            Question::CheckedOut(_) => "nothing: git has changed files, and the graph follows".to_string(),
        }
    }

    fn context(&self) -> Option<Said> {
        match &self.question {
            Question::Read => read::context(&self.event, &self.cwd),
            Question::Search => search::context(&self.event, &self.cwd),
            Question::Commands(intents) => shell::context(&self.event, intents),
            Question::Briefing => session::briefing(&self.event, &self.cwd),
            Question::ShortBriefing => session::short_briefing(&self.event, &self.cwd),
            Question::Prompt => prompt::context(&self.event, &self.cwd),
            Question::Edited => edit::context(&self.event, &self.cwd),
            Question::CheckedOut(folders) => checkout::context(folders),
        }
    }
}

#[cfg(test)]
mod tests;
