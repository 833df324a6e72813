//! `floorplan seed TEXT`

use super::answer::print;
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers;
use crate::graph;
use crate::query::seed::seed;
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct SeedArgs {
    /// What is to be done, in any words
    #[arg(required = true)]
    text: Vec<String>,
    /// How many files to list
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(cli: &Cli, args: &SeedArgs, out: &mut dyn Write) -> Result<u8> {
    let graph = graph::open(&cli.repo(None)?)?;
    let answer = seed(&graph.reader, &args.text.join(" "), args.limit)?;
    let found = !answer.files.is_empty();
    print(&graph, args.json, answer, answers::seed, out)?;
    Ok(if found { DONE } else { NOTHING_FOUND })
}
