use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::sample::graph_of;
use super::*;
use crate::model::{Community, FileId, Graph, Member, SymbolId};

const ID: Identity<'_> = Identity { root: "/home/dev/proj", git_dir: "/home/dev/proj/.git" };

struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn written(graph: &Graph) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("snapshot.bin");
    write(&path, graph, &ID, Some("5cb4f9a0")).unwrap();
    Place { _folder: folder, path }
}

fn opened(text: &str) -> Snapshot {
    let place = written(&graph_of(text));
    Snapshot::open(&place.path, &ID).unwrap()
}

fn symbol(text: &str, name: &str) -> SymbolCard {
    opened(text).symbols(name).unwrap().remove(0)
}

fn sites(card: &SymbolCard) -> Vec<String> {
    card.sites.iter().map(|site| format!("{}:{}", site.path, site.line)).collect()
}

fn refused(path: &Path) -> Refused {
    Snapshot::open(path, &ID).unwrap_err()
}

const SMALL: &str = "
app/core.py
  function target 1-3
app/a.py
  function a 3-5
  @4 call app/core.py::target in a
lib/b.py
  @2 call app/core.py::target
";

#[test]
fn a_file_and_a_name_are_found_again() {
    let snapshot = opened(SMALL);
    assert_eq!(snapshot.head(), Some("5cb4f9a0"));
    let card = snapshot.file("app/core.py").unwrap().unwrap();
    assert_eq!((card.size, card.mtime_ns, card.content_hash), (100, 1_700_000_000_000_000_000, 7));
    assert_eq!((card.users, card.dependents, card.exported), (2, 2, 1));
    assert_eq!(card.symbols, snapshot.symbols("target").unwrap());
    assert_eq!(sites(&card.symbols[0]), ["lib/b.py:2", "app/a.py:4"], "other packages first");
    assert_eq!(snapshot.file("app/none.py"), Ok(None));
    assert_eq!(snapshot.symbols("none"), Ok(Vec::new()));
    let summary = snapshot.summary().unwrap();
    assert_eq!((summary.files, summary.lines, summary.resolved_permille), (3, 150, 1000));
}

#[test]
fn an_empty_graph_has_a_snapshot() {
    let snapshot = opened("");
    assert_eq!(snapshot.file("a.py"), Ok(None));
    assert_eq!(snapshot.symbols("a"), Ok(Vec::new()));
    assert_eq!(snapshot.summary(), Ok(Summary::default()));
}

#[test]
fn module_code_is_one_caller_a_file() {
    let card = symbol("a.py\n  function f 1-2\nb.py\n  @1 call a.py::f\n  @2 call a.py::f\n", "f");
    assert_eq!((card.callers, card.caller_files), (1, 1));
}

#[test]
fn recursion_and_uses_inside_the_own_body_are_no_callers() {
    let card = symbol(
        "a.py\n  function f 1-9\n  function f.inner 2-3 local\n  @3 call f in f.inner\n  @4 call f in f\n  @5 call f.inner in f\n",
        "f",
    );
    assert_eq!((card.callers, card.use_files, sites(&card)), (0, 0, vec![]));
}

#[test]
fn construction_counts_for_the_class() {
    let text = "
a.py
  class Invoice 1-9
  method Invoice.__init__ 2-3
b.py
  function g 1-2
  @2 construct a.py::Invoice.__init__ in g
c.py
  @2 type a.py::Invoice
";
    let card = symbol(text, "Invoice");
    assert_eq!((card.callers, card.use_files), (1, 2));
    assert_eq!(opened(text).symbols("__init__"), Ok(Vec::new()));
}

#[test]
fn imports_are_no_uses_but_make_dependents() {
    let card =
        opened("a.py\n  function f 1-2\nb.py\n  @1 import a.py::f\n  imports a.py\n").file("a.py").unwrap().unwrap();
    assert_eq!((card.symbols.len(), card.users, card.dependents), (0, 0, 1));
}

#[test]
fn tests_are_counted_apart_but_for_test_helpers() {
    let text = "
a.py
  function f 1-2
tests/helper.py | test
  function make 1-2
tests/test_a.py | test
  function test_f 1-4
  @2 call a.py::f in test_f
  @3 call tests/helper.py::make in test_f
";
    let (f, make) = (symbol(text, "f"), symbol(text, "make"));
    assert_eq!((f.callers, f.test_callers, f.test_files), (0, 1, 1));
    assert_eq!((make.callers, make.test_callers), (1, 0));
}

