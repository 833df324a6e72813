//! What a question is about where it may be a symbol or a whole file: `path::Outer.inner`, `inner`, `path:line`, or a path.

use super::reach::Node;
use super::symbol::{COLUMNS, files};
use super::{Found, SymbolRow, find};
use crate::store::Reader;
use anyhow::Result;
use rusqlite::OptionalExtension;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Target {
    /// One symbol, or the overloads of one name.
    Symbols(Vec<SymbolRow>),
    File {
        #[serde(skip)]
        id: i64,
        file: String,
    },
}

/// What the words may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    One(Target),
    /// Different symbols or files: as many candidates as there are, `path::name` or path.
    Several(Vec<String>),
    /// Nothing of that name; what is closest to it.
    Nothing(Vec<String>),
}

/// # Errors
/// What SQLite says.
pub fn target(reader: &Reader, question: &str) -> Result<Meant> {
    let names = |rows: &[SymbolRow]| rows.iter().map(ToString::to_string).collect();
    Ok(match find(reader, question)? {
        Found::One(symbols) => Meant::One(Target::Symbols(symbols)),
        Found::Several(candidates) => Meant::Several(names(&candidates)),
        Found::Nothing => match files(reader, question.trim())?[..] {
            [] => Meant::Nothing(names(&super::search::search(reader, question, 5)?.found)),
            [id] => Meant::One(Target::File { id, file: path(reader, id)? }),
            ref several => Meant::Several(several.iter().map(|id| path(reader, *id)).collect::<Result<_>>()?),
        },
    })
}

fn path(reader: &Reader, file: i64) -> Result<String> {
    let found: Option<String> = reader
        .connection()
        .prepare_cached("SELECT path FROM file WHERE id = ?1")?
        .query_row([file], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// The nodes that a question about these is about: of a class also what it contains, of a file all of its code.
///
/// # Errors
/// What SQLite says.
pub(crate) fn nodes(reader: &Reader, targets: &[Target]) -> Result<BTreeSet<Node>> {
    let mut nodes = BTreeSet::new();
    for target in targets {
        match target {
            Target::Symbols(symbols) => nodes.extend(inside(reader, symbols)?.into_values().flatten()),
            Target::File { id, .. } => {
                nodes.insert(-id);
                nodes.extend(symbols_of(reader, *id)?.into_iter().map(|symbol| symbol.id));
            }
        }
    }
    Ok(nodes)
}

/// In source order.
pub(crate) fn symbols_of(reader: &Reader, file: i64) -> Result<Vec<SymbolRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM symbol s JOIN file f ON f.id = s.file WHERE s.file = ?1 ORDER BY s.line, s.id");
    let mut statement = reader.connection().prepare_cached(&sql)?;
    Ok(statement.query_map([file], SymbolRow::of)?.collect::<rusqlite::Result<_>>()?)
}

/// The symbols and all that is defined inside them, by file.
pub(crate) fn inside(reader: &Reader, symbols: &[SymbolRow]) -> Result<BTreeMap<i64, BTreeSet<i64>>> {
    let mut found: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for symbol in symbols {
        found.entry(symbol.file_id).or_default().insert(symbol.id);
    }
    let mut statement = reader
        .connection()
        .prepare_cached("SELECT id, container FROM symbol WHERE file = ?1 AND container > 0 ORDER BY id")?;
    for (file, callers) in &mut found {
        // A container stands before its members, so one pass finds them all.
        let mut rows = statement.query([file])?;
        while let Some(row) = rows.next()? {
            if callers.contains(&row.get(1)?) {
                callers.insert(row.get(0)?);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    fn meant(question: &str) -> String {
        let (_folder, reader) = sample::reader(sample::SHOP);
        match target(&reader, question).unwrap() {
            Meant::One(Target::Symbols(symbols)) => format!("symbol {}", symbols[0]),
            Meant::One(Target::File { file, .. }) => format!("file {file}"),
            Meant::Several(candidates) => format!("several: {}", candidates.join(" ")),
            Meant::Nothing(close) => format!("nothing, close: {}", close.join(" ")),
        }
    }

    #[test]
    fn symbols_and_files_are_told_apart_and_what_is_not_there_has_suggestions() {
        assert_eq!(meant("show"), "symbol app/views.py::show");
        assert_eq!(meant("app/views.py"), "file app/views.py");
        assert_eq!(meant("views.py"), "file app/views.py");
        assert_eq!(meant("app/views.py:4"), "symbol app/views.py::show");
        assert_eq!(
            meant("total"),
            "several: app/models.py::Invoice.total app/special.py::Special.total app/special.py::Rare.total"
        );
        assert_eq!(meant("leg"), "nothing, close: app/models.py::legacy");
        assert_eq!(meant("nope"), "nothing, close: ");
    }

    #[test]
    fn a_class_is_asked_about_with_its_members_and_a_file_with_all_of_its_code() {
        let (_folder, reader) = sample::reader(sample::SHOP);
        let nodes_of = |question: &str| {
            let Meant::One(target) = target(&reader, question).unwrap() else { panic!() };
            nodes(&reader, &[target]).unwrap().len()
        };
        assert_eq!((nodes_of("Invoice"), nodes_of("Invoice.total"), nodes_of("app/models.py")), (2, 1, 4));
    }
}
