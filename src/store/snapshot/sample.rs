//! Hand-made graphs for tests, written as text:
//!
//! ```text
//! app/core.py                         file; then: test, text, skipped, partial
//!   function target 1-3               definition; then: private, local, decl (a stub)
//!   @4 call app/core.py::target in f  use in line 4 by f; then: unique, ambiguous, override
//!   overrides A.f app/base.py::B.f    also: imports PATH, together PATH, unresolved NAME, unreferenced NAME
//! ```

use crate::model::*;

pub(crate) fn graph_of(text: &str) -> Graph {
    let mut graph = Graph::default();
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let mut paths: Vec<&str> = lines().filter(|line| !line.starts_with(' ')).collect();
    paths.sort();
    for line in &paths {
        let words: Vec<&str> = line.split('|').collect();
        graph.files.push(file(words[0].trim(), words.get(1).copied().unwrap_or("")));
    }
    let file_id = |graph: &Graph, path: &str| {
        let position = graph.files.iter().position(|file| file.path == path);
        FileId(position.unwrap_or_else(|| panic!("no file {path}")) as u32)
    };
    let mut sections: Vec<(FileId, Vec<Vec<&str>>)> = Vec::new();
    for line in lines() {
        if line.starts_with(' ') {
            sections.last_mut().unwrap().1.push(line.split_whitespace().collect());
        } else {
            sections.push((file_id(&graph, line.split('|').next().unwrap().trim()), Vec::new()));
        }
    }
    sections.sort_by_key(|section| section.0);
    for (file, rows) in &sections {
        for row in rows {
            if let Some(kind) = kind(row[0]) {
                let symbol = symbol(&graph, *file, kind, row);
                graph.symbols.push(symbol);
            }
        }
    }
    let symbol_id = |graph: &Graph, name: &str, home: FileId| {
        let (file, qualname) = match name.split_once("::") {
            Some((path, qualname)) => (file_id(graph, path), qualname),
            None => (home, name),
        };
        let position = graph.symbols.iter().position(|symbol| symbol.file == file && symbol.qualname == qualname);
        SymbolId(position.unwrap_or_else(|| panic!("no symbol {name}")) as u32)
    };
    for (file, rows) in &sections {
        for row in rows {
            if let Some(line) = row[0].strip_prefix('@') {
                let caller = row.iter().position(|word| *word == "in").map(|at| symbol_id(&graph, row[at + 1], *file));
                let resolution = match row.last().copied() {
                    Some("unique") => Resolution::UniqueName,
                    Some("ambiguous") => Resolution::Ambiguous(3),
                    Some("override") => Resolution::Override,
                    _ => Resolution::Imported,
                };
                let kind = EdgeKind::ALL.into_iter().find(|kind| kind.name() == row[1]).unwrap();
                let callee = symbol_id(&graph, row[2], *file);
                let line = line.parse().unwrap();
                graph.edges.push(Edge { caller_file: *file, line, callee, kind, resolution, caller });
            }
            match row[0] {
                "overrides" => {
                    let pair = (symbol_id(&graph, row[1], *file), symbol_id(&graph, row[2], *file));
                    graph.overrides.push(pair);
                }
                "imports" => graph.imports.push((*file, file_id(&graph, row[1]))),
                "together" => graph.together.push((*file, file_id(&graph, row[1]))),
                "unreferenced" => graph.unreferenced.push(symbol_id(&graph, row[1], *file)),
                "unresolved" => graph.unresolved.push(Unresolved {
                    file: *file,
                    line: 1,
                    name: row[1].to_string(),
                    caller: None,
                    kind: EdgeKind::Call,
                    external: row.get(2) == Some(&"external"),
                }),
                _ => {}
            }
        }
    }
    graph.edges.sort();
    graph.overrides.sort();
    graph.imports.sort();
    graph.unreferenced.sort();
    graph
}

fn file(path: &str, words: &str) -> FileRecord {
    let has = |word: &str| words.split_whitespace().any(|other| other == word);
    let status = ["skipped", "partial", "fallback"].into_iter().find(|status| has(status)).unwrap_or("parsed");
    FileRecord {
        path: path.to_string(),
        language: if has("text") {
            Language::Text
        } else if path.ends_with(".java") {
            Language::Java
        } else {
            Language::Python
        },
        status: if has("text") { "words" } else { status },
        reason: String::new(),
        unparsed: if status == "partial" { vec![(10, 24)] } else { Vec::new() },
        size: 100,
        mtime_ns: 1_700_000_000_000_000_000,
        content_hash: 7,
        lines: 50,
        test: has("test"),
        dynamic: Vec::new(),
    }
}

fn kind(word: &str) -> Option<DefKind> {
    use DefKind::*;
    let kinds = [Class, Interface, Enum, Function, Method, Constructor, Field, EnumMember, Variable];
    kinds.into_iter().find(|kind| kind.name() == word)
}

fn symbol(graph: &Graph, file: FileId, kind: DefKind, row: &[&str]) -> Symbol {
    let (line, end_line) = row[2].split_once('-').unwrap_or((row[2], row[2]));
    let container = row[1].rsplit_once('.').and_then(|(container, _)| {
        graph.symbols.iter().position(|symbol| symbol.file == file && symbol.qualname == container)
    });
    let has = |word: &&str| row.contains(word);
    let mut flags = DefFlags::default();
    for (word, flag) in [("local", DefFlags::LOCAL), ("decl", DefFlags::OVERLOAD)] {
        if has(&word) {
            flags.set(flag);
        }
    }
    Symbol {
        file,
        name: row[1].rsplit('.').next().unwrap().to_string(),
        qualname: row[1].to_string(),
        kind,
        container: container.map(|id| SymbolId(id as u32)),
        line: line.parse().unwrap(),
        end_line: end_line.parse().unwrap(),
        exported: !has(&"private"),
        params: 0,
        signature: String::new(),
        flags,
    }
}
