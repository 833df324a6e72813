//! Claude Code itself: is it there, is it new enough, and does it run hooks in this folder?

use super::{Findings, program};
use crate::repo;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Starting it takes a second, on a busy machine some.
const LIMIT: Duration = Duration::from_secs(20);

/// Its state, with a line for each project; larger ones are not read.
const MAX_STATE: usize = 64 << 20;

/// The first version that gives the agent what a hook says before a tool call.
const OLDEST: [u32; 3] = [2, 1, 9];

/// The first one that starts a hook without a shell.
const WITHOUT_SHELL: [u32; 3] = [2, 1, 139];

pub(super) fn check(root: &Path, findings: &mut Findings) {
    let Some(path) = find() else {
        return findings.note("client", "no `claude` on the PATH or in the usual places, so its version is unknown");
    };
    let shown = path.display();
    let ran = program::run((&path.to_string_lossy(), &["--version".to_owned()]), b"", Path::new("/"), &[], LIMIT);
    let version = ran.as_ref().ok().and_then(|ran| version_of(&ran.stdout));
    match version {
        None => {
            let reason = ran.err().map_or("it says no version".to_owned(), |error| format!("{error:#}"));
            findings.note("client", format!("{shown}: {reason}"));
        }
        Some(version) => {
            let text = version.map(|part| part.to_string()).join(".");
            if version < OLDEST {
                let hint = "update it (claude update)";
                findings.fault("client", format!("{shown} {text} drops what a hook says before a tool call"), hint);
            } else {
                findings.ok("client", format!("{shown} {text}{}", tools(version)));
            }
        }
    }
    if is_trusted(root) == Some(false) {
        let said = format!(
            "{} is not trusted yet: Claude Code runs no hooks there until its question is answered",
            root.display()
        );
        findings.note("client", said);
    }
}

/// What follows from the version.
fn tools(version: [u32; 3]) -> &'static str {
    if version < WITHOUT_SHELL {
        ": starts hooks through a shell, so the path of the binary must have no blanks"
    } else {
        ": offers Read and Bash; Grep and Glob only where they are asked for; all are answered"
    }
}

fn find() -> Option<PathBuf> {
    let places = [".local/bin/claude", ".claude/local/claude"];
    let at_home = || places.iter().filter_map(|place| Some(repo::home()?.join(place))).find(|path| path.is_file());
    program::on_path("claude").or_else(at_home)
}

/// `2.1.332 (Claude Code)`
fn version_of(text: &str) -> Option<[u32; 3]> {
    let mut parts = text.split_whitespace().next()?.split('.').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// Has the user said that this folder, or one above it, is trusted? `None` where that is not to be seen.
fn is_trusted(root: &Path) -> Option<bool> {
    let state: Value =
        serde_json::from_slice(&repo::read_file(&repo::home()?.join(".claude.json"), MAX_STATE)?).ok()?;
    let projects = state.get("projects")?.as_object()?;
    let said = |folder: &Path| projects.get(folder.to_str()?)?.get("hasTrustDialogAccepted")?.as_bool();
    Some(root.ancestors().any(|folder| said(folder) == Some(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version_of("2.1.332 (Claude Code)\n"), Some([2, 1, 332]));
        for none in ["", "claude", "2.1", "v2.1.3", "2.x.1"] {
            assert_eq!(version_of(none), None, "{none}");
        }
        assert!([2, 1, 10] > OLDEST && [2, 0, 999] < OLDEST);
    }
}
