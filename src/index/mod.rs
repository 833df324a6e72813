//! From a work tree to a graph.

pub mod scan;
