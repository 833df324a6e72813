//! What an agent did and was told before: what changed since, and what to know after its context is gone.

use super::places::Places;
use super::shown::Shown;
use super::text::{Said, Text};
use super::uses::symbol_name;
use super::{MAX_TOKENS, State};
use crate::store::snapshot::{CallerFile, FileCard};

/// Symbols whose counts are remembered: an annotation names four.
const MAX_COUNTS: usize = 8;
/// Notes that are repeated, the latest ones, and what all of them may cost.
const MAX_NOTES: usize = 3;
const NOTES_TOKENS: usize = 40;
/// What a recall may cost (300 real tokens, by an estimate that may be 10 % low), and each of its lists of files.
const RECALL_TOKENS: usize = 270;
const LIST_TOKENS: usize = 70;

/// The entry that tells whether the annotation began with a warning; no symbol has such a name.
const WARNED: &str = "!";

fn warns(state: State<'_>) -> bool {
    !state.warning().is_empty()
}

/// The numbers that a later annotation of the file is compared with: users of the file under the empty name, then of its
/// symbols.
pub fn counts(card: &FileCard, state: State<'_>) -> Vec<(String, u32)> {
    let symbols = card.symbols.iter().take(MAX_COUNTS);
    let counts = symbols.map(|symbol| (symbol.qualname.clone(), symbol.callers.max(symbol.use_files)));
    [(String::new(), card.users), (WARNED.to_owned(), u32::from(warns(state)))].into_iter().chain(counts).collect()
}

/// `src/billing/invoice.py: since it was shown, finalize() went from 6 to 7 callers, its users from 4 to 5 files.`; `None` when
/// no number has changed and nothing has become doubtful.
pub fn changes(card: &FileCard, before: &[(String, u32)], state: State<'_>) -> Option<Said> {
    let was = |name: &str| before.iter().find(|(known, _)| known == name).map(|(_, count)| *count);
    let head = Text::default().name(&Shown::path(&card.path)).say(": ").append(&state.warning());
    let mut text = head.clone().say("since it was shown, ");
    let mut changed = 0;
    for symbol in card.symbols.iter().take(MAX_COUNTS) {
        let now = symbol.callers.max(symbol.use_files);
        let Some(before) = was(&symbol.qualname).filter(|before| *before != now) else { continue };
        let callers = symbol.kind.is_callable() && symbol.callers >= symbol.use_files;
        let name = symbol_name(&symbol.qualname, callers);
        let phrase = name.say(" went from ").number(before.into()).say(" to ").number(now.into());
        let phrase = phrase.say(if callers { " callers" } else { " files" });
        text = if changed > 0 { text.say(", ") } else { text }.append(&phrase);
        changed += 1;
        if text.tokens() > MAX_TOKENS / 2 {
            break;
        }
    }
    if let Some(before) = was("").filter(|before| *before != card.users) {
        text = if changed > 0 { text.say(", ") } else { text }.say("its users from ").number(before.into());
        text = text.say(" to ").count(card.users, " file", " files");
        changed += 1;
    }
    if changed > 0 {
        return Some(text.say(". ").append(&state.closing()).finish());
    }
    // What was said before has become doubtful: that is said once.
    (warns(state) && was(WARNED) == Some(0)).then(|| head.finish())
}

/// `Noted of Invoice.finalize: rounds twice. `: the latest notes about a file.
pub(super) fn kept_notes(notes: &[(String, String)]) -> Text {
    let mut text = Text::default();
    for (subject, note) in notes.iter().rev().take(MAX_NOTES) {
        let name = subject.split_once("::").map(|(_, name)| name);
        let phrase = match name {
            Some(name) => Text::new("Noted of ").append(&symbol_name(name, false)),
            None => Text::new("Noted"),
        };
        let phrase = phrase.say(": ").name(&Shown::note(note)).say(". ");
        if text.tokens_with(&phrase) <= NOTES_TOKENS {
            text = text.append(&phrase);
        }
    }
    text
}

/// What a session did so far, the latest first in each list of files.
#[derive(Clone, Copy, Debug)]
pub struct Recall<'a> {
    pub edited: &'a [CallerFile],
    pub read: &'a [CallerFile],
    /// Not visited, next to what was: the frontier.
    pub next: &'a [CallerFile],
    /// (subject, text), oldest first.
    pub notes: &'a [(String, String)],
}

/// At most 300 tokens; `None` if nothing was done yet.
pub fn recall(done: &Recall<'_>) -> Option<Said> {
    if done.edited.is_empty() && done.read.is_empty() && done.notes.is_empty() {
        return None;
    }
    let mut text = Text::new("So far in this session: ");
    let mut any = false;
    let lists = [("edited ", done.edited), ("read ", done.read), ("not opened yet but next to these: ", done.next)];
    for (heading, files) in lists {
        let list = listed(files);
        if list.len == 0 {
            continue;
        }
        text = if any { text.say("; ") } else { text }.say(heading).append(&list.text());
        let left = files.len() as u64 - u64::from(list.len);
        text = if left > 0 { text.say(" +").number(left) } else { text };
        any = true;
    }
    text = if any { text.say(". ") } else { text };
    for (subject, note) in done.notes.iter().rev() {
        let (path, name) = subject.split_once("::").unwrap_or((subject, ""));
        let phrase = Text::new("Noted of ").name(&Shown::path(path));
        let phrase = if name.is_empty() { phrase } else { phrase.say(" ").append(&symbol_name(name, false)) };
        let phrase = phrase.say(": ").name(&Shown::note(note)).say(". ");
        if text.tokens_with(&phrase) > RECALL_TOKENS {
            break;
        }
        text = text.append(&phrase);
    }
    Some(text.finish())
}

fn listed(files: &[CallerFile]) -> Places<'_> {
    let mut list = Places::default();
    for file in files {
        if !list.push(file, LIST_TOKENS) {
            break;
        }
    }
    list
}
