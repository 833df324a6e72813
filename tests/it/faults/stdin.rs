//! Part A: what comes on the hook's standard input, and the process that it finds itself in.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ground::{Ground, Need, checked, needs};
use super::{Outcome, Row, elsewhere, here};
use crate::support::{FLOORPLAN, read_event, session_event};

pub(super) const ROWS: &[Row] = &[
    here("A1", "an empty input", a1).and(&["tests/it/hook_cases.rs closed_and_empty_streams_are_no_error"]),
    here("A2", "an input that is closed, or a terminal", a2)
        .and(&["tests/it/hook_cases.rs closed_and_empty_streams_are_no_error"]),
    elsewhere(
        "A3",
        "an input that has no end",
        &["tests/it/hook_cases.rs an_event_is_answered_while_its_pipe_stays_open"],
    ),
    elsewhere("A4", "an input without a byte", &["tests/it/hook_cases.rs no_byte_at_all_ends_in_silence"]),
    here("A5", "an input that comes byte by byte", a5),
    here("A6", "an event that is cut anywhere", a6).and(&["src/hook/event.rs every_prefix_of_an_event_is_nothing"]),
    here("A7", "an input that is far too long", a7),
    here("A8", "more behind the event", a8)
        .and(&["src/hook/event.rs reading_stops_at_the_end_of_the_object_and_at_the_limit"]),
    here("A9", "text that is no Unicode", a9).and(&["src/hook/event.rs invalid_utf8_is_never_replaced"]),
    here("A10", "a byte order mark; UTF-16", a10),
    here("A11", "brackets without end", a11),
    here("A12", "keys that nobody knows, keys that stand there twice", a12),
    here("A13", "a key that is missing", a13).and(&["src/hook/tests.rs what_is_no_answerable_event_is_nothing"]),
    here("A14", "a path of another type", a14),
    here("A15", "tools and events that are not ours", a15),
    here("A16", "searches of every kind", a16),
    here("A17", "paths with marks that JSON escapes", a17),
    here("A18", "numbers out of range", a18).and(&["src/hook/event.rs fields_of_any_type_are_survived"]),
    here("A19", "an output that nobody takes", a19)
        .and(&["tests/it/hook_cases.rs closed_and_empty_streams_are_no_error"]),
    here("A20", "a closed stderr", a20),
    here("A21", "signals ignored, limits at nothing", a21),
    here("A22", "an odd environment", a22),
    here("A23", "a working directory that is gone or closed", a23),
    here("A24", "two hundred at once", a24),
];

fn a1() -> Outcome {
    let ground = Ground::new();
    assert_eq!(ground.feed(b""), None);
    assert_eq!(ground.feed(b"\n \t"), None);
    Ok(())
}

fn a2() -> Outcome {
    needs(&[Need::Tool("script")])?;
    let ground = Ground::new();
    // What the terminal shows is what the hook prints.
    let said = ground.script("sleep 2.2 | script -qec \"$HOOK\" /dev/null", &json!({}));
    assert_eq!(said, None);
    Ok(())
}

fn a5() -> Outcome {
    let ground = Ground::new();
    let event = ground.core().to_string();
    let started = Instant::now();
    let mut child = ground.sandbox.floorplan::<&str>(&[]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        event
            .bytes()
            .take_while(|byte| {
                std::thread::sleep(Duration::from_millis(100));
                std::io::Write::write_all(&mut stdin, &[*byte]).is_ok()
            })
            .count()
    });
    let out = child.wait_with_output().unwrap();
    let elapsed = started.elapsed();
    assert_eq!(checked("PreToolUse", out, elapsed), None);
    let written = writer.join().unwrap();
    assert!(written < 200, "the hook waited for {written} bytes");
    Ok(())
}

fn a6() -> Outcome {
    let ground = Ground::new();
    let event = ground.core().to_string();
    for end in (0..event.len()).step_by(9).chain(event.len() - 3..event.len()) {
        assert_eq!(ground.feed(&event.as_bytes()[..end]), None, "{end}");
    }
    ground.tells(&ground.core());
    Ok(())
}

fn a7() -> Outcome {
    needs(&[Need::Tool("prlimit")])?;
    let ground = Ground::new();
    let event = ground.core().to_string();
    // The program of the tests maps 70 MB of itself; a hook that took in 100 MB of event would break this limit.
    let limited = "prlimit --as=170000000 \"$HOOK\"";
    for input in [
        "head -c 100000000 /dev/zero | tr '\\0' ' '",
        "printf '{\"key\": \"'; head -c 100000000 /dev/zero | tr '\\0' x; printf '\"}'",
    ] {
        // The writer's broken pipe is not the hook's fault.
        assert_eq!(
            ground.script(&format!("({input}) 2>/dev/null | {limited}; exit ${{PIPESTATUS[1]}}"), &json!({})),
            None
        );
    }
    // One that is just short enough, with the part that counts at its end.
    let padded = event.replacen('{', &format!("{{\"padding\": \"{}\",", "x".repeat(3 << 20)), 1);
    let answered = (0..6).any(|_| ground.feed(padded.as_bytes()).is_some());
    assert!(answered, "3 MB are no fault");
    Ok(())
}