#[test]
fn guesses_and_callers_of_the_overridden_are_only_possible() {
    let text = "
base.py
  class Base 1-5
  method Base.run 2-3
a.py
  class A 1-9
  method A.run 2-5
  overrides A.run base.py::Base.run
  @4 call base.py::Base.run in A.run
b.py
  function known 1-3
  function unknown 5-7
  function guess 8-9
  @2 call a.py::A.run in known
  @3 call base.py::Base.run in known
  @6 call base.py::Base.run in unknown
  @9 call a.py::A.run in guess unique
";
    let cards = opened(text).symbols("run").unwrap();
    let run = cards.iter().find(|card| card.qualname == "A.run").unwrap();
    assert_eq!((run.callers, run.possible), (1, 2), "known is sure, super() is its own");
    let base = cards.iter().find(|card| card.qualname == "Base.run").unwrap();
    assert_eq!((base.callers, base.possible, base.same_name), (3, 0, 2));
}

#[test]
fn overloads_share_a_card_and_stubs_do_not_count() {
    let text = "
A.java
  class A 1-30
  method A.put 2-3
  method A.put 4-9
b.py
  function f 1-1 decl
  function f 2-5
  @9 call f
";
    assert_eq!(symbol(text, "put").overloads, 2);
    let f = opened(text).symbols("f").unwrap();
    assert_eq!((f.len(), f[0].line, f[0].overloads, f[0].callers), (1, 2, 1, 1));
}

#[test]
fn files_that_use_specific_symbols_are_ranked_first() {
    let mut text =
        String::from("core.py\n  function common 1-2\n  function special 3-4\nzz.py\n  @1 call core.py::special\n");
    for n in 0..20 {
        text += &format!("a{n:02}.py\n  @1 call core.py::common\n  @2 call core.py::common\n");
    }
    let card = opened(&text).file("core.py").unwrap().unwrap();
    assert_eq!((&*card.callers[0].path, card.callers.len(), card.users), ("zz.py", 16, 21));
}

#[test]
fn references_of_unknown_target_may_hide_callers() {
    let hidden = |text: &str| opened(text).file("a.py").unwrap().unwrap().hidden;
    assert_eq!(hidden("a.py\n  function f 1-2\nb.py\n  unresolved f\n  unresolved g\n"), 1);
    assert_eq!(hidden("a.py\n  function f 1-2\nb.py\n  unresolved f external\n"), 0);
    assert_eq!(hidden("a.py\n  function f 1-2\nb.py\n  @2 value a.py::f unique\n"), 1);
}

#[test]
fn documents_and_skipped_files_have_no_card() {
    let snapshot = opened("a.md | text\nb.py | skipped\nc.py\n");
    assert_eq!((snapshot.file("a.md"), snapshot.file("b.py")), (Ok(None), Ok(None)));
    let summary = snapshot.summary().unwrap();
    assert_eq!((summary.files, summary.skipped), (1, 1));
}

#[test]
fn the_entry_of_a_directory_is_what_others_use() {
    let text = "
lib/api.py
  function f 1-2
lib/detail.py
  function g 1-2
  @1 call lib/api.py::f
app/a.py
  @1 call lib/api.py::f
  @2 call lib/detail.py::g
web/b.py
  @1 call lib/api.py::f
";
    let summary = opened(text).summary().unwrap();
    assert_eq!(summary.directories[0].path, "lib");
    assert_eq!(summary.directories[0].entry.as_deref(), Some("lib/api.py"));
    assert_eq!((summary.hubs[0].path.as_str(), summary.hubs[0].dependents), ("lib/api.py", 3));
}

#[test]
fn a_file_is_shown_with_its_neighborhood() {
    let others: String = (0..100).map(|number| format!("other/m{number:03}.py\n")).collect();
    let mut graph = graph_of(&format!("lib/api.py\nlib/detail.py\nmain.py\n{others}"));
    let member = |file, membership| Member { file: FileId(file), membership };
    graph.communities.push(Community {
        label: "lib".into(),
        members: vec![member(0, Some(400)), member(1, None)],
        cohesion: Some(870),
        entries: vec![FileId(0)],
    });
    let place = written(&graph);
    let snapshot = Snapshot::open(&place.path, &ID).unwrap();
    let neighborhood = |path: &str| snapshot.file(path).unwrap().unwrap().neighborhood;
    let entry = Some("lib/api.py".into());
    let shown = Neighborhood { label: "lib".into(), files: 2, cohesion: Some(870), membership: Some(400), entry };
    assert_eq!(neighborhood("lib/api.py"), Some(shown.clone()));
    assert_eq!(neighborhood("lib/detail.py"), Some(Neighborhood { membership: None, ..shown }));
    assert_eq!(neighborhood("main.py"), None);
    // The first files are few: directories tell more.
    graph.files.truncate(3);
    let small = written(&graph);
    let card = Snapshot::open(&small.path, &ID).unwrap().file("lib/api.py").unwrap().unwrap();
    assert_eq!(card.neighborhood, None);
    let summary = snapshot.summary().unwrap();
    assert_eq!((summary.neighborhoods_total, summary.neighborhoods[0].entry.as_deref()), (1, Some("lib/api.py")));
}

