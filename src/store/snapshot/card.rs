//! What the hook knows about one file, one name and the whole repository: the answers, counted ahead of time.
//!
//! A caller is a function that runs the symbol's code (or the module-level code of a file, one per file). Uses inside the
//! symbol's own body are none, imports are none, and a constructor's callers are its class's. Definitions of one
//! qualified name in one file (overloads, branches of an `if`) share one card. Test code is counted apart, unless the
//! symbol itself is test code: then its users are tests by nature and are counted like any other.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::{DefKind, Language};

/// Possible callers are counted up to here: nobody acts on the difference between 1,000 and 2,000 guesses, and a
/// base method with thousands of callers and overrides would cost their product.
pub const POSSIBLE_LIMIT: u32 = 1000;

/// One place of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Relative to the root.
    pub path: Arc<str>,
    pub line: u32,
}

/// One symbol, with who uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolCard {
    pub path: Arc<str>,
    pub qualname: String,
    pub kind: DefKind,
    pub line: u32,
    pub end_line: u32,
    pub exported: bool,
    /// Defined in a test file.
    pub test: bool,
    /// Definitions folded into this card; 1 without overloads.
    pub overloads: u32,
    /// Definitions of this name in the whole repository, this one included, constructors left out.
    pub same_name: u32,
    /// Resolved production callers, and the files that they stand in.
    pub callers: u32,
    pub caller_files: u32,
    /// Of `callers`: those in the symbol's own file, and those in other packages (directories).
    pub own_callers: u32,
    pub outside_callers: u32,
    /// Other production files with a resolved use of any kind, and those of them in other packages.
    pub use_files: u32,
    pub outside_use_files: u32,
    /// Callers that are guesses: unique or ambiguous names, calls through what this overrides. At most
    /// [`POSSIBLE_LIMIT`].
    pub possible: u32,
    /// Callers in test code, and test files with any use.
    pub test_callers: u32,
    pub test_files: u32,
    /// Resolved production uses worth naming: distinct files first, calls before other uses, the symbol's own file last
    /// (of what is no function before anything else), examples after the product, other packages first.
    pub sites: Vec<Site>,
}

/// A production file that uses, imports or overrides something of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerFile {
    pub path: Arc<str>,
    /// Byte at which the shortest end of the path begins that no other file of the repository has; 0 for the whole path.
    pub unique_from: u32,
    /// Line of its first use; 0 where only its import is known.
    pub line: u32,
}

/// An export with no reference found and no other mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreferenced {
    pub qualname: String,
    pub kind: DefKind,
    pub line: u32,
    /// Others of its name stand beside it, so that only the line tells which one it is.
    pub overload: bool,
}

/// The files that a file belongs with: see [`crate::model::Community`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighborhood {
    pub label: String,
    pub files: u32,
    /// Per mille.
    pub cohesion: Option<i16>,
    /// Of the file itself, per mille.
    pub membership: Option<i16>,
    /// The member that most files outside use or import.
    pub entry: Option<Arc<str>>,
}

/// One file, with who uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileCard {
    pub path: Arc<str>,
    pub language: Language,
    /// `parsed`, `partial` or `fallback`.
    pub status: &'static str,
    pub test: bool,
    /// What it was when it was indexed: bytes, nanoseconds since 1970, XXH3-64.
    pub size: u64,
    pub mtime_ns: i64,
    pub content_hash: u64,
    pub lines: u32,
    /// Inclusive line ranges that did not parse; the first few.
    pub unparsed: Vec<(u32, u32)>,
    /// Symbols with any known use, the most used first; the best 64.
    pub symbols: Vec<SymbolCard>,
    /// Production files that use it, those that use its most specific symbols first; without any, those that import it.
    /// The best 16.
    pub callers: Vec<CallerFile>,
    /// Production files of which only guesses are known, in the same order; the best 8.
    pub possible: Vec<CallerFile>,
    /// Other production files with methods that its methods override, most methods first; the best 4.
    pub bases: Vec<CallerFile>,
    /// Production files with methods that override those of the first of `bases`, this one included.
    pub base_overriders: u32,
    /// Of the production files whose methods override its methods: those that do not name it (structural interfaces),
    /// most methods first; the best 16, and how many there are.
    pub overriders: Vec<CallerFile>,
    pub overriders_total: u32,
    /// All production files whose methods override its methods.
    pub overriding: u32,
    /// Of a file that others use: production files that past commits changed with it and that none of these lists has,
    /// the most tied first; the best 3.
    pub companions: Vec<CallerFile>,
    /// All production files that use a symbol of it.
    pub users: u32,
    /// Production files that use or import it.
    pub dependents: u32,
    /// Those, and the production files that use or import them; without itself.
    pub dependents_in_two: u32,
    /// The topmost file of a package (`__init__.py`, `index.ts`) around it that imports it: what that hands on is the
    /// package's interface.
    pub handed_on: Option<Arc<str>>,
    /// Test files that use or import it.
    pub test_files: u32,
    /// The first 16, and how many there are.
    pub unreferenced: Vec<Unreferenced>,
    pub unreferenced_total: u32,
    /// Exported symbols that it defines.
    pub exported: u32,
    /// References without a known target that bear the name of one of its exported symbols, and possible uses of them:
    /// callers may hide there.
    pub hidden: u32,
    pub neighborhood: Option<Neighborhood>,
}

/// Files and lines of one language, tests included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageCount {
    pub language: Language,
    pub files: u32,
    pub lines: u64,
}

/// A directory with the production files in and under it, those of other listed directories left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    /// Relative to the root; empty for the root itself.
    pub path: String,
    pub files: u32,
    /// Its file that most files outside of it use or import, where at least two do.
    pub entry: Option<String>,
}

/// A neighborhood as the briefing lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    pub label: String,
    pub files: u32,
    /// Per mille.
    pub cohesion: Option<i16>,
    pub entry: Option<String>,
}

/// A file that many depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hub {
    pub path: String,
    pub dependents: u32,
}

/// The whole repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Indexed code files, and those of them that are tests.
    pub files: u32,
    pub test_files: u32,
    pub lines: u64,
    /// Most lines first.
    pub languages: Vec<LanguageCount>,
    pub symbols: u64,
    pub edges: u64,
    /// References into the repository with one sure target, of all that may be into it, per mille.
    pub resolved_permille: u32,
    pub skipped: u32,
    /// Largest first, at most six; disjoint.
    pub directories: Vec<Directory>,
    /// The largest six, and how many there are.
    pub neighborhoods: Vec<Area>,
    pub neighborhoods_total: u32,
    /// The three files with most production dependents.
    pub hubs: Vec<Hub>,
    /// Files with a `main`, at most three.
    pub entry_points: Vec<String>,
}
