//! floorplan: a code graph that tells a coding agent who calls what it is about to change.
//!
//! Data flows one way: source -> facts -> edges -> store -> answers -> text -> hook reply. A module may use only what
//! stands before it; `tests/tidy.rs` holds the table of DESIGN.md.

pub mod annotate;
pub mod cli;
pub mod config;
pub mod freshness;
mod graph;
pub mod hook;
pub mod index;
pub mod lang;
pub mod mcp;
pub mod model;
pub mod query;
pub mod repo;
mod review;
pub mod session;
pub mod store;
mod tokens;
