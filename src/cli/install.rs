//! `floorplan install` and `floorplan uninstall`: our hook entries in Claude Code's settings file, and out again.
//!
//! The file guards the user's permissions, so it is handled like one: refused when it belongs to somebody else, is
//! read-only or cannot be understood; copied once before the first change; replaced by rename with its mode kept; and
//! read back. What the text becomes is `settings`' part; nothing here knows JSON.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::DONE;
use super::settings::{self, BINARY_NAME, Edit};
use crate::repo;

/// Larger settings are refused: nobody wrote them by hand, and all of it is held in memory.
const MAX_SETTINGS_BYTES: u64 = 16 << 20;

/// Added to the name of the settings file for the copy that is made before the first change.
const BACKUP_SUFFIX: &str = ".floorplan-backup";

/// Arguments of `floorplan install`.
#[derive(Args, Debug)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    common: Common,
}

/// Arguments of `floorplan uninstall`.
#[derive(Args, Debug)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    common: Common,
    /// Remove all graphs as well, of every repository
    #[arg(long)]
    purge: bool,
}

#[derive(Args, Debug)]
struct Common {
    /// Use the settings of the repository that holds DIR (.claude/settings.json) instead of the user's own
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Say what would change and write nothing
    #[arg(long)]
    dry_run: bool,
    /// The floorplan binary that the hook names [default: this one]
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
}

/// Registers the hook. Returns the exit code.
///
/// # Errors
/// If the binary or the settings file is refused, or writing fails; then the file is as it was.
pub(crate) fn run_install(args: &InstallArgs, out: &mut dyn Write) -> Result<u8> {
    let binary = checked_binary(&binary_path(&args.common)?, args.common.dry_run)?;
    let target = Target::of(&args.common)?;
    for warning in &binary.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    let edited = |text: &str, _: Option<&str>| settings::install(text, &binary.command);
    apply(&target, args.common.dry_run, edited, out)?;
    Ok(DONE)
}

/// Takes the hook out. Returns the exit code; it is no failure if there was nothing to take out.
///
/// # Errors
/// If the settings file is refused or writing fails; then the file is as it was.
pub(crate) fn run_uninstall(args: &UninstallArgs, out: &mut dyn Write) -> Result<u8> {
    let binary = binary_path(&args.common)?;
    let target = Target::of(&args.common)?;
    let command = binary.to_string_lossy();
    let edited = |text: &str, original: Option<&str>| settings::uninstall(text, &command, original);
    let done = apply(&target, args.common.dry_run, edited, out);
    if done.is_ok() && !args.common.dry_run {
        target.clean_up().context("removing what was left")?;
    }
    if args.purge {
        purge(args.common.dry_run, out)?;
    }
    done?;
    Ok(DONE)
}

/// Removes the folder of all graphs. What a link in it leads to stays.
fn purge(dry_run: bool, out: &mut dyn Write) -> Result<()> {
    let Some(folder) = repo::caches_dir() else { return Ok(()) };
    let shown = folder.display();
    let metadata = match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            writeln!(out, "{shown}\n  nothing to remove")?;
            return Ok(());
        }
        found => found.with_context(|| format!("looking at {shown}"))?,
    };
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        bail!("{shown} is a link, no folder, or another user's: it is left as it is");
    }
    if dry_run {
        writeln!(out, "{shown}\n  dry run: would be removed")?;
        return Ok(());
    }
    fs::remove_dir_all(&folder).with_context(|| format!("removing {shown}"))?;
    writeln!(out, "{shown}\n  removed")?;
    Ok(())
}

fn binary_path(common: &Common) -> Result<PathBuf> {
    let path = match &common.binary {
        Some(path) => path.clone(),
        None => std::env::current_exe().context("finding the path of this program; give it with --binary")?,
    };
    std::path::absolute(&path).with_context(|| format!("making {} absolute", path.display()))
}

struct Binary {
    command: String,
    warnings: Vec<String>,
}

