//! `floorplan status`

use super::answer::{Answer, note_age};
use super::output::{BOLD, DIM, clean, json};
use super::{Cli, DONE};
use crate::freshness::Freshness;
use crate::graph;
use crate::query::status::{Status, status};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
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
}

pub(super) fn run(cli: &Cli, args: &StatusArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    let graph = graph::open(&repo)?;
    let cache = graph::cache(&repo)?;
    let bytes = cache.join(crate::index::DATABASE).metadata().map_or(0, |metadata| metadata.len());
    let cache = cache.to_string_lossy().into_owned();
    let shown = Shown { status: status(&graph.reader)?, bytes, cache };
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
    for (language, files) in &status.by_language {
        let files: Vec<String> = files.iter().map(|(status, count)| format!("{count} {status}")).collect();
        writeln!(out, "  {:<12} {}", clean(language), clean(&files.join(", ")))?;
    }
    writeln!(out, "  symbols      {}, {} unreferenced exports", status.symbols, status.unreferenced)?;
    writeln!(out, "  references   {} resolved or possible, {} not", status.edges, status.unresolved)?;
    for (reason, count) in &status.reasons {
        writeln!(out, "  {DIM}{count:>6} files: {}{DIM:#}", clean(reason))?;
    }
    writeln!(out, "  {DIM}{} KiB in {}{DIM:#}", shown.bytes / 1024, clean(&shown.cache))?;
    Ok(())
}

/// Empty when the clock says that the graph is from the future.
fn age(indexed_at: i64) -> String {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(indexed_at).unwrap_or_default());
    let Ok(age) = SystemTime::now().duration_since(then) else { return String::new() };
    let seconds = age.as_secs();
    match seconds {
        0..120 => format!(", {seconds} s ago"),
        120..7_200 => format!(", {} min ago", seconds / 60),
        7_200..172_800 => format!(", {} h ago", seconds / 3_600),
        _ => format!(", {} days ago", seconds / 86_400),
    }
}
