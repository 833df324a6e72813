//! Facts by regular expressions, for files that the parser or the walk gave up on and for regions that did not parse.
//!
//! Strings and comments are masked first, a language's `outline` finds what opens and closes, and one pass over everything
//! that was found, in source order, builds scopes, definitions, imports and calls. All of it is linear and nothing
//! recurses. Types of expressions are not attempted: a receiver is a path of names or unknown.

mod go;
mod java;
mod mask;
mod python;
mod typescript;

use super::builder::Builder;
use crate::model::*;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

pub(crate) use go::GO;
pub(crate) use java::JAVA;
pub(crate) use mask::{Literal, LiteralKind, Quote, Syntax, literals};
pub(crate) use python::PYTHON;
pub(crate) use typescript::TYPESCRIPT;

/// What the fallback knows about one language.
pub(crate) struct Outline {
    pub(super) syntax: Syntax,
    /// All definitions of a masked text, in order of their names, bodies well nested.
    definitions: fn(&str) -> Vec<Found>,
    /// Everything else that takes part in name resolution, in any order; calls are found for all languages alike.
    other: fn(&str, &mut Vec<(usize, Event)>),
    /// Words that stand before `(` without being called.
    not_called: &'static [&'static str],
    /// Whether a call may begin on one line and its `(` stand on the next.
    calls_across_lines: bool,
    /// Whether what looks like a call in the body of a type may be one.
    calls_in_types: bool,
    this: &'static str,
}

/// A definition in a masked text; ranges are byte offsets.
pub(crate) struct Found {
    kind: DefKind,
    name: Range<usize>,
    /// First byte, decorators and annotations included.
    start: usize,
    /// From where on code is the definition's own, to its last byte.
    body: Range<usize>,
    flags: DefFlags,
    params: Vec<FoundParam>,
    supertypes: Vec<Range<usize>>,
    interfaces: Vec<Range<usize>>,
    /// The type whose member it is, where that stands apart.
    receiver: Option<FoundReceiver>,
}

struct FoundReceiver {
    name: Option<Range<usize>>,
    ty: Range<usize>,
}

struct FoundParam {
    name: Range<usize>,
    kind: ParamKind,
    optional: bool,
    ty: Option<Range<usize>>,
}

/// Something at an offset of the masked text.
enum Event {
    Open(usize),
    Close,
    Import(FoundImport),
    Package(String),
    /// A dotted path is called. `new` makes an instance, `at` decorates.
    Use {
        path: Range<usize>,
        how: How,
    },
    /// A local name hides what is outside; `ty` is its declared type.
    Bind {
        name: Range<usize>,
        ty: Option<Range<usize>>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Called,
    Created,
    Decorates,
}

struct FoundImport {
    kind: ImportKind,
    module: String,
    level: u8,
    name: Option<String>,
    binds: Option<String>,
}

/// Facts of a whole file without a parser. The caller sets the status.
pub(crate) fn facts(outline: &'static Outline, source: &str, language: Language) -> Builder {
    let mut builder = Builder::new(language);
    let masked = mask::mask(&outline.syntax, source, &mut builder.facts.words);
    let found = (outline.definitions)(&masked);
    let mut events: Vec<(usize, Event)> = Vec::new();
    for (index, definition) in found.iter().enumerate() {
        events.push((definition.body.start, Event::Open(index)));
        events.push((definition.body.end, Event::Close));
    }
    (outline.other)(&masked, &mut events);
    calls(outline, &masked, &found, &mut events);
    // Stable: at one offset a body closes before the next opens, since it was pushed before.
    events.sort_by_key(|(at, _)| *at);
    let mut emitter = Emitter { builder, masked: &masked, outline, found: &found, lines: Lines::new(&masked) };
    for (at, event) in events {
        emitter.emit(at, event);
    }
    emitter.builder
}

/// Every call of a dotted path.
fn calls(outline: &Outline, masked: &str, found: &[Found], events: &mut Vec<(usize, Event)>) {
    static ANYWHERE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"([\pL_$][\w$]*(?:\s*\.\s*[\pL_$][\w$]*)*)\s*(?:<[^<>();{}=&|]*>)?\s*\(").ok());
    static ONE_LINE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"([\pL_][\w]*(?:\.[\pL_][\w]*)*)[ \t]*\(").ok());
    let Some(pattern) = (if outline.calls_across_lines { &*ANYWHERE } else { &*ONE_LINE }) else { return };
    let mut next_name = 0;
    let types = found.iter().filter(|definition| !outline.calls_in_types && definition.kind.is_type());
    let mut types = types.map(|definition| &definition.body).peekable();
    for captures in pattern.captures_iter(masked) {
        let Some(path) = captures.get(1) else { continue };
        while next_name < found.len() && found[next_name].name.end < path.end() {
            next_name += 1;
        }
        while types.next_if(|body| body.end <= path.start()).is_some() {}
        if types.peek().is_some_and(|body| body.contains(&path.start())) {
            continue;
        }
        // The name of a definition stands before a `(` too.
        if found.get(next_name).is_some_and(|definition| definition.name.end == path.end()) {
            continue;
        }
        let last = path.as_str().rsplit('.').next().unwrap_or_default().trim();
        if outline.not_called.contains(&last) {
            continue;
        }
        let before = masked[..path.start()].trim_end();
        let how = if before.ends_with('@') {
            How::Decorates
        } else if ends_with_word(before, "new") {
            How::Created
        } else {
            How::Called
        };
        if how != How::Decorates {
            events.push((path.start(), Event::Use { path: path.range(), how }));
        }
    }
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|start| !start.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$'))
}

