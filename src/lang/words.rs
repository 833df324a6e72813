//! What a word is, in any text.

/// Bytes above ASCII count as letters, so identifiers in any script are found.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
