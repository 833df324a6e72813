//! `floorplan statusline`: one line for the host's status line, about the session that it gives on standard input.

use super::{Cli, DONE};
use crate::freshness::{self, Freshness};
use crate::graph;
use crate::repo;
use crate::session::{self, Adoption, Journal, Trail};
use crate::store::snapshot::{Identity, Snapshot};
use anyhow::Result;
use serde::Deserialize;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The host's object is a few kilobytes.
const MAX_INPUT: u64 = 1 << 20;

/// What is used of the host's object.
#[derive(Default, Deserialize)]
struct Input {
    session_id: Option<String>,
    cwd: Option<PathBuf>,
}

pub(super) fn run(cli: &Cli, out: &mut dyn Write) -> Result<u8> {
    let mut json = Vec::new();
    std::io::stdin().lock().take(MAX_INPUT).read_to_end(&mut json)?;
    // Started by hand it is about the folder that it is in.
    let input: Input = serde_json::from_slice(&json).unwrap_or_default();
    let folder = match (&cli.root, input.cwd) {
        (None, Some(cwd)) => cwd,
        _ => cli.folder()?,
    };
    writeln!(out, "{}", line(&folder, input.session_id.as_deref()))?;
    Ok(DONE)
}

fn line(folder: &Path, session: Option<&str>) -> String {
    let repo = repo::locate_or_folder(folder);
    let (root, git_dir) = graph::identity(&repo);
    let Ok(cache) = graph::cache(&repo) else { return "floorplan: no cache folder".into() };
    let identity = Identity { root: &root, git_dir: &git_dir };
    let Ok(snapshot) = Snapshot::open(&cache.join(crate::index::SNAPSHOT), &identity) else {
        return "floorplan: not indexed".into();
    };
    let symbols = snapshot.summary().map_or(0, |summary| summary.symbols);
    let state = match freshness::of(snapshot.head(), &repo::head(&repo)) {
        Freshness::Fresh => "current",
        Freshness::Behind => "behind HEAD",
        Freshness::FileChanged | Freshness::Absent | Freshness::Unknown => "age unknown",
    };
    let mut text = format!("floorplan: {symbols} symbols, {state}");
    let journal = session.and_then(|session| Journal::read(&session::existing(&cache, session)?, ""));
    if let Some(journal) = journal {
        let trail = Trail::of(journal.entries().map(|(_, entry)| entry));
        text.push_str(&format!(", {} annotations of {} tokens", trail.said, trail.tokens));
        if let Some(rate) = Adoption::of(journal.entries()).rate() {
            text.push_str(&format!(", {rate} % followed"));
        }
        if !trail.to_check.is_empty() {
            text.push_str(&format!(", {} files to check", trail.to_check.len()));
        }
    }
    text
}
