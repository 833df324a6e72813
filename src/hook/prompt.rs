//! UserPromptSubmit: what a prompt is about, and the annotations of the files that it mentions as `@path`, for which the host
//! runs no other hook.
//!
//! The only event, besides briefings, that may open SQLite. What is no task gets nothing: commands, notifications that the
//! host sends as prompts, pasted logs, chat.

use std::borrow::Cow;
use std::path::Path;

use super::event::Event;
use super::memory::About;
use super::place::{self, of_file};
use super::read::{self, usable};
use super::{graph, log, memory};
use crate::annotate::{self, MAX_TOKENS, Said};
use crate::query::seed::seed_for_agent;

/// Files of one prompt that are annotated, as for a command line.
const MAX_MENTIONS: usize = 2;

/// A prompt is searched this far for mentions, in bytes.
const MAX_SEARCHED: usize = 16 << 10;

/// What the journal calls the block.
const SUBJECT: &str = "(prompt)";

pub(super) fn context(event: &Event, cwd: &Path) -> Option<Said> {
    let prompt = event.prompt.as_deref()?.trim_start();
    if is_no_task(prompt) {
        return None;
    }
    let mut said: Vec<Said> = Vec::new();
    for path in mentions(prompt) {
        if said.len() < MAX_MENTIONS {
            said.extend(mentioned(event, cwd, path));
        }
    }
    said.extend(block(event, cwd, &without_log(prompt)));
    Said::lines(said)
}

/// Slash commands, shell lines, notes to the memory file, and what the host wraps in tags of its own.
fn is_no_task(prompt: &str) -> bool {
    match prompt.as_bytes() {
        [] | [b'!' | b'#', ..] => true,
        [b'<', next, ..] => next.is_ascii_alphabetic(),
        // `/src/a.py` is a path.
        [b'/', ..] => {
            let command = prompt[1..].split(char::is_whitespace).next().unwrap_or_default();
            !command.contains(['/', '.'])
        }
        _ => false,
    }
}

/// A prompt without the lines of a log or a stack trace that was pasted: they name files all over the repository. Fewer such
/// lines than that are somebody's own words.
fn without_log(prompt: &str) -> Cow<'_, str> {
    let searched = &prompt[..prompt.floor_char_boundary(MAX_SEARCHED)];
    if searched.lines().filter(|line| is_of_log(line)).count() < MIN_LOG_LINES {
        return Cow::Borrowed(prompt);
    }
    let mut own: Vec<&str> = Vec::new();
    let mut in_frame = false;
    for line in searched.lines() {
        // Python shows the code of each frame below it.
        let of_log = is_of_log(line) || in_frame && line.starts_with("    ");
        if !of_log {
            own.push(line);
        }
        in_frame = line.trim_start().starts_with("File \"");
    }
    Cow::Owned(own.join("\n"))
}

const MIN_LOG_LINES: usize = 3;

/// A time of day stands within so many bytes.
const MAX_STAMP: usize = 40;

/// A time of day, a level, or a frame of a stack.
fn is_of_log(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '[', '(', '|', '>']);
    let head = line.as_bytes().get(..MAX_STAMP).unwrap_or(line.as_bytes());
    let is_time = |at: &[u8]| {
        matches!(at, [a, b, b':', c, d, b':', e, f]
            if [a, b, c, d, e, f].into_iter().all(u8::is_ascii_digit))
    };
    let level = line.split([' ', ':', ']', '!', '\t', '/']).next().unwrap_or_default();
    let levels = ["TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "Traceback", "npm"];
    head.windows(8).any(is_time)
        || levels.contains(&level)
        || line.starts_with("at ") && line.contains(['(', '/'])
        || line.starts_with("File \"")
        || line.starts_with("Caused by: ")
}

/// Paths after an `@` that begins a word; `@"a b.py"` may hold blanks, and `#L3-9` after a path is left out.
fn mentions(prompt: &str) -> impl Iterator<Item = &str> {
    let searched = &prompt[..prompt.floor_char_boundary(MAX_SEARCHED)];
    searched.match_indices('@').filter_map(move |(at, _)| {
        let begins_word =
            searched[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || before == '(');
        let rest = &searched[at + 1..];
        let path = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => rest.split(char::is_whitespace).next()?.trim_end_matches([',', ';', ':', ')', '?', '!']),
        };
        let path = path.split("#L").next()?;
        (begins_word && !path.is_empty()).then_some(path)
    })
}

fn mentioned(event: &Event, cwd: &Path, path: &str) -> Option<Said> {
    let at = |path: &str| of_file(&cwd.join(usable(path)?));
    // The end of a sentence may be no part of the path.
    let place = at(path).or_else(|| at(path.trim_end_matches('.')))?;
    read::annotation(event, place, None, MAX_TOKENS)
}

fn block(event: &Event, cwd: &Path, prompt: &str) -> Option<Said> {
    let graph = graph::open(place::repo_around(cwd)?)?;
    graph.refresh();
    let reader = graph.database()?;
    let seed = match seed_for_agent(&reader, prompt) {
        Ok(seed) => seed,
        Err(error) => {
            log::note(&format!("prompt: {error:#}"));
            return None;
        }
    };
    let text = annotate::seed(&seed, graph.state());
    let Some(mut memory) = memory::of(event, graph.cache()) else { return text };
    let again = text.clone();
    let about = About { files: seed.files.iter().map(|file| file.path.as_str()).collect(), ..About::default() };
    memory.say(SUBJECT, Vec::new(), text, about, |_| again)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_task_gets_nothing() {
        for prompt in
            ["", "/compact", "/review the last commit", "!ls -l", "# always use tabs", "<task-notification>done"]
        {
            assert!(is_no_task(prompt), "{prompt}");
        }
        for prompt in ["fix it", "/src/a.py is slow", "< 3 files are shown", "@a.py: rename it"] {
            assert!(!is_no_task(prompt), "{prompt}");
        }
    }

    #[test]
    fn lines_of_a_log_are_left_out() {
        let log =
            "2026-01-02 03:04:05,678 INFO shop.cart: total\n[ERROR] tax failed\n\tat shop.Cart.total(Cart.java:3)\n";
        assert_eq!(without_log(log), "");
        assert_eq!(without_log(&format!("why?\n{log}\nsince noon")), "why?\n\nsince noon");
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\n  File \"b.py\", line 2\n    g()\nX: y";
        assert_eq!(without_log(trace), "X: y");
        for own in ["ERROR is printed twice\nat noon (always)", "info at 10:20\nat the\nnpm", "é".repeat(50).as_str()]
        {
            assert_eq!(without_log(own), own);
        }
    }

    #[test]
    fn mentions_are_words_that_begin_with_an_at() {
        let table: [(&str, &[&str]); 6] = [
            ("add caching to alpha in @pkg/a.py", &["pkg/a.py"]),
            ("(@a.py, @b.py#L3-9)?", &["a.py", "b.py"]),
            ("@\"a b.py\" too", &["a b.py"]),
            ("mail me@example.org", &[]),
            ("@", &[]),
            ("@@@\"", &[]),
        ];
        for (prompt, expected) in table {
            let found: Vec<&str> = mentions(prompt).filter(|path| !path.contains('@')).collect();
            assert_eq!(found, expected, "{prompt}");
        }
    }
}
