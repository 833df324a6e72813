//! One file per question that can be asked of a graph. Each returns plain structs, whole and in a fixed order; what of it is
//! shown, and how, is for the commands and the server that ask.
//!
//! Every question has its bound: a hub of a large repository has hundreds of thousands of callers, and nobody reads them.

pub mod blast_radius;
pub mod callees;
pub mod callers;
pub mod confidence;
pub mod dump;
pub mod file;
pub mod hubs;
pub mod implementations;
pub mod kinds;
pub mod listing;
pub mod neighborhoods;
pub mod neighbors;
mod outline;
mod overrides;
pub mod path;
pub mod plan;
pub mod reach;
pub mod review;
pub mod search;
pub mod seed;
pub mod status;
pub mod symbol;
pub mod target;
pub mod unreferenced;

use crate::model::Resolution;
use serde::Serialize;

pub use symbol::{Found, SymbolRow, find};

/// Call sites that one answer looks at. Past it an answer says that it is not whole.
pub const MAX_SITES: u32 = 20_000;

/// One place in the code that uses a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Site {
    pub line: u32,
    /// As in [`crate::model::EdgeKind::name`].
    pub kind: &'static str,
    /// As in [`Resolution::name`].
    pub resolution: &'static str,
}

/// Kind and resolution of an edge row. A code that this version does not know is damage that SQLite cannot see.
fn grade(
    row: &rusqlite::Row<'_>,
    kind: usize,
    resolution: usize,
) -> rusqlite::Result<(crate::model::EdgeKind, Resolution)> {
    use crate::store::codes;
    let unknown = |column, code| rusqlite::Error::IntegralValueOutOfRange(column, code);
    let (kind_code, resolution_code) = (row.get(kind)?, row.get(resolution)?);
    Ok((
        codes::to_edge_kind(kind_code).ok_or_else(|| unknown(kind, kind_code))?,
        codes::to_resolution(resolution_code).ok_or_else(|| unknown(resolution, resolution_code))?,
    ))
}
