//! Strings and comments made unreadable, so that code inside them is never taken for code.
//!
//! The masked text has the same length and the same line feeds: offsets and lines in it are those of the source.

use crate::lang::mentions;
use crate::model::Words;

/// What strings and comments look like. Marks that begin alike stand longest first.
pub(crate) struct Syntax {
    pub(crate) line_comment: &'static str,
    pub(crate) block_comment: Option<(&'static str, &'static str)>,
    pub(crate) quotes: &'static [Quote],
    /// Letters that may stand directly before a quote and belong to it.
    pub(crate) prefixes: &'static [u8],
}

pub(crate) struct Quote {
    /// Opens and closes. A backslash hides the byte after it.
    pub(crate) mark: &'static str,
    /// Others end with their line at the latest.
    pub(crate) multiline: bool,
    /// A statement that is such a string and nothing else documents the code around it.
    pub(crate) documents: bool,
}

/// First byte of a masked string.
pub(super) const QUOTE: u8 = b'"';
/// Every other byte of a masked string but its line feeds. Comments become blanks.
pub(super) const INSIDE: u8 = 1;

/// Masks, and puts the words of what is masked where they belong. Invalid code is read to the end all the same.
pub(super) fn mask(syntax: &Syntax, source: &str, found: &mut Words) -> String {
    let bytes = source.as_bytes();
    let mut masked = bytes.to_vec();
    literals(syntax, source, |Literal { kind, start, end }| match kind {
        LiteralKind::Comment => {
            blank(&mut masked[start..end], b' ');
            mentions::all(&bytes[start..end], &mut found.comments);
        }
        LiteralKind::Docs | LiteralKind::String => {
            blank(&mut masked[start..end], INSIDE);
            masked[start] = QUOTE;
            let quoted = source[start..end].find(['"', '\'', '`']).map_or(end, |at| start + at);
            if kind == LiteralKind::Docs {
                mentions::all(&bytes[quoted..end], &mut found.comments);
            } else {
                mentions::value(source[quoted..end].trim_matches(['"', '\'', '`']), &mut found.strings);
            }
        }
    });
    // Whole characters were replaced by ASCII, so the text is valid.
    String::from_utf8(masked).unwrap_or_default()
}

/// A comment or string, marks and prefix letters included.
pub(crate) struct Literal {
    pub(crate) kind: LiteralKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiteralKind {
    Comment,
    /// A string that documents the code around it.
    Docs,
    String,
}

/// Tells every comment and string, in order. Linear, whatever the text.
pub(crate) fn literals(syntax: &Syntax, source: &str, mut found: impl FnMut(Literal)) {
    let bytes = source.as_bytes();
    let mut begins_mark = [false; 256];
    let comments = [Some(syntax.line_comment), syntax.block_comment.map(|(open, _)| open)];
    for mark in comments.into_iter().flatten().chain(syntax.quotes.iter().map(|quote| quote.mark)) {
        begins_mark[usize::from(mark.as_bytes()[0])] = true;
    }
    let mut at = 0;
    let mut only_blanks = true;
    while at < bytes.len() {
        if !begins_mark[usize::from(bytes[at])] {
            match bytes[at] {
                b'\n' => only_blanks = true,
                b' ' | b'\t' | b'\r' | 0x0c => {}
                // A prefix letter belongs to its string.
                letter if syntax.prefixes.contains(&letter) => {}
                _ => only_blanks = false,
            }
            at += 1;
            continue;
        }
        let rest = &bytes[at..];
        if rest.starts_with(syntax.line_comment.as_bytes()) {
            let end = at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            found(Literal { kind: LiteralKind::Comment, start: at, end });
            at = end;
        } else if let Some((open, close)) = syntax.block_comment.filter(|(open, _)| rest.starts_with(open.as_bytes())) {
            let end = source[at + open.len()..]
                .find(close)
                .map_or(bytes.len(), |found| at + open.len() + found + close.len());
            found(Literal { kind: LiteralKind::Comment, start: at, end });
            at = end;
        } else if let Some(quote) = syntax.quotes.iter().find(|quote| rest.starts_with(quote.mark.as_bytes())) {
            let end = end_of_string(bytes, at + quote.mark.len(), quote).min(bytes.len());
            let start = prefix_start(bytes, at, syntax.prefixes);
            let kind = if quote.documents && only_blanks { LiteralKind::Docs } else { LiteralKind::String };
            found(Literal { kind, start, end });
            at = end;
            only_blanks = false;
        } else {
            only_blanks = false;
            at += 1;
        }
    }
}

fn blank(bytes: &mut [u8], with: u8) {
    for byte in bytes {
        if !matches!(*byte, b'\n' | b'\r') {
            *byte = with;
        }
    }
}

/// The offset after the string whose content begins at `at`.
fn end_of_string(bytes: &[u8], mut at: usize, quote: &Quote) -> usize {
    let mark = quote.mark.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'\r') => at += 3,
            b'\\' => at += 2,
            b'\n' if !quote.multiline => return at,
            byte if byte == mark[0] && bytes[at..].starts_with(mark) => return at + mark.len(),
            _ => at += 1,
        }
    }
    // A backslash before a character of several bytes leaves `at` inside it; its other bytes match nothing above.
    bytes.len()
}

