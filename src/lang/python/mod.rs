//! Python's front end: one pass over the tree that yields definitions, bindings, imports and uses.
//!
//! Every open node has a [`Frame`] with the [`Place`] it stands at; `enter` opens scopes and definitions, `leave` builds the
//! expression of the node and records what it says. Nothing is looked up here: names carry their scope and offset, and what
//! they mean is left to resolution. Not read: `# type:` comments, `__slots__`, narrowing inside expressions.

mod bindings;
mod calls;
mod definitions;
mod expressions;
mod grammar;
mod imports;
mod narrowing;
mod params;
mod place;
mod strings;
#[cfg(test)]
mod tests;

use super::builder::Builder;
use super::mentions;
use super::walk::{Child, Step, TooDeep, Visitor, walk};
use crate::model::*;
use bindings::Target;
use definitions::{DecoratorList, FunctionContext, PendingTypeParam};
use grammar::{Field, GRAMMAR, Grammar, Kind};
use narrowing::{Known, Test};
use params::PendingParam;
use place::{Head, Parent, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree};

/// Reads one parsed file. `source` is the text that `tree` was parsed from.
pub(crate) fn facts(tree: &Tree, source: &str) -> Result<Builder, TooDeep> {
    let mut extraction = Extraction {
        builder: Builder::new(Language::Python),
        grammar: &GRAMMAR,
        source,
        frames: Vec::new(),
        params: Vec::new(),
        type_params: Vec::new(),
        decorators: DecoratorList::default(),
        functions: Vec::new(),
        defined: FxHashSet::default(),
        bound: FxHashSet::default(),
        redirected: FxHashMap::default(),
        tests: Vec::new(),
        type_only: 0,
        error_end: 0,
        quoted: None,
        parser: None,
    };
    walk(tree, &mut extraction)?;
    bindings::drop_local_uses(&mut extraction.builder.facts);
    Ok(extraction.builder)
}

/// A place in the text: row from 0, byte offset.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    row: usize,
    at: u32,
}

/// A quoted type being read: where the string stands, and what it turned out to say.
struct Quoted {
    position: Position,
    expr: Option<ExprId>,
}

struct Extraction<'a> {
    builder: Builder,
    grammar: &'static Grammar,
    source: &'a str,
    /// The open named nodes, innermost last.
    frames: Vec<Frame>,
    /// Parameters read so far of the open parameter lists.
    params: Vec<PendingParam>,
    type_params: Vec<PendingTypeParam>,
    /// Decorators of the definition that comes next.
    decorators: DecoratorList,
    functions: Vec<FunctionContext>,
    /// Variables and fields that have a definition already.
    defined: FxHashSet<(ScopeId, NameId)>,
    /// Names bound so far, for `nonlocal`.
    bound: FxHashSet<(ScopeId, NameId)>,
    /// Names declared `global` or `nonlocal`, with the scope that holds them.
    redirected: FxHashMap<(ScopeId, NameId), ScopeId>,
    /// `isinstance` calls of the condition being read.
    tests: Vec<Test>,
    /// Depth of `if TYPE_CHECKING:` blocks.
    type_only: u32,
    /// End of the text that was harvested because it did not parse.
    error_end: usize,
    quoted: Option<Quoted>,
    /// For quoted types; made when the first one is met.
    parser: Option<tree_sitter::Parser>,
}

/// What is kept of an open node for its children and its own `leave`.
struct Frame {
    kind: Kind,
    field: Field,
    place: Place,
    head: Head,
    /// Named children entered so far, comments left out.
    seen: u32,
    /// Scopes to close on leave.
    scopes: u8,
    /// A function's or class's body: its definition is closed on leave.
    closes_definition: bool,
    closes_type_only: bool,
    /// A string that stands alone as a statement.
    docstring: bool,
    /// The condition names `TYPE_CHECKING`.
    type_checking: bool,
    /// The branch taken when the condition holds never reaches what follows.
    exits: bool,
    /// Has an `elif` or `else`.
    alternative: bool,
    /// What the argument list or type parameter list of this node held.
    args: List,
    /// Where the last segment of the path that was read last stands.
    path: Position,
    /// The same of a call's callee.
    callee: Position,
    /// A parameter list past its `*`: what follows is given by keyword.
    starred: bool,
    /// Where this node's parameters begin among the pending ones.
    mark: usize,
    definition: Option<DefId>,
    /// The scope of the body of a function, class or lambda.
    body: Option<ScopeId>,
    subject: Option<ExprId>,
    targets: Vec<Target>,
    known: Option<Box<Known>>,
}

impl Frame {
    fn new(kind: Kind, field: Field, place: Place) -> Frame {
        Frame {
            kind,
            field,
            place,
            head: Head::Other,
            seen: 0,
            scopes: 0,
            closes_definition: false,
            closes_type_only: false,
            docstring: false,
            type_checking: false,
            exits: false,
            alternative: false,
            args: List::default(),
            path: Position::default(),
            callee: Position::default(),
            starred: false,
            mark: 0,
            definition: None,
            body: None,
            subject: None,
            targets: Vec::new(),
            known: None,
        }
    }
}

