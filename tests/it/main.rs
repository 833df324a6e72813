//! The one integration binary: each module drives the library or the built program from outside.

// Only `index::background` may start programs in the product; these tests start the product.
#![allow(clippy::disallowed_methods)]
// clippy takes only functions marked as tests for tests, and not their helpers.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod always_current;
mod cases;
mod config;
mod end_to_end;
mod faults;
mod growth;
mod hook_cases;
mod install;
mod mcp;
mod memory;
mod modularity;
mod prompts;
mod review;
mod stress;
mod support;
mod tidy;
mod updates;
mod verdict;
