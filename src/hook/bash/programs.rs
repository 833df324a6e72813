//! The programs that read and search, and how each of them takes its arguments.
//!
//! A program is a row of data: which of its options take a value (or that value would be taken for a pattern or a path)
//! and which change what it does. Only `sed`, `find` and the line options of readers need code of their own.

use std::path::{Path, PathBuf};

use super::Intent;
use super::lex::Word;

/// A command as it is run.
pub(super) struct Run<'a> {
    pub(super) args: &'a [Word],
    /// The folder it runs in, if that is known.
    pub(super) base: Option<&'a Path>,
    /// Its input is another command's output.
    pub(super) piped: bool,
}

/// Options of a program that take a value: single letters, and long names without their dashes.
struct Options {
    letters: &'static str,
    names: &'static [&'static str],
}

struct Searcher {
    options: Options,
    /// Letters that make it search folders.
    recursive: &'static str,
    /// Searches the current folder unless told otherwise.
    by_default: bool,
}

const GREP_NAMES: &[&str] = &[
    "after-context",
    "before-context",
    "context",
    "max-count",
    "include",
    "exclude",
    "exclude-dir",
    "exclude-from",
    "include-dir",
    "label",
    "binary-files",
    "devices",
    "directories",
    "group-separator",
    "file-type",
    "file-extension",
    "glob",
    "iglob",
    "jobs",
    "max-depth",
    "threads",
    "depth",
];

const GREP: Searcher =
    Searcher { options: Options { letters: "ABCmdDK", names: GREP_NAMES }, recursive: "rR", by_default: false };

const UGREP: Searcher =
    Searcher { options: Options { letters: "ABCmdDKgtOMNJ", names: GREP_NAMES }, recursive: "rR", by_default: true };

const GIT_GREP: Searcher =
    Searcher { options: Options { letters: "ABCm", names: GREP_NAMES }, recursive: "", by_default: true };

const RIPGREP: Searcher = Searcher {
    options: Options {
        letters: "ABCgtTjMmdEr",
        names: &[
            "after-context",
            "before-context",
            "context",
            "glob",
            "iglob",
            "type",
            "type-not",
            "type-add",
            "type-clear",
            "max-count",
            "max-depth",
            "max-columns",
            "max-filesize",
            "threads",
            "encoding",
            "replace",
            "sort",
            "sortr",
            "color",
            "colors",
            "context-separator",
            "field-context-separator",
            "field-match-separator",
            "engine",
            "path-separator",
            "pre",
            "pre-glob",
            "ignore-file",
            "dfa-size-limit",
            "regex-size-limit",
            "hostname-bin",
            "hyperlink-format",
        ],
    },
    recursive: "",
    by_default: true,
};

const AG: Searcher = Searcher {
    options: Options {
        letters: "ABCGmpW",
        names: &[
            "after",
            "before",
            "context",
            "file-search-regex",
            "max-count",
            "path-to-ignore",
            "width",
            "ignore",
            "ignore-dir",
            "depth",
            "pager",
            "type",
            "ignore-file",
        ],
    },
    recursive: "",
    by_default: true,
};

const ACK: Searcher =
    Searcher { options: Options { letters: "ABCmt", names: AG.options.names }, recursive: "", by_default: true };

const FD: Options = Options {
    letters: "etdEScjo",
    names: &[
        "extension",
        "type",
        "max-depth",
        "min-depth",
        "exact-depth",
        "exclude",
        "size",
        "color",
        "threads",
        "owner",
        "changed-within",
        "changed-before",
        "base-directory",
        "search-path",
        "max-results",
        "ignore-file",
        "format",
        "path-separator",
    ],
};

const CAT: Options = Options { letters: "", names: &[] };
const NL: Options = Options {
    letters: "bhfdilnsvw",
    names: &[
        "body-numbering",
        "header-numbering",
        "footer-numbering",
        "number-format",
        "number-width",
        "starting-line-number",
    ],
};
const LESS: Options = Options { letters: "bhjkopPtTxyz", names: &[] };
const BAT: Options = Options {
    letters: "lHrm",
    names: &[
        "language",
        "highlight-line",
        "line-range",
        "theme",
        "style",
        "wrap",
        "tabs",
        "color",
        "paging",
        "pager",
        "decorations",
        "map-syntax",
        "file-name",
        "terminal-width",
        "italic-text",
        "diff-context",
    ],
};
const HEAD: Options =
    Options { letters: "ncs", names: &["lines", "bytes", "pid", "sleep-interval", "max-unchanged-stats"] };
