//! `floorplan neighbors SYMBOL|FILE`

use super::answer::{KindArgs, about_targets, print};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers;
use crate::query::kinds::Kinds;
use crate::query::neighbors::neighbors;
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct NeighborsArgs {
    /// path::Outer.inner, Outer.inner, inner, path:line, or the path of a file
    #[arg(value_name = "SYMBOL|FILE")]
    target: String,
    /// Steps to follow, in each direction
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=8))]
    hops: u32,
    #[command(flatten)]
    kinds: KindArgs,
    /// How many to list in each direction; all are counted
    #[arg(long, default_value_t = 100)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(cli: &Cli, args: &NeighborsArgs, out: &mut dyn Write) -> Result<u8> {
    let kinds = args.kinds.or(Kinds::all())?;
    about_targets(cli, std::slice::from_ref(&args.target), args.json, out, |graph, targets, out| {
        let answer = neighbors(&graph.reader, targets, args.hops, kinds, args.limit)?;
        let found = !answer.used_by.levels.is_empty() || !answer.uses.levels.is_empty();
        print(graph, args.json, answer, answers::neighbors, out)?;
        Ok(if found { DONE } else { NOTHING_FOUND })
    })
}
