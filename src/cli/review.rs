//! `floorplan review [BASE]`

use super::answer::{Answer, note_age, terminal};
use super::output::json;
use super::{Cli, DONE, NOTHING_FOUND};
use crate::annotate::answers::{review, review_markdown};
use crate::{graph, review};
use anyhow::Result;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct ReviewArgs {
    /// HEAD since it left BASE, or A..B for two commits [default: the work tree against HEAD]
    base: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    format: Format,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// Markdown, for a comment on a change
    Github,
}

pub(super) fn run(cli: &Cli, args: &ReviewArgs, out: &mut dyn Write) -> Result<u8> {
    let repo = cli.repo(None)?;
    let graph = graph::open(&repo)?;
    let answer = review::review(&repo, &graph, args.base.as_deref())?;
    let code = if answer.symbols.is_empty() { NOTHING_FOUND } else { DONE };
    if args.json {
        json(out, &Answer::new(&graph, answer))?;
        return Ok(code);
    }
    if args.format == Format::Github {
        write!(out, "{}", review_markdown(&answer, terminal()))?;
        return Ok(code);
    }
    for line in review(&answer, terminal()) {
        writeln!(out, "{line}")?;
    }
    note_age(&graph, out)?;
    Ok(code)
}
