//! From bytes to facts. Each language is a grammar crate and one folder here: which nodes open scopes and definitions, which
//! make expressions, and a table of rules that resolution reads. Nothing outside `lang` branches on a language.
//!
//! [`extract`] never fails: what the parser or the front end cannot do, regular expressions do ([`fallback`]), and the
//! status says which it was.

pub(crate) mod builder;
mod decode;
mod errors;
mod fallback;
pub mod frameworks;
mod go;
mod java;
mod locals;
pub(crate) mod mentions;
mod plain;
mod python;
pub(crate) mod rules;
mod secrets;
pub mod terms;
mod testfiles;
#[cfg(test)]
pub(crate) mod testing;
mod text;
pub(crate) mod typescript;
pub(crate) mod walk;
pub(crate) mod words;

use crate::model::{FileFacts, Language, Status};
use builder::Builder;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};
use walk::TooDeep;

/// All that floorplan knows about one language.
pub struct FrontEnd {
    pub language: Language,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    grammar: fn() -> tree_sitter::Language,
    facts: fn(&Tree, &str) -> Result<Builder, TooDeep>,
    outline: &'static fallback::Outline,
    is_test: fn(&str) -> bool,
}

static FRONT_ENDS: [FrontEnd; 6] = [
    FrontEnd {
        language: Language::Python,
        // Stubs (`.pyi`) would define every name a second time; they count as text.
        extensions: &["py", "pyw"],
        grammar: || tree_sitter_python::LANGUAGE.into(),
        facts: python::facts,
        outline: &fallback::PYTHON,
        is_test: testfiles::python,
    },
    FrontEnd {
        language: Language::Java,
        extensions: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        facts: java::facts,
        outline: &fallback::JAVA,
        is_test: testfiles::java,
    },
    FrontEnd {
        language: Language::Go,
        extensions: &["go"],
        grammar: || tree_sitter_go::LANGUAGE.into(),
        facts: go::facts,
        outline: &fallback::GO,
        is_test: testfiles::go,
    },
    FrontEnd {
        language: Language::TypeScript,
        extensions: &["ts", "mts", "cts"],
        grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        facts: typescript::typescript,
        outline: &fallback::TYPESCRIPT,
        is_test: testfiles::typescript,
    },
    FrontEnd {
        language: Language::TypeScript,
        extensions: &["tsx"],
        grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
        facts: typescript::tsx,
        outline: &fallback::TYPESCRIPT,
        is_test: testfiles::typescript,
    },
    FrontEnd {
        language: Language::JavaScript,
        extensions: &["js", "mjs", "cjs", "jsx"],
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
        facts: typescript::javascript,
        outline: &fallback::TYPESCRIPT,
        is_test: testfiles::typescript,
    },
];

/// Adds what a text says to its facts.
pub(crate) type Manifest = fn(&str, &mut Builder);

/// Files that say where the packages of a language are found.
const MANIFESTS: [(&str, Manifest); 1] = [("go.mod", go::manifest::facts)];

/// The languages that have a front end.
pub(crate) fn languages() -> impl Iterator<Item = Language> {
    FRONT_ENDS.iter().map(|front_end| front_end.language)
}

/// What reads a file of this name for where modules are found.
fn manifest(name: &str) -> Option<Manifest> {
    let known = MANIFESTS.iter().find(|(known, _)| *known == name).map(|(_, read)| *read);
    known.or_else(|| typescript::config::reader(name))
}

/// True for a configuration file that may say where modules are found.
pub(crate) fn configures_search(path: &str) -> bool {
    typescript::config::reader(file_name_of(path)).is_some()
}

/// Signatures of a part of a language's library. They name only types: no use of them is ever shown.
#[derive(Debug)]
pub struct LibraryFile {
    /// Of its own.
    pub path: &'static str,
    /// Whose family's library it is of.
    pub family: Language,
    source: &'static str,
    facts: OnceLock<FileFacts>,
}

