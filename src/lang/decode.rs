//! From bytes to the text that is parsed: encodings and line ends, so that nothing after this has to think of them.

use std::borrow::Cow;

/// The text of a file, or `None` for UTF-16 that is cut off or invalid and for UTF-32.
///
/// UTF-16 is known by its byte order mark only. Everything else is read as UTF-8 with invalid bytes as U+FFFD: names in
/// old encodings are nearly always ASCII, and a Latin-1 comment must not cost a file. Lone carriage returns become line
/// feeds, byte for byte, since tree-sitter and everything here count lines by line feeds.
pub(super) fn text_of(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)?),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)?),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    };
    Some(unix_lines(text))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    let text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<_, _>>().ok()?;
    // UTF-32 begins like UTF-16 and gives every second character as NUL.
    (!text.contains('\0')).then_some(text)
}

fn unix_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let lone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if !(0..bytes.len()).any(lone) {
        return text;
    }
    let mut after_return = false;
    let mut changed = String::with_capacity(text.len());
    for char in text.chars() {
        if after_return {
            changed.push(if char == '\n' { '\r' } else { '\n' });
        }
        after_return = char == '\r';
        if !after_return {
            changed.push(char);
        }
    }
    if after_return {
        changed.push('\n');
    }
    Cow::Owned(changed)
}

/// Number of lines; a last line without an end counts.
pub(super) fn count_lines(text: &str) -> u32 {
    let ends = text.bytes().filter(|byte| *byte == b'\n').count();
    let open = !text.is_empty() && !text.ends_with('\n');
    (ends + usize::from(open)).try_into().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_every_kind_count_once() {
        for (bytes, lines) in
            [("", 0), ("a", 1), ("a\n", 1), ("a\r\nb\r\n", 2), ("a\rb\rc", 3), ("a\r\r\nb", 3), ("\x0ca\n", 1)]
        {
            let text = text_of(bytes.as_bytes()).unwrap();
            assert_eq!(count_lines(&text), lines, "{bytes:?}");
            assert_eq!(text.len(), bytes.len(), "offsets stay");
        }
        assert_eq!(text_of(b"a\rb\r\nc\r").unwrap(), "a\nb\r\nc\n");
    }

    #[test]
    fn utf16_is_decoded_by_its_mark() {
        let little: Vec<u8> = "\u{feff}def f(): 'ä😀'\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{feff}def f(): 'ä😀'\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text_of(&little).unwrap(), "def f(): 'ä😀'\n");
        assert_eq!(text_of(&big).unwrap(), "def f(): 'ä😀'\n");
        assert_eq!(text_of(&little[..little.len() - 1]), None, "odd length");
        assert_eq!(text_of(&[0xff, 0xfe, 0x00, 0xd8]), None, "lone surrogate");
        assert_eq!(text_of(&[0xff, 0xfe, 0, 0, b'a', 0, 0, 0]), None, "UTF-32");
    }

    #[test]
    fn invalid_utf8_is_replaced_and_the_mark_left_out() {
        assert_eq!(text_of(b"\xef\xbb\xbfx = 'caf\xe9'").unwrap(), "x = 'caf\u{fffd}'");
    }
}