impl Visitor for Extraction<'_> {
    fn enter(&mut self, node: Node<'_>, field: u16) -> Step {
        let kind = self.grammar.kind(node.kind_id());
        let field = self.grammar.field(field);
        if matches!(kind, Kind::Comment | Kind::LineContinuation) {
            self.frames.push(Frame::new(kind, field, Place::NotValue));
            if kind == Kind::Comment {
                mentions::all(&self.source.as_bytes()[node.byte_range()], &mut self.builder.facts.words.comments);
            }
            return Step::Skip;
        }
        let quoted = self.quoted.is_some();
        let place = match self.frames.last_mut() {
            None => Place::Use(Role::Read),
            Some(up) => {
                up.seen += 1;
                let parent = Parent { kind: up.kind, place: up.place, head: up.head, quoted };
                place::place(parent, kind, field, up.seen - 1)
            }
        };
        let mut frame = Frame::new(kind, field, place);
        if quoted && !strings::may_stand_in_a_quoted_type(kind) {
            frame.kind = Kind::Other;
            self.frames.push(frame);
            return Step::Skip;
        }
        let step = self.open(node, &mut frame);
        self.frames.push(frame);
        step
    }

    fn leave(&mut self, node: Node<'_>, _field: u16, children: &[Child]) -> Option<ExprId> {
        let mut frame = self.frames.pop()?;
        let expr = self.close(node, &mut frame, children);
        for _ in 0..frame.scopes {
            self.builder.close_scope();
        }
        if frame.closes_definition {
            self.builder.close_definition();
        }
        if frame.closes_type_only {
            self.type_only -= 1;
        }
        if let Some(up) = self.frames.last_mut() {
            up.path = frame.path;
        }
        self.tell_parent(node, &mut frame, expr);
        expr
    }
}

