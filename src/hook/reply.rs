//! The one place that writes to standard output.
//!
//! The reply holds context and nothing else: a decision of any kind would widen or narrow the user's own permission
//! rules (PROTOCOL.md section 4), so there is no way to put one in here.

use std::io::Write;

use serde::Serialize;

#[derive(Serialize)]
struct Reply<'a> {
    #[serde(rename = "hookSpecificOutput")]
    output: Output<'a>,
}

#[derive(Serialize)]
struct Output<'a> {
    #[serde(rename = "hookEventName")]
    event: &'a str,
    #[serde(rename = "additionalContext")]
    context: &'a str,
}

/// One line of JSON.
pub(super) fn json(event: &str, context: &str) -> Option<String> {
    let mut line = serde_json::to_string(&Reply { output: Output { event, context } }).ok()?;
    line.push('\n');
    Some(line)
}

/// Writes all of `line` at once; a host that no longer listens is no error.
pub(super) fn write(line: &str) {
    // Not `print!`, which panics when the pipe is closed.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(line.as_bytes());
    let _ = out.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_has_two_fields_and_escapes_its_text() {
        let line = json("PreToolUse", "a \"b\"\n\u{1b}").unwrap();
        assert_eq!(
            line,
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"additionalContext\":\"a \\\"b\\\"\\n\\u001b\"}}\n"
        );
    }
}