fn a8() -> Outcome {
    let ground = Ground::new();
    for more in ["{\"hook_event_name\": \"Stop\"}", "garbage", "\0\0\0", "}}}}", "\n\n\n"] {
        let answered = (0..6).any(|_| ground.feed(format!("{}{more}", ground.core()).as_bytes()).is_some());
        assert!(answered, "{more}");
    }
    Ok(())
}

/// The event as bytes, with a text of it replaced.
fn spoiled(event: &Value, from: &str, to: &[u8]) -> Vec<u8> {
    let text = event.to_string();
    let (before, after) = text.split_once(from).unwrap();
    [before.as_bytes(), to, after.as_bytes()].concat()
}

fn a9() -> Outcome {
    let ground = Ground::new();
    std::fs::write(ground.repo().join("app/\u{fffd}.py"), "x = 1\n").unwrap();
    for bad in
        [&b"app/\xff.py"[..], b"app/\\ud800.py", b"app/\xc0\xae.py", b"app/\xed\xa0\x80.py", b"app/core.py\\ud83d"]
    {
        assert_eq!(ground.feed(&spoiled(&ground.core(), "app/core.py", bad)), None);
    }
    Ok(())
}

fn a10() -> Outcome {
    let ground = Ground::new();
    let marked = format!("\u{feff}{}", ground.core());
    let said = ground.feed(marked.as_bytes());
    assert!(said.is_none_or(|said| said.contains("load()")));
    let utf16: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(ground.feed(&utf16), None);
    assert_eq!(ground.feed(&utf16[2..]), None);
    Ok(())
}

fn a11() -> Outcome {
    let ground = Ground::new();
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    for nested in [deep("[", "]"), deep("{\"a\":", "}"), "[".repeat(100_000), "{\"a\":".repeat(100_000)] {
        assert_eq!(ground.feed(nested.as_bytes()), None);
        let inside = spoiled(&ground.core(), "\"default\"", nested.as_bytes());
        let said = ground.feed(&inside);
        assert!(said.is_none_or(|said| said.contains("load()")), "as a value that nobody asks for");
        let inside = spoiled(&ground.core(), "\"toolu_1\"", nested.as_bytes());
        let said = ground.feed(&inside);
        assert!(said.is_none_or(|said| said.contains("load()")), "as a value that is asked for");
    }
    Ok(())
}

fn a12() -> Outcome {
    let ground = Ground::new();
    let keys: String = (0..10_000).map(|n| format!("\"key{n}\": {{\"n\": [{n}, null, true]}},")).collect();
    let mut event = ground.core();
    for turn in 0..6 {
        event["session_id"] = json!(format!("a12-{turn}"));
        let many = event.to_string().replacen('{', &format!("{{{keys}"), 1);
        if ground.feed(many.as_bytes()).is_some() {
            break;
        }
        assert!(turn < 5, "no answer with many keys");
    }
    // Of two, the last one counts, as in the host's own parser.
    let twice = |first: &str, last: &str| {
        ground.core().to_string().replace(
            "\"tool_input\":",
            &format!("\"tool_input\":{{\"file_path\":{first}}},\"tool_input\":{{\"file_path\":{last}}},\"was\":"),
        )
    };
    let core = json!(ground.repo().join("app/core.py")).to_string();
    assert!((0..6).any(|_| ground.feed(twice("7", &core).as_bytes()).is_some()));
    assert_eq!(ground.feed(twice(&core, "7").as_bytes()), None);
    Ok(())
}

fn a13() -> Outcome {
    let ground = Ground::new();
    for key in ["tool_input", "tool_name", "cwd", "hook_event_name"] {
        for value in [None, Some(Value::Null), Some(json!(7)), Some(json!([])), Some(json!({})), Some(json!(""))] {
            let mut event = ground.core();
            match value {
                Some(value) => event[key] = value,
                None => drop(event.as_object_mut().unwrap().remove(key)),
            }
            ground.silent(&event);
        }
    }
    for key in ["session_id", "transcript_path", "permission_mode", "tool_use_id"] {
        let mut event = ground.core();
        event.as_object_mut().unwrap().remove(key);
        assert!((0..6).any(|_| ground.ask(&event).is_some()), "{key} is not needed");
    }
    Ok(())
}

