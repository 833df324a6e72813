//! Orders the stages: scan, extract, resolve, store, publish.

pub mod resolve;
pub mod scan;
