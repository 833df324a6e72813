//! Answers in pages: as many lines as a page holds, and where the next one begins. The cursor is the number of the first
//! line, so a page can be asked for at any time; the answer is made anew.

use crate::annotate::is_hidden;

/// Characters of a page: about 3,000 tokens.
const PAGE: usize = 10_000;

/// A longer line is cut: it is a list of names that a narrower question would shorten.
const MAX_LINE: usize = 1_000;

/// The page that begins at line `cursor`, from 0.
pub(super) fn page(lines: &[String], cursor: usize) -> String {
    if cursor >= lines.len() && cursor > 0 {
        return format!("there is no line {cursor}: the answer has {}", lines.len());
    }
    let mut text = String::new();
    let mut next = cursor;
    for line in lines.iter().skip(cursor) {
        // Names have been through the sink; an error repeats what was asked, and this is the last door.
        let line = line.replace(is_hidden, "?");
        let cut = line.floor_char_boundary(MAX_LINE);
        if !text.is_empty() && text.len() + cut > PAGE {
            break;
        }
        text.push_str(&line[..cut]);
        text.push_str(if cut < line.len() { " ...\n" } else { "\n" });
        next += 1;
    }
    let left = lines.len() - next;
    if left > 0 {
        text.push_str(&format!("{left} more lines: the same question with \"cursor\": {next}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_without_gap_or_overlap() {
        let lines: Vec<String> = (0..2_000).map(|n| format!("line {n}")).collect();
        let (mut seen, mut cursor, mut pages) = (Vec::new(), 0, 0);
        loop {
            let page = page(&lines, cursor);
            assert!(page.len() < PAGE + 2 * MAX_LINE);
            let own: Vec<&str> = page.lines().filter(|line| line.starts_with("line ")).collect();
            seen.extend(own.iter().map(ToString::to_string));
            cursor += own.len();
            pages += 1;
            if !page.contains("\"cursor\": ") {
                break;
            }
            assert!(page.contains(&format!("\"cursor\": {cursor}\n")));
        }
        assert_eq!((seen, pages > 1), (lines, true));
    }

    #[test]
    fn a_long_line_is_cut_and_a_cursor_past_the_end_is_said_to_be_that() {
        let text = page(&["ä".repeat(5_000)], 0);
        assert!(text.len() < MAX_LINE + 10 && text.ends_with("ä ...\n"));
        assert_eq!(page(&["a".into()], 7), "there is no line 7: the answer has 1");
        assert_eq!(page(&[], 0), "");
    }
}
