//! What of a file's part of the graph has changed, as far as others show it: whom it refers to, what its names are, what it
//! overrides. From both of its outcomes; the hook's snapshot is made anew only where this says so.

use super::outcome::{LIBRARY, Named, Outcome};
use super::types::Def;
use crate::model::{DefKind, EdgeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::hash::Hash;

/// How files differ that were resolved again. Files and definitions are numbered as they are now.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// Files of which symbols differ, or what they use of each other.
    pub(crate) files: BTreeSet<u32>,
    /// Definitions that something else refers to, or that override or are overridden by something else.
    pub(crate) definitions: FxHashSet<Def>,
    /// Files that something else uses or imports.
    pub(crate) used: BTreeSet<u32>,
    /// Names that more or fewer definitions bear.
    pub(crate) names: BTreeSet<String>,
    /// Names that more or fewer references without a known target bear.
    pub(crate) unresolved: BTreeSet<String>,
}

impl Differences {
    /// Adds those of a file. `moved` gives the new number of a definition by what it was; `None` where it is gone.
    pub(crate) fn add(&mut self, file: u32, old: &Outcome, new: &Outcome, moved: &dyn Fn(Def) -> Option<Def>) {
        self.files.insert(file);
        let uses = |outcome: &Outcome| {
            let uses = outcome.edges.iter().filter(|edge| edge.kind != EdgeKind::Import);
            uses.map(|edge| (edge.callee, edge.line, edge.kind, edge.resolution, edge.caller)).collect::<Vec<_>>()
        };
        let (gone, come) = differing(uses(old), uses(new));
        self.refer(gone.iter().filter_map(|(callee, ..)| moved(*callee)));
        self.refer(come.iter().map(|(callee, ..)| *callee));
        let (before, after) = (symbols(old), symbols(new));
        if before != after || old.overrides != new.overrides {
            self.refer((0..new.place.len() as u32).map(|def| Def { file, def }));
        }
        let (gone, come) = differing(before, after);
        self.names.extend(gone.iter().chain(&come).map(|symbol| symbol.0.to_owned()));
        let (gone, come) = differing(old.overrides.clone(), new.overrides.clone());
        // Of what is overridden only the file matters, and files are where they were.
        self.files.extend(gone.iter().chain(&come).map(|(_, base)| base.file).filter(|file| *file < LIBRARY));
        let (before, after) = (used(old), used(new));
        self.used.extend(before.symmetric_difference(&after).map(|(file, _)| *file).filter(|file| *file < LIBRARY));
        let (gone, come) = differing(unresolved(old), unresolved(new));
        self.unresolved.extend(gone.iter().chain(&come).map(|name| (*name).to_owned()));
    }

    fn refer(&mut self, definitions: impl Iterator<Item = Def>) {
        self.definitions.extend(definitions.filter(|def| def.file < LIBRARY));
    }
}

/// What tells a definition from others but for its place.
type Shown<'o> = (&'o str, &'o str, DefKind, u32, Option<DefKind>, u16, &'o str);

fn symbols(outcome: &Outcome) -> Vec<Shown<'_>> {
    outcome.symbols.iter().map(|named| shown(outcome, named)).collect()
}

fn shown<'o>(outcome: &'o Outcome, named: &'o Named) -> Shown<'o> {
    let container = named.container.map(|container| outcome.named(container).kind);
    (&named.name, &named.qualname, named.kind, named.flags.0, container, named.params, &named.signature)
}

/// The files that a file uses or imports, each with whether it does so by an import: a card tells who imports its file.
fn used(outcome: &Outcome) -> BTreeSet<(u32, bool)> {
    let edges = outcome.edges.iter().filter(|edge| edge.resolution.is_resolved() && edge.kind != EdgeKind::Import);
    let imports = outcome.imports.iter().map(|file| (*file, true));
    edges.map(|edge| (edge.callee.file, false)).chain(imports).collect()
}

fn unresolved(outcome: &Outcome) -> Vec<&str> {
    let ours = outcome.missed.iter().filter(|missed| !missed.external);
    ours.map(|missed| &*outcome.names[missed.name as usize]).collect()
}

/// What is there more often before, and what is there more often after.
fn differing<T: Eq + Hash>(before: Vec<T>, after: Vec<T>) -> (Vec<T>, Vec<T>) {
    let mut counts: FxHashMap<T, i32> = FxHashMap::default();
    for item in before {
        *counts.entry(item).or_default() -= 1;
    }
    for item in after {
        *counts.entry(item).or_default() += 1;
    }
    let (gone, come): (Vec<_>, Vec<_>) = counts.into_iter().filter(|(_, n)| *n != 0).partition(|(_, n)| *n < 0);
    let items = |rows: Vec<(T, i32)>| rows.into_iter().map(|(item, _)| item).collect();
    (items(gone), items(come))
}
