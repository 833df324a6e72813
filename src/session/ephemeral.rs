//! The wish that nothing be remembered: `FLOORPLAN_EPHEMERAL` in the environment of the client, or for good a file beside the
//! user's settings, which is there or not. The hook reads no settings, and a file costs it one look, at the start of a session.

use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Result};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use crate::repo;

/// Set to anything, and no journal is written or read.
const VARIABLE: &str = "FLOORPLAN_EPHEMERAL";

pub(super) fn in_environment() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// The file; `None` without a home.
fn mark() -> Option<PathBuf> {
    Some(repo::settings_dir()?.join("ephemeral"))
}

/// Is the setting on?
pub fn is_set() -> bool {
    mark().is_some_and(|mark| fs::symlink_metadata(mark).is_ok())
}

/// Is anything of what a session does kept?
pub fn keeps_nothing() -> bool {
    in_environment() || is_set()
}

/// # Errors
/// What the disk says.
pub fn turn_on() -> Result<()> {
    let mark = mark().ok_or_else(|| std::io::Error::new(ErrorKind::NotFound, "no home for settings"))?;
    if let Some(folder) = mark.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    File::create(mark).map(drop)
}

/// # Errors
/// What the disk says.
pub fn turn_off() -> Result<()> {
    match mark().map_or(Ok(()), fs::remove_file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
