//! Which files the user has denied the agent: the `Read(...)` deny rules of Claude Code's settings. What they name is not
//! even listed, since the client delivers our words also for calls that it refuses.
//!
//! Patterns are those of .gitignore: `//x` from the root of the file system, `~/x` from the home, `/x` and `./x` from the
//! root of the repository or the folder of the settings, a bare name anywhere. Rules add up, whoever's settings they stand
//! in, and a pattern that takes something back (`!x`) is passed over: nothing can widen what another rule closed. Settings
//! of folders further down hold for what lies below them.

use super::content::read_small;
use crate::repo::{self, ClientSettings};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Larger settings are not read.
const MAX_SETTINGS: u64 = 16 << 20;

/// The rules that hold in one work tree.
#[derive(Clone, Debug)]
pub struct Denied {
    root: PathBuf,
    rules: Vec<Rules>,
    /// Folders whose settings were looked for.
    entered: FxHashSet<PathBuf>,
    found: Found,
}

/// What was read, to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Rules that deny reading something.
    pub rules: usize,
    /// Files that hold one.
    pub files: Vec<PathBuf>,
    /// Settings that could not be read, or not as JSON; with the reason.
    pub faults: Vec<String>,
    /// Another one for other rules.
    pub hash: u64,
}

/// The rules of one settings file.
#[derive(Clone, Debug)]
struct Rules {
    /// They say nothing about what lies elsewhere.
    within: PathBuf,
    matchers: Vec<Gitignore>,
}

impl Denied {
    /// The rules of the administrator, of the user and of the project at `root`.
    pub fn of(root: &Path) -> Denied {
        Denied::from(root, repo::user_settings())
    }

    fn from(root: &Path, settings: Vec<ClientSettings>) -> Denied {
        let (rules, entered, found) = (Vec::new(), FxHashSet::default(), Found::default());
        let mut denied = Denied { root: root.to_owned(), rules, entered, found };
        for settings in settings {
            denied.add(&settings, Path::new("/"));
        }
        denied.enter(root);
        denied
    }

    /// What was read so far.
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Reads the settings in `folder/.claude`, which hold for what lies below.
    pub(super) fn enter(&mut self, folder: &Path) {
        if self.entered.insert(folder.to_owned()) {
            for settings in repo::project_settings(folder) {
                self.add(&settings, folder);
            }
        }
    }

    fn add(&mut self, settings: &ClientSettings, within: &Path) {
        // A link is how dotfile managers put settings in place, and the client follows it.
        let Ok(real) = fs::canonicalize(&settings.path) else { return };
        let Some(bytes) = read_small(&real, MAX_SETTINGS) else {
            self.found.faults.push(format!("{} cannot be read", settings.path.display()));
            return;
        };
        let (texts, fault) = rules_of(&String::from_utf8_lossy(&bytes));
        if let Some(fault) = fault {
            self.found.faults.push(format!("{} is not JSON ({fault})", settings.path.display()));
        }
        let patterns: Vec<&str> = texts.iter().filter_map(|text| pattern_of(text)).collect();
        if patterns.is_empty() {
            return;
        }
        for part in patterns.iter().copied().chain([&*settings.folder.to_string_lossy()]) {
            self.found.hash = xxh3_64_with_seed(part.as_bytes(), self.found.hash);
        }
        self.found.rules += patterns.len();
        self.found.files.push(settings.path.clone());
        let mut rules = Rules { within: within.to_owned(), matchers: Vec::new() };
        for (anchor, lines) in self.anchored(&patterns, &settings.folder) {
            let mut builder = GitignoreBuilder::new(&anchor);
            // As the client compares them.
            let _ = builder.case_insensitive(true);
            for line in lines {
                let _ = builder.add_line(None, &line);
            }
            rules.matchers.extend(builder.build().ok().filter(|matcher| !matcher.is_empty()));
        }
        self.rules.push(rules);
    }

    /// The patterns as lines of a .gitignore in the folder that each begins at.
    fn anchored(&self, patterns: &[&str], folder: &Path) -> Vec<(PathBuf, Vec<String>)> {
        let mut from: Vec<(PathBuf, Vec<String>)> = Vec::new();
        let mut put = |anchor: &Path, line: String| match from.iter_mut().find(|(known, _)| known == anchor) {
            Some((_, lines)) => lines.push(line),
            None => from.push((anchor.to_owned(), vec![line])),
        };
        for pattern in patterns {
            if let Some(rest) = pattern.strip_prefix("//") {
                put(Path::new("/"), format!("/{rest}"));
                if let Some(line) = real(Path::new("/"), rest) {
                    put(Path::new("/"), line);
                }
            } else if let Some(rest) = pattern.strip_prefix("~/") {
                let Some(home) = repo::home() else { continue };
                for home in [fs::canonicalize(&home).ok(), Some(home.clone())].into_iter().flatten() {
                    put(&home, format!("/{rest}"));
                }
                if let Some(line) = real(&home, rest) {
                    put(Path::new("/"), line);
                }
            } else {
                // Where it begins depends on the client's version and on where the session was started.
                let line = pattern.strip_prefix("./").map_or((*pattern).to_owned(), |rest| format!("/{rest}"));
                if self.root != folder {
                    put(folder, line.clone());
                }
                put(&self.root, line);
            }
        }
        from
    }

