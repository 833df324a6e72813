//! Reads a snapshot: the header on opening, then two `pread`s an answer (bucket, record). Whatever does not check out is
//! refused; nothing is guessed from a damaged file.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::layout::{self, BUCKET, CHECKSUM, FIXED, Header, MAGIC, MAX_HEADER, MAX_RECORD, Place, Table, VERSION};
use super::{FileCard, Identity, Refused, Summary, SymbolCard, wire};

/// Enough for the header of all but the longest paths, so that it costs one read.
const FIRST_READ: usize = 1024;
/// A look-up gives up here: at the load that `layout::fill` keeps, a run of sixteen full buckets does not come up.
const MAX_BUCKETS: u32 = 16;

/// An open snapshot whose header has been checked.
#[derive(Debug)]
pub struct Snapshot {
    file: File,
    header: Header,
}

impl Snapshot {
    /// Opens the snapshot at `path` if it is whole, ours and of this work tree. Follows no link, waits for no pipe.
    pub fn open(path: &Path, identity: &Identity) -> Result<Snapshot, Refused> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits() as i32)
            .open(path)
            .map_err(|error| refusal(&error, path))?;
        let about = file.metadata().map_err(|_| Refused::Damaged)?;
        if !about.is_file() {
            return Err(Refused::NotRegular);
        }
        if about.uid() != rustix::process::geteuid().as_raw() || about.mode() & 0o022 != 0 {
            return Err(Refused::NotOurs);
        }
        let header = read_header(&file, about.len())?;
        if header.root != identity.root || header.git_dir != identity.git_dir {
            return Err(Refused::Foreign);
        }
        Ok(Snapshot { file, header })
    }

    /// The commit that the graph was built from; `None` outside git and before the first commit.
    pub fn head(&self) -> Option<&str> {
        self.header.head.as_deref()
    }

    /// The repository at a glance.
    pub fn summary(&self) -> Result<Summary, Refused> {
        wire::decode_summary(&self.record(self.header.summary)?).ok_or(Refused::Damaged)
    }

    /// The card of the file with this path, relative to the root; `None` when the graph has no such code file.
    pub fn file(&self, path: &str) -> Result<Option<FileCard>, Refused> {
        self.find(self.header.paths, path, |record| {
            let card = wire::decode_file(record)?;
            Some((*card.path == *path).then_some(card))
        })
    }

    /// The best twelve symbols with this name (the last segment of a qualified name), most used first; empty when the
    /// graph knows none. [`SymbolCard::same_name`] says how many there are.
    pub fn symbols(&self, name: &str) -> Result<Vec<SymbolCard>, Refused> {
        let found = self.find(self.header.names, name, |record| {
            let (of, symbols) = wire::decode_names(record)?;
            Some((of == name).then_some(symbols))
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Looks `key` up. `decode` gives `None` for damage and `Some(None)` for the record of another key.
    fn find<T>(
        &self,
        table: Table,
        key: &str,
        decode: impl Fn(&[u8]) -> Option<Option<T>>,
    ) -> Result<Option<T>, Refused> {
        let (first, mark) = layout::hash(key, table);
        for step in 0..table.buckets.min(MAX_BUCKETS) {
            let number = (u64::from(first) + u64::from(step)) % u64::from(table.buckets);
            let at = table.at + number * BUCKET as u64;
            let mut bytes = [0; BUCKET];
            self.file.read_exact_at(&mut bytes, at).map_err(|_| Refused::Damaged)?;
            let (places, full) = layout::search_bucket(&bytes, at, mark).ok_or(Refused::Damaged)?;
            for place in places {
                if let Some(found) = decode(&self.record(place)?).ok_or(Refused::Damaged)? {
                    return Ok(Some(found));
                }
            }
            if !full {
                break;
            }
        }
        Ok(None)
    }

    /// The payload of a record whose checksum holds.
    fn record(&self, place: Place) -> Result<Vec<u8>, Refused> {
        let len = place.len as usize;
        let end = place.at.checked_add(u64::from(place.len));
        if !(CHECKSUM..=MAX_RECORD).contains(&len) || end.is_none_or(|end| end > self.header.total) {
            return Err(Refused::Damaged);
        }
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, place.at).map_err(|_| Refused::Damaged)?;
        let payload = bytes.split_off(CHECKSUM);
        if layout::u64_at(&bytes, 0) != Some(layout::checksum(&payload, place.at)) {
            return Err(Refused::Damaged);
        }
        Ok(payload)
    }
}

fn read_header(file: &File, len: u64) -> Result<Header, Refused> {
    let mut first = [0; FIRST_READ];
    let known = len.min(FIRST_READ as u64) as usize;
    file.read_exact_at(&mut first[..known], 0).map_err(|_| Refused::Damaged)?;
    let first = &first[..known];
    if known < FIXED || first[..MAGIC.len()] != MAGIC {
        return Err(Refused::Damaged);
    }
    // Before the checksum: another version may compute it in another way.
    if layout::u32_at(first, 8) != Some(VERSION) {
        return Err(Refused::Version);
    }
    let header_len = layout::u32_at(first, 12).unwrap_or(0) as usize;
    if !(FIXED..=MAX_HEADER).contains(&header_len) || header_len as u64 > len {
        return Err(Refused::Damaged);
    }
    let header = match first.get(..header_len) {
        Some(bytes) => Header::decode(bytes),
        None => {
            let mut bytes = vec![0; header_len];
            file.read_exact_at(&mut bytes, 0).map_err(|_| Refused::Damaged)?;
            Header::decode(&bytes)
        }
    };
    let header = header.ok_or(Refused::Damaged)?;
    if header.total != len { Err(Refused::Damaged) } else { Ok(header) }
}

fn refusal(error: &std::io::Error, path: &Path) -> Refused {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Refused::Absent,
        ErrorKind::PermissionDenied => Refused::NotOurs,
        // A link gives ELOOP and a socket ENXIO, for which std has no kinds yet.
        _ => match path.symlink_metadata() {
            Ok(about) if about.file_type().is_symlink() || about.file_type().is_socket() => Refused::NotRegular,
            _ => Refused::Damaged,
        },
    }
}
