//! Lines of a file that stand for a definition: all of it, or its head and some lines of its body. Works on text and line
//! numbers alone, so it holds for every language whose bodies begin after a `:`, `{` or `;`.

use super::listing::Place;
use std::collections::BTreeSet;

/// A head longer than this is cut.
const MAX_HEAD: u32 = 12;

/// Decorators and comments above a definition that belong to it, at most.
const MAX_ABOVE: u32 = 8;

/// A file as lines.
pub(crate) struct Lines {
    lines: Vec<String>,
}

impl Lines {
    pub(crate) fn new(text: String) -> Lines {
        Lines { lines: text.lines().map(str::to_string).collect() }
    }

    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// Line `number`, from 1; empty past the end.
    pub(crate) fn line(&self, number: u32) -> &str {
        let index = (number as usize).checked_sub(1);
        index.and_then(|index| self.lines.get(index)).map_or("", String::as_str)
    }

    /// The lines of the ranges, with a mark where some are left out between.
    pub(crate) fn text(&self, ranges: &[(u32, u32)]) -> String {
        let mut text = String::new();
        for (index, &(first, last)) in ranges.iter().enumerate() {
            if index > 0 {
                let indent: String = self.line(first).chars().take_while(|c| c.is_whitespace()).collect();
                text.push_str(&indent);
                text.push_str("...\n");
            }
            for number in first..=last.min(self.len()) {
                text.push_str(self.line(number));
                text.push('\n');
            }
        }
        text
    }
}

/// All lines of a definition with the decorators above it; of module-level code, of the whole file.
pub(crate) fn whole(lines: &Lines, place: &Place) -> BTreeSet<u32> {
    if place.line == 0 {
        return (1..=lines.len()).collect();
    }
    (above(lines, place.line)..=place.end_line.min(lines.len())).collect()
}

/// The head of a definition, and the lines of `uses` in it. Module-level code has no head.
pub(crate) fn signature(lines: &Lines, place: &Place, uses: &[u32]) -> BTreeSet<u32> {
    let mut wanted: BTreeSet<u32> = BTreeSet::new();
    if place.line > 0 {
        wanted.extend(head(lines, place.line, place.end_line));
    }
    wanted.extend(uses.iter().copied().filter(|line| *line <= lines.len()));
    wanted
}

/// From the line of the name to the one that begins the body.
fn head(lines: &Lines, line: u32, end_line: u32) -> std::ops::RangeInclusive<u32> {
    let mut depth = 0i32;
    for number in line..=end_line.min(line + MAX_HEAD) {
        let text = lines.line(number).trim_end();
        for c in text.chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
        }
        if depth <= 0 && text.ends_with([':', '{', ';', '}']) {
            return line..=number;
        }
    }
    line..=line
}

/// The first line of the decorators or annotations right above a definition.
fn above(lines: &Lines, line: u32) -> u32 {
    let mut first = line;
    while first > 1 && line - first < MAX_ABOVE && lines.line(first - 1).trim_start().starts_with('@') {
        first -= 1;
    }
    first
}

/// Runs of neighbouring lines.
pub(crate) fn ranges(lines: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "@decorated\n@twice(1)\ndef f(\n    a,\n    b=(1, 2),\n):\n    x = 1\n    g(x)\n    return x\n";

    fn place(line: u32, end_line: u32) -> Place {
        let (file, qualname) = ("a.py".into(), "f".into());
        Place { node: 1, file_id: 1, file, qualname, kind: "function", line, end_line, test: false }
    }

    #[test]
    fn a_signature_is_the_head_and_the_lines_of_uses() {
        let lines = Lines::new(TEXT.into());
        let wanted = ranges(&signature(&lines, &place(3, 9), &[8]));
        assert_eq!(wanted, [(3, 6), (8, 8)]);
        assert_eq!(lines.text(&wanted), "def f(\n    a,\n    b=(1, 2),\n):\n    ...\n    g(x)\n");
        assert_eq!(ranges(&signature(&Lines::new("int f(int a)\n{\n}\n".into()), &place(1, 3), &[])), [(1, 2)]);
    }

    #[test]
    fn a_definition_comes_with_its_decorators_and_a_module_is_the_whole_file() {
        let lines = Lines::new(TEXT.into());
        assert_eq!(ranges(&whole(&lines, &place(3, 9))), [(1, 9)]);
        assert_eq!(ranges(&whole(&lines, &place(0, 0))), [(1, 9)]);
    }

    #[test]
    fn lines_that_are_not_there_any_more_do_no_harm() {
        let lines = Lines::new("x\n".into());
        assert_eq!(ranges(&whole(&lines, &place(40, 50))), []);
        assert_eq!(lines.text(&ranges(&signature(&lines, &place(40, 50), &[60]))), "");
    }
}
