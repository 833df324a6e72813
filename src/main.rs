//! Thin: the command line, its result as an exit code, and the one place that prints errors.

use std::process::ExitCode;

fn main() -> ExitCode {
    match floorplan::cli::run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            anstream::eprintln!("floorplan: {error:#}");
            ExitCode::from(2)
        }
    }
}
