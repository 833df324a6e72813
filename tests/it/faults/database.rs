//! Part D: the graph's files and their folder. The hook reads the snapshot for everything but prompts, which ask the database
//! as the commands do.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::ground::{Ends, Ground, Need, link, needs};
use super::{Outcome, Row, elsewhere, here};
use crate::support::{FLOORPLAN, Run, measured, session_event};

pub(super) const ROWS: &[Row] = &[
    here("D1", "no graph", d1),
    here("D2", "files that are empty, cut, garbage or text", d2).and(&[
        "tests/it/hook_cases.rs a_damaged_snapshot_is_silence_and_is_repaired",
        "tests/it/hook_cases.rs a_damaged_database_is_refused_by_commands_and_repaired",
        "src/store/snapshot/tests.rs a_snapshot_cut_anywhere_is_refused",
    ]),
    here("D3", "folders, pipes, sockets, devices and links in the place of files", d3),
    here("D4", "flipped bits", d4).and(&[
        "src/store/snapshot/tests.rs a_flipped_bit_is_refused_or_changes_nothing",
        "src/index/facts/mod.rs every_damage_is_a_miss",
    ]),
    elsewhere(
        "D5",
        "an older schema",
        &[
            "src/store/tests.rs readers_refuse_what_is_not_a_whole_graph_of_this_root",
            "src/store/tests.rs the_writer_replaces_what_is_damaged_foreign_or_older",
        ],
    ),
    elsewhere(
        "D6",
        "a newer schema",
        &[
            "src/store/tests.rs readers_refuse_what_is_not_a_whole_graph_of_this_root",
            "src/store/snapshot/tests.rs other_files_and_versions_are_refused",
        ],
    ),
    here("D7", "tables gone, triggers, views, columns of other types", d7),
    here("D8", "the graph of another repository", d8),
    here("D9", "an index run that died before its graph was complete", d9)
        .and(&["src/store/tests.rs an_interrupted_write_leaves_the_old_graph"]),
    elsewhere(
        "D10",
        "the log of a writer that was killed",
        &["tests/it/stress.rs a_run_that_is_killed_leaves_a_whole_graph_and_the_next_one_repairs"],
    ),
    elsewhere("D11", "a log that is cut", &["src/store/tests.rs a_log_cut_anywhere_is_the_old_graph_or_none"]),
    here("D12", "a log that is garbage, a link, a pipe", d12),
    here("D13", "a database that is locked", d13)
        .and(&["src/store/tests.rs a_locked_database_is_given_up_after_50_ms_in_the_hook"]),
    elsewhere(
        "D14",
        "hooks while the graph changes",
        &[
            "tests/it/stress.rs every_answer_is_of_one_generation_while_the_graph_changes",
            "src/store/tests.rs a_reader_keeps_its_graph_while_another_is_written",
        ],
    ),
    here("D15", "two index runs at once", d15),
    elsewhere(
        "D16",
        "an index run that is killed anywhere",
        &["tests/it/stress.rs a_run_that_is_killed_leaves_a_whole_graph_and_the_next_one_repairs"],
    ),
    here("D17", "an index run that is stopped with the lock in hand", d17),
    here("D18", "a lock whose holder is dead", d18).and(&["src/index/background.rs lock_is_held_by_one"]),
    here("D19", "a cache that others can write, or that is a link", d19)
        .and(&["tests/it/hook_cases.rs a_read_only_cache_of_ones_own_is_read_and_that_of_another_is_not"]),
    elsewhere(
        "D20",
        "a cache that can only be read",
        &["tests/it/hook_cases.rs a_read_only_cache_of_ones_own_is_read_and_that_of_another_is_not"],
    ),
    here("D21", "no space, no inodes, a limit on files", d21)
        .and(&["tests/it/hook_cases.rs a_full_disk_leaves_the_old_graph_in_force"]),
    here("D22", "a file system without locks or maps", d22),
    here("D23", "reads, writes and syncs that fail", d23),
    here("D24", "files that are replaced or cut while they are read", d24),
    here("D25", "clocks that are wrong", d25),
    here("D26", "a name that is used everywhere", d26),
    here("D27", "questions full of marks", d27)
        .and(&["src/store/tests.rs symbols_are_found_by_the_words_of_their_names"]),
];