struct Emitter<'a> {
    builder: Builder,
    masked: &'a str,
    outline: &'static Outline,
    found: &'a [Found],
    lines: Lines,
}

impl Emitter<'_> {
    fn emit(&mut self, at: usize, event: Event) {
        match event {
            Event::Open(index) => self.open(&self.found[index]),
            Event::Close => {
                self.builder.close_scope();
                self.builder.close_definition();
            }
            Event::Import(import) => {
                let (scope, block) = (self.builder.owner_scope(), self.builder.scope());
                let module = self.builder.name(&import.module);
                let name = import.name.map(|name| self.builder.name(&name));
                let binds = import.binds.map(|name| self.builder.name(&name));
                let (kind, level) = (import.kind, import.level);
                let (line, at) = (self.lines.of(at), at as u32);
                let import = Import { kind, scope, block, module, level, name, binds, type_only: false, line, at };
                self.builder.facts.imports.push(import);
            }
            Event::Package(name) => self.builder.facts.package = Some(self.builder.name(&name)),
            Event::Use { path, how } => {
                let (line, start) = (self.lines.of(path.start), path.start as u32);
                let Some(of) = self.path(path) else { return };
                let args = List::default();
                let (expr, role) = match how {
                    How::Called => (Expr::Call { of, args }, Role::Call),
                    How::Created => (Expr::New { of, args }, Role::Construct),
                    How::Decorates => {
                        self.builder.reference(of, Role::Decorate, line, start);
                        return;
                    }
                };
                let expr = self.builder.expr(expr);
                self.builder.reference(expr, role, line, start);
            }
            Event::Bind { name, ty } => {
                let ty = ty.and_then(|ty| self.path(ty));
                let kind = if ty.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
                self.bind(name, kind, ty);
            }
        }
    }

    fn bind(&mut self, name: Range<usize>, kind: BindingKind, ty: Option<ExprId>) {
        let (scope, block) = (self.builder.owner_scope(), self.builder.scope());
        let (line, at) = (self.lines.of(name.start), name.start as u32);
        let name = self.builder.name(&self.masked[name]);
        self.builder.facts.bindings.push(Binding { scope, block, name, kind, ty, value: None, line, at });
    }

    fn open(&mut self, found: &Found) {
        let name = self.builder.name(&self.masked[found.name.clone()]);
        let end_line = self.lines.of(found.body.end.saturating_sub(1).max(found.name.start));
        let span = Span { line: self.lines.of(found.name.start), end_line, at: found.name.start as u32 };
        let mut definition = self.builder.new_definition(name, found.kind, span);
        definition.start_line = self.lines.of(found.start);
        definition.flags = found.flags;
        definition.flags.set(DefFlags::RECOVERED);
        if let Some(receiver) = &found.receiver {
            definition.receiver = Some(self.builder.name(&self.masked[receiver.ty.clone()]));
            let scope = self.builder.apart();
            (definition.scope, definition.block) = (scope, scope);
        }
        definition.supertypes = self.paths(&found.supertypes, Role::Inherit);
        definition.interfaces = self.paths(&found.interfaces, Role::Implement);
        for param in &found.params {
            let ty = param.ty.clone().and_then(|ty| self.path(ty));
            let name = self.builder.name(&self.masked[param.name.clone()]);
            definition.params.push(Param { name, kind: param.kind, optional: param.optional, ty, default: None });
        }
        let params = definition.params.clone();
        let id = self.builder.open_definition(definition);
        let kind = if found.kind.is_callable() { ScopeKind::Function } else { ScopeKind::Class };
        let body = self.builder.open_scope(kind, Some(id));
        self.builder.definition_mut(id).body = Some(body);
        if let Some(FoundReceiver { name: Some(name), ty }) = &found.receiver {
            let ty = self.path(ty.clone());
            self.bind(name.clone(), BindingKind::Assigned, ty);
        }
        for (index, (param, at)) in params.iter().zip(&found.params).enumerate() {
            let position = u16::try_from(index).unwrap_or(u16::MAX);
            self.bind(at.name.clone(), BindingKind::Parameter(position), param.ty);
        }
    }

    /// The paths of a class's supertypes, each also recorded as a use.
    fn paths(&mut self, ranges: &[Range<usize>], role: Role) -> List {
        let mut exprs = Vec::with_capacity(ranges.len());
        for range in ranges {
            let (line, at) = (self.lines.of(range.start), range.start as u32);
            if let Some(expr) = self.path(range.clone()) {
                self.builder.reference(expr, role, line, at);
                exprs.push(expr);
            }
        }
        self.builder.list(&exprs)
    }

    /// A dotted path as an expression. A path that goes on from something else (`f().a.b`) has an unknown start.
    fn path(&mut self, range: Range<usize>) -> Option<ExprId> {
        let at = range.start as u32;
        let scope = self.builder.scope();
        let mut of = None;
        // `a...` in Java is a type followed by dots of its own; the path ends there.
        if self.masked[..range.start].trim_end().ends_with('.') {
            of = Some(self.builder.opaque());
        }
        for segment in self.masked[range].split('.').map(str::trim) {
            if segment.is_empty() {
                return None;
            }
            let expr = match of {
                Some(of) => Expr::Member { of, name: self.builder.name(segment) },
                None if segment == self.outline.this => Expr::This { scope },
                None if segment == "super" => Expr::Super { scope },
                None => Expr::Name { name: self.builder.name(segment), scope, at },
            };
            of = Some(self.builder.expr(expr));
        }
        of
    }
}

