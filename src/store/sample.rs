//! Test helper: a graph from text, one line a row, as the tests of `store` and `query` need it.

use crate::model::*;

/// A repository with a caller of each sort: resolved, guessed, through a base, from a test, from module level.
pub(crate) const SHOP: &str = "
file app/models.py
def class Invoice 1 20
def method Invoice.total 2 5
def function legacy 30 31
file app/special.py
def class Special 1 9
def method Special.total 2 4
def class Rare 11 19
def method Rare.total 12 14
file app/views.py
def function show 3 9
def function list 11 15
file broken.py
file tests/test_models.py
def function test_total 1 4
edge app/models.py::legacy 31 call same_scope app/models.py::Invoice.total
edge app/views.py::show 4 construct imported app/models.py::Invoice
edge app/views.py::show 5 call typed_receiver app/models.py::Invoice.total
edge app/views.py::show 5 call typed_receiver app/models.py::Invoice.total
edge app/views.py::show 7 call typed_receiver app/models.py::Invoice.total
edge app/views.py::list 12 call unique_name app/models.py::legacy
edge app/views.py::list 13 call ambiguous app/special.py::Rare.total
edge app/views.py 20 call imported app/views.py::show
edge app/views.py 1 import imported app/models.py::Invoice
edge app/special.py 1 inherit imported app/models.py::Invoice
edge tests/test_models.py::test_total 3 call typed_receiver app/models.py::Invoice.total
unresolved app/views.py::show 8 call close
unresolved app/views.py::show 8 call close
unresolved app/views.py 21 call print external
override app/special.py::Special.total app/models.py::Invoice.total
override app/special.py::Rare.total app/special.py::Special.total
import app/views.py app/models.py
import app/special.py app/models.py
import tests/test_models.py app/models.py
unreferenced app/models.py::legacy
community app 750 app/models.py app/models.py=400 app/views.py=-300
";

/// # Panics
/// On any line it does not understand: it is for tests.
pub(crate) fn graph(text: &str) -> Graph {
    let mut graph = Graph::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["file", path] => graph.files.push(file(path)),
            ["def", kind, qualname, line, end_line] => define(&mut graph, kind, qualname, line, end_line),
            ["edge", caller, line, kind, how, callee] => {
                let edge = Edge {
                    caller_file: file_of(&graph, caller),
                    line: line.parse().unwrap(),
                    callee: symbol_of(&graph, callee).unwrap(),
                    kind: edge_kind(kind),
                    resolution: resolution(how),
                    caller: symbol_of(&graph, caller),
                };
                graph.edges.push(edge);
            }
            ["unresolved", caller, line, kind, name, ref external @ ..] => {
                let reference = Unresolved {
                    file: file_of(&graph, caller),
                    line: line.parse().unwrap(),
                    name: name.into(),
                    caller: symbol_of(&graph, caller),
                    kind: edge_kind(kind),
                    external: external == ["external"],
                };
                graph.unresolved.push(reference);
            }
            ["override", method, base] => {
                let pair = (symbol_of(&graph, method).unwrap(), symbol_of(&graph, base).unwrap());
                graph.overrides.push(pair);
            }
            ["import", importer, imported] => {
                let pair = (file_of(&graph, importer), file_of(&graph, imported));
                graph.imports.push(pair);
            }
            ["community", label, cohesion, entry, ref members @ ..] => {
                let member = |word: &&str| {
                    let (path, membership) = word.split_once('=').unwrap();
                    Member { file: file_of(&graph, path), membership: membership.parse().ok() }
                };
                let members = members.iter().map(member).collect();
                let entries = vec![file_of(&graph, entry)];
                let cohesion = cohesion.parse().ok();
                graph.communities.push(Community { label: label.into(), members, cohesion, entries });
            }
            ["unreferenced", symbol] => graph.unreferenced.push(symbol_of(&graph, symbol).unwrap()),
            ["offered", symbol] => graph.offered.push(symbol_of(&graph, symbol).unwrap()),
            _ => panic!("sample line: {line}"),
        }
    }
    graph.edges.sort();
    graph.unresolved.sort();
    graph.overrides.sort();
    graph.imports.sort();
    graph
}

fn file(path: &str) -> FileRecord {
    let broken = path.contains("broken");
    FileRecord {
        path: path.into(),
        language: if path.ends_with(".java") { Language::Java } else { Language::Python },
        status: if broken { "partial" } else { "parsed" },
        reason: String::new(),
        unparsed: if broken { vec![(3, 9)] } else { vec![] },
        size: 100,
        mtime_ns: 1_700_000_000_000_000_000,
        content_hash: u64::MAX - 5,
        lines: 40,
        test: path.starts_with("tests/"),
        dynamic: vec![],
    }
}

fn define(graph: &mut Graph, kind: &str, qualname: &str, line: &str, end_line: &str) {
    let file = FileId(graph.files.len() as u32 - 1);
    let (outer, name) = qualname.rsplit_once('.').unwrap_or(("", qualname));
    let container = graph.symbols.iter().rposition(|symbol| symbol.file == file && symbol.qualname == outer);
    graph.symbols.push(Symbol {
        file,
        name: name.into(),
        qualname: qualname.into(),
        kind: match kind {
            "class" => DefKind::Class,
            "function" => DefKind::Function,
            "method" => DefKind::Method,
            "constructor" => DefKind::Constructor,
            _ => panic!("kind {kind}"),
        },
        container: container.map(|at| SymbolId(at as u32)),
        line: line.parse().unwrap(),
        end_line: end_line.parse().unwrap(),
        exported: !name.starts_with('_'),
        params: 0,
        signature: String::new(),
        flags: DefFlags(0),
    });
}

fn file_of(graph: &Graph, symbol: &str) -> FileId {
    let path = symbol.split("::").next().unwrap();
    FileId(graph.files.iter().position(|file| file.path == path).unwrap() as u32)
}

fn symbol_of(graph: &Graph, symbol: &str) -> Option<SymbolId> {
    let (_, qualname) = symbol.split_once("::")?;
    let file = file_of(graph, symbol);
    let at = graph.symbols.iter().position(|symbol| symbol.file == file && symbol.qualname == qualname);
    Some(SymbolId(at.unwrap() as u32))
}

fn edge_kind(name: &str) -> EdgeKind {
    EdgeKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap()
}

fn resolution(name: &str) -> Resolution {
    use Resolution::*;
    let all = [SameScope, Imported, TypedReceiver, Inherited, Override, UniqueName, Ambiguous(3)];
    all.into_iter().find(|resolution| resolution.name() == name).unwrap()
}

/// A database of `graph` in a folder of its own, which lives as long as the first value.
pub(crate) fn stored(graph: &Graph) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("graph.db");
    super::replace_all(&db, graph, &meta()).unwrap();
    (folder, db)
}

pub(crate) fn meta() -> super::Meta {
    super::Meta {
        root: "/repo".into(),
        git_dir: "/repo/.git".into(),
        head: Some("5cb4".into()),
        indexed_at: 1_700_000_000,
    }
}

/// A reader of `text`'s graph.
pub(crate) fn reader(text: &str) -> (tempfile::TempDir, super::Reader) {
    reader_of(&graph(text))
}

/// A reader of a graph.
pub(crate) fn reader_of(graph: &Graph) -> (tempfile::TempDir, super::Reader) {
    let (folder, db) = stored(graph);
    let reader = super::Reader::open(&db, "/repo", "/repo/.git").unwrap();
    (folder, reader)
}
