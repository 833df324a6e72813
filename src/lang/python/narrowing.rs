//! What conditions say about types: `isinstance` in `if`, `while`, `assert` and `match`, through `and`, `or` and `not`.
//! Only whole statements are read; conditions inside expressions have no scope to hold what they tell.

use super::grammar::Kind;
use super::{Extraction, Frame};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

/// Most facts kept of one condition; bounds long `elif` chains, where each branch repeats those of the ones before.
const MAX_KNOWN: usize = 8;

/// `isinstance(name, ty)` at these bytes.
pub(super) struct Test {
    start: usize,
    end: usize,
    fact: Fact,
}

/// The name is a `ty`.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    name: NameId,
    ty: ExprId,
}

/// What is known when a condition holds, and when it fails.
#[derive(Default)]
pub(super) struct Known {
    pub(super) holds: Vec<Fact>,
    pub(super) fails: Vec<Fact>,
}

impl Known {
    pub(super) fn also_fails(&mut self, other: &Known) {
        self.fails.extend_from_slice(&other.fails);
        self.fails.truncate(MAX_KNOWN);
    }
}

impl Extraction<'_> {
    /// Remembers an `isinstance` call on a plain name until its condition has been read.
    pub(super) fn remember_test(&mut self, node: Node<'_>, args: List) {
        let &[subject, class] = self.builder.facts.list(args) else { return };
        let Expr::Name { name, .. } = self.expr_of(subject) else { return };
        let ty = self.one_of(class);
        self.tests.push(Test { start: node.start_byte(), end: node.end_byte(), fact: Fact { name, ty } });
    }

    /// A tuple of classes, or `A | B`, as one type.
    pub(super) fn one_of(&mut self, class: ExprId) -> ExprId {
        match self.expr_of(class) {
            Expr::Display { kind: Literal::Tuple, items } | Expr::Either { items } => {
                self.builder.expr(Expr::Union { items })
            }
            _ => class,
        }
    }

    /// What a condition that was just left says. Forgets its tests.
    pub(super) fn known(&mut self, condition: Node<'_>) -> Option<Known> {
        if self.tests.is_empty() {
            return None;
        }
        let known = Known { holds: self.facts_when(condition, true), fails: self.facts_when(condition, false) };
        self.tests.clear();
        Some(known)
    }

    fn facts_when(&self, condition: Node<'_>, holds: bool) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut open = vec![(condition, holds)];
        while let Some((node, holds)) = open.pop() {
            if facts.len() >= MAX_KNOWN {
                break;
            }
            match self.grammar.kind(node.kind_id()) {
                Kind::Parenthesized => open.extend(node.named_child(0).map(|inner| (inner, holds))),
                Kind::NotOperator => open.extend(node.child_by_field_name("argument").map(|inner| (inner, !holds))),
                Kind::BooleanOperator => {
                    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
                    if (operator == "and") == holds {
                        open.extend(node.child_by_field_name("left").map(|inner| (inner, holds)));
                        open.extend(node.child_by_field_name("right").map(|inner| (inner, holds)));
                    }
                }
                Kind::Call if holds => {
                    let at = self.tests.partition_point(|test| test.start < node.start_byte());
                    let test = self
                        .tests
                        .get(at)
                        .filter(|test| (test.start, test.end) == (node.start_byte(), node.end_byte()));
                    facts.extend(test.map(|test| test.fact));
                }
                _ => {}
            }
        }
        facts
    }

    /// Binds what is known from offset `at` to the end of the innermost scope.
    pub(super) fn narrow(&mut self, facts: &[Fact], at: u32, row: usize) {
        let block = self.builder.scope();
        for fact in facts {
            self.builder.facts.bindings.push(Binding {
                scope: self.target_scope(block, fact.name),
                block,
                name: fact.name,
                kind: BindingKind::Narrowed,
                ty: Some(fact.ty),
                value: None,
                line: row as u32 + 1,
                at,
            });
        }
    }

    /// `if not isinstance(x, T): return`: known in what follows.
    pub(super) fn leave_if(&mut self, node: Node<'_>, frame: &Frame) {
        if let (true, false, Some(known)) = (frame.exits, frame.alternative, &frame.known) {
            self.narrow(&known.fails, node.end_byte() as u32, node.end_position().row);
        }
    }

    pub(super) fn leave_assert(&mut self, node: Node<'_>) {
        if let Some(known) = node.named_child(0).and_then(|condition| self.known(condition)) {
            self.narrow(&known.holds, node.end_byte() as u32, node.end_position().row);
        }
        self.tests.clear();
    }

    /// `case T():` tells the type of the subject inside the case.
    pub(super) fn leave_case_pattern(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let ty = children.iter().find_map(|child| child.expr);
        let [.., outer, _, case] = self.frames.as_slice() else { return ty };
        if case.kind != Kind::CaseClause || outer.kind != Kind::MatchStatement {
            return ty;
        }
        if let (Some(ty), Some(Expr::Name { name, .. })) = (ty, outer.subject.map(|subject| self.expr_of(subject))) {
            self.narrow(&[Fact { name, ty }], node.end_byte() as u32, node.start_position().row);
        }
        ty
    }

    /// True for statements after which the block does not go on.
    pub(super) fn exits(&self, children: &[Child]) -> bool {
        let mut kinds = children.iter().rev().map(|child| self.grammar.kind(child.kind));
        let last = kinds.find(|kind| !matches!(kind, Kind::Comment | Kind::LineContinuation));
        matches!(
            last,
            Some(Kind::ReturnStatement | Kind::RaiseStatement | Kind::BreakStatement | Kind::ContinueStatement)
        )
    }
}
