//! Facts of all files -> edges. A demand-driven evaluation of path expressions over scopes, imports, members and supertypes;
//! see [`eval`] for how answers stay independent of the order of questions. Nothing here knows a language by name: what
//! differs is data in `lang::rules`.

mod calls;
mod edges;
mod eval;
mod members;
mod names;
mod outside;
mod signature;
mod specifiers;
mod types;
mod unreferenced;
mod world;

use crate::lang;
use crate::lang::frameworks::Frameworks;
use crate::model::*;
use edges::FileEdges;
use eval::{Eval, Memo};
use rayon::prelude::*;
use types::Def;
use unreferenced::Uses;
pub use world::Unit;
use world::World;

/// Stack of an evaluating thread, in bytes: evaluation nests as deep as the code's own chains, bounded by `MAX_DEPTH`.
pub const STACK_SIZE: usize = 256 << 20;

/// Symbols and everything between them.
#[derive(Debug, Default)]
pub struct Resolved {
    pub symbols: Vec<Symbol>,
    pub edges: Vec<Edge>,
    pub unresolved: Vec<Unresolved>,
    pub overrides: Vec<(SymbolId, SymbolId)>,
    pub imports: Vec<(FileId, FileId)>,
    pub unreferenced: Vec<SymbolId>,
}

/// Resolves the facts of all files. `units` are in path order; `files` gives each one's id. Runs on the current rayon pool,
/// whose threads need stacks of [`STACK_SIZE`].
pub fn resolve(mut units: Vec<Unit>, files: &[FileId], frameworks: &Frameworks, done: &(dyn Fn() + Sync)) -> Resolved {
    let library = lang::library().iter().cloned();
    units.extend(library.map(|(path, facts)| Unit { path, facts, test: false, library: true }));
    let world = World::new(&units, frameworks);
    let memo = Memo::default();
    let ours = files.len();
    let resolved: Vec<FileEdges> = (0..ours as u32)
        .into_par_iter()
        .map_init(
            || Eval::new(&world, &memo),
            |eval, file| {
                let edges = eval.file_edges(file);
                done();
                edges
            },
        )
        .collect();
    assemble(&world, resolved, files)
}

fn assemble(world: &World<'_>, resolved: Vec<FileEdges>, files: &[FileId]) -> Resolved {
    let ours = files.len();
    let mut first_symbol = Vec::with_capacity(ours);
    let mut count = 0u32;
    for unit in &world.units[..ours] {
        first_symbol.push(count);
        count += unit.facts.definitions.len() as u32;
    }
    // Definitions are numbered in the order of their names, which is not always the order in which they were found.
    let mut order: Vec<Vec<u32>> = Vec::with_capacity(ours);
    let mut out = Resolved::default();
    for (file, unit) in world.units[..ours].iter().enumerate() {
        let facts = &unit.facts;
        let mut sorted: Vec<u32> = (0..facts.definitions.len() as u32).collect();
        sorted.sort_by_key(|i| (facts.definitions[*i as usize].span.at, *i));
        let mut place = vec![0; sorted.len()];
        for (position, index) in sorted.iter().enumerate() {
            place[*index as usize] = first_symbol[file] + position as u32;
        }
        for index in sorted {
            let definition = &facts.definitions[index as usize];
            out.symbols.push(Symbol {
                file: files[file],
                name: facts.name(definition.name).to_string(),
                qualname: facts.qualname(DefId(index)),
                kind: definition.kind,
                container: definition.container.map(|c| SymbolId(place[c.0 as usize])),
                line: definition.span.line,
                end_line: definition.span.end_line,
                exported: definition.flags.has(DefFlags::EXPORTED),
                params: definition.params.len().min(usize::from(u16::MAX)) as u16,
                signature: signature::of(world, Def { file: file as u32, def: index }),
                flags: definition.flags,
            });
        }
        order.push(place);
    }
    let symbol = |def: Def| SymbolId(order[def.file as usize][def.def as usize]);

    let mut uses = Uses::default();
    let mut overrides: Vec<(Def, Def)> = Vec::new();
    for (file, edges) in resolved.iter().enumerate() {
        let facts = &world.units[file].facts;
        let test = world.units[file].test;
        for edge in &edges.edges {
            if !test {
                uses.add(world, file as u32, edge);
            }
            out.edges.push(Edge {
                caller_file: files[file],
                line: edge.line,
                callee: symbol(edge.callee),
                kind: edge.kind,
                resolution: edge.resolution,
                caller: edge.caller.map(|def| symbol(Def { file: file as u32, def })),
            });
        }
        for row in &edges.unresolved {
            let name = world.text(row.name);
            if !row.external && !test {
                uses.unresolved.insert((facts.language, name));
            }
            out.unresolved.push(Unresolved {
                file: files[file],
                line: row.line,
                name: name.to_string(),
                caller: row.caller.map(|def| symbol(Def { file: file as u32, def })),
                kind: row.kind,
                external: row.external,
            });
        }
        out.imports
            .extend(edges.imports.iter().filter(|i| (**i as usize) < ours).map(|i| (files[file], files[*i as usize])));
        for (method, base) in &edges.overrides {
            if (base.file as usize) < ours {
                overrides.push((*method, *base));
            } else {
                uses.called_outside.insert(*method);
            }
        }
        uses.add_outside(world, &edges.outside);
    }
    out.overrides = overrides.iter().map(|(method, base)| (symbol(*method), symbol(*base))).collect();
    let claims = unreferenced::unreferenced(world, &uses, &overrides);
    out.unreferenced = claims.into_iter().map(symbol).collect();
    out.edges.sort_unstable();
    out.unresolved.sort_unstable();
    out.overrides.sort_unstable();
    out.overrides.dedup();
    out.imports.sort_unstable();
    out.imports.dedup();
    out.unreferenced.sort_unstable();
    out
}
