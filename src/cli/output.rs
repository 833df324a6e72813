//! Small helpers for what commands print.

use crate::annotate::is_hidden;
use anyhow::Result;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

/// For what is looked for first.
pub(super) const BOLD: anstyle::Style = anstyle::Style::new().bold();
/// For what is only there to be checked.
pub(super) const DIM: anstyle::Style = anstyle::Style::new().dimmed();

/// One JSON value on one line. What could hide in it or move a cursor is escaped: the same value to a program, and harmless
/// to whoever looks at it as text, an agent's shell among them.
pub(super) fn json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, Visible))?;
    Ok(writeln!(out)?)
}

/// JSON as serde_json writes it, with every hidden character escaped.
struct Visible;

impl serde_json::ser::Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        for (at, hidden) in fragment.match_indices(is_hidden) {
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in hidden.encode_utf16() {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + hidden.len();
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }
}

/// Text of the repository as it may go to a terminal: what could move the cursor, change the order of letters or hide is
/// shown as U+FFFD.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(is_hidden) { text.replace(is_hidden, "\u{fffd}").into() } else { text.into() }
}

/// `1 call`, `2 calls`; the plural is the word with an s.
pub(super) fn counted(count: u64, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {word}{s}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_replaced() {
        assert_eq!(clean("a\u{1b}[31m\u{202e}b\nc\u{9b}"), "a\u{fffd}[31m\u{fffd}b\u{fffd}c\u{fffd}");
        assert!(matches!(clean("größe.py"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_is_the_same_value_with_nothing_hidden_in_it() {
        let value = "a\u{1b}\"\\\u{202e}b\nc\u{9b}\u{e0041}\u{7f}gr\u{f6}\u{df}e";
        let mut out = Vec::new();
        json(&mut out, &value).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "\"a\\u001b\\\"\\\\\\u202eb\\nc\\u009b\\udb40\\udc41\\u007fgr\u{f6}\u{df}e\"\n");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), value);
    }

    #[test]
    fn numbers_agree_with_their_words() {
        assert_eq!((counted(1, "call"), counted(0, "file")), ("1 call".into(), "0 files".into()));
    }
}
