//! The annotation of a file that is about to be read.

use super::State;
use super::places::Places;
use super::recall::kept_notes;
use super::shown::Shown;
use super::text::{Said, Text};
use super::uses::{cohesion, counts, own_symbol_name, possible};
use crate::freshness::Freshness;
use crate::store::snapshot::{CallerFile, FileCard, SymbolCard, Unreferenced};

/// What symbols get before the ranked files are listed: the places named for the first, second, ... of them, and what all
/// of it may take of the budget. The first that leaves room for all files is taken, else the last: where files are many,
/// their list names more of what breaks for the same tokens (RETRIEVAL.md, section A).
const SHARES: [Share; 3] = [
    Share { sites: &[3, 2, 1, 0], tokens: 66, tests: TESTS_TOKENS },
    Share { sites: &[1, 0, 0], tokens: 45, tests: TESTS_TOKENS },
    Share { sites: &[0], tokens: 12, tests: 0 },
];

#[derive(Clone, Copy)]
struct Share {
    sites: &'static [usize],
    tokens: usize,
    /// Of these, for the number of tests; without, that number is told behind the files if there is room.
    tests: usize,
}

/// `; +12 test files. `
const TESTS_TOKENS: usize = 6;
/// ` (` and ` +12)`.
const LEFT_TOKENS: usize = 5;
/// Kept free for exports without references, where there are any.
const UNREFERENCED_TOKENS: usize = 16;
/// RETRIEVAL.md found nothing more to gain above 16.
const MAX_FILES: u32 = 16;
const MAX_UNREFERENCED: usize = 4;
/// Line ranges that did not parse and are named.
const MAX_UNPARSED: usize = 3;
/// What bases and overriding files may cost, each.
const OVERRIDES_TOKENS: usize = 18;
/// What files that changed with it may cost.
const COMPANIONS_TOKENS: usize = 20;
/// What files with possible uses may cost.
const POSSIBLE_TOKENS: usize = 30;

/// What cannot be seen in the file itself; `None` when there is nothing of that kind. `focus` is the inclusive line range
/// that is read, where it is not the whole file: symbols in it, or around it, come first.
/// `notes` are (subject, text) that agents of the session kept about it.
pub fn file(card: &FileCard, focus: Option<(u32, u32)>, notes: &[(String, String)], state: State<'_>) -> Option<Said> {
    if state.freshness == Freshness::Absent {
        return None;
    }
    let head = Text::default().name(&Shown::path(&card.path)).say(": ").append(&state.warning());
    let closing = state.closing();
    let partial = partial(card);
    let kept = kept_notes(notes);
    let fixed = head.tokens() + closing.tokens() + partial.tokens() + kept.tokens();
    let unreferenced = unreferenced(card, focus, state);
    let budget = state.tokens.saturating_sub(fixed);

    let overrides = overrides(card);
    let handed_on = handed_on(card, focus);
    // Of a file with many users each token is theirs: what had to change with such files, in real commits, was among them.
    let kept_free = if card.users > MAX_FILES { 0 } else { overrides.tokens() + handed_on.tokens() };
    let (mut body, left) = uses(card, focus, budget.saturating_sub(kept_free));
    // Where all users can be named, that comes first.
    if left > 0
        && kept_free > 0
        && let (all, 0) = uses(card, focus, budget)
    {
        body = all;
    }
    if body.is_empty() {
        body = without_callers(card, state, unreferenced.is_empty(), budget);
    }
    // What room was kept for first.
    for sentence in [&handed_on, &overrides, &companions(card, focus), &unreferenced] {
        if body.tokens_with(sentence) <= budget {
            body = body.append(sentence);
        }
    }
    let possible = possible_files(card, focus, budget.saturating_sub(body.tokens()));
    body = body.append(&possible);
    body = body.append(&kept);
    // Nothing to say, or no room for it beside a very long path.
    if body.is_empty() || body.tokens() > budget + kept.tokens() {
        return None;
    }
    // Last, as they are not worth a word of their own.
    for sentence in [reach(card), neighborhood(card)] {
        if body.tokens_with(&sentence) <= budget {
            body = body.append(&sentence);
        }
    }
    Some(head.append(&body).append(&partial).append(&closing).finish())
}