/// A command on the repository.
fn command(ground: &Ground, args: &[&str]) -> Run {
    let run = measured(ground.sandbox.floorplan(&[&["-C", "repo"], args].concat()));
    assert!(matches!(run.code, Some(0..=2)), "{args:?} ends with {:?}: {}", run.code, run.stderr);
    assert!(!run.stderr.contains("panicked"), "{args:?}: {}", run.stderr);
    run
}

fn prompt(ground: &Ground, text: &str) -> Value {
    let mut event = session_event("UserPromptSubmit", &ground.repo());
    event["prompt"] = json!(text);
    event
}

/// The files of the graph.
const FILES: [&str; 3] = ["snapshot.bin", "graph.db", "kept.bin"];

/// Files that the hook and index runs leave beside it.
const NOTES: [&str; 5] = ["log", "tried", "rules", "wanted", "lock"];

fn d1() -> Outcome {
    let ground = Ground::unindexed(super::ground::SOURCES);
    ground.silent(&ground.core());
    ground.silent(&ground.bash_event("grep -rn load ."));
    assert!(!ground.sandbox.cache().exists(), "a read makes no cache");
    ground.index();
    for file in FILES {
        fs::remove_file(ground.sandbox.graph().join(file)).unwrap();
    }
    ground.silent(&ground.core());
    assert!(!ground.sandbox.graph().join("graph.db").exists());
    Ok(())
}

fn d2() -> Outcome {
    let ground = Ground::new();
    let said = ground.tells(&ground.core());
    for file in FILES {
        let path = ground.sandbox.graph().join(file);
        let whole = fs::read(&path).unwrap();
        let contents = [Vec::new(), whole[..whole.len() / 3].to_vec(), b"text ".repeat(3000)];
        for content in contents {
            fs::write(&path, &content).unwrap();
            for suffix in ["-wal", "-shm"] {
                let _ = fs::remove_file(path.with_file_name(format!("{file}{suffix}")));
            }
            match ground.ask(&ground.core()) {
                Some(now) => assert!(file != "snapshot.bin" && now == said, "{file}: {now}"),
                None => assert_eq!(file, "snapshot.bin", "{file}"),
            }
            ground.ask(&prompt(&ground, "Change how load reads its path in core"));
            command(&ground, &["callers", "load"]);
            // As the hook would start it.
            assert_eq!(command(&ground, &["index", "--background"]).code, Some(0));
            assert_eq!(ground.tells(&ground.core()), said);
            assert_eq!(command(&ground, &["callers", "load"]).code, Some(0), "{file}");
        }
    }
    Ok(())
}

fn d3() -> Outcome {
    let ground = Ground::new();
    let said = ground.tells(&ground.core());
    ground.setup("echo precious >victim");
    let graph = ground.sandbox.graph();
    for make in ["mkdir", "mkfifo", "ln -s ../../../victim", "ln -s /dev/zero", "ln -s /dev/tty"] {
        for files in [&FILES[..1], &FILES[1..], &NOTES] {
            for file in files {
                let path = graph.join(file);
                let _ = fs::remove_file(&path);
                ground.setup(&format!("{make} '{}'", path.display()));
            }
            let started = Instant::now();
            let now = ground.ask(&ground.core());
            assert!(now.is_none_or(|now| now == said), "{make} {files:?}");
            ground.ask(&prompt(&ground, "Change how load reads its path in core"));
            command(&ground, &["status"]);
            assert!(started.elapsed() < Duration::from_secs(60), "{make} {files:?}");
            for file in files {
                let path = graph.join(file);
                let _ = if path.is_dir() { fs::remove_dir(&path) } else { fs::remove_file(&path) };
            }
        }
        command(&ground, &["doctor"]);
        ground.index();
        assert_eq!(ground.tells(&ground.core()), said, "{make}");
        assert_eq!(fs::read_to_string(ground.sandbox.path().join("victim")).unwrap(), "precious\n", "{make}");
    }
    Ok(())
}

