//! UserPromptSubmit: what a prompt is about, and the annotations of the files that it mentions as `@path`, for which the host
//! runs no other hook.
//!
//! The only event, besides briefings, that may open SQLite. What is no task gets nothing: commands, notifications that the
//! host sends as prompts, chat.

use std::path::Path;

use super::event::Event;
use super::memory::About;
use super::place::{self, of_file};
use super::read::{self, usable};
use super::{graph, log, memory};
use crate::annotate::{self, MAX_TOKENS};
use crate::query::seed::seed_for_agent;

/// Files of one prompt that are annotated, as for a command line.
const MAX_MENTIONS: usize = 2;

/// A prompt is searched this far for mentions, in bytes.
const MAX_SEARCHED: usize = 16 << 10;

/// What the journal calls the block.
const SUBJECT: &str = "(prompt)";

pub(super) fn context(event: &Event, cwd: &Path) -> Option<String> {
    let prompt = event.prompt.as_deref()?.trim_start();
    if is_no_task(prompt) {
        return None;
    }
    let mut said: Vec<String> = Vec::new();
    for path in mentions(prompt) {
        if said.len() < MAX_MENTIONS {
            said.extend(mentioned(event, cwd, path));
        }
    }
    said.extend(block(event, cwd, prompt));
    (!said.is_empty()).then(|| said.join("\n"))
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

fn mentioned(event: &Event, cwd: &Path, path: &str) -> Option<String> {
    let at = |path: &str| of_file(&cwd.join(usable(path)?));
    // The end of a sentence may be no part of the path.
    let place = at(path).or_else(|| at(path.trim_end_matches('.')))?;
    read::annotation(event, place, None, MAX_TOKENS)
}

fn block(event: &Event, cwd: &Path, prompt: &str) -> Option<String> {
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
