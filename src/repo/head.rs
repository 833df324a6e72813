//! HEAD by hand: symbolic refs, loose refs, packed refs, linked worktrees, 40 and 64 hex digits.
//!
//! Ref names come from files that anybody may have written, so a name is checked by git's rules before it becomes part
//! of a path. Packed refs are read only when the loose ref is absent, and then by bisection: 50,000 refs are 4 MB.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::{Repo, Unread, open_regular, read_small};

/// As in git (SYMREF_MAXDEPTH).
const MAX_LINKS: usize = 5;

/// `ref: ` and the longest path.
const MAX_REF_FILE: usize = 4096 + 16;

/// An unsorted packed-refs file is read up to this size (about 100,000 refs).
const MAX_UNSORTED: u64 = 8 << 20;

/// One step of the bisection reads this much; a line (hash and name) is shorter, since names are paths.
const BLOCK: usize = 8192;

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// 40 or 64 lower-case hex digits.
    Commit(String),
    /// A branch without a commit.
    Unborn,
    /// There is git, but its HEAD cannot be read (reftable, damage, something that is no file).
    Unknown,
    /// No git.
    None,
}

/// Reads what is checked out in `repo`.
pub fn head(repo: &Repo) -> Head {
    follow(repo, b"HEAD")
}

/// The object that a branch, tag or remote's branch points to, by the names that git looks for it under.
pub fn reference(repo: &Repo, name: &str) -> Option<String> {
    for before in ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"] {
        let full = format!("{before}{name}");
        if is_ref_name(full.as_bytes())
            && let Head::Commit(hash) = follow(repo, full.as_bytes())
        {
            return Some(hash);
        }
    }
    let remote = format!("refs/remotes/{name}/HEAD");
    match follow(repo, is_ref_name(remote.as_bytes()).then_some(remote.as_bytes())?) {
        Head::Commit(hash) => Some(hash),
        _ => None,
    }
}

/// From a name by symbolic references to a commit.
fn follow(repo: &Repo, start: &[u8]) -> Head {
    let (Some(git_dir), Some(common_dir)) = (&repo.git_dir, &repo.common_dir) else { return Head::None };
    let mut name = start.to_vec();
    for _ in 0..=MAX_LINKS {
        match read_loose(if is_per_worktree(&name) { git_dir } else { common_dir }, &name) {
            Loose::Hash(hash) => return Head::Commit(hash),
            Loose::Symbolic(target) => name = target,
            Loose::Absent if name == b"HEAD" => return Head::Unknown,
            Loose::Absent => return packed(common_dir, &name),
            Loose::Bad => return Head::Unknown,
        }
    }
    Head::Unknown
}

enum Loose {
    Hash(String),
    Symbolic(Vec<u8>),
    Absent,
    Bad,
}

/// These are kept for each worktree (gitrepository-layout); all others are shared.
fn is_per_worktree(name: &[u8]) -> bool {
    !name.starts_with(b"refs/")
        || name.starts_with(b"refs/bisect/")
        || name.starts_with(b"refs/worktree/")
        || name.starts_with(b"refs/rewritten/")
}

fn read_loose(dir: &Path, name: &[u8]) -> Loose {
    let file = dir.join(std::ffi::OsStr::from_bytes(name));
    let bytes = match read_small(&file, MAX_REF_FILE) {
        Ok(bytes) => bytes,
        Err(Unread::Absent) => return Loose::Absent,
        // The form of symbolic refs of old: the link's text is the name.
        Err(Unread::Link) => match fs::read_link(&file) {
            Ok(target) if is_ref_name(target.as_os_str().as_bytes()) => {
                return Loose::Symbolic(target.into_os_string().into_encoded_bytes());
            }
            _ => return Loose::Bad,
        },
        Err(Unread::Other) => return Loose::Bad,
    };
    match bytes.strip_prefix(b"ref:") {
        Some(target) if is_ref_name(target.trim_ascii()) => Loose::Symbolic(target.trim_ascii().to_vec()),
        Some(_) => Loose::Bad,
        None => match hash_of(&bytes) {
            Some((hash, rest)) if rest.first().is_none_or(u8::is_ascii_whitespace) => Loose::Hash(hash),
            _ => Loose::Bad,
        },
    }
}

/// The hash at the start of `bytes`, and what follows it.
fn hash_of(bytes: &[u8]) -> Option<(String, &[u8])> {
    let len = bytes.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if len != 40 && len != 64 {
        return None;
    }
    let (hash, rest) = bytes.split_at_checked(len)?;
    Some((std::str::from_utf8(hash).ok()?.to_ascii_lowercase(), rest))
}

