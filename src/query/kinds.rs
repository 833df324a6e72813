//! Which relations a question is about: a set of edge kinds, by their own names or by the broader words that people use
//! (`calls`, `imports`, `extends`, `implements`, `references`).

use crate::model::EdgeKind;
use crate::store::codes;
use anyhow::{Result, bail};

/// A set of kinds, one bit for each code of the database; one more for "overrides", which is a relation of its own there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(i64);

/// The bit of "this method overrides that one".
const OVERRIDE: i64 = 1 << 9;

/// Words for several kinds at once, and what they stand for.
const GROUPS: [(&str, &[&str]); 6] = [
    ("calls", &["call", "construct", "decorate"]),
    ("imports", &["import"]),
    ("extends", &["inherit"]),
    ("implements", &["implement", "override"]),
    ("references", &["type", "read", "value"]),
    ("all", &["calls", "imports", "extends", "implements", "references"]),
];

impl Kinds {
    /// What runs the symbol's code.
    pub fn calls() -> Kinds {
        EdgeKind::ALL.into_iter().filter(|kind| kind.is_call()).fold(Kinds(0), Kinds::with)
    }

    pub fn all() -> Kinds {
        EdgeKind::ALL.into_iter().fold(Kinds(OVERRIDE), Kinds::with)
    }

    /// The union of what the words name; all kinds for no words.
    ///
    /// # Errors
    /// A word that names no kind, with those that do.
    pub fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Kinds> {
        let mut kinds = Kinds(0);
        for word in words {
            kinds = kinds.with_word(word)?;
        }
        Ok(if kinds.0 == 0 { Kinds::all() } else { kinds })
    }

    fn with_word(self, word: &str) -> Result<Kinds> {
        if let Some((_, parts)) = GROUPS.iter().find(|(group, _)| *group == word) {
            return parts.iter().try_fold(self, |kinds, part| kinds.with_word(part));
        }
        if word == "override" {
            return Ok(Kinds(self.0 | OVERRIDE));
        }
        let Some(kind) = EdgeKind::ALL.into_iter().find(|kind| kind.name() == word) else {
            let groups = GROUPS.iter().map(|(group, _)| *group);
            let names: Vec<&str> = groups.chain(EdgeKind::ALL.map(EdgeKind::name)).chain(["override"]).collect();
            bail!("there is no kind of relation {word:?}; there are: {}", names.join(", "));
        };
        Ok(self.with(kind))
    }

    fn with(self, kind: EdgeKind) -> Kinds {
        Kinds(self.0 | 1 << codes::edge_kind(kind))
    }

    pub fn has(self, kind: EdgeKind) -> bool {
        self.0 >> codes::edge_kind(kind) & 1 == 1
    }

    pub fn has_overrides(self) -> bool {
        self.0 & OVERRIDE != 0
    }

    /// For SQL: bit n is the kind of code n, bit 9 the overrides.
    pub(crate) fn bits(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_kinds_and_groups_of_them() {
        assert_eq!(Kinds::of_words(["calls"]).unwrap(), Kinds::calls());
        assert_eq!(Kinds::of_words(["all"]).unwrap(), Kinds::all());
        assert_eq!(Kinds::of_words([]).unwrap(), Kinds::all());
        let chosen = Kinds::of_words(["import", "implements"]).unwrap();
        assert!(chosen.has(EdgeKind::Import) && chosen.has(EdgeKind::Implement) && chosen.has_overrides());
        assert!(!chosen.has(EdgeKind::Call));
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_known_ones() {
        let error = Kinds::of_words(["call", "uses"]).unwrap_err().to_string();
        assert!(
            error.contains("\"uses\"") && error.contains("calls, imports") && error.contains("override"),
            "{error}"
        );
    }
}
