//! Ignore and attribute files, read as data and only if they are regular files: a `.gitignore` that is a FIFO, or a link to
//! a device, must not hold up the walk.

use super::content::read_small;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;
use std::rc::Rc;

/// Longest ignore or attribute file that is read; a longer one counts as absent.
const MAX_RULES: u64 = 256 * 1024;

/// The rules of one folder, on top of those of the folders above.
pub(super) struct Level {
    above: Option<Rc<Level>>,
    ignored: Option<Gitignore>,
    /// By `.gitattributes`: GitHub linguist's marks, <https://github.com/github-linguist/linguist/blob/main/docs/overrides.md>.
    generated: Option<Gitignore>,
    vendored: Option<Gitignore>,
}

impl Level {
    /// The level for what a folder holds: its own, or that of the folders above if it has no rules.
    pub(super) fn of(folder: &Path, has: impl Fn(&str) -> bool, above: Option<Rc<Level>>) -> Option<Rc<Level>> {
        if !has(".gitignore") && !has(".gitattributes") {
            return above;
        }
        let ignored = text_of(&folder.join(".gitignore")).and_then(|text| matcher(folder, text.lines()));
        let attributes = text_of(&folder.join(".gitattributes")).unwrap_or_default();
        let marked = |attribute| {
            let patterns: Vec<String> = attributes.lines().filter_map(|line| pattern_of(line, attribute)).collect();
            matcher(folder, patterns.iter().map(String::as_str))
        };
        let (generated, vendored) = (marked("linguist-generated"), marked("linguist-vendored"));
        Some(Rc::new(Level { above, ignored, generated, vendored }))
    }

    fn and_above(&self) -> impl Iterator<Item = &Level> {
        std::iter::successors(Some(self), |level| level.above.as_deref())
    }

    /// Why the attributes say that a file should be skipped.
    pub(super) fn mark(&self, path: &Path) -> Option<&'static str> {
        let marked = |matcher: fn(&Level) -> Option<&Gitignore>| {
            let found = self.and_above().filter_map(matcher).map(|matcher| matcher.matched(path, false));
            found.into_iter().find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
        };
        if marked(|level| level.generated.as_ref()) {
            Some("generated (by .gitattributes)")
        } else if marked(|level| level.vendored.as_ref()) {
            Some("vendored (by .gitattributes)")
        } else {
            None
        }
    }
}

/// The rules that hold everywhere, after those of the folders.
pub(super) struct Standing {
    /// `info/exclude` of the repository.
    excluded: Option<Gitignore>,
    /// The user's own `core.excludesFile`.
    user: Gitignore,
}

impl Standing {
    pub(super) fn of(root: &Path, git_dir: Option<&Path>) -> Self {
        let excluded = git_dir.and_then(|git_dir| {
            let common =
                text_of(&git_dir.join("commondir")).map_or(git_dir.to_owned(), |path| git_dir.join(path.trim()));
            matcher(root, text_of(&common.join("info/exclude"))?.lines())
        });
        let user = if git_dir.is_some() { GitignoreBuilder::new(root).build_global().0 } else { Gitignore::empty() };
        Standing { excluded, user }
    }

    /// Whether git would ignore an untracked file or folder, its parents not being ignored.
    pub(super) fn ignores(&self, level: Option<&Level>, path: &Path, is_folder: bool) -> bool {
        let levels = level.into_iter().flat_map(Level::and_above).filter_map(|level| level.ignored.as_ref());
        for rules in levels.chain(&self.excluded).chain([&self.user]) {
            let found = rules.matched(path, is_folder);
            if !found.is_none() {
                return found.is_ignore();
            }
        }
        false
    }
}

fn text_of(path: &Path) -> Option<String> {
    read_small(path, MAX_RULES).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn matcher<'a>(folder: &Path, lines: impl Iterator<Item = &'a str>) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for line in lines {
        // A pattern that cannot be read matches nothing, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|matcher| !matcher.is_empty())
}

/// The pattern of a line of `.gitattributes`, negated where it takes the attribute back. Quoted patterns and macros are
/// left out.
fn pattern_of(line: &str, attribute: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let pattern = words.next().filter(|pattern| !pattern.starts_with(['#', '"', '[', '!']))?;
    let mut found = None;
    for word in words {
        if word == attribute || word.strip_prefix(attribute) == Some("=true") {
            found = Some(pattern.to_owned());
        } else if word.trim_start_matches(['-', '!']) == attribute || word.strip_prefix(attribute) == Some("=false") {
            found = Some(format!("!{pattern}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_lines_become_patterns() {
        let pattern = |line| pattern_of(line, "linguist-generated");
        assert_eq!(pattern("gen/** linguist-generated"), Some("gen/**".to_owned()));
        assert_eq!(pattern("*.py text linguist-generated=true"), Some("*.py".to_owned()));
        assert_eq!(pattern("a.py -linguist-generated"), Some("!a.py".to_owned()));
        assert_eq!(pattern("a.py linguist-generated=false"), Some("!a.py".to_owned()));
        assert_eq!(pattern("# a linguist-generated"), None);
        assert_eq!(pattern("*.py linguist-vendored"), None);
    }
}
