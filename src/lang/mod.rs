//! From bytes to facts. Each language is a grammar crate and one file here: which nodes open scopes and definitions, which
//! make expressions, and a table of rules that resolution reads. Nothing outside `lang` branches on a language.

pub(crate) mod builder;
pub(crate) mod python;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod walk;
