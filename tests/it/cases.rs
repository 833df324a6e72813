//! Runs every case of `tests/cases` through the built program: index, dump, compare with `expected.json`; then the cases in
//! which the repository changes between two passes, and those that are about time and memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use floorplan::lang::{Limits, extract};
use floorplan::model::{DefId, FileFacts};
use serde_json::Value;

use crate::support::{Run, Sandbox, cases, read_event};
use crate::verdict::{self, Observed};

/// Cases that do not pass yet, and why. May only shrink: a case that is here and passes fails the test.
const EXPECTED_TO_FAIL: &[(&str, &str)] = &[
    ("59-rust-same-name-wrapper", NO_FRONT_END),
    ("60-rust-trait-impl", NO_FRONT_END),
    ("62-c-ifdef-braces", NO_FRONT_END),
    ("65-c-macro-init", NO_FRONT_END),
    ("66-c-deep-nesting", NO_FRONT_END),
];

const NO_FRONT_END: &str = "no front end yet";

/// What `expected.json` allows where it says nothing.
const MAX_SECONDS: u64 = 30;

struct Outcome {
    findings: Vec<String>,
    skipped: Option<String>,
    summary: String,
}

fn ids() -> Vec<String> {
    let mut ids: Vec<String> = fs::read_dir(cases())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("expected.json").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    ids.sort();
    ids
}

fn expected(id: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(cases().join(id).join("expected.json")).unwrap()).unwrap()
}

/// The folder of a case that is indexed.
fn root_of(id: &str, sandbox: &Sandbox) -> PathBuf {
    if id == "81-embedded-bare-repo" { sandbox.path().join("victim") } else { sandbox.repo() }
}

fn observe(sandbox: &Sandbox, root: &Path) -> Observed {
    Observed::of(&sandbox.dump(root), root)
}

fn run(id: &str) -> Outcome {
    let sandbox = match Sandbox::of_case(id) {
        Ok(sandbox) => sandbox,
        Err(reason) => return Outcome { findings: Vec::new(), skipped: Some(reason), summary: String::new() },
    };
    let (expected, root) = (expected(id), root_of(id, &sandbox));
    let indexed = sandbox.index(&root);
    let mut findings = verdict::findings(&expected, &observe(&sandbox, &root));
    findings.extend(excesses(&expected["state"], &indexed));
    let peak = indexed.peak_mb.map_or("memory not measured".to_owned(), |mb| format!("{mb} MiB"));
    Outcome { findings, skipped: None, summary: format!("{} ms, {peak}", indexed.elapsed.as_millis()) }
}

/// Where the pass took more than the case allows.
fn excesses(limits: &Value, indexed: &Run) -> Vec<String> {
    let limit = |field: &str| limits[field].as_u64();
    let seconds = limit("max_seconds").or_else(|| limit("indexer_max_seconds")).unwrap_or(MAX_SECONDS);
    let mut found = Vec::new();
    if indexed.elapsed > Duration::from_secs(seconds) {
        found.push(format!("indexing took {} s, allowed are {seconds}", indexed.elapsed.as_secs()));
    }
    if let (Some(peak), Some(limit)) = (indexed.peak_mb, limit("max_rss_mb"))
        && peak > limit
    {
        found.push(format!("indexing took {peak} MiB, allowed are {limit}"));
    }
    found
}

/// Runs all ids on two threads more than there are cores: much of the time is git's.
fn run_all(ids: &[String]) -> BTreeMap<&str, Outcome> {
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from) + 2;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = run(id);
                    outcomes.lock().unwrap().insert(id.as_str(), outcome);
                }
            });
        }
    });
    outcomes.into_inner().unwrap()
}

#[test]
fn every_case_passes_but_those_listed() {
    let ids = ids();
    assert!(ids.len() >= 55, "only {} cases were found", ids.len());
    let reasons: BTreeMap<&str, &str> = EXPECTED_TO_FAIL.iter().copied().collect();
    let outcomes = run_all(&ids);
    let (mut passed, mut listed, mut skipped, mut surprises) = (0, 0, 0, Vec::new());
    for (id, outcome) in &outcomes {
        let reason = reasons.get(id);
        match (&outcome.skipped, outcome.findings.is_empty(), reason) {
            (Some(why), ..) => {
                skipped += 1;
                println!("{id}: skipped: {why}");
            }
            (None, true, None) => {
                passed += 1;
                println!("{id}: ok, {}", outcome.summary);
            }
            (None, false, Some(reason)) => {
                listed += 1;
                println!("{id}: fails as listed ({reason}), {}: {}", outcome.summary, outcome.findings.join("; "));
            }
            (None, true, Some(_)) => surprises.push(format!("{id} passes: take it off EXPECTED_TO_FAIL")),
            (None, false, None) => surprises.push(format!("{id}:\n    {}", outcome.findings.join("\n    "))),
        }
    }
    println!("{passed} pass, {listed} fail as listed, {skipped} skipped, {} are a surprise", surprises.len());
    assert!(surprises.is_empty(), "\n{}", surprises.join("\n"));
    let known: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    assert!(reasons.keys().all(|id| known.contains(id)), "EXPECTED_TO_FAIL names a case that is not there");
}

/// Where the case asks for time and memory, the language does not matter.
#[test]
fn deep_nesting_costs_neither_time_nor_memory() {
    for id in ["45-java-deep-braces", "66-c-deep-nesting"] {
        let sandbox = Sandbox::of_case(id).unwrap();
        let indexed = sandbox.index(&sandbox.repo());
        println!("{id}: {} ms, {:?} MiB", indexed.elapsed.as_millis(), indexed.peak_mb);
        assert_eq!(excesses(&expected(id)["state"], &indexed), Vec::<String>::new(), "{id}");
    }
}

