//! `floorplan mcp`

use super::{Cli, DONE};
use crate::mcp;
use anyhow::Result;

pub(super) fn run(cli: &Cli) -> Result<u8> {
    mcp::serve(cli.folder()?)?;
    Ok(DONE)
}
