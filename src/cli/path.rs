//! `floorplan path FROM TO`

use super::answer::{KindArgs, about_targets, print};
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers;
use crate::query::kinds::Kinds;
use crate::query::path::path;
use anyhow::{Result, bail};
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct PathArgs {
    /// The end that depends: a symbol or a file
    from: String,
    /// The end that it depends on
    to: String,
    #[command(flatten)]
    kinds: KindArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(cli: &Cli, args: &PathArgs, out: &mut dyn Write) -> Result<u8> {
    let kinds = args.kinds.or(Kinds::all())?;
    about_targets(cli, &[args.from.clone(), args.to.clone()], args.json, out, |graph, targets, out| {
        let Ok([from, to]) = <[_; 2]>::try_from(targets) else { bail!("a path has two ends") };
        let answer = path(&graph.reader, from, to, kinds)?;
        let found = !answer.steps.is_empty();
        print(graph, args.json, answer, answers::path, out)?;
        Ok(if found { DONE } else { NOTHING_FOUND })
    })
}
