//! The one place that writes to standard output.
//!
//! The reply holds context and nothing else: a decision of any kind would widen or narrow the user's own permission
//! rules (PROTOCOL.md section 4), so there is no way to put one in here.

use rustix::io::Errno;
use rustix::stdio::stdout;
use serde::Serialize;

use crate::annotate::Said;

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

/// One line of JSON. Only what `annotate` has finished can be in it.
pub(super) fn json(event: &str, context: &Said) -> Option<String> {
    line(event, context)
}

fn line(event: &str, context: &str) -> Option<String> {
    let mut line = serde_json::to_string(&Reply { output: Output { event, context } }).ok()?;
    line.push('\n');
    Some(line)
}

/// Writes all of `line` at once; a host that no longer listens is no error.
pub(super) fn write(line: &str) {
    // Neither `print!`, which panics when the pipe is closed, nor the buffer of `std::io::stdout`.
    let mut rest = line.as_bytes();
    while !rest.is_empty() {
        match rustix::io::write(stdout(), rest) {
            Ok(0) => return,
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_has_two_fields_and_escapes_its_text() {
        let line = line("PreToolUse", "a \"b\"\n\u{1b}").unwrap();
        assert_eq!(
            line,
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"additionalContext\":\"a \\\"b\\\"\\n\\u001b\"}}\n"
        );
    }
}