fn a14() -> Outcome {
    let ground = Ground::new();
    for value in [
        json!(7),
        json!(null),
        json!([]),
        json!(["app/core.py"]),
        json!({}),
        json!(true),
        json!(""),
        json!(" "),
        json!("."),
        json!("/"),
    ] {
        ground.silent(&ground.tool("Read", &json!({"file_path": value})));
    }
    Ok(())
}

fn a15() -> Outcome {
    let ground = Ground::new();
    let input = json!({"file_path": ground.repo().join("app/core.py"), "command": "cargo build", "pattern": 7});
    for tool in ["mcp__x__y", "Edit", "Write", "Bash", "Glob", "Task", "read", "READ", "Read ", "", "WebFetch"] {
        ground.silent(&ground.tool(tool, &input));
    }
    for name in ["PostToolUse", "Stop", "Notification", "PreCompact", "PermissionRequest", "pretooluse", "Anything", ""]
    {
        let mut event = ground.core();
        event["hook_event_name"] = json!(name);
        ground.silent(&event);
    }
    Ok(())
}

fn a16() -> Outcome {
    let ground = Ground::new();
    let grep = |path: &str, pattern: &str| json!({"pattern": pattern, "path": path, "glob": "*.py", "output_mode": "content", "-n": true, "type": "py"});
    for input in [grep("app/core.py", "load"), grep("app", "load"), json!({"pattern": "load"})] {
        let said = ground.answer(&ground.tool("Grep", &input));
        assert!(said.starts_with("load: defined at app/core.py"), "{said}");
    }
    ground.silent(&ground.tool("Grep", &grep("no/such", "load")));
    for pattern in [
        "(a+)+$".repeat(2000),
        "x".repeat(1 << 20),
        "load|".repeat(200_000),
        "[".repeat(1 << 16),
        "\\".into(),
        "(?:".into(),
    ] {
        let said = ground.ask(&ground.tool("Grep", &grep("app", &pattern)));
        assert!(said.is_none_or(|said| said.len() < 1500));
    }
    Ok(())
}

fn a17() -> Outcome {
    let ground = Ground::new();
    for name in [
        "app/core.py\0",
        "app/\0core.py",
        "app/core.py\n",
        "app/\tcore.py",
        "\"app/core.py\"",
        "app\\core.py",
        "app/core.py\\",
    ] {
        ground.silent(&ground.read(name));
    }
    // A file that is really called so.
    let odd = "app/a \"b\" \\c\n\td.py";
    ground.sandbox.write(odd, "def odd():\n    return 1\n");
    ground.sandbox.write("app/user.py", "import importlib\n");
    ground.sandbox.index(&ground.repo());
    let said = ground.ask(&ground.read(odd));
    assert!(said.is_none_or(|said| !said.contains(['"', '\\', '\n', '\t'])));
    Ok(())
}

fn a18() -> Outcome {
    let ground = Ground::new();
    for number in ["1e999", "-0", "9223372036854775808", "-1", "0.5", "1e-999", "18446744073709551616"] {
        for key in ["offset", "limit"] {
            let event =
                ground.core().to_string().replace("\"file_path\":", &format!("\"{key}\":{number},\"file_path\":"));
            // A range without a definition in it may have nothing to tell.
            ground.feed(event.as_bytes());
        }
    }
    let whole = ground.core().to_string().replace("\"file_path\":", "\"offset\":-0,\"limit\":1e999,\"file_path\":");
    assert!((0..6).any(|_| ground.feed(whole.as_bytes()).is_some()));
    Ok(())
}

fn a19() -> Outcome {
    let ground = Ground::new();
    for event in [ground.core(), session_event("SessionStart", &ground.repo())] {
        for output in [">&-", ">/dev/full", "| true"] {
            let script = format!("\"$HOOK\" <\"$EVENT\" {output}; code=${{PIPESTATUS[0]}}; exit $code");
            assert_eq!(ground.script(&script, &event), None, "{output}");
        }
    }
    Ok(())
}

fn a20() -> Outcome {
    let ground = Ground::new();
    let answered = (0..6).any(|_| ground.script("\"$HOOK\" <\"$EVENT\" 2>&-", &ground.core()).is_some());
    assert!(answered);
    Ok(())
}

