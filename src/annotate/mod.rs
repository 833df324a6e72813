//! Answers -> text: the only place that words things for the agent. Pure.
//!
//! Plain factual sentences, most useful first, cut at a budget; no advice, no imperative, no claim beyond what the graph
//! holds: counts are of resolved references, guesses are numbers of their own, and nothing found is said as that. What
//! would only repeat the file at hand is left out, and `None` means that there is nothing worth the tokens.

pub mod answers;
mod briefing;
mod file;
mod impact;
mod places;
mod recall;
mod search;
mod seed;
mod shown;
#[cfg(test)]
mod tests;
mod text;
mod uses;

pub use crate::query::review::Broken;
pub use briefing::{briefing, briefing_short};
pub use file::file;
pub use impact::impact;
pub use recall::{Recall, changes, counts, recall};
pub use search::{nearest, search};
pub use seed::seed;
pub use shown::{MAX_SHOWN, Shown, is_hidden};
pub use text::{Said, estimate};

use crate::freshness::Freshness;
use text::Text;

/// What an annotation of a read or a search may cost, in estimated tokens. The estimate is within 12 %, so this is at most
/// 124 real ones; most annotations are far smaller.
pub const MAX_TOKENS: usize = 110;

/// How the graph relates to what is on disk now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<'a> {
    /// The worst of graph and file.
    pub freshness: Freshness,
    /// The commit that the graph was built from, short or long; `None` outside git.
    pub indexed: Option<&'a str>,
    /// What the text may cost, in estimated tokens: [`MAX_TOKENS`], or less where it is not the only one.
    pub tokens: usize,
}

impl State<'_> {
    /// `floorplan @5cb4f9a`
    fn source(&self) -> Text {
        match self.indexed.and_then(Shown::revision) {
            Some(revision) => Text::new("floorplan @").name(&revision),
            None => Text::new("floorplan index"),
        }
    }

    /// What has to be said before any number, for a graph or file that may have moved on; empty otherwise.
    fn warning(&self) -> Text {
        match self.freshness {
            Freshness::Behind => self.source().say(", behind HEAD: counts may be old. "),
            Freshness::FileChanged => {
                self.source().say(", file changed since: lines may have moved, counts may be old. ")
            }
            Freshness::Fresh | Freshness::Absent | Freshness::Unknown => Text::default(),
        }
    }

    /// The last sentence; empty after a warning.
    fn closing(&self) -> Text {
        match self.freshness {
            Freshness::Fresh => self.source().say(", current."),
            Freshness::Unknown => self.source().say(", freshness unknown."),
            Freshness::Behind | Freshness::FileChanged | Freshness::Absent => Text::default(),
        }
    }
}
