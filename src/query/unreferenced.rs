//! Which exports have neither a reference nor another mention anywhere in the repository, and which are only offered to
//! others? What has hidden uses (entry points, registered names, ...) was left out by the index; this only reads its list.

use super::SymbolRow;
use super::symbol::COLUMNS;
use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;

/// An export that no code uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreferencedRow {
    #[serde(flatten)]
    pub symbol: SymbolRow,
    /// An import or a list of exports names it, so code elsewhere may get it from there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offered: bool,
}

/// By path and line. `under`: a file or folder from the root, empty for all.
///
/// # Errors
/// What SQLite says.
pub fn unreferenced(reader: &Reader, under: &str) -> Result<Vec<UnreferencedRow>> {
    let sql = format!(
        "SELECT {COLUMNS}, u.offered FROM unreferenced u JOIN symbol s ON s.id = u.symbol JOIN file f ON f.id = u.file
         WHERE ?1 = '' OR f.path = ?1 OR substr(f.path, 1, length(?1) + 1) = ?1 || '/'
         ORDER BY f.path, s.line, s.id"
    );
    let ask = || -> rusqlite::Result<Vec<UnreferencedRow>> {
        let mut statement = reader.connection().prepare_cached(&sql)?;
        let row =
            |row: &rusqlite::Row<'_>| Ok(UnreferencedRow { symbol: SymbolRow::of(row)?, offered: row.get("offered")? });
        statement.query_map([under.trim_end_matches('/')], row)?.collect()
    };
    ask().context("asking for unreferenced exports")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    #[test]
    fn exports_are_listed_below_a_folder() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let listed = |under: &str| -> Vec<String> {
            unreferenced(&reader, under).unwrap().iter().map(|row| row.symbol.to_string()).collect()
        };
        assert_eq!(listed(""), ["app/models.py::legacy"]);
        assert_eq!(listed("app/"), ["app/models.py::legacy"]);
        assert_eq!(listed("app/models.py"), ["app/models.py::legacy"]);
        assert!(listed("ap").is_empty());
    }

    #[test]
    fn what_is_only_offered_is_told_apart() {
        let graph = "file a.py\ndef function f 1 2\ndef function g 4 5\nunreferenced a.py::f\noffered a.py::g\n";
        let (_folder, reader) = sample::reader(graph);
        let rows = unreferenced(&reader, "").unwrap();
        let told: Vec<(&str, bool)> = rows.iter().map(|row| (&*row.symbol.qualname, row.offered)).collect();
        assert_eq!(told, [("f", false), ("g", true)]);
    }
}
