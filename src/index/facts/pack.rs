//! One pack: records one after the other, then an index sorted by key, then a trailer. Written once, put in place by a
//! rename, never changed.
//!
//! ```text
//! "flpnfact" | version u32 | extractor u32 | record ... | entry ... | entries u64 | checksum of the entries u64 | "flpnfact"
//! entry: key u128 | used u64 (seconds since 1970) | at u64 | len u64 | checksum of the record u64
//! ```
//! All numbers are little-endian. It is read by `pread` rather than mapped: a record is asked for at most once a run, and a file
//! that somebody cuts short is then a miss instead of a signal.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::Key;
use crate::model::EXTRACTOR_VERSION;

/// How names of packs end.
pub(super) const ENDING: &str = ".facts";
/// How names of packs end that are being written.
pub(super) const TEMPORARY: &str = ".facts.new";

const MAGIC: [u8; 8] = *b"flpnfact";
/// Raised with every change of the layout.
const VERSION: u32 = 1;
const HEADER: u64 = 16;
const ENTRY: usize = 48;
const TRAILER: u64 = 24;
/// No file has facts of such a size; a larger length is damage.
const MAX_RECORD: u64 = 1 << 28;

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    used: u64,
    at: u64,
    len: u64,
    checksum: u64,
}

impl Entry {
    fn encode(&self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..16].copy_from_slice(&self.key.0.to_le_bytes());
        for (place, value) in [(16, self.used), (24, self.at), (32, self.len), (40, self.checksum)] {
            bytes[place..place + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Entry> {
        let key = Key(u128::from_le_bytes(bytes.get(..16)?.try_into().ok()?));
        let (used, at, len, checksum) =
            (u64_at(bytes, 16)?, u64_at(bytes, 24)?, u64_at(bytes, 32)?, u64_at(bytes, 40)?);
        Some(Entry { key, used, at, len, checksum })
    }
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn header() -> [u8; HEADER as usize] {
    let mut bytes = [0; HEADER as usize];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&EXTRACTOR_VERSION.to_le_bytes());
    bytes
}

/// A pack that was opened.
pub(super) struct Pack {
    path: PathBuf,
    file: File,
    bytes: u64,
    /// Sorted by key.
    entries: Vec<Entry>,
}

impl Pack {
    /// `None` for what is no sound pack of this version.
    pub(super) fn open(path: &Path) -> Option<Pack> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path).ok()?;
        let meta = file.metadata().ok().filter(fs::Metadata::is_file)?;
        let mut found = [0; HEADER as usize];
        file.read_exact_at(&mut found, 0).ok()?;
        let mut trailer = [0; TRAILER as usize];
        let trailer_at = meta.len().checked_sub(TRAILER)?;
        file.read_exact_at(&mut trailer, trailer_at).ok()?;
        if found != header() || trailer[16..] != MAGIC {
            return None;
        }
        let len = u64_at(&trailer, 0)?.checked_mul(ENTRY as u64)?;
        let at = trailer_at.checked_sub(len).filter(|at| *at >= HEADER)?;
        let mut index = vec![0; usize::try_from(len).ok()?];
        file.read_exact_at(&mut index, at).ok()?;
        if xxh3_64(&index) != u64_at(&trailer, 8)? {
            return None;
        }
        let entries = index.chunks_exact(ENTRY).map(Entry::decode).collect::<Option<_>>()?;
        Some(Pack { path: path.to_owned(), file, bytes: meta.len(), entries })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Size of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Keys, each with when it was last known to be in use.
    pub(super) fn entries(&self) -> impl Iterator<Item = (Key, u64)> + '_ {
        self.entries.iter().map(|entry| (entry.key, entry.used))
    }

    /// A record, if it is there and sound.
    pub(super) fn get(&self, key: Key) -> Option<Vec<u8>> {
        let found = self.entries.binary_search_by_key(&key, |entry| entry.key).ok()?;
        let entry = self.entries[found];
        if entry.len > MAX_RECORD.min(self.bytes) {
            return None;
        }
        let mut bytes = vec![0; entry.len as usize];
        self.file.read_exact_at(&mut bytes, entry.at).ok()?;
        (checksum(key, &bytes) == entry.checksum).then_some(bytes)
    }
}

/// A record under another key is damage too.
fn checksum(key: Key, bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, key.0 as u64)
}

/// A pack being written, beside where it will stand.
pub(super) struct Writer {
    folder: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    at: u64,
    entries: Vec<Entry>,
    published: bool,
}

impl Writer {
    pub(super) fn create(folder: &Path) -> std::io::Result<Writer> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!("{}-{count}{TEMPORARY}", std::process::id()));
        // What a run of the same number left behind.
        let _ = fs::remove_file(&temporary);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        file.write_all(&header())?;
        Ok(Writer { folder: folder.to_owned(), temporary, file, at: HEADER, entries: Vec::new(), published: false })
    }

    pub(super) fn add(&mut self, key: Key, bytes: &[u8], used: u64) -> std::io::Result<()> {
        self.file.write_all(bytes)?;
        let len = bytes.len() as u64;
        self.entries.push(Entry { key, used, at: self.at, len, checksum: checksum(key, bytes) });
        self.at += len;
        Ok(())
    }

    /// Finishes the pack and puts it in place. Its name is made of what it holds, so that the same facts make one file.
    pub(super) fn publish(mut self) -> std::io::Result<PathBuf> {
        self.entries.sort_by_key(|entry| entry.key);
        self.entries.dedup_by_key(|entry| entry.key);
        let index: Vec<u8> = self.entries.iter().flat_map(|entry| entry.encode()).collect();
        let sum = xxh3_64(&index);
        self.file.write_all(&index)?;
        self.file.write_all(&(self.entries.len() as u64).to_le_bytes())?;
        self.file.write_all(&sum.to_le_bytes())?;
        self.file.write_all(&MAGIC)?;
        self.file.flush()?;
        let path = self.folder.join(format!("{sum:016x}{ENDING}"));
        fs::rename(&self.temporary, &path)?;
        self.published = true;
        Ok(path)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.published {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
