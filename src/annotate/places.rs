//! Files named in few tokens: what several paths share is written once.

use super::shown::Shown;
use super::text::{Text, estimate};

/// `jobs/{reconcile,monthly}.py, api/routes.py`: each item of a group makes a path that can be opened.
#[derive(Default)]
pub(super) struct Places<'a> {
    groups: Vec<Group<'a>>,
    /// Files named.
    pub(super) len: u32,
    tokens: usize,
}

struct Group<'a> {
    /// All files are in or under it; empty for the root, or for a path that is shown as a whole.
    directory: &'a str,
    /// Written once behind the files.
    extension: &'a str,
    /// Full paths.
    places: Vec<&'a str>,
    /// Names that had to be cleaned are shown whole, or parts of them would read differently.
    whole: bool,
    tokens: usize,
}

impl<'a> Places<'a> {
    /// Adds a file if the list then costs no more than `budget` tokens.
    pub(super) fn push(&mut self, path: &'a str, budget: usize) -> bool {
        let alone = Group::of(path);
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
                let tokens = group.tokens_with(directory, Some(path));
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
                group.places.push(path);
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
            if let [path] = group.places[..] {
                text = text.name(&Shown::path(path));
                continue;
            }
            if !group.directory.is_empty() {
                text = text.name(&Shown::path(group.directory)).say("/");
            }
            text = text.say("{");
            for (index, path) in group.places.iter().enumerate() {
                text = if index > 0 { text.say(",") } else { text };
                text = text.name(&Shown::path(group.inside(group.directory, path)));
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
    fn of(path: &'a str) -> Group<'a> {
        let shown = Shown::path(path);
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let extension = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension,
            _ => "",
        };
        // A comma.
        let tokens = estimate(shown.as_str()) + 1;
        Group { directory, extension, places: vec![path], whole: shown.as_str() != path, tokens }
    }

    /// What the group costs with `directory` as what its files share, and with one file more.
    fn tokens_with(&self, directory: &str, more: Option<&str>) -> usize {
        let inside = |path: &str| estimate(self.inside(directory, path)) + 1;
        // Slash, braces and dot.
        let frame = estimate(directory) + estimate(self.extension) + 4;
        frame + self.places.iter().copied().chain(more).map(inside).sum::<usize>()
    }

    /// The part of a path that stands between the braces.
    fn inside<'p>(&self, directory: &str, path: &'p str) -> &'p str {
        let path = path.get(directory.len()..).unwrap_or(path).trim_start_matches('/');
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

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(paths: &[&str]) -> String {
        let mut list = Places::default();
        for path in paths {
            assert!(list.push(path, 1_000), "{path}");
        }
        let text = list.text();
        assert!(text.tokens() <= list.tokens, "{} {}", list.tokens, text.clone().finish());
        text.finish()
    }

    #[test]
    fn what_paths_share_is_written_once() {
        assert_eq!(listed(&["jobs/a.py", "api/b.py", "jobs/c.py"]), "jobs/{a,c}.py, api/b.py");
        assert_eq!(
            listed(&[
                "src/main/java/org/app/select/Evaluator.java",
                "src/main/java/org/app/nodes/Node.java",
                "src/main/java/org/app/App.java"
            ]),
            "src/main/java/org/app/{select/Evaluator,nodes/Node,App}.java"
        );
    }

    #[test]
    fn what_shares_nothing_stays_apart() {
        assert_eq!(listed(&["lib/a.py", "library/b.py", "lib/c.pyi"]), "lib/a.py, library/b.py, lib/c.pyi");
        assert_eq!(listed(&["setup.py", "noxfile.py", "Makefile"]), "setup.py, noxfile.py, Makefile");
    }

    #[test]
    fn a_name_that_is_cleaned_is_shown_whole() {
        assert_eq!(listed(&["a/b c.py", "a/d.py", "a/e.py"]), "a/b?c.py, a/{d,e}.py");
    }

    #[test]
    fn nothing_is_added_beyond_the_budget() {
        let mut list = Places::default();
        assert!(list.push("jobs/reconcile.py", 8));
        assert!(!list.push("reports/monthly.py", 8));
        assert_eq!(list.len, 1);
    }
}
