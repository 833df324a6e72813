//! `floorplan impact FILE`: what an edit of a file left unfit. Started by the hook after an edit, with the text that the file
//! had before on standard input as a JSON string; the answer is a JSON array. Ends by itself when it takes too long: nobody
//! waits for it then.

use super::{Cli, DONE};
use crate::{graph, review};
use anyhow::{Context, Result};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// What the hook waits for.
const TIME: Duration = Duration::from_millis(150);

/// What was found by then is told.
const TIME_TO_FIND: Duration = Duration::from_millis(120);

/// An old text larger than this is not compared.
const MAX_INPUT: u64 = 4 << 20;

#[derive(clap::Args)]
pub(super) struct ImpactArgs {
    /// The file that was edited, from the root
    file: String,
}

pub(super) fn run(cli: &Cli, args: &ImpactArgs, out: &mut dyn Write) -> Result<u8> {
    let until = Instant::now() + TIME_TO_FIND;
    std::thread::spawn(|| {
        std::thread::sleep(TIME);
        std::process::exit(i32::from(DONE));
    });
    let mut json = String::new();
    std::io::stdin().lock().take(MAX_INPUT).read_to_string(&mut json).context("reading the old text")?;
    let old: String = serde_json::from_str(&json).context("the old text is no JSON string")?;
    let repo = cli.repo(None)?;
    let graph = graph::open(&repo)?;
    let broken = review::broken_by_edit(&repo, &graph, &args.file, old.into_bytes(), until)?;
    writeln!(out, "{}", serde_json::to_string(&broken)?)?;
    Ok(DONE)
}
