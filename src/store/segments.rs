//! Identifiers cut into the words that people search by: `parseURLPath2` -> `parse url path2`.

/// The lower-case words of an identifier, in order, and last the whole of it where it has several, so that both `url` and
/// `parseurlpath` find it. Cuts before a capital that follows a small letter or digit, and before the last capital of a
/// run that a small letter follows; everything that is neither letter nor digit separates.
pub(crate) fn segments(identifier: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in identifier.split(|c: char| !c.is_alphanumeric()) {
        let chars: Vec<char> = part.chars().collect();
        let mut word = String::new();
        for (at, &c) in chars.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
            let after = chars.get(at + 1).copied();
            let starts = c.is_uppercase()
                && before.is_some_and(|b| !b.is_uppercase() || after.is_some_and(|a| a.is_lowercase()));
            if starts && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase());
        }
        if !word.is_empty() {
            words.push(word);
        }
    }
    if words.len() > 1 {
        words.push(words.concat());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::segments;

    fn cut(identifier: &str) -> String {
        segments(identifier).join(" ")
    }

    #[test]
    fn identifiers_are_cut_where_a_reader_would() {
        assert_eq!(cut("parseURLPath2"), "parse url path2 parseurlpath2");
        assert_eq!(cut("snake_case_name"), "snake case name snakecasename");
        assert_eq!(cut("HTTPServer"), "http server httpserver");
        assert_eq!(cut("__init__"), "init");
        assert_eq!(cut("sha256sum"), "sha256sum");
        assert_eq!(cut("größeÄndern"), "größe ändern größeändern");
        assert_eq!(cut("___"), "");
    }
}
