//! The words of a text: what may mention a name although nothing there was understood as a reference.

use crate::model::word_hash;

/// Appends the hash of every identifier of three bytes and more, repeated ones included; `Builder::finish` sorts and
/// deduplicates. Bytes above ASCII count as letters, so identifiers in any script are found.
pub(crate) fn collect(text: &[u8], into: &mut Vec<u32>) {
    let mut rest = text;
    while let Some(start) = rest.iter().position(|byte| is_word_byte(*byte)) {
        rest = &rest[start..];
        let end = rest.iter().position(|byte| !is_word_byte(*byte)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.len() >= 3 && !word[0].is_ascii_digit() {
            into.push(word_hash(word));
        }
        rest = after;
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<u32> {
        let mut words = Vec::new();
        collect(text.as_bytes(), &mut words);
        words
    }

    fn hashes(words: &[&str]) -> Vec<u32> {
        words.iter().map(|word| word_hash(word.as_bytes())).collect()
    }

    #[test]
    fn identifiers_of_three_bytes_and_more_are_words() {
        assert_eq!(
            words_of("a.load_all(x)\n- run: `ab` né größe9 _x1"),
            hashes(&["load_all", "run", "né", "größe9", "_x1"])
        );
        assert_eq!(words_of(""), hashes(&[]));
        assert_eq!(words_of("end"), hashes(&["end"]));
    }

    #[test]
    fn numbers_are_no_words() {
        assert_eq!(words_of("1234 0xdead 12abc"), hashes(&[]));
    }
}
