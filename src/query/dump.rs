//! The whole graph as JSON lines, for machines: sorted by kind of line, then by path and position, so that the same graph
//! gives the same bytes whatever ids the database happens to use.
//!
//! Edges to overriding methods are not stored but made here: each resolved call of a method that others override may run
//! one of those.

use super::callees::MAX_OVERRIDERS;
use super::confidence::confidence;
use super::symbol::COLUMNS;
use super::{SymbolRow, grade, overrides};
use crate::model::{Counts, Resolution};
use crate::store::{Reader, postings};
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::HashMap;
use std::rc::Rc;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// One line. Fields are written in this order.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum Line {
    Definition {
        file: String,
        line: u32,
        end_line: u32,
        qualname: String,
        kind: &'static str,
        exported: bool,
        test: bool,
    },
    Edge {
        caller_file: String,
        caller_line: u32,
        /// Empty for module-level code.
        caller_qualname: String,
        callee_file: String,
        callee_line: u32,
        callee_qualname: String,
        kind: &'static str,
        resolution: &'static str,
        resolved: bool,
        /// As measured for the grade and the language; null where it was not.
        confidence: Option<f64>,
        test: bool,
    },
    File {
        file: String,
        language: String,
        status: String,
        reason: String,
        test: bool,
    },
    /// A file of a neighborhood; `entry` from 1 for its doors, 0 for the others.
    Member {
        file: String,
        label: String,
        cohesion: Option<i16>,
        membership: Option<i16>,
        entry: u8,
    },
    /// What a file can be found by: how many terms, and a sum of them, which tells two graphs apart.
    Terms {
        file: String,
        terms: u32,
        sum: u64,
    },
    Unreferenced {
        file: String,
        line: u32,
        name: String,
        qualname: String,
        /// See [`super::unreferenced::UnreferencedRow`].
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        offered: bool,
    },
}

/// Hands every line to `emit`, in order; stops at its first error.
///
/// # Errors
/// What SQLite or `emit` says.
pub fn dump(reader: &Reader, emit: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    definitions(reader, emit).context("dumping definitions")?;
    edges(reader, emit).context("dumping edges")?;
    files(reader, emit).context("dumping files")?;
    members(reader, emit).context("dumping neighborhoods")?;
    terms(reader, emit).context("dumping terms")?;
    unreferenced(reader, emit).context("dumping unreferenced exports")
}

fn definitions(reader: &Reader, emit: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    let sql = format!(
        "SELECT {COLUMNS} FROM file f JOIN symbol s ON s.file = f.id
         ORDER BY f.path, s.line, s.qualname, s.end_line, s.kind, s.id"
    );
    let mut statement = reader.connection().prepare(&sql)?;
    for row in statement.query_map([], SymbolRow::of)? {
        let SymbolRow { file, line, end_line, qualname, kind, exported, test, .. } = row?;
        emit(&Line::Definition { file, line, end_line, qualname, kind, exported, test })?;
    }
    Ok(())
}

/// What is called: path, line, qualified name.
type Target = (String, u32, String);

/// One edge, in the order of the output.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct EdgeRow {
    line: u32,
    caller: String,
    callee: Target,
    kind: crate::model::EdgeKind,
    resolution: Resolution,
}

