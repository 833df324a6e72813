//! `floorplan explain EVENT.json`: what the hook says to a captured event, or why nothing.
//!
//! `floorplan explain FILE`: what the hook would say about a file, and why. It goes the hook's own way (snapshot, freshness,
//! annotation), takes the time of each step, and then lists the rows of the database that the numbers come from.

use super::output::{BOLD, DIM, clean, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::{self, State};
use crate::freshness::{self, Freshness};
use crate::graph;
use crate::hook::{self, Replay};
use crate::query::file::{FileRows, file};
use crate::repo::{self, Repo};
use crate::store::snapshot::{Identity, Snapshot};
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct ExplainArgs {
    /// A file of the repository, or one that holds a hook event as JSON
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Explained {
    path: String,
    /// What the agent would read; none if there is nothing to say.
    annotation: Option<String>,
    /// Why the snapshot says nothing, where it does not.
    silent: Option<String>,
    /// The worse of graph and file.
    freshness: &'static str,
    rows: Option<FileRows>,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    name: &'static str,
    microseconds: u64,
}

/// Takes the time of steps.
#[derive(Default)]
struct Watch(Vec<Step>);

impl Watch {
    fn step<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let microseconds = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.push(Step { name, microseconds });
        result
    }
}

pub(super) fn run(cli: &Cli, args: &ExplainArgs, out: &mut dyn Write) -> Result<u8> {
    let on_disk = real(&cli.folder()?.join(&args.file))?;
    if let Some(replay) = replayed(&on_disk) {
        return run_replay(&replay, args.json, out);
    }
    let mut watch = Watch::default();
    // Like the hook: the repository of the file, wherever the command was started.
    let repo = watch.step("repository", || repo::locate(&on_disk)).map_or_else(|| cli.repo(None), Ok)?;
    let path = on_disk
        .strip_prefix(&repo.root)
        .with_context(|| format!("{} is not inside {}", on_disk.display(), repo.root.display()))?;
    let path = path.to_string_lossy().into_owned();
    let (said, freshness) = annotation(&repo, &path, &on_disk, &mut watch)?;
    let graph = watch.step("database open", || graph::open(&repo))?;
    let rows = watch.step("database rows", || file(&graph.reader, &path))?;
    let code = if rows.is_some() { DONE } else { NOTHING_FOUND };
    let (annotation, silent) = match said {
        Ok(text) => (Some(text), None),
        Err(why) => (None, Some(why)),
    };
    let explained = Explained { path, annotation, silent, freshness: graph::word(freshness), rows, steps: watch.0 };
    if args.json {
        json(out, &explained)?;
    } else {
        print(&explained, out)?;
    }
    Ok(code)
}

/// Events are no larger.
const MAX_EVENT: usize = 4 << 20;

/// The file as a hook event; `None` if it is none.
fn replayed(path: &Path) -> Option<Replay> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    hook::replay(&repo::read_file(path, MAX_EVENT).filter(|_| is_json)?)
}

fn run_replay(replay: &Replay, as_json: bool, out: &mut dyn Write) -> Result<u8> {
    let code = if replay.said.is_some() { DONE } else { NOTHING_FOUND };
    let silent = match (&replay.asks, &replay.said) {
        (_, Some(_)) => None,
        (None, None) => Some("an event of this kind, or a command that neither reads nor searches, is not answered"),
        (Some(_), None) => {
            Some("no graph knows of it, or what is known is not worth saying; `explain FILE` tells of one file")
        }
    };
    if as_json {
        let Replay { event, asks, said } = replay;
        json(out, &serde_json::json!({ "event": event, "asks": asks, "said": said, "silent": silent }))?;
        return Ok(code);
    }
    writeln!(out, "{BOLD}{}{BOLD:#}", clean(&replay.event))?;
    if let Some(asks) = &replay.asks {
        writeln!(out, "  asks  {}", clean(asks))?;
    }
    match (&replay.said, silent) {
        (Some(said), _) => {
            for line in said.lines() {
                writeln!(out, "  said  {}", clean(line))?;
            }
            writeln!(out, "  {DIM}about {} tokens{DIM:#}", annotate::estimate(said))?;
        }
        (None, why) => writeln!(out, "  said  nothing: {}", why.unwrap_or_default())?,
    }
    Ok(code)
}

