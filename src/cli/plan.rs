//! `floorplan plan SYMBOL|FILE...`

use super::answer::{about_targets, print};
use super::{Cli, DONE};
use crate::annotate::answers::{self, Names};
use crate::query::plan::{Surroundings, plan};
use crate::{graph, tokens};
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct PlanArgs {
    /// What is to be changed: path::Outer.inner, Outer.inner, inner, path:line, or the path of a file
    #[arg(required = true, value_name = "SYMBOL|FILE")]
    targets: Vec<String>,
    /// Tokens that the code in the plan may have
    #[arg(long, default_value_t = 60_000)]
    budget: usize,
    /// Print the code itself, as one Markdown document
    #[arg(long, conflicts_with = "json")]
    with_content: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(cli: &Cli, args: &PlanArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    about_targets(cli, &args.targets, args.json, out, |graph, targets, out| {
        let text = |path: &str| graph::text(&repo, path);
        let around = Surroundings { text: &text, tokens: &tokens::count };
        let answer = plan(&graph.reader, targets, args.budget, &around)?;
        if args.with_content {
            // Code as it is: it goes to a file or a model, and a terminal's reader has asked for it.
            let document = answers::plan_document(&answer, Names::terminal(str::to_string));
            write!(out, "{document}")?;
        } else {
            print(graph, args.json, answer, answers::plan, out)?;
        }
        Ok(DONE)
    })
}
