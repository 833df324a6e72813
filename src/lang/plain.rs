//! Languages without a front end. Their files can be found by their words and stand in neighborhoods by directory and past
//! changes; nothing is said of what they define, call or leave unused. A row is all that such a language takes.

use super::fallback::{Quote, Syntax};
use super::text::TextKind;
use crate::model::Language;

/// What is known of one language.
pub(super) struct Plain {
    pub(super) language: Language,
    /// File name extensions, without the dot.
    pub(super) extensions: &'static [&'static str],
    pub(super) syntax: &'static Syntax,
    /// What in it can mention a name of ours.
    pub(super) kind: TextKind,
    pub(super) is_test: fn(&str) -> bool,
}

const DOUBLE: Quote = Quote { mark: "\"", multiline: false, documents: false };
const SINGLE: Quote = Quote { mark: "'", multiline: false, documents: false };
const BACKTICK: Quote = Quote { mark: "`", multiline: true, documents: false };
const TRIPLE: Quote = Quote { mark: "\"\"\"", multiline: true, documents: false };
/// `@doc """..."""` and its like: prose.
const TRIPLE_DOCS: Quote = Quote { documents: true, ..TRIPLE };

const BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));

static C_LIKE: Syntax =
    Syntax { line_comment: "//", block_comment: BLOCK, quotes: &[TRIPLE, DOUBLE, SINGLE], prefixes: b"" };
/// A quote begins a lifetime more often than a character.
static RUST: Syntax = Syntax {
    line_comment: "//",
    block_comment: BLOCK,
    quotes: &[Quote { mark: "\"", multiline: true, documents: false }],
    prefixes: b"rb",
};
static WITH_HASHES: Syntax =
    Syntax { line_comment: "#", block_comment: None, quotes: &[TRIPLE_DOCS, DOUBLE, SINGLE], prefixes: b"" };
static LUA: Syntax = Syntax { line_comment: "--", block_comment: None, quotes: &[DOUBLE, SINGLE], prefixes: b"" };
/// Script and markup in one file.
static COMPONENT: Syntax =
    Syntax { line_comment: "//", block_comment: BLOCK, quotes: &[BACKTICK, DOUBLE, SINGLE], prefixes: b"" };

use super::testfiles;
use TextKind::{Code, Script};

static PLAIN: [Plain; 17] = [
    row(Language::Rust, &["rs"], &RUST, Script),
    row(Language::C, &["c", "h"], &C_LIKE, Code),
    row(Language::Cpp, &["cc", "cpp", "cxx", "hh", "hpp", "hxx"], &C_LIKE, Code),
    row(Language::CSharp, &["cs"], &C_LIKE, Script),
    // They call Java by name, and Java them.
    Plain { is_test: testfiles::java, ..row(Language::Kotlin, &["kt", "kts"], &C_LIKE, Code) },
    Plain { is_test: testfiles::java, ..row(Language::Scala, &["scala"], &C_LIKE, Code) },
    Plain { is_test: testfiles::java, ..row(Language::Groovy, &["groovy"], &C_LIKE, Code) },
    row(Language::Swift, &["swift"], &C_LIKE, Script),
    row(Language::Dart, &["dart"], &C_LIKE, Script),
    row(Language::Php, &["php"], &C_LIKE, Script),
    row(Language::Ruby, &["rb"], &WITH_HASHES, Script),
    row(Language::Elixir, &["ex", "exs"], &WITH_HASHES, Script),
    row(Language::Perl, &["pl", "pm"], &WITH_HASHES, Script),
    row(Language::Shell, &["sh", "bash"], &WITH_HASHES, Code),
    row(Language::Lua, &["lua"], &LUA, Script),
    // Their scripts import modules of ours.
    Plain { is_test: testfiles::typescript, ..row(Language::Vue, &["vue"], &COMPONENT, Code) },
    Plain { is_test: testfiles::typescript, ..row(Language::Svelte, &["svelte"], &COMPONENT, Code) },
];

const fn row(
    language: Language,
    extensions: &'static [&'static str],
    syntax: &'static Syntax,
    kind: TextKind,
) -> Plain {
    Plain { language, extensions, syntax, kind, is_test: testfiles::plain }
}

/// What is known of the language of a path, by its extension.
pub(super) fn of(path: &str) -> Option<&'static Plain> {
    let extension = super::extension_of(path)?;
    PLAIN.iter().find(|plain| plain.extensions.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_one_row_and_no_front_end() {
        for language in Language::ALL {
            let rows = PLAIN.iter().filter(|plain| plain.language == language).count();
            let without = language != Language::Text && language.family() == Language::Text;
            assert_eq!(rows, usize::from(without), "{}", language.name());
        }
        for plain in &PLAIN {
            for extension in plain.extensions {
                assert!(super::super::front_end(&format!("a.{extension}")).is_none(), "{extension}");
            }
        }
    }

    #[test]
    fn tests_are_told_by_their_names() {
        for path in ["tests/a.rs", "src/a_test.rs", "spec/a_spec.rb", "lib/ATests.cs", "a/testdata/b.c", "test_a.lua"] {
            assert!((of(path).unwrap().is_test)(path), "{path}");
        }
        for path in ["src/testing.rs", "lib/attest.rb", "src/latest.cc", "contests/a.php", "inspec/a.rb"] {
            assert!(!(of(path).unwrap().is_test)(path), "{path}");
        }
    }
}