impl Extraction<'_> {
    /// Opens what the node opens. `frame` is the node's own, not yet on the stack.
    fn open(&mut self, node: Node<'_>, frame: &mut Frame) -> Step {
        match frame.kind {
            Kind::Block => self.open_block(node, frame),
            Kind::ExceptClause | Kind::CaseClause => {
                self.builder.open_scope(ScopeKind::Block, None);
                frame.scopes = 1;
            }
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::GeneratorExpression => {
                self.builder.open_scope(ScopeKind::Comprehension, None);
                frame.scopes = 1;
                frame.mark = node.start_byte();
            }
            Kind::Lambda => {
                frame.body = Some(self.builder.open_scope(ScopeKind::Lambda, None));
                frame.scopes = 1;
            }
            Kind::FunctionDefinition | Kind::ClassDefinition => self.open_definition(node, frame),
            Kind::Parameters | Kind::LambdaParameters | Kind::Type | Kind::ArgumentList => self.open_header(frame),
            Kind::TypeAlias => self.type_params.clear(),
            Kind::DecoratedDefinition => self.decorators = DecoratorList::starting_at(node.start_position().row),
            Kind::ImportStatement | Kind::ImportFrom | Kind::FutureImport => {
                self.import(node, frame.kind);
                return Step::Skip;
            }
            Kind::GlobalStatement | Kind::NonlocalStatement => {
                self.redirect(node, frame.kind);
                return Step::Skip;
            }
            Kind::TypeParameter => frame.head = self.frames.last().map_or(Head::Other, |up| up.head),
            Kind::Str => frame.docstring = self.frames.last().is_some_and(|up| up.kind == Kind::ExpressionStatement),
            Kind::StringStart | Kind::StringContent | Kind::StringEnd => return Step::Skip,
            Kind::Error if node.start_byte() >= self.error_end => {
                self.error_end = node.end_byte();
                mentions::all(&self.source.as_bytes()[node.byte_range()], &mut self.builder.facts.words.strings);
            }
            _ => {}
        }
        Step::Descend
    }

    /// A block is the body of a definition, a branch, or (in `with`) neither.
    fn open_block(&mut self, node: Node<'_>, frame: &mut Frame) {
        let Some(up) = self.frames.last() else { return };
        let at = node.start_byte() as u32;
        let scope = match up.kind {
            Kind::FunctionDefinition | Kind::ClassDefinition => return self.open_body(frame),
            Kind::ForStatement | Kind::WhileStatement => ScopeKind::Loop,
            Kind::IfStatement | Kind::ElifClause | Kind::ElseClause | Kind::TryStatement | Kind::FinallyClause => {
                ScopeKind::Block
            }
            _ => return,
        };
        self.builder.open_scope(scope, None);
        frame.scopes = 1;
        match (up.kind, frame.field) {
            (Kind::ForStatement, Field::Body) => self.bind_loop(at),
            (Kind::IfStatement | Kind::ElifClause, Field::Consequence) | (Kind::WhileStatement, Field::Body) => {
                if up.type_checking {
                    frame.closes_type_only = true;
                    self.type_only += 1;
                }
                let facts = up.known.as_ref().map(|known| known.holds.clone()).unwrap_or_default();
                self.narrow(&facts, at, node.start_position().row);
            }
            (Kind::ElseClause, _) => {
                let outer = self.frames.len().checked_sub(2).map(|i| &self.frames[i]);
                let facts = match outer {
                    Some(outer) if outer.kind == Kind::IfStatement => outer.known.as_ref(),
                    _ => None,
                };
                let facts = facts.map(|known| known.fails.clone()).unwrap_or_default();
                self.narrow(&facts, at, node.start_position().row);
            }
            _ => {}
        }
    }

    /// Leaves with the parent what it needs of a finished child.
    fn tell_parent(&mut self, node: Node<'_>, frame: &mut Frame, expr: Option<ExprId>) {
        let up = match self.frames.last() {
            Some(up) => (up.kind, frame.field),
            None => return,
        };
        let mut head = Head::Other;
        let mut checked = false;
        let mut known = None;
        match up {
            (Kind::IfStatement | Kind::ElifClause | Kind::WhileStatement, Field::Condition) => {
                checked = expr.is_some_and(|expr| self.last_segment(expr) == "TYPE_CHECKING");
                known = self.known(node);
            }
            (Kind::Assignment | Kind::AugmentedAssignment | Kind::ForStatement | Kind::ForInClause, Field::Left) => {
                let targets = self.targets(node);
                self.set_targets(targets);
            }
            // What `except` binds is gone after it: a binding, but no definition.
            (Kind::AsPattern, _) if frame.kind == Kind::AsPatternTarget && !self.is_caught() => {
                let targets = self.targets(node);
                self.set_targets(targets);
            }
            (Kind::Call, Field::Function) | (Kind::Subscript, Field::Value) | (Kind::GenericType, _) => {
                head = expr.map_or(Head::Other, |expr| Head::of(self.last_segment(expr)));
            }
            _ => {}
        }
        let Some(parent) = self.frames.last_mut() else { return };
        match up {
            (Kind::Call, Field::Function) | (Kind::Subscript, Field::Value) => {
                parent.head = head;
                parent.callee = frame.path;
            }
            (Kind::GenericType, _) if parent.seen == 1 => parent.head = head,
            (Kind::ExceptClause, Field::Value) if parent.subject.is_none() => parent.subject = expr,
            (Kind::MatchStatement, Field::Subject) => parent.subject = if parent.seen == 1 { expr } else { None },
            (Kind::ForStatement, Field::Right) => parent.subject = expr,
            (Kind::IfStatement | Kind::ElifClause | Kind::WhileStatement, Field::Condition) => {
                parent.type_checking = checked;
                parent.known = known.map(Box::new);
            }
            (Kind::IfStatement | Kind::ElifClause, Field::Consequence) => parent.exits = frame.exits,
            (Kind::IfStatement, Field::Alternative) => {
                parent.alternative = true;
                if let (Kind::ElifClause, Some(own)) = (frame.kind, frame.known.take()) {
                    parent.known.get_or_insert_default().also_fails(&own);
                }
            }
            _ => {}
        }
        if matches!(frame.kind, Kind::ArgumentList | Kind::TypeParameter) {
            parent.args = frame.args;
        }
    }

    /// True inside the `as` of an `except` clause.
    fn is_caught(&self) -> bool {
        matches!(self.frames.as_slice(), [.., except, _] if except.kind == Kind::ExceptClause)
    }

    fn text(&self, bytes: std::ops::Range<usize>) -> &str {
        self.source.get(bytes).unwrap_or("")
    }

    /// Interns the text of a node.
    fn name_of(&mut self, bytes: std::ops::Range<usize>) -> NameId {
        let source = self.source;
        self.builder.name(source.get(bytes).unwrap_or(""))
    }

    /// Positions inside a quoted type are those of the string.
    fn position(&self, row: usize, at: usize) -> Position {
        match &self.quoted {
            Some(quoted) => quoted.position,
            None => Position { row, at: at as u32 },
        }
    }

    fn expr_of(&self, id: ExprId) -> Expr {
        self.builder.facts.expr(id)
    }

    /// Last segment of a path, empty for other expressions.
    fn last_segment(&self, expr: ExprId) -> &str {
        match self.expr_of(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => self.builder.facts.name(name),
            _ => "",
        }
    }

    fn refer(&mut self, expr: ExprId, role: Role, position: Position) {
        self.builder.reference(expr, role, position.row as u32 + 1, position.at);
    }

    fn dynamic(&mut self, row: usize) {
        let line = self.position(row, 0).row as u32 + 1;
        self.builder.facts.dynamic.push(DynamicExit { kind: DynamicKind::Getattr, line });
    }
}