/// The path with its folder's links resolved, and not its own: a linked file is not indexed. The file may be gone.
fn real(path: &Path) -> Result<PathBuf> {
    let context = || format!("looking for {}", path.display());
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok(folder.canonicalize().with_context(context)?.join(name)),
        _ => path.canonicalize().with_context(context),
    }
}

/// The hook's way to its text, or why there is none.
fn annotation(
    repo: &Repo,
    path: &str,
    on_disk: &Path,
    watch: &mut Watch,
) -> Result<(Result<String, String>, Freshness)> {
    let (root, git_dir) = graph::identity(repo);
    let at = graph::cache(repo)?.join(crate::index::SNAPSHOT);
    let snapshot =
        match watch.step("snapshot open", || Snapshot::open(&at, &Identity { root: &root, git_dir: &git_dir })) {
            Ok(snapshot) => snapshot,
            Err(refused) => return Ok((Err(refused.to_string()), Freshness::Unknown)),
        };
    let card = match watch.step("file card", || snapshot.file(path)) {
        Ok(Some(card)) => card,
        Ok(None) => return Ok((Err("the snapshot has no card of this file".into()), Freshness::Unknown)),
        Err(refused) => return Ok((Err(refused.to_string()), Freshness::Unknown)),
    };
    let head = watch.step("HEAD", || repo::head(repo));
    let recorded = (card.size, card.mtime_ns, card.content_hash);
    let of_file = watch.step("file state", || freshness::of_file(recorded, on_disk));
    // What is said of the file itself is worth more than what is said of the graph, but for a file that stands unchanged.
    let worse = if of_file == Freshness::Fresh { freshness::of(snapshot.head(), &head) } else { of_file };
    let state = State { freshness: worse, indexed: snapshot.head(), tokens: annotate::MAX_TOKENS };
    let text = watch.step("annotation", || annotate::file(&card, None, &[], state));
    Ok((text.map(|said| said.to_string()).ok_or_else(|| "there is nothing worth saying".into()), worse))
}

fn print(explained: &Explained, out: &mut dyn Write) -> Result<()> {
    match (&explained.annotation, &explained.silent) {
        (Some(text), _) => writeln!(out, "{}", clean(text))?,
        (None, why) => writeln!(out, "no annotation: {}", clean(why.as_deref().unwrap_or("unknown")))?,
    }
    writeln!(out, "{DIM}{}{DIM:#}", explained.freshness)?;
    match &explained.rows {
        Some(rows) => print_rows(rows, out)?,
        None => writeln!(out, "\n{} is not in the graph", clean(&explained.path))?,
    }
    writeln!(out)?;
    for step in &explained.steps {
        writeln!(out, "{DIM}{:>8} us  {}{DIM:#}", step.microseconds, step.name)?;
    }
    Ok(())
}

fn print_rows(rows: &FileRows, out: &mut dyn Write) -> Result<()> {
    let file = &rows.file;
    let test = if file.test { ", test" } else { "" };
    writeln!(
        out,
        "\n{BOLD}{}{BOLD:#}  {}, {} lines, {}{test}",
        clean(&file.path),
        file.language,
        file.lines,
        file.status
    )?;
    if !file.reason.is_empty() {
        writeln!(out, "  {}", clean(&file.reason))?;
    }
    for (first, last) in &file.unparsed {
        writeln!(out, "  lines {first}-{last} did not parse")?;
    }
    for uses in &rows.symbols {
        let symbol = &uses.symbol;
        let counts = [
            (uses.callers, "callers"),
            (uses.caller_files, "files"),
            (uses.test_files, "test files"),
            (uses.possible, "possible"),
            (uses.other_uses, "other uses"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        writeln!(out, "  {:>5}  {}  {DIM}{}{DIM:#}", symbol.line, clean(&symbol.qualname), counts.join(", "))?;
    }
    for user in &rows.users {
        let uses: Vec<String> = user.uses.iter().map(|(name, kind, line)| format!("{kind} {name}:{line}")).collect();
        writeln!(out, "  used by {}  {DIM}{}{DIM:#}", clean(&user.path), clean(&uses.join(", ")))?;
    }
    for (title, paths) in [("imported by", &rows.importers), ("imports", &rows.imports)] {
        for path in paths {
            writeln!(out, "  {title} {}", clean(path))?;
        }
    }
    for symbol in &rows.unreferenced {
        writeln!(out, "  no references found: {}", clean(&symbol.qualname))?;
    }
    writeln!(out, "  {} references unresolved, {} of libraries", rows.unresolved, rows.external)?;
    Ok(())
}