/// By chance, but always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

/// `FLOORPLAN_FLIPS` is how many databases are spoiled.
fn d4() -> Outcome {
    let trials: usize = std::env::var("FLOORPLAN_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let ground = Ground::new();
    let path = ground.sandbox.graph().join("graph.db");
    let whole = fs::read(&path).unwrap();
    let answers = |ground: &Ground| -> Vec<Run> {
        [&["callers", "load", "--json"][..], &["dump"]].iter().map(|args| command(ground, args)).collect()
    };
    let right: Vec<String> = answers(&ground).into_iter().map(|run| run.stdout).collect();
    let mut chance = Chance(0x2545_f491_4f6c_dd1d);
    let (mut same, mut refused, mut other) = (0, 0, 0);
    for trial in 0..trials {
        let mut bytes = whole.clone();
        for _ in 0..[1, 8, 64][trial % 3] {
            let at = chance.below(bytes.len());
            bytes[at] ^= 1 << chance.below(8);
        }
        fs::write(&path, &bytes).unwrap();
        for (run, right) in answers(&ground).iter().zip(&right) {
            match run.code {
                Some(2) => refused += 1,
                _ if run.stdout == *right => same += 1,
                _ => other += 1,
            }
        }
        ground.ask(&prompt(&ground, "Change how load reads its path in core"));
    }
    super::say(&format!(
        "D4: {trials} databases with flipped bits: {same} right, {refused} refused, {other} other answers"
    ));
    fs::write(&path, &whole).unwrap();
    ground.index();
    assert_eq!(command(&ground, &["callers", "load", "--json"]).code, Some(0));
    Ok(())
}

fn d7() -> Outcome {
    let ground = Ground::new();
    let path = ground.sandbox.graph().join("graph.db");
    let whole = fs::read(&path).unwrap();
    let right = command(&ground, &["dump"]).stdout;
    let hang =
        "CREATE VIEW symbol AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n AS id FROM r";
    for sql in [
        "DROP TABLE name",
        "DROP TABLE edge",
        "CREATE TRIGGER t AFTER INSERT ON edge BEGIN DELETE FROM symbol; END",
        "ALTER TABLE symbol RENAME COLUMN line TO place",
        "UPDATE symbol SET line = 'many'",
        "UPDATE file SET path = x'ff00'",
        "UPDATE meta SET value = 'x'",
        "DROP INDEX IF EXISTS edge_target",
        &format!("ALTER TABLE symbol RENAME TO symbols; {hang}"),
    ] {
        fs::write(&path, &whole).unwrap();
        let db = Connection::open(&path).unwrap();
        // Some of these do not fit the schema as it is: then there is nothing to be survived.
        let spoilt = db.execute_batch(sql);
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        drop(db);
        let started = Instant::now();
        for args in [&["callers", "load"][..], &["status"], &["search", "load"], &["plan", "load"]] {
            command(&ground, args);
        }
        ground.ask(&prompt(&ground, "Change how load reads its path in core"));
        assert!(started.elapsed() < Duration::from_secs(60), "{sql}");
        ground.tells(&ground.core());
        ground.index();
        assert_eq!(command(&ground, &["dump"]).stdout, right, "{sql} {spoilt:?}");
    }
    Ok(())
}

fn d8() -> Outcome {
    let ground = Ground::new();
    let other = Ground::with(&[
        ("app/core.py", "def load(path):\n    return path\n"),
        ("app/wrong.py", "from app.core import load\n\nload(1)\n"),
    ]);
    command(&other, &["status"]);
    for file in FILES {
        fs::copy(other.sandbox.graph().join(file), ground.sandbox.graph().join(file)).unwrap();
    }
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(ground.sandbox.graph().join(format!("graph.db{suffix}")));
    }
    ground.silent(&ground.core());
    ground.silent(&ground.bash_event("grep -rn load ."));
    ground.silent(&prompt(&ground, "Change how load reads its path in core"));
    for args in [&["callers", "load"][..], &["dump"], &["status"]] {
        let run = command(&ground, args);
        assert!(run.code == Some(2) && !run.stdout.contains("wrong.py"), "{args:?}: {}", run.stdout);
    }
    ground.index();
    assert!(!ground.tells(&ground.core()).contains("wrong.py"));
    Ok(())
}

