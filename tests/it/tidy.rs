//! Holds the module table of DESIGN.md: data flows one way, and a module may use only what stands before it.
//!
//! It reads the paths that begin with `crate::` or `super::` in src/, tests inside the modules left out. It does not
//! understand Rust: a re-export or a glob could get past it, and neither is used here to move things between modules.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Module, and what of the crate it may name. An entry `a::b` allows that part of `a` only. The longest module name that
/// fits a file counts, so `store::snapshot` can have a row of its own.
const TABLE: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("repo", &[]),
    ("freshness", &["model", "repo"]),
    ("lang", &["model"]),
    ("store", &["model"]),
    ("config", &["lang", "repo"]),
    ("index", &["model", "repo", "freshness", "lang", "store", "config"]),
    ("graph", &["repo", "freshness", "store", "index"]),
    ("query", &["model", "store", "lang"]),
    ("review", &["model", "repo", "index", "graph", "query"]),
    ("annotate", &["model", "store::snapshot", "query", "freshness"]),
    ("tokens", &[]),
    ("session", &["model", "repo", "store::snapshot"]),
    ("hook", &["model", "repo", "freshness", "store::snapshot", "annotate", "session", "index::background"]),
    // The only event that may open the database.
    ("hook::prompt", &["query", "annotate"]),
    ("hook::graph", &["annotate", "freshness", "index::background", "repo", "store::snapshot", "store::Reader"]),
    ("mcp", &["freshness", "repo", "store", "index", "graph", "query", "annotate", "review", "tokens"]),
    (
        "cli",
        &[
            "model",
            "repo",
            "freshness",
            "lang",
            "store",
            "config",
            "index",
            "graph",
            "query",
            "annotate",
            "session",
            "hook",
            "mcp",
            "tokens",
            "review",
        ],
    ),
];

/// Crates that the hook path must not touch: each costs more at start than the whole look-up.
const NOT_IN_THE_HOOK: &[&str] = &[
    "rusqlite",
    "git2",
    "regex",
    "rayon",
    "clap",
    "toml",
    "tree_sitter",
    "ignore",
    "indicatif",
    "memmap2",
    "ctrlc",
    "tiktoken_rs",
];

struct Source {
    /// As in `store::snapshot`.
    module: String,
    path: PathBuf,
    /// Without comments and without what follows `#[cfg(test)]`.
    code: String,
}

fn sources() -> Vec<Source> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![src.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(&src).unwrap().with_extension("");
            let parts: Vec<_> =
                relative.iter().map(|part| part.to_str().unwrap()).filter(|&part| part != "mod").collect();
            Source { module: parts.join("::"), code: code_of(&fs::read_to_string(&path).unwrap()), path }
        })
        .collect()
}

fn code_of(text: &str) -> String {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    product.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Full paths of the crate that the code names, the braces of `use` spelled out.
fn named(source: &Source) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let path = Regex::new(r"\b(crate|super)((?:::super)*)((?:::\w+)*)(::\{)?").unwrap();
    for capture in path.captures_iter(&source.code) {
        // `super` of a file is its parent module; each further one the next.
        let ups = if &capture[1] == "crate" { usize::MAX } else { 1 + capture[2].matches("super").count() };
        let mut base: Vec<&str> = source.module.split("::").collect();
        base.truncate(base.len().saturating_sub(ups));
        base.extend(capture[3].split("::").filter(|part| !part.is_empty()));
        match capture.get(4) {
            None => _ = found.insert(base.join("::")),
            Some(brace) => spell_out(&base, &source.code[brace.end()..], &mut found),
        }
    }
    found
}

/// The paths inside the braces that are open at the start of `rest`, each under `base`.
fn spell_out(base: &[&str], rest: &str, found: &mut BTreeSet<String>) {
    let mut open: Vec<Vec<String>> = vec![base.iter().map(|&part| part.to_owned()).collect()];
    let token = Regex::new(r"[\w:*]+|[{},;]").unwrap();
    let mut last: Vec<String> = Vec::new();
    for token in token.find_iter(rest).map(|token| token.as_str()) {
        match token {
            "{" => open.push(std::mem::take(&mut last)),
            "}" => _ = open.pop(),
            ";" => open.clear(),
            "," => {}
            item => {
                last = open.last().cloned().unwrap_or_default();
                last.extend(item.split("::").filter(|part| !part.is_empty()).map(str::to_owned));
                if !item.ends_with("::") {
                    found.insert(last.join("::"));
                }
            }
        }
        if open.is_empty() {
            return;
        }
    }
}

