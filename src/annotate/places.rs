//! Files, with or without a line, named in few tokens: what several paths share is written once.

use super::shown::Shown;
use super::text::{Text, estimate};

/// `jobs/{reconcile,monthly}.py, api/routes.py`, or with lines `jobs/{reconcile.py:41,monthly.py:12}`: each item of a
/// group makes a path that can be opened.
#[derive(Default)]
pub(super) struct Places<'a> {
    groups: Vec<Group<'a>>,
    /// Places named.
    pub(super) len: u32,
    tokens: usize,
}

struct Group<'a> {
    /// All places are in or under it; empty for the root, or for a path that is shown as a whole.
    directory: &'a str,
    /// Written once behind the places; empty where they have lines.
    extension: &'a str,
    places: Vec<Place<'a>>,
    /// Names that had to be cleaned are shown whole, or parts of them would read differently.
    whole: bool,
    tokens: usize,
}

#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    line: Option<u32>,
}

impl<'a> Places<'a> {
    /// Adds a place if the list then costs no more than `budget` tokens.
    pub(super) fn push(&mut self, path: &'a str, line: Option<u32>, budget: usize) -> bool {
        let place = Place { path, line };
        let alone = Group::of(place);
        let mut best = (alone.tokens, None);
        if !alone.whole {
            for (index, group) in self.groups.iter().enumerate() {
                if group.whole || group.extension != alone.extension {
                    continue;
                }
                let directory = common(group.directory, alone.directory);
                if directory.is_empty() && !(group.directory.is_empty() && alone.directory.is_empty()) {
                    continue;
                }
                let tokens = group.tokens_with(directory, Some(place));
                if tokens - group.tokens.min(tokens) < best.0 {
                    best = (tokens - group.tokens.min(tokens), Some((index, directory, tokens)));
                }
            }
        }
        if self.tokens + best.0 > budget {
            return false;
        }
        match best.1 {
            Some((index, directory, tokens)) => {
                let group = &mut self.groups[index];
                (group.directory, group.tokens) = (directory, tokens);
                group.places.push(place);
            }
            None => self.groups.push(alone),
        }
        self.tokens += best.0;
        self.len += 1;
        true
    }

    pub(super) fn text(&self) -> Text {
        let mut text = Text::default();
        for (index, group) in self.groups.iter().enumerate() {
            text = if index > 0 { text.say(", ") } else { text };
            if let [place] = group.places[..] {
                text = with_line(text.name(&Shown::path(place.path)), place.line);
                continue;
            }
            if !group.directory.is_empty() {
                text = text.name(&Shown::path(group.directory)).say("/");
            }
            text = text.say("{");
            for (index, place) in group.places.iter().enumerate() {
                text = if index > 0 { text.say(",") } else { text };
                text = with_line(text.name(&Shown::path(group.inside(group.directory, *place))), place.line);
            }
            text = text.say("}");
            if !group.extension.is_empty() {
                text = text.say(".").name(&Shown::path(group.extension));
            }
        }
        text
    }
}

impl<'a> Group<'a> {
    fn of(place: Place<'a>) -> Group<'a> {
        let shown = Shown::path(place.path);
        let (directory, name) = place.path.rsplit_once('/').unwrap_or(("", place.path));
        let extension = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() && place.line.is_none() => extension,
            _ => "",
        };
        // A comma.
        let tokens = estimate(shown.as_str()) + 1 + line_tokens(place.line);
        Group { directory, extension, places: vec![place], whole: shown.as_str() != place.path, tokens }
    }

    /// What the group costs with `directory` as what its places share, and with one place more.
    fn tokens_with(&self, directory: &str, more: Option<Place<'_>>) -> usize {
        let inside = |place: &Place<'_>| estimate(self.inside(directory, *place)) + 1 + line_tokens(place.line);
        // Slash, braces and dot.
        let frame = estimate(directory) + estimate(self.extension) + 4;
        frame + self.places.iter().chain(more.iter()).map(inside).sum::<usize>()
    }

    /// The part of a place's path that stands between the braces.
    fn inside<'p>(&self, directory: &str, place: Place<'p>) -> &'p str {
        let path = place.path.get(directory.len()..).unwrap_or(place.path).trim_start_matches('/');
        let end = path.len() - if self.extension.is_empty() { 0 } else { self.extension.len() + 1 };
        path.get(..end).unwrap_or(path)
    }
}

/// The deepest directory that both are in or under.
pub(super) fn common<'a>(a: &'a str, b: &str) -> &'a str {
    let mut end = 0;
    for (part, other) in a.split('/').zip(b.split('/')) {
        if part != other {
            break;
        }
        end += part.len() + usize::from(end > 0);
    }
    &a[..end]
}

fn line_tokens(line: Option<u32>) -> usize {
    line.map_or(0, |line| if line > 999 { 3 } else { 2 })
}

fn with_line(text: Text, line: Option<u32>) -> Text {
    match line {
        Some(line) => text.say(":").number(line.into()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(places: &[(&str, u32)]) -> String {
        let mut list = Places::default();
        for (path, line) in places {
            assert!(list.push(path, (*line > 0).then_some(*line), 1_000), "{path}");
        }
        let text = list.text();
        assert!(text.tokens() <= list.tokens, "{} {}", list.tokens, text.clone().finish());
        text.finish()
    }

    #[test]
    fn what_paths_share_is_written_once() {
        assert_eq!(listed(&[("jobs/a.py", 0), ("api/b.py", 0), ("jobs/c.py", 0)]), "jobs/{a,c}.py, api/b.py");
        assert_eq!(
            listed(&[
                ("src/main/java/org/app/select/Evaluator.java", 0),
                ("src/main/java/org/app/nodes/Node.java", 0),
                ("src/main/java/org/app/App.java", 0)
            ]),
            "src/main/java/org/app/{select/Evaluator,nodes/Node,App}.java"
        );
        assert_eq!(
            listed(&[
                ("src/main/java/org/app/select/Evaluator.java", 52),
                ("src/main/java/org/app/nodes/Node.java", 9)
            ]),
            "src/main/java/org/app/{select/Evaluator.java:52,nodes/Node.java:9}"
        );
    }

    #[test]
    fn what_shares_nothing_stays_apart() {
        assert_eq!(listed(&[("jobs/a.py", 4), ("src/b.py", 7)]), "jobs/a.py:4, src/b.py:7");
        assert_eq!(
            listed(&[("lib/a.py", 0), ("library/b.py", 0), ("lib/c.pyi", 0)]),
            "lib/a.py, library/b.py, lib/c.pyi"
        );
        assert_eq!(listed(&[("setup.py", 0), ("noxfile.py", 0), ("Makefile", 0)]), "setup.py, noxfile.py, Makefile");
    }

    #[test]
    fn a_name_that_is_cleaned_is_shown_whole() {
        assert_eq!(listed(&[("a/b c.py", 0), ("a/d.py", 0), ("a/e.py", 0)]), "a/b?c.py, a/{d,e}.py");
    }

    #[test]
    fn nothing_is_added_beyond_the_budget() {
        let mut list = Places::default();
        assert!(list.push("jobs/reconcile.py", None, 8));
        assert!(!list.push("reports/monthly.py", None, 8));
        assert_eq!(list.len, 1);
    }
}
