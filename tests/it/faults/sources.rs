//! Part E: source files of every kind of badness. An index run reads them all; what one file holds costs only itself.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::ground::{Ends, Ground};
use super::{Outcome, Row, elsewhere, here};
use crate::support::{Run, measured};

pub(super) const ROWS: &[Row] = &[
    here("E1", "bytes that are no UTF-8", e1).and(&["src/lang/tests.rs utf16_and_invalid_utf8_are_read"]),
    elsewhere(
        "E2",
        "UTF-16, UTF-32",
        &[
            "tests/it/cases.rs a_utf16_file_gives_no_garbage_anywhere",
            "src/lang/tests.rs text_that_cannot_be_decoded_yields_nothing",
        ],
    ),
    elsewhere("E3", "line ends of every kind", &["src/lang/tests.rs line_ends_of_every_kind_give_the_same_lines"]),
    here("E4", "binary files with a source's name", e4).and(&["src/index/scan/tests.rs content_decides_what_is_read"]),
    elsewhere(
        "E5",
        "nesting without end",
        &[
            "src/lang/tests.rs deep_nesting_is_survived",
            "src/lang/fallback/tests.rs deep_nesting_is_survived_in_linear_time",
            "tests/it/cases.rs deep_nesting_costs_neither_time_nor_memory",
        ],
    ),
    here("E6", "megabytes in one line", e6),
    here("E7", "files that are far too big", e7),
    here("E8", "data dressed as code", e8)
        .and(&["src/lang/tests.rs a_spent_budget_ends_parsing_at_the_same_place_every_time"]),
    elsewhere("E9", "a chain of ten thousand calls", &["tests/it/growth.rs a_chain_of_calls_is_as_long_as_it_likes"]),
    here("E10", "a hundred thousand functions, many thousand files", e10),
    here("E11", "a file in the middle of an edit", e11)
        .and(&["src/lang/tests.rs definitions_in_what_did_not_parse_are_recovered"]),
    elsewhere(
        "E12",
        "what the grammars cannot read",
        &[
            "src/lang/tests.rs recovered_definitions_take_their_place_among_the_others",
            "tests/it/cases.rs every_case_passes_but_those_listed",
        ],
    ),
    elsewhere("E13", "Python 2", &["src/lang/fallback/tests.rs python_two_and_broken_code_keep_their_definitions"]),
    here("E14", "tabs and spaces in one file", e14),
    elsewhere(
        "E15",
        "code in strings and comments",
        &[
            "src/lang/fallback/tests.rs python_code_in_strings_and_comments_is_no_code",
            "src/lang/fallback/tests.rs java_code_in_literals_is_no_code",
            "tests/it/cases.rs every_case_passes_but_those_listed",
        ],
    ),
    here("E16", "letters that look alike", e16),
    elsewhere(
        "E17",
        "letters that cannot be seen",
        &["tests/it/hook_cases.rs hostile_names_come_out_as_plain_text_and_are_all_counted"],
    ),
    here("E18", "a name of a megabyte, ten thousand parameters", e18),
    here("E19", "definitions that stand there twice", e19)
        .and(&["src/store/snapshot/tests.rs overloads_share_a_card_and_stubs_do_not_count"]),
    elsewhere(
        "E20",
        "names that hide others",
        &["tests/it/end_to_end.rs python_cases", "tests/it/end_to_end.rs java_cases"],
    ),
    elsewhere(
        "E21",
        "names of libraries",
        &[
            "tests/it/end_to_end.rs a_receiver_of_unknown_type_is_never_bound_by_name",
            "tests/it/cases.rs every_case_passes_but_those_listed",
        ],
    ),
    elsewhere("E22", "what only frameworks, tables and callbacks call", &["tests/it/end_to_end.rs unreferenced_cases"]),
    here("E23", "a file that changes while it is read", e23),
    elsewhere(
        "E24",
        "imports and inheritance in a ring",
        &[
            "tests/it/growth.rs modules_that_import_a_name_from_each_other_in_a_ring",
            "tests/it/growth.rs modules_that_star_import_each_other",
            "tests/it/growth.rs classes_and_interfaces_that_extend_themselves",
        ],
    ),
    elsewhere(
        "E25",
        "links, vendored, generated and ignored code",
        &[
            "src/index/scan/tests.rs links_pipes_and_sockets_are_never_opened",
            "src/index/scan/tests.rs vendored_and_generated_code_is_named_with_its_reason",
            "src/index/scan/tests.rs in_git_tracked_files_are_listed_even_if_ignored",
        ],
    ),
];

/// A debug build on a loaded machine; a hang is longer.
const LONG: Duration = Duration::from_secs(100);

/// Indexes, and checks that the sound files are known all the same.
fn indexed(ground: &Ground) -> Run {
    let run = ground.sandbox.index(&ground.repo());
    assert!(run.elapsed < LONG, "{:?}", run.elapsed);
    ground.tells(&ground.core());
    run
}

