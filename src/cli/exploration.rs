//! `floorplan visited`, `frontier`, `note`, `notes`: what the agents of a session did, what lies next to it, and what they
//! want to be reminded of.

use super::output::{DIM, clean, json};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::graph;
use crate::query::{self, Found};
use crate::repo::Repo;
use crate::session::{self, Entry, Frontier, Journal, Reason, Trail, Who, ephemeral, frontier};
use crate::store::snapshot::{FileCard, Identity, Snapshot};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Set by the host for the commands that its agent runs.
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// Visited files whose neighbours are looked at, the latest first.
const MAX_CARDS: usize = 200;

/// Longest note, in characters: it costs tokens each time it is repeated.
const MAX_NOTE: usize = 160;

#[derive(clap::Args)]
pub(super) struct SessionArgs {
    /// The session [default: CLAUDE_CODE_SESSION_ID, else the one that was active last]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct FrontierArgs {
    /// Files to list
    #[arg(long, default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    session: SessionArgs,
}

#[derive(clap::Args)]
pub(super) struct NoteArgs {
    /// A file, or a symbol as for `callers`
    subject: String,
    /// One line
    text: String,
    /// The session [default: CLAUDE_CODE_SESSION_ID, else the one that was active last]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(Serialize)]
struct Visited<'a> {
    visited: Vec<VisitRow<'a>>,
    searched: &'a [String],
    /// Tokens that annotations of this session cost, and how many there were.
    tokens: u64,
    annotations: u32,
}

#[derive(Serialize)]
struct VisitRow<'a> {
    path: &'a str,
    edited: bool,
    times: u32,
}

#[derive(Serialize)]
struct FrontierRow<'a> {
    path: &'a str,
    reason: &'static str,
    from: &'a str,
    score: f64,
}

#[derive(Serialize)]
struct NoteRow<'a> {
    subject: &'a str,
    text: &'a str,
}

pub(super) fn run_visited(cli: &Cli, args: &SessionArgs, out: &mut dyn Write) -> Result<u8> {
    let trail = trail(&cli.repo(None)?, args.session.as_deref())?;
    let code = if trail.visited.is_empty() { NOTHING_FOUND } else { DONE };
    let row = |visit: &'_ session::Visit| (visit.path.clone(), visit.edited, visit.times);
    let rows: Vec<(String, bool, u32)> = trail.visited.iter().map(row).collect();
    if args.json {
        let visited = rows.iter().map(|(path, edited, times)| VisitRow { path, edited: *edited, times: *times });
        let (tokens, annotations) = (trail.tokens, trail.said);
        json(out, &Visited { visited: visited.collect(), searched: &trail.searched, tokens, annotations })?;
        return Ok(code);
    }
    if rows.is_empty() {
        writeln!(out, "nothing was read or edited in this session")?;
    }
    for (path, edited, times) in &rows {
        let mark = if *edited { "edited" } else { "read" };
        writeln!(out, "{mark:>6}  {}  {DIM}{times} x{DIM:#}", clean(path))?;
    }
    if trail.said > 0 {
        writeln!(out, "{DIM}{} annotations, about {} tokens{DIM:#}", trail.said, trail.tokens)?;
    }
    Ok(code)
}

pub(super) fn run_frontier(cli: &Cli, args: &FrontierArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    let trail = trail(&repo, args.session.session.as_deref())?;
    let (root, git_dir) = graph::identity(&repo);
    let at = graph::cache(&repo)?.join(crate::index::SNAPSHOT);
    let snapshot = Snapshot::open(&at, &Identity { root: &root, git_dir: &git_dir })
        .map_err(|refused| anyhow::anyhow!("{refused}"))
        .context("opening the graph; `floorplan index` makes one")?;
    let mut cards: Vec<(FileCard, bool)> = Vec::new();
    for visit in trail.visited.iter().rev().take(MAX_CARDS) {
        if let Ok(Some(card)) = snapshot.file(&visit.path) {
            cards.push((card, visit.edited));
        }
    }
    let mut found = frontier(&trail, &cards);
    found.truncate(args.limit);
    let code = if found.is_empty() { NOTHING_FOUND } else { DONE };
    if args.session.json {
        let row =
            |next: &'_ Frontier| (next.file.path.to_string(), reason(next.reason), next.from.to_string(), next.score);
        let rows: Vec<_> = found.iter().map(row).collect();
        let rows = rows.iter().map(|(path, reason, from, score)| FrontierRow { path, reason, from, score: *score });
        json(out, &serde_json::json!({ "frontier": rows.collect::<Vec<_>>() }))?;
        return Ok(code);
    }
    if found.is_empty() {
        writeln!(out, "no frontier: nothing was visited, or everything next to it was")?;
    }
    for next in &found {
        writeln!(out, "{}  {DIM}{} {}{DIM:#}", clean(&next.file.path), reason(next.reason), clean(&next.from))?;
    }
    Ok(code)
}

