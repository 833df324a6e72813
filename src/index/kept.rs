//! What the last pass knew, for the next one: by file what it was and what it came to. So that a pass after a small change looks
//! at what changed and at whatever read it.
//!
//! A cache of a cache: damaged, foreign, of another program or other settings it is no longer there, and everything is
//! resolved again. It lies beside the graph and says nothing about it; a pass that was killed between the two leaves a
//! graph of one tree and memory of another, and both are right.

use super::facts::Key;
use super::history::CoChanges;
use super::resolve::Outcome;
use super::scan::Stat;
use crate::lang::frameworks::Framework;
use crate::model::{EXTRACTOR_VERSION, FileRecord, Terms};
use anyhow::{Context, Result};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Raised with every change of what is kept.
const VERSION: u32 = 2;
/// Stamp and checksum.
const HEADER: usize = 16;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) past: Past,
    /// In path order.
    pub(super) files: Vec<KeptFile>,
    /// When the pass began, in nanoseconds since 1970: what was changed about then may have changed again unseen.
    pub(super) started_ns: i64,
}

/// History up to a commit.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Past {
    pub(super) head: String,
    pub(super) changes: CoChanges,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptFile {
    pub(super) record: FileRecord,
    /// `None` for what is not read again without being looked at.
    pub(super) stat: Option<Stat>,
    /// Of its facts.
    pub(super) key: Option<Key>,
    /// `None` for skipped files.
    pub(super) outcome: Option<Outcome>,
    /// Of its facts.
    pub(super) terms: Terms,
}

/// What else an outcome depends on besides the files: the repository's place, the program, and what it was told.
pub(super) fn stamp(identity: &[&[u8]], frameworks: &[Framework]) -> u64 {
    let mut hash = Xxh3::new();
    for part in identity {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let program =
        std::env::current_exe().and_then(std::fs::metadata).map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec()));
    let told = (VERSION, EXTRACTOR_VERSION, env!("CARGO_PKG_VERSION"), program.ok(), frameworks);
    hash.update(&serde_json::to_vec(&told).unwrap_or_default());
    hash.digest()
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
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).ok()?);
        file.read_to_end(&mut bytes).ok()?;
        let (header, payload) = bytes.split_at_checked(HEADER)?;
        let number = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
        if number(0)? != stamp || number(8)? != xxh3_64(payload) {
            return None;
        }
        postcard::from_bytes(payload).ok()
    }

    /// Puts it in the place of what was kept before.
    pub(super) fn write(&self, path: &Path, stamp: u64) -> Result<()> {
        let bytes = postcard::to_extend(self, vec![0; HEADER]).context("packing")?;
        let mut bytes: Vec<u8> = bytes;
        let sum = xxh3_64(&bytes[HEADER..]);
        bytes[..8].copy_from_slice(&stamp.to_le_bytes());
        bytes[8..HEADER].copy_from_slice(&sum.to_le_bytes());
        let temporary = path.with_extension("new");
        let _ = std::fs::remove_file(&temporary);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.write_all(&bytes)?;
        std::fs::rename(&temporary, path)?;
        Ok(())
    }
}