/// What breaks the table, as `path names target`.
fn offences(sources: &[Source]) -> Vec<String> {
    let mut offences = Vec::new();
    for source in sources.iter().filter(|source| !matches!(source.module.as_str(), "lib" | "main")) {
        let top = source.module.split("::").next().unwrap();
        let rows = TABLE.iter().filter(|(module, _)| is_within(&source.module, module));
        let Some((_, allowed)) = rows.max_by_key(|(module, _)| module.len()) else {
            offences.push(format!("{} has no row in the module table", source.path.display()));
            continue;
        };
        for target in named(source) {
            let known = TABLE.iter().any(|(module, _)| is_within(&target, module));
            let fine = is_within(&target, top) || allowed.iter().any(|module| is_within(&target, module));
            if known && !fine {
                offences.push(format!("{} names {target}", source.module));
            }
        }
        let on_the_hook_path = matches!(top, "hook" | "annotate" | "repo" | "freshness")
            || matches!(source.module.as_str(), "store::snapshot" | "index::background");
        if on_the_hook_path {
            for name in NOT_IN_THE_HOOK.iter().filter(|name| source.code.contains(&format!("{name}::"))) {
                offences.push(format!("{} is on the hook path and names the crate {name}", source.module));
            }
        }
    }
    offences
}

#[test]
fn modules_use_only_what_the_table_allows() {
    assert_eq!(offences(&sources()), Vec::<String>::new());
}

#[test]
fn the_table_is_really_held() {
    let source = |module: &str, code: &str| Source { module: module.into(), path: "x".into(), code: code_of(code) };
    let found = |module: &str, code: &str| offences(&[source(module, code)]);
    assert_eq!(found("model", "use crate::store::Reader;"), ["model names store::Reader"]);
    let nested = "use crate::{model::{Span, Kind}, store::{snapshot::{File, self}, reader}, repo};";
    assert_eq!(found("hook::read", nested), ["hook::read names store::reader"]);
    assert_eq!(found("hook::read", "use crate::store::reader::Reader;"), ["hook::read names store::reader::Reader"]);
    assert_eq!(found("hook::read", "use crate::index::background;"), Vec::<String>::new());
    assert_eq!(found("lang::java", "use super::super::store;"), ["lang::java names store"]);
    assert_eq!(
        found("lang::java", "use super::walk;\nuse crate::{model::Span, query::x};"),
        ["lang::java names query::x"]
    );
    assert_eq!(found("hook", "fn f() { git2::Repository::open(p); }").len(), 1);
    assert_eq!(found("model", "// crate::store\n#[cfg(test)] mod tests { use crate::store; }"), Vec::<String>::new());
    assert_eq!(found("elsewhere", "").len(), 1, "a module without a row");
}

#[test]
fn every_file_begins_with_what_it_is_for_and_holds_nothing_unfinished() {
    for source in sources() {
        let text = fs::read_to_string(&source.path).unwrap();
        // A module's tests kept in a file beside it need no introduction.
        let is_tests = source.path.ends_with("tests.rs");
        assert!(is_tests || text.starts_with("//!"), "{} has no head", source.path.display());
        for word in ["todo!(", "unimplemented!(", "dbg!("] {
            assert!(!source.code.contains(word), "{} holds {word}", source.path.display());
        }
    }
}

/// The README's second command is what continuous integration runs, so that it cannot rot.
#[test]
fn the_readmes_test_command_is_what_ci_runs() {
    let read = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let readme = read("README.md");
    let commands: Vec<&str> =
        readme.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap().trim()).collect();
    assert_eq!(commands[0].lines().last().unwrap(), "./install.sh");
    assert_eq!(commands[1], "cargo test");
    assert!(
        read(".ci/run").lines().any(|line| line.trim().split(" 2>&1").next() == Some(commands[1])),
        ".ci/run does not run `{}`",
        commands[1]
    );
}
