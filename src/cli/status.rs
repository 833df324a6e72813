//! `floorplan status`

use super::answer::{Answer, note_age};
use super::output::{BOLD, DIM, clean, counted, json};
use super::{Cli, DONE};
use crate::config;
use crate::freshness::Freshness;
use crate::graph;
use crate::index::standing::{Differing, How, Standing, standing};
use crate::query::status::{Status, recorded, status};
use crate::session::{self, Adoption, Journal, Trail};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

#[derive(clap::Args)]
pub(super) struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    status: Status,
    /// Size of the database.
    bytes: u64,
    /// Where the graph lies.
    cache: String,
    standing: Standing,
    told: Told,
    /// What is wrong with the user's settings: no index run begins until it is mended.
    config_fault: Option<String>,
}

/// What the hook said in this repository, as far back as journals are kept.
#[derive(Default, Serialize)]
struct Told {
    sessions: usize,
    annotations: u32,
    /// About.
    tokens: u64,
    /// Annotations that named files, and those after which one of these was opened within ten calls.
    naming: u32,
    followed: u32,
}

impl Told {
    fn of(cache: &Path) -> Told {
        let mut told = Told::default();
        let mut adoption = Adoption::default();
        for journal in session::all(cache).iter().filter_map(|path| Journal::read(path, "")) {
            let trail = Trail::of(journal.entries().map(|(_, entry)| entry));
            told.sessions += 1;
            told.annotations += trail.said;
            told.tokens += trail.tokens;
            adoption = adoption.and(Adoption::of(journal.entries()));
        }
        (told.naming, told.followed) = (adoption.naming, adoption.followed);
        told
    }
}

pub(super) fn run(cli: &Cli, args: &StatusArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    let graph = graph::open(&repo)?;
    let cache = graph::cache(&repo)?;
    let bytes = cache.join(crate::index::DATABASE).metadata().map_or(0, |metadata| metadata.len());
    let recorded = recorded(&graph.reader)?;
    let standing = standing(&repo, &cache, graph.reader.meta().head.as_deref(), recorded)?;
    let told = Told::of(&cache);
    let cache = cache.to_string_lossy().into_owned();
    let config_fault = config::load().err().map(|error| format!("{error:#}"));
    let shown = Shown { status: status(&graph.reader)?, bytes, cache, standing, told, config_fault };
    if args.json {
        json(out, &Answer::new(&graph, shown))?;
    } else {
        print(&shown, graph.freshness, out)?;
        note_age(&graph, out)?;
    }
    Ok(DONE)
}

fn print(shown: &Shown, freshness: Freshness, out: &mut dyn Write) -> Result<()> {
    let status = &shown.status;
    let head = status.head.as_deref().map(|head| head.get(..12).unwrap_or(head));
    let state = match freshness {
        Freshness::Fresh => "current",
        Freshness::Behind => "behind HEAD",
        Freshness::FileChanged | Freshness::Absent | Freshness::Unknown => "freshness unknown",
    };
    writeln!(out, "{BOLD}{}{BOLD:#}", clean(&status.root))?;
    writeln!(out, "  commit       {} ({state}){}", clean(head.unwrap_or("none")), age(status.indexed_at))?;
    print_standing(&shown.standing, out)?;
    for (language, files) in &status.by_language {
        let files: Vec<String> = files.iter().map(|(status, count)| format!("{count} {status}")).collect();
        writeln!(out, "  {:<12} {}", clean(language), clean(&files.join(", ")))?;
    }
    writeln!(out, "  symbols      {}, {} unreferenced exports", status.symbols, status.unreferenced)?;
    writeln!(out, "  references   {} resolved or possible, {} not", status.edges, status.unresolved)?;
    let Told { sessions, annotations, tokens, naming, followed } = shown.told;
    if annotations > 0 {
        let rate = Adoption { naming, followed }.rate().map_or(String::new(), |rate| format!("; {rate} % followed"));
        let sessions = counted(sessions as u64, "session");
        writeln!(out, "  told         {annotations} annotations of {tokens} tokens in {sessions}{rate}")?;
    }
    if let Some(fault) = &shown.config_fault {
        writeln!(out, "  config       {}", clean(fault))?;
        writeln!(out, "               no index run begins with it: {}", config::HINT)?;
    }
    for (reason, count) in &status.reasons {
        writeln!(out, "  {DIM}{count:>6} files: {}{DIM:#}", clean(reason))?;
    }
    writeln!(out, "  {DIM}{} KiB in {}{DIM:#}", shown.bytes / 1024, clean(&shown.cache))?;
    Ok(())
}

/// Differing files that are named.
const MAX_NAMED: usize = 5;

fn print_standing(standing: &Standing, out: &mut dyn Write) -> Result<()> {
    if let Some((behind, aside)) = standing.commits.filter(|commits| *commits != (0, 0)) {
        let behind = counted(behind as u64, "commit");
        let aside = if aside > 0 { format!(", and on another line by {aside}") } else { String::new() };
        writeln!(out, "  {:<12} by {behind}{aside}", "behind")?;
    }
    let differing = &standing.differing;
    if differing.is_empty() {
        writeln!(out, "  work tree    as in the graph")?;
    } else {
        let named = |file: &Differing| match file.how {
            How::Changed => file.path.clone(),
            How::New => format!("{} (new)", file.path),
            How::Gone => format!("{} (gone)", file.path),
        };
        let mut names: Vec<String> = differing.iter().take(MAX_NAMED).map(named).collect();
        if differing.len() > MAX_NAMED {
            names.push(format!("+{}", differing.len() - MAX_NAMED));
        }
        let files = counted(differing.len() as u64, "file");
        writeln!(out, "  work tree    {files} not as in the graph: {}", clean(&names.join(", ")))?;
    }
    if let Some(reason) = &standing.without_git {
        writeln!(out, "  {:<12} git's list of files could not be used: {}", "listing", clean(reason))?;
    }
    if !standing.repositories.is_empty() {
        let (named, rest) = standing.repositories.split_at(standing.repositories.len().min(MAX_NAMED));
        let more = if rest.is_empty() { String::new() } else { format!(", +{}", rest.len()) };
        writeln!(out, "  left out     repositories of their own: {}{more}", clean(&named.join(", ")))?;
    }
    match (standing.running, standing.wanted) {
        (true, _) => writeln!(out, "  running      an index run is at work")?,
        (false, true) => writeln!(out, "  waiting      an index run is wanted and has not begun")?,
        (false, false) => {}
    }
    Ok(())
}

/// Empty when the clock says that the graph is from the future.
fn age(indexed_at: i64) -> String {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(indexed_at).unwrap_or_default());
    let Ok(age) = SystemTime::now().duration_since(then) else { return String::new() };
    format!(", {} ago", ago(age.as_secs()))
}

/// A time span in its largest unit.
pub(super) fn ago(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
