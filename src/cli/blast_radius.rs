//! `floorplan blast-radius SYMBOL|FILE...`

use super::answer::{KindArgs, about_targets, print};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers;
use crate::query::blast_radius::{Question, blast_radius};
use crate::query::kinds::Kinds;
use crate::query::reach::Direction;
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct BlastRadiusArgs {
    /// path::Outer.inner, Outer.inner, inner, path:line, or the path of a file
    #[arg(required = true, value_name = "SYMBOL|FILE")]
    targets: Vec<String>,
    /// Steps to follow
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: u32,
    /// What they depend on, instead of what depends on them
    #[arg(long)]
    callees: bool,
    #[command(flatten)]
    kinds: KindArgs,
    /// How many to list; all are counted
    #[arg(long, default_value_t = 200)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(cli: &Cli, args: &BlastRadiusArgs, out: &mut dyn Write) -> Result<u8> {
    let question = Question {
        direction: if args.callees { Direction::Dependencies } else { Direction::Dependents },
        depth: args.depth,
        kinds: args.kinds.or(Kinds::all())?,
        limit: args.limit,
    };
    about_targets(cli, &args.targets, args.json, out, |graph, targets, out| {
        let answer = blast_radius(&graph.reader, targets, &question)?;
        let found = !answer.levels.is_empty() || !answer.importers.is_empty();
        print(graph, args.json, answer, answers::blast_radius, out)?;
        Ok(if found { DONE } else { NOTHING_FOUND })
    })
}