const SED: Options = Options { letters: "efl", names: &["expression", "file", "line-length"] };

/// Words in front of a program that leave it what it is.
pub(super) struct Stripped<'a> {
    pub(super) rest: &'a [Word],
    /// Its further arguments come from its input.
    pub(super) by_xargs: bool,
}

/// Takes off reserved words, assignments, `sudo`, `env`, `xargs` and the like, with their options.
pub(super) fn without_prefixes(words: &[Word]) -> Stripped<'_> {
    let mut rest = words;
    let mut by_xargs = false;
    while let Some((first, tail)) = rest.split_first() {
        let reserved = ["if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"];
        if reserved.iter().any(|word| first.is_bare(word)) || is_assignment(first) {
            rest = tail;
            continue;
        }
        let with_value = match first.text.rsplit('/').next().unwrap_or_default() {
            "sudo" => "ugphCTrtD",
            "doas" => "uC",
            "env" => "uCS",
            "nice" => "n",
            "ionice" => "cnpP",
            "stdbuf" => "ioe",
            "timeout" => "ks",
            "xargs" => "aEIdLnPs",
            "command" | "builtin" | "exec" | "nohup" | "setsid" => "",
            _ => break,
        };
        by_xargs |= first.text.ends_with("xargs");
        let mut at = 0;
        while let Some(flag) = tail.get(at).filter(|word| word.text.len() > 1 && word.text.starts_with('-')) {
            // `command -v grep` asks where grep is.
            if first.text == "command" && matches!(flag.text.as_str(), "-v" | "-V") {
                return Stripped { rest: &[], by_xargs };
            }
            let takes_next =
                !flag.text.starts_with("--") && flag.text.len() == 2 && flag.text.ends_with(|c| with_value.contains(c));
            at += 1 + usize::from(takes_next);
        }
        // The duration.
        at += usize::from(first.text.ends_with("timeout"));
        rest = tail.get(at..).unwrap_or_default();
    }
    Stripped { rest, by_xargs }
}

fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// `path` as seen from `base`; `None` if it is relative and the base is not known.
pub(super) fn join(base: Option<&Path>, path: &str) -> Option<PathBuf> {
    match base {
        Some(base) => Some(base.join(path)),
        None => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
    }
}

/// Appends what the program `name` does in this run.
pub(super) fn read(name: &str, run: &Run, found: &mut Vec<Intent>) {
    match name {
        "grep" | "egrep" | "zgrep" => search(&GREP, run, false, found),
        "fgrep" => search(&GREP, run, true, found),
        "ug" | "ugrep" => search(&UGREP, run, false, found),
        "rg" => search(&RIPGREP, run, false, found),
        "ag" => search(&AG, run, false, found),
        "ack" | "ack-grep" => search(&ACK, run, false, found),
        "git" => git(run, found),
        "find" | "bfs" => find(run, found),
        "fd" | "fdfind" => fd(run, found),
        "cat" | "tac" => files(run, &CAT, |_| None, found),
        "nl" => files(run, &NL, |_| None, found),
        "less" | "more" => files(run, &LESS, |_| None, found),
        "bat" | "batcat" => files(run, &BAT, bat_lines, found),
        "head" => files(run, &HEAD, |options| Some((1, count(options)?)), found),
        "tail" => files(run, &HEAD, tail_lines, found),
        "sed" => sed(run, found),
        _ => {}
    }
}

/// Options (letter or name, value) and other arguments of a run.
struct Parsed<'a> {
    options: Vec<(&'a str, Option<&'a Word>, &'a str)>,
    plain: Vec<&'a Word>,
}

impl<'a> Parsed<'a> {
    /// Whether one of these options is there.
    fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, ..)| names.contains(name))
    }

    /// Values of these options, in order, with the word each stands in.
    fn values(&self, names: &[&str]) -> impl Iterator<Item = (&'a Word, &'a str)> {
        self.options
            .iter()
            .filter(move |(name, ..)| names.contains(name))
            .filter_map(|(_, word, value)| Some(((*word)?, *value)))
    }
}

