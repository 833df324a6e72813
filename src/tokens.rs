//! How many tokens a text is to a model. Claude's own tokenizer is not published; the last one that was (Anthropic's
//! JavaScript package) counts 5 to 19 % more than cl100k_base on Python, Java, JavaScript and Go sources, so an eighth is
//! added to what cl100k_base counts: then the two are within 10 %. o200k_base is no nearer, at twice the size.
//!
//! Commands only: loading the vocabulary takes tens of milliseconds. The hook estimates by rule (`annotate::estimate`).

/// A longer line is counted in pieces: the tokenizer is not linear in the length of a word.
const MAX_LINE: usize = 4096;

/// Lines are counted together up to about this many bytes.
const CHUNK: usize = 64 << 10;

/// Tokens of `text`, to within some percent.
pub(crate) fn count(text: &str) -> usize {
    let tokenizer = tiktoken_rs::cl100k_base_singleton();
    let mut tokens = 0;
    let mut chunk = String::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while rest.len() > MAX_LINE {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_LINE));
            tokens += tokenizer.count_ordinary(piece);
            rest = after;
        }
        chunk.push_str(rest);
        if chunk.len() > CHUNK {
            tokens += tokenizer.count_ordinary(&chunk);
            chunk.clear();
        }
    }
    tokens += tokenizer.count_ordinary(&chunk);
    tokens + tokens / 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn text_is_counted_as_a_model_sees_it() {
        assert_eq!(count(""), 0);
        // Eleven of cl100k_base: `def`, ` add`, `(a`, `,`, ` b`, `):\n`, ...
        let tokens = count("def add(a, b):\n    return a + b\n");
        assert!((11..=15).contains(&tokens), "{tokens}");
    }

    #[test]
    fn no_text_takes_long() {
        let began = Instant::now();
        for text in ["a".repeat(1 << 20), " ".repeat(1 << 20), "\n".repeat(1 << 20), "ä".repeat(1 << 19)] {
            assert!(count(&text) > 0);
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    }
}
