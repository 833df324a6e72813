//! Where a database may lie: a regular file of our own user, reached through no link. Asked before SQLite opens it, since
//! opening a FIFO never returns.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Absent,
    /// A regular file of our own user.
    File {
        size: u64,
        mode: u32,
    },
    /// Something else, in words.
    Other(&'static str),
    /// A regular file of another user.
    NotOurs,
}

/// Looks at `path` itself, following no link.
pub(crate) fn look(path: &Path) -> std::io::Result<Place> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Place::Absent);
        }
        Err(error) => return Err(error),
    };
    let kind = metadata.file_type();
    if !kind.is_file() {
        return Ok(Place::Other(match () {
            () if kind.is_symlink() => "a symbolic link",
            () if kind.is_dir() => "a folder",
            () if kind.is_fifo() => "a FIFO",
            () if kind.is_socket() => "a socket",
            () => "a device",
        }));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Ok(Place::NotOurs);
    }
    Ok(Place::File { size: metadata.len(), mode: metadata.mode() & 0o7777 })
}

/// Removes whatever stands at `path`, a folder with all that is in it; nothing there is no error, and no link is followed.
/// Only for names in our own cache folder.
pub(crate) fn clear(path: &Path) -> std::io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// `path` with its folder's links resolved. SQLite's NOFOLLOW refuses a link anywhere in the path, and a home directory may
/// well be one; the folder was checked by who chose it, the file itself is what must not be a link.
pub(crate) fn in_real_folder(path: &Path) -> std::io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if !folder.as_os_str().is_empty() => Ok(folder.canonicalize()?.join(name)),
        _ => Ok(path.to_path_buf()),
    }
}

/// `graph.db` -> `graph.db-wal`, and so on.
pub(crate) fn beside(db: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(db);
    name.push(suffix);
    PathBuf::from(name)
}
