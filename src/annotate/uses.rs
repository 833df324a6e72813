//! The phrases that file and search annotations share: who uses one symbol, and a list of files in few tokens.

use super::shown::Shown;
use super::text::{Text, estimate};
use crate::store::snapshot::{POSSIBLE_LIMIT, Site, SymbolCard};

/// `Invoice.finalize()`, `Invoice`
pub(super) fn symbol_name(qualname: &str, callable: bool) -> Text {
    let name = Text::default().name(&Shown::identifier(qualname));
    if callable { name.say("()") } else { name }
}

/// `6 callers in 4 files (a.py:88, b.py:41 +2), 2 of them in other packages`, with at most `sites` places; without places
/// only `6 callers in 4 files`. Functions are called; other things are used. Empty when nothing resolved is known.
pub(super) fn counts(card: &SymbolCard, sites: usize) -> Text {
    if card.kind.is_callable() && card.callers > 0 {
        let text = Text::default().count(card.callers, " caller", " callers");
        let text = if card.callers == 1 { text } else { text.say(" in ").count(card.caller_files, " file", " files") };
        let text = text.append(&places(&card.sites, sites, card.caller_files));
        return if sites == 0 { text } else { text.append(&outside(card.outside_callers, card.callers)) };
    }
    if card.use_files > 0 {
        let text = Text::new("used in ").count(card.use_files, " file", " files");
        let text = text.append(&places(&card.sites, sites, card.use_files));
        return if sites == 0 { text } else { text.append(&outside(card.outside_use_files, card.use_files)) };
    }
    Text::default()
}

fn outside(outside: u32, all: u32) -> Text {
    match outside {
        0 => Text::default(),
        _ if outside == all && all == 1 => Text::new(", in another package"),
        _ if outside == all => Text::new(", all in other packages"),
        1 => Text::new(", 1 of them in another package"),
        _ => Text::new(", ").number(outside.into()).say(" of them in other packages"),
    }
}

/// ` (a.py:88, b.py:41 +2)`: one place a file, and how many files are left.
fn places(sites: &[Site], limit: usize, files: u32) -> Text {
    let mut text = Text::default();
    let mut named: Vec<&str> = Vec::new();
    for site in sites {
        if named.len() == limit {
            break;
        }
        if named.contains(&&*site.path) {
            continue;
        }
        text = text.say(if named.is_empty() { " (" } else { ", " });
        text = text.name(&Shown::path(&site.path)).say(":").number(site.line.into());
        named.push(&site.path);
    }
    let left = files.saturating_sub(named.len() as u32);
    match (named.is_empty(), left) {
        (true, _) => text,
        (false, 0) => text.say(")"),
        (false, _) => text.say(" +").number(left.into()).say(")"),
    }
}

/// `12`, or `1000+` where counting stopped.
pub(super) fn possible(text: Text, possible: u32) -> Text {
    let text = text.number(possible.into());
    if possible >= POSSIBLE_LIMIT { text.say("+") } else { text }
}

/// Names files in few tokens: `jobs/{reconcile,monthly}.py, api/routes.py`.
#[derive(Default)]
pub(super) struct FileList<'a> {
    groups: Vec<Group<'a>>,
    /// Files named.
    pub(super) len: u32,
    tokens: usize,
}

struct Group<'a> {
    directory: &'a str,
    extension: &'a str,
    stems: Vec<&'a str>,
}

impl<'a> FileList<'a> {
    /// Adds a file if the list then costs no more than `budget` tokens.
    pub(super) fn push(&mut self, path: &'a str, budget: usize) -> bool {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, extension),
            _ => (name, ""),
        };
        let group = self.groups.iter_mut().find(|group| group.directory == directory && group.extension == extension);
        // A comma each, and the braces of a group with its second file.
        let (shown, marks) = match &group {
            Some(group) => (stem, if group.stems.len() == 1 { 3 } else { 1 }),
            None => (path, 1),
        };
        let cost = estimate(Shown::path(shown).as_str()) + marks;
        if self.tokens + cost > budget {
            return false;
        }
        match group {
            Some(group) => group.stems.push(stem),
            None => self.groups.push(Group { directory, extension, stems: vec![stem] }),
        }
        self.tokens += cost;
        self.len += 1;
        true
    }

    pub(super) fn text(&self) -> Text {
        let mut text = Text::default();
        for (index, group) in self.groups.iter().enumerate() {
            if index > 0 {
                text = text.say(", ");
            }
            if let [stem] = group.stems[..] {
                text = text.name(&Shown::path(&join(group.directory, stem, group.extension)));
                continue;
            }
            if !group.directory.is_empty() {
                text = text.name(&Shown::path(group.directory)).say("/");
            }
            text = text.say("{");
            for (index, stem) in group.stems.iter().enumerate() {
                let stem = Shown::path(stem);
                text = if index > 0 { text.say(",").name(&stem) } else { text.name(&stem) };
            }
            text = text.say("}");
            if !group.extension.is_empty() {
                text = text.say(".").name(&Shown::path(group.extension));
            }
        }
        text
    }
}

fn join(directory: &str, stem: &str, extension: &str) -> String {
    let mut path = String::with_capacity(directory.len() + stem.len() + extension.len() + 2);
    path.push_str(directory);
    if !directory.is_empty() {
        path.push('/');
    }
    path.push_str(stem);
    if !extension.is_empty() {
        path.push('.');
        path.push_str(extension);
    }
    path
}
