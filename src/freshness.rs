//! The one predicate that tells whether an answer is about the code as it is now, for hook and commands alike.
//!
//! Two questions: was the graph built from the commit that is checked out, and is this file what it was when it was
//! read? What cannot be known is said to be unknown.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use xxhash_rust::xxh3::Xxh3;

use crate::repo::Head;

/// Files up to this size are hashed when their time changed and their size did not.
const MAX_HASHED: u64 = 8 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Built from the commit that is checked out.
    Fresh,
    /// Built from another commit.
    Behind,
    /// The file is not what it was when it was read.
    FileChanged,
    /// The file is gone.
    Absent,
    Unknown,
}

/// Whether a graph that was built from `indexed_head` answers for what is checked out now.
///
/// Without git, and on an unborn branch, there is no commit to compare: unknown, and [`of_file`] tells the rest.
pub fn of(indexed_head: Option<&str>, head: &Head) -> Freshness {
    match (indexed_head, head) {
        (Some(indexed), Head::Commit(now)) if indexed == now => Freshness::Fresh,
        (_, Head::Commit(_)) | (Some(_), Head::Unborn) => Freshness::Behind,
        (None, Head::Unborn) | (_, Head::Unknown | Head::None) => Freshness::Unknown,
    }
}

/// Whether the file `on_disk` is still what was `recorded`: size in bytes, time of change in nanoseconds since 1970, XXH3-64.
///
/// [`Freshness::Unknown`] for what is no regular file (links are not followed, nothing but files is opened), cannot be
/// read, or is too big to hash.
pub fn of_file(recorded: (u64, i64, u64), on_disk: &Path) -> Freshness {
    match fs::symlink_metadata(on_disk) {
        Ok(meta) => of_stat(recorded, on_disk, &meta),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Freshness::Absent,
        Err(_) => Freshness::Unknown,
    }
}

/// [`of_file`] for a caller that has `symlink_metadata` of the file at hand.
pub fn of_stat(recorded: (u64, i64, u64), on_disk: &Path, meta: &fs::Metadata) -> Freshness {
    let (size, mtime_ns, hash) = recorded;
    if !meta.is_file() {
        return Freshness::Unknown;
    }
    if meta.len() != size {
        return Freshness::FileChanged;
    }
    if mtime_ns_of(meta) == mtime_ns {
        return Freshness::Fresh;
    }
    // A checkout that went to and fro touches files without changing them, so a new time alone means nothing.
    match hash_of(on_disk) {
        Some(now) if now == hash => Freshness::Fresh,
        Some(_) => Freshness::FileChanged,
        None => Freshness::Unknown,
    }
}

/// Time of change in nanoseconds since 1970, as it is recorded in the graph.
pub fn mtime_ns_of(meta: &fs::Metadata) -> i64 {
    meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec())
}

fn hash_of(path: &Path) -> Option<u64> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > MAX_HASHED {
        return None;
    }
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 64 << 10];
    let mut left = MAX_HASHED;
    loop {
        let read = file.read(&mut buffer).ok()?;
        left = left.checked_sub(read as u64)?;
        match buffer.get(..read) {
            Some([]) | None => return Some(hash.digest()),
            Some(bytes) => hash.update(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn graph_is_fresh_only_for_the_commit_it_was_built_from() {
        let commit = |name: &str| Head::Commit(name.to_string());
        let table = [
            (Some("a"), commit("a"), Freshness::Fresh),
            (Some("a"), commit("b"), Freshness::Behind),
            (None, commit("b"), Freshness::Behind),
            (Some("a"), Head::Unborn, Freshness::Behind),
            (None, Head::Unborn, Freshness::Unknown),
            (Some("a"), Head::Unknown, Freshness::Unknown),
            (None, Head::Unknown, Freshness::Unknown),
            (None, Head::None, Freshness::Unknown),
        ];
        for (indexed, head, expected) in table {
            assert_eq!(of(indexed, &head), expected, "{indexed:?} {head:?}");
        }
    }

    #[test]
    fn file_is_fresh_by_time_or_by_content() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.py");
        let text = "x = 1\n".repeat(40_000);
        fs::write(&file, &text).unwrap();
        let meta = fs::metadata(&file).unwrap();
        let (size, time, hash) = (meta.len(), mtime_ns_of(&meta), xxh3_64(text.as_bytes()));
        assert_eq!(of_file((size, time, 0), &file), Freshness::Fresh, "same size and time: not hashed");
        assert_eq!(of_file((size, time - 1, hash), &file), Freshness::Fresh, "touched");
        assert_eq!(of_file((size, time - 1, hash ^ 1), &file), Freshness::FileChanged, "same size, other content");
        assert_eq!(of_file((size + 1, time, hash), &file), Freshness::FileChanged, "other size");
        assert_eq!(of_file((0, 0, 0), &dir.path().join("none.py")), Freshness::Absent);
    }

    #[test]
    fn only_regular_files_are_looked_into() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link.py");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let fifo = dir.path().join("fifo.py");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, Mode::RUSR).unwrap();
        assert_eq!(of_file((0, 0, 0), &link), Freshness::Unknown);
        assert_eq!(of_file((0, 0, 0), &fifo), Freshness::Unknown);
        assert_eq!(of_file((4096, 0, 0), dir.path()), Freshness::Unknown);
    }

    #[test]
    fn a_file_too_big_to_hash_is_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("big.py");
        File::create(&file).unwrap().set_len(MAX_HASHED + 1).unwrap();
        assert_eq!(of_file((MAX_HASHED + 1, 0, 0), &file), Freshness::Unknown);
    }
}
