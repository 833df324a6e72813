//! What is in the graph, and from when?

use crate::model::Recorded;
use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize)]
pub struct Status {
    pub root: String,
    /// The commit that was checked out when the graph was made.
    #[serde(skip_serializing)] // Every answer carries it already.
    pub head: Option<String>,
    /// Seconds since 1970.
    pub indexed_at: i64,
    /// Counts the graphs that were made of this root.
    pub generation: i64,
    pub files: i64,
    pub symbols: i64,
    pub edges: i64,
    pub unresolved: i64,
    pub unreferenced: i64,
    /// Number of files by language and status (parsed, partial, fallback, words, skipped).
    pub by_language: BTreeMap<String, BTreeMap<String, i64>>,
    /// Why files were skipped or read in part, most frequent first.
    pub reasons: Vec<(String, i64)>,
}

/// # Errors
/// What SQLite says.
pub fn status(reader: &Reader) -> Result<Status> {
    ask(reader).context("asking for the state of the graph")
}

fn ask(reader: &Reader) -> Result<Status> {
    let connection = reader.connection();
    let mut by_language: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    let mut groups = connection.prepare("SELECT language, status, count(*) FROM file GROUP BY language, status")?;
    let mut rows = groups.query([])?;
    while let Some(row) = rows.next()? {
        by_language.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    let mut reasons = connection.prepare(
        "SELECT reason, count(*) FROM file WHERE reason <> '' GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 20",
    )?;
    let reasons = reasons.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let meta = reader.meta();
    Ok(Status {
        root: meta.root.clone(),
        head: meta.head.clone(),
        indexed_at: meta.indexed_at,
        generation: meta.generation,
        files: meta.files,
        symbols: meta.symbols,
        edges: meta.edges,
        unresolved: meta.unresolved,
        unreferenced: connection
            .query_row("SELECT count(*) FROM unreferenced WHERE NOT offered", [], |row| row.get(0))?,
        by_language,
        reasons,
    })
}

/// Every file by path, as it was when it was read.
///
/// # Errors
/// What SQLite says.
pub fn recorded(reader: &Reader) -> Result<BTreeMap<String, Recorded>> {
    let mut files = reader.connection().prepare("SELECT path, size, mtime_ns, content_hash, status FROM file")?;
    let mut rows = files.query([])?;
    let mut recorded = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let state = (row.get::<_, i64>(1)?.cast_unsigned(), row.get(2)?, row.get::<_, i64>(3)?.cast_unsigned());
        let skipped = row.get_ref(4)?.as_str().is_ok_and(|status| status == "skipped");
        recorded.insert(row.get(0)?, (!skipped).then_some(state));
    }
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use crate::store::sample;

    #[test]
    fn files_are_counted_by_language_and_status() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let status = super::status(&reader).unwrap();
        assert_eq!((status.files, status.unreferenced, status.generation), (5, 1, 1));
        assert_eq!(format!("{:?}", status.by_language), r#"{"python": {"parsed": 4, "partial": 1}}"#);
    }
}
