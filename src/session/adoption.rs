//! Are the files that annotations name opened? Counted from the journal, on this machine alone.

use std::collections::BTreeMap;

use super::Entry;
use xxhash_rust::xxh3::xxh3_64;

/// Calls of the same agent within which a named file has to be opened.
const WITHIN: u32 = 10;

/// How annotations were taken up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Annotations that named files.
    pub naming: u32,
    /// Those of them after which a named file was opened within ten calls.
    pub followed: u32,
}

impl Adoption {
    /// Of a journal's entries, oldest first.
    pub fn of(entries: impl Iterator<Item = (String, Entry)>) -> Adoption {
        let mut adoption = Adoption::default();
        // Of each agent: files that wait to be opened, and the calls that are left for it.
        let mut open: BTreeMap<String, Vec<(Vec<u32>, u32)>> = BTreeMap::new();
        for (agent, entry) in entries {
            let waiting = open.entry(agent).or_default();
            match entry {
                Entry::Shown(shown) if !shown.named.is_empty() => {
                    adoption.naming += 1;
                    waiting.push((shown.named, WITHIN));
                }
                Entry::Read { path, .. } | Entry::Edited { path } => {
                    let opened = name_of(&path);
                    adoption.followed += waiting.iter().filter(|(named, _)| named.contains(&opened)).count() as u32;
                    waiting.retain(|(named, _)| !named.contains(&opened));
                    pass(waiting);
                }
                Entry::Searched { .. } => pass(waiting),
                Entry::Shown(_) | Entry::ToCheck { .. } | Entry::Note { .. } | Entry::Briefed { .. } | Entry::Cut => {}
            }
        }
        adoption
    }

    /// The two taken together.
    pub fn and(self, other: Adoption) -> Adoption {
        Adoption { naming: self.naming + other.naming, followed: self.followed + other.followed }
    }

    /// In percent; `None` where nothing was named.
    pub fn rate(self) -> Option<u32> {
        (self.followed * 100).checked_div(self.naming)
    }
}

fn pass(waiting: &mut Vec<(Vec<u32>, u32)>) {
    for (_, left) in &mut *waiting {
        *left -= 1;
    }
    waiting.retain(|(_, left)| *left > 0);
}

/// What a path is remembered by in an annotation's entry: half of its XXH3-64.
pub(super) fn name_of(path: &str) -> u32 {
    xxh3_64(path.as_bytes()) as u32
}

/// Those of `paths` that a text names: by its file name at least, since what paths share is written once.
pub fn named_in<'p>(text: &str, paths: impl Iterator<Item = &'p str>) -> Vec<u32> {
    // Marks that stand around file names here, and in none.
    let words: Vec<&str> = text.split([' ', '/', ',', '{', '}', '(', ')', ':', '.']).collect();
    let mut named = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        // Sites repeat the paths of callers.
        if !stem.is_empty() && words.contains(&stem) && !seen.contains(&path) {
            seen.push(path);
            named.push(name_of(path));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Shown;

    fn read(path: &str) -> Entry {
        Entry::Read { path: path.into(), lines: None }
    }

    fn shown(paths: &[&str]) -> Entry {
        Entry::Shown(Shown { named: paths.iter().map(|path| name_of(path)).collect(), ..Shown::default() })
    }

    fn of(entries: Vec<(&str, Entry)>) -> (u32, u32) {
        let adoption = Adoption::of(entries.into_iter().map(|(agent, entry)| (agent.to_string(), entry)));
        (adoption.naming, adoption.followed)
    }

    #[test]
    fn an_annotation_is_followed_by_opening_a_named_file_soon_by_the_same_agent() {
        assert_eq!(
            of(vec![("", shown(&["a.py", "b.py"])), ("", read("c.py")), ("", read("b.py")), ("", read("a.py"))]),
            (1, 1)
        );
        assert_eq!(of(vec![("", shown(&["a.py"])), ("sub", read("a.py"))]), (1, 0), "another agent");
        assert_eq!(of(vec![("", shown(&[])), ("", read("a.py"))]), (0, 0), "nothing was named");
        let mut late = vec![("", shown(&["a.py"]))];
        late.extend((0..10).map(|_| ("", read("c.py"))));
        late.push(("", read("a.py")));
        assert_eq!(of(late.clone()), (1, 0), "too late");
        late.remove(1);
        assert_eq!(of(late), (1, 1));
    }

    #[test]
    fn files_are_named_by_their_stem() {
        let text = "src/x.py: Used by 3 files (jobs/{daily,weekly}.py, **/Invoice.java).";
        let named = named_in(text, ["jobs/daily.py", "jobs/week.py", "a/b/Invoice.java", "Voice.java"].into_iter());
        assert_eq!(named, [name_of("jobs/daily.py"), name_of("a/b/Invoice.java")]);
    }
}