impl LibraryFile {
    /// Parsed when first asked for: few repositories have to do with every language.
    pub fn facts(&self) -> &FileFacts {
        self.facts.get_or_init(|| library_facts(self.path, self.source))
    }
}

/// The library signatures that resolution knows of, always in the same order.
pub fn library() -> &'static [LibraryFile] {
    static LIBRARY: LazyLock<Vec<LibraryFile>> = LazyLock::new(|| {
        // Several front ends may share one family's rules.
        let families: BTreeSet<Language> = FRONT_ENDS.iter().map(|front_end| front_end.language.family()).collect();
        let of_family = |family: Language| {
            let sources = rules::rules(family).library.iter();
            sources.map(move |(path, source)| LibraryFile { path, family, source, facts: OnceLock::new() })
        };
        families.into_iter().flat_map(of_family).collect()
    });
    &LIBRARY
}

fn library_facts(path: &str, source: &str) -> FileFacts {
    let mut facts = extract(path, source.as_bytes(), &Limits::default());
    let by_path = matches!(rules::rules(facts.language).module_system, rules::ModuleSystem::Directories { .. });
    if by_path || facts.package.is_none() {
        let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
        facts.package = Some(facts.intern(module));
    }
    facts
}

/// What one file may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Parser steps allowed for any file, and for each of its bytes. Steps are counted, not timed, so that the same file
    /// gives the same facts on a loaded machine; see [`PARSER_STEPS_PER_CALLBACK`] for the unit.
    pub steps: u64,
    pub steps_per_byte: u64,
    /// The last resort against a parser that is slow in ways its steps do not show.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // Measured: scrapy, picocli and their like take 0.6 steps a byte, 1.1 at most; prose and data under a code name 3.
        Limits { steps: 500_000, steps_per_byte: 2, time: Duration::from_secs(20) }
    }
}

impl Limits {
    /// No parsing at all: everything comes from regular expressions.
    pub const NO_PARSER: Limits = Limits { steps: 0, steps_per_byte: 0, time: Duration::ZERO };
}

/// tree-sitter calls back once in so many parser operations (`OP_COUNT_PER_PARSER_CALLBACK_CHECK` in its parser.c).
const PARSER_STEPS_PER_CALLBACK: u64 = 100;

/// The front end for a path, by its extension.
pub fn front_end(path: &str) -> Option<&'static FrontEnd> {
    let extension = extension_of(path)?;
    FRONT_ENDS.iter().find(|front_end| front_end.extensions.contains(&extension))
}

/// The language of a path, or `Text` for known text kinds. `None` is not ours.
pub fn language_of(path: &str) -> Option<Language> {
    if let Some(front_end) = front_end(path) {
        return Some(front_end.language);
    }
    plain::of(path).map(|plain| plain.language).or_else(|| text::kind_of(path).map(|_| Language::Text))
}

/// True for code, with a front end or without.
pub fn is_code(path: &str) -> bool {
    front_end(path).is_some() || plain::of(path).is_some()
}

/// True for a test file by the conventions of its language.
pub fn is_test(path: &str) -> bool {
    let by_language = front_end(path).map(|front_end| front_end.is_test).or(plain::of(path).map(|plain| plain.is_test));
    by_language.unwrap_or(testfiles::text)(path)
}

/// All of a path that [`extract`] looks at: facts of other files with the same bytes and the same part are the same.
pub(crate) fn seen_of_path(path: &str) -> &str {
    // Whether a text tells the past is told by its folders too.
    if front_end(path).is_some() { file_name_of(path) } else { path }
}

fn file_name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What follows the last dot of the file name; a leading dot does not count.
fn extension_of(path: &str) -> Option<&str> {
    match file_name_of(path).rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => Some(extension),
        _ => None,
    }
}