/// What the dump says of a file.
fn reason_of(ground: &Ground, path: &str) -> String {
    let dump = ground.sandbox.dump(&ground.repo());
    let name = json!(path).to_string();
    let line = dump.lines().find(|line| line.contains("\"status\"") && line.contains(&name));
    line.unwrap_or_default().to_owned()
}

fn e1() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    fs::write(
        ground.repo().join("app/odd.py"),
        b"from app.core import load\n# \xff\xfe\x80\nname = '\xc3\x28'\n\n\ndef odd():\n    load(1)\n",
    )
    .unwrap();
    indexed(&ground);
    assert!(ground.sandbox.dump(&ground.repo()).contains("\"odd\""));
    assert!(ground.tells(&ground.core()).contains("odd.py"));
    Ok(())
}

fn e4() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    let bytes: Vec<u8> = (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["b.py", "b.java", "b.go", "b.ts", "b.js"] {
        fs::write(ground.repo().join("app").join(name), &bytes).unwrap();
    }
    fs::write(ground.repo().join("app/nul.py"), b"def f():\n    pass\0\n").unwrap();
    indexed(&ground);
    for name in ["b.py", "b.java", "b.go", "b.ts", "b.js", "nul.py"] {
        let said = reason_of(&ground, &format!("app/{name}"));
        assert!(said.contains("binary"), "{name}: {said}");
        ground.silent(&ground.read(&format!("app/{name}")));
    }
    Ok(())
}

fn e6() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    let line = "function f(a){return a.b(1)+g(a)};".repeat(60_000);
    for name in ["one.js", "one.ts"] {
        ground.sandbox.write(&format!("app/{name}"), &line);
    }
    let run = indexed(&ground);
    assert!(run.peak_mb.is_none_or(|mb| mb < 400), "{:?} MiB", run.peak_mb);
    assert!(reason_of(&ground, "app/one.js").contains("minified"), "{}", reason_of(&ground, "app/one.js"));
    Ok(())
}

fn e7() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    for (name, size) in
        [("sparse.py", 10_u64 << 30), ("sparse.java", 10 << 30), ("notes.md", 10 << 30), ("big.go", 200 << 20)]
    {
        fs::File::create(ground.repo().join(name)).unwrap().set_len(size).unwrap();
    }
    let run = indexed(&ground);
    assert!(run.peak_mb.is_none_or(|mb| mb < 300), "{:?} MiB", run.peak_mb);
    assert!(reason_of(&ground, "sparse.py").contains("too big"), "{}", reason_of(&ground, "sparse.py"));
    ground.silent(&ground.read("sparse.py"));
    Ok(())
}

fn e8() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    let numbers: String = (0..100_000).map(|n| format!("0x{n:05x},")).collect();
    ground.sandbox.write(
        "app/Data.java",
        &format!("class Data {{ static int[] d = {{\n{} }}; }}", numbers.replace("00,", "00,\n")),
    );
    ground.sandbox.write("app/data.py", &format!("D = [\n{}]\n", numbers.replace("00,", "00,\n")));
    ground.sandbox.write("app/Junk.java", &"@ # 12 ) ] } ; ' \" ( [ {\n".repeat(20_000));
    let run = indexed(&ground);
    assert!(run.peak_mb.is_none_or(|mb| mb < 1500), "{:?} MiB", run.peak_mb);
    Ok(())
}

/// `FLOORPLAN_FUNCTIONS` is how many functions stand in one file, and ten times the number of files.
fn e10() -> Outcome {
    let functions: usize =
        std::env::var("FLOORPLAN_FUNCTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let seconds = |functions: usize| {
        let ground = Ground::unindexed(super::ground::SOURCES);
        let text: String = (0..functions).map(|n| format!("def f{n}():\n    return f{}()\n", n / 2)).collect();
        ground.sandbox.write("app/many.py", &text);
        for number in 0..functions / 10 {
            ground
                .sandbox
                .write(&format!("lib/d{}/m{number}.py", number % 50), "from app.core import load\n\nload(1)\n");
        }
        indexed(&ground).elapsed.as_secs_f64()
    };
    let (half, whole) = (seconds(functions / 2), seconds(functions));
    super::say(&format!("E10: {functions} functions {whole:.1} s, half of them {half:.1} s"));
    // Linear is 2; what grows with the square is 4, and the machine is not ours alone.
    assert!(whole < 2.0 + 6.0 * half, "{half} {whole}");
    Ok(())
}

fn e11() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    let text = "from app.core import load\n\n\ndef before():\n    return load(1)\n\n\n<<<<<<< HEAD\ndef mine(:\n    return (\n=======\n\
        def theirs()\n    return [\n>>>>>>> other\n\n\ndef after():\n    return load(2)\n";
    ground.sandbox.write("app/merge.py", text);
    indexed(&ground);
    let dump = ground.sandbox.dump(&ground.repo());
    for name in ["before", "after"] {
        assert!(dump.contains(&format!("\"{name}\"")), "{name}");
    }
    assert!(reason_of(&ground, "app/merge.py").contains("partial"), "{}", reason_of(&ground, "app/merge.py"));
    let said = ground.ask(&ground.read("app/merge.py")).unwrap_or_default();
    assert!(!said.contains("No references"), "{said}");
    let run = measured(ground.sandbox.floorplan(&["-C", "repo", "unreferenced"]));
    assert!(!run.stdout.contains("merge.py"), "{}", run.stdout);
    Ok(())
}

