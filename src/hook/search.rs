//! PreToolUse of Grep: what the graph knows about the names that are looked for.

use std::path::{Path, PathBuf};

use super::event::Event;
use super::read::{self, usable};
use super::{graph, log, memory, pattern, place};
use crate::annotate::{self, MAX_TOKENS, Said, State};
use crate::session::Entry;

pub(super) fn context(event: &Event, cwd: &Path) -> Option<Said> {
    let pattern = event.input.pattern.as_deref()?;
    let path = match event.input.path.as_deref() {
        Some(path) => cwd.join(usable(path)?),
        None => cwd.to_path_buf(),
    };
    let names = pattern::identifiers(pattern, false);
    let paths = std::slice::from_ref(&path);
    let of_names = annotation(event, &names, paths, MAX_TOKENS);
    of_names.or_else(|| nearest(event, pattern, paths)).or_else(|| file_annotation(event, paths, MAX_TOKENS))
}

/// For a pattern that is no name of the graph, as a phrase or a name of other marks: the symbols whose names are made of all
/// of its words and no others.
pub(super) fn nearest(event: &Event, pattern: &str, paths: &[PathBuf]) -> Option<Said> {
    let words = pattern::words_of_name(pattern)?;
    let graph = graph::open(paths.iter().find_map(|path| place::repo_around(path))?)?;
    let mut found = Vec::new();
    for name in pattern::spellings(&words) {
        match graph.snapshot.symbols(&name) {
            // What is there under this very name was not worth an answer.
            Ok(symbols) if !symbols.is_empty() && name == pattern => return None,
            Ok(symbols) if !symbols.is_empty() => found.push((name, symbols)),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
    let text = annotate::nearest(pattern, &found, graph.state())?;
    let Some(mut memory) = memory::of(event, graph.cache()) else { return Some(text) };
    memory.say(pattern, vec![Entry::Searched { name: words.join(" ") }], Some(text), memory::About::default(), |_| None)
}

/// What is known about `names` in the repository of the first of `paths` that stands in one, in so many
/// tokens.
pub(super) fn annotation(event: &Event, names: &[String], paths: &[PathBuf], tokens: usize) -> Option<Said> {
    if names.is_empty() {
        return None;
    }
    let graph = graph::open(paths.iter().find_map(|path| place::repo_around(path))?)?;
    graph.refresh();
    let mut found = Vec::new();
    for name in names {
        match graph.snapshot.symbols(name) {
            Ok(symbols) if symbols.is_empty() => {}
            Ok(symbols) => found.push((name.clone(), symbols)),
            Err(reason) => {
                log::note(&format!("symbols refused: {reason:?}"));
                return None;
            }
        }
    }
    let text = if found.is_empty() { None } else { annotate::search(&found, State { tokens, ..graph.state() }) };
    let Some(mut memory) = memory::of(event, graph.cache()) else { return text };
    let searched = names.iter().map(|name| Entry::Searched { name: name.clone() }).collect();
    memory.say(&names.join(" "), searched, text, memory::About::default(), |_| None)
}

/// A search of one file whose names say nothing still says which file is of interest.
pub(super) fn file_annotation(event: &Event, paths: &[PathBuf], tokens: usize) -> Option<Said> {
    let [path] = paths else { return None };
    read::annotation(event, place::of_shell_path(path)?, None, tokens)
}
