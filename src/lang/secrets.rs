//! What may be a secret, and is not kept in any form: not even as a hash, which whoever has a list of passwords could look up.
//!
//! Three signs, all cheap: a word that looks drawn at random, the value of something that is called a credential, and what
//! stands in a URL before the host. They err on the side of dropping words: a word less costs a file little.

use super::terms::split;
use super::words::is_word_byte;

/// Parts of names of credentials, in small letters, without marks.
const CREDENTIALS: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "authorization",
    "bearer",
    "signature",
];

/// A longer name is none.
const MAX_NAME: usize = 80;

/// Words from this length on are looked at for chance.
const MIN_RANDOM: usize = 12;

/// Shorter names are no keys.
const MIN_KEY: usize = 16;

/// Calls `word` with every word of a text that is safe to keep. A backslash hides the character after it.
pub(super) fn harmless_words<'t>(text: &'t str, mut word: impl FnMut(&'t str)) {
    // The value of a credential comes next.
    let mut hides = false;
    let mut in_block = false;
    let mut before = "";
    for token in tokens(text) {
        // Lines of keys and certificates between their marks.
        if token.starts_with("-----") {
            in_block = token.starts_with("-----BEGIN");
        }
        if in_block && token.len() >= MIN_RANDOM && !token.starts_with('-') {
            continue;
        }
        let name_before = std::mem::replace(&mut before, token);
        let mark = token.bytes().position(|byte| matches!(byte, b'=' | b':'));
        // `password = x`
        if mark == Some(0) && token.len() <= 2 {
            hides |= is_credential(name_before);
            continue;
        }
        // `Authorization: Bearer x`
        if is_scheme(token) {
            words_of(token, &mut word);
            hides = true;
            continue;
        }
        if std::mem::take(&mut hides) {
            continue;
        }
        // `password=x`, `password: x`
        if let Some(mark) = mark
            && is_credential(&token[..mark])
        {
            words_of(&token[..mark], &mut word);
            hides = token.len() <= mark + 2;
            continue;
        }
        match token.split_once("://") {
            Some((scheme, rest)) => {
                words_of(scheme, &mut word);
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                words_of(authority.rsplit('@').next().unwrap_or_default(), &mut word);
                // What follows a question mark are parameters, keys among them.
                words_of(path.split('?').next().unwrap_or_default(), &mut word);
            }
            None => words_of(token, &mut word),
        }
    }
}

/// What stands between blanks, quotes and the like.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().position(|byte| !is_separator(*byte))?;
        let start = at;
        at += bytes[at..].iter().position(|byte| is_separator(*byte)).unwrap_or(bytes.len() - at);
        Some(&text[start..at])
    })
}

fn is_separator(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b',' | b'<' | b'>')
}