/// Reads arguments by getopt's rules. `takes` tells which letters and names take a value.
fn parse<'a>(args: &'a [Word], takes: impl Fn(&str) -> bool) -> Parsed<'a> {
    let mut parsed = Parsed { options: Vec::new(), plain: Vec::new() };
    let mut args = args.iter();
    while let Some(word) = args.next() {
        let text = word.text.as_str();
        if text == "--" {
            parsed.plain.extend(args);
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some((word, value))),
                None if takes(long) => (long, args.next().map(|next| (next, next.text.as_str()))),
                None => (long, None),
            };
            parsed.options.push((name, value.map(|(word, _)| word), value.map_or("", |(_, value)| value)));
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            for (at, letter) in letters.char_indices() {
                let end = at + letter.len_utf8();
                let Some(name) = letters.get(at..end) else { break };
                if !takes(name) {
                    parsed.options.push((name, None, ""));
                    continue;
                }
                let attached = letters.get(end..).filter(|rest| !rest.is_empty());
                match attached {
                    Some(value) => parsed.options.push((name, Some(word), value)),
                    None => {
                        let next = args.next();
                        parsed.options.push((name, next, next.map_or("", |next| next.text.as_str())));
                    }
                }
                break;
            }
        } else {
            parsed.plain.push(word);
        }
    }
    parsed
}

impl Options {
    fn takes(&self, option: &str) -> bool {
        match option.chars().nth(1) {
            None => self.letters.contains(option),
            Some(_) => self.names.contains(&option),
        }
    }
}

fn search(searcher: &Searcher, run: &Run, fixed: bool, found: &mut Vec<Intent>) {
    let takes = |option: &str| searcher.options.takes(option) || matches!(option, "e" | "f" | "regexp" | "file");
    let parsed = parse(run.args, takes);
    // What does not match, a list of files, and patterns from a file are no search for a name.
    if parsed.has(&["v", "invert-match", "files", "f", "file", "version", "help", "type-list"]) {
        return;
    }
    let given: Vec<_> = parsed.values(&["e", "regexp"]).collect();
    let (patterns, paths) = if given.is_empty() {
        let Some((pattern, paths)) = parsed.plain.split_first() else { return };
        (vec![(*pattern, pattern.text.as_str())], paths)
    } else {
        (given, parsed.plain.as_slice())
    };
    if patterns.iter().any(|(word, _)| word.unknown) {
        return;
    }
    let recursive = searcher.recursive.chars().any(|letter| parsed.has(&[letter.encode_utf8(&mut [0; 4])]))
        || parsed.has(&["recursive", "dereference-recursive"])
        || (searcher.by_default && !run.piped);
    let given_paths = !paths.is_empty();
    let mut paths: Vec<PathBuf> = paths.iter().filter_map(|path| usable(run.base, path)).collect();
    if !given_paths && recursive {
        paths.extend(run.base.map(Path::to_path_buf));
    }
    if paths.is_empty() {
        return;
    }
    let pattern = patterns.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n");
    let fixed = fixed || parsed.has(&["F", "fixed-strings", "Q", "literal"]);
    found.push(Intent::Search { pattern, fixed, paths });
}

/// Where an argument points; for wildcards, the folder in front of them. `None` if that is not known.
fn usable(base: Option<&Path>, word: &Word) -> Option<PathBuf> {
    if word.unknown || word.text.is_empty() || word.text == "-" || word.text == "{}" {
        return None;
    }
    let text = match word.wildcard {
        Some(at) => {
            let front = word.text.get(..at)?;
            front.rfind('/').map_or(".", |slash| front.get(..slash + 1).unwrap_or("."))
        }
        None => &word.text,
    };
    join(base, text)
}

