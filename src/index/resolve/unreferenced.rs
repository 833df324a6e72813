//! Which exports nothing refers to. Zero is the dangerous number: a claim needs two witnesses, no reference of any grade and
//! no mention of the word in strings, templates, configuration or documentation outside tests, and none of the ways in which a framework, a base class or the language itself may call it.

use super::types::Def;
use super::world::{Entry, World};
use crate::lang;
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Decorators that only change how a definition behaves; any other may register it somewhere.
const PURE_DECORATORS: &[&str] = &[
    "staticmethod",
    "classmethod",
    "abstractmethod",
    "Override",
    "SuppressWarnings",
    "Deprecated",
    "FunctionalInterface",
    "SafeVarargs",
];

/// Names that a runtime calls.
const ENTRY_NAMES: &[&str] = &["main", "setup", "teardown", "run_tests", "values", "valueOf"];

/// Exports without a reference, in (file, source) order. `used` holds what something outside its own body and outside tests
/// refers to, resolved or possible.
pub(crate) fn unreferenced(
    world: &World<'_>,
    used: &FxHashSet<Def>,
    overrides: &[(Def, Def)],
    open_classes: &FxHashSet<Def>,
    unresolved: &FxHashSet<(Language, &str)>,
) -> Vec<Def> {
    let mut mentioned: FxHashSet<u32> = FxHashSet::default();
    for unit in world.units.iter().filter(|unit| !unit.library) {
        // Comments and docstrings explain code; they call nothing. Counting them cost half of the true claims on the DEV
        // repositories and prevented not one false one.
        if !unit.test && !lang::is_change_log(&unit.path) {
            mentioned.extend(&unit.facts.words.strings);
        }
    }
    let used = |def: Def| used.contains(&def);
    let mut family: FxHashMap<Def, Vec<Def>> = FxHashMap::default();
    for (method, base) in overrides {
        family.entry(*method).or_default().push(*base);
        family.entry(*base).or_default().push(*method);
    }
    let mut claimed = Vec::new();
    for (file, unit) in world.units.iter().enumerate() {
        let facts = &unit.facts;
        if unit.library || unit.test || facts.status != Status::Parsed {
            continue;
        }
        for (index, definition) in facts.definitions.iter().enumerate() {
            let def = Def { file: file as u32, def: index as u32 };
            if !is_candidate(facts, definition) || used(def) {
                continue;
            }
            let name = facts.name(definition.name);
            if unresolved.contains(&(facts.language, name)) || mentioned.contains(&word_hash(name.as_bytes())) {
                continue;
            }
            if facts.exports.open || facts.exports.names.iter().flatten().any(|n| *n == definition.name) {
                continue;
            }
            if is_looked_up_dynamically(facts, definition) {
                continue;
            }
            if let Some(class) = world.class_around(def)
                && open_classes.contains(&class)
                && may_override(definition)
            {
                continue;
            }
            if overload_used(world, def, &used) || family_used(def, &family, &used) || members_used(facts, def, &used) {
                continue;
            }
            claimed.push(def);
        }
    }
    claimed
}

/// A named, exported function, method or type without anything that hints at a caller out of sight.
fn is_candidate(facts: &FileFacts, definition: &Definition) -> bool {
    let kind = definition.kind;
    if !(kind.is_type() || matches!(kind, DefKind::Function | DefKind::Method)) {
        return false;
    }
    let flags = definition.flags;
    if !flags.has(DefFlags::EXPORTED)
        || flags
            .has(DefFlags::LOCAL | DefFlags::ANONYMOUS | DefFlags::RECOVERED | DefFlags::OVERRIDE | DefFlags::OVERLOAD)
    {
        return false;
    }
    let name = facts.name(definition.name);
    if name.len() < 3 || name.starts_with("__") || ENTRY_NAMES.contains(&name) {
        return false;
    }
    facts.list(definition.decorators).iter().all(|id| match facts.expr(*id) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => PURE_DECORATORS.contains(&facts.name(name)),
        _ => false,
    })
}

/// A member of a class whose own code looks members up by computed names.
fn is_looked_up_dynamically(facts: &FileFacts, definition: &Definition) -> bool {
    let Some(class) = definition.container.map(|id| facts.definition(id)) else { return false };
    let inside = class.span.line..=class.span.end_line;
    facts.dynamic.iter().any(|exit| exit.kind == DynamicKind::Getattr && inside.contains(&exit.line))
}

/// A private or static member overrides nothing.
fn may_override(definition: &Definition) -> bool {
    definition.kind == DefKind::Method && !definition.flags.has(DefFlags::STATIC | DefFlags::PRIVATE)
}

/// Another definition of the name in the same scope is used: which one a reader means by the name cannot be told.
fn overload_used(world: &World<'_>, def: Def, used: &impl Fn(Def) -> bool) -> bool {
    let definition = world.definition(def);
    let name = world.name(def.file, definition.name);
    world.entries(def.file, definition.scope, name).iter().any(|slot| match slot.entry {
        Entry::Definition(other) => used(Def { file: def.file, def: other }),
        _ => false,
    })
}

/// Something that it overrides, or that overrides it, is used: calls through one reach the other.
fn family_used(def: Def, family: &FxHashMap<Def, Vec<Def>>, used: &impl Fn(Def) -> bool) -> bool {
    let mut seen: FxHashSet<Def> = FxHashSet::default();
    let mut next = vec![def];
    while let Some(def) = next.pop() {
        for other in family.get(&def).into_iter().flatten() {
            if seen.insert(*other) {
                if used(*other) {
                    return true;
                }
                next.push(*other);
            }
        }
    }
    false
}

/// A type whose members are used, or that can be started, is used.
fn members_used(facts: &FileFacts, def: Def, used: &impl Fn(Def) -> bool) -> bool {
    if !facts.definitions[def.def as usize].kind.is_type() {
        return false;
    }
    // Members stand after their container.
    (def.def + 1..facts.definitions.len() as u32).any(|index| {
        let member = facts.definition(DefId(index));
        member.container == Some(DefId(def.def))
            && (facts.name(member.name) == "main" || used(Def { file: def.file, def: index }))
    })
}
