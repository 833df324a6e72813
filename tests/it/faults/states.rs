//! Part of the fault table.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