/// The callers by symbol, then the files that these have not named. Comes with the number of users that are named nowhere.
fn uses(card: &FileCard, focus: Option<(u32, u32)>, budget: usize) -> (Text, u32) {
    let mut last = (Text::default(), 0);
    for share in SHARES {
        let mut named = Vec::new();
        let text = callers(card, focus, share, budget, None, &mut named);
        let (files, left) = other_files(card, &named, None, budget.saturating_sub(text.tokens()));
        let all_named = files.is_empty() && left == 0;
        let (told, left) = match lead(card, focus, share) {
            Some(lead) if !all_named => {
                let text = callers(card, focus, share, budget, Some(lead), &mut named);
                // What is told of others gives way where the users do not all fit.
                let room = if share.tests == 0 { 0 } else { text.tokens() };
                let (files, left) = other_files(card, &[], Some(lead), budget.saturating_sub(room));
                (if files.tokens_with(&text) <= budget { files.append(&text) } else { files }, left)
            }
            _ => (text.append(&files), left),
        };
        let tests = tests(card);
        let has_room = share.tests == 0 && card.test_files > 0 && told.tokens_with(&tests) <= budget;
        last = (if has_room { told.append(&tests) } else { told }, left);
        // Of a range the symbols in it are asked for, not the whole file's users.
        if left == 0 || focus.is_some() {
            break;
        }
    }
    last
}

/// The type that all users of the file use, where none of its places will be named: the list of files is that of its users.
fn lead(card: &FileCard, focus: Option<(u32, u32)>, share: Share) -> Option<&SymbolCard> {
    let first = worth_naming(card, focus).into_iter().next()?;
    let placeless = share.sites.first() == Some(&0) || has_called_members(card, first);
    let whole = focus.is_none() && first.kind.is_type() && first.use_files == card.users && first.possible == 0;
    (whole && placeless).then_some(first)
}

/// `finalize() has 6 callers in 4 files (...); Invoice is used in 9 files; +3 test files. `
fn callers<'a>(
    card: &'a FileCard,
    focus: Option<(u32, u32)>,
    share: Share,
    budget: usize,
    lead: Option<&SymbolCard>,
    named: &mut Vec<&'a str>,
) -> Text {
    let budget = budget.min(share.tokens).saturating_sub(share.tests);
    let mut text = Text::default();
    let mut sites = share.sites.iter();
    for symbol in worth_naming(card, focus) {
        if lead.is_some_and(|lead| std::ptr::eq(lead, symbol)) {
            continue;
        }
        let Some(limit) = sites.as_slice().first() else { break };
        let known = symbol.callers > 0 || symbol.use_files > 0;
        // Guesses alone are worth naming only where nothing is known.
        if !known && !text.is_empty() {
            continue;
        }
        // The users of a type follow as ranked files: its methods' callers tell more.
        let by_method = symbol.kind.is_type() && has_called_members(card, symbol);
        let limit = if by_method { &0 } else { limit };
        let room = budget.saturating_sub(text.tokens() + 1);
        let (mut phrase, mut places) = symbol_phrase(symbol, *limit, room);
        if phrase.tokens() > room {
            (phrase, places) = symbol_phrase(symbol, 0, room);
        }
        if phrase.tokens() > room {
            break;
        }
        text = if text.is_empty() { phrase } else { text.say("; ").append(&phrase) };
        let mut of_symbol: Vec<&str> = Vec::new();
        for site in &symbol.sites {
            if of_symbol.len() < places && !of_symbol.contains(&&*site.path) {
                of_symbol.push(&site.path);
            }
        }
        named.extend(of_symbol);
        if !by_method {
            sites.next();
        }
    }
    if text.is_empty() {
        return text;
    }
    // Files that no known use explains: readers of its variables, and what is used in ways that are not seen.
    let text = if card.dependents > card.users + card.users / 4 {
        text.say("; in all ").count(card.dependents, " file depends on it", " files depend on it")
    } else {
        text
    };
    let text = if share.tests > 0 { with_tests(text, card) } else { text };
    text.say(". ")
}

/// Is a member of the type called from other files?
fn has_called_members(card: &FileCard, of: &SymbolCard) -> bool {
    card.symbols.iter().any(|symbol| {
        let member = symbol.qualname.strip_prefix(of.qualname.as_str()).is_some_and(|rest| rest.starts_with('.'));
        member && symbol.kind.is_callable() && symbol.callers > symbol.own_callers
    })
}

