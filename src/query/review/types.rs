//! May one declared type stand where another stood? As far as names tell: by the supertypes in the graph and in the library
//! signatures, and by the language's own conversions. What cannot be told is allowed.

use super::compare::type_text;
use crate::lang::{self, LibraryFile, rules};
use crate::model::*;
use crate::query::kinds::Kinds;
use crate::query::reach::{Direction, Walk, reach};
use crate::store::{Reader, codes};
use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// Supertypes are followed this far.
const MAX_DEPTH: u32 = 16;

/// Classes of one name that are looked at.
const MAX_NAMED: u32 = 16;

/// A declared type as text, and whether it is a type parameter of the definition or its class.
pub(super) struct Declared {
    text: String,
    open: bool,
}

impl Declared {
    pub(super) fn of(facts: &FileFacts, definition: &Definition, ty: ExprId) -> Declared {
        let text = type_text(facts, ty, 0);
        let parameters =
            |definition: &Definition| definition.type_params.iter().map(|name| facts.name(*name)).collect();
        let mut names: Vec<&str> = parameters(definition);
        let mut container = definition.container;
        while let Some(outer) = container {
            let outer = facts.definition(outer);
            let more: Vec<&str> = parameters(outer);
            names.extend(more);
            container = outer.container;
        }
        let open = words(&text).any(|word| names.contains(&word)) || text.contains('…');
        Declared { text, open }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a value of type `from` goes where `to` is asked for.
///
/// # Errors
/// What SQLite says.
pub(super) fn goes_as(reader: &Reader, language: Language, from: &Declared, to: &Declared) -> Result<bool> {
    if from.open || to.open || from.text == to.text {
        return Ok(true);
    }
    let (from_head, from_rest) = parts(&from.text);
    let (to_head, to_rest) = parts(&to.text);
    // An array is a subtype of next to nothing that is known by name.
    if from_rest.contains("[]") || to_rest.contains("[]") {
        return Ok(to_head == "Object" && to_rest.is_empty());
    }
    if from_head == to_head {
        // Without arguments it is a raw type, which goes for any.
        return Ok(from_rest.is_empty() || to_rest.is_empty());
    }
    if converts(language, from_head, to_head) {
        return Ok(true);
    }
    is_subtype(reader, language, from_head, to_head)
}

/// The same where declared types are hints, and a value of another type may well be given: false only where all of both is
/// known, and neither goes for the other in any of its alternatives.
///
/// # Errors
/// What SQLite says.
pub(super) fn may_go_as(reader: &Reader, language: Language, from: &Declared, to: &Declared) -> Result<bool> {
    if from.open || to.open {
        return Ok(true);
    }
    let is_known = |head: &str| -> Result<bool> {
        Ok(LIBRARY.contains_key(&(language, head)) || !classes(reader, head)?.is_empty())
    };
    for from in alternatives(&from.text).filter(|from| *from != NOTHING) {
        for to in alternatives(&to.text) {
            let (from, to) = (parts(from).0, parts(to).0);
            if from == to
                || !is_known(from)?
                || !is_known(to)?
                || converts(language, from, to)
                || converts(language, to, from)
                || is_subtype(reader, language, from, to)?
                || is_subtype(reader, language, to, from)?
            {
                return Ok(true);
            }
        }
    }
    Ok(from.text == NOTHING || to.text == NOTHING)
}

/// The type of no value, as [`type_text`] writes it.
const NOTHING: &str = "none";

/// `int`, `dict[str, a | b]` of `int | dict[str, a | b]`.
fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |next: char| {
        depth += i32::from(next == '[') - i32::from(next == ']');
        next == '|' && depth == 0
    })
    .map(str::trim)
}

/// The name and what follows it: `Map[K, V]` is `Map`, `[K, V]`; of a path, the last name.
fn parts(text: &str) -> (&str, &str) {
    let (head, rest) = text.split_at(text.find('[').unwrap_or(text.len()));
    (head.rsplit('.').next().unwrap_or(head), rest)
}

fn converts(language: Language, from: &str, to: &str) -> bool {
    let conversions = rules::rules(language).conversions;
    let mut open = vec![from];
    let mut seen = FxHashSet::default();
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            open.extend(conversions.iter().filter(|(from, _)| *from == at || *from == "*").map(|(_, to)| *to));
        }
    }
    false
}