fn git(run: &Run, found: &mut Vec<Intent>) {
    let mut base = run.base.map(Path::to_path_buf);
    let mut args = run.args;
    while let Some((first, rest)) = args.split_first() {
        args = rest;
        match first.text.as_str() {
            "-C" => {
                let Some((folder, rest)) = args.split_first() else { return };
                base = usable(base.as_deref(), folder);
                args = rest;
            }
            "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => {
                args = args.get(1..).unwrap_or_default()
            }
            "grep" => {
                let run = Run { args, base: base.as_deref(), piped: false };
                let before = found.len();
                search(&GIT_GREP, &run, false, found);
                // What stands there may be a revision and no path.
                if let (Some(Intent::Search { paths, .. }), Some(base)) = (found.get_mut(before), base) {
                    paths.push(base);
                }
                return;
            }
            option if option.starts_with('-') => {}
            name => {
                if WRITES_FILES.contains(&name)
                    && let Some(folder) = base
                {
                    found.push(Intent::Checkout { folder });
                }
                return;
            }
        }
    }
}

/// Subcommands of git that may change files of the work tree, or the commit that is checked out.
const WRITES_FILES: &[&str] = &[
    "am",
    "apply",
    "checkout",
    "cherry-pick",
    "clean",
    "commit",
    "merge",
    "mv",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "submodule",
    "switch",
    "worktree",
];

/// A file name such as `*Invoice*.py` is a search for what it may be named after.
fn named_after(name: &Word) -> Option<String> {
    if name.unknown {
        return None;
    }
    let file = name.text.rsplit('/').next()?;
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = stem.trim_matches('*');
    let whole = !stem.is_empty() && stem.chars().all(|next| next.is_alphanumeric() || next == '_');
    whole.then(|| stem.to_string())
}

fn find(run: &Run, found: &mut Vec<Intent>) {
    let mut args = run.args;
    while let Some((first, rest)) = args.split_first() {
        let global = matches!(first.text.as_str(), "-H" | "-L" | "-P") || first.text.starts_with("-O");
        if !global {
            break;
        }
        args = rest;
    }
    let is_test = |word: &Word| word.text.starts_with('-') || matches!(word.text.as_str(), "(" | ")" | "!");
    let end = args.iter().position(is_test).unwrap_or(args.len());
    let (folders, tests) = args.split_at_checked(end).unwrap_or((args, &[]));
    let mut paths: Vec<PathBuf> = folders.iter().filter_map(|folder| usable(run.base, folder)).collect();
    if folders.is_empty() {
        paths.extend(run.base.map(Path::to_path_buf));
    }
    let Some(first) = paths.first().cloned() else { return };
    let mut names = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        let Some(value) = tests.get(at + 1) else { break };
        match test.text.as_str() {
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" => names.extend(named_after(value)),
            "-exec" | "-execdir" | "-ok" => {
                // `-exec grep NAME {} +` searches below the folder.
                let command = tests.get(at + 1..).unwrap_or_default();
                let end = command.iter().position(|word| matches!(word.text.as_str(), ";" | "+"));
                let Some((program, args)) = command.get(..end.unwrap_or(command.len())).and_then(<[Word]>::split_first)
                else {
                    continue;
                };
                let program = program.text.rsplit('/').next().unwrap_or_default();
                if matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ug" | "ugrep" | "ag" | "ack") {
                    let mut args: Vec<Word> = args.iter().filter(|arg| arg.text != "{}").cloned().collect();
                    args.push(Word { text: first.to_string_lossy().into_owned(), ..Word::default() });
                    read(program, &Run { args: &args, base: run.base, piped: false }, found);
                }
            }
            _ => {}
        }
    }
    if !names.is_empty() {
        found.push(Intent::Search { pattern: names.join("\n"), fixed: true, paths });
    }
}

