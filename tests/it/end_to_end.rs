//! Whole small repositories, text in and text out: the literate cases of `tests/lang`, and the helper they share.
//!
//! A case is a heading of a Markdown file with one fenced block a source file (```` ```python a.py ````) and a block
//! ```` ```edges ```` that holds every resolved use that runs code (calls, constructions, decorations), a block
//! ```` ```unreferenced ```` (or ```` ```offered ````) that holds every export called so, or several of them. What a case says
//! is right by the language's rules.
//! A case whose heading begins with `not yet:` is known to fail.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use floorplan::index::graph_of_sources;
use floorplan::model::{DefFlags, EdgeKind, Graph, SymbolId};
use insta::assert_snapshot;

/// The graph of files written one after another, each below a line `//- PATH`.
fn graph_of(text: &str) -> Graph {
    let sources: Vec<(&str, &str)> =
        text.split("//- ").skip(1).map(|file| file.split_once('\n').unwrap_or((file, ""))).collect();
    graph_of_sources(&sources).unwrap()
}

/// Every resolved edge but those of imports, sorted: `b.py::<module> calls a.py::f  imported`.
fn edges_of(text: &str) -> String {
    let graph = graph_of(text);
    let edges = graph.edges.iter().filter(|edge| edge.resolution.is_resolved() && edge.kind != EdgeKind::Import);
    let lines: BTreeSet<String> = edges
        .map(|edge| {
            let caller = caller_of(&graph, edge);
            let callee = name_of(&graph, edge.callee);
            format!("{caller} {} {callee}  {}", verb(edge.kind), edge.resolution.name())
        })
        .collect();
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

/// The callers of everything, without the grade. A construction names the class, whatever constructor it runs.
fn calls_of(graph: &Graph) -> BTreeSet<String> {
    let edges = graph.edges.iter().filter(|edge| edge.resolution.is_resolved() && edge.kind.is_call());
    edges
        .map(|edge| {
            let (kind, callee) = match &graph.symbols[edge.callee.0 as usize] {
                symbol if edge.kind == EdgeKind::Construct => (edge.kind, class_of(graph, edge.callee, symbol.kind)),
                _ => (edge.kind, edge.callee),
            };
            format!("{} {} {}", caller_of(graph, edge), verb(kind), name_of(graph, callee))
        })
        .collect()
}

/// The class of a constructor; anything else is itself.
fn class_of(graph: &Graph, id: SymbolId, kind: floorplan::model::DefKind) -> SymbolId {
    use floorplan::model::DefKind::{Constructor, Method};
    match graph.symbols[id.0 as usize].container {
        Some(class) if matches!(kind, Constructor | Method) => class,
        _ => id,
    }
}

fn verb(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Call => "calls",
        EdgeKind::Construct => "constructs",
        EdgeKind::Decorate => "decorated by",
        EdgeKind::Inherit => "extends",
        EdgeKind::Implement => "implements",
        EdgeKind::Import => "imports",
        EdgeKind::Type => "types",
        EdgeKind::Read => "reads",
        EdgeKind::Value => "passes",
    }
}

fn caller_of(graph: &Graph, edge: &floorplan::model::Edge) -> String {
    match edge.caller {
        Some(caller) => name_of(graph, caller),
        None => format!("{}::<module>", graph.files[edge.caller_file.0 as usize].path),
    }
}

/// `path::qualname`, and `@LINE` where that is the name of several.
fn name_of(graph: &Graph, id: SymbolId) -> String {
    let symbol = &graph.symbols[id.0 as usize];
    let name = format!("{}::{}", graph.files[symbol.file.0 as usize].path, symbol.qualname);
    let same = graph.symbols.iter().filter(|other| {
        other.file == symbol.file && other.qualname == symbol.qualname && !other.flags.has(DefFlags::ANONYMOUS)
    });
    if same.count() > 1 { format!("{name}@{}", symbol.line) } else { name }
}