/// The command as it goes into the settings. In exec form the client starts it as it stands, without a shell, so blanks and
/// quotes are safe; but line ends and `${` (which the client substitutes) cannot be meant.
fn checked_binary(path: &Path, dry_run: bool) -> Result<Binary> {
    let Some(command) = path.to_str() else {
        bail!("{} is not valid UTF-8, which JSON cannot hold: install to another folder", path.display())
    };
    if command.chars().any(char::is_control) || command.contains("${") {
        bail!("{command:?} holds a control character or `${{`: install to another folder");
    }
    if path.file_name().is_none_or(|name| name != BINARY_NAME) {
        bail!("{command} is not named {BINARY_NAME}, which is how `floorplan uninstall` finds the entries again");
    }
    let metadata = match fs::metadata(path) {
        Err(error) if dry_run && error.kind() == io::ErrorKind::NotFound => {
            return Ok(Binary { command: command.to_owned(), warnings: vec![format!("{command} is not there yet")] });
        }
        found => found.with_context(|| format!("looking at {command}"))?,
    };
    if !metadata.is_file() || metadata.mode() & 0o111 == 0 {
        bail!("{command} is not an executable file");
    }
    let mut warnings = Vec::new();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !command.chars().all(plain) {
        warnings.push(format!(
            "{command:?}: Claude Code before 2.1.139 hands this path to a shell, which will split it; a folder with a plain name is safer"
        ));
    }
    let folder_mode = path.parent().and_then(|folder| fs::metadata(folder).ok()).map_or(0, |m| m.mode());
    if (metadata.mode() | folder_mode) & 0o022 != 0 {
        warnings.push(format!("{command} or its folder can be written by others: whoever does so runs as you"));
    }
    Ok(Binary { command: command.to_owned(), warnings })
}

/// The settings file to change.
struct Target {
    path: PathBuf,
    /// For a project: the file must stay inside this folder. A repository is foreign text; a link in it must not lead an
    /// install to some other file of the user.
    inside: Option<PathBuf>,
}

impl Target {
    fn of(common: &Common) -> Result<Target> {
        match &common.project {
            Some(dir) => Target::project(dir),
            None => Target::user(std::env::var_os("CLAUDE_CONFIG_DIR"), std::env::var_os("HOME")),
        }
    }

    fn user(config_dir: Option<OsString>, home: Option<OsString>) -> Result<Target> {
        let set = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = set(config_dir).or_else(|| set(home).map(|home| home.join(".claude")));
        let folder = folder.context("HOME is not set to an absolute path, so there is no user's settings file")?;
        Ok(Target { path: folder.join("settings.json"), inside: None })
    }

    /// Started in a subdirectory the client does not read the settings above it, so they belong at the top.
    fn project(dir: &Path) -> Result<Target> {
        let dir = fs::canonicalize(dir).with_context(|| format!("looking at {}", dir.display()))?;
        if !dir.is_dir() {
            bail!("{} is not a folder", dir.display());
        }
        let top = repo::locate_or_folder(&dir).root;
        Ok(Target { path: top.join(".claude").join("settings.json"), inside: Some(top) })
    }

    /// The file that is really there, links followed, or `None` if there is none yet.
    fn resolve(&self) -> Result<Option<Existing>> {
        let path = &self.path;
        let is_link = match path.symlink_metadata() {
            Ok(metadata) => metadata.is_symlink(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.check_folder()?;
                return Ok(None);
            }
            Err(error) => return Err(error).context("looking at the file"),
        };
        let real = fs::canonicalize(path).context("it is a link that leads nowhere")?;
        if let Some(inside) = &self.inside
            && !real.starts_with(inside)
        {
            bail!("it leads out of the repository, to {}", real.display());
        }
        let metadata = fs::metadata(&real)?;
        if !metadata.is_file() {
            bail!("{} is not a regular file", real.display());
        }
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            let what = if is_link { "it is a link to a file that" } else { "it" };
            bail!("{what} belongs to another user ({}): change it there", real.display());
        }
        // Renaming over it would work, but somebody took the right to write away on purpose.
        if metadata.mode() & 0o200 == 0 {
            bail!("{} is read-only", real.display());
        }
        if metadata.len() > MAX_SETTINGS_BYTES {
            bail!("it is larger than {} MiB", MAX_SETTINGS_BYTES >> 20);
        }
        let mut text = String::new();
        File::open(&real)?.take(MAX_SETTINGS_BYTES).read_to_string(&mut text).context("it is not UTF-8 text")?;
        Ok(Some(Existing { path: real, text, mode: metadata.mode() & 0o7777 }))
    }

    /// Removes the copy that an install made: it has done its work. Also the one of an install whose entries somebody else
    /// has taken out.
    fn clean_up(&self) -> Result<()> {
        let real = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let backup = with_suffix(&real, BACKUP_SUFFIX);
        if backup.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            fs::remove_file(&backup).with_context(|| format!("removing {}", backup.display()))?;
        }
        Ok(())
    }

    /// The folder of a file that does not exist yet: as much of it as exists must be the user's, and inside the repository.
    fn check_folder(&self) -> Result<()> {
        let mut ancestors = self.path.ancestors().skip(1);
        let folder = ancestors.find(|folder| folder.symlink_metadata().is_ok());
        let real = fs::canonicalize(folder.context("no folder above it exists")?)?;
        if self.inside.as_ref().is_some_and(|inside| !real.starts_with(inside)) {
            bail!("its folder leads out of the repository, to {}", real.display());
        }
        if fs::metadata(&real)?.uid() != rustix::process::geteuid().as_raw() {
            bail!("its folder {} belongs to another user", real.display());
        }
        Ok(())
    }
}