/// Where the prefix letters directly before a quote at `at` begin; at most two, and not the end of a word.
fn prefix_start(bytes: &[u8], at: usize, letters: &[u8]) -> usize {
    let start = bytes[..at].iter().rposition(|byte| !letters.contains(byte)).map_or(0, |last| last + 1);
    let word_before =
        start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || matches!(bytes[start - 1], b'_' | 0x80..));
    if at - start > 2 || word_before { at } else { start }
}

#[cfg(test)]
mod tests {
    use super::super::{JAVA, PYTHON};
    use super::*;
    use crate::model::word_hash;

    fn masked(syntax: &Syntax, source: &str) -> String {
        let text = mask(syntax, source, &mut Words::default());
        assert_eq!(text.len(), source.len());
        assert_eq!(text.matches('\n').count(), source.matches('\n').count());
        text.replace(INSIDE as char, "~")
    }

    #[test]
    fn python_strings_of_every_form_are_masked() {
        let cases = [
            ("x = 'a' + rb\"b\" # c 'd\ny", "x = \"~~ + \"~~~~       \ny"),
            ("'''a\n'b' \\''' c''' + e", "\"~~~\n~~~~~~~~~~~~~ + e"),
            ("'open\nx = 1", "\"~~~~\nx = 1"),
            ("'a\\\nb' + c", "\"~~\n~~ + c"),
            ("buf'x'", "buf\"~~"),
            ("f'é{a}'", "\"~~~~~~~"),
            ("'\\é' + x", "\"~~~~ + x"),
            ("'''never closed\ndef", "\"~~~~~~~~~~~~~~\n~~~"),
            ("'\\", "\"~"),
        ];
        for (source, expected) in cases {
            assert_eq!(masked(&PYTHON.syntax, source), expected, "{source}");
        }
    }

    #[test]
    fn java_literals_and_comments_are_masked() {
        let cases = [
            ("a = '{' + '\\''; // b", "a = \"~~ + \"~~~;     "),
            ("/* a\n \" */ b", "    \n      b"),
            ("s = \"\"\"\n  } \\\"\"\" \" x\n  \"\"\" + t", "s = \"~~\n~~~~~~~~~~~~\n~~~~~ + t"),
            ("/* open", "       "),
        ];
        for (source, expected) in cases {
            assert_eq!(masked(&JAVA.syntax, source), expected, "{source}");
        }
    }

    #[test]
    fn words_are_told_apart_by_where_they_stand() {
        let mut words = Words::default();
        mask(&PYTHON.syntax, "def f():\n    '''docs'''\n    return 'text' # note\n", &mut words);
        assert_eq!(words.comments, [word_hash(b"docs"), word_hash(b"note")]);
        assert_eq!(words.strings, [word_hash(b"text")]);
    }
}