/// What a file says. Never fails and never panics; [`FileFacts::status`] says how much was understood.
///
/// Offsets in the facts count bytes of the text after decoding to UTF-8, a byte order mark left out.
pub fn extract(path: &str, bytes: &[u8], limits: &Limits) -> FileFacts {
    let front_end = front_end(path);
    let language = front_end.map_or(Language::Text, |front_end| front_end.language.family());
    let Some(text) = decode::text_of(bytes) else {
        let mut builder = Builder::new(language);
        builder.facts.status = Status::Words;
        return builder.finish();
    };
    let mut builder = match front_end {
        Some(front_end) => {
            let mut builder = facts_of_code(front_end, &text, limits);
            builder.facts.terms = terms::of_code(&front_end.outline.syntax, &text);
            builder
        }
        None => {
            let mut builder = Builder::new(Language::Text);
            builder.facts.status = Status::Words;
            if let Some(kind) = text::kind_of(path) {
                text::collect(kind, &text, &mut builder.facts.words.strings);
            }
            if let Some(plain) = plain::of(path) {
                builder.facts.terms = terms::of_code(plain.syntax, &text);
            }
            if let Some(read) = manifest(file_name_of(path)) {
                read(&text, &mut builder);
            }
            builder
        }
    };
    builder.facts.lines = decode::count_lines(&text);
    builder.finish()
}

fn facts_of_code(front_end: &'static FrontEnd, text: &str, limits: &Limits) -> Builder {
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let tree = parse(front_end, text, limits)?;
        let builder = (front_end.facts)(&tree, text).map_err(|TooDeep| "too deep")?;
        Ok((builder, errors::unparsed_lines(&tree)))
    }));
    let reason = match parsed {
        Ok(Ok((mut builder, unparsed))) => {
            if !unparsed.is_empty() {
                let regex_facts = guarded_fallback(front_end, text).facts;
                errors::recover(&mut builder, &regex_facts, &unparsed, text);
                builder.facts.status = Status::Partial(unparsed);
            }
            return builder;
        }
        Ok(Err(reason)) => reason,
        // A bug of ours in one file must not cost the others; the file is reported with this reason.
        Err(_panic) => "internal error",
    };
    let mut builder = guarded_fallback(front_end, text);
    builder.facts.status = Status::Fallback(reason.to_owned());
    builder
}

fn guarded_fallback(front_end: &'static FrontEnd, text: &str) -> Builder {
    let family = front_end.language.family();
    catch_unwind(|| fallback::facts(front_end.outline, text, family)).unwrap_or_else(|_panic| Builder::new(family))
}

thread_local! {
    /// One parser a grammar (by its first extension) and thread: making one costs more than parsing a small file.
    static PARSERS: RefCell<Vec<(&'static str, Parser)>> = const { RefCell::new(Vec::new()) };
}

fn parse(front_end: &FrontEnd, text: &str, limits: &Limits) -> Result<Tree, &'static str> {
    // Offsets are 32 bits wide in tree-sitter and in the facts.
    if u32::try_from(text.len()).is_err() {
        return Err("too big");
    }
    let budget = limits.steps.saturating_add(limits.steps_per_byte.saturating_mul(text.len() as u64));
    if budget == 0 {
        return Err("parser switched off");
    }
    let kept = PARSERS.with_borrow_mut(|parsers| {
        let at = parsers.iter().position(|(grammar, _)| *grammar == front_end.extensions[0])?;
        Some(parsers.swap_remove(at).1)
    });
    let mut parser = match kept {
        Some(parser) => parser,
        None => {
            let mut parser = Parser::new();
            parser.set_language(&(front_end.grammar)()).map_err(|_version| "grammar of another version")?;
            parser
        }
    };
    let began = Instant::now();
    let mut callbacks = 0;
    let mut give_up = |_: &ParseState| {
        callbacks += 1;
        let spent = callbacks * PARSER_STEPS_PER_CALLBACK > budget || began.elapsed() > limits.time;
        if spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut give_up);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    // A cancelled parse would go on where it stopped, with the next file's text.
    parser.reset();
    PARSERS.with_borrow_mut(|parsers| parsers.push((front_end.extensions[0], parser)));
    tree.ok_or("parsing took too long")
}

#[cfg(test)]
mod tests;
