//! `floorplan config`

use super::DONE;
use super::output::{DIM, clean, json};
use crate::config::{self, Config};
use crate::repo;
use crate::session::{self, ephemeral};
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct ConfigArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    change: Option<Change>,
}

/// Settings that are no part of the file, since the hook has to know them.
#[derive(clap::Subcommand)]
enum Change {
    /// Turns the memory of sessions off (on) and forgets what was kept, or back on (off)
    Ephemeral { state: Switch },
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Serialize)]
struct Shown {
    /// Where the settings are looked for; null without a home.
    path: Option<String>,
    /// There is a file.
    present: bool,
    /// Nothing of what sessions do is kept.
    ephemeral: bool,
    settings: Config,
}

pub(super) fn run(args: &ConfigArgs, out: &mut dyn Write) -> Result<u8> {
    if let Some(Change::Ephemeral { state }) = args.change {
        return switch(state, out);
    }
    let path = config::path().map(|path| path.to_string_lossy().into_owned());
    let (settings, present) = config::load()?;
    let shown = Shown { path, present, ephemeral: ephemeral::keeps_nothing(), settings };
    if args.json {
        json(out, &shown)?;
        return Ok(DONE);
    }
    let state = if shown.present { "" } else { " (absent: these are the defaults)" };
    let path = shown.path.as_deref().unwrap_or("neither XDG_CONFIG_HOME nor HOME is an absolute path");
    writeln!(out, "{DIM}# {}{state}{DIM:#}", clean(path))?;
    if shown.ephemeral {
        writeln!(out, "{DIM}# ephemeral: nothing of what sessions do is kept{DIM:#}")?;
    }
    write!(out, "{}", toml::to_string_pretty(&shown.settings).context("writing the settings as TOML")?)?;
    Ok(DONE)
}

fn switch(state: Switch, out: &mut dyn Write) -> Result<u8> {
    match state {
        Switch::On => {
            ephemeral::turn_on().context("turning the memory of sessions off")?;
            // After the mark, or a hook call in between would begin one more.
            let removed = repo::caches_dir().map_or(Ok(0), |caches| session::forget(&caches));
            let removed = removed.context("removing what was kept of sessions")?;
            writeln!(out, "nothing of what sessions do is kept; {removed} journals were removed")?;
        }
        Switch::Off => {
            ephemeral::turn_off().context("turning the memory of sessions on")?;
            writeln!(out, "what sessions do is kept for two weeks: paths, names and times, no content")?;
        }
    }
    Ok(DONE)
}