/// File by file, so that no more than one file's edges are in memory.
fn edges(reader: &Reader, emit: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    let connection = reader.connection();
    let mut files = connection.prepare("SELECT id, path, test, language FROM file ORDER BY path")?;
    let mut rows = files.query([])?;
    let mut overriders = Overriders { reader, known: HashMap::new() };
    while let Some(row) = rows.next()? {
        let (id, path, test): (i64, String, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let language: String = row.get(3)?;
        for edge in edges_of(reader, id, &mut overriders)? {
            let (callee_file, callee_line, callee_qualname) = edge.callee;
            emit(&Line::Edge {
                caller_file: path.clone(),
                caller_line: edge.line,
                caller_qualname: edge.caller,
                callee_file,
                callee_line,
                callee_qualname,
                kind: edge.kind.name(),
                resolution: edge.resolution.name(),
                resolved: edge.resolution.is_resolved(),
                confidence: confidence(&language, edge.resolution),
                test,
            })?;
        }
    }
    Ok(())
}

/// Sorted; equal sites on one line are one edge, since nothing in the output could tell them apart.
fn edges_of(reader: &Reader, file: i64, overriders: &mut Overriders<'_>) -> Result<Vec<EdgeRow>> {
    let mut statement = reader.connection().prepare_cached(
        "SELECT e.line, c.qualname, f.path, s.line, s.qualname, e.kind, e.resolution, e.callee, e.caller
         FROM edge e JOIN symbol s ON s.id = e.callee JOIN file f ON f.id = s.file LEFT JOIN symbol c ON c.id = e.caller
         WHERE e.caller_file = ?1",
    )?;
    let mut edges = Vec::new();
    let mut rows = statement.query([file])?;
    while let Some(row) = rows.next()? {
        let (kind, resolution) = grade(row, 5, 6)?;
        let line = row.get(0)?;
        let caller = row.get::<_, Option<String>>(1)?.unwrap_or_default();
        if kind.is_call() && resolution.is_resolved() {
            let methods = overriders.of(row.get(7)?)?;
            // A call of the base from an override of it is `super.m()`, which goes nowhere else.
            if !methods.ids.contains(&row.get(8)?) {
                edges.extend(methods.named.iter().map(|target| EdgeRow {
                    line,
                    caller: caller.clone(),
                    callee: target.clone(),
                    kind,
                    resolution: Resolution::Override,
                }));
            }
        }
        edges.push(EdgeRow { line, caller, callee: (row.get(2)?, row.get(3)?, row.get(4)?), kind, resolution });
    }
    edges.sort_unstable();
    // Of one site and target the best grade is said, and that stands first.
    edges.dedup_by(|a, b| (a.line, &a.caller, &a.callee, a.kind) == (b.line, &b.caller, &b.callee, b.kind));
    Ok(edges)
}

/// Overriding methods by overridden method; a base is called from many places.
struct Overriders<'r> {
    reader: &'r Reader,
    known: HashMap<i64, Rc<Methods>>,
}

struct Methods {
    ids: std::collections::BTreeSet<i64>,
    /// The first [`MAX_OVERRIDERS`] by path and line.
    named: Vec<Target>,
}

impl Overriders<'_> {
    fn of(&mut self, base: i64) -> Result<Rc<Methods>> {
        if let Some(methods) = self.known.get(&base) {
            return Ok(Rc::clone(methods));
        }
        let ids = overrides::overriders(self.reader, base)?;
        let mut statement = self.reader.connection().prepare_cached(
            "SELECT f.path, s.line, s.qualname FROM symbol s JOIN file f ON f.id = s.file WHERE s.id = ?1",
        )?;
        let mut named: Vec<Target> = Vec::with_capacity(ids.len());
        for id in &ids {
            named.push(statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?);
        }
        named.sort_unstable();
        named.truncate(MAX_OVERRIDERS);
        let methods = Rc::new(Methods { ids, named });
        self.known.insert(base, Rc::clone(&methods));
        Ok(methods)
    }
}

fn files(reader: &Reader, emit: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    let mut statement =
        reader.connection().prepare("SELECT path, language, status, reason, test FROM file ORDER BY path")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (file, language, status) = (row.get(0)?, row.get(1)?, row.get(2)?);
        emit(&Line::File { file, language, status, reason: row.get(3)?, test: row.get(4)? })?;
    }
    Ok(())
}

fn members(reader: &Reader, emit: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    let mut statement = reader.connection().prepare(
        "SELECT f.path, c.label, c.cohesion, m.membership, coalesce(e.rank, 0) FROM member m
         JOIN file f ON f.id = m.file JOIN community c ON c.id = m.community
         LEFT JOIN entry_point e ON e.community = m.community AND e.file = m.file ORDER BY f.path",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (file, label, cohesion) = (row.get(0)?, row.get(1)?, row.get(2)?);
        emit(&Line::Member { file, label, cohesion, membership: row.get(3)?, entry: row.get(4)? })?;
    }
    Ok(())
}

fn terms(reader: &Reader, emit: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    let mut of_files: HashMap<u32, (u32, u64)> = HashMap::new();
    let mut statement = reader.connection().prepare("SELECT hash, postings FROM term")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let hash: u32 = row.get(0)?;
        let add = |file: u32, counts: Counts| {
            let (terms, sum) = of_files.entry(file).or_default();
            *terms += 1;
            // The same in any order.
            *sum = sum.wrapping_add(xxh3_64_with_seed(&counts, hash.into()));
        };
        postings::each(row.get_ref(1)?.as_blob()?, add).context("a term is damaged")?;
    }
    let mut statement = reader.connection().prepare("SELECT id, path FROM file ORDER BY path")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some((terms, sum)) = of_files.get(&row.get(0)?) {
            emit(&Line::Terms { file: row.get(1)?, terms: *terms, sum: *sum })?;
        }
    }
    Ok(())
}

