//! The phrases that file and search annotations share: who uses one symbol.

use super::shown::Shown;
use super::text::Text;
use crate::store::snapshot::{POSSIBLE_LIMIT, Site, SymbolCard};

/// ` +12)`
const LEFT_TOKENS: usize = 4;

/// The same in an annotation of the file `path`: `finalize()` in `Invoice.java`.
pub(super) fn own_symbol_name(qualname: &str, callable: bool, path: &str) -> Text {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let stem = name.split('.').next().unwrap_or(name);
    match qualname.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')) {
        Some(member) if !stem.is_empty() => symbol_name(member, callable),
        _ => symbol_name(qualname, callable),
    }
}

/// `Invoice.finalize()`, `Invoice`: a name and what it is a member of. Outer types cost more than they tell.
pub(super) fn symbol_name(qualname: &str, callable: bool) -> Text {
    let outer = qualname.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
    let name = Text::new("").name(&Shown::identifier(&qualname[outer..]));
    if callable { name.say("()") } else { name }
}

/// `6 callers in 4 files (a.py:88, b.py:41 +2), 2 of them in other packages`, with at most `sites` places, less where the
/// phrase would cost more than `budget` tokens; without places only `6 callers in 4 files`. Functions are called; other
/// things are used. Empty when nothing resolved is known. Comes with the number of places named.
pub(super) fn counts(card: &SymbolCard, sites: usize, budget: usize) -> (Text, usize) {
    let (text, files, outside) = if card.kind.is_callable() && card.callers > 0 {
        let text = Text::new("").count(card.callers, " caller", " callers");
        let text = if card.callers == 1 { text } else { text.say(" in ").count(card.caller_files, " file", " files") };
        (text, card.caller_files, outside(card.outside_callers, card.callers))
    } else if card.use_files > 0 {
        let text = Text::new("used in ").count(card.use_files, " file", " files");
        (text, card.use_files, outside(card.outside_use_files, card.use_files))
    } else {
        return (Text::default(), 0);
    };
    if sites == 0 {
        return (text, 0);
    }
    let room = budget.saturating_sub(text.tokens_with(&outside) + LEFT_TOKENS);
    // Callers may stand in the symbol's own file; files that use it are others.
    let others: Vec<&Site> = card
        .sites
        .iter()
        .filter(|site| (card.kind.is_callable() && card.callers > 0) || site.path != card.path)
        .collect();
    let (places, named) = places(&others, sites, files, room);
    (text.append(&places).append(&outside), named)
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

/// ` (a.py:88, b.py:41 +2)`: one place a file, and how many files are left. Comes with the number of places.
fn places(sites: &[&Site], limit: usize, files: u32, budget: usize) -> (Text, usize) {
    let mut text = Text::new(" (");
    let mut named: Vec<&str> = Vec::new();
    for site in sites {
        if named.len() == limit.min(files as usize) {
            break;
        }
        if named.contains(&&*site.path) {
            continue;
        }
        let place = Text::new(if named.is_empty() { "" } else { ", " });
        // In full, ready to be opened at its line: only lists of files share what their paths share.
        let place = place.name(&Shown::path(&site.path)).say(":").line(site.line);
        // One place in full is worth more than its tokens: the caller judges the whole phrase.
        if !named.is_empty() && text.tokens_with(&place) > budget {
            break;
        }
        text = text.append(&place);
        named.push(&site.path);
    }
    if named.is_empty() {
        return (Text::default(), 0);
    }
    let text = match files.saturating_sub(named.len() as u32) {
        0 => text.say(")"),
        left => text.say(" +").number(left.into()).say(")"),
    };
    (text, named.len())
}

/// `12`, or `1000+` where counting stopped.
pub(super) fn possible(text: Text, possible: u32) -> Text {
    let text = text.number(possible.into());
    if possible >= POSSIBLE_LIMIT { text.say("+") } else { text }
}

/// `, cohesion 0.87`, from per mille, rounded down: 1.00 is said of nothing that has a way out.
pub(super) fn cohesion(text: Text, permille: Option<i16>) -> Text {
    let Some(permille) = permille else { return text };
    let percent = u64::from(permille.clamp(0, 1000).unsigned_abs()) / 10;
    let text = text.say(", cohesion ").say(if percent == 100 { "1." } else { "0." });
    text.say(if percent % 100 < 10 { "0" } else { "" }).number(percent % 100)
}