/// Line numbers of offsets.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: &str) -> Self {
        let after_feeds = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(after_feeds).collect() }
    }

    fn of(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }
}

/// The parts of `text[range]` between commas that stand in no brackets, each trimmed; empty ones left out.
fn parts(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = range.start;
    let ends = text.as_bytes()[range.clone()].iter().enumerate().filter_map(|(at, byte)| {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return Some(range.start + at),
            _ => {}
        }
        None
    });
    for end in ends.chain([range.end]) {
        let part = &text[start..end];
        let blanks = part.len() - part.trim_start().len();
        if !part.trim().is_empty() {
            parts.push(start + blanks..start + blanks + part.trim().len());
        }
        start = end + 1;
    }
    parts
}

/// The bracket that closes the one at `open`. Searched for [`MAX_BRACKETED`] bytes and up to a line that begins with one
/// of `never_inside`: unclosed ones must not each cost a search through the rest of the file.
fn closing(text: &str, open: usize, never_inside: &[&str]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(open).take(MAX_BRACKETED) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            b'\n' => {
                let line = text[at + 1..].trim_start_matches([' ', '\t']).as_bytes();
                if never_inside.iter().any(|word| line.starts_with(word.as_bytes())) {
                    return None;
                }
            }
            _ => {}
        }
    }
    None
}

const MAX_BRACKETED: usize = 8 * 1024;

/// The dotted path at the beginning of `text[range]`.
fn leading_path(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    static PATH: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[\pL_$][\w$]*(?:\s*\.\s*[\pL_$][\w$]*)*").ok());
    let found = PATH.as_ref()?.find(&text[range.clone()])?;
    Some(range.start..range.start + found.end())
}

#[cfg(test)]
mod tests;