fn symbol_phrase(symbol: &SymbolCard, sites: usize, budget: usize) -> (Text, usize) {
    // A property is read.
    let runs = symbol.kind.is_callable() && (symbol.callers > 0 || symbol.use_files == 0);
    let name = own_symbol_name(&symbol.qualname, runs, &symbol.path);
    let name =
        if symbol.overloads > 1 { name.say(" (").number(symbol.overloads.into()).say(" overloads)") } else { name };
    let (known, places) = counts(symbol, sites, budget.saturating_sub(name.tokens() + 2));
    let phrase = match (known.is_empty(), symbol.possible) {
        (true, 1) => name.say(" has 1 possible caller"),
        (true, guesses) => possible(name.say(" has "), guesses).say(" possible callers"),
        (false, guesses) => {
            let called = symbol.kind.is_callable() && symbol.callers > 0;
            let text = name.say(if called { " has " } else { " is " }).append(&known);
            if guesses > 0 { possible(text.say(", +"), guesses).say(" possible") } else { text }
        }
    };
    (phrase, places)
}

fn touches(symbol: &SymbolCard, (first, last): (u32, u32)) -> bool {
    symbol.line <= last && symbol.end_line >= first
}

/// Symbols in the order of being named. Of a range: those that begin in it, then those around it from the inside out; of
/// a whole file: the most used type, then what runs, then other types, unless types are all there is.
fn worth_naming(card: &FileCard, focus: Option<(u32, u32)>) -> Vec<&SymbolCard> {
    // Callers in the file itself are in view, unless only a part of it is.
    let seen_elsewhere = |symbol: &SymbolCard| {
        // Guesses about test code, or beside callers that are in view, are no news.
        let guessed = symbol.possible > 0 && symbol.callers == 0 && !card.test;
        symbol.callers > symbol.own_callers || symbol.use_files > 0 || guessed
    };
    if let Some((first, last)) = focus {
        let inside =
            |symbol: &&SymbolCard| touches(symbol, (first, last)) && (symbol.callers > 0 || seen_elsewhere(symbol));
        let mut symbols: Vec<&SymbolCard> = card.symbols.iter().filter(inside).collect();
        symbols.sort_by_key(|symbol| {
            let around = symbol.line < first;
            (around, if around { symbol.end_line - symbol.line } else { 0 })
        });
        if !symbols.is_empty() {
            return symbols;
        }
    }
    let mut symbols: Vec<&SymbolCard> = card.symbols.iter().filter(|symbol| seen_elsewhere(symbol)).collect();
    let lead = symbols.iter().position(|symbol| symbol.kind.is_type() && has_called_members(card, symbol));
    let mut types = 0;
    symbols.sort_by_cached_key(|symbol| {
        types += usize::from(symbol.kind.is_type());
        lead.is_some() && symbol.kind.is_type() && types > 1
    });
    symbols
}

/// `Also used by 9 files (jobs/{a,b}.py +7). `: the ranked files that no symbol's places have named. Comes with the number
/// of files that are named nowhere.
fn other_files(card: &FileCard, named: &[&str], lead: Option<&SymbolCard>, budget: usize) -> (Text, u32) {
    let mut distinct = named.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.retain(|path| **path != *card.path);
    let others = card.users.saturating_sub(distinct.len() as u32);
    let text = match lead {
        Some(symbol) => own_symbol_name(&symbol.qualname, false, &symbol.path).say(" is used in "),
        None => Text::new(if distinct.is_empty() { "Used by " } else { "Also used by " }),
    };
    let text = text.count(others, " file", " files");
    // For the full stop as well.
    let budget = budget.saturating_sub(text.tokens() + LEFT_TOKENS + 1);
    let callers = card.callers.iter().filter(|caller| card.users > 0 && !distinct.contains(&&*caller.path));
    let list = Places::listed(callers, MAX_FILES, budget);
    let left = others.saturating_sub(list.len);
    if list.len == 0 {
        return (Text::default(), left);
    }
    (in_parentheses(text, &list, left).say(". "), left)
}

