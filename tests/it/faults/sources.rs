//! Part E: source files.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