fn d9() -> Outcome {
    let ground = Ground::new();
    let path = ground.sandbox.graph().join("graph.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch("UPDATE meta SET value = 0 WHERE key = 'complete'; DELETE FROM edge").unwrap();
    drop(db);
    for args in [&["callers", "load"][..], &["unreferenced"], &["dump"]] {
        let run = command(&ground, args);
        assert!(
            run.code == Some(1) && run.stderr.contains("floorplan index"),
            "{args:?}: {:?} {}",
            run.code,
            run.stderr
        );
        assert_eq!(run.stdout, "", "{args:?}");
    }
    ground.silent(&prompt(&ground, "Change how load reads its path in core"));
    ground.tells(&ground.core());
    Ok(())
}

fn d12() -> Outcome {
    let ground = Ground::new();
    let right = command(&ground, &["dump"]).stdout;
    ground.setup("echo precious >victim");
    let graph = ground.sandbox.graph();
    for suffix in ["-wal", "-shm"] {
        let path = graph.join(format!("graph.db{suffix}"));
        for make in ["mkfifo", "mkdir", "ln -s ../../../victim", "cp ../graph.garbage"] {
            let _ = fs::remove_file(&path);
            fs::write(graph.with_file_name("graph.garbage"), vec![0xa5; 70_000]).unwrap();
            ground.setup(&format!("cd '{}'; {make} '{}'", graph.display(), path.display()));
            let run = command(&ground, &["dump"]);
            assert!(run.code == Some(2) || run.stdout == right, "{make} {suffix}: {:?} {}", run.code, run.stderr);
            ground.ask(&prompt(&ground, "Change how load reads its path in core"));
            ground.tells(&ground.core());
            assert_eq!(fs::read_to_string(ground.sandbox.path().join("victim")).unwrap(), "precious\n");
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir(&path).unwrap();
            } else {
                let _ = fs::remove_file(&path);
            }
            fs::remove_file(graph.with_file_name("graph.garbage")).unwrap();
            ground.index();
            assert_eq!(command(&ground, &["dump"]).stdout, right, "{make} {suffix}");
        }
    }
    Ok(())
}

