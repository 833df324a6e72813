//! What is known about one file: all rows behind its annotation, so that every number in it can be checked.

use super::symbol::COLUMNS;
use super::{MAX_SITES, SymbolRow, grade};
use crate::store::{Reader, codes};
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, Row};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Serialize)]
pub struct FileRows {
    pub file: FileRow,
    /// In source order.
    pub symbols: Vec<SymbolUses>,
    /// The files that use symbols of this one, by path.
    pub users: Vec<FileUses>,
    /// Files that import this one, and that it imports.
    pub importers: Vec<String>,
    pub imports: Vec<String>,
    pub unreferenced: Vec<SymbolRow>,
    /// References in this file whose target is not known, and those that go to a library.
    pub unresolved: i64,
    pub external: i64,
    /// Only the first [`MAX_SITES`] uses were looked at.
    pub capped: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct FileRow {
    #[serde(skip)]
    id: i64,
    pub path: String,
    pub language: String,
    pub status: String,
    pub reason: String,
    pub size: u64,
    pub mtime_ns: i64,
    /// XXH3-64 in hexadecimal: JSON numbers do not hold 64 bits everywhere.
    pub content_hash: String,
    pub lines: u32,
    pub test: bool,
    /// Inclusive line ranges that did not parse.
    pub unparsed: Vec<(u32, u32)>,
    /// Lines with targets that cannot be seen in the text (`getattr`, reflection).
    pub dynamic: Vec<u32>,
}

/// One symbol of the file and how many use it.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolUses {
    #[serde(flatten)]
    pub symbol: SymbolRow,
    /// Functions (and module-level codes) of production code that call it, resolved; this file's own included.
    pub callers: usize,
    /// Files of those.
    pub caller_files: usize,
    /// Test files that call it, resolved.
    pub test_files: usize,
    /// Call sites that only may call it.
    pub possible: usize,
    /// Resolved uses that run nothing.
    pub other_uses: usize,
}

/// Resolved uses in another file.
#[derive(Clone, Debug, Serialize)]
pub struct FileUses {
    pub path: String,
    pub test: bool,
    /// Symbol used, kind of use, and line in the other file.
    pub uses: Vec<(String, &'static str, u32)>,
}

/// `None` if there is no such file. `path` is relative to the root.
///
/// # Errors
/// What SQLite says.
pub fn file(reader: &Reader, path: &str) -> Result<Option<FileRows>> {
    ask(reader, path).with_context(|| format!("asking for {path}"))
}

fn ask(reader: &Reader, path: &str) -> Result<Option<FileRows>> {
    let connection = reader.connection();
    let sql = "SELECT id, path, language, status, reason, size, mtime_ns, content_hash, lines, test, unparsed, dynamic
        FROM file WHERE path = ?1";
    let Some(file) = connection.query_row(sql, [path], file_row).optional()? else { return Ok(None) };
    let sql =
        format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.file = ?1 ORDER BY s.line, s.id");
    let symbols =
        connection.prepare(&sql)?.query_map([file.id], SymbolRow::of)?.collect::<rusqlite::Result<Vec<_>>>()?;

    let mut left = MAX_SITES;
    let mut users: BTreeMap<String, FileUses> = BTreeMap::new();
    let mut counted = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        counted.push(count(reader, &file, symbol, &mut users, &mut left)?);
    }
    for user in users.values_mut() {
        user.uses.sort_unstable_by(|a, b| (a.2, &a.0, a.1).cmp(&(b.2, &b.0, b.1)));
    }
    let paths = |sql: &str| -> rusqlite::Result<Vec<String>> {
        connection.prepare(sql)?.query_map([file.id], |row| row.get(0))?.collect()
    };
    let (external, unresolved) = connection.query_row(
        "SELECT coalesce(sum(external), 0), coalesce(sum(1 - external), 0) FROM unresolved WHERE file = ?1",
        [file.id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let sql = format!(
        "SELECT {COLUMNS} FROM unreferenced u JOIN symbol s ON s.id = u.symbol JOIN file f ON f.id = u.file
         WHERE u.file = ?1 AND NOT u.offered ORDER BY s.line, s.id"
    );
    Ok(Some(FileRows {
        importers: paths(
            "SELECT f.path FROM import i JOIN file f ON f.id = i.importer WHERE i.imported = ?1 ORDER BY f.path",
        )?,
        imports: paths(
            "SELECT f.path FROM import i JOIN file f ON f.id = i.imported WHERE i.importer = ?1 ORDER BY f.path",
        )?,
        unreferenced: connection
            .prepare(&sql)?
            .query_map([file.id], SymbolRow::of)?
            .collect::<rusqlite::Result<_>>()?,
        symbols: counted,
        users: users.into_values().collect(),
        unresolved,
        external,
        capped: left == 0,
        file,
    }))
}

fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: row.get(0)?,
        path: row.get(1)?,
        language: row.get(2)?,
        status: row.get(3)?,
        reason: row.get(4)?,
        size: row.get::<_, i64>(5)?.cast_unsigned(),
        mtime_ns: row.get(6)?,
        content_hash: format!("{:016x}", row.get::<_, i64>(7)?),
        lines: row.get(8)?,
        test: row.get(9)?,
        unparsed: codes::to_ranges(&row.get::<_, String>(10)?),
        dynamic: codes::to_dynamic_lines(&row.get::<_, String>(11)?),
    })
}

