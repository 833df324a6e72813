//! Where Claude Code's settings lie that may deny files to the agent, and a stamp that tells when one of them changed.
//!
//! The index reads the rules in them (`index::scan::denied`); the hook only compares stamps, by the files' stats.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What an administrator deploys.
const MANAGED: [&str; 2] = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

/// More parts of managed settings than these are not read.
const MAX_PARTS: usize = 100;

/// Names of a project's settings, in its `.claude` folder.
const PROJECT: [&str; 2] = ["settings.json", "settings.local.json"];

/// A settings file, and the folder that its relative rules begin at besides the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    pub path: PathBuf,
    pub folder: PathBuf,
}

/// The settings that hold in every repository: those of the administrator and of the user. The user's are looked for both
/// where `CLAUDE_CONFIG_DIR` says and in the home: what a variable names can add rules, and never take the home's away.
pub fn user_settings() -> Vec<ClientSettings> {
    let mut found = Vec::new();
    for folder in MANAGED.map(Path::new) {
        found.push(ClientSettings { path: folder.join("managed-settings.json"), folder: folder.to_owned() });
        let parts = fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten().flatten();
        let mut parts: Vec<PathBuf> = parts.map(|entry| entry.path()).filter(|path| is_json(path)).collect();
        parts.sort();
        parts.truncate(MAX_PARTS);
        found.extend(parts.into_iter().map(|path| ClientSettings { path, folder: folder.to_owned() }));
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    folders.extend(home().map(|home| home.join(".claude")));
    folders.extend(absolute("CLAUDE_CONFIG_DIR").filter(|folder| !folders.contains(folder)));
    for folder in folders {
        found.extend(PROJECT.map(|name| ClientSettings { path: folder.join(name), folder: folder.clone() }));
    }
    found
}

/// The settings of a project, which may lie in any folder that a session is started in.
pub fn project_settings(folder: &Path) -> [ClientSettings; 2] {
    PROJECT.map(|name| ClientSettings { path: folder.join(".claude").join(name), folder: folder.to_owned() })
}

/// The user's home, if it is told.
pub fn home() -> Option<PathBuf> {
    absolute("HOME")
}

/// Of all settings that hold for a repository with this root, as text: another one when a file was written, came or went.
pub fn settings_stamp(root: &Path) -> String {
    let files = user_settings().into_iter().chain(project_settings(root));
    let stats = files.map(|file| match fs::metadata(&file.path) {
        Ok(meta) => format!("{} {} {} {}", meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec()),
        Err(_) => "-".to_owned(),
    });
    super::cache::hash(&[stats.collect::<Vec<_>>().join(" ").as_bytes()])
}

/// Name of the file in a repository's cache folder whose first line is the [`settings_stamp`] that the last index run saw.
pub const RULES: &str = "rules";

/// Are the settings other ones than those that the last index run read? Said to be so where no run noted any.
pub fn settings_differ(cache: &Path, root: &Path) -> bool {
    let noted = super::read_file(&cache.join(RULES), 256).unwrap_or_default();
    noted.split(|byte| *byte == b'\n').next() != Some(settings_stamp(root).as_bytes())
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