/// What stands before the value in a header.
fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// The words of a token that do not look random.
fn words_of<'t>(token: &'t str, word: &mut impl FnMut(&'t str)) {
    if token.len() >= MIN_RANDOM && is_random_blob(token) {
        return;
    }
    let bytes = token.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            // An escape; the character may have several bytes.
            at += 1 + token[at + 1..].chars().next().map_or(0, char::len_utf8);
            continue;
        }
        // Beyond ASCII, dashes and quotes of print end a word, and letters do not.
        let mut end = at;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => end += 1,
                0x80.. => match token[end..].chars().next() {
                    Some(letter) if letter.is_alphanumeric() => end += letter.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        if end > at {
            word(&token[at..end]);
            at = end;
        } else {
            at += token[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
}

/// A name like `DB_PASSWORD`, `apiKey`, `"client-secret"`.
pub(super) fn is_credential(name: &str) -> bool {
    if name.len() < 3 || name.len() > MAX_NAME {
        return false;
    }
    let plain: String = name.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    CREDENTIALS.iter().any(|word| plain.contains(word))
}

/// An identifier that looks drawn at random: long, and of parts too short to be words, or with digits all over.
pub(super) fn looks_random(identifier: &str) -> bool {
    if identifier.len() < MIN_RANDOM {
        return false;
    }
    let (mut parts, mut letters, mut digits, mut longest) = (0, 0, 0, 0);
    split(identifier, |part| {
        parts += 1;
        if part.as_bytes()[0].is_ascii_digit() {
            digits += part.len();
        } else {
            letters += part.len();
            longest = longest.max(part.len());
        }
    });
    let length = letters + digits;
    // Words of one case between marks, as in the names of tests, are none of chance's.
    if digits == 0 && !identifier.contains(char::is_uppercase) {
        return false;
    }
    // Hex and base 32 and 64 change between letters and digits or cases all the time; `sha256_hex_digest2` does not.
    let short_parts = length >= MIN_RANDOM && parts > 5 && length * 2 < parts * 5;
    let key = digits > 0 && length >= 16 && length == identifier.len() && !identifier.contains(char::is_lowercase);
    let mixed = digits >= 4 && letters >= 4 && parts >= 5 && longest <= 12 && length < parts * 3;
    let long_and_mixed = length >= 24 && length < parts * 3;
    short_parts || key || mixed || long_and_mixed || digits >= 16
}

/// An identifier that is likelier a key or token than a name. Stricter than [`looks_random`]: a name that is taken for one is
/// not told, a word that is only does not count.
pub(super) fn is_key(identifier: &str) -> bool {
    identifier.len() >= MIN_KEY
        && identifier.bytes().filter(u8::is_ascii_digit).count() >= 2
        && identifier.bytes().all(is_word_byte)
        // Names have marks between their words, keys after what they are keys of.
        && identifier.split('_').any(|part| part.len() >= MIN_KEY && looks_random(part))
}

/// The same for text with the marks of base 64 inside.
fn is_random_blob(token: &str) -> bool {
    let plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-.".contains(&byte));
    plain && token.len() >= 20 && looks_random(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let mut words = Vec::new();
        harmless_words(text, |word| words.push(word.to_owned()));
        words.retain(|word| !looks_random(word));
        words.join(" ")
    }

    #[test]
    fn words_are_kept() {
        for text in [
            "retry the download when the server says 503",
            "parseURLPath HTTPServerIOError sha256_hex_digest getX509CertURL TestABTestCase",
            "src/main/java/org/mockito/internal/InvocationMarker.java",
            "test_get_response_from_cache_middleware io_api_core_v1",
            "iso8859_1 utf8mb4 base64url_encode x86_64_unknown_linux_gnu",
            "should_check_that_a_spy_is_also_a_mock AddProjectV2ItemByIdInput toStringIsNotNullOrEmpty readUInt32LE",
        ] {
            let whole: Vec<&str> =
                text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
            assert_eq!(kept(text), whole.join(" "));
        }
    }

    #[test]
    fn values_of_credentials_are_dropped() {
        let table = [
            ("password=hunter2 next", "password next"),
            ("password: hunter2 next", "password next"),
            ("DB_PASSWORD = hunter2 next", "DB_PASSWORD next"),
            ("Authorization: Bearer abc next", "Authorization Bearer next"),
            ("postgres://bob:hunter2@db.local/shop?sslkey=x next", "postgres db local shop next"),
            ("\"api_key\": \"hunter2\" next", "api_key next"),
        ];
        for (text, expected) in table {
            assert_eq!(kept(text), expected, "{text}");
        }
    }

    #[test]
    fn keys_are_told_from_names() {
        for name in [
            "sha256_hex_digest2_of_v1",
            "AddProjectV2ItemByIdInput",
            "getX509CertURL2",
            "JLS_15_12_2_5Test",
            "a.b1c2d3e4f5g6h7i8",
        ] {
            assert!(!is_key(name), "{name}");
        }
        for key in
            ["AKIAQX7TZL3MRB2VNE5P", "ghp_a8Fk2LmQ9rTz5WxC7vBn1JdH4sPy6GuE3oNi", "sk_live_7Hq2Zt9LmW4xRb8Nv3KpYc6J"]
        {
            assert!(is_key(key), "{key}");
        }
    }

    #[test]
    fn what_looks_random_is_dropped() {
        for secret in [
            "AKIAIOSFODNN7EXAMPLE1",
            "5f4dcc3b5aa765d61d8327deb882cf99",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "123e4567-e89b-12d3-a456-426614174000",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
            "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy",
            "4111111111111111",
        ] {
            assert_eq!(kept(secret), "", "{secret}");
        }
    }
}
