//! `floorplan search TEXT`

use super::answer::print;
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers;
use crate::graph;
use crate::query::search::search;
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct SearchArgs {
    /// Words of a name, in any case: `parse url` finds parseURLPath; the last letters may be missing
    #[arg(required = true)]
    text: Vec<String>,
    /// How many to list
    #[arg(long, default_value_t = 20)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(cli: &Cli, args: &SearchArgs, out: &mut dyn Write) -> Result<u8> {
    let graph = graph::open(&cli.repo(None)?)?;
    let answer = search(&graph.reader, &args.text.join(" "), args.limit)?;
    let found = !answer.found.is_empty();
    print(&graph, args.json, answer, answers::search, out)?;
    Ok(if found { DONE } else { NOTHING_FOUND })
}
