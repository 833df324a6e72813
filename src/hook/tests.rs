//! Events as the host really sends them, whole and spoiled in every way, against a machine on which nothing is indexed.

use super::*;
use std::fs;
use std::io::BufReader;
use std::path::PathBuf;

/// Captured from the real client; one file is the bytes of one standard input.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/events");
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_string(), fs::read(&path).unwrap()))
        .collect();
    all.sort();
    all
}

fn reply_to(json: &[u8]) -> Option<String> {
    Task::of(json)?.reply()
}

#[test]
fn every_captured_event_is_read_and_the_right_ones_are_answered() {
    let mut answered = Vec::new();
    for (name, bytes) in fixtures() {
        if name.starts_with("StatusLine") {
            continue; // the input of another command
        }
        let json = event::read(&mut BufReader::new(bytes.as_slice())).expect(&name);
        let event = Event::parse(&json).expect(&name);
        let kind = name.split('.').next().unwrap();
        assert_eq!(event.name.as_deref(), Some(kind), "{name}");
        assert!(event.cwd.as_deref().is_some_and(|cwd| cwd.starts_with("/home/dev/")), "{name}");
        if Task::of(&json).is_some() {
            let kind = format!("{kind} {}", event.tool.as_deref().unwrap_or("-"));
            if !answered.contains(&kind) {
                answered.push(kind);
            }
        }
        match event.tool.as_deref() {
            Some("Read") if kind == "PreToolUse" => assert!(event.input.file_path.is_some(), "{name}"),
            Some("Grep" | "Glob") if kind == "PreToolUse" => assert!(event.input.pattern.is_some(), "{name}"),
            Some("Bash") if kind == "PreToolUse" => assert!(event.input.command.is_some(), "{name}"),
            _ => {}
        }
        assert_eq!(reply_to(&json), None, "{name}: no such folder here");
    }
    assert_eq!(
        answered,
        [
            "PostToolUse Edit",
            "PostToolUse NotebookEdit",
            "PostToolUse Write",
            "PreToolUse Bash",
            "PreToolUse Grep",
            "PreToolUse Read",
            "SessionStart -",
            "SubagentStart -",
            "UserPromptSubmit -"
        ]
    );
}

#[test]
fn what_is_no_answerable_event_is_nothing() {
    let table = [
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/","tool_input":{}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/","tool_input":{"file_path":""}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/","tool_input":{"file_path":" "}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"/","tool_input":{"file_path":"a\u0000b"}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":"","tool_input":{"file_path":"a"}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","cwd":".","tool_input":{"file_path":"Cargo.toml"}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/Cargo.toml"}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Grep","cwd":"/","tool_input":{"pattern":7}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"/","tool_input":{"command":null}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"mcp__x__y","cwd":"/","tool_input":{"file_path":"/a.py"}}"#,
        r#"{"hook_event_name":"PreToolUse","cwd":"/","tool_input":{"file_path":"/a.py"}}"#,
        r#"{"hook_event_name":"Somewhere","tool_name":"Read","cwd":"/","tool_input":{"file_path":"/a.py"}}"#,
        r#"{"tool_name":"Read","cwd":"/","tool_input":{"file_path":"/a.py"}}"#,
        r#"{"hook_event_name":["PreToolUse"]}"#,
    ];
    for json in table {
        assert_eq!(reply_to(json.as_bytes()), None, "{json}");
    }
}

#[test]
fn spoiled_events_are_survived() {
    // A fixed xorshift: the same spoiled bytes in every run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for (_, bytes) in fixtures() {
        for _ in 0..40 {
            let mut spoiled = bytes.clone();
            for _ in 0..=random(3) {
                let at = random(spoiled.len());
                match random(3) {
                    0 => spoiled[at] = random(256) as u8,
                    1 => drop(spoiled.remove(at)),
                    _ => spoiled.insert(at, b"{}[]\",:\\"[random(8)]),
                }
            }
            if let Some(json) = event::read(&mut BufReader::new(spoiled.as_slice())) {
                assert_eq!(reply_to(&json), None);
            }
        }
    }
}