pub(super) fn run_note(cli: &Cli, args: &NoteArgs, out: &mut dyn Write) -> Result<u8> {
    let text = args.text.trim();
    if text.is_empty() || text.chars().count() > MAX_NOTE || text.contains('\n') {
        bail!("a note is one line of 1 to {MAX_NOTE} characters");
    }
    if ephemeral::keeps_nothing() {
        bail!("nothing of what sessions do is kept: `floorplan config ephemeral off`, or unset FLOORPLAN_EPHEMERAL");
    }
    let repo = cli.repo(None)?;
    let graph = graph::open(&repo)?;
    let subject = match query::find(&graph.reader, &args.subject)? {
        Found::One(symbols) => symbols.first().map(ToString::to_string).unwrap_or_default(),
        Found::Several(symbols) => {
            let names: Vec<String> = symbols.iter().take(5).map(ToString::to_string).collect();
            bail!("{} may be any of {}", args.subject, names.join(", "));
        }
        Found::Nothing => graph::indexed_path(&cli.folder()?, &repo, &graph.reader, &args.subject)?,
    };
    let entry = Entry::Note { subject: subject.clone(), text: text.to_owned() };
    let (path, mut journal) = match session_id(args.session.as_deref()) {
        Some(session) => (None, Journal::open(&graph::cache(&repo)?, Who { session: &session, agent: "" })),
        None => {
            let path = journal_path(&repo, None)?;
            (Some(path.clone()), Journal::read(&path, ""))
        }
    };
    let Some(journal) = &mut journal else { bail!("the journal cannot be written{}", named(path.as_ref())) };
    journal.append(&[entry]);
    writeln!(out, "noted of {}", clean(&subject))?;
    Ok(DONE)
}

pub(super) fn run_notes(cli: &Cli, args: &SessionArgs, out: &mut dyn Write) -> Result<u8> {
    let trail = trail(&cli.repo(None)?, args.session.as_deref())?;
    let code = if trail.notes.is_empty() { NOTHING_FOUND } else { DONE };
    if args.json {
        let rows = trail.notes.iter().map(|(subject, text)| NoteRow { subject, text });
        json(out, &serde_json::json!({ "notes": rows.collect::<Vec<_>>() }))?;
        return Ok(code);
    }
    if trail.notes.is_empty() {
        writeln!(out, "no notes in this session; `floorplan note SUBJECT TEXT` keeps one")?;
    }
    for (subject, text) in &trail.notes {
        writeln!(out, "{}  {}", clean(subject), clean(text))?;
    }
    Ok(code)
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::NoLongerFits => "no longer fits",
        Reason::UsesEdited => "uses the edited",
        Reason::OverridesEdited => "overrides or is overridden by the edited",
        Reason::UsesRead => "uses",
        Reason::OverridesRead => "overrides or is overridden by",
        Reason::Possible => "may use",
    }
}

fn session_id(given: Option<&str>) -> Option<String> {
    given.map(str::to_owned).or_else(|| std::env::var(SESSION).ok().filter(|id| !id.is_empty()))
}

fn named(path: Option<&PathBuf>) -> String {
    path.map_or(String::new(), |path| format!(": {}", path.display()))
}

fn journal_path(repo: &Repo, given: Option<&str>) -> Result<PathBuf> {
    let cache = graph::cache(repo)?;
    match session_id(given) {
        Some(id) => session::existing(&cache, &id)
            .with_context(|| format!("nothing is known of session {id} in {}", repo.root.display())),
        None => session::newest(&cache).with_context(|| {
            format!("no session has read anything of {} yet, with the hook installed", repo.root.display())
        }),
    }
}

fn trail(repo: &Repo, given: Option<&str>) -> Result<Trail> {
    let path = journal_path(repo, given)?;
    let journal = Journal::read(&path, "").with_context(|| format!("reading {}", path.display()))?;
    Ok(Trail::of(journal.entries().map(|(_, entry)| entry)))
}
