//! Which exports have neither a reference nor another mention anywhere in the repository? What has hidden uses (entry
//! points, registered names, ...) was left out by the index; this only reads its list.

use super::SymbolRow;
use super::symbol::COLUMNS;
use crate::store::Reader;
use anyhow::{Context, Result};

/// By path and line. `under`: a file or folder from the root, empty for all.
///
/// # Errors
/// What SQLite says.
pub fn unreferenced(reader: &Reader, under: &str) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM unreferenced u JOIN symbol s ON s.id = u.symbol JOIN file f ON f.id = u.file
         WHERE ?1 = '' OR f.path = ?1 OR substr(f.path, 1, length(?1) + 1) = ?1 || '/'
         ORDER BY f.path, s.line, s.id"
    );
    let ask = || -> rusqlite::Result<Vec<SymbolRow>> {
        let mut statement = reader.connection().prepare_cached(&sql)?;
        statement.query_map([under.trim_end_matches('/')], SymbolRow::of)?.collect()
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
            unreferenced(&reader, under).unwrap().iter().map(ToString::to_string).collect()
        };
        assert_eq!(listed(""), ["app/models.py::legacy"]);
        assert_eq!(listed("app/"), ["app/models.py::legacy"]);
        assert_eq!(listed("app/models.py"), ["app/models.py::legacy"]);
        assert!(listed("ap").is_empty());
    }
}
