//! Parameters of functions and lambdas: collected while their list is read, since the scope that binds them opens later.

use super::grammar::{Field, Kind};
use super::place::Place;
use super::{Extraction, Frame, Position};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

/// A parameter read before its function's body is open.
pub(super) struct PendingParam {
    pub(super) param: Param,
    position: Position,
}

impl Extraction<'_> {
    pub(super) fn bind_params(&mut self, body: ScopeId, pending: &[PendingParam]) {
        for (i, PendingParam { param, position }) in pending.iter().enumerate() {
            let kind = BindingKind::Parameter(i.min(u16::MAX as usize) as u16);
            self.bind(body, body, param.name, kind, (param.ty, param.default), *position);
        }
    }

    /// Parameters are collected in order; a lambda's belong to its own scope at once.
    pub(super) fn leave_parameters(&mut self, frame: &Frame) {
        let mark = frame.mark.min(self.params.len());
        if frame.kind == Kind::LambdaParameters {
            let pending = self.params.split_off(mark);
            if let Some(body) = self.frames.last().and_then(|up| up.body) {
                self.bind_params(body, &pending);
            }
        }
    }

    /// A parameter in whatever form. `children` are those of its node.
    pub(super) fn leave_param(&mut self, node: Node<'_>, frame: &Frame, children: &[Child]) {
        let name = match children.first() {
            Some(first) if !matches!(frame.kind, Kind::Identifier | Kind::TuplePattern) => first,
            _ => return self.push_param(node.byte_range(), node.start_position().row, ParamKind::Normal, None, None),
        };
        let form = if frame.kind == Kind::TypedParameter { self.grammar.kind(name.kind) } else { frame.kind };
        let kind = match form {
            Kind::ListSplatPattern => ParamKind::Rest,
            Kind::DictionarySplatPattern => ParamKind::KeywordRest,
            _ => ParamKind::Normal,
        };
        let of = |field: Field| children.iter().find(|child| self.grammar.field(child.field) == field);
        let ty = of(Field::Type).and_then(|child| child.expr);
        let default = of(Field::Value).map(|child| child.expr);
        let default = default.map(|expr| expr.unwrap_or_else(|| self.builder.opaque()));
        self.push_param(name.bytes.clone(), name.row, kind, ty, default);
    }

    fn push_param(
        &mut self,
        bytes: std::ops::Range<usize>,
        row: usize,
        kind: ParamKind,
        ty: Option<ExprId>,
        default: Option<ExprId>,
    ) {
        let text = self.text(bytes.clone()).trim_start_matches('*').trim();
        // Python 2 takes parameters apart in the list; the parts stay unknown, the position counts.
        let text = if text.starts_with('(') { "_" } else { text }.to_string();
        let mut lists = self.frames.iter_mut().rev();
        let list = lists.find(|up| matches!(up.kind, Kind::Parameters | Kind::LambdaParameters));
        let starred = list.is_some_and(|list| {
            let before = list.starred;
            list.starred |= kind == ParamKind::Rest;
            before
        });
        let kind = if kind == ParamKind::Normal && starred { ParamKind::KeywordOnly } else { kind };
        let name = self.builder.name(&text);
        let optional = default.is_some() || matches!(kind, ParamKind::Rest | ParamKind::KeywordRest);
        let position = Position { row, at: bytes.start as u32 };
        self.params.push(PendingParam { param: Param { name, kind, optional, ty, default }, position });
    }

    /// `*` makes the parameters after it keyword only.
    pub(super) fn leave_keyword_separator(&mut self) {
        if let Some(list) = self.frames.last_mut() {
            list.starred = true;
        }
    }

    /// `/` makes the parameters before it positional only.
    pub(super) fn leave_positional_separator(&mut self) {
        let mark = self.frames.last().map_or(0, |up| up.mark.min(self.params.len()));
        for before in &mut self.params[mark..] {
            before.param.kind = ParamKind::PositionalOnly;
        }
    }

    /// True for a place where an identifier declares a parameter.
    pub(super) fn declares_param(&self, frame: &Frame) -> bool {
        let list = |up: &Frame| matches!(up.kind, Kind::Parameters | Kind::LambdaParameters);
        frame.place == Place::NotValue && self.frames.last().is_some_and(list)
    }
}
