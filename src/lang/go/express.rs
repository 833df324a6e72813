//! What uses names: expressions as path expressions, and the references to record for them. Types are in `types`.

use super::nodes::{Kind, kind_of};
use super::{Go, Literals, Open};
use crate::lang::walk::Child;
use crate::model::*;
use std::ops::Range;
use tree_sitter::Node;

/// What a name or selector is at its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// No expression: a declared name.
    No,
    /// The inner part of a longer path, which is recorded as a whole.
    Inner,
    Read,
    Value,
    /// What stands before the colon in a composite literal.
    Key,
}

impl Go<'_> {
    /// What a node that declares nothing yields, given its children.
    pub(super) fn express(&mut self, kind: Kind, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let fields = self.fields;
        let only = || children.iter().rev().find_map(|child| child.expr);
        match kind {
            Identifier => self.identifier(node, field),
            Selector => self.selector(node, field, children),
            Call => self.call(children),
            ArgumentList => {
                let args = children.iter().filter(|child| !matches!(kind_of(child.kind), Comment | Error));
                let args: Vec<_> = args.map(|arg| self.or_unknown(arg.expr)).collect();
                let args = self.b.list(&args);
                self.open.last_mut()?.list = args;
                None
            }
            VariadicArgument => {
                let of = self.or_unknown(only());
                Some(self.b.expr(Expr::Spread { of }))
            }
            Index => {
                let (of, key) = (self.child_expr(children, fields.operand), self.child_expr(children, fields.index));
                let (of, key) = (self.or_unknown(of), self.or_unknown(key));
                Some(self.b.expr(Expr::Index { of, key }))
            }
            Slice => self.child_expr(children, fields.operand),
            TypeAssertion => {
                let ty = self.child_expr(children, fields.ty)?;
                Some(self.b.expr(Expr::Typed { ty }))
            }
            TypeConversion => self.conversion(children),
            TypeInstantiation => {
                let of = self.child_expr(children, fields.ty)?;
                let args = children.iter().filter(|child| child.field != fields.ty);
                let args: Vec<_> = args.map(|arg| self.or_unknown(arg.expr)).collect();
                let args = self.b.list(&args);
                Some(self.b.expr(Expr::Apply { of, args }))
            }
            CompositeLiteral => self.composite_literal(children),
            FunctionLiteral => {
                let result = self.result(children);
                let value = self.b.expr(Expr::Typed { ty: result });
                let returns = self.b.list(&[value]);
                // The literal's own scope is still open.
                let scope = self.b.scope();
                Some(self.b.expr(Expr::Lambda { scope, returns }))
            }
            Unary => {
                let of = self.child_expr(children, fields.operand);
                match self.operator(node) {
                    "!" => Some(self.literal(Literal::Bool)),
                    "<-" => {
                        let of = self.or_unknown(of);
                        Some(self.b.expr(Expr::Element { of }))
                    }
                    _ => of,
                }
            }
            Binary => self.binary(node, children),
            Parenthesized | LiteralElement => only(),
            InterpretedString | RawString => Some(self.literal(Literal::Str)),
            Rune => Some(self.literal(Literal::Char)),
            Int | Iota => Some(self.literal(Literal::Int)),
            Float | Imaginary => Some(self.literal(Literal::Float)),
            True | False => Some(self.literal(Literal::Bool)),
            Nil => Some(self.literal(Literal::None)),
            _ => self.type_expression(kind, node, children),
        }
    }

    /// The name at `bytes`, looked up from here.
    pub(super) fn name_expr(&mut self, bytes: Range<usize>) -> ExprId {
        let (scope, at) = (self.b.scope(), bytes.start as u32);
        let name = self.b.name(self.text(bytes));
        self.b.expr(Expr::Name { name, scope, at })
    }

    pub(super) fn member(&mut self, of: ExprId, bytes: Range<usize>) -> ExprId {
        let name = self.b.name(self.text(bytes));
        self.b.expr(Expr::Member { of, name })
    }

    fn operator<'t>(&self, node: Node<'t>) -> &'t str {
        node.child_by_field_id(self.fields.operator).map_or("", |operator| operator.kind())
    }

    fn position(&self, field: u16) -> Position {
        use Kind::*;
        let fields = self.fields;
        let parent_field = self.ancestor(1).map_or(0, |open| open.field);
        match self.above(1) {
            Selector if field == fields.operand => Position::Inner,
            Call if field == fields.function => Position::Inner,
            LiteralElement if self.above(2) == KeyedElement && parent_field == fields.key => Position::Key,
            ArgumentList | LiteralElement | VariadicArgument => Position::Value,
            SendStatement if field == fields.value => Position::Value,
            TypeConversion => Position::Value,
            ExpressionList => match self.above(2) {
                ShortVariable | RangeClause | ReceiveStatement
                    if parent_field == fields.left && self.ancestor(2).is_some_and(|open| open.declares) =>
                {
                    Position::No
                }
                TypeSwitch if parent_field == fields.alias => Position::No,
                Return => Position::Value,
                Assignment if parent_field == fields.left => Position::Read,
                Assignment | ShortVariable | VariableSpec | ConstantSpec => Position::Value,
                _ => Position::Read,
            },
            FunctionDeclaration | VariableSpec | ConstantSpec | Parameter | VariadicParameter | TypeParameter
                if field == fields.name =>
            {
                Position::No
            }
            Selector => Position::No,
            _ => Position::Read,
        }
    }

    fn identifier(&mut self, node: Node<'_>, field: u16) -> Option<ExprId> {
        let (bytes, row) = (node.byte_range(), node.start_position().row);
        let text = self.text(bytes.clone());
        let position = self.position(field);
        if matches!(text, "" | "_") || position == Position::No {
            return None;
        }
        if position == Position::Key
            && let Some(Literals { value, has_fields: true }) = self.literals.last().copied()
        {
            let path = self.member(value, bytes.clone());
            self.refer(path, Role::Read, row, bytes.start);
            return None;
        }
        let expr = self.name_expr(bytes.clone());
        let name = self.b.name(text);
        let role = match position {
            Position::Value => Role::Value,
            Position::No | Position::Inner => return Some(expr),
            Position::Read | Position::Key => Role::Read,
        };
        if !self.locals.contains(name) {
            self.refer(expr, role, row, bytes.start);
        }
        Some(expr)
    }

    fn selector(&mut self, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        let of = self.child_expr(children, self.fields.operand);
        let name = self.child(children, self.fields.field)?;
        let of = self.or_unknown(of);
        let path = self.member(of, name.bytes.clone());
        // A call stands where the member's name does, not where the chain begins.
        self.open.last_mut()?.row = name.row;
        let role = match self.position(field) {
            Position::Value => Role::Value,
            Position::Read | Position::Key => Role::Read,
            Position::No | Position::Inner => return Some(path),
        };
        self.refer(path, role, name.row, name.bytes.start.max(node.start_byte()));
        Some(path)
    }

    fn call(&mut self, children: &[Child]) -> Option<ExprId> {
        let function = self.child(children, self.fields.function)?;
        let of = self.or_unknown(function.expr);
        let Open { list: args, type_args, row, .. } = *self.open.last()?;
        let of_name = self.text(function.bytes.clone());
        // `new(T)`, `make(T, n)`: the type is the first argument.
        if matches!(of_name, "new" | "make")
            && let Some(first) = self.b.facts.list(args).first().copied()
        {
            return Some(self.b.expr(Expr::Typed { ty: first }));
        }
        let named = match self.b.facts.expr(of) {
            Expr::Member { name, .. } => Some(name),
            _ => None,
        };
        let end = function.bytes.end;
        let at = named.map_or(function.bytes.start, |name| end - self.b.facts.name(name).len().min(end));
        if named.is_some_and(|name| matches!(self.b.facts.name(name), "MethodByName" | "FieldByName")) {
            self.b.facts.dynamic.push(DynamicExit { kind: DynamicKind::Reflection, line: row as u32 + 1 });
        }
        let of = if type_args.len > 0 { self.b.expr(Expr::Apply { of, args: type_args }) } else { of };
        let call = self.b.expr(Expr::Call { of, args });
        self.refer(call, Role::Call, row, at);
        Some(call)
    }

    /// `[]T(x)`, which cannot be a call, and `F[T](x)`, which may be one.
    fn conversion(&mut self, children: &[Child]) -> Option<ExprId> {
        let child = self.child(children, self.fields.ty)?;
        let (ty, kind) = (child.expr?, kind_of(child.kind));
        if matches!(kind, Kind::TypeIdentifier | Kind::QualifiedType | Kind::GenericType) {
            let operand = self.child_expr(children, self.fields.operand);
            let operand = self.or_unknown(operand);
            let args = self.b.list(&[operand]);
            let call = self.b.expr(Expr::Call { of: ty, args });
            self.refer(call, Role::Call, child.row, child.bytes.start);
            return Some(call);
        }
        Some(self.b.expr(Expr::Typed { ty }))
    }

    fn construct(&mut self, ty: ExprId, row: usize, at: usize) -> ExprId {
        let made = self.b.expr(Expr::New { of: ty, args: List::default() });
        self.refer(made, Role::Construct, row, at);
        made
    }

    fn composite_literal(&mut self, children: &[Child]) -> Option<ExprId> {
        let child = self.child(children, self.fields.ty)?;
        let (ty, kind) = (child.expr?, kind_of(child.kind));
        if matches!(kind, Kind::TypeIdentifier | Kind::QualifiedType | Kind::GenericType) {
            return Some(self.construct(ty, child.row, child.bytes.start));
        }
        Some(self.b.expr(Expr::Typed { ty }))
    }

    /// The braces of a composite literal, or of an element whose type is left out.
    pub(super) fn enter_literal_value(&mut self) {
        let literals = match self.ancestor(1) {
            Some(open) if open.kind == Kind::CompositeLiteral => {
                let (ty, has_fields) = (open.ty, open.declares);
                let ty = self.or_unknown(ty);
                Literals { value: self.b.expr(Expr::Typed { ty }), has_fields }
            }
            _ => {
                let outer = self.literals.last().map(|outer| outer.value);
                let of = self.or_unknown(outer);
                Literals { value: self.b.expr(Expr::Element { of }), has_fields: true }
            }
        };
        self.literals.push(literals);
        if let Some(open) = self.open.last_mut() {
            open.opened.literal = true;
        }
    }

    /// Comparisons are truths; of other operands the one with a name says what comes out.
    fn binary(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let (left, right) = (self.fields.left, self.fields.right);
        if matches!(self.operator(node), "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||") {
            return Some(self.literal(Literal::Bool));
        }
        let (first, last) = (children.iter().find(|c| c.field == left), children.iter().find(|c| c.field == right));
        let (first, last) = (first.and_then(|c| c.expr)?, last.and_then(|c| c.expr));
        let is_literal = matches!(self.b.facts.expr(first), Expr::Literal(_));
        Some(if is_literal { last.unwrap_or(first) } else { first })
    }
}