/// Counts the uses of one symbol, and notes those of other files in `users`.
fn count(
    reader: &Reader,
    file: &FileRow,
    symbol: SymbolRow,
    users: &mut BTreeMap<String, FileUses>,
    left: &mut u32,
) -> Result<SymbolUses> {
    let mut statement = reader.connection().prepare_cached(
        "SELECT e.caller_file, f.path, f.test, e.caller, e.line, e.kind, e.resolution
         FROM edge e JOIN file f ON f.id = e.caller_file WHERE e.callee = ?1 LIMIT ?2",
    )?;
    let (mut callers, mut files, mut test_files) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut possible, mut other_uses) = (0, 0);
    let mut rows = statement.query((symbol.id, *left))?;
    while let Some(row) = rows.next()? {
        *left = left.saturating_sub(1);
        let (from, test, caller): (i64, bool, i64) = (row.get(0)?, row.get(2)?, row.get(3)?);
        let (kind, resolution) = grade(row, 5, 6)?;
        match (kind.is_call(), resolution.is_resolved()) {
            (true, true) if test => _ = test_files.insert(from),
            (true, true) => {
                callers.insert((from, caller));
                files.insert(from);
            }
            (true, false) => possible += 1,
            (false, true) => other_uses += 1,
            (false, false) => {}
        }
        if resolution.is_resolved() && from != file.id {
            let path: String = row.get(1)?;
            let user = users.entry(path.clone()).or_insert_with(|| FileUses { path, test, uses: Vec::new() });
            user.uses.push((symbol.qualname.clone(), kind.name(), row.get(4)?));
        }
    }
    Ok(SymbolUses {
        symbol,
        callers: callers.len(),
        caller_files: files.len(),
        test_files: test_files.len(),
        possible,
        other_uses,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;
    use insta::assert_snapshot;
    use std::fmt::Write;

    #[test]
    fn every_number_of_an_annotation_is_there() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let rows = file(&reader, "app/models.py").unwrap().unwrap();
        let mut text = String::new();
        for uses in &rows.symbols {
            let (callers, files, tests) = (uses.callers, uses.caller_files, uses.test_files);
            let (possible, other) = (uses.possible, uses.other_uses);
            let name = &uses.symbol.qualname;
            writeln!(text, "{name}: {callers} in {files}, tests {tests}, possible {possible}, other {other}").unwrap();
        }
        for user in &rows.users {
            writeln!(text, "{}: {:?}", user.path, user.uses).unwrap();
        }
        writeln!(text, "importers {:?}, imports {:?}", rows.importers, rows.imports).unwrap();
        assert_snapshot!(text, @r#"
        Invoice: 1 in 1, tests 0, possible 0, other 2
        Invoice.total: 2 in 2, tests 1, possible 0, other 0
        legacy: 0 in 0, tests 0, possible 1, other 0
        app/special.py: [("Invoice", "inherit", 1)]
        app/views.py: [("Invoice", "import", 1), ("Invoice", "construct", 4), ("Invoice.total", "call", 5), ("Invoice.total", "call", 5), ("Invoice.total", "call", 7)]
        tests/test_models.py: [("Invoice.total", "call", 3)]
        importers ["app/special.py", "app/views.py", "tests/test_models.py"], imports []
        "#);
        assert_eq!(rows.unreferenced.len(), 1);
        assert_eq!(rows.file.content_hash, "fffffffffffffffa");
    }

    #[test]
    fn unparsed_ranges_are_kept_and_unknown_files_are_none() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        assert_eq!(file(&reader, "broken.py").unwrap().unwrap().file.unparsed, [(3, 9)]);
        assert!(file(&reader, "nothing.py").unwrap().is_none());
    }
}
