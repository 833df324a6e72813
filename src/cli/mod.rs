//! The command line (placeholder of branch `hook`).

use std::io::Write;

/// Prints usage.
pub fn main() -> u8 {
    let _ = writeln!(std::io::stderr(), "floorplan: commands are not built in on this branch");
    2
}