#[test]
fn a_large_directory_is_divided_and_a_flat_one_is_not() {
    let mut text = String::from("setup.py\n");
    for n in 0..9 {
        text += &format!("src/pkg/db/m{n}.py\nsrc/pkg/web/m{n}.py\n");
    }
    text += "docs/conf.py\n";
    let directories = opened(&text).summary().unwrap().directories;
    let paths: Vec<&str> = directories.iter().map(|directory| directory.path.as_str()).collect();
    assert_eq!(paths, ["src/pkg/db", "src/pkg/web", "docs"]);
    assert_eq!(opened("a.py\nb.py\n").summary().unwrap().directories[0].path, "");
}

#[test]
fn the_same_graph_gives_the_same_bytes() {
    let graph = graph_of(SMALL);
    let bytes = |place: Place| std::fs::read(place.path).unwrap();
    assert_eq!(bytes(written(&graph)), bytes(written(&graph)));
}

#[test]
fn many_keys_are_all_found() {
    let mut text = String::new();
    for n in 0..1000 {
        text += &format!("d{}/f{n}.py\n  function f{n} 1-2\n", n % 7);
    }
    let snapshot = opened(&text);
    for n in 0..1000 {
        assert!(snapshot.file(&format!("d{}/f{n}.py", n % 7)).unwrap().is_some());
        assert_eq!(snapshot.symbols(&format!("f{n}")).unwrap().len(), 1);
        assert_eq!(snapshot.file(&format!("none{n}.py")), Ok(None));
    }
}

#[test]
fn a_written_snapshot_is_private_and_replaces_the_old_one() {
    let place = written(&graph_of(SMALL));
    let old = Snapshot::open(&place.path, &ID).unwrap();
    std::fs::write(place.path.with_file_name("snapshot.bin.new"), "left by a killed writer").unwrap();
    write(&place.path, &graph_of("x.py\n"), &ID, None).unwrap();
    assert_eq!(std::fs::metadata(&place.path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(place.path.parent().unwrap()).unwrap().count(), 1);
    let new = Snapshot::open(&place.path, &ID).unwrap();
    assert!(old.file("app/core.py").unwrap().is_some(), "an open one stays readable");
    assert_eq!((new.head(), new.file("app/core.py")), (None, Ok(None)));
}

#[test]
fn what_is_no_snapshot_of_ours_is_refused() {
    let place = written(&graph_of(SMALL));
    let folder = place.path.parent().unwrap();
    assert_eq!(refused(&folder.join("none")), Refused::Absent);
    assert_eq!(refused(folder), Refused::NotRegular);
    let link = folder.join("link");
    symlink(&place.path, &link).unwrap();
    assert_eq!(refused(&link), Refused::NotRegular);
    let pipe = folder.join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    assert_eq!(refused(&pipe), Refused::NotRegular, "and does not wait for a writer");
    let socket = folder.join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_eq!(refused(&socket), Refused::NotRegular);
    for mode in [0o620, 0o602] {
        std::fs::set_permissions(&place.path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(refused(&place.path), Refused::NotOurs);
    }
    std::fs::set_permissions(&place.path, std::fs::Permissions::from_mode(0o600)).unwrap();
    for other in [Identity { root: "/home/dev/other", ..ID }, Identity { git_dir: "", ..ID }] {
        assert_eq!(Snapshot::open(&place.path, &other).unwrap_err(), Refused::Foreign);
    }
}

#[test]
fn other_files_and_versions_are_refused() {
    let place = written(&graph_of(SMALL));
    let mut bytes = std::fs::read(&place.path).unwrap();
    bytes[8] += 1;
    std::fs::write(&place.path, &bytes).unwrap();
    assert_eq!(refused(&place.path), Refused::Version);
    for junk in [&b""[..], &[0; 10_000], b"SQLite format 3\0", "text ".repeat(1000).as_bytes()] {
        std::fs::write(&place.path, junk).unwrap();
        assert_eq!(refused(&place.path), Refused::Damaged);
    }
}

#[test]
fn a_snapshot_cut_anywhere_is_refused() {
    let place = written(&graph_of(SMALL));
    let bytes = std::fs::read(&place.path).unwrap();
    for len in 0..bytes.len() {
        std::fs::write(&place.path, &bytes[..len]).unwrap();
        assert_eq!(refused(&place.path), Refused::Damaged, "cut at {len}");
    }
    std::fs::write(&place.path, [&bytes[..], b"x"].concat()).unwrap();
    assert_eq!(refused(&place.path), Refused::Damaged, "longer than it says");
}

/// Every answer that the small graph can give.
type Answers = (Option<FileCard>, Option<FileCard>, Vec<SymbolCard>, Vec<SymbolCard>, Summary, Option<String>);

fn answers(path: &Path) -> [Result<Answers, Refused>; 6] {
    let all = |which: usize| {
        let snapshot = Snapshot::open(path, &ID)?;
        let mut answers: Answers = Default::default();
        match which {
            0 => answers.0 = snapshot.file("app/core.py")?,
            1 => answers.1 = snapshot.file("app/unknown.py")?,
            2 => answers.2 = snapshot.symbols("target")?,
            3 => answers.3 = snapshot.symbols("unknown")?,
            4 => answers.4 = snapshot.summary()?,
            _ => answers.5 = snapshot.head().map(str::to_string),
        }
        Ok(answers)
    };
    std::array::from_fn(all)
}

#[test]
fn a_flipped_bit_is_refused_or_changes_nothing() {
    let place = written(&graph_of(SMALL));
    let bytes = std::fs::read(&place.path).unwrap();
    let right = answers(&place.path);
    assert!(right.iter().all(Result::is_ok));
    let mut refusals = 0;
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&place.path, &damaged).unwrap();
        for (answer, right) in answers(&place.path).iter().zip(&right) {
            match answer {
                Ok(_) => assert_eq!(answer, right, "byte {at}"),
                Err(_) => refusals += 1,
            }
        }
    }
    assert!(refusals > bytes.len(), "{refusals} refusals in {} bytes", bytes.len());
}