fn a21() -> Outcome {
    needs(&[Need::Tool("prlimit")])?;
    let ground = Ground::new();
    let tells = |script: &str| {
        let answered = (0..6).any(|_| ground.script(script, &ground.core()).is_some());
        assert!(answered, "{script}");
    };
    tells("trap '' PIPE; \"$HOOK\" <\"$EVENT\"");
    tells("trap '' HUP INT QUIT TERM PIPE ALRM USR1 USR2 CHLD; \"$HOOK\" <\"$EVENT\"");
    tells("prlimit --core=0 --stack=262144 \"$HOOK\" <\"$EVENT\"");
    // Too little of something: silence is right as well.
    for limit in ["--nofile=3", "--nofile=4", "--fsize=0", "--data=4000000", "--as=100000000", "--cpu=1", "--memlock=0"]
    {
        // A program that is linked at its start may not come to be, and says so itself.
        let probe = ground.sandbox.bash(&format!("prlimit {limit} '{FLOORPLAN}' </dev/null 2>&1 || true"));
        if !String::from_utf8_lossy(&probe.stdout).contains("shared libraries") {
            ground.script(&format!("prlimit {limit} \"$HOOK\" <\"$EVENT\""), &ground.core());
        }
    }
    // No thread can be started: there is no watchdog then, and everything else is as ever.
    let nobody = ground.give_away()?;
    let answered = (0..6).any(|_| {
        let plain = nobody();
        let words: Vec<_> = plain.get_args().collect();
        let (program, options) = words.split_last().unwrap();
        let mut limited = ground.sandbox.tool("setpriv");
        // Under the other user: a limit from before would forbid to become one who has processes already.
        limited.args(options).args(["prlimit", "--nproc=0"]).arg(program);
        ground.ask_by(limited, &ground.core()).is_some()
    });
    assert!(answered, "without threads");
    Ok(())
}

fn a22() -> Outcome {
    let ground = Ground::new();
    let odd = |set: &[(&str, &str)]| {
        let mut command = ground.sandbox.floorplan::<&str>(&[]);
        command.env_clear().envs(set.iter().copied());
        ground.ask_by(command, &ground.core())
    };
    let (home, cache) = (ground.sandbox.home(), ground.sandbox.cache());
    let (home, cache) = (home.to_str().unwrap(), cache.to_str().unwrap());
    // Nowhere to look: no other place is thought of.
    assert_eq!(odd(&[]), None);
    for home in ["", "relative", "/nonexistent", "/dev/null", "/etc/passwd", "/", "\u{fffd}"] {
        assert_eq!(odd(&[("HOME", home)]), None, "{home}");
        assert_eq!(odd(&[("HOME", home), ("XDG_CACHE_HOME", "relative/cache")]), None, "{home}");
    }
    for (name, value) in [
        ("TZ", "Nowhere/At_all"),
        ("LANG", "xx_XX.UTF-99"),
        ("LC_ALL", "\u{1}"),
        ("RUST_BACKTRACE", "full"),
        ("HOME", "relative"),
    ] {
        let answered = (0..6).any(|_| odd(&[("HOME", home), ("XDG_CACHE_HOME", cache), (name, value)]).is_some());
        assert!(answered, "{name}={value}");
    }
    // A home that cannot be read matters to nobody.
    let nobody = ground.give_away()?;
    ground.setup("mkdir -p closed && chmod 000 closed");
    ground.answer_by(
        || {
            let mut command = nobody();
            command.env("HOME", ground.sandbox.path().join("closed"));
            command
        },
        &ground.core(),
    );
    Ok(())
}

fn a23() -> Outcome {
    let ground = Ground::new();
    let gone = "mkdir -p gone && cd gone && rmdir ../gone && \"$HOOK\" <\"$EVENT\"";
    let mut answered = false;
    for _ in 0..6 {
        let mut event = ground.core();
        event["cwd"] = json!(ground.sandbox.path().join("gone"));
        // The folder comes and goes, which the sandbox's own folder notes.
        answered |= ground.script(gone, &event).is_some();
    }
    assert!(answered, "the path is absolute");
    let nobody = ground.give_away()?;
    ground.setup("mkdir -p closed && chmod 000 closed");
    let mut event = read_event(&ground.sandbox.path().join("closed"), ground.repo().join("app/core.py"));
    event["cwd"] = json!(ground.sandbox.path().join("closed"));
    ground.answer_by(nobody, &event);
    Ok(())
}

fn a24() -> Outcome {
    let ground = Ground::new();
    let answers: usize = std::thread::scope(|scope| {
        let askers: Vec<_> = (0..20)
            .map(|_| {
                scope.spawn(|| {
                    let mut children = Vec::new();
                    for _ in 0..10 {
                        let event = ground.core();
                        let mut command = ground.sandbox.floorplan::<&str>(&[]);
                        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                        let mut child = command.spawn().unwrap();
                        let _ =
                            std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.to_string().as_bytes());
                        children.push(child);
                    }
                    let ends = children
                        .into_iter()
                        .map(|child| checked("PreToolUse", child.wait_with_output().unwrap(), Duration::ZERO));
                    ends.filter(Option::is_some).count()
                })
            })
            .collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).sum()
    });
    println!("{answers} of 200 were answered ({FLOORPLAN})");
    Ok(())
}