    /// Is a file or folder denied? Those above it are not, or were asked about before.
    pub(super) fn hides(&self, path: &Path, is_folder: bool) -> bool {
        self.rules.iter().any(|rules| {
            path.starts_with(&rules.within)
                && rules
                    .matchers
                    .iter()
                    .any(|matcher| path.starts_with(matcher.path()) && matcher.matched(path, is_folder).is_ignore())
        })
    }

    /// Is the root itself denied, or a folder above it?
    pub(super) fn hides_root(&self) -> bool {
        self.root.ancestors().any(|folder| folder.parent().is_some() && self.hides(folder, true))
    }

    /// Reads the settings on the way to a file (relative to the root), for who has not walked there.
    pub(crate) fn enter_towards(&mut self, path: &str) {
        for (slash, _) in path.match_indices('/') {
            self.enter(&self.root.join(&path[..slash]));
        }
    }

    /// Is a file (relative to the root) denied, by itself or with a folder that it lies in?
    pub(crate) fn hides_file(&self, path: &str) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let folders = path.match_indices('/').map(|(slash, _)| &path[..slash]);
        self.hides_root()
            || folders.into_iter().any(|folder| self.hides(&self.root.join(folder), true))
            || self.hides(&self.root.join(path), false)
    }
}

/// A pattern whose beginning leads through a link, by the path that is really there, from the root of the file system.
fn real(anchor: &Path, pattern: &str) -> Option<String> {
    let plain = pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '\\']));
    let plain: Vec<&str> = plain.collect();
    // The longest beginning that exists.
    (1..=plain.len()).rev().find_map(|length| {
        let beginning = plain[..length].join("/");
        let typed = anchor.join(&beginning);
        let real = fs::canonicalize(&typed).ok()?;
        let escaped: String = real.to_str()?.chars().flat_map(escaped).collect();
        (real != typed).then(|| escaped + &pattern[beginning.len()..])
    })
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let special = matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | '#' | ' ');
    special.then_some('\\').into_iter().chain([c])
}

/// What a rule denies to be read; `None` for a rule of another tool, and for one that takes something back.
fn pattern_of(rule: &str) -> Option<&str> {
    let rule = rule.trim();
    if rule == "Read" {
        return Some("**");
    }
    let pattern = rule.strip_prefix("Read(")?.strip_suffix(')')?.trim();
    (!pattern.is_empty() && !pattern.starts_with(['!', '#'])).then_some(pattern)
}

/// The deny rules of a settings file. Of one that is not JSON, and that the client therefore skips as a whole, those that can
/// be made out all the same, with what is wrong: its owner wrote them to be kept.
fn rules_of(text: &str) -> (Vec<String>, Option<String>) {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(settings) => {
            let rules = settings["permissions"]["deny"].as_array().into_iter().flatten();
            (rules.filter_map(|rule| Some(rule.as_str()?.to_owned())).collect(), None)
        }
        Err(_) if text.trim().is_empty() => (Vec::new(), None),
        Err(fault) => (made_out(text), Some(fault.to_string())),
    }
}