struct Existing {
    path: PathBuf,
    text: String,
    mode: u32,
}

/// Edits the target and says what was done. `edited` gets the text and, if there is one, the text before our first change.
fn apply(
    target: &Target,
    dry_run: bool,
    edited: impl Fn(&str, Option<&str>) -> Result<Edit>,
    out: &mut dyn Write,
) -> Result<()> {
    let shown = target.path.display();
    let refused = || format!("{shown} is left as it is");
    let existing = target.resolve().with_context(refused)?;
    let real = existing.as_ref().map_or(&target.path, |existing| &existing.path).clone();
    let backup = with_suffix(&real, BACKUP_SUFFIX);
    let original = fs::read_to_string(&backup).ok();
    let text = existing.as_ref().map_or("", |existing| existing.text.as_str());
    let edit = edited(text, original.as_deref()).with_context(refused)?;
    writeln!(out, "{shown}{}", if existing.is_none() { " (new)" } else { "" })?;
    for line in &edit.changes {
        writeln!(out, "  {line}")?;
    }
    let Some(new) = &edit.text else {
        writeln!(out, "  nothing to change")?;
        return note_disabled(&edit, out);
    };
    if dry_run {
        writeln!(out, "  dry run: nothing was written")?;
        return note_disabled(&edit, out);
    }
    match &existing {
        Some(existing) => {
            if original.is_none() && !edit.nothing_left {
                write_new(&backup, &existing.text, existing.mode)
                    .with_context(|| format!("copying the settings to {}", backup.display()))
                    .with_context(refused)?;
                writeln!(out, "  before the change: {}", backup.display())?;
            }
        }
        None => {
            let folder = real.parent().with_context(refused)?;
            fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        }
    }
    if edit.nothing_left && real == target.path {
        return remove(&real, text, out).with_context(refused);
    }
    replace(&real, existing.as_ref(), new).with_context(refused)?;
    let read_back = fs::read_to_string(&real).with_context(|| format!("reading {shown} back"))?;
    if read_back != *new {
        bail!("{shown} does not hold what was written; the text before is in {}", backup.display());
    }
    writeln!(out, "  written")?;
    note_disabled(&edit, out)
}

