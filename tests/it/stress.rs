//! Under stress: hooks ask while the graph changes, and index runs are killed at any moment.
//!
//! `FLOORPLAN_HOOKS` is how many hooks ask at the same time, `FLOORPLAN_SECONDS` how long, `FLOORPLAN_KILLS` how many runs are
//! killed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Sandbox, measured, read_event, tool_event};
use serde_json::json;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The hook gives up long before; the rest is the machine's.
const DEADLINE: Duration = Duration::from_secs(10);

/// Generation `turn` of the tree: `load` and `save` are called in the same number of files, and no two generations in a row
/// have the same number.
fn write(sandbox: &Sandbox, turn: u64) {
    for user in 0..8 {
        let calls = if user < callers(turn) { "    return load(), save()\n" } else { "    return 1\n" };
        let text = format!("from app.core import load, save\n\n\ndef page():\n{calls}");
        sandbox.write(&format!("app/user{user}.py"), &text);
    }
}

fn callers(turn: u64) -> u64 {
    2 + turn % 5
}

fn sandbox() -> Sandbox {
    let core = "def load():\n    return 1\n\n\ndef save():\n    return 2\n";
    let sandbox = Sandbox::with(&[("app/__init__.py", ""), ("app/core.py", core)]);
    write(&sandbox, 0);
    sandbox.index(&sandbox.repo());
    sandbox
}

/// The number before ` callers in` that follows a name.
fn said_of(text: &str, name: &str) -> Option<u64> {
    let rest = &text[text.find(&format!("{name}() has "))? + name.len() + 7..];
    rest.split(' ').next()?.parse().ok()
}

#[test]
fn every_answer_is_of_one_generation_while_the_graph_changes() {
    let seconds = number("FLOORPLAN_SECONDS", 4);
    let sandbox = sandbox();
    let (done, answers, silent) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let started = Instant::now();
            let mut turn = 0;
            while started.elapsed() < Duration::from_secs(seconds) {
                turn += 1;
                write(&sandbox, turn);
                let run = measured(sandbox.floorplan(&["index", "--background", sandbox.repo().to_str().unwrap()]));
                assert_eq!(run.code, Some(0), "{}", run.stderr);
            }
            done.store(true, Ordering::Relaxed);
        });
        for _ in 0..number("FLOORPLAN_HOOKS", 4) {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let reply = sandbox.reply_to(&read_event(&sandbox.repo(), sandbox.repo().join("app/core.py")));
                    assert!(reply.elapsed < DEADLINE, "{:?}", reply.elapsed);
                    let Some(text) = reply.context else {
                        silent.fetch_add(1, Ordering::Relaxed);
                        continue;
                    };
                    let (load, save) = (said_of(&text, "load"), said_of(&text, "save"));
                    assert!(load.is_some() && load == save, "{text}");
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let (answers, silent) = (answers.into_inner(), silent.into_inner());
    println!("{answers} answers, {silent} silent");
    assert!(answers > 0);
    let verify = measured(sandbox.floorplan(&["verify", "-C", sandbox.repo().to_str().unwrap()]));
    assert_eq!(verify.code, Some(0), "{}{}", verify.stdout, verify.stderr);
}

#[test]
fn a_run_that_is_killed_leaves_a_whole_graph_and_the_next_one_repairs() {
    let kills = number("FLOORPLAN_KILLS", 10);
    let sandbox = sandbox();
    let mut whole = Duration::from_millis(30);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below.max(1)
    };
    for turn in 1..=kills {
        write(&sandbox, turn);
        let mut command = sandbox.floorplan(&["index", "--background", sandbox.repo().to_str().unwrap()]);
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_micros(random(whole.as_micros() as u64)));
        // It may be done already.
        let _ = child.kill();
        child.wait().unwrap();
        let search = tool_event(&sandbox.repo(), "Grep", &json!({"pattern": "load|save"}));
        let said = sandbox.annotation(&search);
        assert!(said.contains("load") && said.contains("save"), "{said}");
        let text = sandbox.annotation(&read_event(&sandbox.repo(), sandbox.repo().join("app/core.py")));
        assert_eq!(said_of(&text, "load"), said_of(&text, "save"), "{text}");
        if turn % 5 == 0 || turn == kills {
            let started = Instant::now();
            let run = measured(sandbox.floorplan(&["index", "--background", sandbox.repo().to_str().unwrap()]));
            whole = started.elapsed().max(Duration::from_millis(5));
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            let verify = measured(sandbox.floorplan(&["verify", "-C", sandbox.repo().to_str().unwrap()]));
            assert_eq!(verify.code, Some(0), "turn {turn}: {}{}", verify.stdout, verify.stderr);
            let text = sandbox.annotation(&read_event(&sandbox.repo(), sandbox.repo().join("app/core.py")));
            assert_eq!(said_of(&text, "load"), Some(callers(turn)), "{text}");
        }
    }
}
