//! The user's own settings: `$XDG_CONFIG_HOME/floorplan/config.toml`, else `~/.config/floorplan/config.toml`.
//!
//! Commands read it, the hook never does (what it has to know is a file whose being there says all:
//! `session::ephemeral`). It lies in the user's home and nowhere else: a file that came with a clone must
//! not be able to change what is said about the clone. Without it everything has its default; one with a fault is an
//! error that names file, line and key, never half a configuration.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::lang::frameworks::Framework;
use crate::repo;
use anyhow::{Context, Result, bail};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Largest file that is read, in bytes: some thousand rows.
const MAX_SIZE: u64 = 1 << 20;

/// All settings. Each section has its own type, next to what it configures, with `#[serde(default, deny_unknown_fields)]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What frameworks of the user's own call, in addition to those that floorplan knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frameworks: Vec<Framework>,
    pub neighborhoods: Neighborhoods,
    pub update: Update,
}

/// How the graph follows changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Update {
    /// From so many changed files on, all files are resolved again instead of those that something changed for.
    pub full_from: usize,
}

impl Default for Update {
    fn default() -> Self {
        Update { full_from: 50 }
    }
}

/// What makes files a neighborhood: the defaults are what past changes of real projects fit best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Neighborhoods {
    /// Resolution: larger makes more and smaller neighborhoods. Without one it grows with the repository, so that
    /// neighborhoods stay as large as directories are.
    #[serde(deserialize_with = "resolution")]
    pub gamma: Option<f64>,
    /// Weight of past changes together, beside 1 for an average use.
    #[serde(deserialize_with = "weight")]
    pub co_change: f64,
    /// Weight of lying in one directory.
    #[serde(deserialize_with = "weight")]
    pub directory: f64,
    /// Smaller neighborhoods are folded into the one they are most tied to.
    pub min_files: usize,
}

impl Default for Neighborhoods {
    fn default() -> Self {
        Neighborhoods { gamma: None, co_change: 4.0, directory: 1.0, min_files: 3 }
    }
}

fn resolution<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    number(value, 0.01, 1000.0).map(Some)
}

fn weight<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    number(value, 0.0, 1000.0)
}

fn number<'de, D: Deserializer<'de>>(value: D, least: f64, most: f64) -> Result<f64, D::Error> {
    let number = f64::deserialize(value)?;
    // `nan` and `inf` are numbers to TOML.
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(D::Error::custom(format!("{number} is not between {least} and {most}")))
    }
}

/// Where the settings are looked for. `None` without a usable variable (see [`repo::settings_dir`]).
pub fn path() -> Option<PathBuf> {
    Some(repo::settings_dir()?.join("config.toml"))
}

/// The settings of this user, and whether there is a file that says them.
///
/// # Errors
/// The file is not ours, no regular file, reached through a link, too big, or says what cannot be understood.
pub fn load() -> Result<(Config, bool)> {
    let Some(path) = path() else { return Ok((Config::default(), false)) };
    match read(&path)? {
        Some(text) => Ok((parse(&text, &path)?, true)),
        None => Ok((Config::default(), false)),
    }
}

/// The text of the file; `None` if there is none. The folder above `floorplan/` may be a link, since a home may be one; what
/// stands below it may not.
fn read(path: &Path) -> Result<Option<String>> {
    let folder = path.parent().context("no folder")?;
    let Some(folder_handle) = open(CWD, folder, OFlags::DIRECTORY)? else { return Ok(None) };
    ours(&folder_handle, folder)?;
    let name = path.file_name().context("no name")?;
    // Opening a FIFO would wait for a writer.
    let Some(file) = open(&folder_handle, Path::new(name), OFlags::NONBLOCK).with_context(|| shown(path))? else {
        return Ok(None);
    };
    ours(&file, path)?;
    if !file.metadata().with_context(|| shown(path))?.is_file() {
        bail!("{} is no regular file", path.display());
    }
    let mut bytes = Vec::new();
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes).with_context(|| shown(path))?;
    if bytes.len() as u64 > MAX_SIZE {
        bail!("{} is larger than {} KiB", path.display(), MAX_SIZE / 1024);
    }
    let text = String::from_utf8(bytes).with_context(|| shown(path))?;
    Ok(Some(text))
}

fn shown(path: &Path) -> String {
    format!("reading {}", path.display())
}

/// Opens what stands at `path` itself; `None` if nothing does.
fn open(at: impl std::os::fd::AsFd, path: &Path, flags: OFlags) -> Result<Option<File>> {
    match openat(at, path, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | flags, Mode::empty()) {
        Ok(handle) => Ok(Some(File::from(handle))),
        Err(Errno::NOENT) => Ok(None),
        // With DIRECTORY a link is reported as no folder.
        Err(Errno::LOOP | Errno::NOTDIR) => bail!("{} is a link or no folder", path.display()),
        Err(error) => Err(error).with_context(|| shown(path)),
    }
}