/// Removes the file, which an install made, and its folder if that leaves it empty.
fn remove(path: &Path, text: &str, out: &mut dyn Write) -> Result<()> {
    if fs::read_to_string(path)? != text {
        bail!("it was changed by somebody else just now: try again");
    }
    fs::remove_file(path)?;
    writeln!(out, "  removed, since nothing else was in it")?;
    if let Some(folder) = path.parent() {
        // It holds other things, then.
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

/// Brings our entries in the settings file at `path` up to date, for `floorplan doctor --fix`.
///
/// # Errors
/// As [`run_install`].
pub(super) fn update(path: &Path, command: &str) -> Result<()> {
    let target = Target { path: path.to_owned(), inside: None };
    apply(&target, false, |text, _| settings::install(text, command), &mut io::sink())
}

fn note_disabled(edit: &Edit, out: &mut dyn Write) -> Result<()> {
    if edit.hooks_disabled {
        writeln!(out, "  note: disableAllHooks is set there, so Claude Code runs no hooks")?;
    }
    Ok(())
}

/// Puts `text` in place of the file by rename, so that no reader ever sees half of it.
fn replace(path: &Path, existing: Option<&Existing>, text: &str) -> Result<()> {
    let temporary = with_suffix(path, &format!(".floorplan-{}", std::process::id()));
    let put = || -> Result<()> {
        write_new(&temporary, text, existing.map_or(0o600, |existing| existing.mode))?;
        // The client, an editor or another install may have written meanwhile: its change must not be lost.
        let now = match fs::read_to_string(path) {
            Ok(now) => Some(now),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        if now.as_deref() != existing.map(|existing| existing.text.as_str()) {
            bail!("it was changed by somebody else just now: try again");
        }
        Ok(fs::rename(&temporary, path)?)
    };
    let done = put();
    if done.is_err() {
        // What is left over is ours alone; that it could not be made or removed is no news beside the error itself.
        let _ = fs::remove_file(&temporary);
    }
    done.with_context(|| format!("writing {}", path.display()))
}

/// Writes a file that must not exist yet, with exactly this mode whatever the umask.
fn write_new(path: &Path, text: &str, mode: u32) -> Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(file.sync_all()?)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const COMMAND: &str = "/x/floorplan";

    fn target(folder: &Path) -> Target {
        Target { path: folder.join("settings.json"), inside: None }
    }

    fn install_into(target: &Target) -> Result<String> {
        let mut out = Vec::new();
        apply(target, false, |text, _| settings::install(text, COMMAND), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn uninstall_from(target: &Target) -> Result<String> {
        let mut out = Vec::new();
        apply(target, false, |text, original| settings::uninstall(text, COMMAND, original), &mut out)?;
        target.clean_up()?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_is_private_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target { path: folder.path().join(".claude/settings.json"), inside: None };
        install_into(&target).unwrap();
        assert_eq!(fs::metadata(&target.path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(names(&folder.path().join(".claude")), ["settings.json"]);
    }

    #[test]
    fn the_first_text_is_kept_once_and_the_mode_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = target(folder.path());
        fs::write(&target.path, "{\"a\":1}").unwrap();
        fs::set_permissions(&target.path, fs::Permissions::from_mode(0o640)).unwrap();
        install_into(&target).unwrap();
        fs::write(&target.path, "{\"a\":2}").unwrap();
        install_into(&target).unwrap();
        assert_eq!(fs::metadata(&target.path).unwrap().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(folder.path().join("settings.json.floorplan-backup")).unwrap(), "{\"a\":1}");
    }

    #[test]
    fn out_again_to_the_byte_takes_the_copy_along() {
        let folder = tempfile::tempdir().unwrap();
        let target = target(folder.path());
        fs::write(&target.path, "{\n  \"hooks\": {}\n}\n").unwrap();
        install_into(&target).unwrap();
        uninstall_from(&target).unwrap();
        assert_eq!(fs::read_to_string(&target.path).unwrap(), "{\n  \"hooks\": {}\n}\n");
        assert_eq!(names(folder.path()), ["settings.json"]);
        assert!(uninstall_from(&target).unwrap().contains("nothing to change"));
    }

    #[test]
    fn nothing_is_left_of_an_install() {
        let folder = tempfile::tempdir().unwrap();
        let made = Target { path: folder.path().join(".claude/settings.json"), inside: None };
        install_into(&made).unwrap();
        uninstall_from(&made).unwrap();
        assert!(names(folder.path()).is_empty());

        let target = target(folder.path());
        for text in ["{}", "", "\n", "{\"hooks\": { } }", "{\"a\":1,\"b\":[]}"] {
            fs::write(&target.path, text).unwrap();
            install_into(&target).unwrap();
            uninstall_from(&target).unwrap();
            assert_eq!(fs::read_to_string(&target.path).unwrap(), text);
            assert_eq!(names(folder.path()), ["settings.json"]);
        }
        // Somebody else has written meanwhile.
        install_into(&target).unwrap();
        let text = fs::read_to_string(&target.path).unwrap().replace("\"a\":1", "\"a\":2");
        fs::write(&target.path, text).unwrap();
        uninstall_from(&target).unwrap();
        assert_eq!(fs::read_to_string(&target.path).unwrap(), "{\"a\":2,\"b\":[]}");
        assert_eq!(names(folder.path()), ["settings.json"]);
    }

    #[test]
    fn uninstall_without_a_file_makes_none() {
        let folder = tempfile::tempdir().unwrap();
        uninstall_from(&target(folder.path())).unwrap();
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_dry_run_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        let edited = |text: &str, _: Option<&str>| settings::install(text, COMMAND);
        apply(&target(folder.path()), true, edited, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().contains("+ hooks.PreToolUse {\"matcher\""));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_link_of_a_dotfile_manager_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let dotfiles = folder.path().join("dotfiles.json");
        fs::write(&dotfiles, "{}").unwrap();
        let target = target(folder.path());
        symlink(&dotfiles, &target.path).unwrap();
        install_into(&target).unwrap();
        assert!(target.path.symlink_metadata().unwrap().is_symlink());
        assert!(fs::read_to_string(&dotfiles).unwrap().contains(COMMAND));
    }

    #[test]
    fn files_that_are_not_plainly_the_users_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let target = target(folder.path());
        symlink(folder.path().join("nowhere"), &target.path).unwrap();
        assert!(format!("{:#}", install_into(&target).unwrap_err()).contains("leads nowhere"));
        fs::remove_file(&target.path).unwrap();
        fs::create_dir(&target.path).unwrap();
        assert!(format!("{:#}", install_into(&target).unwrap_err()).contains("not a regular file"));
        fs::remove_dir(&target.path).unwrap();
        fs::write(&target.path, "{}").unwrap();
        fs::set_permissions(&target.path, fs::Permissions::from_mode(0o400)).unwrap();
        assert!(format!("{:#}", install_into(&target).unwrap_err()).contains("read-only"));
        fs::remove_file(&target.path).unwrap();
        fs::write(&target.path, b"{\"a\": \"\xff\"}").unwrap();
        assert!(format!("{:#}", install_into(&target).unwrap_err()).contains("UTF-8"));
        assert_eq!(fs::read(&target.path).unwrap(), b"{\"a\": \"\xff\"}");
    }

    #[test]
    fn a_file_of_another_user_is_refused() {
        if !rustix::process::geteuid().is_root() {
            return; // only root can give a file away; CI runs as root
        }
        let folder = tempfile::tempdir().unwrap();
        let target = target(folder.path());
        fs::write(&target.path, "{}").unwrap();
        std::os::unix::fs::chown(&target.path, Some(12345), None).unwrap();
        assert!(format!("{:#}", install_into(&target).unwrap_err()).contains("another user"));
    }

    #[test]
    fn project_settings_stay_inside_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let repo = folder.path().join("repo");
        fs::create_dir_all(repo.join(".git")).unwrap();
        // An empty folder of that name makes no repository.
        fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::create_dir_all(repo.join("sub/.claude")).unwrap();
        let target = Target::project(&repo.join("sub")).unwrap();
        assert!(target.path.ends_with("repo/.claude/settings.json"), "the top, not the subdirectory");
        fs::write(folder.path().join("other.json"), "{}").unwrap();
        fs::create_dir(repo.join(".claude")).unwrap();
        symlink(folder.path().join("other.json"), &target.path).unwrap();
        assert!(format!("{:#}", install_into(&target).unwrap_err()).contains("leads out of the repository"));
        fs::remove_dir_all(repo.join(".claude")).unwrap();
        symlink(folder.path(), repo.join(".claude")).unwrap();
        assert!(format!("{:#}", install_into(&target).unwrap_err()).contains("leads out of the repository"));
    }

    #[test]
    fn a_write_of_somebody_else_in_between_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let target = target(folder.path());
        fs::write(&target.path, "{}").unwrap();
        let edited = |text: &str, _: Option<&str>| {
            fs::write(&target.path, "{\"theirs\":1}").unwrap();
            settings::install(text, COMMAND)
        };
        assert!(apply(&target, false, edited, &mut Vec::new()).is_err());
        assert_eq!(fs::read_to_string(&target.path).unwrap(), "{\"theirs\":1}");
        assert_eq!(names(folder.path()), ["settings.json", "settings.json.floorplan-backup"]);
    }

    #[test]
    fn paths_that_cannot_be_meant_are_refused_and_odd_ones_warned_of() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| {
            let dir = folder.path().join(name);
            fs::create_dir_all(&dir).unwrap();
            let path = dir.join("floorplan");
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        assert!(checked_binary(&place("plain"), false).unwrap().warnings.is_empty());
        let odd = checked_binary(&place("with 'quotes\" and blanks"), false).unwrap();
        assert_eq!(odd.warnings.len(), 1);
        assert!(checked_binary(&place("new\nline"), false).is_err());
        assert!(checked_binary(&place("${HOME}"), false).is_err());
        assert!(checked_binary(&folder.path().join("plain"), false).is_err());
        assert!(checked_binary(&folder.path().join("absent/floorplan"), false).is_err());
        assert!(
            checked_binary(&folder.path().join("absent/floorplan"), true).unwrap().warnings[0].contains("not there")
        );
        let open = place("open");
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(checked_binary(&open, false).unwrap().warnings.len(), 1);
    }
}
