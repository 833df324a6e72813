//! Calls and their arguments, with the callees that mean something of their own: `super`, `isinstance`, `cast`, `getattr`.

use super::grammar::{Field, Kind};
use super::place::{Head, Place};
use super::{Extraction, Frame, Position};
use crate::lang::mentions;
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

/// What variables that hold modules are called.
const NAMES_OF_MODULES: &[&str] = &["conf", "mod", "namespace", "package", "plugin", "settings"];

impl Extraction<'_> {
    pub(super) fn call(&mut self, node: Node<'_>, frame: &mut Frame, children: &[Child]) -> Option<ExprId> {
        let of = |field: Field| children.iter().find(|child| self.grammar.field(child.field) == field);
        let callee = of(Field::Function)?;
        let arguments = of(Field::Arguments);
        let args = match arguments.and_then(|arguments| arguments.expr) {
            // A generator expression stands for the whole list.
            Some(generator) => self.builder.list(&[generator]),
            None => frame.args,
        };
        let callee_expr = callee.expr;
        let callee_expr = self.or_opaque(callee_expr);
        let position = match self.expr_of(callee_expr) {
            Expr::Name { at, .. } => Position { row: self.position(callee.row, 0).row, at },
            Expr::Member { .. } => frame.callee,
            _ => self.position(callee.row, callee.bytes.start),
        };
        frame.path = position;
        let bare = match self.expr_of(callee_expr) {
            Expr::Name { name, .. } => self.builder.facts.name(name),
            _ => "",
        };
        if bare == "super" && !self.starts_elsewhere(args) {
            return Some(self.builder.expr(Expr::Super { scope: self.builder.scope() }));
        }
        let test = bare == "isinstance";
        if matches!(bare, "getattr" | "hasattr") {
            self.name_of_member(node, args);
        }
        if self.is_dynamic(callee_expr, args) {
            self.dynamic(position.row);
        }
        if test {
            self.remember_test(node, args);
        }
        self.export_call(callee_expr, node);
        let expr = self.builder.expr(Expr::Call { of: callee_expr, args });
        if frame.place != Place::Use(Role::Decorate) {
            self.refer(expr, Role::Call, position);
        }
        match (frame.head, self.builder.facts.list(args)) {
            (Head::Cast, &[ty, _]) => Some(self.builder.expr(Expr::Typed { ty })),
            _ => Some(expr),
        }
    }

    /// `getattr(x, "name")` names a member of `x`: nothing that a module holds, unless `x` is one.
    fn name_of_member(&mut self, node: Node<'_>, args: List) {
        let Some(of) = self.builder.facts.list(args).first().copied() else { return };
        let of = self.last_segment(of).to_ascii_lowercase();
        let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(1));
        let Some(argument) = argument.filter(|argument| self.grammar.kind(argument.kind_id()) == Kind::Str) else {
            return;
        };
        let content = argument.named_child(1).filter(|content| content.kind() == "string_content");
        let Some(content) = content.filter(|_| !NAMES_OF_MODULES.iter().any(|name| of.contains(name))) else { return };
        let name = self.source.get(content.byte_range()).unwrap_or_default();
        mentions::narrow_to_member(name, &mut self.builder.facts.words.strings);
    }

    /// True for calls whose target is computed: `getattr` with a name that is not written out, and its like.
    /// `super(Other, self)` begins after a class other than the enclosing one, in an order that only the object knows.
    fn starts_elsewhere(&self, args: List) -> bool {
        let facts = &self.builder.facts;
        let Some(Expr::Name { name, .. }) = facts.list(args).first().map(|first| facts.expr(*first)) else {
            return args.len > 0;
        };
        let mut scope = Some(self.builder.scope());
        while let Some(here) = scope {
            let here = facts.scope(here);
            if here.kind == ScopeKind::Class {
                return here.definition.is_none_or(|class| facts.definition(class).name != name);
            }
            scope = here.parent;
        }
        true
    }

    pub(super) fn is_dynamic(&self, callee: ExprId, args: List) -> bool {
        match self.last_segment(callee) {
            "getattr" | "setattr" | "delattr" | "__getattribute__" => {
                let name = self.builder.facts.list(args).get(1).map(|name| self.expr_of(*name));
                !matches!(name, Some(Expr::Literal(Literal::Str)))
            }
            "import_module" | "__import__" => true,
            "globals" | "eval" | "exec" => matches!(self.expr_of(callee), Expr::Name { .. }),
            _ => false,
        }
    }

    pub(super) fn leave_arguments(&mut self, frame: &mut Frame, children: &[Child]) {
        if frame.place == Place::Use(Role::Inherit) {
            return self.leave_bases(children);
        }
        // Keywords go last, whatever order the text has.
        let is_keyword = |child: &&Child| self.grammar.kind(child.kind) == Kind::KeywordArgument;
        let (keywords, others): (Vec<&Child>, Vec<&Child>) =
            children.iter().filter(|child| !self.is_extra(child)).partition(is_keyword);
        let args: Vec<ExprId> = others.into_iter().chain(keywords).map(|child| self.or_opaque(child.expr)).collect();
        frame.args = self.builder.list(&args);
    }

    pub(super) fn keyword(&mut self, children: &[Child]) -> Option<ExprId> {
        let name = children.first()?;
        let of = children.iter().rev().find_map(|child| child.expr);
        let of = self.or_opaque(of);
        let name = self.name_of(name.bytes.clone());
        Some(self.builder.expr(Expr::Keyword { name, of }))
    }
}
