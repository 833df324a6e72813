//! What uses names: expressions as path expressions, and the references to record for them. Types are in `types`.

use super::nodes::{Kind, has_word};
use super::{Narrowing, Script, This};
use crate::lang::mentions;
use crate::lang::walk::Child;
use crate::model::*;
use std::ops::Range;
use tree_sitter::Node;

/// What a name or member access is at its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// No use: a declared name, a label.
    No,
    /// The inner part of a longer path, which is recorded as a whole; or assigned to.
    Inner,
    Read,
    Value,
    Decorator,
}

impl Script<'_> {
    /// What a node yields, given its children, and what it declares on leaving.
    pub(super) fn express(&mut self, kind: Kind, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let is_parameter = self.above(1) == FormalParameters;
        match kind {
            Identifier | ObjectPattern | ArrayPattern | AssignmentPattern | RestPattern | RequiredParameter
            | OptionalParameter
                if is_parameter =>
            {
                return self.parameter(node, children);
            }
            Identifier => return self.identifier(node, field),
            Shorthand => return self.shorthand(node),
            Member => return self.member(field, children),
            Subscript => return self.subscript(node, children),
            Call => return self.call(node, children),
            New => return self.new_object(node, children),
            This | Super => return self.this_or_super(kind),
            FunctionDeclaration | GeneratorDeclaration | MethodDefinition | Arrow | FunctionExpression | Generator => {
                return self.leave_function(children);
            }
            FunctionSignature | MethodSignature | AbstractMethod | CallSignature | ConstructSignature => {
                self.leave_signature(children);
            }
            ClassDeclaration | AbstractClass | Class => {
                let open = self.open.last_mut()?;
                let (def, decorators) = (open.definition?, std::mem::take(&mut open.decorators));
                self.set_decorators(def, &decorators);
                return (kind == Class).then(|| self.b.expr(Expr::Defined { definition: def }));
            }
            TypeAlias => {
                let ty = self.child(children, self.fields.value).and_then(|ty| ty.expr);
                let def = self.open.last()?.definition?;
                self.b.definition_mut(def).ty = ty;
            }
            ExtendsClause | ExtendsType | Implements => self.heritage(kind, children),
            ClassHeritage if children.iter().any(|child| child.expr.is_some()) => self.heritage(kind, children),
            TypeParameter => self.type_parameter(children),
            Declarator => self.declarator(node, children),
            PublicField | FieldDefinition | PropertySignature => self.field(node, children),
            Pair => self.pair(node, children),
            Object => {
                let open = self.open.last()?;
                return match open.definition {
                    Some(definition) => {
                        self.object_spreads(definition, children);
                        Some(self.b.expr(Expr::Defined { definition }))
                    }
                    None => Some(self.literal(Literal::Dict)),
                };
            }
            Catch => self.catch_parameter(node, children),
            ForIn => self.bind_loop(node),
            Assignment => return self.assignment(node, children),
            Augmented => return self.augmented(node, children),
            Arguments => {
                let args = self.values(children);
                let args = self.b.list(&args);
                self.ancestor(1)?.list = args;
            }
            FormalParameters if matches!(self.above(1), FunctionType | ConstructorType) => {
                let types: Vec<ExprId> = children.iter().filter_map(|child| child.expr).collect();
                let items = self.b.list(&types);
                return Some(self.b.expr(Expr::Display { kind: Literal::Tuple, items }));
            }
            Return => {
                let value = self.first(children);
                if let (Some(value), Some(function)) = (value, self.functions.last_mut()) {
                    function.returned.push(value);
                }
            }
            Yield => {
                let value = self.first(children);
                if let (Some(value), Some(function)) = (value, self.functions.last_mut()) {
                    function.returned.push(value);
                }
            }
            Await => {
                let of = self.first(children)?;
                return Some(self.b.expr(Expr::Awaited { of }));
            }
            Spread => {
                let of = self.first(children)?;
                return Some(self.b.expr(Expr::Spread { of }));
            }
            Array => {
                let mut items = Vec::new();
                for child in children.iter().filter(|child| !self.is_comment(child)) {
                    let Some(expr) = child.expr else { continue };
                    items.push(expr);
                }
                for item in &mut items {
                    if let Expr::Spread { of } = self.b.facts.expr(*item) {
                        *item = self.b.expr(Expr::Element { of });
                    }
                }
                let items = self.b.list(&items);
                return Some(self.b.expr(Expr::Display { kind: Literal::List, items }));
            }
            Ternary => {
                let arms = [self.fields.consequence, self.fields.alternative];
                let arms = arms.map(|arm| self.child(children, arm).and_then(|arm| arm.expr));
                let arms = arms.map(|arm| self.or_unknown(arm));
                let items = self.b.list(&arms);
                return Some(self.b.expr(Expr::Either { items }));
            }
            Binary => return self.binary(node, children),
            Unary => return self.unary(node),
            Update => return Some(self.literal(Literal::Int)),
            Parenthesized | NonNull | Instantiation | ExpressionStatement => return self.first(children),
            Sequence => return children.iter().rev().find(|child| !self.is_comment(child))?.expr,
            As | Satisfies => return self.cast(kind, children),
            TypeAssertion => {
                let types = children.first()?.expr?;
                let Expr::Display { items, .. } = self.b.facts.expr(types) else { return None };
                let ty = *self.b.facts.list(items).first()?;
                return Some(self.b.expr(Expr::Typed { ty }));
            }
            Str => return Some(self.literal(Literal::Str)),
            Template => return self.template(node),
            Number => return Some(self.literal(Literal::Int)),
            True | False => return Some(self.literal(Literal::Bool)),
            Null | Undefined => return Some(self.literal(Literal::None)),
            Decorator => self.decorator(children),
            JsxOpening | JsxSelfClosing => self.element(children),
            Export => {
                let value = self.export_value(node, children);
                self.leave_export(node, value);
            }
            ImportAlias => self.import_alias(node),
            ExportClause => {}
            _ => return self.type_expression(kind, node, children),
        }
        None
    }

    /// The value behind `export default` or `export =`.
    fn export_value(&self, node: Node<'_>, children: &[Child]) -> Option<(Option<ExprId>, Kind, Range<usize>)> {
        let value = match self.child(children, self.fields.value) {
            Some(value) => value,
            None if has_word(node, "=") => children.iter().find(|child| !self.is_comment(child))?,
            None => return None,
        };
        Some((value.expr, self.grammar.kind(value.kind), value.bytes.clone()))
    }

    /// Arguments, one each.
    fn values(&mut self, children: &[Child]) -> Vec<ExprId> {
        let mut values = Vec::with_capacity(children.len());
        for child in children {
            if !self.is_comment(child) {
                values.push(self.or_unknown(child.expr));
            }
        }
        values
    }

    /// The name at `bytes`, looked up from here.
    pub(super) fn name_expr(&mut self, bytes: Range<usize>) -> ExprId {
        let (scope, at) = (self.b.scope(), bytes.start as u32);
        let name = self.name(bytes);
        self.b.expr(Expr::Name { name, scope, at })
    }

    fn position(&self, field: u16) -> Position {
        use Kind::*;
        let fields = self.fields;
        let is = |wanted: u16, position: Position| if field == wanted { position } else { Position::No };
        match self.above(1) {
            Member => is(fields.object, Position::Inner),
            Subscript => {
                if field == fields.object {
                    Position::Read
                } else {
                    Position::Value
                }
            }
            Call => is(fields.function, Position::Inner),
            New => is(fields.constructor, Position::Inner),
            Decorator => Position::Decorator,
            NestedIdentifier | NestedType => Position::Inner,
            ExtendsClause | ClassHeritage | ExtendsType => Position::Inner,
            JsxOpening | JsxSelfClosing if field == fields.name => Position::Inner,
            Assignment | Augmented if field == fields.left => Position::Inner,
            Assignment | Augmented => Position::Value,
            Arguments | Return | Array | Pair | Spread | JsxExpression | Yield | Await => Position::Value,
            Declarator | PublicField | FieldDefinition | EnumAssignment => is(fields.value, Position::Value),
            RequiredParameter | OptionalParameter => is(fields.value, Position::Value),
            AssignmentPattern | ObjectAssignmentPattern => is(fields.right, Position::Value),
            Arrow => is(fields.body, Position::Value),
            Ternary if field != fields.condition => Position::Value,
            // What is exported is named, not used.
            Export => Position::Inner,
            ForIn => is(fields.right, Position::Read),
            Catch | FormalParameters | PairPattern | ArrayPattern | ObjectPattern | RestPattern | JsxClosing
            | JsxNamespace | FunctionDeclaration | FunctionExpression | Generator | GeneratorDeclaration
            | FunctionSignature | ClassDeclaration | Class | AbstractClass | EnumDeclaration | InternalModule
            | Module | TypePredicate | IndexSignature | ImportAlias | MetaProperty | Other | JsxOpening
            | JsxSelfClosing | Asserts | Break | Continue => Position::No,
            _ => Position::Read,
        }
    }

    fn identifier(&mut self, node: Node<'_>, field: u16) -> Option<ExprId> {
        let (bytes, row) = (node.byte_range(), node.start_position().row);
        if bytes.is_empty() {
            return None;
        }
        let role = match self.position(field) {
            Position::No => return None,
            Position::Inner => None,
            Position::Read => Some(Role::Read),
            Position::Value => Some(Role::Value),
            Position::Decorator => Some(Role::Decorate),
        };
        let exported = self.above(1) == Kind::Pair && self.in_exported_object()
            || self.above(1) == Kind::Assignment && self.above(2) == Kind::ExpressionStatement && self.exports_target();
        let expr = self.name_expr(bytes.clone());
        if let Some(role) = role
            && !exported
        {
            self.refer(expr, role, row, bytes.start);
        }
        Some(expr)
    }

    fn member(&mut self, field: u16, children: &[Child]) -> Option<ExprId> {
        let object = self.child(children, self.fields.object)?;
        let property = self.child(children, self.fields.property)?;
        if property.bytes.is_empty() {
            return None;
        }
        let of = self.or_unknown(object.expr);
        let name = self.name(property.bytes.clone());
        let path = self.b.expr(Expr::Member { of, name });
        let role = match self.position(field) {
            Position::No | Position::Inner => return Some(path),
            Position::Read => Role::Read,
            Position::Value => Role::Value,
            Position::Decorator => Role::Decorate,
        };
        self.refer(path, role, property.row, property.bytes.start);
        Some(path)
    }

    fn subscript(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let of = self.child(children, fields.object).and_then(|of| of.expr);
        let of = self.or_unknown(of);
        let index = node.child_by_field_id(fields.index);
        if let Some(index) = index.filter(|index| self.grammar.of_node(*index) == Kind::Str) {
            let name = self.unquoted(index.byte_range());
            if !name.is_empty() {
                let name = self.name(name);
                return Some(self.b.expr(Expr::Member { of, name }));
            }
        }
        let key = self.child(children, fields.index).and_then(|key| key.expr);
        let key = self.or_unknown(key);
        Some(self.b.expr(Expr::Index { of, key }))
    }

    /// Row and offset of the last name of what is called.
    fn place_of_callee(&self, callee: Node<'_>) -> (usize, usize) {
        let name = match self.grammar.of_node(callee) {
            Kind::Member => callee.child_by_field_id(self.fields.property).unwrap_or(callee),
            _ => callee,
        };
        (name.start_position().row, name.start_byte())
    }

    fn call(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let callee = node.child_by_field_id(fields.function)?;
        let args = self.open.last()?.list;
        let function = self.child(children, fields.function)?;
        let (kind, of) = (self.grammar.kind(function.kind), function.expr);
        let (row, at) = self.place_of_callee(callee);
        let text = self.text(function.bytes.clone());
        if kind == Kind::Import || kind == Kind::Identifier && text == "require" {
            let source = node.child_by_field_id(fields.arguments).and_then(|args| args.named_child(0));
            if let Some(source) = source
                && (self.grammar.of_node(source) == Kind::Str
                    || self.grammar.of_node(source) == Kind::Template && !self.text(source.byte_range()).contains("${"))
            {
                return Some(self.required(source.byte_range(), row, at));
            }
            self.b.facts.dynamic.push(DynamicExit { kind: DynamicKind::Reflection, line: row as u32 + 1 });
            return None;
        }
        if matches!(text, "eval" | "Function") {
            self.b.facts.dynamic.push(DynamicExit { kind: DynamicKind::Getattr, line: row as u32 + 1 });
        }
        let mut of = self.or_unknown(of);
        self.note_inherits(of, args);
        let types = self.child(children, fields.type_arguments).and_then(|types| types.expr);
        let is_path = matches!(self.b.facts.expr(of), Expr::Name { .. } | Expr::Member { .. });
        if let (Some(Expr::Display { items, .. }), true) = (types.map(|types| self.b.facts.expr(types)), is_path) {
            of = self.b.expr(Expr::Apply { of, args: items });
        }
        let call = self.b.expr(Expr::Call { of, args });
        let role = if self.above(1) == Kind::Decorator { Role::Decorate } else { Role::Call };
        self.refer(call, role, row, at);
        Some(call)
    }

    /// `util.inherits(A, B)`, and whatever else is called so.
    fn note_inherits(&mut self, of: ExprId, args: List) {
        let facts = &self.b.facts;
        let (Expr::Member { name, .. } | Expr::Name { name, .. }) = facts.expr(of) else { return };
        if !matches!(facts.name(name), "inherits" | "inherit" | "__extends") {
            return;
        }
        if let [class, base, ..] = facts.list(args)
            && let Expr::Name { name, scope, .. } = facts.expr(*class)
        {
            self.inherits.push((name, scope, *base));
        }
    }

    fn new_object(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let class = node.child_by_field_id(fields.constructor)?;
        let args = self.open.last()?.list;
        let of = self.child(children, fields.constructor).and_then(|class| class.expr);
        let mut of = self.or_unknown(of);
        let types = self.child(children, fields.type_arguments).and_then(|types| types.expr);
        if let Some(Expr::Display { items, .. }) = types.map(|types| self.b.facts.expr(types)) {
            of = self.b.expr(Expr::Apply { of, args: items });
        }
        let made = self.b.expr(Expr::New { of, args });
        let (row, at) = self.place_of_callee(class);
        self.refer(made, Role::Construct, row, at);
        Some(made)
    }

    fn this_or_super(&mut self, kind: Kind) -> Option<ExprId> {
        let at = self.this.len().checked_sub(1);
        let scope = match at.map(|at| self.this[at]) {
            Some(self::This::Of(scope)) => scope,
            Some(self::This::Plain(Some(scope), _)) => scope,
            Some(self::This::Plain(None, Some(def))) => {
                let scope = self.hidden_scope();
                self.plain.push((scope, def));
                if let Some(at) = at {
                    self.this[at] = self::This::Plain(Some(scope), Some(def));
                }
                scope
            }
            _ => return Some(self.unknown()),
        };
        Some(self.b.expr(if kind == Kind::Super { Expr::Super { scope } } else { Expr::This { scope } }))
    }

    /// `{ ...a }` has the members of `a`.
    fn object_spreads(&mut self, definition: DefId, children: &[Child]) {
        let mut types = Vec::new();
        for child in children {
            if let Some(Expr::Spread { of }) = child.expr.map(|expr| self.b.facts.expr(expr)) {
                types.push(self.b.expr(Expr::ValueType { of }));
            }
        }
        if !types.is_empty() {
            types.reverse();
            let list = self.b.list(&types);
            self.b.definition_mut(definition).supertypes = list;
        }
    }

    fn augmented(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let left = self.child(children, fields.left)?;
        let right = self.child(children, fields.right).and_then(|right| right.expr);
        let (of, is_name) = (left.expr?, self.grammar.kind(left.kind) == Kind::Identifier);
        let (row, at) = (left.row, left.bytes.start);
        let is_path = matches!(self.b.facts.expr(of), Expr::Name { .. } | Expr::Member { .. });
        if is_path {
            self.refer(of, Role::Read, row, at);
        }
        let logical = ["||=", "??=", "&&="].iter().any(|word| has_word(node, word));
        if !logical {
            return Some(self.literal(Literal::Int)).filter(|_| !has_word(node, "+="));
        }
        let right = right?;
        let items = self.b.list(&[of, right]);
        let value = self.b.expr(Expr::Either { items });
        if is_name && let Expr::Name { name, .. } = self.b.facts.expr(of) {
            let (block, line, at) = (self.b.scope(), row as u32 + 1, node.end_byte() as u32);
            self.assigned.push(super::Assigned { name, block, value: Some(value), line, at });
        }
        Some(value)
    }

    fn binary(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let operator = node.child_by_field_id(fields.operator).map_or("", |operator| operator.kind());
        let side = |field| self.child(children, field).and_then(|side| side.expr);
        let (left, right) = (side(fields.left), side(fields.right));
        let from = self.open.last().map_or(0, |open| open.narrowed).min(self.narrowings.len());
        match operator {
            "||" | "??" => {
                // Either side may have held; what both fail, neither is.
                let mut kept = self.narrowings.split_off(from);
                kept.retain(|narrowing| narrowing.negated);
                self.narrowings.extend(kept);
                let items = [left, right].map(|side| self.or_unknown(side));
                let items = self.b.list(&items);
                return Some(self.b.expr(Expr::Either { items }));
            }
            "&&" => {
                let mut kept = self.narrowings.split_off(from);
                kept.retain(|narrowing| !narrowing.negated);
                self.narrowings.extend(kept);
                return right;
            }
            _ => {}
        }
        self.narrowings.truncate(from);
        let literal = |side: Option<ExprId>| match self.b.facts.expr(side?) {
            Expr::Literal(literal) => Some(literal),
            _ => None,
        };
        let sides = (literal(left), literal(right));
        match operator {
            "instanceof" => {
                if let (Some(Expr::Name { name, .. }), Some(class)) = (left.map(|left| self.b.facts.expr(left)), right)
                {
                    self.narrowings.push(Narrowing { name, ty: class, negated: false });
                }
                Some(self.literal(Literal::Bool))
            }
            "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "in" => Some(self.literal(Literal::Bool)),
            "+" => match sides {
                (Some(Literal::Str), _) | (_, Some(Literal::Str)) => Some(self.literal(Literal::Str)),
                (Some(Literal::Int), Some(Literal::Int)) => Some(self.literal(Literal::Int)),
                _ => Some(self.unknown()),
            },
            _ => Some(self.literal(Literal::Int)),
        }
    }

    fn unary(&mut self, node: Node<'_>) -> Option<ExprId> {
        let operator = node.child_by_field_id(self.fields.operator).map_or("", |operator| operator.kind());
        let from = self.open.last().map_or(0, |open| open.narrowed).min(self.narrowings.len());
        match operator {
            "!" => {
                for narrowing in &mut self.narrowings[from..] {
                    narrowing.negated = !narrowing.negated;
                }
                Some(self.literal(Literal::Bool))
            }
            "typeof" => {
                self.narrowings.truncate(from);
                Some(self.literal(Literal::Str))
            }
            "void" => Some(self.literal(Literal::None)),
            "delete" => Some(self.literal(Literal::Bool)),
            _ => Some(self.literal(Literal::Int)),
        }
    }

    /// `of as T`. To be anything is to be what it was, as far as anybody can tell.
    fn cast(&mut self, kind: Kind, children: &[Child]) -> Option<ExprId> {
        let mut parts = children.iter().filter(|child| !self.is_comment(child));
        let of = parts.next()?.expr;
        match parts.next().and_then(|ty| ty.expr) {
            Some(ty) if kind == Kind::As && !matches!(self.b.facts.expr(ty), Expr::Opaque) => {
                Some(self.b.expr(Expr::Typed { ty }))
            }
            _ => of,
        }
    }

    fn template(&mut self, node: Node<'_>) -> Option<ExprId> {
        let text = self.text(node.byte_range());
        if text.len() < 400 {
            mentions::value(text.trim_matches('`'), &mut self.b.facts.words.strings);
        }
        Some(self.literal(Literal::Str))
    }

    fn decorator(&mut self, children: &[Child]) {
        let Some(expr) = self.first(children) else { return };
        let path = match self.b.facts.expr(expr) {
            Expr::Call { of, .. } => of,
            _ => expr,
        };
        if let Some(parent) = self.ancestor(1) {
            parent.decorators.push(path);
        }
    }

    /// `<Header a={b}/>` runs the component; elements in small letters are the page's own.
    fn element(&mut self, children: &[Child]) {
        let Some(name) = self.child(children, self.fields.name) else { return };
        let (Some(of), row, at) = (name.expr, name.row, name.bytes.start) else { return };
        let is_component = match self.b.facts.expr(of) {
            Expr::Name { name, .. } => self.b.facts.name(name).starts_with(|c: char| !c.is_lowercase()),
            Expr::Member { .. } => true,
            _ => false,
        };
        if is_component {
            let call = self.b.expr(Expr::Call { of, args: List::default() });
            self.refer(call, Role::Call, row, at);
        }
    }

    /// `import a = b.c`
    fn import_alias(&mut self, node: Node<'_>) {
        let parts: Vec<Node<'_>> = super::nodes::named_children(node).take(2).collect();
        let [local, path] = parts.as_slice() else { return };
        let (scope, at) = (self.b.scope(), path.start_byte() as u32);
        let mut of = None;
        for part in self.text(path.byte_range()).split('.') {
            let name = self.b.name(part.trim());
            of = Some(self.b.expr(match of {
                None => Expr::Name { name, scope, at },
                Some(of) => Expr::Member { of, name },
            }));
        }
        let name = self.name(local.byte_range());
        let place = (local.start_position().row, local.end_byte());
        self.bind((scope, scope), name, BindingKind::Assigned, (None, of), place);
    }
}
