//! What binds names without a symbol of their own: parameters, locals, resources, pattern variables; and the values of
//! fields. Every binding says from which offset on it holds.

use super::nodes::{Kind, kind_of};
use super::{Java, Pattern};
use crate::lang::walk::Child;
use crate::model::*;
use std::ops::Range;
use tree_sitter::Node;

impl Java<'_> {
    /// A declarator: of a field (defined on entering), a local or a variadic parameter.
    pub(super) fn variable(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let open = self.open.last()?;
        let name = self.child(children, self.fields.name)?;
        let value = self.child(children, self.fields.value).and_then(|value| value.expr);
        if let Some(def) = open.definition {
            let Definition { name, scope, ty, span, .. } = *self.b.facts.definition(def);
            self.member_binding(scope, name, ty, value, span);
            return None;
        }
        let id = self.b.name(self.text(name.bytes.clone()));
        let row = name.row;
        let parent = self.ancestor(1)?;
        if parent.kind == Kind::SpreadParameter {
            parent.variable = Some((id, row));
            return None;
        }
        let ty = parent.ty;
        let ty = self.with_dimensions(ty, children);
        let kind = if ty.is_none() && value.is_none() { BindingKind::Opaque } else { BindingKind::Assigned };
        self.bind(id, kind, ty, value, row, node.end_byte());
        None
    }

    /// A variable of try-with-resources; a resource that is only named declares nothing.
    pub(super) fn resource(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let name = self.child(children, self.fields.name)?;
        let value = self.child(children, self.fields.value).and_then(|value| value.expr);
        let ty = self.open.last().and_then(|open| open.ty);
        let ty = self.with_dimensions(ty, children);
        let id = self.b.name(self.text(name.bytes.clone()));
        self.bind(id, BindingKind::Assigned, ty, value, name.row, node.end_byte());
        None
    }

    pub(super) fn catch_parameter(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let name = self.child(children, self.fields.name)?;
        let ty = self.open.last().and_then(|open| open.ty);
        let id = self.b.name(self.text(name.bytes.clone()));
        self.bind(id, BindingKind::Assigned, ty, None, name.row, node.end_byte());
        None
    }

    /// The variable of a for-each: what it iterates over is known, and is not in its scope.
    pub(super) fn bind_loop_variable(&mut self, iterable: Option<ExprId>, at: usize) {
        let Some(open) = self.open.last() else { return };
        let (Some((name, row)), ty) = (open.variable, open.ty) else { return };
        let value = iterable.map(|of| self.b.expr(Expr::Element { of }));
        self.bind(name, BindingKind::Assigned, ty, value, row, at);
    }

    pub(super) fn formal_parameter(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let name = self.child(children, self.fields.name)?;
        let id = self.b.name(self.text(name.bytes.clone()));
        let ty = self.open.last().and_then(|open| open.ty);
        let ty = self.with_dimensions(ty, children);
        self.parameter(node, (id, name.row), ParamKind::Normal, ty);
        None
    }

    /// `T... name`: the signature has the element's type, the body sees an array.
    pub(super) fn spread_parameter(&mut self, node: Node<'_>) -> Option<ExprId> {
        let open = self.open.last()?;
        let (variable, ty) = (open.variable?, open.ty);
        self.parameter(node, variable, ParamKind::Rest, ty);
        None
    }

    fn parameter(&mut self, node: Node<'_>, (name, row): (NameId, usize), kind: ParamKind, ty: Option<ExprId>) {
        let param = Param { name, kind, optional: kind == ParamKind::Rest, ty, default: None };
        let seen = self.seen_type(param);
        let index = self.ancestor(1).map_or(0, |parameters| parameters.count);
        if self.above(1) != Kind::FormalParameters {
            return self.bind(name, BindingKind::Assigned, seen, None, row, node.end_byte());
        }
        match self.above(2) {
            Kind::RecordDeclaration => self.component(node, param, row),
            Kind::Lambda => self.bind(name, nth(index), seen, None, row, node.end_byte()),
            owner if owner.is_function() => {
                if let Some(def) = self.ancestor(2).and_then(|owner| owner.definition) {
                    self.b.definition_mut(def).params.push(param);
                }
                self.bind(name, nth(index), seen, None, row, node.end_byte());
            }
            // Left over from a pattern that did not parse.
            _ => self.bind(name, BindingKind::Assigned, seen, None, row, node.end_byte()),
        }
    }

    /// A parameter's type as its function sees it.
    pub(super) fn seen_type(&mut self, param: Param) -> Option<ExprId> {
        let ty = param.ty?;
        Some(if param.kind == ParamKind::Rest { self.b.expr(Expr::Array { of: ty }) } else { ty })
    }

    /// A record component is a private field and, unless the record declares one, a public accessor.
    fn component(&mut self, node: Node<'_>, param: Param, row: usize) {
        let ty = self.seen_type(param);
        let decorators = self.open.last().map(|open| open.list).unwrap_or_default();
        let Some(owner) = self.b.enclosing() else { return };
        let Some(frame) = self.types.last_mut() else { return };
        frame.components.push(param);
        let (scope, explicit) = (frame.body, frame.accessors.contains(&param.name));
        let name_len = self.b.facts.name(param.name).len();
        let span = Span {
            line: row as u32 + 1,
            end_line: node.end_position().row as u32 + 1,
            // The name ends the parameter.
            at: (node.end_byte() - name_len.min(node.end_byte())) as u32,
        };
        let mut field = self.b.new_definition(param.name, DefKind::Field, span);
        (field.scope, field.block, field.ty, field.decorators) = (scope, scope, ty, decorators);
        field.flags.set(DefFlags::PRIVATE);
        let mut accessor = field.clone();
        self.b.add_definition(field);
        self.constants.insert(param.name);
        self.member_binding(scope, param.name, ty, None, span);
        if explicit {
            return;
        }
        let local = self.b.facts.definition(owner).flags.has(DefFlags::LOCAL);
        accessor.kind = DefKind::Method;
        accessor.decorators = List::default();
        accessor.flags = DefFlags(DefFlags::PUBLIC | if local { DefFlags::LOCAL } else { DefFlags::EXPORTED });
        self.b.add_definition(accessor);
    }

    /// `T name` in a switch label or a record pattern.
    pub(super) fn pattern(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let name = children.iter().rfind(|child| kind_of(child.kind) == Kind::Identifier)?;
        let (bytes, row) = (name.bytes.clone(), name.row);
        let ty = self.open.last().and_then(|open| open.ty);
        let first = children.first().map(|first| self.text(first.bytes.clone()));
        if self.above(0) == Kind::TypePattern && first == Some("final") {
            // The grammar has no `case final T x`: it reads `final T` as type and name and drops `x`.
            let ty = self.name_expr(bytes.clone());
            self.refer(ty, Role::Type, row, bytes.start);
            self.final_pattern = Some(ty);
            return None;
        }
        self.bind_pattern(bytes, row, ty, node.end_byte());
        None
    }

    pub(super) fn bind_pattern(&mut self, bytes: Range<usize>, row: usize, ty: Option<ExprId>, at: usize) {
        let name = self.b.name(self.text(bytes));
        let kind = if ty.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
        self.bind(name, kind, ty, None, row, at);
        self.patterns.push(Pattern { name, ty, row });
    }

    /// After `if (!(x instanceof T t)) return;` the rest of the block sees `t`. Whether the condition was negated is not
    /// asked: code after such an `if` cannot mean anything else by the name of its pattern, short of a field.
    pub(super) fn outlive(&mut self, introduced: Range<usize>, at: usize) {
        let patterns: Vec<_> = self.patterns.drain(introduced).collect();
        for Pattern { name, ty, row } in patterns {
            self.bind(name, BindingKind::Assigned, ty, None, row, at);
        }
    }
}

pub(super) fn nth(index: usize) -> BindingKind {
    BindingKind::Parameter(u16::try_from(index).unwrap_or(u16::MAX))
}
