//! Who a name is bound to: assignments, loops, `with`, `except`, patterns, `global`, `del`.
//!
//! A target may nest as deep as it likes, so it is flattened once, parents before children, and values are handed down the
//! flat list. What only local variables use is dropped at the end: it names nothing that other code could define.

use super::grammar::{Field, Kind};
use super::place::Place;
use super::{Extraction, Frame, Position};
use crate::lang::walk::Child;
use crate::model::*;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// Most scopes that are climbed for one name; deeper ones (nested lambdas by the thousand) are left to resolution.
const MAX_CLIMB: usize = 64;

/// One part of an assignment target.
pub(super) struct Target {
    /// Index of the target it is a part of; its own index for the whole.
    of: usize,
    step: Step,
    leaf: Option<Leaf>,
}

#[derive(Clone, Copy)]
enum Step {
    Whole,
    Nth(u32),
    /// `*rest`
    Rest,
    /// After a `*rest`.
    Unknown,
}

#[derive(Clone, Copy)]
struct Leaf {
    kind: BindingKind,
    scope: ScopeId,
    name: NameId,
    position: Position,
    /// The definition that this is the first binding of.
    definition: Option<DefId>,
}

impl Extraction<'_> {
    /// The scope that holds `name` when it is bound in `block`.
    pub(super) fn target_scope(&self, block: ScopeId, name: NameId) -> ScopeId {
        let owner = self.builder.owner_of(block);
        self.redirected.get(&(owner, name)).copied().unwrap_or(owner)
    }

    /// Records one binding. `at` of the position is where it begins to hold.
    pub(super) fn bind(
        &mut self,
        scope: ScopeId,
        block: ScopeId,
        name: NameId,
        kind: BindingKind,
        (ty, value): (Option<ExprId>, Option<ExprId>),
        position: Position,
    ) {
        if kind != BindingKind::SelfMember {
            self.bound.insert((scope, name));
        }
        let line = position.row as u32 + 1;
        self.builder.facts.bindings.push(Binding { scope, block, name, kind, ty, value, line, at: position.at });
    }

    /// Flattens a target and adds the definitions that it makes.
    pub(super) fn targets(&mut self, node: Node<'_>) -> Vec<Target> {
        let mut targets = Vec::new();
        let mut open = vec![(node, None, Step::Whole)];
        while let Some((node, of, step)) = open.pop() {
            let index = targets.len();
            let leaf = self.leaf(node);
            targets.push(Target { of: of.unwrap_or(index), step, leaf });
            let kind = self.grammar.kind(node.kind_id());
            let parts = match kind {
                // The grammar has no parenthesised target: `(a)` is a tuple pattern without a comma.
                Kind::TuplePattern if node.child_count() == 3 => false,
                Kind::PatternList
                | Kind::TuplePattern
                | Kind::ListPattern
                | Kind::Tuple
                | Kind::List
                | Kind::ExpressionList => true,
                Kind::Parenthesized | Kind::AsPatternTarget | Kind::ListSplatPattern | Kind::ListSplat => false,
                _ => continue,
            };
            let before = open.len();
            let mut starred = false;
            let mut nth = 0;
            for child in node.named_children(&mut node.walk()) {
                let kind = self.grammar.kind(child.kind_id());
                if matches!(kind, Kind::Comment | Kind::LineContinuation) {
                    continue;
                }
                let step = match kind {
                    _ if !parts => Step::Whole,
                    Kind::ListSplatPattern | Kind::ListSplat => Step::Rest,
                    _ if starred => Step::Unknown,
                    _ => Step::Nth(nth),
                };
                starred |= matches!(step, Step::Rest);
                nth += 1;
                open.push((child, Some(index), step));
            }
            open[before..].reverse();
        }
        targets
    }

    fn leaf(&mut self, node: Node<'_>) -> Option<Leaf> {
        let position = Position { row: node.start_position().row, at: node.start_byte() as u32 };
        match self.grammar.kind(node.kind_id()) {
            Kind::Identifier if !node.byte_range().is_empty() => {
                let name = self.name_of(node.byte_range());
                let scope = self.target_scope(self.builder.scope(), name);
                let definition = match self.builder.facts.scope(scope).kind {
                    ScopeKind::Module => self.declare(scope, name, DefKind::Variable, position),
                    ScopeKind::Class => self.declare(scope, name, DefKind::Field, position),
                    _ => None,
                };
                Some(Leaf { kind: BindingKind::Assigned, scope, name, position, definition })
            }
            Kind::Attribute => {
                let object = node.child_by_field_name("object").filter(|object| object.kind() == "identifier")?;
                let object = self.name_of(object.byte_range());
                let scope = self.self_class(object)?;
                let attribute = node.child_by_field_name("attribute").filter(|name| !name.byte_range().is_empty())?;
                let name = self.name_of(attribute.byte_range());
                let position = Position { row: attribute.start_position().row, at: attribute.start_byte() as u32 };
                let definition = self.declare(scope, name, DefKind::Field, position);
                Some(Leaf { kind: BindingKind::SelfMember, scope, name, position, definition })
            }
            _ => None,
        }
    }

    pub(super) fn set_targets(&mut self, targets: Vec<Target>) {
        if let Some(up) = self.frames.last_mut() {
            up.targets = targets;
        }
    }

    /// Binds flattened targets to a value from offset `at` on. `end_line` is the last line of the statement.
    pub(super) fn bind_targets(
        &mut self,
        targets: &[Target],
        (ty, value): (Option<ExprId>, Option<ExprId>),
        block: ScopeId,
        at: u32,
        end_line: u32,
    ) {
        let mut values: Vec<Option<ExprId>> = Vec::with_capacity(targets.len());
        for target in targets {
            let of = if values.is_empty() { value } else { values[target.of] };
            let value = match (target.step, of) {
                (Step::Whole, of) => of,
                (Step::Nth(index), Some(of)) => Some(self.builder.expr(Expr::Unpacked { of, index })),
                (Step::Rest, Some(_)) => Some(self.builder.expr(Expr::Literal(Literal::List))),
                (Step::Nth(_) | Step::Rest, None) | (Step::Unknown, _) => None,
            };
            values.push(value);
            let Some(leaf) = target.leaf else { continue };
            if let Some(definition) = leaf.definition {
                let definition = self.builder.definition_mut(definition);
                definition.ty = ty;
                definition.span.end_line = end_line.max(definition.span.line);
            }
            let kind = match (leaf.kind, value, ty) {
                (BindingKind::Assigned, None, None) => BindingKind::Opaque,
                (kind, ..) => kind,
            };
            let position = Position { row: leaf.position.row, at };
            self.bind(leaf.scope, block, leaf.name, kind, (ty, value), position);
        }
    }

    /// An assignment yields its value, so that `a = b = value` binds both.
    pub(super) fn leave_assignment(&mut self, node: Node<'_>, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        let of = |field: Field| children.iter().find(|child| self.grammar.field(child.field) == field);
        let ty = of(Field::Type).and_then(|child| child.expr);
        let value = of(Field::Right).and_then(|child| child.expr);
        let (block, at) = (self.builder.scope(), node.end_byte() as u32);
        self.bind_targets(&frame.targets, (ty, value), block, at, super::definitions::end_line(node));
        self.export(node.child_by_field_name("left"), node.child_by_field_name("right"));
        value
    }

    /// `x += 1` makes `x` local and reads it; what it is afterwards is not known.
    pub(super) fn leave_augmented(&mut self, node: Node<'_>, frame: &Frame, children: &[Child]) {
        let (block, at) = (self.builder.scope(), node.end_byte() as u32);
        for Leaf { kind, scope, name, position, .. } in frame.targets.iter().filter_map(|target| target.leaf) {
            if kind == BindingKind::Assigned {
                let expr = self.builder.expr(Expr::Name { name, scope: block, at: position.at });
                self.refer(expr, Role::Read, position);
                self.bind(scope, block, name, BindingKind::Opaque, (None, None), Position { at, ..position });
            }
        }
        let right = children.iter().any(|child| self.grammar.field(child.field) == Field::Right);
        self.export(node.child_by_field_name("left"), node.child_by_field_name("right").filter(|_| right));
    }

    /// Binds the targets of the `for` whose body has just been opened.
    pub(super) fn bind_loop(&mut self, at: u32) {
        let Some(up) = self.frames.last_mut() else { return };
        let (targets, iterable) = (std::mem::take(&mut up.targets), up.subject);
        let value = iterable.map(|of| self.builder.expr(Expr::Element { of }));
        let block = self.builder.scope();
        self.bind_targets(&targets, (None, value), block, at, 0);
    }

    /// `for x in xs` of a comprehension: bound for all of it, since the element comes first in the text.
    pub(super) fn leave_for_in(&mut self, frame: &Frame, children: &[Child]) {
        let right = children.iter().find(|child| self.grammar.field(child.field) == Field::Right);
        let value = right.and_then(|child| child.expr).map(|of| self.builder.expr(Expr::Element { of }));
        let at = self.frames.last().map_or(0, |up| up.mark) as u32;
        let block = self.builder.scope();
        self.bind_targets(&frame.targets, (None, value), block, at, 0);
    }

    /// `value as target`, in `with`, `except` or `case`.
    pub(super) fn leave_as(&mut self, node: Node<'_>, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        let (block, at) = (self.builder.scope(), node.end_byte() as u32);
        let value = children.first().and_then(|child| child.expr);
        let up = self.frames.last().map(|up| up.kind);
        match (frame.place, up) {
            (Place::Pattern, _) => {
                if let Some(name) = children.last() {
                    let value = value.map(|ty| self.builder.expr(Expr::Typed { ty }));
                    self.capture(name, value);
                }
                return value;
            }
            (_, Some(Kind::ExceptClause)) => {
                if let Some(name) = children.last() {
                    let value = value.map(|class| self.caught(class));
                    self.capture(name, value);
                }
            }
            _ => {
                let value = value.map(|of| self.builder.expr(Expr::Entered { of }));
                self.bind_targets(&frame.targets, (None, value), block, at, 0);
            }
        }
        None
    }

    /// `except T as e`, where the grammar gives the name as a field.
    pub(super) fn bind_caught(&mut self, alias: &Child) {
        let class = self.frames.last().and_then(|up| up.subject);
        let value = class.map(|class| self.caught(class));
        self.capture(alias, value);
    }

    fn caught(&mut self, class: ExprId) -> ExprId {
        let ty = self.one_of(class);
        self.builder.expr(Expr::Typed { ty })
    }

    /// Binds the name that `child` is the text of.
    pub(super) fn capture(&mut self, child: &Child, value: Option<ExprId>) {
        let text = self.text(child.bytes.clone()).trim_start_matches('*').trim();
        if text.is_empty()
            || text == "_"
            || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii())
        {
            return;
        }
        let text = text.to_string();
        let name = self.builder.name(&text);
        let block = self.builder.scope();
        let kind = if value.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
        let position = Position { row: child.row, at: child.bytes.end as u32 };
        self.bind(self.target_scope(block, name), block, name, kind, (None, value), position);
    }

    /// `name := value` binds in the scope around the comprehensions, and for all of them.
    pub(super) fn leave_walrus(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let value = children.iter().rev().find_map(|child| child.expr);
        let name = children.first()?;
        let mut block = self.builder.scope();
        let mut at = node.end_byte();
        let comprehensions = self.frames.iter().rev().take(MAX_CLIMB * 16);
        let mut marks = comprehensions.filter(|up| is_comprehension(up.kind)).map(|up| up.mark);
        for _ in 0..MAX_CLIMB {
            let Scope { parent, kind, .. } = *self.builder.facts.scope(block);
            let (ScopeKind::Comprehension, Some(parent)) = (kind, parent) else { break };
            block = parent;
            at = marks.next().unwrap_or(at);
        }
        let id = self.name_of(name.bytes.clone());
        let scope = self.target_scope(block, id);
        let position = Position { row: name.row, at: name.bytes.start as u32 };
        if scope == MODULE_SCOPE {
            self.declare(scope, id, DefKind::Variable, position);
        }
        let kind = if value.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
        self.bind(scope, block, id, kind, (None, value), Position { at: at as u32, ..position });
        value
    }

    pub(super) fn delete(&mut self, node: Node<'_>) {
        let name = self.name_of(node.byte_range());
        let block = self.builder.scope();
        let position = Position { row: node.start_position().row, at: node.end_byte() as u32 };
        self.bind(self.target_scope(block, name), block, name, BindingKind::Unbound, (None, None), position);
    }

    /// `global` and `nonlocal`: what is bound later in this function belongs to another scope.
    pub(super) fn redirect(&mut self, node: Node<'_>, statement: Kind) {
        let owner = self.builder.owner_scope();
        for child in node.named_children(&mut node.walk()) {
            if self.grammar.kind(child.kind_id()) != Kind::Identifier {
                continue;
            }
            let name = self.name_of(child.byte_range());
            let scope = match statement {
                Kind::GlobalStatement => Some(MODULE_SCOPE),
                _ => self.outer_function(owner, name),
            };
            if let Some(scope) = scope {
                self.redirected.insert((owner, name), scope);
            }
        }
    }

    /// The nearest function around `scope` that has bound `name`, else the nearest function.
    fn outer_function(&self, scope: ScopeId, name: NameId) -> Option<ScopeId> {
        let mut nearest = None;
        let mut scope = scope;
        for _ in 0..MAX_CLIMB {
            scope = self.builder.owner_of(self.builder.facts.scope(scope).parent?);
            if self.builder.facts.scope(scope).kind == ScopeKind::Function {
                if self.bound.contains(&(scope, name)) {
                    return Some(scope);
                }
                nearest.get_or_insert(scope);
            }
            if scope == MODULE_SCOPE {
                break;
            }
        }
        nearest
    }
}

