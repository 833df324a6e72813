//! What the agent has done and been told before: nothing is said to it twice.
//!
//! An agent that reads a file again gets what has changed since, or nothing. Two copies of the hook for one tool call
//! (the plugin's and the settings') annotate once. Without a session id, and for a user who wants nothing kept, everything is
//! said anew.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::event::Event;
use crate::annotate::{Said, estimate};
use crate::session::{self, Entry, Journal, Shown, Who};

/// The journal of an event's agent, and the call that the event is about.
pub(super) struct Memory {
    journal: Journal,
    call: u64,
}

/// `None` where there is nothing to remember by.
pub(super) fn of(event: &Event, cache: &Path) -> Option<Memory> {
    let who = Who { session: event.session.as_deref()?, agent: event.agent.as_deref().unwrap_or_default() };
    let call = event.call.as_deref().map_or(0, |call| xxh3_64(call.as_bytes()));
    Some(Memory { journal: Journal::open(cache, who)?, call })
}

/// What an annotation is about.
#[derive(Default)]
pub(super) struct About<'a> {
    /// Files that it may name.
    pub(super) files: Vec<&'a str>,
    /// The numbers that a later one is compared with.
    pub(super) counts: Vec<(String, u32)>,
}

impl Memory {
    pub(super) fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// Notes what was done, and decides what of `text` is said: all of it the first time, nothing the second, `changes` from
    /// what was shown last when it is another text.
    pub(super) fn say(
        &mut self,
        subject: &str,
        done: Vec<Entry>,
        text: Option<Said>,
        about: About<'_>,
        changes: impl FnOnce(&[(String, u32)]) -> Option<Said>,
    ) -> Option<Said> {
        let told = self.journal.shown(subject);
        if self.call != 0 && told.iter().any(|shown| shown.call == self.call) {
            return None;
        }
        let text = text.and_then(|text| {
            let hash = xxh3_64(text.as_bytes());
            if told.iter().any(|shown| shown.text == hash) {
                return None;
            }
            match told.last() {
                Some(last) => changes(&last.counts),
                None => Some(text),
            }
        });
        // What is said now is remembered with the numbers of now, so that a change is told once.
        let mut entries = done;
        if let Some(text) = &text {
            entries.push(Entry::Shown(Shown {
                subject: subject.to_owned(),
                text: xxh3_64(text.as_bytes()),
                tokens: estimate(text) as u32,
                call: self.call,
                named: session::named_in(text, about.files.into_iter()),
                counts: about.counts,
            }));
        }
        self.journal.append(&entries);
        text
    }
}
