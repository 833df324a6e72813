//! What the last pass knew, for the next one: by file what it was and what it came to. So that a pass after a small change looks
//! at what changed and at whatever read it.
//!
//! A cache of a cache: damaged, foreign, of another program or other settings it is no longer there, and everything is
//! resolved again. It lies beside the graph and says nothing about it; a pass that was killed between the two leaves a
//! graph of one tree and memory of another, and both are right.

use super::Counts;
use super::facts::Key;
use super::history::CoChanges;
use super::neighborhoods::Known;
use super::resolve::Outcome;
use super::scan::Stat;
use crate::lang::frameworks::Framework;
use crate::model::{EXTRACTOR_VERSION, FileRecord, Terms};
use crate::store::Room;
use anyhow::{Context, Result};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Raised with every change of what is kept.
const VERSION: u32 = 7;
/// Stamp; then length and checksum of each of the two parts.
const HEADER: usize = 40;

/// What the files were: all that it takes to see that nothing has changed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Seen {
    /// In path order.
    pub(super) files: Vec<SeenFile>,
    /// When the pass began, in nanoseconds since 1970: what was changed about then may have changed again unseen.
    pub(super) started_ns: i64,
    /// The commit that was checked out.
    pub(super) head: Option<String>,
    /// Hash of the settings that the rest of the graph depends on.
    pub(super) told: u64,
    /// Of the graph in the database, if it is that of these files.
    pub(super) generation: i64,
    /// Of the snapshot, as [`crate::store::snapshot::write`] gave it.
    pub(super) digest: u64,
    /// Hash of what changed together, as the snapshot tells it.
    pub(super) together: u64,
    pub(super) counts: Counts,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SeenFile {
    pub(super) record: FileRecord,
    /// `None` for what is not read again without being looked at.
    pub(super) stat: Option<Stat>,
    /// Of its facts.
    pub(super) key: Option<Key>,
    /// Its ids in the database.
    pub(super) room: Option<Room>,
}

/// What the files came to.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) past: Past,
    /// See [`super::neighborhoods::Known`].
    pub(super) neighborhoods: Known,
    /// Unreferenced exports, as (file, place among its symbols), sorted.
    pub(super) unreferenced: Vec<(u32, u32)>,
    pub(super) files: Vec<FoundFile>,
    /// What was kept, for outcomes that are still packed in it.
    pub(super) bytes: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct FoundFile {
    /// `None` for skipped files.
    pub(super) outcome: Option<Outcome>,
    /// Where it is packed in what was kept; empty where it must be packed anew.
    pub(super) packed: Range<usize>,
    /// Of its facts.
    pub(super) terms: Terms,
}

impl Found {
    /// ```text
    /// past, neighborhoods and unreferenced exports, then of each file: outcome, terms; each behind its length (u32)
    /// ```
    fn pack(&self, put: &mut Put<'_>) -> Result<()> {
        let mut part = |bytes: &[u8]| {
            put(&(bytes.len() as u32).to_le_bytes())?;
            put(bytes)
        };
        part(&postcard::to_allocvec(&(&self.past, &self.neighborhoods, &self.unreferenced)).context("packing")?)?;
        for FoundFile { outcome, packed, terms } in &self.files {
            match outcome {
                Some(outcome) if packed.is_empty() => part(&postcard::to_allocvec(outcome).context("packing")?)?,
                _ => part(self.bytes.get(packed.clone()).unwrap_or_default())?,
            }
            part(terms.bytes())?;
        }
        Ok(())
    }

    fn unpack(all: Vec<u8>, files: usize) -> Option<Found> {
        let mut bytes = &all[..];
        let (past, neighborhoods, unreferenced) = postcard::from_bytes(take(&mut bytes)?).ok()?;
        let mut found =
            Found { past, neighborhoods, unreferenced, files: Vec::with_capacity(files), bytes: Vec::new() };
        for _ in 0..files {
            let packed = take(&mut bytes)?;
            let end = all.len() - bytes.len();
            let place = end - packed.len()..end;
            let outcome = if packed.is_empty() { None } else { Some(postcard::from_bytes(packed).ok()?) };
            let terms = Terms::of_bytes(take(&mut bytes)?);
            found.files.push(FoundFile { outcome, packed: place, terms });
        }
        if !bytes.is_empty() {
            return None;
        }
        found.bytes = all;
        Some(found)
    }
}

fn take<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    *bytes = rest;
    Some(part)
}

/// History up to a commit.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Past {
    pub(super) head: String,
    pub(super) changes: CoChanges,
}

/// A file, as it was and as what it came to.
#[derive(Debug)]
pub(super) struct KeptFile {
    pub(super) seen: SeenFile,
    pub(super) found: FoundFile,
}

