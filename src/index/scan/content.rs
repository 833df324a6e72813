//! Reading one file, carefully: nothing but regular files is opened for long, sizes are looked at before content, and
//! content that is not written by people is refused with a reason.

use super::{Candidate, Outcome};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longest code file that is read, in bytes; picocli has one of 1.2 MB, amalgamated SQLite one of 9 MB.
const MAX_CODE: u64 = 8 * 1024 * 1024;
/// Longest text that is read for its words: longer ones are data.
const MAX_TEXT: u64 = 512 * 1024;
/// Where a NUL byte makes a file binary.
const BINARY_HEAD: usize = 8 * 1024;
/// Where generators leave their mark.
const MARKED_HEAD: usize = 2 * 1024;

/// A file's content as it was read, and what tells later whether it still is the same.
#[derive(Clone, Debug)]
pub struct Source {
    pub bytes: Vec<u8>,
    /// Number of bytes.
    pub size: u64,
    /// Modification time before reading, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// XXH3-64 of `bytes`.
    pub content_hash: u64,
}

/// What tells without reading that a file is probably still the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub mtime_ns: i64,
    /// When anything about it changed last, its name too: a file that was moved here from elsewhere may have any
    /// modification time.
    pub ctime_ns: i64,
    pub inode: u64,
}

impl Stat {
    /// Of what is called so in an open folder; follows no link. `None` for nothing.
    pub(super) fn of(dir: &Dir, name: &OsStr) -> Option<Stat> {
        let stat = rustix::fs::statat(dir.fd().ok()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
        // Their widths differ between platforms; a size is never negative.
        #[allow(clippy::unnecessary_cast)]
        let (mtime_ns, ctime_ns) =
            (ns(stat.st_mtime as i64, stat.st_mtime_nsec as i64), ns(stat.st_ctime as i64, stat.st_ctime_nsec as i64));
        #[allow(clippy::unnecessary_cast)]
        let (size, inode) = (stat.st_size as u64, stat.st_ino as u64);
        Some(Stat { size, mtime_ns, ctime_ns, inode })
    }
}

/// Reads a candidate, or says why it should be skipped.
///
/// # Errors
/// The reason, as shown to users: too big, binary, minified, generated, a link, not readable.
pub fn read(candidate: &Candidate) -> Result<Source, String> {
    let limit = match &candidate.outcome {
        Outcome::Read => MAX_CODE,
        Outcome::Words => MAX_TEXT,
        Outcome::Skip(reason) => return Err(reason.clone()),
    };
    let (file, size, mtime_ns) = open(&candidate.on_disk)?;
    if size > limit {
        return Err(format!("too big ({size} bytes)"));
    }
    let bytes = bytes_of(file, size, limit)?;
    if let Some(reason) = unfit(&bytes, candidate) {
        return Err(reason.to_owned());
    }
    let content_hash = xxhash_rust::xxh3::xxh3_64(&bytes);
    Ok(Source { size: bytes.len() as u64, bytes, mtime_ns, content_hash })
}

/// A small regular file as it is, `None` for everything else.
pub(super) fn read_small(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let (file, size, _) = open(path).ok()?;
    if size > limit { None } else { bytes_of(file, size, limit).ok() }
}

/// Opens a regular file: not through a link, and without waiting for the other end of a FIFO. Gives its size and
/// modification time.
fn open(path: &Path) -> Result<(File, u64, i64), String> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| match error {
        rustix::io::Errno::LOOP => "link".to_owned(),
        rustix::io::Errno::NXIO => "not a regular file".to_owned(),
        _ => format!("not readable ({})", std::io::Error::from(error)),
    })?;
    let stat = rustix::fs::fstat(&file).map_err(|error| format!("not readable ({})", std::io::Error::from(error)))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err("not a regular file".to_owned());
    }
    // Their widths differ between platforms; a size is never negative.
    #[allow(clippy::unnecessary_cast)]
    let (seconds, nanoseconds, size) = (stat.st_mtime as i64, stat.st_mtime_nsec as i64, stat.st_size as u64);
    Ok((File::from(file), size, seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)))
}

fn bytes_of(file: File, size: u64, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // It may have grown since it was looked at.
    let read = file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| format!("not readable ({error})"))?;
    if read as u64 > limit { Err(format!("too big (over {limit} bytes)")) } else { Ok(bytes) }
}

/// Why content is not worth indexing.
fn unfit(bytes: &[u8], candidate: &Candidate) -> Option<&'static str> {
    // UTF-16 has NUL bytes and is text all the same.
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if !wide && bytes[..bytes.len().min(BINARY_HEAD)].contains(&0) {
        return Some("binary");
    }
    let code = candidate.outcome == Outcome::Read;
    if code && is_marked_generated(&bytes[..bytes.len().min(MARKED_HEAD)]) {
        return Some("generated (says its first comment)");
    }
    // Long lines are normal in data and markup, but in code no one wrote them.
    let script = [".js", ".mjs", ".cjs", ".css", ".ts"].iter().any(|ending| candidate.path.ends_with(ending));
    if (code || script) && is_minified(bytes) {
        return Some("minified");
    }
    None
}

fn is_minified(bytes: &[u8]) -> bool {
    let mut lines = 0;
    let mut longest = 0;
    for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')) {
        lines += 1;
        longest = longest.max(line.len());
    }
    longest > 5_000 && bytes.len() / lines > 300
}

/// True if a comment in the head has one of the marks of generators. Only the beginning of a line tells a comment here, so
/// that a program which prints such a mark is none.
fn is_marked_generated(head: &[u8]) -> bool {
    head.split(|byte| matches!(byte, b'\n' | b'\r')).any(|line| {
        let line = line.trim_ascii_start();
        let comment = [&b"#"[..], b"//", b"/*", b"*", b"<!--"].iter().any(|mark| line.starts_with(mark));
        comment && [&b"@generated"[..], b"Code generated by", b"DO NOT EDIT"].iter().any(|mark| contains(line, mark))
    })
}

fn contains(line: &[u8], mark: &[u8]) -> bool {
    line.windows(mark.len()).any(|window| window == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_generators_count_in_comments_only() {
        for head in ["#!/bin/x\n# @generated by tool\n", "/**\n * Code generated by X.\n */", "// DO NOT EDIT\n"] {
            assert!(is_marked_generated(head.as_bytes()), "{head}");
        }
        for head in ["print('# DO NOT EDIT')\n", "@Generated(\"x\")\nclass A {}", "# do not edit lightly\n", ""] {
            assert!(!is_marked_generated(head.as_bytes()), "{head}");
        }
    }

    #[test]
    fn one_long_line_among_many_is_not_minified() {
        let long = "x".repeat(6_000);
        assert!(is_minified(long.as_bytes()));
        assert!(!is_minified((long + &"short\n".repeat(100)).as_bytes()));
        assert!(!is_minified("x".repeat(4_000).as_bytes()));
    }
}