pub(super) fn is_comprehension(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ListComprehension | Kind::SetComprehension | Kind::DictionaryComprehension | Kind::GeneratorExpression
    )
}

/// Drops reads and hand-overs of bare names that only a local variable or parameter can be. Names bound by an import, a
/// `def` or a `class` stay, wherever those stand.
pub(super) fn drop_local_uses(facts: &mut FileFacts) {
    let bound: FxHashSet<(ScopeId, NameId)> = facts
        .bindings
        .iter()
        .filter(|binding| !matches!(binding.kind, BindingKind::SelfMember | BindingKind::Narrowed))
        .map(|binding| (binding.scope, binding.name))
        .collect();
    let imported = facts.imports.iter().filter_map(|import| Some((import.scope, import.binds?)));
    let defined = facts.definitions.iter().map(|definition| (definition.scope, definition.name));
    let named: FxHashSet<(ScopeId, NameId)> = imported.chain(defined).collect();
    let FileFacts { references, exprs, scopes, .. } = facts;
    references.retain(|reference| match (reference.role, exprs[reference.expr.0 as usize]) {
        (Role::Read | Role::Value, Expr::Name { name, scope, .. }) => {
            let mut next = Some(scope);
            let mut first = true;
            for _ in 0..MAX_CLIMB * 4 {
                let Some(id) = next else { break };
                let Scope { parent, kind, .. } = scopes[id.0 as usize];
                next = parent;
                match kind {
                    ScopeKind::Block | ScopeKind::Loop => continue,
                    ScopeKind::Module => return true,
                    // A class body's names are seen by the body alone.
                    ScopeKind::Class if !first => continue,
                    ScopeKind::Class | ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Comprehension => {}
                }
                first = false;
                if named.contains(&(id, name)) {
                    return true;
                }
                if bound.contains(&(id, name)) {
                    return kind == ScopeKind::Class;
                }
            }
            true
        }
        _ => true,
    });
}