/// What else an outcome depends on besides the files: the repository's place, the program, and what it was told.
pub(super) fn stamp(identity: &[&[u8]], frameworks: &[Framework]) -> u64 {
    let mut hash = Xxh3::new();
    for part in identity {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let program = std::env::current_exe().and_then(std::fs::metadata);
    let program = program.map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec()));
    let told = (VERSION, EXTRACTOR_VERSION, env!("CARGO_PKG_VERSION"), program.ok(), frameworks);
    hash.update(&serde_json::to_vec(&told).unwrap_or_default());
    hash.digest()
}

/// What was kept, the larger part still on disk.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) seen: Seen,
    /// Where the second part is read from, and how long it is; it ends the file.
    second: Option<(File, usize)>,
    checksum: u64,
}

impl Kept {
    /// What was kept at `path` under the same stamp.
    pub(super) fn read(path: &Path, stamp: u64) -> Option<Kept> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits() as i32;
        let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
        let meta = file.metadata().ok()?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            return None;
        }
        let mut header = [0; HEADER];
        file.read_exact(&mut header).ok()?;
        let number = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
        let (first, second, checksum) = (number(8)?, number(24)?, number(32)?);
        let len = (HEADER as u64).checked_add(first)?.checked_add(second)?;
        if number(0)? != stamp || len != meta.len() {
            return None;
        }
        let mut seen = vec![0; usize::try_from(first).ok()?];
        file.read_exact(&mut seen).ok()?;
        if number(16)? != xxh3_64(&seen) {
            return None;
        }
        let seen = postcard::from_bytes(&seen).ok()?;
        Some(Kept { seen, second: Some((file, usize::try_from(second).ok()?)), checksum })
    }

    /// Reads the second part. Nothing at all if that is damaged.
    pub(super) fn unpacked(mut self) -> (Seen, Found) {
        match self.second().and_then(|bytes| Found::unpack(bytes, self.seen.files.len())) {
            Some(found) => (self.seen, found),
            None => (Seen::default(), Found::default()),
        }
    }

    fn second(&mut self) -> Option<Vec<u8>> {
        let (mut file, len) = self.second.take()?;
        let mut bytes = vec![0; len];
        file.read_exact(&mut bytes).ok()?;
        (xxh3_64(&bytes) == self.checksum).then_some(bytes)
    }

    /// Keeps that everything is as it was at another time.
    pub(super) fn write_seen(mut self, path: &Path, stamp: u64) -> Result<()> {
        let found = self.second().context("what was kept is damaged")?;
        write(path, stamp, &self.seen, &mut |put| put(&found))
    }
}

/// Puts this in the place of what was kept before.
pub(super) fn keep(path: &Path, stamp: u64, seen: &Seen, found: &Found) -> Result<()> {
    write(path, stamp, seen, &mut |put| found.pack(put))
}

/// Takes a piece of the second part.
type Put<'p> = dyn FnMut(&[u8]) -> Result<()> + 'p;

/// `found` hands over the second part, piece by piece.
fn write(path: &Path, stamp: u64, seen: &Seen, found: &mut dyn FnMut(&mut Put<'_>) -> Result<()>) -> Result<()> {
    let seen = postcard::to_allocvec(seen).context("packing")?;
    let temporary = path.with_extension("new");
    let _ = std::fs::remove_file(&temporary);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
    let mut file = BufWriter::with_capacity(1 << 18, file);
    file.write_all(&[0; HEADER])?;
    file.write_all(&seen)?;
    let (mut hash, mut len) = (Xxh3::new(), 0u64);
    found(&mut |piece| {
        hash.update(piece);
        len += piece.len() as u64;
        Ok(file.write_all(piece)?)
    })?;
    let file = file.into_inner().context("flushing")?;
    let mut header = stamp.to_le_bytes().to_vec();
    for number in [seen.len() as u64, xxh3_64(&seen), len, hash.digest()] {
        header.extend(number.to_le_bytes());
    }
    file.write_all_at(&header, 0)?;
    std::fs::rename(&temporary, path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_and_every_other_stamp_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.bin");
        let seen = Seen { head: Some("a".repeat(40)), started_ns: 7, ..Seen::default() };
        let found = Found { past: Past { head: "b".into(), ..Past::default() }, ..Found::default() };
        keep(&path, 1, &seen, &found).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let is_there = || {
            let (seen, found) = Kept::read(&path, 1).unwrap_or_default().unpacked();
            seen.started_ns == 7 && found.past.head == "b"
        };
        assert!(is_there());
        assert!(Kept::read(&path, 2).is_none());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            std::fs::write(&path, &bytes).unwrap();
            assert!(!is_there(), "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(!is_there(), "cut at {at}");
        }
    }
}