/// What another user owns, or anybody may write to, says nothing about what this user wants.
fn ours(handle: &File, path: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let metadata = handle.metadata().with_context(|| shown(path))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        bail!("{} belongs to another user", path.display());
    }
    if metadata.mode() & 0o002 != 0 {
        bail!("{} can be written to by everybody; take that away (chmod o-w)", path.display());
    }
    Ok(())
}

fn parse(text: &str, path: &Path) -> Result<Config> {
    let place = |error: &toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        format!("{}:{line}", path.display())
    };
    let document = match toml::Deserializer::parse(text) {
        Ok(document) => document,
        Err(error) => bail!("{}: {}", place(&error), error.message()),
    };
    serde_path_to_error::deserialize(document).map_err(|error| {
        let (key, error) = (error.path().to_string(), error.into_inner());
        let key = if key == "." { String::new() } else { format!("{key}: ") };
        anyhow::anyhow!("{}: {key}{}", place(&error), error.message())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn refusal(text: &str) -> String {
        parse(text, Path::new("c.toml")).unwrap_err().to_string()
    }

    #[test]
    fn nothing_said_is_the_default() {
        assert_eq!(parse("", Path::new("c.toml")).unwrap(), Config::default());
        assert_eq!(parse("# a comment\n", Path::new("c.toml")).unwrap(), Config::default());
    }

    #[test]
    fn a_fault_is_named_with_its_line_and_key() {
        assert_eq!(
            refusal("# a\n\ncolour = 1\n"),
            "c.toml:3: colour: unknown field `colour`, expected one of `frameworks`, `neighborhoods`, `update`"
        );
        assert_eq!(refusal("# a\nx = [1,\n"), "c.toml:2: unclosed array, expected `]`");
        assert_eq!(
            refusal("[[frameworks]]\nname = 'a'\nlanguage = 'python'\ndecorators = 'x'\n"),
            "c.toml:4: frameworks[0].decorators: invalid type: string \"x\", expected a sequence"
        );
        assert_eq!(refusal("\n[[frameworks]]\nname = 'a'\n"), "c.toml:2: frameworks[0]: missing field `language`");
        assert!(refusal("x = 1\nx = 2\n").starts_with("c.toml:2: "), "{}", refusal("x = 1\nx = 2\n"));
    }

    #[test]
    fn numbers_have_a_range() {
        let said = |line: &str| refusal(&format!("[neighborhoods]\n{line}\n"));
        assert_eq!(said("gamma = 0.0"), "c.toml:2: neighborhoods.gamma: 0 is not between 0.01 and 1000");
        for line in ["gamma = inf", "gamma = nan", "co_change = -1.0", "directory = nan"] {
            assert!(said(line).contains(" is not between "), "{}", said(line));
        }
        let config = parse("[neighborhoods]\ngamma = 2\n", Path::new("c.toml")).unwrap();
        assert_eq!(config.neighborhoods, Neighborhoods { gamma: Some(2.0), ..Neighborhoods::default() });
    }

    /// As deep as a file of the largest size can nest: the parser has a limit of its own.
    #[test]
    fn nesting_has_an_end() {
        let deep = format!("x = {}", "[".repeat(MAX_SIZE as usize - 4));
        assert!(refusal(&deep).starts_with("c.toml:1: "));
    }

    #[test]
    fn only_a_plain_file_of_ours_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let below = |name: &str| folder.path().join(name);
        let said = |path: &Path| {
            read(path).map_err(|error| format!("{error:#}").replace(&*folder.path().to_string_lossy(), ""))
        };
        fs::create_dir(below("floorplan")).unwrap();
        let path = below("floorplan/config.toml");
        assert_eq!(said(&below("absent/config.toml")), Ok(None));
        assert_eq!(said(&path), Ok(None));
        fs::write(&path, "# hello").unwrap();
        assert_eq!(said(&path), Ok(Some("# hello".into())));

        symlink(below("floorplan"), below("link")).unwrap();
        assert_eq!(said(&below("link/config.toml")), Err("/link is a link or no folder".into()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(said(&path).unwrap_err().starts_with("/floorplan/config.toml can be written to by everybody"));
        fs::write(&path, vec![b'#'; MAX_SIZE as usize + 1]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(said(&path), Err("/floorplan/config.toml is larger than 1024 KiB".into()));
        fs::write(&path, b"\xff").unwrap();
        assert!(said(&path).unwrap_err().starts_with("reading /floorplan/config.toml: invalid utf-8"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(said(&path), Err("/floorplan/config.toml is no regular file".into()));
        fs::remove_dir(&path).unwrap();
        symlink(below("elsewhere"), &path).unwrap();
        assert!(said(&path).unwrap_err().contains("is a link"), "{:?}", said(&path));
        fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(CWD, &path, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert_eq!(said(&path), Err("/floorplan/config.toml is no regular file".into()));
    }
}
