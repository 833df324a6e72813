//! Which exports nothing refers to. Zero is the dangerous number: a claim needs two witnesses, no reference of any grade and
//! no mention of the name outside code (`lang::mentions`), and none of the ways in which a framework, a base class or the
//! language itself may call it (`outside`).
//!
//! An import uses nothing: whoever imports a name and then never uses it offers it to others (`__init__.py`). What only such
//! imports and lists of exports name is claimed apart, since code elsewhere may get it from there.
//!
//! Asked of what all files came to, not of their facts: after a change of one file the facts of the others are not read.

use super::outcome::{Marks, Named};
use super::specifiers::{Setting, entry_files};
use super::types::Def;
use super::{Numbers, Part};
use crate::lang::frameworks::{Frameworks, fits};
use crate::lang::rules::rules;
use crate::model::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What is claimed of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claimed {
    /// Nothing names it.
    Unreferenced,
    /// No code uses it, but an import or a list of exports names it.
    Offered,
}

/// Exports that no code uses, in (file, source) order.
pub(crate) fn unreferenced(parts: &[Part<'_>], numbers: &Numbers<'_>, frameworks: &Frameworks) -> Vec<(Def, Claimed)> {
    let uses = Uses::of(parts, numbers);
    let mut family: FxHashMap<Def, Vec<Def>> = FxHashMap::default();
    let mut methods: FxHashMap<(Language, &str), Vec<Def>> = FxHashMap::default();
    for (file, part) in (0..).zip(parts) {
        for (method, base) in part.outcome.overrides.iter().filter(|(_, base)| (base.file as usize) < parts.len()) {
            family.entry(*method).or_default().push(*base);
            family.entry(*base).or_default().push(*method);
        }
        if rules(part.language).computed_names {
            for named in part.outcome.symbols.iter().filter(|named| named.marks.has(Marks::METHOD)) {
                methods.entry((part.language, &*named.name)).or_default().push(Def { file, def: named.def });
            }
        }
    }
    let importing = importing(parts);
    let claim = Claim { parts, numbers, frameworks, uses, family, methods, importing };
    let mut claimed: Vec<(Def, &Named)> = Vec::new();
    for (file, part) in (0..).zip(parts) {
        let claimable = part.outcome.symbols.iter().filter(|named| named.marks.has(Marks::CLAIMABLE));
        let holds = claimable.filter(|named| claim.holds(Def { file, def: named.def }, named));
        claimed.extend(holds.map(|named| (Def { file, def: named.def }, named)));
    }
    let mentioned = Mentioned::of(parts, claimed.iter().map(|(_, named)| &*named.name));
    claimed.retain(|(_, named)| !mentioned.speaks_for(named));
    let mut claimed: Vec<(Def, Claimed)> = claimed.into_iter().map(|(def, _)| (def, claim.of(def))).collect();
    claimed.sort_unstable();
    claimed
}

/// What speaks against a claim, gathered from all files. Tests are left out: they keep nothing alive.
struct Uses<'a> {
    /// By symbol: something outside its own body refers to it, resolved or possible. An import does not.
    used: Vec<bool>,
    /// By symbol: something imports it.
    imported: Vec<bool>,
    /// By symbol: a resolved reference from outside names one of its members, or something outside the repository may
    /// call one.
    members_used: Vec<bool>,
    /// By symbol: methods that override one of a library.
    called_outside: Vec<bool>,
    /// Names of references that could not be resolved.
    unresolved: FxHashSet<(Language, &'a str)>,
    /// Those of them that may name what a module holds.
    unresolved_in_modules: FxHashSet<(Language, &'a str)>,
    open_classes: FxHashSet<Def>,
    /// Classes that something finds without being told their names, and those whose subclasses the code looks for.
    found_classes: FxHashSet<Def>,
    extends: FxHashMap<Def, Vec<Def>>,
    hooks: FxHashMap<Def, Vec<u32>>,
    /// What packages of the repository offer to others.
    offered: FxHashSet<Def>,
}

impl<'a> Uses<'a> {
    fn of(parts: &[Part<'a>], numbers: &Numbers<'_>) -> Uses<'a> {
        let none = || vec![false; numbers.count() as usize];
        let mut uses = Uses {
            used: none(),
            imported: none(),
            members_used: none(),
            called_outside: none(),
            unresolved: FxHashSet::default(),
            unresolved_in_modules: FxHashSet::default(),
            open_classes: FxHashSet::default(),
            found_classes: FxHashSet::default(),
            extends: FxHashMap::default(),
            hooks: FxHashMap::default(),
            offered: offered(parts),
        };
        for (file, part) in (0..).zip(parts) {
            let outcome = part.outcome;
            if !part.test {
                outcome.edges.iter().for_each(|edge| uses.add(parts, numbers, file, edge));
                for missed in outcome.missed.iter().filter(|missed| !missed.external) {
                    let name = (part.language, &*outcome.names[missed.name as usize]);
                    uses.unresolved.insert(name);
                    if !missed.member || outcome.dynamic || !rules(part.language).computed_names {
                        uses.unresolved_in_modules.insert(name);
                    }
                }
            }
            for (method, _) in outcome.overrides.iter().filter(|(_, base)| base.file as usize >= parts.len()) {
                uses.called_outside[numbers.symbol(*method).0 as usize] = true;
            }
            let outside = &outcome.outside;
            uses.open_classes.extend(&outside.open_classes);
            uses.found_classes.extend(outside.found_classes.iter().chain(&outside.searched));
            for (class, base) in &outside.extends {
                uses.extends.entry(*class).or_default().push(*base);
            }
            for (class, row) in &outside.hooks {
                uses.hooks.entry(*class).or_default().push(*row);
            }
            for def in &outside.decorated {
                for class in containers(parts, Def { file, def: def.def }) {
                    uses.members_used[numbers.symbol(class).0 as usize] = true;
                }
            }
        }
        uses
    }

    /// An edge from code of `file`.
    fn add(&mut self, parts: &[Part<'_>], numbers: &Numbers<'_>, file: u32, edge: &super::edges::RawEdge) {
        let callee = edge.callee;
        let from_outside = |outer: Def| {
            let inside = |caller| {
                let caller = Def { file, def: caller };
                caller == outer || containers(parts, caller).any(|container| container == outer)
            };
            !edge.caller.is_some_and(inside)
        };
        let symbol = numbers.symbol(callee).0 as usize;
        if edge.kind == EdgeKind::Import {
            self.imported[symbol] = true;
        } else if !self.used[symbol] && from_outside(callee) {
            self.used[symbol] = true;
        }
        if edge.resolution.is_resolved() {
            for class in containers(parts, callee) {
                let symbol = numbers.symbol(class).0 as usize;
                if !self.members_used[symbol] && from_outside(class) {
                    self.members_used[symbol] = true;
                }
            }
        }
    }

    /// True if it holds for the class or one that it extends.
    fn any_above(&self, class: Def, holds: impl Fn(Def) -> bool) -> bool {
        let mut seen = FxHashSet::from_iter([class]);
        let mut next = vec![class];
        while let Some(class) = next.pop() {
            if holds(class) {
                return true;
            }
            next.extend(self.extends.get(&class).into_iter().flatten().filter(|base| seen.insert(**base)));
        }
        false
    }
}

/// What a definition is a member of or nested in, from inside out.
fn containers<'p>(parts: &'p [Part<'_>], def: Def) -> impl Iterator<Item = Def> + 'p {
    std::iter::successors(container(parts, def), move |inner| container(parts, *inner))
}

fn container(parts: &[Part<'_>], def: Def) -> Option<Def> {
    let outcome = parts[def.file as usize].outcome;
    if let Some(container) = outcome.named(def.def).container {
        return Some(Def { def: container, ..def });
    }
    let owner = outcome.owners.binary_search_by_key(&def.def, |(member, _)| *member).ok()?;
    Some(outcome.owners[owner].1)
}

/// Hashes of what an event or node class's handlers are called: `TcpMessageHook` -> `tcp_message_hook`, `tcp_message`.
fn names_made_of(class: &str) -> Vec<u32> {
    let mut name = String::new();
    let mut last_word = 0;
    for (at, c) in class.char_indices() {
        if c.is_uppercase() && at > 0 && !class[..at].ends_with(|before: char| before.is_uppercase() || before == '_') {
            last_word = name.len();
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    if last_word == 0 {
        return Vec::new();
    }
    [&name[..], &name[..last_word]].iter().map(|name| word_hash(name.as_bytes())).collect()
}

/// Words that mention a name: itself, or a beginning or an end of it that code completes (`"visit_%s"`, `"%s_handler"`).
fn witnesses(name: &str) -> impl Iterator<Item = u32> {
    let parts = name.match_indices('_').flat_map(move |(at, _)| [&name[..=at], &name[at..]]);
    parts.chain([name]).filter(|part| part.len() >= 3).map(|part| word_hash(part.as_bytes()))
}

/// The words that mention names anywhere in the repository but in tests.
struct Mentioned {
    words: FxHashSet<u32>,
    /// Hashes of [`member_hash`] in files that look things up by computed names, modules too.
    in_dynamic_files: FxHashSet<u32>,
    /// Names that code makes of those of classes, for members of others.
    made_of_classes: FxHashSet<u32>,
}

impl Mentioned {
    /// Those that mention one of the names.
    fn of<'n>(parts: &[Part<'_>], names: impl Iterator<Item = &'n str>) -> Mentioned {
        let wanted: FxHashSet<u32> = names.flat_map(|name| witnesses(name).chain([member_hash(name)])).collect();
        let none = FxHashSet::default;
        let mut found = Mentioned { words: none(), in_dynamic_files: none(), made_of_classes: none() };
        for part in parts.iter().filter(|part| !part.test) {
            let words = part.outcome.words.iter().filter(|word| wanted.contains(word));
            if part.outcome.dynamic {
                found.in_dynamic_files.extend(words.clone());
            }
            found.words.extend(words);
            if rules(part.language).computed_names {
                let classes = part.outcome.symbols.iter().filter(|named| named.kind.is_type());
                let made = classes.flat_map(|class| names_made_of(&class.name));
                found.made_of_classes.extend(made.filter(|word| wanted.contains(word)));
            }
        }
        found
    }

    fn speaks_for(&self, named: &Named) -> bool {
        let is_member = named.marks.has(Marks::METHOD);
        let as_members = if is_member { &self.words } else { &self.in_dynamic_files };
        witnesses(&named.name)
            .any(|word| self.words.contains(&word) || is_member && self.made_of_classes.contains(&word))
            || as_members.contains(&member_hash(&named.name))
    }
}

/// What the files that packages of the repository are known by export, of their own and of others.
fn offered(parts: &[Part<'_>]) -> FxHashSet<Def> {
    let files: Vec<(&str, Language, &[Setting])> =
        parts.iter().map(|part| (part.path, part.language, &*part.outcome.search)).collect();
    let mut open = entry_files(&files);
    let mut seen: FxHashSet<u32> = open.iter().copied().collect();
    let mut offered = FxHashSet::default();
    while let Some(file) = open.pop() {
        let outcome = parts[file as usize].outcome;
        offered.extend(&outcome.outside.offered);
        let own = outcome.symbols.iter().filter(|named| named.container.is_none());
        offered.extend(own.map(|named| Def { file, def: named.def }));
        open.extend(outcome.passes_on.iter().filter(|next| (**next as usize) < parts.len() && seen.insert(**next)));
    }
    offered
}

/// Rows of the framework table that count in a source tree because of what it imports.
fn importing<'a>(parts: &[Part<'a>]) -> FxHashMap<(Language, &'a str), BTreeSet<u32>> {
    let mut rows: FxHashMap<(Language, &str), BTreeSet<u32>> = FxHashMap::default();
    for part in parts.iter().filter(|part| !part.test && !part.outcome.rows.is_empty()) {
        rows.entry((part.language, source_tree(part.path))).or_default().extend(&part.outcome.rows);
    }
    rows
}

/// The part of a repository that is built as one: the folder above `src/`, or all of it.
fn source_tree(path: &str) -> &str {
    match path.find("src/") {
        Some(at) if at == 0 || path.as_bytes()[at - 1] == b'/' => &path[..at],
        _ => "",
    }
}

/// All that is asked before a claim is made.
struct Claim<'w> {
    parts: &'w [Part<'w>],
    numbers: &'w Numbers<'w>,
    frameworks: &'w Frameworks,
    uses: Uses<'w>,
    /// Methods by what they override and are overridden by.
    family: FxHashMap<Def, Vec<Def>>,
    /// Methods of any class by name, where names are computed.
    methods: FxHashMap<(Language, &'w str), Vec<Def>>,
    importing: FxHashMap<(Language, &'w str), BTreeSet<u32>>,
}

impl Claim<'_> {
    fn holds(&self, def: Def, named: &Named) -> bool {
        let part = &self.parts[def.file as usize];
        !self.is_used(def)
            && !self.unresolved_names(def).contains(&(part.language, &*named.name))
            && !self.uses.offered.contains(&def)
            && !self.is_looked_up_dynamically(def)
            && !self.same_name_used(def)
            && if named.kind.is_type() { !self.type_used(def, named) } else { !self.method_used(def, named) }
    }

    /// Names of unresolved references that may mean this definition.
    fn unresolved_names(&self, def: Def) -> &FxHashSet<(Language, &str)> {
        if container(self.parts, def).is_some() { &self.uses.unresolved } else { &self.uses.unresolved_in_modules }
    }

    /// What can be said of an export of which a claim holds.
    fn of(&self, def: Def) -> Claimed {
        let named = self.parts[def.file as usize].outcome.named(def.def);
        let imported = self.uses.imported[self.numbers.symbol(def).0 as usize];
        if imported || named.marks.has(Marks::LISTED) { Claimed::Offered } else { Claimed::Unreferenced }
    }

    fn is_used(&self, def: Def) -> bool {
        self.uses.used[self.numbers.symbol(def).0 as usize]
    }

    /// Another definition of the name in the same scope is used, and they are no overloads that a call tells apart: which
    /// one runs depends on what was executed.
    fn same_name_used(&self, def: Def) -> bool {
        let others = &self.parts[def.file as usize].outcome.same_name;
        others.iter().any(|(one, other)| *one == def.def && self.is_used(Def { def: *other, ..def }))
    }

    /// A type whose members are used, that can be started, or that is found without its name: by a framework, or as a
    /// subclass of one that the code looks for.
    fn type_used(&self, def: Def, named: &Named) -> bool {
        named.marks.has(Marks::STARTS)
            || self.uses.members_used[self.numbers.symbol(def).0 as usize]
            || self.uses.any_above(def, |class| self.uses.found_classes.contains(&class))
    }

    fn class_around(&self, def: Def) -> Option<Def> {
        let container = container(self.parts, def)?;
        let kind = self.parts[container.file as usize].outcome.named(container.def).kind;
        (kind.is_type() || kind == DefKind::EnumMember).then_some(container)
    }

    /// A method that something it overrides or is overridden by, a base class from outside or a framework may call.
    fn method_used(&self, def: Def, named: &Named) -> bool {
        let uses = &self.uses;
        let Some(class) = self.class_around(def) else { return false };
        let part = &self.parts[def.file as usize];
        let may_override = named.kind == DefKind::Method && !named.flags.has(DefFlags::STATIC | DefFlags::PRIVATE);
        let tree = (part.language, source_tree(part.path));
        let rows = uses.hooks.get(&class).into_iter().flatten().chain(self.importing.get(&tree).into_iter().flatten());
        let patterns = rows.filter_map(|row| self.frameworks.methods(*row as usize)).flatten();
        uses.called_outside[self.numbers.symbol(def).0 as usize]
            || may_override && uses.open_classes.contains(&class)
            || patterns.into_iter().any(|pattern| fits(pattern, &named.name))
            || self.family_used(def)
            || self.is_protocol(def, named)
    }

    /// Something that it overrides, or that overrides it, is used: calls through one reach the other.
    fn family_used(&self, def: Def) -> bool {
        let mut seen: FxHashSet<Def> = FxHashSet::default();
        let mut next = vec![def];
        while let Some(def) = next.pop() {
            for other in self.family.get(&def).into_iter().flatten() {
                if seen.insert(*other) {
                    if self.is_used(*other) || self.uses.called_outside[self.numbers.symbol(*other).0 as usize] {
                        return true;
                    }
                    next.push(*other);
                }
            }
        }
        false
    }

    /// A member of a class whose own code, or that of a class above it, looks members up by computed names.
    fn is_looked_up_dynamically(&self, def: Def) -> bool {
        let Some(class) = self.class_around(def) else { return false };
        self.uses.any_above(class, |class| {
            let part = self.parts.get(class.file as usize);
            part.is_some_and(|part| part.outcome.named(class.def).marks.has(Marks::DYNAMIC))
        })
    }

    /// A method of a name that unrelated classes have in common, where nothing declares what a call needs: whoever calls
    /// one of them by a computed name calls all (handlers of events, steps of pipelines).
    fn is_protocol(&self, def: Def, named: &Named) -> bool {
        let others = self.methods.get(&(self.parts[def.file as usize].language, &*named.name));
        let related = |other: &Def| *other == def || self.family.get(&def).is_some_and(|family| family.contains(other));
        others.into_iter().flatten().any(|other| !related(other))
    }
}
