//! `floorplan config`

use super::DONE;
use super::output::{DIM, clean, json};
use crate::config::{self, Config};
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct ConfigArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    /// Where the settings are looked for; null without a home.
    path: Option<String>,
    /// There is a file.
    present: bool,
    settings: Config,
}

pub(super) fn run(args: &ConfigArgs, out: &mut dyn Write) -> Result<u8> {
    let path = config::path().map(|path| path.to_string_lossy().into_owned());
    let (settings, present) = config::load()?;
    let shown = Shown { path, present, settings };
    if args.json {
        json(out, &shown)?;
        return Ok(DONE);
    }
    let state = if shown.present { "" } else { " (absent: these are the defaults)" };
    let path = shown.path.as_deref().unwrap_or("neither XDG_CONFIG_HOME nor HOME is an absolute path");
    writeln!(out, "{DIM}# {}{state}{DIM:#}", clean(path))?;
    write!(out, "{}", toml::to_string_pretty(&shown.settings).context("writing the settings as TOML")?)?;
    Ok(DONE)
}
