//! What of the snapshot before still holds after a change: records that need not be made again, only copied.
//!
//! A card depends on its own file, on what refers to its symbols, on what these override and are overridden by, and on names
//! that it shares with others. What of that has changed is told by the indexer ([`Reuse`]), which has both states of the files
//! that changed; what follows from it for other cards is found here. Whenever that cannot be told, everything is made anew.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::build::{Analysis, run_of};
use super::layout::{self, BUCKET, CHECKSUM, FIXED, Header, Place, Table};
use crate::model::{FileId, SymbolId};
use rustc_hash::FxHashSet;
use rustix::fs::OFlags;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// How a graph differs from the one that a snapshot was written of. The files have the same paths in both, cards are made of
/// the same files, and neighborhoods and what changed together are the same.
#[derive(Clone, Debug, Default)]
pub struct Reuse {
    /// Of the snapshot, as [`super::write`] gave it.
    pub digest: u64,
    /// Files of which symbols may differ, or who uses what of them.
    pub files: Vec<FileId>,
    /// Files of which anything else on their cards may differ.
    pub cards: Vec<FileId>,
    /// Symbols to which something else may refer, or that may override or be overridden by something else.
    pub symbols: Vec<SymbolId>,
    /// Files that something else uses or imports.
    pub used: Vec<FileId>,
    /// Names that more or fewer symbols bear.
    pub names: BTreeSet<String>,
    /// Names that more or fewer references without a known target bear.
    pub unresolved: BTreeSet<String>,
}

/// The records of a snapshot.
pub(super) struct Old {
    bytes: Vec<u8>,
    /// Payloads of the cards, in the order of the files.
    files: Vec<Range<usize>>,
    /// Payloads of the records of names, in order, each behind its name.
    names: Vec<(Range<usize>, Range<usize>)>,
}

impl Old {
    /// `None` unless exactly the snapshot of that digest is there.
    pub(super) fn read(path: &Path, digest: u64) -> Option<Old> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits() as i32;
        let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(file.metadata().ok()?.len()).ok()?);
        file.read_to_end(&mut bytes).ok()?;
        let len = layout::u32_at(&bytes, 12)? as usize;
        let (head, rest) = bytes.split_at_checked(len)?;
        if len < FIXED || self::digest(head, xxh3_64(rest)) != digest {
            return None;
        }
        let header = Header::decode(head)?;
        let payload = |place: &Place| place.at as usize + CHECKSUM..place.at as usize + place.len as usize;
        let files = places(&bytes, header.paths)?.iter().map(payload).collect();
        let named = |place: &Place| {
            let payload = payload(place);
            let (name, _) = postcard::take_from_bytes::<&str>(bytes.get(payload.clone())?).ok()?;
            let start = name.as_ptr() as usize - bytes.as_ptr() as usize;
            Some((start..start + name.len(), payload))
        };
        let names = places(&bytes, header.names)?.iter().map(named).collect::<Option<_>>()?;
        Some(Old { bytes, files, names })
    }
}

/// The places that a table tells, in the order of the file.
fn places(bytes: &[u8], table: Table) -> Option<Vec<Place>> {
    let start = usize::try_from(table.at).ok()?;
    let buckets = bytes.get(start..start.checked_add(table.buckets as usize * BUCKET)?)?;
    let mut places: Vec<Place> = buckets.chunks_exact(BUCKET).flat_map(layout::places_of).collect();
    places.sort_unstable_by_key(|place| place.at);
    Some(places)
}

/// Tells a snapshot from any other: of its header, and of the hash of all that follows.
pub(super) fn digest(header: &[u8], rest: u64) -> u64 {
    let mut hash = Xxh3::with_seed(rest);
    hash.update(header);
    hash.digest()
}

/// Which records can be copied.
pub(super) struct Unchanged<'g> {
    old: Old,
    /// By file.
    cards: Vec<bool>,
    /// By file: its symbols stand on the records of names as they did.
    symbols: Vec<bool>,
    names: BTreeSet<&'g str>,
    next_file: usize,
    next_name: usize,
}

impl<'g> Unchanged<'g> {
    pub(super) fn of(old: Old, reuse: &'g Reuse, analysis: &Analysis<'g>) -> Option<Unchanged<'g>> {
        let graph = analysis.graph;
        if old.files.len() != analysis.code_files().count() {
            return None;
        }
        let mut symbols = vec![true; graph.files.len()];
        for file in &reuse.files {
            symbols[file.0 as usize] = false;
        }
        // Whoever calls what a method overrides may call the method.
        let mut open: Vec<u32> = reuse.symbols.iter().map(|symbol| analysis.shown_as[symbol.0 as usize]).collect();
        let mut seen: FxHashSet<u32> = open.iter().copied().collect();
        while let Some(symbol) = open.pop() {
            symbols[graph.symbols[symbol as usize].file.0 as usize] = false;
            let overriders = run_of(&analysis.overriders, symbol).iter().map(|(_, method)| *method);
            open.extend(overriders.filter(|method| seen.insert(*method)));
        }
        let mut cards = symbols.clone();
        for file in reuse.cards.iter().chain(&reuse.used) {
            cards[file.0 as usize] = false;
        }
        // A card tells how many depend on those that depend on its file, and how many override what it overrides.
        let mut newly_used = vec![false; graph.files.len()];
        for file in &reuse.used {
            newly_used[file.0 as usize] = true;
        }
        for (used, _) in analysis.production_dependents.iter().filter(|(_, user)| newly_used[*user as usize]) {
            cards[*used as usize] = false;
        }
        for (base, user, _) in &analysis.overriding {
            cards[*user as usize] &= symbols[*base as usize];
        }
        let (names, unresolved) = (&reuse.names, &reuse.unresolved);
        if !names.is_empty() || !unresolved.is_empty() {
            for (id, symbol) in (0..).zip(&graph.symbols) {
                let hides = symbol.exported && unresolved.contains(&symbol.name) && analysis.is_shown(id);
                if hides || names.contains(&symbol.name) {
                    cards[symbol.file.0 as usize] = false;
                }
            }
        }
        let names = names.iter().map(String::as_str).collect();
        Some(Unchanged { old, cards, symbols, names, next_file: 0, next_name: 0 })
    }

    /// The record of the next file with a card, if it can be copied.
    pub(super) fn next_card(&mut self, file: u32) -> Option<&[u8]> {
        let payload = self.old.files.get(self.next_file)?.clone();
        self.next_file += 1;
        if self.cards[file as usize] { self.old.bytes.get(payload) } else { None }
    }

    /// The record of a name that comes after those that were asked for before, if it can be copied; `group` are its symbols.
    pub(super) fn next_name(&mut self, name: &str, group: &[u32], analysis: &Analysis<'g>) -> Option<&[u8]> {
        let home = |symbol: &u32| analysis.graph.symbols[*symbol as usize].file.0 as usize;
        if self.names.contains(name) || group.iter().any(|symbol| !self.symbols[home(symbol)]) {
            return None;
        }
        while let Some((place, payload)) = self.old.names.get(self.next_name) {
            let known = self.old.bytes.get(place.clone())?;
            if known > name.as_bytes() {
                break;
            }
            self.next_name += 1;
            if known == name.as_bytes() {
                return self.old.bytes.get(payload.clone());
            }
        }
        None
    }
}
