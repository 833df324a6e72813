//! Where things stand in the file. Numbers are little-endian.
//!
//! ```text
//! header   magic, version, lengths, checksum, places of the rest, counts, root, git directory, HEAD
//! records  summary, file cards, name records: checksum (8 bytes), payload
//! tables   path -> card, name -> symbols: buckets of 256 bytes
//! ```
//! A bucket is the unit of reading and of checking: a slot alone could lose a bit of its hash and turn a known file into an
//! unknown one. A full bucket continues in the next one. Checksums are XXH3-64 seeded with the place in the file, so a block
//! that was moved is refused too.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

pub(super) const MAGIC: [u8; 8] = *b"floorpln";
/// Raised with every change of the layout or of what a record holds.
pub(super) const VERSION: u32 = 4;

/// The header up to its strings.
pub(super) const FIXED: usize = 88;
/// Three strings: two real paths and a commit.
pub(super) const MAX_HEADER: usize = 16 * 1024;
/// No record is larger: the limits in `build.rs` keep them far below.
pub(super) const MAX_RECORD: usize = 1 << 20;
pub(super) const CHECKSUM: usize = 8;

pub(super) const BUCKET: usize = 256;
const SLOT: usize = 16;
pub(super) const SLOTS: usize = (BUCKET - 16) / SLOT;
/// Mean number of slots in use, so that few buckets overflow.
const SLOTS_USED: usize = 9;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) at: u64,
    pub(super) buckets: u32,
}

/// A record in the file, checksum included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: u64,
    pub(super) len: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) total: u64,
    pub(super) paths: Table,
    pub(super) names: Table,
    pub(super) summary: Place,
    pub(super) root: String,
    pub(super) git_dir: String,
    pub(super) head: Option<String>,
}

impl Header {
    pub(super) fn len(&self) -> usize {
        FIXED + self.root.len() + self.git_dir.len() + self.head.as_ref().map_or(0, String::len)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.len() as u32).to_le_bytes());
        bytes.extend([0; CHECKSUM]);
        bytes.extend(self.total.to_le_bytes());
        for table in [self.paths, self.names] {
            bytes.extend(table.at.to_le_bytes());
            bytes.extend(u64::from(table.buckets).to_le_bytes());
        }
        bytes.extend(self.summary.at.to_le_bytes());
        bytes.extend(self.summary.len.to_le_bytes());
        bytes.extend((self.root.len() as u32).to_le_bytes());
        bytes.extend((self.git_dir.len() as u32).to_le_bytes());
        bytes.extend(self.head.as_ref().map_or(u32::MAX, |head| head.len() as u32).to_le_bytes());
        for text in [self.root.as_str(), &self.git_dir, self.head.as_deref().unwrap_or("")] {
            bytes.extend(text.as_bytes());
        }
        let checksum = header_checksum(&bytes);
        bytes[16..24].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// `bytes` is the whole header, its version and length already looked at. `None` when damaged.
    pub(super) fn decode(bytes: &[u8]) -> Option<Header> {
        if bytes.len() < FIXED || u64_at(bytes, 16)? != header_checksum(bytes) {
            return None;
        }
        let table = |at| Some(Table { at: u64_at(bytes, at)?, buckets: u32_at(bytes, at + 8)? });
        let (root, git_dir, head) = (u32_at(bytes, 76)?, u32_at(bytes, 80)?, u32_at(bytes, 84)?);
        let mut rest = bytes.get(FIXED..)?;
        let mut text = |len: u32| {
            let (text, after) = rest.split_at_checked(len as usize)?;
            rest = after;
            Some(std::str::from_utf8(text).ok()?.to_string())
        };
        Some(Header {
            total: u64_at(bytes, 24)?,
            paths: table(32)?,
            names: table(48)?,
            summary: Place { at: u64_at(bytes, 64)?, len: u32_at(bytes, 72)? },
            root: text(root)?,
            git_dir: text(git_dir)?,
            head: if head == u32::MAX { None } else { Some(text(head)?) },
        })
    }
}

/// Over everything but the checksum itself.
fn header_checksum(bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(&bytes[24..], xxh3_64(&bytes[..16]))
}

pub(super) fn checksum(payload: &[u8], at: u64) -> u64 {
    xxh3_64_with_seed(payload, at)
}

/// The bucket in which a key starts, and the mark that its slot bears.
pub(super) fn hash(key: &str, table: Table) -> (u32, u32) {
    let hash = xxh3_64(key.as_bytes());
    ((hash % u64::from(table.buckets.max(1))) as u32, (hash >> 32) as u32)
}

/// One bucket of a table in memory.
#[derive(Clone, Default)]
pub(super) struct Bucket {
    pub(super) slots: Vec<(u32, Place)>,
}

impl Bucket {
    pub(super) fn encode(&self, at: u64) -> [u8; BUCKET] {
        let mut bytes = [0; BUCKET];
        bytes[8..12].copy_from_slice(&(self.slots.len() as u32).to_le_bytes());
        for ((mark, place), slot) in self.slots.iter().zip(bytes[16..].chunks_exact_mut(SLOT)) {
            slot[..4].copy_from_slice(&mark.to_le_bytes());
            slot[4..8].copy_from_slice(&place.len.to_le_bytes());
            slot[8..].copy_from_slice(&place.at.to_le_bytes());
        }
        let sum = checksum(&bytes[8..], at);
        bytes[..8].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// The places whose slot bears `mark`, and whether the bucket is full (the search goes on in the next one). `None` when
/// damaged.
pub(super) fn search_bucket(bytes: &[u8; BUCKET], at: u64, mark: u32) -> Option<(Vec<Place>, bool)> {
    if u64_at(bytes, 0)? != checksum(&bytes[8..], at) {
        return None;
    }
    let len = u32_at(bytes, 8)? as usize;
    let slots = bytes.get(16..16 + len.min(SLOTS) * SLOT)?;
    let mut places = Vec::new();
    for slot in slots.chunks_exact(SLOT) {
        if u32_at(slot, 0)? == mark {
            places.push(Place { at: u64_at(slot, 8)?, len: u32_at(slot, 4)? });
        }
    }
    Some((places, len >= SLOTS))
}

/// All places that a sound bucket tells.
pub(super) fn places_of(bytes: &[u8]) -> impl Iterator<Item = Place> + '_ {
    let len = (u32_at(bytes, 8).unwrap_or_default() as usize).min(SLOTS);
    let slots = bytes.get(16..).unwrap_or_default().chunks_exact(SLOT).take(len);
    slots.filter_map(|slot| Some(Place { at: u64_at(slot, 8)?, len: u32_at(slot, 4)? }))
}

/// Puts keys into buckets; the table stands at `at`.
pub(super) fn fill(keys: &[(u64, Place)], at: u64) -> (Table, Vec<Bucket>) {
    let buckets = keys.len().div_ceil(SLOTS_USED).max(1);
    let table = Table { at, buckets: buckets as u32 };
    let mut filled = vec![Bucket::default(); buckets];
    for (hash, place) in keys {
        let mut bucket = (hash % buckets as u64) as usize;
        while filled[bucket].slots.len() == SLOTS {
            bucket = (bucket + 1) % buckets;
        }
        filled[bucket].slots.push(((hash >> 32) as u32, *place));
    }
    (table, filled)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