/// `Overrides methods of jobs/base.py, as 6 other files do. Its methods are overridden in 3 files (jobs/{a,b}.py +1). `:
/// relations that hold though neither file need name the other.
fn overrides(card: &FileCard) -> Text {
    let mut text = Text::default();
    let bases = listed(&card.bases, OVERRIDES_TOKENS);
    if bases.len > 0 && is_used(card) {
        text = text.say("Overrides methods of ").append(&bases.text());
        text = match (&card.bases[..], card.base_overriders.saturating_sub(1)) {
            ([_], 1) => text.say(", as 1 other file does"),
            ([_], others @ 2..) => text.say(", as ").number(others.into()).say(" other files do"),
            _ => text,
        };
        text = text.say(". ");
    }
    let overriders = listed(&card.overriders, OVERRIDES_TOKENS);
    // Those that name the file are among its users; they count all the same.
    if card.overriding > 1 || overriders.len > 0 {
        text = text.say("Its methods are overridden in ").count(card.overriding, " file", " files");
        let left = card.overriders_total.saturating_sub(overriders.len);
        text = if overriders.len > 0 { in_parentheses(text, &overriders, left) } else { text }.say(". ");
    }
    text
}

/// Files that are tied to it by its bases are named beside those that are known to need it. Where there are none, the bases
/// are in view, and the number of possible callers says what there is to say.
fn is_used(card: &FileCard) -> bool {
    card.users > 0 || !card.overriders.is_empty()
}

/// `Past commits changed it with jobs/{a,b}.py. `: files that belong to it though no use of it shows that.
fn companions(card: &FileCard, focus: Option<(u32, u32)>) -> Text {
    let list = listed(&card.companions, COMPANIONS_TOKENS);
    if list.len == 0 || focus.is_some() {
        return Text::default();
    }
    Text::new("Past commits changed it with ").append(&list.text()).say(". ")
}

/// `Public through shop/__init__.py. `: users of the package may have what it holds.
fn handed_on(card: &FileCard, focus: Option<(u32, u32)>) -> Text {
    match &card.handed_on {
        Some(by) if focus.is_none() && card.users > 0 => Text::new("Public through ").name(&Shown::path(by)).say(". "),
        _ => Text::default(),
    }
}

/// `130 files depend on it within two steps. `: where a change of it goes further than its users.
fn reach(card: &FileCard) -> Text {
    if card.dependents == 0 || card.dependents_in_two < 2 * card.dependents {
        return Text::default();
    }
    Text::default().count(card.dependents_in_two, " file depends", " files depend").say(" on it within two steps. ")
}

/// `Possibly used by jobs/{a,b}.py. `: files of which only guesses are known.
fn possible_files(card: &FileCard, focus: Option<(u32, u32)>, budget: usize) -> Text {
    let text = Text::new("Possibly used by ");
    // That calls may come through what it overrides is said with it.
    let is_base = |file: &CallerFile| card.bases.iter().any(|base| base.path == file.path);
    let others: Vec<CallerFile> = card.possible.iter().filter(|file| !is_base(file)).cloned().collect();
    let list = listed(&others, budget.saturating_sub(text.tokens() + 1).min(POSSIBLE_TOKENS));
    if list.len == 0 || focus.is_some() || card.test || !(is_used(card) || card.bases.is_empty()) {
        return Text::default();
    }
    text.append(&list.text()).say(". ")
}

fn listed(files: &[CallerFile], budget: usize) -> Places<'_> {
    Places::listed(files.iter(), MAX_FILES, budget)
}

fn in_parentheses(text: Text, list: &Places<'_>, left: u32) -> Text {
    let text = text.say(" (").append(&list.text());
    if left > 0 { text.say(" +").number(left.into()).say(")") } else { text.say(")") }
}

/// What is said of a file that no production code is known to use.
fn without_callers(card: &FileCard, state: State<'_>, claim: bool, budget: usize) -> Text {
    if card.test {
        return Text::default();
    }
    if card.dependents > 0 {
        return imported(card, budget);
    }
    let certain = is_whole(card, state) && card.hidden == 0 && card.exported > 0;
    match (certain, card.test_files) {
        (true, 0) if claim => {
            Text::new("no callers found in the index; uses by name, configuration or other repositories are not seen. ")
        }
        (true, 0) | (false, 0) => Text::default(),
        (true, tests) => {
            Text::new("no callers found in the index but in ").count(tests, " test file", " test files").say(". ")
        }
        (false, tests) => Text::new("used in ").count(tests, " test file", " test files").say(". "),
    }
}

