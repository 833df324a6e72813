//! Which symbol is meant? `path::Outer.inner`, `Outer.inner`, `inner` or `path:line`; a path may leave out its first
//! folders. Several answers are no answer: the candidates are returned for the asker to choose from, never the first one.

use crate::store::{Reader, codes};
use anyhow::{Context, Result};
use rusqlite::{OptionalExtension, Row, named_params};
use serde::Serialize;
use std::fmt;

/// Candidates that are returned at most.
pub const MAX_CANDIDATES: u32 = 200;

/// The columns of [`SymbolRow`], from `symbol s` and its `file f`.
pub(crate) const COLUMNS: &str =
    "s.id, s.file, f.path, s.qualname, s.kind, s.line, s.end_line, s.exported, f.test, s.signature";

/// A symbol as the outside sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolRow {
    #[serde(skip)]
    pub(crate) id: i64,
    #[serde(skip)]
    pub(crate) file_id: i64,
    /// Path from the root.
    pub file: String,
    pub qualname: String,
    /// As in [`crate::model::DefKind::name`].
    pub kind: &'static str,
    pub line: u32,
    pub end_line: u32,
    pub exported: bool,
    pub test: bool,
    /// As in [`crate::model::Symbol::signature`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

impl fmt::Display for SymbolRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.file, self.qualname)
    }
}

impl SymbolRow {
    /// From a row that begins with [`COLUMNS`].
    pub(crate) fn of(row: &Row<'_>) -> rusqlite::Result<SymbolRow> {
        let code = row.get(4)?;
        let kind = codes::to_def_kind(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(4, code))?;
        Ok(SymbolRow {
            id: row.get(0)?,
            file_id: row.get(1)?,
            file: row.get(2)?,
            qualname: row.get(3)?,
            kind: kind.name(),
            line: row.get(5)?,
            end_line: row.get(6)?,
            exported: row.get(7)?,
            test: row.get(8)?,
            signature: row.get(9)?,
        })
    }

    /// A class, or whatever else can be a type and has members.
    pub fn is_type(&self) -> bool {
        matches!(self.kind, "class" | "interface" | "enum" | "record" | "annotation")
    }
}

/// What a question names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// One symbol, or the overloads of one name.
    One(Vec<SymbolRow>),
    /// Different symbols, by path and line; at most [`MAX_CANDIDATES`].
    Several(Vec<SymbolRow>),
}

/// # Errors
/// What SQLite says.
pub fn find(reader: &Reader, question: &str) -> Result<Found> {
    let context = || format!("looking for {question}");
    let rows = match parse(question) {
        Question::Name(name) => by_name(reader, &name).with_context(context)?,
        Question::Line { path, line } => by_line(reader, path, line).with_context(context)?,
    };
    let same = |row: &SymbolRow| {
        rows.first().is_some_and(|first| (&first.file, &first.qualname) == (&row.file, &row.qualname))
    };
    Ok(match rows.len() {
        0 => Found::Nothing,
        _ if rows.iter().all(same) => Found::One(rows),
        _ => Found::Several(rows),
    })
}

enum Question<'q> {
    Name(Name<'q>),
    Line { path: &'q str, line: u32 },
}

struct Name<'q> {
    path: Option<&'q str>,
    qualname: &'q str,
    /// Number of parameters, which tells overloads apart (`path::C.m#2`).
    params: Option<u16>,
}

fn parse(question: &str) -> Question<'_> {
    let question = question.trim();
    if let Some((path, line)) = question.rsplit_once(':')
        && let Ok(line) = line.parse()
        && !path.ends_with(':')
    {
        return Question::Line { path, line };
    }
    let (path, qualname) = match question.split_once("::") {
        Some((path, qualname)) => (Some(path), qualname),
        None => (None, question),
    };
    let overload = qualname.rsplit_once('#').and_then(|(name, params)| Some((name, params.parse().ok()?)));
    let (qualname, params) = overload.map_or((qualname, None), |(name, params)| (name, Some(params)));
    Question::Name(Name { path, qualname: qualname.trim_end_matches("()"), params })
}

/// `./a/b.py` and `a/b.py` are one path.
fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}