/// One heading of a literate file.
struct Case {
    title: String,
    sources: Vec<(String, String)>,
    edges: Option<BTreeSet<String>>,
    unreferenced: Option<BTreeSet<String>>,
    offered: Option<BTreeSet<String>>,
}

const NOT_YET: &str = "not yet: ";

fn cases_of(markdown: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            let (edges, unreferenced, offered) = (None, None, None);
            cases.push(Case { title: title.to_owned(), sources: Vec::new(), edges, unreferenced, offered });
        } else if let Some(info) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let case = cases.last_mut().expect("a heading stands before the block");
            match info.split_once(' ') {
                Some((_language, path)) => case.sources.push((path.to_owned(), text.join("\n") + "\n")),
                None => {
                    let lines = text.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
                    match info {
                        "edges" => case.edges = Some(lines.collect()),
                        "unreferenced" => case.unreferenced = Some(lines.collect()),
                        "offered" => case.offered = Some(lines.collect()),
                        _ => panic!("{}: a block of neither a file nor edges", case.title),
                    }
                }
            }
        }
    }
    cases
}

/// In which way the graph differs from what the case says, one edge or export a line; empty if it does not.
fn difference(case: &Case) -> String {
    let mut sources: Vec<(&str, &str)> = case.sources.iter().map(|(path, text)| (&**path, &**text)).collect();
    sources.sort_unstable();
    let graph = graph_of_sources(&sources).unwrap();
    assert!(case.edges.is_some() || case.unreferenced.is_some(), "{}: no block of edges", case.title);
    let names = |list: &[SymbolId]| list.iter().map(|symbol| name_of(&graph, *symbol)).collect();
    let mut difference = String::new();
    for (expected, found) in [
        (&case.edges, calls_of(&graph)),
        (&case.unreferenced, names(&graph.unreferenced)),
        (&case.offered, names(&graph.offered)),
    ] {
        let Some(expected) = expected else { continue };
        difference.extend(expected.difference(&found).map(|line| format!("    missing  {line}\n")));
        difference.extend(found.difference(expected).map(|line| format!("    wrong    {line}\n")));
    }
    difference
}

fn markdown_files(language: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lang").join(language);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn check(language: &str) {
    let (mut passed, mut not_yet, mut surprises) = (0, 0, String::new());
    for file in markdown_files(language) {
        for case in cases_of(&fs::read_to_string(&file).unwrap()) {
            let difference = difference(&case);
            let name = format!("{}: {}", file.file_name().unwrap().to_string_lossy(), case.title);
            match (difference.is_empty(), case.title.starts_with(NOT_YET)) {
                (true, false) => passed += 1,
                (false, true) => {
                    not_yet += 1;
                    println!("{name}\n{difference}");
                }
                (true, true) => surprises += &format!("{name}\n    passes now: take `{NOT_YET}` off the heading\n"),
                (false, false) => surprises += &format!("{name}\n{difference}"),
            }
        }
    }
    println!("{language}: {passed} cases pass, {not_yet} not yet");
    assert!(passed > 0);
    assert!(surprises.is_empty(), "\n{surprises}");
}

#[test]
fn python_cases() {
    check("python");
}

#[test]
fn java_cases() {
    check("java");
}

#[test]
fn typescript_cases() {
    check("typescript");
    check("javascript");
}

#[test]
fn go_cases() {
    check("go");
}

#[test]
fn unreferenced_cases() {
    check("unreferenced");
}

#[test]
fn call_through_an_alias_reaches_the_definition() {
    let edges = edges_of("//- a.py\ndef f(): pass\n//- b.py\nfrom a import f as g\ng()\n");
    assert_snapshot!(edges, @"b.py::<module> calls a.py::f  imported");
}

#[test]
fn a_receiver_of_unknown_type_is_never_bound_by_name() {
    let edges = edges_of("//- a.py\nclass A:\n    def only_here(self): pass\n//- b.py\ndef g(x):\n    x.only_here()\n");
    assert_snapshot!(edges, @"");
}