fn unreferenced(reader: &Reader, emit: &mut dyn FnMut(&Line) -> Result<()>) -> Result<()> {
    for row in super::unreferenced::unreferenced(reader, "")? {
        let SymbolRow { file, line, mut qualname, signature, .. } = row.symbol;
        let name = qualname.rsplit('.').next().unwrap_or_default().to_owned();
        qualname += &signature;
        emit(&Line::Unreferenced { file, line, name, qualname, offered: row.offered })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;
    use insta::assert_snapshot;

    fn lines_of(graph: &str) -> Vec<String> {
        let (_folder, reader) = sample::reader(graph);
        let mut lines = Vec::new();
        dump(&reader, &mut |line| {
            lines.push(serde_json::to_string(line)?);
            Ok(())
        })
        .unwrap();
        lines
    }

    /// The line with the measured number left out, which changes with each measurement.
    fn without_confidence(line: &str) -> String {
        let Some((before, after)) = line.split_once("\"confidence\":") else { return line.to_owned() };
        let (number, rest) = after.split_once(',').unwrap();
        assert!((0.0..=1.0).contains(&number.parse::<f64>().unwrap()));
        format!("{before}\"confidence\":_,{rest}")
    }

    #[test]
    fn every_kind_of_line_has_its_fields_in_order() {
        let graph = "file a.py\ndef class A 1 5\ndef method A.m 2 3\nfile b.py\ndef class B 1 5\ndef method B.m 2 3\n\
            file tests/t.py\ndef function test_m 3 4\nedge tests/t.py::test_m 4 call typed_receiver a.py::A.m\n\
            edge tests/t.py 1 import imported a.py::A\noverride b.py::B.m a.py::A.m\nunreferenced b.py::B.m\n";
        let lines: Vec<String> = lines_of(graph).iter().map(|line| without_confidence(line)).collect();
        assert_snapshot!(lines.join("\n"), @r#"
        {"t":"definition","file":"a.py","line":1,"end_line":5,"qualname":"A","kind":"class","exported":true,"test":false}
        {"t":"definition","file":"a.py","line":2,"end_line":3,"qualname":"A.m","kind":"method","exported":true,"test":false}
        {"t":"definition","file":"b.py","line":1,"end_line":5,"qualname":"B","kind":"class","exported":true,"test":false}
        {"t":"definition","file":"b.py","line":2,"end_line":3,"qualname":"B.m","kind":"method","exported":true,"test":false}
        {"t":"definition","file":"tests/t.py","line":3,"end_line":4,"qualname":"test_m","kind":"function","exported":true,"test":true}
        {"t":"edge","caller_file":"tests/t.py","caller_line":1,"caller_qualname":"","callee_file":"a.py","callee_line":1,"callee_qualname":"A","kind":"import","resolution":"imported","resolved":true,"confidence":_,"test":true}
        {"t":"edge","caller_file":"tests/t.py","caller_line":4,"caller_qualname":"test_m","callee_file":"a.py","callee_line":2,"callee_qualname":"A.m","kind":"call","resolution":"typed_receiver","resolved":true,"confidence":_,"test":true}
        {"t":"edge","caller_file":"tests/t.py","caller_line":4,"caller_qualname":"test_m","callee_file":"b.py","callee_line":2,"callee_qualname":"B.m","kind":"call","resolution":"override","resolved":false,"confidence":_,"test":true}
        {"t":"file","file":"a.py","language":"python","status":"parsed","reason":"","test":false}
        {"t":"file","file":"b.py","language":"python","status":"parsed","reason":"","test":false}
        {"t":"file","file":"tests/t.py","language":"python","status":"parsed","reason":"","test":true}
        {"t":"unreferenced","file":"b.py","line":2,"name":"m","qualname":"B.m"}
        "#);
    }

    #[test]
    fn the_same_graph_with_other_ids_gives_the_same_lines() {
        let straight =
            "file a.py\ndef function f 1 2\nfile b.py\ndef function g 1 2\nedge b.py::g 2 call imported a.py::f\n";
        let crossed =
            "file b.py\ndef function g 1 2\nfile a.py\ndef function f 1 2\nedge b.py::g 2 call imported a.py::f\n";
        assert_eq!(lines_of(straight), lines_of(crossed));
    }

    #[test]
    fn overrides_of_one_call_are_capped() {
        use std::fmt::Write;
        let mut graph = String::from("file a.py\ndef function f 1 2\ndef class A 3 5\ndef method A.m 4 5\n");
        for class in 0..100 {
            write!(graph, "def class B{class} 9 9\ndef method B{class}.m 9 9\n").unwrap();
        }
        for class in 0..100 {
            writeln!(graph, "override a.py::B{class}.m a.py::A.m").unwrap();
        }
        graph.push_str("edge a.py::f 2 call typed_receiver a.py::A.m\n");
        let possible = lines_of(&graph).iter().filter(|line| line.contains("\"override\"")).count();
        assert_eq!(possible, MAX_OVERRIDERS);
    }
}