fn e14() -> Outcome {
    let symbols = |indent: &str| {
        let ground = Ground::unindexed(super::ground::SOURCES);
        let text = "class A:\n>def f(self):\n>>if self:\n>>>return load(1)\n>>def inner():\n>>>return 2\n>>return inner\n\n>def g(self):\n>>return self.f()\n";
        ground.sandbox.write("app/tabs.py", &format!("from app.core import load\n\n\n{}", text.replace('>', indent)));
        indexed(&ground);
        let dump = ground.sandbox.dump(&ground.repo());
        let lines = dump.lines().filter(|line| line.contains("app/tabs.py") && !line.contains("\"status\""));
        lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let spaces = symbols("    ");
    assert!(spaces.contains("inner"), "{spaces}");
    // Columns are not in the dump; lines are.
    assert_eq!(symbols("\t"), spaces);
    assert_eq!(symbols("  \t"), spaces);
    Ok(())
}

fn e16() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    // A Cyrillic `а`; `ﬁ` and `fi` are one name to Python.
    ground.sandbox.write(
        "app/alike.py",
        "def p\u{430}ge():\n    pass\n\n\ndef page():\n    pass\n\n\ndef \u{fb01}nd():\n    pass\n",
    );
    ground.sandbox.write("app/uses.py", "from app.alike import page\n\npage()\npage()\n");
    indexed(&ground);
    let run = measured(ground.sandbox.floorplan(&["-C", "repo", "callers", "app/alike.py::p\u{430}ge"]));
    assert!(!run.stdout.contains("uses.py"), "{}", run.stdout);
    let run = measured(ground.sandbox.floorplan(&["-C", "repo", "callers", "app/alike.py::page"]));
    assert!(run.stdout.contains("uses.py"), "{}{}", run.stdout, run.stderr);
    Ok(())
}

fn e18() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    let long = "n".repeat(1 << 20);
    let parameters: String = (0..10_000).map(|n| format!("p{n}, ")).collect();
    // Lines that long make no file minified when there are enough short ones.
    let short = "# a line\n".repeat(5_000);
    ground
        .sandbox
        .write("app/long.py", &format!("{short}def {long}():\n    pass\n\n\ndef wide({parameters}):\n    pass\n"));
    ground.sandbox.write(
        "app/user.py",
        &format!("from app.core import load\nfrom app.long import {long}\n{short}\n{long}()\nload({long})\n"),
    );
    indexed(&ground);
    for path in ["app/long.py", "app/user.py", "app/core.py"] {
        let said = ground.ask(&ground.read(path)).unwrap_or_default();
        assert!(said.len() < 1500 && !said.contains(&"n".repeat(81)), "{path}: {} bytes", said.len());
    }
    let pattern = json!({ "pattern": long });
    let said = ground.ask(&ground.tool("Grep", &pattern)).unwrap_or_default();
    assert!(!said.contains(&"n".repeat(81)), "{} bytes", said.len());
    Ok(())
}

fn e19() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    let text = "import sys\n\nif sys.platform == 'x':\n    def twice():\n        return 1\nelse:\n    def twice():\n        return 2\n\n\ndef twice():\n    return 3\n";
    ground.sandbox.write("app/twice.py", text);
    ground.sandbox.write("app/caller.py", "from app.twice import twice\n\ntwice()\n");
    indexed(&ground);
    let said = ground.answer(&ground.read("app/twice.py"));
    assert_eq!(said.matches("twice()").count(), 1, "{said}");
    assert!(said.contains("has 1 caller "), "{said}");
    Ok(())
}

fn e23() -> Outcome {
    let ground = Ground::new();
    let versions = ["a", "b"].map(|name| {
        let text: String = (0..300).map(|n| format!("def {name}{n}():\n    return load({n})\n\n\n")).collect();
        format!("from app.core import load\n\n\n{text}")
    });
    let path = ground.repo().join("app/moving.py");
    fs::write(&path, &versions[0]).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0;
            while !done.load(Ordering::Relaxed) {
                turn += 1;
                fs::write(&path, &versions[turn % 2]).unwrap();
            }
        });
        let _ends = Ends(&done);
        for _ in 0..4 {
            ground.index();
            // Not by way of the ground, which wants nothing touched meanwhile.
            assert!(ground.sandbox.annotation(&ground.core()).contains("load()"));
        }
    });
    // Whatever was read in between is told from what is there now.
    for version in [&versions[1], &versions[0]] {
        fs::write(&path, version).unwrap();
        let run = measured(ground.sandbox.floorplan(&["index", "--background", "repo"]));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let verify = measured(ground.sandbox.floorplan(&["-C", "repo", "verify"]));
        assert_eq!(verify.code, Some(0), "{}", verify.stdout);
    }
    Ok(())
}
