//! Small helpers for what commands print.

use anyhow::Result;
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;

/// For what is looked for first.
pub(super) const BOLD: anstyle::Style = anstyle::Style::new().bold();
/// For what is only there to be checked.
pub(super) const DIM: anstyle::Style = anstyle::Style::new().dimmed();

/// One JSON value on one line.
pub(super) fn json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(writeln!(out)?)
}

/// Text of the repository as it may go to a terminal: what could move the cursor, change the order of letters or hide is
/// shown as U+FFFD.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    // Unicode's Default_Ignorable_Code_Point, with the line separators.
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
    };
    if text.contains(hides) { text.replace(hides, "\u{fffd}").into() } else { text.into() }
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
    fn numbers_agree_with_their_words() {
        assert_eq!((counted(1, "call"), counted(0, "file")), ("1 call".into(), "0 files".into()));
    }
}
