//! What each kind of node yields once its children are known, and the references it makes.

use super::bindings::is_comprehension;
use super::grammar::{Field, Kind};
use super::place::{Place, applies};
use super::{Extraction, Frame};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

/// Most pairs of a dict display that are kept.
const MAX_PAIRS: u32 = 8;

impl Extraction<'_> {
    /// Records what the node says and gives its expression, if it is one. `frame` has been taken off the stack.
    pub(super) fn close(&mut self, node: Node<'_>, frame: &mut Frame, children: &[Child]) -> Option<ExprId> {
        if is_comprehension(frame.kind) {
            return self.comprehension(frame, children);
        }
        match frame.kind {
            Kind::Identifier => return self.identifier(node, frame),
            Kind::DottedName => return self.dotted_pattern(frame, children),
            Kind::Attribute => return self.attribute(node, frame, children),
            Kind::MemberType => return self.attribute(node, frame, children),
            Kind::Call => return self.call(node, frame, children),
            Kind::ArgumentList => self.leave_arguments(frame, children),
            Kind::KeywordArgument => return self.keyword(children),
            Kind::ListSplat | Kind::DictionarySplat => {
                let of = self.only(children)?;
                return Some(self.builder.expr(Expr::Spread { of }));
            }
            Kind::Subscript => return self.subscript(node, frame, children),
            Kind::GenericType => return self.generic(frame, children),
            Kind::TypeParameter => frame.args = self.list_of(children),
            Kind::ConstrainedType => self.constrain(frame, children),
            Kind::Type => return self.leave_type(frame, children),
            Kind::UnionType => return Some(self.union(children)),
            Kind::Slice => return None,
            Kind::Str => return self.string(node, frame, children),
            Kind::ConcatenatedString => return self.only(children),
            Kind::Integer => return self.literal(Literal::Int),
            Kind::Float => return self.literal(Literal::Float),
            Kind::True | Kind::False | Kind::Comparison => return self.literal(Literal::Bool),
            Kind::NotOperator => return self.literal(Literal::Bool),
            Kind::None => return self.literal(Literal::None),
            Kind::List => return self.display(Literal::List, children),
            Kind::Tuple | Kind::ExpressionList | Kind::PatternList => return self.tuple(frame, children),
            Kind::Set => return self.display(Literal::Set, children),
            Kind::Dictionary => return self.dictionary(children),
            Kind::Pair => return self.pair(children),
            Kind::Parenthesized | Kind::WithItem => return self.only(children),
            Kind::Await => {
                let of = self.only(children)?;
                return Some(self.builder.expr(Expr::Awaited { of }));
            }
            Kind::Conditional => {
                let mut branches = self.all(children);
                if branches.len() > 1 {
                    branches.remove(1);
                }
                return self.either(&branches);
            }
            Kind::BooleanOperator => {
                let operands = self.all(children);
                return self.either(&operands);
            }
            Kind::BinaryOperator => return Some(self.binary(node, frame, children)),
            Kind::UnaryOperator => {
                return self.only(children).filter(|of| matches!(self.expr_of(*of), Expr::Literal(_)));
            }
            Kind::Lambda => return self.lambda(frame, children),
            Kind::NamedExpression => return self.leave_walrus(node, children),
            Kind::Assignment => return self.leave_assignment(node, frame, children),
            Kind::AugmentedAssignment => self.leave_augmented(node, frame, children),
            Kind::ForInClause => self.leave_for_in(frame, children),
            Kind::AsPattern => return self.leave_as(node, frame, children),
            Kind::CasePattern => return self.leave_case_pattern(node, children),
            Kind::ClassPattern => return children.first().and_then(|class| class.expr),
            Kind::UnionPattern => {
                let all = children.iter().all(|child| child.expr.is_some());
                return all.then(|| self.union(children));
            }
            Kind::SplatPattern => {
                if let Some(name) = children.first() {
                    self.capture(name, None);
                }
            }
            Kind::ReturnStatement => self.leave_return(children),
            Kind::Yield => self.leave_yield(node, children),
            Kind::AssertStatement => self.leave_assert(node),
            Kind::IfStatement => self.leave_if(node, frame),
            Kind::ExpressionStatement | Kind::Module => {
                // Conditions of other statements left theirs behind.
                self.tests.clear();
                if let Some(quoted) = &mut self.quoted {
                    quoted.expr = children.first().and_then(|child| child.expr);
                    return quoted.expr;
                }
            }
            Kind::Block => self.leave_block(frame, children),
            Kind::Decorator => self.leave_decorator(children, frame),
            Kind::Parameters | Kind::LambdaParameters => self.leave_parameters(frame),
            Kind::DefaultParameter | Kind::TypedParameter | Kind::TypedDefaultParameter | Kind::TuplePattern
                if self.declares_param(frame) =>
            {
                self.leave_param(node, frame, children);
            }
            Kind::ListSplatPattern | Kind::DictionarySplatPattern => {
                if self.declares_param(frame) {
                    self.leave_param(node, frame, children);
                    return None;
                }
                let of = self.only(children)?;
                return Some(self.builder.expr(Expr::Spread { of }));
            }
            Kind::KeywordSeparator => self.leave_keyword_separator(),
            Kind::PositionalSeparator => self.leave_positional_separator(),
            Kind::TypeAlias => self.leave_type_alias(node, children),
            Kind::ExecStatement => self.dynamic(node.start_position().row),
            _ => {}
        }
        None
    }

    fn identifier(&mut self, node: Node<'_>, frame: &mut Frame) -> Option<ExprId> {
        if node.byte_range().is_empty() {
            return None;
        }
        let position = self.position(node.start_position().row, node.start_byte());
        frame.path = position;
        let role = match frame.place {
            Place::NotValue => {
                if self.declares_param(frame) {
                    self.leave_param(node, frame, &[]);
                } else if frame.field == Field::Alias {
                    self.leave_alias(node);
                }
                return None;
            }
            Place::Store | Place::Pattern => return None,
            Place::Delete => {
                self.delete(node);
                return None;
            }
            Place::TypeParam => {
                let name = self.name_of(node.byte_range());
                self.type_params.push(super::PendingTypeParam { name, bound: None, position });
                return None;
            }
            place => role_of(place),
        };
        let name = self.name_of(node.byte_range());
        let expr = self.builder.expr(Expr::Name { name, scope: self.builder.scope(), at: position.at });
        if let Some(role) = role {
            self.refer(expr, role, position);
        }
        Some(expr)
    }

    /// The name of `except T as name`.
    fn leave_alias(&mut self, node: Node<'_>) {
        if self.frames.last().is_some_and(|up| up.kind == Kind::ExceptClause) {
            let row = node.start_position().row;
            self.bind_caught(&Child { kind: node.kind_id(), field: 0, expr: None, bytes: node.byte_range(), row });
        }
    }

    /// `a.b.c` in a pattern: a class, a value to compare with, or (one segment) a name that is bound.
    fn dotted_pattern(&mut self, frame: &mut Frame, children: &[Child]) -> Option<ExprId> {
        if !matches!(frame.place, Place::Pattern | Place::PatternClass | Place::Use(_)) {
            return None;
        }
        if let (Place::Pattern, [only]) = (frame.place, children) {
            let whole = matches!(self.frames.as_slice(), [.., case, pattern]
                if case.kind == Kind::CaseClause && pattern.kind == Kind::CasePattern);
            let subject = self.frames.iter().nth_back(3).and_then(|up| up.subject).filter(|_| whole);
            self.capture(only, subject);
            return None;
        }
        let mut path = None;
        for segment in children.iter().filter(|child| self.grammar.kind(child.kind) == Kind::Identifier) {
            let name = self.name_of(segment.bytes.clone());
            frame.path = self.position(segment.row, segment.bytes.start);
            path = Some(self.builder.expr(match path {
                None => Expr::Name { name, scope: self.builder.scope(), at: frame.path.at },
                Some(of) => Expr::Member { of, name },
            }));
        }
        let role = if frame.place == Place::PatternClass { Role::Type } else { Role::Read };
        self.refer(path?, role, frame.path);
        path.filter(|_| frame.place == Place::PatternClass)
    }

    fn attribute(&mut self, node: Node<'_>, frame: &mut Frame, children: &[Child]) -> Option<ExprId> {
        let name = children.iter().rev().find(|child| self.grammar.kind(child.kind) == Kind::Identifier)?;
        let of = children.first().and_then(|object| object.expr);
        let of = self.or_opaque(of);
        frame.path = self.position(name.row, name.bytes.start);
        let name = self.name_of(name.bytes.clone());
        let expr = self.builder.expr(Expr::Member { of, name });
        let role = match frame.place {
            Place::Store | Place::Delete => {
                let object = match self.expr_of(of) {
                    Expr::Name { name, .. } => self.self_class(name),
                    _ => None,
                };
                if object.is_none() {
                    self.refer(expr, Role::Read, frame.path);
                }
                return None;
            }
            Place::NotValue | Place::Pattern | Place::TypeParam => None,
            place => role_of(place),
        };
        if let (Some(role), false) = (role, node.byte_range().is_empty()) {
            self.refer(expr, role, frame.path);
        }
        Some(expr)
    }

    fn subscript(&mut self, node: Node<'_>, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        let of = children.first().and_then(|value| value.expr);
        let of = self.or_opaque(of);
        let keys: Vec<&Child> = children.iter().skip(1).filter(|child| !self.is_extra(child)).collect();
        if matches!(frame.place, Place::Store | Place::Delete) {
            return None;
        }
        if applies(frame.place, frame.head) {
            let args: Vec<ExprId> = match keys.as_slice() {
                // A parenthesised list of arguments is the same as a bare one.
                [only] => match only.expr.map(|expr| self.expr_of(expr)) {
                    Some(Expr::Display { kind: Literal::Tuple, items }) => self.builder.facts.list(items).to_vec(),
                    _ => vec![self.or_opaque(only.expr)],
                },
                keys => keys.iter().map(|key| self.or_opaque(key.expr)).collect(),
            };
            return Some(self.apply(of, &args));
        }
        let key = match keys.as_slice() {
            // A slice of a sequence is a sequence of the same kind.
            [slice] if self.grammar.kind(slice.kind) == Kind::Slice => return Some(of),
            [key] => key.expr,
            keys => {
                let keys: Vec<ExprId> = keys.iter().filter_map(|key| key.expr).collect();
                let items = self.builder.list(&keys);
                Some(self.builder.expr(Expr::Display { kind: Literal::Tuple, items }))
            }
        };
        let key = self.or_opaque(key);
        if let Expr::Call { of: callee, .. } = self.expr_of(of)
            && self.last_segment(callee) == "vars"
        {
            self.dynamic(node.start_position().row);
        }
        Some(self.builder.expr(Expr::Index { of, key }))
    }

    fn generic(&mut self, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        let of = children.first()?.expr?;
        let args = self.builder.facts.list(frame.args).to_vec();
        Some(self.apply(of, &args))
    }

    /// Type application, with the forms that mean something else: `Optional`, `Union`, `Annotated`.
    fn apply(&mut self, of: ExprId, args: &[ExprId]) -> ExprId {
        match (self.last_segment(of), args) {
            ("Annotated", [ty, ..]) => *ty,
            ("Optional", [ty]) => {
                let none = self.builder.expr(Expr::Literal(Literal::None));
                let items = self.builder.list(&[*ty, none]);
                self.builder.expr(Expr::Union { items })
            }
            ("Union", args) => {
                let items = self.builder.list(args);
                self.builder.expr(Expr::Union { items })
            }
            _ => {
                let args = self.builder.list(args);
                self.builder.expr(Expr::Apply { of, args })
            }
        }
    }

    fn constrain(&mut self, frame: &Frame, children: &[Child]) {
        let bound = children.get(1).and_then(|bound| bound.expr);
        if let (Place::TypeParam, Some(param)) = (frame.place, self.type_params.last_mut()) {
            param.bound = bound;
        }
    }

    fn union(&mut self, children: &[Child]) -> ExprId {
        let items = self.list_of(children);
        self.builder.expr(Expr::Union { items })
    }

    fn literal(&mut self, literal: Literal) -> Option<ExprId> {
        Some(self.builder.expr(Expr::Literal(literal)))
    }

    fn display(&mut self, kind: Literal, children: &[Child]) -> Option<ExprId> {
        let items = self.list_of(children);
        Some(self.builder.expr(Expr::Display { kind, items }))
    }

    fn tuple(&mut self, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        match frame.place {
            Place::Store | Place::Delete | Place::Pattern => None,
            _ => self.display(Literal::Tuple, children),
        }
    }

    fn pair(&mut self, children: &[Child]) -> Option<ExprId> {
        let (kind, seen) = self.frames.last().map_or((Kind::Other, 0), |up| (up.kind, up.seen));
        if kind == Kind::Dictionary && seen > MAX_PAIRS {
            return None;
        }
        self.display(Literal::Tuple, children)
    }

    fn dictionary(&mut self, children: &[Child]) -> Option<ExprId> {
        let mut entries = Vec::new();
        for pair in children.iter().filter_map(|child| child.expr).take(MAX_PAIRS as usize) {
            if let Expr::Display { items, .. } = self.expr_of(pair)
                && let &[key, value] = self.builder.facts.list(items)
            {
                entries.extend([key, value]);
            }
        }
        let items = self.builder.list(&entries);
        Some(self.builder.expr(Expr::Entries { items }))
    }

    fn either(&mut self, items: &[ExprId]) -> Option<ExprId> {
        let items = self.builder.list(items);
        Some(self.builder.expr(Expr::Either { items }))
    }

    /// `|` joins types, and gives one of its operands' types otherwise; other operators are known for literals only.
    fn binary(&mut self, node: Node<'_>, frame: &Frame, children: &[Child]) -> ExprId {
        let operands = self.all(children);
        let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
        let left = operands.first().copied();
        if operator == "|" {
            let items = self.builder.list(&operands);
            let union = frame.place == Place::Type;
            return self.builder.expr(if union { Expr::Union { items } } else { Expr::Either { items } });
        }
        match left.map(|left| (left, self.expr_of(left))) {
            Some((left, Expr::Literal(_) | Expr::Display { .. })) => left,
            _ => self.builder.opaque(),
        }
    }

    fn comprehension(&mut self, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        let body = children.iter().find(|child| self.grammar.field(child.field) == Field::Body);
        let of = body.and_then(|body| body.expr);
        let of = self.or_opaque(of);
        let kind = match frame.kind {
            Kind::ListComprehension => Literal::List,
            Kind::SetComprehension => Literal::Set,
            Kind::DictionaryComprehension => Literal::Dict,
            _ => Literal::Generator,
        };
        Some(self.builder.expr(Expr::Comprehension { kind, of }))
    }

    fn lambda(&mut self, frame: &Frame, children: &[Child]) -> Option<ExprId> {
        let body = children.iter().find(|child| self.grammar.field(child.field) == Field::Body);
        let returns: Vec<ExprId> = body.and_then(|body| body.expr).into_iter().collect();
        let returns = self.builder.list(&returns);
        Some(self.builder.expr(Expr::Lambda { scope: frame.body?, returns }))
    }

    /// The one expression among the children.
    fn only(&self, children: &[Child]) -> Option<ExprId> {
        children.iter().find_map(|child| child.expr)
    }

    /// Every child as an expression, in order.
    fn all(&mut self, children: &[Child]) -> Vec<ExprId> {
        let mut items = Vec::with_capacity(children.len());
        for child in children {
            if !self.is_extra(child) {
                items.push(self.or_opaque(child.expr));
            }
        }
        items
    }

    fn list_of(&mut self, children: &[Child]) -> List {
        let items = self.all(children);
        self.builder.list(&items)
    }

    pub(super) fn or_opaque(&mut self, expr: Option<ExprId>) -> ExprId {
        match expr {
            Some(expr) => expr,
            None => self.builder.opaque(),
        }
    }

    pub(super) fn is_extra(&self, child: &Child) -> bool {
        matches!(self.grammar.kind(child.kind), Kind::Comment | Kind::LineContinuation)
    }
}

/// The role of a path that stands at this place, `None` where it makes no reference.
fn role_of(place: Place) -> Option<Role> {
    match place {
        Place::Use(role) => Some(role),
        Place::Type | Place::PatternClass => Some(Role::Type),
        _ => None,
    }
}
