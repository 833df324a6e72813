//! The frontier: files next to what was visited that were not visited themselves, those worth most first.
//!
//! Neighbours are what the cards name: users (ranked by how specific what they use is), files of which only guesses are
//! known, bases and overriding files. Dependents of an edited file come before those of one that was only read: they may
//! no longer fit; what is known not to fit comes before everything. A file next to several visited ones gathers from each.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Trail;
use crate::store::snapshot::{CallerFile, FileCard};

/// Why a file is on the frontier, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Something in it does not fit an edit.
    NoLongerFits,
    /// It uses a file that was edited.
    UsesEdited,
    /// It and an edited file override one another.
    OverridesEdited,
    UsesRead,
    OverridesRead,
    /// Only a guess leads there.
    Possible,
}

/// A file worth a look.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontier {
    pub file: CallerFile,
    pub reason: Reason,
    /// The visited file that leads there.
    pub from: Arc<str>,
    /// Sum of what leads there; only the order tells something.
    pub score: f64,
}

/// The frontier of a session. `visited` is its latest files as cards with whether each was edited, the most recent first.
pub fn frontier(trail: &Trail, visited: &[(FileCard, bool)]) -> Vec<Frontier> {
    let mut found: BTreeMap<Arc<str>, Frontier> = BTreeMap::new();
    let is_visited = |path: &str| trail.has(path);
    for (age, (card, edited)) in visited.iter().enumerate() {
        let recent = 1.0 / (1.0 + age as f64 / 8.0);
        let weight = recent * if *edited { 4.0 } else { 1.0 };
        let (uses, overrides) = match edited {
            true => (Reason::UsesEdited, Reason::OverridesEdited),
            false => (Reason::UsesRead, Reason::OverridesRead),
        };
        let groups: [(&[CallerFile], Reason, f64); 4] = [
            (&card.callers, uses, 1.0),
            (&card.overriders, overrides, 0.8),
            (&card.bases, overrides, 0.8),
            (&card.possible, Reason::Possible, 0.3),
        ];
        for (files, reason, share) in groups {
            for (rank, file) in files.iter().enumerate().filter(|(_, file)| !is_visited(&file.path)) {
                let score = weight * share / (1.0 + rank as f64 / 4.0);
                let entry = found.entry(Arc::clone(&file.path)).or_insert_with(|| Frontier {
                    file: file.clone(),
                    reason,
                    from: Arc::clone(&card.path),
                    score: 0.0,
                });
                entry.score += score;
                if reason < entry.reason {
                    (entry.reason, entry.from) = (reason, Arc::clone(&card.path));
                }
            }
        }
    }
    for path in &trail.to_check {
        let path: Arc<str> = path.as_str().into();
        let file = CallerFile { path: Arc::clone(&path), unique_from: 0, line: 0 };
        let from = visited
            .iter()
            .find(|(_, edited)| *edited)
            .map_or_else(|| Arc::clone(&path), |(card, _)| Arc::clone(&card.path));
        let reason = Reason::NoLongerFits;
        let entry = found.entry(path).or_insert(Frontier { file, reason, from, score: 0.0 });
        entry.reason = reason;
    }
    let mut frontier: Vec<Frontier> = found.into_values().collect();
    let fits = |found: &Frontier| found.reason != Reason::NoLongerFits;
    frontier
        .sort_by(|a, b| fits(a).cmp(&fits(b)).then(b.score.total_cmp(&a.score)).then(a.file.path.cmp(&b.file.path)));
    frontier
}
