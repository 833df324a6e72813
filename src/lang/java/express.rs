//! What uses names: expressions as path expressions, and the references to record for them. Types are in `types`.

use super::declare::CONSTRUCTOR;
use super::nodes::{Kind, kind_of};
use super::{Java, Open};
use crate::lang::walk::Child;
use crate::model::*;
use std::ops::Range;
use tree_sitter::Node;

/// How far out an enclosing type or switch is looked for: code nests a handful deep, and hostile code must stay linear.
pub(super) const MAX_OUTWARD: usize = 64;

/// What a name or field access is at its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// No expression: a declared name, a member's name, a label.
    No,
    /// The inner part of a longer path, which is recorded as a whole.
    Inner,
    Read,
    Value,
    /// `case X`
    Label,
    /// A type's name where the grammar has a plain identifier.
    Type,
}

impl Java<'_> {
    /// What a node that declares nothing yields, given its children.
    pub(super) fn express(&mut self, kind: Kind, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let only = || children.iter().rev().find_map(|child| child.expr);
        let numeric = |text: &str, long: Literal, other: Literal| if text.ends_with(['l', 'L']) { long } else { other };
        match kind {
            Identifier => self.identifier(node, field),
            FieldAccess => self.field_access(node, field, children),
            ScopedIdentifier => {
                let scope = self.child(children, self.fields.scope)?.expr?;
                let name = self.child(children, self.fields.name)?;
                let path = self.member(scope, name.bytes.clone());
                if self.position(field) == Position::Type {
                    self.refer(path, Role::Type, node.start_position().row, node.start_byte());
                }
                Some(path)
            }
            This if self.above(1) != FieldAccess || field != self.fields.field => {
                let scope = self.b.scope();
                Some(self.b.expr(Expr::This { scope }))
            }
            // `super` between two dots only qualifies, and in a wildcard it is no value at all.
            Super
                if matches!(field, f if f == self.fields.object || f == self.fields.constructor)
                    || self.above(1) == MethodReference =>
            {
                let scope = self.b.scope();
                Some(self.b.expr(Expr::Super { scope }))
            }
            MethodInvocation => self.call(node, children),
            ExplicitConstructor => self.constructor_call(children),
            ObjectCreation => self.creation(children),
            MethodReference => self.method_reference(node, children),
            Lambda => self.lambda(children),
            ArrayCreation => self.array_creation(children),
            ArrayInitializer => {
                let items = self.values(children);
                let items = self.b.list(&items);
                Some(self.b.expr(Expr::Display { kind: Literal::Array, items }))
            }
            ArrayAccess => {
                let mut parts = children.iter().filter(|child| !kind_of(child.kind).is_comment());
                let of = parts.next().and_then(|array| array.expr);
                let key = parts.next().and_then(|index| index.expr);
                let (of, key) = (self.or_unknown(of), self.or_unknown(key));
                Some(self.b.expr(Expr::Index { of, key }))
            }
            Cast => {
                let ty = children.iter().find(|child| child.field == self.fields.ty)?.expr?;
                Some(self.b.expr(Expr::Typed { ty }))
            }
            Ternary => {
                let arms = [self.fields.consequence, self.fields.alternative];
                let arms = arms.map(|arm| self.child(children, arm).and_then(|arm| arm.expr));
                let arms = arms.map(|arm| self.or_unknown(arm));
                let items = self.b.list(&arms);
                Some(self.b.expr(Expr::Either { items }))
            }
            SwitchExpression => {
                let results = self.switches.last_mut().map(std::mem::take).filter(|results| !results.is_empty())?;
                let items = self.b.list(&results);
                Some(self.b.expr(Expr::Either { items }))
            }
            SwitchRule => {
                let result = children.iter().find(|child| kind_of(child.kind) == ExpressionStatement)?.expr?;
                self.switches.last_mut()?.push(result);
                None
            }
            Yield => {
                let result = self.or_unknown(only());
                self.switches.last_mut()?.push(result);
                None
            }
            Return => {
                let result = only()?;
                self.functions.last_mut()?.push(result);
                None
            }
            SwitchLabel => self.labels(children),
            Instanceof => {
                let ty = self.open.last().and_then(|open| open.ty);
                if let Some(name) = self.child(children, self.fields.name) {
                    self.bind_pattern(name.bytes.clone(), name.row, ty, node.end_byte());
                }
                Some(self.literal(Literal::Bool))
            }
            Assignment => {
                let (left, right) = (self.child(children, self.fields.left), self.child(children, self.fields.right));
                // `a += b` keeps the type of `a`.
                let plain = self.operator(node) == "=";
                if plain { right?.expr } else { left?.expr }
            }
            Binary => self.binary(node, children),
            Unary if self.operator(node) == "!" => Some(self.literal(Literal::Bool)),
            Unary | Update | Parenthesized | ExpressionStatement => only(),
            StringLiteral | Template => Some(self.literal(Literal::Str)),
            Character => Some(self.literal(Literal::Char)),
            True | False => Some(self.literal(Literal::Bool)),
            Null => Some(self.literal(Literal::None)),
            DecimalInteger | HexInteger | OctalInteger | BinaryInteger => {
                let literal = numeric(self.text(node.byte_range()), Literal::Long, Literal::Int);
                Some(self.literal(literal))
            }
            DecimalFloat | HexFloat => {
                let float = self.text(node.byte_range()).ends_with(['f', 'F']);
                Some(self.literal(if float { Literal::Float } else { Literal::Double }))
            }
            ClassLiteral => {
                let ty = children.first().and_then(|child| child.expr);
                let ty = self.or_unknown(ty);
                Some(self.b.expr(Expr::ClassOf { ty }))
            }
            Annotation | MarkerAnnotation => {
                let path = self.open.last()?.ty?;
                let name = self.child(children, self.fields.name)?;
                self.refer(path, Role::Decorate, name.row, name.bytes.start);
                Some(path)
            }
            ElementPair => {
                let of = self.ancestor(2)?.ty?;
                let key = self.child(children, self.fields.key)?;
                let member = self.member(of, key.bytes.clone());
                self.refer(member, Role::Read, key.row, key.bytes.start);
                None
            }
            ArgumentList => {
                let args = self.values(children);
                let args = self.b.list(&args);
                self.ancestor(1)?.list = args;
                None
            }
            _ => self.type_expression(kind, node, children),
        }
    }

    pub(super) fn or_unknown(&mut self, expr: Option<ExprId>) -> ExprId {
        expr.unwrap_or_else(|| self.unknown())
    }

    /// Arguments or elements, one each.
    fn values(&mut self, children: &[Child]) -> Vec<ExprId> {
        let values = children.iter().filter(|child| {
            let kind = kind_of(child.kind);
            !kind.is_comment() && kind != Kind::Error
        });
        values.map(|value| self.or_unknown(value.expr)).collect()
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
        let is = |wanted: u16, position: Position| if field == wanted { position } else { Position::No };
        match self.above(1) {
            MethodInvocation | FieldAccess => is(fields.object, Position::Inner),
            MethodReference if self.open.len() > 1 && self.open[self.open.len() - 2].count == 0 => Position::Inner,
            ScopedIdentifier => is(fields.scope, Position::Inner),
            Annotation | MarkerAnnotation => is(fields.name, Position::Inner),
            ArgumentList | Return | Yield | ArrayInitializer | ElementArray | AnnotationArguments => Position::Value,
            VariableDeclarator | ElementPair | AnnotationElement => is(fields.value, Position::Value),
            Assignment if field == fields.right => Position::Value,
            Lambda => is(fields.body, Position::Value),
            Ternary if field != fields.condition => Position::Value,
            Resource if field == fields.name => Position::No,
            Resource if field == fields.value => Position::Value,
            EnhancedFor => is(fields.value, Position::Read),
            Instanceof => is(fields.left, Position::Read),
            ExpressionStatement if self.above(2) == SwitchRule => Position::Value,
            SwitchLabel => Position::Label,
            RecordPattern | Uses | Provides => Position::Type,
            Assignment | Ternary | Resource | ExpressionStatement | Binary | Unary | Update | Parenthesized | Cast
            | ArrayAccess | DimensionsExpression | Guard | Assert | Throw | Interpolation | Template | For | If
            | While | Do | ExplicitConstructor | ObjectCreation => Position::Read,
            _ => Position::No,
        }
    }

    fn identifier(&mut self, node: Node<'_>, field: u16) -> Option<ExprId> {
        let (bytes, row) = (node.byte_range(), node.start_position().row);
        let text = self.text(bytes.clone());
        if text.is_empty() || text == "default" {
            return None;
        }
        let fields = self.fields;
        match self.above(1) {
            Kind::Lambda if field == fields.parameters => return self.inferred_parameter(bytes, row, 0),
            Kind::InferredParameters => {
                let index = self.ancestor(1).map_or(0, |parameters| parameters.count);
                return self.inferred_parameter(bytes, row, index);
            }
            Kind::EnhancedFor if field == fields.name => {
                let name = self.b.name(text);
                self.ancestor(1)?.variable = Some((name, row));
                return None;
            }
            Kind::ArgumentList if self.ancestor(2).is_some_and(|call| call.phantom) => {
                let ty = self.ancestor(1)?.ty;
                self.bind_pattern(bytes.clone(), row, ty, bytes.end);
                return None;
            }
            Kind::Error => {
                let ty = self.final_pattern.take()?;
                self.bind_pattern(bytes.clone(), row, Some(ty), bytes.end);
                return None;
            }
            _ => {}
        }
        let position = self.position(field);
        if position == Position::No {
            return None;
        }
        let expr = self.name_expr(bytes.clone());
        let name = self.b.name(text);
        let role = match position {
            Position::Read => Role::Read,
            Position::Value => Role::Value,
            Position::Type => Role::Type,
            Position::No | Position::Inner | Position::Label => return Some(expr),
        };
        if role == Role::Type || !self.locals.contains(name) {
            self.refer(expr, role, row, bytes.start);
        }
        Some(expr)
    }

    fn inferred_parameter(&mut self, bytes: Range<usize>, row: usize, index: usize) -> Option<ExprId> {
        let name = self.b.name(self.text(bytes.clone()));
        let kind = BindingKind::Parameter(u16::try_from(index).unwrap_or(u16::MAX));
        self.bind(name, kind, None, None, row, bytes.end);
        None
    }

    fn field_access(&mut self, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        let object = self.child(children, self.fields.object)?;
        let name = self.child(children, self.fields.field)?;
        let of = self.or_unknown(object.expr);
        if kind_of(name.kind) == Kind::This {
            // `Outer.this`
            self.refer(of, Role::Type, object.row, object.bytes.start);
            return Some(self.b.expr(Expr::Typed { ty: of }));
        }
        let of = self.past_super(of, children);
        let path = self.member(of, name.bytes.clone());
        let role = match self.position(field) {
            Position::Read | Position::Label => Role::Read,
            Position::Value => Role::Value,
            Position::Type => Role::Type,
            Position::No | Position::Inner => return Some(path),
        };
        self.refer(path, role, name.row, name.bytes.start.max(node.start_byte()));
        Some(path)
    }

    /// `Outer.super` where the children hold a bare `super`, else `of` itself.
    fn past_super(&mut self, of: ExprId, children: &[Child]) -> ExprId {
        let qualified = children.iter().any(|child| child.field == 0 && kind_of(child.kind) == Kind::Super);
        if qualified { self.qualified_super(of) } else { of }
    }

    /// Inside a switch label only a record pattern can look like a call: the grammar lacks `case a.b.Point(int x)`.
    pub(super) fn enter_call(&mut self) {
        let phantom = match self.above(1) {
            Kind::SwitchLabel => true,
            Kind::ArgumentList => self.ancestor(2).is_some_and(|call| call.phantom),
            _ => false,
        };
        if let Some(open) = self.open.last_mut() {
            open.phantom = phantom;
        }
    }

    fn call(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let name = self.child(children, self.fields.name).filter(|name| !name.bytes.is_empty())?;
        let Open { list: args, phantom, .. } = *self.open.last()?;
        let of = match self.child(children, self.fields.object) {
            Some(object) => {
                let of = self.or_unknown(object.expr);
                let of = self.past_super(of, children);
                self.member(of, name.bytes.clone())
            }
            None => self.name_expr(name.bytes.clone()),
        };
        if phantom {
            self.refer(of, Role::Type, name.row, name.bytes.start);
            return None;
        }
        self.note_reflection(node, self.text(name.bytes.clone()), name.row);
        let call = self.b.expr(Expr::Call { of, args });
        self.refer(call, Role::Call, name.row, name.bytes.start);
        Some(call)
    }

    fn note_reflection(&mut self, call: Node<'_>, name: &str, row: usize) {
        // `Charset.forName` and `list.load` are no exits.
        let required = match name {
            "forName" => "Class",
            "load" => "ServiceLoader",
            "getMethod" | "getMethods" | "getDeclaredMethod" | "getDeclaredMethods" | "newInstance" => "",
            _ => return,
        };
        let object = call.child_by_field_id(self.fields.object).map_or("", |object| self.text(object.byte_range()));
        if object.ends_with(required) {
            self.b.facts.dynamic.push(DynamicExit { kind: DynamicKind::Reflection, line: row as u32 + 1 });
        }
    }

    /// `this(..)` and `super(..)`
    fn constructor_call(&mut self, children: &[Child]) -> Option<ExprId> {
        let constructor = self.child(children, self.fields.constructor)?;
        let args = self.open.last()?.list;
        let name = self.b.name(CONSTRUCTOR);
        let of = self.or_unknown(constructor.expr);
        let of = self.b.expr(Expr::Member { of, name });
        let call = self.b.expr(Expr::Call { of, args });
        self.refer(call, Role::Call, constructor.row, constructor.bytes.start);
        None
    }

    /// `new T(..)`, `outer.new T(..)`, either with a class body.
    fn creation(&mut self, children: &[Child]) -> Option<ExprId> {
        let Open { ty, list: args, .. } = *self.open.last()?;
        let ty = ty?;
        let constructed = self.child(children, self.fields.ty)?;
        let outer = children.first().filter(|first| {
            let kind = kind_of(first.kind);
            first.field == 0 && !kind.is_annotation()
        });
        let of = match outer.and_then(|outer| outer.expr) {
            Some(outer) => self.inner_type(outer, ty),
            None => ty,
        };
        let made = self.b.expr(Expr::New { of, args });
        self.refer(made, Role::Construct, constructed.row, constructed.bytes.start);
        Some(made)
    }

    /// In `outer.new Inner<A>()`, `Inner` is a member of `outer`'s type.
    fn inner_type(&mut self, outer: ExprId, ty: ExprId) -> ExprId {
        match self.b.facts.expr(ty) {
            Expr::Name { name, .. } => self.b.expr(Expr::Member { of: outer, name }),
            Expr::Apply { of, args } => match self.b.facts.expr(of) {
                Expr::Name { name, .. } => {
                    let of = self.b.expr(Expr::Member { of: outer, name });
                    self.b.expr(Expr::Apply { of, args })
                }
                _ => ty,
            },
            _ => ty,
        }
    }

    fn method_reference(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let mut parts = children.iter().filter(|child| !kind_of(child.kind).is_comment());
        let of = parts.next()?.expr;
        let of = self.or_unknown(of);
        let named = parts.find(|child| kind_of(child.kind) == Kind::Identifier);
        let (text, row, at) = match named {
            Some(name) => (self.text(name.bytes.clone()), name.row, name.bytes.start),
            None => (CONSTRUCTOR, node.start_position().row, node.start_byte()),
        };
        let name = self.b.name(text);
        let reference = self.b.expr(Expr::MethodRef { of, name });
        self.refer(reference, Role::Value, row, at);
        Some(reference)
    }

    fn lambda(&mut self, children: &[Child]) -> Option<ExprId> {
        let mut returned = self.functions.last_mut().map(std::mem::take).unwrap_or_default();
        let body = self.child(children, self.fields.body);
        returned.extend(body.and_then(|body| body.expr));
        let returns = self.b.list(&returned);
        // The lambda's own scope is still open.
        let scope = self.b.scope();
        Some(self.b.expr(Expr::Lambda { scope, returns }))
    }

    fn array_creation(&mut self, children: &[Child]) -> Option<ExprId> {
        let mut ty = self.child(children, self.fields.ty)?.expr?;
        for child in children {
            match kind_of(child.kind) {
                Kind::DimensionsExpression => ty = self.b.expr(Expr::Array { of: ty }),
                Kind::Dimensions => ty = self.arrays(ty, Some(child.bytes.clone())),
                _ => {}
            }
        }
        Some(self.b.expr(Expr::Typed { ty }))
    }

    fn binary(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        use Literal::{Bool, Char, Double, Float, Int, Long, Str};
        let side = |field| {
            let side = self.child(children, field)?.expr?;
            match self.b.facts.expr(side) {
                Expr::Literal(literal) => Some(literal),
                _ => None,
            }
        };
        let sides = (side(self.fields.left), side(self.fields.right));
        let literal = match (self.operator(node), sides) {
            ("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||", _) => Bool,
            ("+", (Some(Str), _) | (_, Some(Str))) => Str,
            ("&" | "|" | "^", (Some(Bool), Some(Bool))) => Bool,
            ("<<" | ">>" | ">>>", (Some(left @ (Int | Long)), _)) => left,
            ("-" | "*" | "/" | "%", (Some(Double), _) | (_, Some(Double))) => Double,
            // Binary numeric promotion (JLS 5.6): the wider side wins, and nothing is narrower than int.
            ("+" | "-" | "*" | "/" | "%" | "&" | "|" | "^", (Some(left), Some(right))) => {
                let wide = [Double, Float, Long].into_iter().find(|wide| left == *wide || right == *wide);
                let small = |side| matches!(side, Int | Char);
                match wide {
                    Some(wide) => wide,
                    None if small(left) && small(right) => Int,
                    None => return Some(self.unknown()),
                }
            }
            _ => return Some(self.unknown()),
        };
        Some(self.literal(literal))
    }

    pub(super) fn enter_switch(&mut self) {
        self.switches.push(Vec::new());
        if let Some(open) = self.open.last_mut() {
            open.opened.switch = true;
        }
    }

    /// `case A, B`: members of what is switched over, unless they are constants by themselves.
    fn labels(&mut self, children: &[Child]) -> Option<ExprId> {
        let outward = self.open.iter().rev().take(MAX_OUTWARD);
        let switch = outward.into_iter().find(|open| open.kind == Kind::SwitchExpression);
        let subject = switch.and_then(|open| open.ty);
        for label in children.iter().filter(|child| kind_of(child.kind) == Kind::Identifier) {
            let Some(plain) = label.expr else { continue };
            let name = self.b.name(self.text(label.bytes.clone()));
            if self.locals.contains(name) {
                continue;
            }
            let of = self.or_unknown(subject);
            let member = self.b.expr(Expr::Member { of, name });
            self.labels.push((self.b.facts.references.len(), name, plain));
            self.refer(member, Role::Read, label.row, label.bytes.start);
        }
        None
    }
}
