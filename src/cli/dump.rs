//! `floorplan dump [PATH]`

use super::{Cli, DONE, output};
use crate::graph;
use crate::query::dump::dump;
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct DumpArgs {
    /// A folder of the repository [default: the current one]
    path: Option<PathBuf>,
    /// Accepted for likeness with the other commands: the output is always JSON lines
    #[arg(long, hide = true)]
    json: bool,
}

pub(super) fn run(cli: &Cli, args: &DumpArgs, out: &mut dyn Write) -> Result<u8> {
    let graph = graph::open(&cli.repo(args.path.as_ref())?)?;
    dump(&graph.reader, &mut |line| output::json(out, line))?;
    Ok(DONE)
}
