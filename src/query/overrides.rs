//! What a method overrides, and what overrides it, any number of levels away.

use crate::store::Reader;
use rusqlite::Result;
use std::collections::BTreeSet;

/// Methods that one answer looks at: `toString` of a large Java repository is overridden thousands of times.
const MAX_METHODS: usize = 4096;

/// All methods that `method` overrides, itself left out.
pub(crate) fn bases(reader: &Reader, method: i64) -> Result<BTreeSet<i64>> {
    closure(reader, method, "SELECT base FROM override WHERE method = ?1")
}

/// All methods that override `method`, itself left out.
pub(crate) fn overriders(reader: &Reader, method: i64) -> Result<BTreeSet<i64>> {
    closure(reader, method, "SELECT method FROM override WHERE base = ?1")
}

fn closure(reader: &Reader, start: i64, step: &str) -> Result<BTreeSet<i64>> {
    let mut statement = reader.connection().prepare_cached(step)?;
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(method) = open.pop() {
        for next in statement.query_map([method], |row| row.get(0))? {
            let next = next?;
            if next != start && found.len() < MAX_METHODS && found.insert(next) {
                open.push(next);
            }
        }
    }
    Ok(found)
}