fn by_name(reader: &Reader, name: &Name<'_>) -> Result<Vec<SymbolRow>> {
    let path = name.path.map(plain);
    let last = name.qualname.rsplit('.').next().unwrap_or_default();
    let sql = format!(
        "SELECT {COLUMNS} FROM name n JOIN symbol s ON s.name = n.id JOIN file f ON f.id = s.file
         WHERE n.text = :last
           AND (s.qualname = :qualname OR substr(s.qualname, -length(:inner)) = :inner)
           AND (:path IS NULL OR f.path = :path OR substr(f.path, -length(:below)) = :below)
           AND (:params IS NULL OR s.params = :params)
         ORDER BY f.path IS NOT :path, s.qualname <> :qualname, f.path, s.line, s.id LIMIT :limit"
    );
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let rows = statement.query_map(
        named_params! {
            ":last": last,
            ":qualname": name.qualname,
            ":inner": format!(".{}", name.qualname),
            ":path": path,
            ":below": path.map(|path| format!("/{path}")),
            ":params": name.params,
            ":limit": MAX_CANDIDATES,
        },
        SymbolRow::of,
    )?;
    let mut rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    // Who gives a whole path means that file, and there the whole name; the order above has put those first.
    if let Some(path) = path {
        let whole_path = rows.first().is_some_and(|row| row.file == path);
        rows.retain(|row| !whole_path || row.file == path);
        let whole_name = rows.first().is_some_and(|row| row.qualname == name.qualname);
        rows.retain(|row| !whole_name || row.qualname == name.qualname);
    } else {
        rows.sort_by(|a, b| (&a.file, a.line, a.id).cmp(&(&b.file, b.line, b.id)));
    }
    Ok(rows)
}

/// The innermost function or class around the line, else whatever else is defined there; of each file that is meant.
fn by_line(reader: &Reader, path: &str, line: u32) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file
         WHERE s.file = ?1 AND s.line <= ?2 AND s.end_line >= ?2 ORDER BY s.line DESC, s.end_line, s.id"
    );
    let mut statement = reader.connection().prepare_cached(&sql)?;
    let mut found = Vec::new();
    for file in files(reader, path)? {
        let rows = statement.query_map((file, line), SymbolRow::of)?.collect::<rusqlite::Result<Vec<_>>>()?;
        let runs = |row: &&SymbolRow| row.is_type() || matches!(row.kind, "function" | "method" | "constructor");
        found.extend(rows.iter().find(runs).or(rows.first()).cloned());
    }
    Ok(found)
}

/// Ids of the files that `path` may mean: the one of exactly that path, else those that end in it.
pub(crate) fn files(reader: &Reader, path: &str) -> Result<Vec<i64>> {
    let path = plain(path);
    let connection = reader.connection();
    let exact = connection.query_row("SELECT id FROM file WHERE path = ?1", [path], |row| row.get(0)).optional()?;
    if let Some(id) = exact {
        return Ok(vec![id]);
    }
    let mut statement =
        connection.prepare_cached("SELECT id FROM file WHERE substr(path, -length(?1)) = ?1 ORDER BY path LIMIT ?2")?;
    let ids = statement.query_map((format!("/{path}"), MAX_CANDIDATES), |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    fn asked(graph: &str, question: &str) -> String {
        let (_folder, reader) = sample::reader(graph);
        let lines =
            |rows: Vec<SymbolRow>| -> Vec<String> { rows.iter().map(|row| format!("{row}:{}", row.line)).collect() };
        match find(&reader, question).unwrap() {
            Found::Nothing => "nothing".into(),
            Found::One(rows) => lines(rows).join(" "),
            Found::Several(rows) => format!("several: {}", lines(rows).join(" ")),
        }
    }

    #[test]
    fn a_symbol_is_found_by_any_name_that_is_its_own() {
        for question in [
            "app/models.py::Invoice.total",
            "./app/models.py::Invoice.total",
            "models.py::Invoice.total",
            "models.py::total",
            "Invoice.total",
            "Invoice.total()",
            " Invoice.total#0 ",
            "app/models.py:4",
            "models.py:2",
        ] {
            assert_eq!(asked(sample::SHOP, question), "app/models.py::Invoice.total:2", "{question}");
        }
    }

    #[test]
    fn a_name_of_several_symbols_gives_all_of_them() {
        assert_eq!(
            asked(sample::SHOP, "total"),
            "several: app/models.py::Invoice.total:2 app/special.py::Special.total:2 app/special.py::Rare.total:12"
        );
    }

    #[test]
    fn what_is_not_there_is_nothing_and_never_something_like_it() {
        for question in
            ["totals", "voice.total", "odels.py::Invoice", "app/models.py:25", "x.py:1", "", "::", ":", ".", "total#7"]
        {
            assert_eq!(asked(sample::SHOP, question), "nothing", "{question}");
        }
    }

    #[test]
    fn a_whole_path_and_name_mean_one_symbol_even_if_others_end_in_them() {
        let graph =
            "file a.py\ndef function f 1 2\ndef class C 4 9\ndef method C.f 5 6\nfile lib/a.py\ndef function f 1 2\n";
        assert_eq!(asked(graph, "a.py::f"), "a.py::f:1");
        assert_eq!(asked(graph, "a.py:5"), "a.py::C.f:5");
        assert_eq!(asked(graph, "f"), "several: a.py::f:1 a.py::C.f:5 lib/a.py::f:1");
    }

    #[test]
    fn overloads_are_one_answer() {
        let graph = "file A.java\ndef class A 1 9\ndef method A.m 2 3\ndef method A.m 4 5\n";
        assert_eq!(asked(graph, "A.m"), "A.java::A.m:2 A.java::A.m:4");
    }
}