fn fd(run: &Run, found: &mut Vec<Intent>) {
    let end = run.args.iter().position(|arg| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"));
    let args = run.args.get(..end.unwrap_or(run.args.len())).unwrap_or_default();
    let parsed = parse(args, |option| FD.takes(option));
    let Some((pattern, folders)) = parsed.plain.split_first() else { return };
    let Some(pattern) = named_after(pattern) else { return };
    let mut paths: Vec<PathBuf> = folders.iter().filter_map(|folder| usable(run.base, folder)).collect();
    if folders.is_empty() {
        paths.extend(run.base.map(Path::to_path_buf));
    }
    if !paths.is_empty() {
        found.push(Intent::Search { pattern, fixed: true, paths });
    }
}

/// A reader of files. Without files it shows part of what the command before it reads: `cat a.py | head -50`.
fn files(run: &Run, options: &Options, lines: impl Fn(&Parsed) -> Option<(u32, u32)>, found: &mut Vec<Intent>) {
    // `head -50` is `head -n 50`, `less +50` begins at a line.
    let is_number =
        |text: &str| text.len() > 1 && text.get(1..).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let args: Vec<Word> = run
        .args
        .iter()
        .map(|arg| match arg.text.strip_prefix('-') {
            Some(number) if is_number(&arg.text) && options.takes("n") => {
                Word { text: format!("-n{number}"), ..Word::default() }
            }
            _ => arg.clone(),
        })
        .collect();
    let parsed = parse(&args, |option| options.takes(option));
    let lines = lines(&parsed);
    let plain = parsed.plain.iter().filter(|word| !(word.text.starts_with('+') && is_number(&word.text)));
    show(run, plain.copied(), lines, found);
}

fn show<'a>(run: &Run, files: impl Iterator<Item = &'a Word>, lines: Option<(u32, u32)>, found: &mut Vec<Intent>) {
    let mut none = true;
    for file in files {
        none = false;
        if file.wildcard.is_none()
            && let Some(path) = usable(run.base, file)
        {
            found.push(Intent::Read { path, lines });
        }
    }
    if none
        && run.piped
        && let Some(Intent::Read { lines: shown @ None, .. }) = found.last_mut()
    {
        *shown = lines;
    }
}

fn count(parsed: &Parsed) -> Option<u32> {
    let (_, value) = parsed.values(&["n", "lines"]).last().unzip();
    match value {
        Some(value) => value.parse().ok().filter(|count| *count > 0),
        None if parsed.has(&["c", "bytes"]) => None,
        None => Some(10),
    }
}

fn tail_lines(parsed: &Parsed) -> Option<(u32, u32)> {
    let (_, value) = parsed.values(&["n", "lines"]).last()?;
    let first: u32 = value.strip_prefix('+')?.parse().ok()?;
    Some((first.max(1), u32::MAX))
}

fn bat_lines(parsed: &Parsed) -> Option<(u32, u32)> {
    let (_, value) = parsed.values(&["r", "line-range"]).next()?;
    let (first, last) = value.split_once(':').unwrap_or((value, value));
    range(if first.is_empty() { "1" } else { first }, if last.is_empty() { "$" } else { last })
}

fn range(first: &str, last: &str) -> Option<(u32, u32)> {
    let first: u32 = first.trim().parse().ok()?;
    let last = match last.trim() {
        "$" => u32::MAX,
        last => match last.strip_prefix('+') {
            Some(more) => first.saturating_add(more.parse().ok()?),
            None => last.parse().ok()?,
        },
    };
    (first >= 1 && last >= first).then_some((first, last))
}

/// `sed -n 'A,Bp' FILE`; other scripts change what is shown, and `-i` what is there.
fn sed(run: &Run, found: &mut Vec<Intent>) {
    let parsed = parse(run.args, |option| SED.takes(option));
    let edits = parsed.options.iter().any(|(name, ..)| *name == "i" || name.starts_with("in-place"));
    if edits || parsed.has(&["f", "file"]) || !parsed.has(&["n", "quiet", "silent"]) {
        return;
    }
    let mut scripts: Vec<&str> = parsed.values(&["e", "expression"]).map(|(_, script)| script).collect();
    let mut files = parsed.plain.iter().copied();
    if scripts.is_empty() {
        let Some(script) = files.next().filter(|script| !script.unknown) else { return };
        scripts.push(&script.text);
    }
    let mut lines: Option<(u32, u32)> = None;
    for command in scripts.iter().flat_map(|script| script.split([';', '\n'])).map(str::trim).filter(|c| !c.is_empty())
    {
        // `10q` only ends the reading early.
        let Some(address) = command.strip_suffix('p') else { continue };
        let (first, last) = address.split_once(',').unwrap_or((address, address));
        let Some((first, last)) = range(first, last) else { return };
        lines = Some(lines.map_or((first, last), |(low, high)| (low.min(first), high.max(last))));
    }
    if lines.is_some() {
        show(run, files, lines, found);
    }
}
