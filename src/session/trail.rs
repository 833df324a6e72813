//! What a session did so far, file by file.

use std::collections::{BTreeMap, BTreeSet};

use super::Entry;

/// A file that was read or edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    pub path: String,
    pub edited: bool,
    /// Times it was read or edited.
    pub times: u32,
}

/// The files and notes of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The latest last, each file once.
    pub visited: Vec<Visit>,
    /// Files with places that may no longer fit an edit, and that were neither read nor edited since; by path.
    pub to_check: Vec<String>,
    /// Names that were searched for, the latest last, each once.
    pub searched: Vec<String>,
    /// (subject, text), oldest first.
    pub notes: Vec<(String, String)>,
    /// Tokens that were said, and how often something was.
    pub tokens: u64,
    pub said: u32,
}

impl Trail {
    pub fn of(entries: impl Iterator<Item = Entry>) -> Trail {
        let mut trail = Trail::default();
        // Path -> (number of its last event, edited, times).
        let mut visits: BTreeMap<String, (usize, bool, u32)> = BTreeMap::new();
        let mut searches: BTreeMap<String, usize> = BTreeMap::new();
        let mut to_check = BTreeSet::new();
        for (number, entry) in entries.enumerate() {
            match entry {
                Entry::Read { path, .. } => {
                    to_check.remove(&path);
                    visit(&mut visits, path, number, false);
                }
                Entry::Edited { path } => {
                    to_check.remove(&path);
                    visit(&mut visits, path, number, true);
                }
                Entry::ToCheck { path } => drop(to_check.insert(path)),
                Entry::Searched { name } => drop(searches.insert(name, number)),
                Entry::Note { subject, text } => trail.notes.push((subject, text)),
                Entry::Shown(shown) => {
                    trail.tokens += u64::from(shown.tokens);
                    trail.said += 1;
                }
                Entry::Briefed { .. } | Entry::Cut => {}
            }
        }
        trail.to_check = to_check.into_iter().collect();
        let mut ordered: Vec<(usize, Visit)> =
            visits.into_iter().map(|(path, (number, edited, times))| (number, Visit { path, edited, times })).collect();
        ordered.sort_by_key(|(number, _)| *number);
        trail.visited = ordered.into_iter().map(|(_, visit)| visit).collect();
        let mut ordered: Vec<(usize, String)> = searches.into_iter().map(|(name, number)| (number, name)).collect();
        ordered.sort_unstable();
        trail.searched = ordered.into_iter().map(|(_, name)| name).collect();
        trail
    }

    /// Was the file read or edited?
    pub fn has(&self, path: &str) -> bool {
        self.visited.iter().any(|visit| visit.path == path)
    }
}

fn visit(visits: &mut BTreeMap<String, (usize, bool, u32)>, path: String, number: usize, edited: bool) {
    let visit = visits.entry(path).or_insert((number, edited, 0));
    *visit = (number, visit.1 || edited, visit.2 + 1);
}