/// git-check-ref-format, for names below `refs/`. Such a name can be joined to a folder and stays inside it.
fn is_ref_name(name: &[u8]) -> bool {
    let bad_byte = |&byte: &u8| byte <= b' ' || byte == 0x7f || b"~^:?*[\\".contains(&byte);
    let bad_part = |part: &[u8]| part.is_empty() || part.starts_with(b".") || part.ends_with(b".lock");
    name.starts_with(b"refs/")
        && !name.iter().any(bad_byte)
        && !name.windows(2).any(|pair| pair == b".." || pair == b"@{")
        && !name.ends_with(b".")
        && !name.split(|&byte| byte == b'/').any(bad_part)
}

/// Not inlined: the blocks below are several pages of stack, which the common way (a loose ref) does not need.
#[inline(never)]
fn packed(common_dir: &Path, name: &[u8]) -> Head {
    let found = match open_regular(&common_dir.join("packed-refs")) {
        Ok((file, size)) => find_packed(file, size, name),
        Err(Unread::Absent) => Ok(None),
        Err(_) => Err(()),
    };
    match found {
        Ok(Some(hash)) => Head::Commit(hash),
        // Reftable keeps a placeholder in HEAD; should somebody write another, the tables still hold the truth.
        Ok(None) if fs::symlink_metadata(common_dir.join("reftable")).is_ok() => Head::Unknown,
        Ok(None) => Head::Unborn,
        Err(()) => Head::Unknown,
    }
}

/// `Err` when the file cannot be read or is not what it claims to be.
fn find_packed(file: File, size: u64, name: &[u8]) -> Result<Option<String>, ()> {
    let mut block = [0; BLOCK];
    let first = read_block(&file, 0, &mut block)?;
    let header = first.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let sorted = header.starts_with(b"# pack-refs with:") && header.split(|&byte| byte == b' ').any(|w| w == b"sorted");
    if sorted {
        return bisect(&file, header.len() as u64 + 1, size, name);
    }
    if size > MAX_UNSORTED {
        return Err(());
    }
    let mut reader = BufReader::with_capacity(64 << 10, file).take(MAX_UNSORTED);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(|_| ())? == 0 {
            return Ok(None);
        }
        if let Some((hash, found)) = entry(&line)
            && found == name
        {
            return Ok(Some(hash));
        }
    }
}

/// Looks between the offsets `low` and `high`, which are starts of lines, in a file sorted by name.
fn bisect(file: &File, mut low: u64, mut high: u64, name: &[u8]) -> Result<Option<String>, ()> {
    let mut block = [0; BLOCK];
    while high.saturating_sub(low) > BLOCK as u64 {
        // The first entry that starts after a line end of the block. A name so long that none fits is no real one.
        let middle = low + (high - low - BLOCK as u64) / 2;
        let bytes = read_block(file, middle, &mut block)?;
        let Some((at, line)) = first_entry(bytes) else { return Err(()) };
        let (hash, found) = entry(line).ok_or(())?;
        match found.cmp(name) {
            std::cmp::Ordering::Equal => return Ok(Some(hash)),
            std::cmp::Ordering::Less => low = middle + at as u64 + line.len() as u64,
            // Entries that start before `middle` remain; the one that reaches into the block ends before `at`.
            std::cmp::Ordering::Greater => high = middle + at as u64,
        }
    }
    let bytes = read_block(file, low, &mut block)?;
    let bytes = bytes.get(..(high.saturating_sub(low)) as usize).unwrap_or(bytes);
    let mut lines = bytes.split(|&byte| byte == b'\n').filter_map(entry);
    Ok(lines.find(|(_, found)| *found == name).map(|(hash, _)| hash))
}

/// The first whole line of `bytes` that follows a line end and is no peeled hash: its offset and itself with its end.
fn first_entry(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if at > 0 && line.ends_with(b"\n") && !line.starts_with(b"^") {
            return Some((at, line));
        }
        at += line.len();
    }
    None
}

/// `HASH NAME`; `None` for comments, peeled hashes (`^HASH`) and anything else.
fn entry(line: &[u8]) -> Option<(String, &[u8])> {
    let (hash, rest) = hash_of(line)?;
    Some((hash, rest.strip_prefix(b" ")?.trim_ascii_end()))
}

fn read_block<'a>(file: &File, at: u64, block: &'a mut [u8]) -> Result<&'a [u8], ()> {
    let mut len = 0;
    while let Some(rest) = block.get_mut(len..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at + len as u64) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Err(()),
        }
    }
    Ok(block.get(..len).unwrap_or_default())
}
