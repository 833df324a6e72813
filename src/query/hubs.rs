//! Which files does much of the repository depend on? They are crossed but never expanded by what follows dependents.

use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;

/// A file that many depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hub {
    pub path: String,
    /// Production files that use or import it.
    pub dependents: u32,
}

/// A hub has more dependents than this, however small the repository is: fewer can be read.
pub const MIN_DEPENDENTS: u32 = 25;

/// The hubs are at most this share of the production files: the top percentile.
const SHARE: u32 = 100;

/// Files with more than [`MIN_DEPENDENTS`] dependents that are among the top percentile of the production files, most
/// dependents first.
///
/// # Errors
/// What SQLite says.
pub fn hubs(reader: &Reader) -> Result<Vec<Hub>> {
    let ask = || -> rusqlite::Result<Vec<Hub>> {
        let production: u32 = reader.connection().query_row(
            "SELECT count(*) FROM file WHERE test = 0 AND status IN ('parsed', 'partial', 'fallback')",
            [],
            |row| row.get(0),
        )?;
        let mut dependents: BTreeMap<i64, u32> = BTreeMap::new();
        // A use and an import of the same file are one dependent.
        let sql = "SELECT used, count(*) FROM (
                SELECT s.file AS used, e.caller_file AS user FROM edge e JOIN symbol s ON s.id = e.callee
                    WHERE e.resolution < 4 AND e.caller_file <> s.file
                UNION SELECT imported, importer FROM import)
            JOIN file f ON f.id = user WHERE f.test = 0 GROUP BY used HAVING count(*) > ?1";
        let mut statement = reader.connection().prepare(sql)?;
        for row in statement.query_map([MIN_DEPENDENTS], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (file, count) = row?;
            dependents.insert(file, count);
        }
        let mut statement = reader.connection().prepare("SELECT path FROM file WHERE id = ?1 AND test = 0")?;
        let mut hubs = Vec::new();
        for (file, dependents) in dependents {
            if let Some(row) = statement.query([file])?.next()? {
                hubs.push(Hub { path: row.get(0)?, dependents });
            }
        }
        hubs.sort_by(|a, b| b.dependents.cmp(&a.dependents).then(a.path.cmp(&b.path)));
        hubs.truncate(production.div_ceil(SHARE) as usize);
        Ok(hubs)
    };
    ask().context("asking for hubs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    #[test]
    fn a_file_with_few_dependents_is_no_hub() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        assert_eq!(hubs(&reader).unwrap(), []);
    }

    #[test]
    fn a_file_that_many_use_is_one() {
        let files: String = (0..30).map(|n| format!("file user{n:02}.py\n")).collect();
        let edges: String = (0..30).map(|n| format!("edge user{n:02}.py 1 call imported core.py::f\n")).collect();
        let text = format!("file core.py\ndef function f 1 2\n{files}{edges}import user00.py core.py\n");
        let (_folder, reader) = sample::reader(&text);
        assert_eq!(hubs(&reader).unwrap(), [Hub { path: "core.py".into(), dependents: 30 }]);
    }
}
