//! Thin: without arguments a hook of Claude Code, else the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else is set up: this path runs at each read and search of an agent.
    if std::env::args_os().len() <= 1 {
        floorplan::hook::run();
        return ExitCode::SUCCESS;
    }
    ExitCode::from(floorplan::cli::main())
}
