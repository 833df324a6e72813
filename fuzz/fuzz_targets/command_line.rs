#![no_main]
//! Any command line in a Bash event that is sound.

libfuzzer_sys::fuzz_target!(|line: &str| {
    let event = serde_json::json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/nonexistent", "tool_input": {"command": line},
    });
    let _ = floorplan::hook::replay(event.to_string().as_bytes());
});
