//! What is around a symbol or file: what uses it and what it uses, to so many steps, each direction by itself.

use super::blast_radius::{BlastRadius, Question, blast_radius};
use super::kinds::Kinds;
use super::reach::Direction;
use super::target::{Target, symbols_of};
use crate::store::Reader;
use anyhow::Result;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Neighbors {
    pub used_by: BlastRadius,
    pub uses: BlastRadius,
    /// Of a file: the names that it exports, in source order.
    pub exports: Vec<String>,
}

/// `limit`: how many to list in each direction.
///
/// # Errors
/// What SQLite says.
pub fn neighbors(reader: &Reader, targets: Vec<Target>, hops: u32, kinds: Kinds, limit: usize) -> Result<Neighbors> {
    let mut exports = Vec::new();
    for target in &targets {
        if let Target::File { id, .. } = target {
            let symbols = symbols_of(reader, *id)?;
            let names = symbols.into_iter().filter(|symbol| symbol.exported && !symbol.qualname.contains('.'));
            exports.extend(names.map(|symbol| symbol.qualname));
        }
    }
    let question = Question { direction: Direction::Dependents, depth: hops, kinds, limit };
    Ok(Neighbors {
        used_by: blast_radius(reader, targets.clone(), &question)?,
        uses: blast_radius(reader, targets, &Question { direction: Direction::Dependencies, ..question })?,
        exports,
    })
}
