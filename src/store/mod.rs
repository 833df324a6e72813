//! The two stored forms of one graph: SQLite for planning and increments, the snapshot file for the hook.

pub mod snapshot;
