//! What a command line reads and searches for.
//!
//! Agents read and search by shell commands, often several in one line. This understands as much of a command as is
//! needed to see which files are read and which names are looked for, and nothing is run or expanded. A command that
//! only filters what another prints is no search. Whatever is not understood is passed over.

mod lex;
mod programs;

use std::path::{Path, PathBuf};

use lex::{Line, Step, Word, lex};

/// Longer command lines are programs, not searches.
const MAX_COMMAND: usize = 64 << 10;

/// At most this many reads and searches of one command line are looked at.
const MAX_INTENTS: usize = 8;

/// Substitutions, `sh -c` and the like within each other are followed this far in all.
const MAX_NESTED: usize = 16;

/// One thing a command line does. Paths are absolute unless `cwd` was not, and are as the shell would use them: dots and
/// links in them are not resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    Read {
        path: PathBuf,
        /// First and last line.
        lines: Option<(u32, u32)>,
    },
    Search {
        pattern: String,
        /// The pattern is plain text.
        fixed: bool,
        /// Files and folders searched; never empty.
        paths: Vec<PathBuf>,
    },
    /// Git may have changed the files of the work tree that holds this folder.
    Checkout { folder: PathBuf },
}

impl Intent {
    /// The names that a search looks for; none for a read.
    pub(super) fn identifiers(&self) -> Vec<String> {
        match self {
            Intent::Read { .. } | Intent::Checkout { .. } => Vec::new(),
            Intent::Search { pattern, fixed, .. } => super::pattern::identifiers(pattern, *fixed),
        }
    }
}

/// Reads and searches of a command line that runs in `cwd`, in order.
pub(super) fn intents(command: &str, cwd: &Path) -> Vec<Intent> {
    let mut found = all(command, cwd);
    found.retain(|intent| !matches!(intent, Intent::Checkout { .. }));
    found.truncate(MAX_INTENTS);
    found
}

/// Folders in whose work trees a command line that ran in `cwd` may have had git change files.
pub(super) fn checkouts(command: &str, cwd: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for intent in all(command, cwd) {
        match intent {
            Intent::Checkout { folder } if !folders.contains(&folder) => folders.push(folder),
            _ => {}
        }
    }
    folders.truncate(MAX_INTENTS);
    folders
}

fn all(command: &str, cwd: &Path) -> Vec<Intent> {
    let mut found = Vec::new();
    if command.len() > MAX_COMMAND {
        return found;
    }
    let mut waiting = vec![(command.to_string(), Some(cwd.to_path_buf()))];
    for _ in 0..MAX_NESTED {
        let Some((text, base)) = waiting.pop() else { break };
        let Line { steps, substituted } = lex(&text);
        waiting.extend(substituted.into_iter().rev().map(|text| (text, base.clone())));
        let mut shell = Shell { base, outer: Vec::new(), found: Vec::new(), scripts: Vec::new() };
        for step in &steps {
            shell.step(step);
        }
        waiting.extend(shell.scripts);
        found.append(&mut shell.found);
    }
    found
}

/// The state of a shell that walks through its commands.
struct Shell {
    /// The folder it is in; `None` after a `cd` that cannot be followed.
    base: Option<PathBuf>,
    /// The folders to return to at the end of each subshell.
    outer: Vec<Option<PathBuf>>,
    found: Vec<Intent>,
    /// Command lines given to another shell (`sh -c`).
    scripts: Vec<(String, Option<PathBuf>)>,
}

impl Shell {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Enter => self.outer.push(self.base.clone()),
            Step::Leave => {
                if let Some(base) = self.outer.pop() {
                    self.base = base;
                }
            }
            Step::Command { words, piped } => self.command(words, *piped),
        }
    }

    fn command(&mut self, words: &[Word], piped: bool) {
        let words = programs::without_prefixes(words);
        let Some((program, args)) = words.rest.split_first() else { return };
        if program.unknown {
            return;
        }
        // `xargs cat`: what it reads is not known, and the input it gets is not searched.
        let run = programs::Run { args, base: self.base.as_deref(), piped: piped && !words.by_xargs };
        match program.text.rsplit('/').next().unwrap_or_default() {
            "cd" | "pushd" => self.change_folder(args),
            "popd" => self.base = None,
            "sh" | "bash" | "zsh" | "dash" => {
                let script = args.iter().position(|arg| is_c_flag(&arg.text)).and_then(|at| args.get(at + 1));
                if let Some(script) = script.filter(|script| !script.unknown) {
                    self.scripts.push((script.text.clone(), self.base.clone()));
                }
            }
            name => programs::read(name, &run, &mut self.found),
        }
    }

    fn change_folder(&mut self, args: &[Word]) {
        let target = args.iter().find(|arg| !matches!(arg.text.as_str(), "-P" | "-L" | "-e" | "--"));
        self.base = match target {
            Some(target) if !target.unknown && target.wildcard.is_none() && target.text != "-" => {
                programs::join(self.base.as_deref(), &target.text)
            }
            _ => None,
        };
    }
}

/// `-c`, `-lc`, `-ec`, ...
fn is_c_flag(arg: &str) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c')
}

#[cfg(test)]
mod tests;