/// A graph from nothing, of the tree as it is now: what an incremental pass must equal.
fn full_dump(sandbox: &Sandbox) -> String {
    let cache = sandbox.path().join("other-cache");
    let _ = fs::remove_dir_all(&cache);
    for command in ["index", "dump"] {
        let out = sandbox.floorplan(&[command, "repo"]).env("XDG_CACHE_HOME", &cache).output().unwrap();
        assert!(out.status.success());
        if command == "dump" {
            return String::from_utf8(out.stdout).unwrap();
        }
    }
    unreachable!()
}

/// Callers of `a.py::keep` and the like, sorted.
fn callers(sandbox: &Sandbox, target: &str) -> Vec<String> {
    let mut observed = observe(sandbox, &sandbox.repo());
    observed.callers.remove(target).unwrap_or_default().into_iter().collect()
}

#[test]
fn an_edit_and_its_revert_leave_no_ghosts() {
    let sandbox = Sandbox::of_case("28-py-edit-revert").unwrap();
    sandbox.index(&sandbox.repo());
    let first = sandbox.dump(&sandbox.repo());
    sandbox.write("a.py", "def keep():\n    return 1\n\n\ndef ghost():\n    return keep()\n");
    sandbox.index(&sandbox.repo());
    assert_eq!(callers(&sandbox, "a.py::keep"), ["a.py::ghost", "b.py::use"]);
    sandbox.git(&["checkout", "-q", "--", "a.py"]);
    sandbox.index(&sandbox.repo());
    let reverted = sandbox.dump(&sandbox.repo());
    assert_eq!(reverted, full_dump(&sandbox));
    assert_eq!(reverted, first);
}

#[test]
fn a_branch_that_rewrites_everything_is_said_to_be_ahead_and_then_known() {
    let sandbox = Sandbox::of_case("80-branch-switch").unwrap();
    let root = sandbox.repo();
    // `setup.sh` switched to the other branch and back.
    sandbox.index(&root);
    let first = sandbox.dump(&root);

    sandbox.git(&["checkout", "-q", "other"]);
    let said = sandbox.reply_to(&read_event(&root, root.join("app/core.py"))).context.unwrap_or_default();
    println!("on the other branch: {said}");
    assert!(said.is_empty() || said.contains("behind") || said.contains("changed"), "{said}");

    sandbox.index(&root);
    assert_eq!(callers(&sandbox, "app/core.py::load"), ["app/core.py::extra"]);
    assert_eq!(sandbox.dump(&root), full_dump(&sandbox));

    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.index(&root);
    assert_eq!(sandbox.dump(&root), first);
}

#[test]
fn a_utf16_file_gives_no_garbage_anywhere() {
    let sandbox = Sandbox::of_case("24-py-utf16").unwrap();
    let root = sandbox.repo();
    sandbox.index(&root);
    let dump = sandbox.dump(&root);
    let said = sandbox.reply_to(&read_event(&root, root.join("wide.py"))).context.unwrap_or_default();
    for text in [&dump, &said] {
        assert!(!text.contains(['\0', '\u{fffd}']) && !text.contains("\\u0000"), "{text}");
    }
    assert!(said.is_empty() || said.contains("wide()"), "{said}");
}

#[test]
fn the_same_tree_gives_the_same_dump_whatever_the_number_of_threads() {
    let sandbox = Sandbox::with(&[]);
    // All the cases' repositories in one tree: two languages, texts, damaged and odd files.
    for id in ids() {
        let script = format!("cp -r '{}' 'repo/{id}'", cases().join(&id).join("repo").display());
        assert!(sandbox.bash(&script).status.success());
    }
    let mut dumps = BTreeSet::new();
    for jobs in ["1", "2", "2", "7"] {
        let out = sandbox.floorplan(&["index", "repo", "--jobs", jobs]).output().unwrap();
        assert!(out.status.success());
        dumps.insert(sandbox.dump(&sandbox.repo()));
    }
    assert_eq!(dumps.len(), 1);
    let dump = dumps.first().unwrap();
    assert!(dump.lines().filter(|line| line.contains("\"t\":\"edge\"")).count() > 100);
}

/// Qualified names of the types, functions and methods. Variables are not compared: the fallback looks for what can be
/// called and for what has members.
fn definitions(path: &str, bytes: &[u8], limits: &Limits) -> BTreeSet<String> {
    let facts: FileFacts = extract(path, bytes, limits);
    let ids = (0..facts.definitions.len() as u32).map(DefId);
    let named = ids.filter(|&id| {
        let kind = facts.definition(id).kind;
        kind.is_type() || kind.is_callable()
    });
    named.map(|id| facts.qualname(id)).collect()
}

#[test]
fn regular_expressions_alone_find_the_same_definitions() {
    for (id, path) in [
        ("20-py-code-in-strings", "strs.py"),
        ("22-py-python2", "old.py"),
        ("38-java-text-block", "src/main/java/demo/Sql.java"),
    ] {
        let bytes = fs::read(cases().join(id).join("repo").join(path)).unwrap();
        let by_parser = definitions(path, &bytes, &Limits::default());
        assert!(!by_parser.is_empty(), "{id}");
        assert_eq!(definitions(path, &bytes, &Limits::NO_PARSER), by_parser, "{id}");
        let expected = expected(id);
        let observed = Observed {
            definitions: by_parser.iter().map(|name| format!("{path}::{name}")).collect(),
            ..Observed::default()
        };
        let about_definitions = verdict::findings(&expected, &observed);
        let wrong: Vec<_> = about_definitions
            .iter()
            .filter(|line| line.starts_with("definition") || line.starts_with("ghost"))
            .collect();
        assert_eq!(wrong, Vec::<&String>::new(), "{id}");
    }
}
