//! What extends or implements this type, or overrides this method, any number of levels down?

use super::kinds::Kinds;
use super::listing::{self, Listed};
use super::reach::{Direction, Walk, reach};
use super::{SymbolRow, blast_radius};
use crate::store::Reader;
use anyhow::{Context, Result};
use serde::Serialize;

/// Implementations that are listed at most.
const MAX_LISTED: usize = 1_000;

#[derive(Clone, Debug, Serialize)]
pub struct Implementations {
    pub symbols: Vec<SymbolRow>,
    /// By level, file and line.
    pub implementations: Vec<Listed>,
    /// Those whose supertype is only guessed.
    pub possible: Vec<Listed>,
    /// There are more.
    pub capped: bool,
}

/// # Errors
/// What SQLite says.
pub fn implementations(reader: &Reader, symbols: &[SymbolRow]) -> Result<Implementations> {
    ask(reader, symbols).context("asking for implementations")
}

fn ask(reader: &Reader, symbols: &[SymbolRow]) -> Result<Implementations> {
    let seeds: Vec<i64> = symbols.iter().map(|symbol| symbol.id).collect();
    let kinds = Kinds::of_words(["extends", "implements"])?;
    let walk = Walk { direction: Direction::Dependents, depth: blast_radius::MAX_DEPTH, kinds };
    let reach = reach(reader, &seeds, walk)?;
    let (mut implementations, mut possible) = (Vec::new(), Vec::new());
    let mut capped = reach.capped;
    for (node, at) in reach.found() {
        let Some(place) = listing::place(reader, node)? else { continue };
        if implementations.len() + possible.len() == MAX_LISTED {
            capped = true;
            break;
        }
        let links = listing::links_of_dependent(reader, &reach, node, at)?;
        let group = if at.possible { &mut possible } else { &mut implementations };
        group.push(Listed { place, depth: at.depth, links });
    }
    for group in [&mut implementations, &mut possible] {
        group.sort_by(|a, b| (a.depth, &a.place.file, a.place.line).cmp(&(b.depth, &b.place.file, b.place.line)));
    }
    Ok(Implementations { symbols: symbols.to_vec(), implementations, possible, capped })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Found, find};
    use crate::store::sample;

    fn implementations_of(question: &str) -> Vec<String> {
        let graph = "file a.py\ndef class A 1 3\ndef method A.m 2 3\nfile b.py\ndef class B 2 5\ndef method B.m 3 5\n\
            file c.py\ndef class C 2 5\ndef method C.m 3 5\nfile d.py\ndef function use 1 9\n\
            edge b.py 2 inherit imported a.py::A\nedge c.py 2 inherit imported b.py::B\nedge d.py::use 3 call imported a.py::A.m\n\
            override b.py::B.m a.py::A.m\noverride c.py::C.m b.py::B.m\n";
        let (_folder, reader) = sample::reader(graph);
        let Found::One(symbols) = find(&reader, question).unwrap() else { panic!("{question}") };
        let answer = implementations(&reader, &symbols).unwrap();
        answer.implementations.iter().map(|l| format!("{} {}", l.place.qualname, l.links[0].kind)).collect()
    }

    #[test]
    fn types_have_subtypes_and_methods_have_overrides() {
        assert_eq!(implementations_of("A"), ["B inherit", "C inherit"]);
        assert_eq!(implementations_of("A.m"), ["B.m override", "C.m override"]);
        assert!(implementations_of("use").is_empty());
    }
}
