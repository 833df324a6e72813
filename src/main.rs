//! Thin: the command line and its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(floorplan::cli::run())
}
