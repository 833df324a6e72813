//! PreToolUse of Bash: the reads and searches of a command line, answered as those of Read and Grep are, in what one of them
//! may cost.

use std::path::PathBuf;

use super::bash::Intent;
use super::event::Event;
use super::pattern::MAX_IDENTIFIERS;
use super::{place, read, search};
use crate::annotate::{MAX_TOKENS, Said, estimate};

/// A command line may read many files: of more than two not enough could be said of each.
const MAX_ANNOTATIONS: usize = 2;

/// The first of several annotations leaves room for another.
const FIRST_OF_MANY: usize = MAX_TOKENS * 3 / 5;

/// Less is not worth a look: a path, a count and the freshness.
const LEAST: usize = 30;

pub(super) fn context(event: &Event, intents: &[Intent]) -> Option<Said> {
    // All searches of a line are mostly after the same thing: they share one annotation, in the place of the first.
    let is_search = |intent: &Intent| matches!(intent, Intent::Search { .. });
    let first_search = intents.iter().position(is_search);
    let parts: Vec<&Intent> = (0..)
        .zip(intents)
        .filter(|(at, intent)| !is_search(intent) || first_search == Some(*at))
        .map(|(_, intent)| intent)
        .collect();
    let mut said: Vec<Said> = Vec::new();
    let mut left = MAX_TOKENS;
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len() || said.len() + 1 == MAX_ANNOTATIONS;
        let tokens = if is_last { left } else { left.min(FIRST_OF_MANY) };
        let Some(text) = annotation(event, part, intents, tokens).filter(|text| !said.contains(text)) else { continue };
        left = left.saturating_sub(estimate(&text));
        said.push(text);
        if said.len() == MAX_ANNOTATIONS || left < LEAST {
            break;
        }
    }
    Said::lines(said)
}

fn annotation(event: &Event, part: &Intent, intents: &[Intent], tokens: usize) -> Option<Said> {
    match part {
        Intent::Read { path, lines } => {
            path.to_str().filter(|path| !path.contains('\0'))?;
            read::annotation(event, place::of_shell_path(path)?, *lines, tokens)
        }
        Intent::Search { .. } => {
            let (names, paths) = merged(intents);
            let of_names = search::annotation(event, &names, &paths, tokens);
            let of_names = of_names.or_else(|| search::nearest(event, only_pattern(intents)?, &paths));
            of_names.or_else(|| search::file_annotation(event, &paths, tokens))
        }
        Intent::Checkout { .. } => None,
    }
}

/// The pattern of the search of a command line, if it is the only one.
fn only_pattern(intents: &[Intent]) -> Option<&str> {
    let mut patterns = intents.iter().filter_map(|intent| match intent {
        Intent::Search { pattern, .. } => Some(pattern.as_str()),
        _ => None,
    });
    patterns.next().filter(|_| patterns.next().is_none())
}

fn merged(intents: &[Intent]) -> (Vec<String>, Vec<PathBuf>) {
    let (mut names, mut all_paths) = (Vec::new(), Vec::new());
    for intent in intents {
        let Intent::Search { paths, .. } = intent else { continue };
        for name in intent.identifiers() {
            if names.len() < MAX_IDENTIFIERS && !names.contains(&name) {
                names.push(name);
            }
        }
        for path in paths {
            if !all_paths.contains(path) {
                all_paths.push(path.clone());
            }
        }
    }
    (names, all_paths)
}