/// `imported by 17 files (src/flask/{ctx,app}.py +15); +3 test files. `
fn imported(card: &FileCard, budget: usize) -> Text {
    let text = Text::new("imported by ").count(card.dependents, " file", " files");
    let room = budget.saturating_sub(text.tokens() + LEFT_TOKENS + TESTS_TOKENS);
    let list = listed(&card.callers, room);
    let text = match list.len {
        0 => text,
        named => in_parentheses(text, &list, card.dependents.saturating_sub(named)),
    };
    with_tests(text, card).say(". ")
}

/// `+12 test files. `
fn tests(card: &FileCard) -> Text {
    Text::new("+").count(card.test_files, " test file", " test files").say(". ")
}

fn with_tests(text: Text, card: &FileCard) -> Text {
    if card.test_files == 0 { text } else { text.say("; +").count(card.test_files, " test file", " test files") }
}

/// True when the card says all there is to say of the file as it is now.
fn is_whole(card: &FileCard, state: State<'_>) -> bool {
    state.freshness == Freshness::Fresh && card.status == "parsed" && card.unparsed.is_empty()
}

/// `No references found outside tests: legacy_total() +2. `, of a range those that are defined in it.
fn unreferenced(card: &FileCard, focus: Option<(u32, u32)>, state: State<'_>) -> Text {
    let in_view = |export: &&Unreferenced| focus.is_none_or(|(first, last)| (first..=last).contains(&export.line));
    let exports: Vec<&Unreferenced> = card.unreferenced.iter().filter(in_view).collect();
    if exports.is_empty() || !is_whole(card, state) {
        return Text::default();
    }
    let mut text = Text::new("No references found outside tests: ");
    let mut named = 0;
    for export in exports.iter().take(MAX_UNREFERENCED) {
        let name = own_symbol_name(&export.qualname, export.kind.is_callable(), &card.path);
        let export = if export.overload { name.say(" of line ").line(export.line) } else { name };
        if named > 0 && text.tokens_with(&export) > UNREFERENCED_TOKENS {
            break;
        }
        text = if named > 0 { text.say(", ").append(&export) } else { text.append(&export) };
        named += 1;
    }
    let all = if focus.is_none() { card.unreferenced_total } else { exports.len() as u32 };
    let left = all.saturating_sub(named);
    if left > 0 { text.say(" +").number(left.into()).say(". ") } else { text.say(". ") }
}

fn partial(card: &FileCard) -> Text {
    match (card.status, &card.unparsed[..]) {
        ("parsed", []) => Text::default(),
        ("partial", []) => Text::new("Parts of it were not parsed. "),
        (_, [first, more @ ..]) => {
            let shown = more.iter().take(MAX_UNPARSED - 1);
            let text =
                shown.fold(lines(Text::new("Not parsed: lines "), *first), |text, range| lines(text.say(", "), *range));
            let left = more.len().saturating_sub(MAX_UNPARSED - 1);
            let text = if left > 0 { text.say(" +").number(left as u64) } else { text };
            text.say(". ")
        }
        _ => Text::new("It was read without a parser: counts may be low. "),
    }
}

/// `3-9`, `12`
fn lines(text: Text, (first, last): (u32, u32)) -> Text {
    if first == last { text.line(first) } else { text.line(first).say("-").line(last) }
}

/// `Neighborhood src/billing: 12 files, cohesion 0.87, entry __init__.py. `
fn neighborhood(card: &FileCard) -> Text {
    let Some(neighborhood) = &card.neighborhood else { return Text::default() };
    let label = match neighborhood.label.as_str() {
        "" => Text::new("Neighborhood of the root"),
        // Named after its central file.
        label if label == &*card.path => Text::new("Neighborhood around it"),
        label => Text::new("Neighborhood ").name(&Shown::path(label)),
    };
    let text = label.say(": ").count(neighborhood.files, " file", " files");
    let text = cohesion(text, neighborhood.cohesion);
    let entry = neighborhood.entry.as_ref().filter(|entry| ***entry != *card.path && ***entry != *neighborhood.label);
    let Some(entry) = entry else { return text.say(". ") };
    let inside = entry.strip_prefix(neighborhood.label.as_str()).and_then(|rest| rest.strip_prefix('/'));
    text.say(", entry ").name(&Shown::path(inside.unwrap_or(entry))).say(". ")
}