fn d13() -> Outcome {
    let ground = Ground::new();
    let holder = Connection::open(ground.sandbox.graph().join("graph.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE; UPDATE symbol SET line = line + 1").unwrap();
    ground.tells(&ground.core());
    assert_eq!(command(&ground, &["callers", "load"]).code, Some(0), "readers do not mind a writer");
    holder
        .execute_batch("ROLLBACK; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE symbol SET line = 1")
        .unwrap();
    ground.tells(&ground.core());
    ground.silent(&prompt(&ground, "Change how load reads its path in core"));
    let run = command(&ground, &["callers", "load"]);
    assert!(run.code == Some(2) && run.stderr.contains("locked"), "{:?} {}", run.code, run.stderr);
    Ok(())
}

/// A repository that takes a while.
fn large() -> Ground {
    let ground = Ground::new();
    for number in 0..400 {
        let calls: String =
            (0..40).map(|call| format!("def f{call}():\n    return load({call}), f0()\n\n\n")).collect();
        ground.sandbox.write(&format!("app/more{number}.py"), &format!("from app.core import load\n\n\n{calls}"));
    }
    ground
}

fn d15() -> Outcome {
    let ground = large();
    let codes: Vec<Run> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|number| {
                let args: &[&str] = if number % 2 == 0 { &["index"] } else { &["index", "--background"] };
                let ground = &ground;
                scope.spawn(move || command(ground, args))
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(codes.iter().any(|run| run.code == Some(0)));
    for run in codes.iter().filter(|run| run.code != Some(0)) {
        assert!(run.stderr.contains("another index of"), "{}", run.stderr);
    }
    ground.index();
    assert_eq!(command(&ground, &["verify"]).code, Some(0));
    let names = fs::read_dir(ground.sandbox.graph()).unwrap().map(|entry| entry.unwrap().file_name());
    let odd: Vec<_> = names.filter(|name| name.to_string_lossy().contains("corrupt")).collect();
    assert!(odd.is_empty(), "{odd:?}");
    Ok(())
}

/// The lock is held: that is when a second run says so.
fn wait_for_lock(ground: &Ground) {
    let started = Instant::now();
    let file = fs::File::options().write(true).open(ground.sandbox.graph().join("lock")).unwrap();
    while file.try_lock().is_ok() {
        file.unlock().unwrap();
        assert!(started.elapsed() < Duration::from_secs(60), "no run takes the lock");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn signal(pid: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

fn d17() -> Outcome {
    let ground = large();
    let mut run = ground.sandbox.floorplan(&["index", "repo"]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_lock(&ground);
    signal(child.id(), "-STOP");
    ground.tells(&ground.core());
    let second = command(&ground, &["index"]);
    assert!(second.code == Some(2) && second.stderr.contains("another index of"), "{}", second.stderr);
    assert_eq!(command(&ground, &["index", "--background"]).code, Some(0), "it leaves at once");
    assert_eq!(command(&ground, &["callers", "load"]).code, Some(0));
    signal(child.id(), "-CONT");
    assert!(child.wait().unwrap().success());
    assert_eq!(command(&ground, &["verify"]).code, Some(0));
    Ok(())
}

fn d18() -> Outcome {
    let ground = large();
    let mut run = ground.sandbox.floorplan(&["index", "repo"]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_lock(&ground);
    child.kill().unwrap();
    child.wait().unwrap();
    // Written by whoever it was, with a number that is somebody else's now.
    fs::write(ground.sandbox.graph().join("lock"), std::process::id().to_string()).unwrap();
    assert_eq!(command(&ground, &["index"]).code, Some(0), "the kernel has given the lock back");
    assert_eq!(command(&ground, &["verify"]).code, Some(0));
    Ok(())
}

fn d19() -> Outcome {
    let ground = Ground::new();
    let (ours, graph) = (ground.sandbox.cache().join("floorplan"), ground.sandbox.graph());
    for folder in [&ours, &graph] {
        fs::set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
        ground.ask(&ground.core());
        let run = command(&ground, &["index"]);
        assert!(run.code == Some(2) && run.stderr.contains("can be written to by other users"), "{}", run.stderr);
        fs::set_permissions(folder, Permissions::from_mode(0o700)).unwrap();
    }
    let aside = ground.sandbox.path().join("aside");
    fs::rename(&graph, &aside).unwrap();
    link(&aside, &graph);
    let run = command(&ground, &["index"]);
    assert!(run.code == Some(2) && run.stderr.contains("is a link"), "{}", run.stderr);
    fs::remove_file(&graph).unwrap();
    fs::rename(&aside, &graph).unwrap();
    ground.tells(&ground.core());
    Ok(())
}

fn d21() -> Outcome {
    needs(&[Need::Root, Need::Mounts, Need::Tool("prlimit")])?;
    let ground = large();
    let event = ground.sandbox.home().join("event.json");
    fs::write(&event, ground.core().to_string()).unwrap();
    // A graph of the small repository, then no inodes for what comes beside it.
    ground.setup("mkdir aside; mv repo/app/more*.py aside");
    let script = format!(
        "mount -t tmpfs -o size=64m,nr_inodes=40,mode=700 none cache
         '{FLOORPLAN}' index -q repo
         mv aside/*.py repo/app
         for i in $(seq 100); do : >cache/$i 2>/dev/null || break; done
         code=0; '{FLOORPLAN}' index -q repo >out 2>err || code=$?; echo $code >code
         '{FLOORPLAN}' <home/event.json >said 2>said.err; echo $? >said.code
         rm -f cache/[0-9]*
         '{FLOORPLAN}' index -q repo
         '{FLOORPLAN}' -C repo verify
         code=0; prlimit --fsize=20000 '{FLOORPLAN}' -C repo index -q --full >out2 2>err2 || code=$?; echo $code >code2
         sed -i 's/\"session_id\":\"/&x/' home/event.json
         '{FLOORPLAN}' <home/event.json >said2
         '{FLOORPLAN}' -C repo verify"
    );
    let unshare =
        ground.sandbox.tool("unshare").args(["-m", "bash", "-euo", "pipefail", "-c", &script]).output().unwrap();
    assert!(unshare.status.success(), "{}", String::from_utf8_lossy(&unshare.stderr));
    let text = |name: &str| fs::read_to_string(ground.sandbox.path().join(name)).unwrap();
    assert_eq!((text("said.code").trim(), text("said.err").as_str()), ("0", ""));
    for (code, err) in [("code", "err"), ("code2", "err2")] {
        // A limit on files may end a process by a signal, which is as loud as an error.
        assert!(!text(err).contains("panicked"), "{}", text(err));
        super::say(&format!("D21: index ends with {} {}", text(code).trim(), text(err).trim()));
    }
    assert!(text("said").contains("load()") && text("said2").contains("load()"));
    Ok(())
}

/// The program under strace, with faults in system calls.
fn faulty(ground: &Ground, inject: &str, args: &[&str]) -> Command {
    faulty_at(ground, inject, &[], args)
}

/// As [`faulty`], only where these files are concerned.
fn faulty_at(ground: &Ground, inject: &str, files: &[&std::path::Path], args: &[&str]) -> Command {
    let mut strace = ground.sandbox.tool("strace");
    for file in files {
        strace.arg("-P").arg(file);
    }
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject={inject}"), FLOORPLAN]).args(args);
    strace
}

fn d22() -> Outcome {
    needs(&[Need::Strace])?;
    let ground = Ground::new();
    let right = command(&ground, &["dump"]).stdout;
    for inject in
        ["fcntl:error=EOPNOTSUPP", "fcntl:error=ENOLCK", "flock:error=EOPNOTSUPP", "fallocate:error=EOPNOTSUPP"]
    {
        let said = ground.ask_by(faulty(&ground, inject, &[]), &ground.core());
        assert!(said.is_none_or(|said| said.contains("load()")), "{inject}");
        let run = measured(faulty(&ground, inject, &["-C", "repo", "dump"]));
        assert!(run.code == Some(2) || run.stdout == right, "{inject}: {:?} {}", run.code, run.stderr);
        ground.sandbox.write("app/new.py", "from app.core import load\n\nload(5)\n");
        let run = measured(faulty(&ground, inject, &["index", "repo"]));
        assert!(matches!(run.code, Some(0 | 2)) && !run.stderr.contains("panicked"), "{inject}: {}", run.stderr);
        fs::remove_file(ground.repo().join("app/new.py")).unwrap();
        ground.index();
        assert_eq!(command(&ground, &["dump"]).stdout, right, "{inject}");
    }
    Ok(())
}

/// `FLOORPLAN_INJECTIONS` is how many places are tried of each call.
fn d23() -> Outcome {
    needs(&[Need::Strace])?;
    let places: usize = std::env::var("FLOORPLAN_INJECTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let ground = Ground::new();
    let said = ground.tells(&ground.core());
    let right = command(&ground, &["dump"]).stdout;
    let mut event = ground.core();
    let (mut asked, mut answered, mut indexed, mut failed) = (0, 0, 0, 0);
    let read = ["graph/snapshot.bin", "repo/.git/HEAD", "repo/.git/refs/heads/main", "repo/app/core.py"];
    let (graph, folder) = (ground.sandbox.graph(), ground.sandbox.path());
    let files = read.map(|path| path.strip_prefix("graph/").map_or(folder.join(path), |name| graph.join(name)));
    let files: Vec<&std::path::Path> = files.iter().map(|path| path.as_path()).collect();
    for call in ["pread64", "read", "openat", "fstat", "statx", "newfstatat"] {
        for place in 1..=places {
            event["session_id"] = json!(format!("{call}{place}"));
            let inject = format!("{call}:error=EIO:when={place}");
            let now = ground.ask_by(faulty_at(&ground, &inject, &files, &[]), &event);
            asked += 1;
            answered += usize::from(now.is_some());
            // What could not be looked at may be said to be unknown, but nothing is said that is not so.
            let short = |text: &str| text.split(". ").next().unwrap_or_default().to_owned();
            assert!(now.as_ref().is_none_or(|now| short(now) == short(&said)), "{inject}: {now:?}");
        }
    }
    for call in ["fdatasync", "pwrite64", "write", "rename", "pread64", "ftruncate"] {
        for (error, place) in [("EIO", 1), ("ENOSPC", places)] {
            ground.sandbox.write("app/new.py", &format!("from app.core import load\n\nload({place})\n"));
            let inject = format!("{call}:error={error}:when={place}");
            let run = measured(faulty(&ground, &inject, &["index", "repo"]));
            assert!(!run.stderr.contains("panicked"), "{inject}: {}", run.stderr);
            // A program that is not static cannot even be loaded then.
            let unloaded = run.stderr.contains("loading shared libraries");
            assert!(matches!(run.code, Some(0 | 2)) || unloaded, "{inject}: {:?} {}", run.code, run.stderr);
            indexed += 1;
            failed += usize::from(run.code != Some(0));
            let now = ground.tells(&ground.core());
            // The old graph or the new one: with two callers more or without.
            assert!(now.contains("load() has "), "{inject}: {now}");
            let dump = measured(ground.sandbox.floorplan(&["dump", "repo"]));
            assert!(dump.code != Some(0) || dump.stdout == right || dump.stdout.contains("app/new.py"), "{inject}");
            fs::remove_file(ground.repo().join("app/new.py")).unwrap();
            ground.index();
            assert_eq!(command(&ground, &["dump"]).stdout, right, "{inject}");
        }
    }
    super::say(&format!(
        "D23: {asked} hooks with a failing call, {answered} answered; {indexed} index runs, {failed} failed and said so"
    ));
    Ok(())
}

fn d24() -> Outcome {
    let ground = Ground::new();
    let said = ground.tells(&ground.core());
    let (graph, done) = (ground.sandbox.graph(), AtomicBool::new(false));
    let path = graph.join("snapshot.bin");
    let whole = fs::read(&path).unwrap();
    let beside = graph.join("snapshot.new");
    let (mut right, mut silent) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // Cut where it stands, made whole, replaced.
                let file = fs::File::options().write(true).open(&path).unwrap();
                file.set_len(whole.len() as u64 / 2).unwrap();
                fs::write(&path, &whole).unwrap();
                fs::write(&beside, &whole).unwrap();
                fs::rename(&beside, &path).unwrap();
            }
        });
        let _ends = Ends(&done);
        for _ in 0..60 {
            match ground.ask(&ground.core()) {
                Some(now) => {
                    assert_eq!(now, said);
                    right += 1;
                }
                None => silent += 1,
            }
        }
    });
    super::say(&format!("D24: {right} right and {silent} silent while the snapshot was cut and replaced"));
    Ok(())
}

fn d25() -> Outcome {
    let ground = Ground::new();
    let said = ground.tells(&ground.core());
    for time in ["1970-01-01", "2099-12-31"] {
        ground.setup(&format!("find repo cache -type f -exec touch -d {time} {{}} +"));
        ground.index();
        assert_eq!(ground.tells(&ground.core()), said, "{time}");
        let status = command(&ground, &["status"]);
        assert!(status.code == Some(0) && status.stdout.contains("as in the graph"), "{time}: {}", status.stdout);
        // An edit that leaves the time as it was is seen all the same, by the size.
        ground.sandbox.write("app/more.py", "from app.core import load\n\nload(9)\n");
        ground.setup(&format!("touch -d {time} repo/app/more.py"));
        assert_eq!(command(&ground, &["index", "--background"]).code, Some(0));
        assert!(command(&ground, &["callers", "load"]).stdout.contains("app/more.py"), "{time}");
        fs::remove_file(ground.repo().join("app/more.py")).unwrap();
        ground.index();
    }
    // A graph from the future says nothing odd of its age.
    let db = Connection::open(ground.sandbox.graph().join("graph.db")).unwrap();
    for time in [-5_i64, 0, 99_999_999_999, i64::MAX] {
        db.execute("UPDATE meta SET value = ?1 WHERE key = 'indexed_at'", [time]).unwrap();
        let status = command(&ground, &["status"]);
        assert!(!status.stdout.contains("-".repeat(2).as_str()) && status.code == Some(0), "{time}: {}", status.stdout);
    }
    Ok(())
}

/// `FLOORPLAN_CALLERS` is how many files call it.
fn d26() -> Outcome {
    let files: usize = std::env::var("FLOORPLAN_CALLERS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let ground = Ground::unindexed(super::ground::SOURCES);
    let calls: String = (0..100).map(|call| format!("load({call})\n")).collect();
    for number in 0..files {
        ground.sandbox.write(&format!("jobs/j{number}.py"), &format!("from app.core import load\n\n{calls}"));
    }
    ground.index();
    let said = ground.tells(&ground.core());
    assert!(said.len() < 1000, "{said}");
    assert!(
        said.contains(&format!("{} callers", files + 3)) || said.contains(&format!("{} files", files + 2)),
        "{said}"
    );
    let run = command(&ground, &["callers", "load"]);
    assert!(run.code == Some(0) && run.elapsed < Duration::from_secs(20), "{:?}", run.elapsed);
    Ok(())
}

fn d27() -> Outcome {
    let ground = Ground::new();
    let long = "load ".repeat(200_000);
    let marks = [
        "\"",
        "'",
        "load\"",
        "\"load",
        "NEAR(load",
        "load NEAR/2 save",
        "load*",
        "*",
        "^load",
        "-load",
        "load OR",
        "AND",
        "name:load",
        "{name}:load",
        "(load",
        ")",
        "load;--",
        "'); DROP TABLE symbol;--",
        "%",
        "_",
        "\\",
        "ſ",
        "\u{202e}load",
        "load\u{0}",
        "()+(a+)+$",
        "é\u{301}",
        &long[..60_000],
    ];
    for mark in marks {
        if !mark.contains('\0') {
            for args in [&["search", "--", mark][..], &["seed", "--", mark], &["callers", "--", mark]] {
                let run = command(&ground, args);
                for word in ["syntax", "fts", "SQL", "sqlite", "MATCH"] {
                    assert!(!run.stderr.contains(word), "{args:?}: {}", run.stderr);
                }
            }
        }
        ground.ask(&prompt(&ground, mark));
        ground.ask(&prompt(&ground, &format!("Change how load {mark} reads its path in core")));
        ground.ask(&ground.tool("Grep", &json!({ "pattern": mark })));
        ground.ask(&ground.bash_event(&format!("grep -rn '{mark}' .")));
    }
    ground.ask(&prompt(&ground, &long));
    assert_eq!(command(&ground, &["callers", "load"]).code, Some(0), "the tables are still there");
    Ok(())
}
