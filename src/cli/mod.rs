//! The commands, as clap sees them.

use clap::{Parser, Subcommand};

pub mod install;
mod settings;

#[derive(Parser)]
#[command(name = "floorplan", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Registers the hook in Claude Code's settings.
    Install(install::InstallArgs),
    /// Takes the hook out of Claude Code's settings.
    Uninstall(install::UninstallArgs),
}

/// Runs the command line of this process.
///
/// # Errors
/// What the command could not do.
pub fn run() -> anyhow::Result<u8> {
    match Cli::parse().command {
        Command::Install(args) => install::run_install(&args),
        Command::Uninstall(args) => install::run_uninstall(&args),
    }
}