fn is_subtype(reader: &Reader, language: Language, from: &str, to: &str) -> Result<bool> {
    let is_name = from.starts_with(char::is_uppercase);
    if is_name && !LIBRARY.contains_key(&(language, from)) && classes(reader, from)?.is_empty() {
        return Ok(true);
    }
    let mut open: Vec<String> = vec![from.to_string()];
    let mut seen = FxHashSet::default();
    while let Some(at) = open.pop() {
        if at == to {
            return Ok(true);
        }
        if !seen.insert(at.clone()) || seen.len() > 200 {
            continue;
        }
        open.extend(LIBRARY.get(&(language, at.as_str())).into_iter().flatten().cloned());
        open.extend(supertypes(reader, &at)?);
    }
    Ok(false)
}

/// The classes of a name that the graph knows.
fn classes(reader: &Reader, name: &str) -> Result<Vec<i64>> {
    let sql = "SELECT s.id, s.kind FROM name n JOIN symbol s ON s.name = n.id WHERE n.text = ?1 LIMIT ?2";
    let mut statement = reader.connection().prepare_cached(sql)?;
    let classes = statement.query_map((name, MAX_NAMED), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    let mut seeds = Vec::new();
    for class in classes {
        let (id, kind) = class?;
        if codes::to_def_kind(kind).is_some_and(DefKind::is_type) {
            seeds.push(id);
        }
    }
    Ok(seeds)
}

/// Names of all supertypes that the graph knows of the classes of a name.
fn supertypes(reader: &Reader, name: &str) -> Result<Vec<String>> {
    let seeds = classes(reader, name)?;
    if seeds.is_empty() {
        return Ok(Vec::new());
    }
    let kinds = Kinds::of_words(["inherit", "implement"])?;
    let bases = reach(reader, &seeds, Walk { direction: Direction::Dependencies, depth: MAX_DEPTH, kinds })?;
    let mut name = reader
        .connection()
        .prepare_cached("SELECT n.text FROM symbol s JOIN name n ON n.id = s.name WHERE s.id = ?1")?;
    let mut names = Vec::new();
    for (node, _) in bases.found().filter(|(node, _)| *node > 0) {
        names.push(name.query_row([node], |row| row.get(0))?);
    }
    Ok(names)
}

/// Direct supertypes of the library's classes, by simple name.
static LIBRARY: LazyLock<FxHashMap<(Language, &'static str), Vec<String>>> = LazyLock::new(|| {
    let mut supertypes: FxHashMap<(Language, &'static str), Vec<String>> = FxHashMap::default();
    for facts in lang::library().iter().map(LibraryFile::facts) {
        for definition in facts.definitions.iter().filter(|definition| definition.kind.is_type()) {
            let of = |list: List| facts.list(list).iter().map(|id| parts(&type_text(facts, *id, 0)).0.to_string());
            let names = of(definition.supertypes).chain(of(definition.interfaces));
            supertypes.entry((facts.language, facts.name(definition.name))).or_default().extend(names);
        }
    }
    supertypes
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    #[test]
    fn subtypes_conversions_and_what_is_unknown_will_do() {
        let graph =
            "file A.java\ndef class Base 1 2\ndef class Sub 3 4\nedge A.java::Sub 3 inherit same_scope A.java::Base\n";
        let (_folder, reader) = sample::reader(graph);
        let declared = |text: &str| Declared { text: text.into(), open: text.contains('…') };
        let goes = |from: &str, to: &str| goes_as(&reader, Language::Java, &declared(from), &declared(to)).unwrap();
        for (from, to) in [
            ("int", "long"),
            ("int", "Integer"),
            ("Sub", "Base"),
            ("Sub", "p.Base"),
            ("Sub", "Object"),
            ("ArrayList[A]", "Collection[A]"),
            ("List[A]", "List"),
            ("List[…]", "Set[A]"),
            ("int[]", "Object"),
            ("Foreign", "Base"),
        ] {
            assert!(goes(from, to), "{from} as {to}");
        }
        for (from, to) in
            [("long", "int"), ("Base", "Sub"), ("String", "Set[String]"), ("List[A]", "List[B]"), ("int[]", "int")]
        {
            assert!(!goes(from, to), "{from} as {to}");
        }
    }
}