#[test]
fn a_block_moved_within_the_file_is_refused() {
    let place = written(&graph_of(SMALL));
    let mut bytes = std::fs::read(&place.path).unwrap();
    let (tables, end) = (bytes.len() - 2 * layout::BUCKET, bytes.len());
    bytes.copy_within(tables..tables + layout::BUCKET, end - layout::BUCKET);
    std::fs::write(&place.path, &bytes).unwrap();
    assert_eq!(Snapshot::open(&place.path, &ID).unwrap().symbols("target"), Err(Refused::Damaged));
}

#[test]
fn bytes_that_nobody_wrote_decode_to_nothing_and_never_panic() {
    let mut state = 1u64;
    for len in 0..2000usize {
        let junk: Vec<u8> = (0..len % 300)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        let _ = (wire::decode_file(&junk), wire::decode_names(&junk), wire::decode_summary(&junk));
    }
}

/// What a call moves down by a line in one file changes: its own card and name, and those of what it calls.
#[test]
fn what_still_holds_is_copied_and_the_rest_made_anew() {
    let other = "lib/c.py\n  function other 1-3\n";
    let before = format!("{SMALL}{other}");
    let after = before.replace("@4 call", "@5 call");
    let (fresh, place) = (written(&graph_of(&after)), written(&graph_of(&before)));
    let fresh = std::fs::read(&fresh.path).unwrap();
    let old = std::fs::read(&place.path).unwrap();
    let graph = graph_of(&after);
    let write_with = |reuse: Reuse| {
        std::fs::write(&place.path, &old).unwrap();
        let digest = prepare(&place.path, &graph, &ID, Some("5cb4f9a0"), Some(&reuse)).unwrap().publish().unwrap();
        (digest, std::fs::read(&place.path).unwrap())
    };
    let digest = write(&place.path, &graph_of(&before), &ID, Some("5cb4f9a0")).unwrap();
    let file = |path: &str| FileId(graph.files.iter().position(|file| file.path == path).unwrap() as u32);
    let target = graph.symbols.iter().position(|symbol| symbol.name == "target").unwrap() as u32;
    let told = Reuse { digest, files: vec![file("app/a.py")], symbols: vec![SymbolId(target)], ..Reuse::default() };
    assert!(write_with(told).1 == fresh);
    let nothing = Reuse { digest, ..Reuse::default() };
    assert!(write_with(nothing).1 == old, "believed what it was told, and copied everything");
    let foreign = Reuse { digest: digest ^ 1, ..Reuse::default() };
    let (now, bytes) = write_with(foreign);
    assert!(bytes == fresh && now != digest, "not the snapshot that it was told of");
}