/// All strings between the brackets after each `"deny"`.
fn made_out(text: &str) -> Vec<String> {
    let mut rules = Vec::new();
    for (at, key) in text.match_indices("\"deny\"") {
        let rest = &text[at + key.len()..];
        let Some(open) = rest.find('[').filter(|open| rest[..*open].trim() == ":") else { continue };
        let mut rest = &rest[open + 1..];
        while let Some(next) = rest.find(['"', ']']).filter(|next| rest.as_bytes()[*next] == b'"') {
            let body = &rest[next + 1..];
            let mut escaped = false;
            let end = body.bytes().position(|byte| {
                let ends = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                ends
            });
            let Some(end) = end else { break };
            rules.extend(serde_json::from_str::<String>(&rest[next..end + next + 2]).ok());
            rest = &body[end + 1..];
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sandbox {
        folder: tempfile::TempDir,
        root: PathBuf,
    }

    fn sandbox() -> Sandbox {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("repo");
        fs::create_dir_all(root.join(".claude")).unwrap();
        Sandbox { folder, root }
    }

    impl Sandbox {
        /// With these rules in settings of the user's.
        fn denied(&self, rules: &[&str]) -> Denied {
            let text = serde_json::json!({"permissions": {"deny": rules, "allow": ["Read(**)"]}}).to_string();
            self.denied_by(&text)
        }

        fn denied_by(&self, settings: &str) -> Denied {
            let folder = fs::canonicalize(self.folder.path()).unwrap();
            fs::write(folder.join("settings.json"), settings).unwrap();
            Denied::from(&self.root, vec![ClientSettings { path: folder.join("settings.json"), folder }])
        }

        /// Those of some files that a rule hides.
        fn hidden(&self, rule: &str) -> Vec<&'static str> {
            let mut denied = self.denied(&[rule]);
            let files = ["a.py", "secret.py", "sub/secret.py", "sub/deep/b.py", "private/c.py", "sub/private/d.py"];
            files.iter().for_each(|file| denied.enter_towards(file));
            files.into_iter().filter(|file| denied.hides_file(file)).collect()
        }
    }

    #[test]
    fn patterns_mean_what_they_mean_to_the_client() {
        let s = sandbox();
        let root = s.root.display().to_string();
        assert_eq!(s.hidden("Read(secret.py)"), ["secret.py", "sub/secret.py"]);
        assert_eq!(s.hidden("Read(SECRET.*)"), ["secret.py", "sub/secret.py"], "case is not told apart");
        assert_eq!(s.hidden("Read(./secret.py)"), ["secret.py"]);
        assert_eq!(s.hidden("Read(/secret.py)"), ["secret.py"]);
        assert_eq!(s.hidden("Read(private)"), ["private/c.py", "sub/private/d.py"]);
        assert_eq!(s.hidden("Read(./private/**)"), ["private/c.py"]);
        assert_eq!(s.hidden("Read(**/private/**)"), ["private/c.py", "sub/private/d.py"]);
        assert_eq!(s.hidden("Read(sub/*/b.py)"), ["sub/deep/b.py"]);
        assert_eq!(s.hidden(&format!("Read(/{root}/sub/**)")), ["sub/secret.py", "sub/deep/b.py", "sub/private/d.py"]);
        assert_eq!(s.hidden(&format!("Read(/{root})")).len(), 6, "the root itself");
        for all in ["Read", "Read(**)", "Read(*)", "Read(//**)"] {
            assert_eq!(s.hidden(all).len(), 6, "{all}");
        }
        for none in ["Read(//etc/**)", "Edit(**)", "Bash(cat a.py)", "Read()", "Read(!a.py)", "Read(~/x)", "Reader", ""]
        {
            assert!(s.hidden(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn a_path_through_a_link_is_the_real_one() {
        let s = sandbox();
        let link = fs::canonicalize(s.folder.path()).unwrap().join("link [1]");
        std::os::unix::fs::symlink(&s.root, &link).unwrap();
        fs::create_dir(s.root.join("sub")).unwrap();
        let rule = format!("Read(/{}/sub/**)", link.display().to_string().replace('[', "\\[").replace(']', "\\]"));
        assert!(s.hidden(&rule).is_empty(), "what is escaped is not followed");
        let plain = fs::canonicalize(s.folder.path()).unwrap().join("link");
        std::os::unix::fs::symlink(&s.root, &plain).unwrap();
        assert_eq!(s.hidden(&format!("Read(/{}/sub/*.py)", plain.display())), ["sub/secret.py"]);
    }

    #[test]
    fn a_project_can_only_add_rules() {
        let s = sandbox();
        let project =
            r#"{"permissions": {"deny": ["Read(!secret.py)", "Read(./a.py)"], "allow": ["Read(secret.py)"]}}"#;
        fs::write(s.root.join(".claude/settings.local.json"), project).unwrap();
        assert_eq!(s.hidden("Read(secret.py)"), ["a.py", "secret.py", "sub/secret.py"]);
    }

    #[test]
    fn settings_further_down_hold_below_them() {
        let s = sandbox();
        fs::create_dir_all(s.root.join("sub/.claude")).unwrap();
        let rules = r#"{"permissions": {"deny": ["Read(./private/**)", "Read(a.py)", "Read(//**/c.py)"]}}"#;
        fs::write(s.root.join("sub/.claude/settings.json"), rules).unwrap();
        assert_eq!(s.hidden("Read(none)"), ["sub/private/d.py"]);
    }

    #[test]
    fn rules_are_made_out_where_the_settings_are_no_json() {
        let s = sandbox();
        for text in [
            "{\"permissions\": {\"deny\": [\"Read(secret.py)\",], // why\n}}",
            "\u{feff}{\"permissions\": {\"deny\" : [ /* x */ \"Read(se\\u0063ret.py)\" ]}",
            "\"deny\": [\"Bash(x \\\" y)\", \"Read(secret.py)\"",
        ] {
            let denied = s.denied_by(text);
            assert!(denied.hides_file("secret.py"), "{text}");
            assert!(!denied.hides_file("a.py"), "{text}");
            assert_eq!(denied.found().faults.len(), 1, "{text}");
        }
        for text in
            ["", "{", "[]", "null", "{\"permissions\": {\"deny\": \"Read\"}}", "{\"deny\": [\"Read\"]}", "\"deny\""]
        {
            assert!(!s.denied_by(text).hides_file("a.py"), "{text}");
        }
    }
}
