//! Files named in few tokens: what several paths share is written once.

use super::shown::Shown;
use super::text::{Text, estimate};
use crate::store::snapshot::CallerFile;

/// `**/`
const GLOB_TOKENS: usize = 3;

/// `jobs/{reconcile,monthly}.py, api/routes.py`: each item of a group makes a path that can be opened. Where paths are long
/// and share little, `**/{Invoice,jobs/Monthly}.java`: a glob, each item of which matches that one file of the repository.
#[derive(Default)]
pub(super) struct Places<'a> {
    groups: Vec<Group<'a>>,
    /// Every file that can be is part of the glob: names more where there are many.
    by_glob: bool,
    /// Files named.
    pub(super) len: u32,
    tokens: usize,
}

struct Group<'a> {
    /// All files are in or under it; empty for the root, or for a path that is shown as a whole.
    directory: &'a str,
    /// `places` are the unique ends of paths, wherever those begin.
    anywhere: bool,
    /// Written once behind the files.
    extension: &'a str,
    /// Full paths, or their unique ends.
    places: Vec<&'a str>,
    /// Names that had to be cleaned are shown whole, or parts of them would read differently.
    whole: bool,
    tokens: usize,
}

impl<'a> Places<'a> {
    /// As many of the files as fit into the budget, at most `limit`, from the first on.
    pub(super) fn listed(files: impl Iterator<Item = &'a CallerFile> + Clone, limit: u32, budget: usize) -> Places<'a> {
        let filled = |mut list: Places<'a>| {
            let mut all = true;
            for file in files.clone().take(limit as usize) {
                all = list.push(file, budget);
                if !all {
                    break;
                }
            }
            (list, all)
        };
        let (list, all) = filled(Places::default());
        if all {
            return list;
        }
        let (globbed, _) = filled(Places { by_glob: true, ..Places::default() });
        if globbed.len > list.len { globbed } else { list }
    }

    /// Adds a file if the list then costs no more than `budget` tokens.
    pub(super) fn push(&mut self, file: &'a CallerFile, budget: usize) -> bool {
        let alone = Group::of(&file.path);
        let globbed = Group::anywhere(&file.path, file.unique_from as usize).filter(|_| !alone.whole);
        // In full if that costs no more.
        let ways: Vec<Group<'a>> = match globbed {
            Some(globbed) if self.by_glob => vec![globbed],
            globbed => [Some(alone), globbed].into_iter().flatten().collect(),
        };
        let mut candidates: Vec<Candidate<'a>> = Vec::new();
        for way in ways {
            let joined = if way.whole { Vec::new() } else { self.joined(&way) };
            candidates.push(Candidate { added: way.tokens, group: None, with: way });
            candidates.extend(joined);
        }
        // The first of those that cost the same.
        let Some(best) = candidates.into_iter().reduce(|a, b| if b.added < a.added { b } else { a }) else {
            return false;
        };
        if self.tokens + best.added > budget {
            return false;
        }
        match best.group {
            Some(index) => self.groups[index] = best.with,
            None => self.groups.push(best.with),
        }
        self.tokens += best.added;
        self.len += 1;
        true
    }

    /// The groups that `alone` may join.
    fn joined(&self, alone: &Group<'a>) -> Vec<Candidate<'a>> {
        let join = |(index, group): (usize, &Group<'a>)| {
            if group.whole || group.anywhere != alone.anywhere || group.extension != alone.extension {
                return None;
            }
            let directory = common(group.directory, alone.directory);
            let at_root = group.directory.is_empty() && alone.directory.is_empty();
            if directory.is_empty() && !at_root {
                return None;
            }
            let with = group.with(directory, alone);
            Some(Candidate { added: with.tokens - group.tokens.min(with.tokens), group: Some(index), with })
        };
        self.groups.iter().enumerate().filter_map(join).collect()
    }

    pub(super) fn text(&self) -> Text {
        let mut text = Text::default();
        for (index, group) in self.groups.iter().enumerate() {
            text = if index > 0 { text.say(", ") } else { text };
            text = if group.anywhere { text.say("**/") } else { text };
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

/// A way to add a file.
struct Candidate<'a> {
    /// Tokens that it costs.
    added: usize,
    /// The group that it replaces.
    group: Option<usize>,
    with: Group<'a>,
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
        Group { directory, anywhere: false, extension, places: vec![path], whole: shown.as_str() != path, tokens }
    }

    /// The file as a glob; `None` if only its whole path is its own.
    fn anywhere(path: &'a str, unique_from: usize) -> Option<Group<'a>> {
        let end = path.get(unique_from..).filter(|_| unique_from > 0)?;
        let group = Group::of(end);
        Some(Group { directory: "", anywhere: true, tokens: group.tokens + GLOB_TOKENS, ..group })
    }

    /// The group with `directory` as what its files share, and with the file of another one.
    fn with(&self, directory: &'a str, other: &Group<'a>) -> Group<'a> {
        let places: Vec<&str> = self.places.iter().chain(&other.places).copied().collect();
        let glob = if self.anywhere { GLOB_TOKENS } else { 0 };
        // Slash, braces and dot.
        let frame = estimate(directory) + estimate(self.extension) + 4 + glob;
        let mut group = Group { directory, places: Vec::new(), tokens: 0, ..*self };
        group.tokens = frame + places.iter().map(|path| estimate(group.inside(directory, path)) + 1).sum::<usize>();
        group.places = places;
        group
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

    /// `a/|b.py`: the unique end begins at the bar; without one only the whole path is unique.
    fn file(marked: &str) -> CallerFile {
        let unique_from = marked.find('|').unwrap_or(0) as u32;
        CallerFile { path: marked.replace('|', "").into(), unique_from, line: 1 }
    }

    fn listed(paths: &[&str]) -> String {
        let files: Vec<CallerFile> = paths.iter().map(|path| file(path)).collect();
        let mut list = Places::default();
        for file in &files {
            assert!(list.push(file, 1_000), "{}", file.path);
        }
        let text = list.text();
        assert!(text.tokens() <= list.tokens, "{} {}", list.tokens, text.clone().finish());
        text.finish().to_string()
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
    fn long_paths_that_share_little_are_globs_of_their_unique_ends() {
        let far = ["db/src/main/java/org/app/db/|Invoice.java", "web/src/main/java/org/app/web/|Invoices.java"];
        assert_eq!(listed(&far), "**/{Invoice,Invoices}.java");
        assert_eq!(listed(&far[..1]), "**/Invoice.java");
        let ambiguous = ["db/src/main/java/org/app/|db/Row.java", "web/src/main/java/org/app/|web/Row.java"];
        assert_eq!(listed(&ambiguous), "**/{db/Row,web/Row}.java");
        assert_eq!(listed(&["db/src/main/java/org/app/db/Row.java"]), "db/src/main/java/org/app/db/Row.java");
        assert_eq!(listed(&["app/|core.py", "app/|shell.py"]), "app/{core,shell}.py", "in full if that costs no more");
        assert_eq!(listed(&["a/b c/src/main/java/org/app/|Row.java"]), "a/b?c/src/main/java/org/app/Row.java");
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
        let (first, second) = (file("jobs/reconcile.py"), file("reports/monthly.py"));
        assert!(list.push(&first, 8));
        assert!(!list.push(&second, 8));
        assert_eq!(list.len, 1);
    }
}
