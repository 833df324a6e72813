//! PreToolUse of Bash: the reads and searches of a command line, answered as those of Read and Grep are.

use std::path::PathBuf;

use super::bash::Intent;
use super::event::Event;
use super::pattern::MAX_IDENTIFIERS;
use super::{place, read, search};

/// A command line may read many files; two annotations are about as much as a Read and a Grep would have cost.
const MAX_ANNOTATIONS: usize = 2;

pub(super) fn context(event: &Event, intents: &[Intent]) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    let mut say = |text: Option<String>| {
        if let Some(text) = text.filter(|text| said.len() < MAX_ANNOTATIONS && !said.contains(text)) {
            said.push(text);
        }
        said.len() < MAX_ANNOTATIONS
    };
    // All searches of a line are mostly after the same thing: they share one annotation, in the place of the first.
    let mut searches = Some(merged(intents));
    for intent in intents {
        let more = match intent {
            Intent::Read { path, lines } => {
                let clean = path.to_str().is_some_and(|path| !path.contains('\0'));
                say(place::of_shell_path(path)
                    .filter(|_| clean)
                    .and_then(|place| read::annotation(event, place, *lines)))
            }
            Intent::Search { .. } => match searches.take() {
                Some((names, paths)) => {
                    let of_names = search::annotation(event, &names, &paths);
                    let of_names = of_names.or_else(|| search::nearest(event, only_pattern(intents)?, &paths));
                    say(of_names.or_else(|| search::file_annotation(event, &paths)))
                }
                None => true,
            },
            Intent::Checkout { .. } => true,
        };
        if !more {
            break;
        }
    }
    (!said.is_empty()).then(|| said.join("\n"))
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
