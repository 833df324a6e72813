//! What an edit left unfit, in a sentence for each kind of misfit.

use super::MAX_TOKENS;
use super::shown::Shown;
use super::text::{Said, Text};
use super::uses::symbol_name;
use crate::query::review::{Broken, Misfit};
use std::collections::{BTreeMap, BTreeSet};

/// Files that one sentence names.
const MAX_FILES: usize = 5;

/// Lines that are named of one file.
const MAX_LINES: usize = 4;

/// ` +380.`, ` +12 places.`
const MORE_TOKENS: usize = 6;

/// `shop/price.py was edited. net() needs tax, not given at shop/api.py:6,9, tests/test_price.py:4. 2 of 3 files not opened so far.`
///
/// `is_open` tells what the agent has read or edited; what it has not comes first. `None` when nothing is broken.
pub fn impact(path: &str, broken: &[Broken], is_open: impl Fn(&str) -> bool) -> Option<Said> {
    let files: BTreeSet<&str> = broken.iter().map(|broken| broken.file.as_str()).filter(|file| *file != path).collect();
    let unopened = files.iter().filter(|file| !is_open(file)).count();
    let mut groups: BTreeMap<(&str, &Misfit), Vec<&Broken>> = BTreeMap::new();
    for place in broken {
        groups.entry((&place.symbol, &place.why)).or_default().push(place);
    }
    let mut groups: Vec<((&str, &Misfit), Vec<&Broken>)> = groups.into_iter().collect();
    let rank = |place: &Broken| (place.file == path || is_open(&place.file), place.test);
    groups.sort_by_key(|(_, places)| places.iter().map(|place| rank(place)).min());
    let mut text = Text::default().name(&Shown::path(path)).say(" was edited.");
    let closing = match (unopened, files.len()) {
        (0, _) => Text::default(),
        (1, 1) => Text::new(" It was not opened so far."),
        (unopened, all) => {
            Text::new(" ").number(unopened as u64).say(" of ").number(all as u64).say(" files not opened so far.")
        }
    };
    let mut left = 0;
    for ((symbol, why), mut places) in groups {
        places.sort_by_key(|place| (rank(place), &place.file, place.line));
        let sentence = Text::new(" ").append(&misfit(symbol, why));
        let room = MAX_TOKENS.saturating_sub(text.tokens_with(&sentence) + closing.tokens() + MORE_TOKENS);
        let named = at(&places, room);
        if named.is_empty() {
            left += places.len();
            continue;
        }
        text = text.append(&sentence).append(&named).say(".");
    }
    if left > 0 {
        text = text.say(" +").number(left as u64).say(" places.");
    }
    (!broken.is_empty()).then(|| text.append(&closing).finish())
}

fn misfit(symbol: &str, why: &Misfit) -> Text {
    let qualname = symbol.split_once("::").map_or(symbol, |(_, name)| name);
    // A constructor is called by the name of its class.
    let class = qualname.strip_suffix(".<init>").or_else(|| qualname.strip_suffix(".__init__"));
    let name = symbol_name(class.unwrap_or(qualname), !matches!(why, Misfit::Gone));
    let named = |text: Text, name: &str| text.name(&Shown::identifier(name));
    match why {
        Misfit::Gone => name.say(" is gone, used at "),
        Misfit::TooMany { .. } => name.say(" takes fewer arguments than given at "),
        Misfit::Unknown { keyword } => named(name.say(" has no parameter "), keyword).say(", given at "),
        Misfit::Missing { parameter } => named(name.say(" needs "), parameter).say(", not given at "),
        Misfit::Retyped { parameter, .. } => named(name.say(" takes another type for "), parameter).say(", called at "),
        Misfit::Result { .. } => name.say(" gives another type, called at "),
        Misfit::Awaitable => name.say(" has to be awaited, called at "),
        Misfit::Overrides => name.say(" has other parameters than its overrides at "),
        Misfit::Lacks => name.say(" is abstract, absent in "),
    }
}

/// `a.py:3,7, b.py:2 +4` within so many tokens; empty if not even one place fits.
fn at(places: &[&Broken], room: usize) -> Text {
    let mut files: Vec<(&str, Vec<u32>)> = Vec::new();
    for place in places {
        match files.last_mut() {
            Some((file, lines)) if *file == place.file => lines.push(place.line),
            _ => files.push((&place.file, vec![place.line])),
        }
    }
    let mut text = Text::default();
    let mut named = 0;
    for (index, (file, lines)) in files.iter().take(MAX_FILES).enumerate() {
        let mut next = Text::new(if index > 0 { ", " } else { "" }).name(&Shown::path(file)).say(":");
        for (nth, line) in lines.iter().take(MAX_LINES).enumerate() {
            next = if nth > 0 { next.say(",") } else { next }.line(*line);
        }
        if text.tokens_with(&next) > room {
            break;
        }
        text = text.append(&next);
        named += lines.len().min(MAX_LINES);
    }
    match places.len() - named {
        _ if named == 0 => text,
        0 => text,
        more => text.say(" +").number(more as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn place(file: &str, line: u32, why: Misfit) -> Broken {
        let symbol = "shop/price.py::Cart.net".to_string();
        Broken { file: file.into(), line, caller: String::new(), symbol, why, test: file.starts_with("tests/") }
    }

    fn missing() -> Misfit {
        Misfit::Missing { parameter: "tax".into() }
    }

    #[test]
    fn places_are_named_by_what_is_wrong_and_the_unopened_first() {
        let broken = [
            place("shop/api.py", 6, missing()),
            place("shop/api.py", 9, missing()),
            place("shop/open.py", 2, missing()),
            place("shop/open.py", 7, Misfit::Gone),
            place("tests/test_price.py", 4, missing()),
        ];
        assert_snapshot!(impact("shop/price.py", &broken, |path| path == "shop/open.py").unwrap(),
            @"shop/price.py was edited. Cart.net() needs tax, not given at shop/api.py:6,9, tests/test_price.py:4, shop/open.py:2. Cart.net is gone, used at shop/open.py:7. 2 of 3 files not opened so far.");
        assert_eq!(impact("shop/price.py", &[], |_| false), None);
    }

    #[test]
    fn many_places_stay_within_the_budget_and_are_counted() {
        let broken: Vec<Broken> =
            (0..400).map(|n| place(&format!("some/quite/long/folder/file_{:02}.py", n / 10), n, missing())).collect();
        let text = impact("shop/price.py", &broken, |_| false).unwrap();
        assert!(text.ends_with(" +388. 40 of 40 files not opened so far."), "{text}");
        assert!(crate::annotate::estimate(&text) <= MAX_TOKENS, "{text}");
    }

    #[test]
    fn names_pass_the_sink() {
        let mut hostile = place("a b\u{202e}.py", 1, Misfit::Unknown { keyword: "x\n`y".into() });
        hostile.symbol = "p.py::f<script>".into();
        let text = impact("p.py", &[hostile], |_| false).unwrap();
        assert!(!text.contains(['\u{202e}', '`', '<', '\n']), "{text}");
    }
}
