//! How an index relates to the tree at hand: the words that the hook and the indexer share.

/// State of the graph, or of one file in it, against what is on disk now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    Fresh,
    Behind,
    FileChanged,
    Absent,
    Unknown,
}
