//! What introduces symbols: functions, classes, interfaces, enums, namespaces, object literals, and what stands in their
//! headers. Variables are in `bind`.

use super::nodes::{Kind, has_word, named_children};
use super::{Function, Naming, Open, Script, This};
use crate::lang::walk::Child;
use crate::model::*;
use std::ops::Range;
use tree_sitter::Node;

/// The name of constructors, as the language has it.
pub(super) const CONSTRUCTOR: &str = "constructor";
/// What calling and constructing a value of an interface runs; no identifier, so that no member is called so.
pub(super) const CALL: &str = "()";
pub(super) const CONSTRUCT: &str = "new()";
/// How many direct members of an object literal are looked at to tell whether it is more than data.
const MAX_LOOKED_AT: usize = 400;

/// Where a function or object that is an expression gets its name from.
pub(super) enum Named {
    /// A variable, or what is exported by default.
    Variable(Range<usize>, usize),
    /// A member of an object literal.
    Property(Range<usize>, usize, ScopeId, Option<DefId>),
    /// A field of a class, with what is written before it.
    Field(Range<usize>, usize, DefFlags),
    /// `exports.name = ..`
    Export(Range<usize>, usize),
    /// `a.name = ..`, `A.prototype.name = ..`, `this.name = ..`: the scope of what gets it.
    Given(Range<usize>, usize, ScopeId, bool),
    /// `export default`
    Default,
    Nothing,
}

impl Script<'_> {
    /// The name that a node of these kinds has for its value.
    pub(super) fn naming(&self, node: Node<'_>, kind: Kind) -> Naming {
        let fields = self.fields;
        let key = |field| node.child_by_field_id(field).and_then(|key| self.key_of(key));
        match kind {
            Kind::Declarator => {
                let name = node.child_by_field_id(fields.name).filter(|name| self.is_plain(*name));
                name.map_or(Naming::Nothing, |name| Naming::Name(name.byte_range(), name.start_position().row))
            }
            Kind::Pair => key(fields.key).map_or(Naming::Nothing, |(bytes, row)| Naming::Name(bytes, row)),
            Kind::PublicField | Kind::FieldDefinition => match key(fields.name).or_else(|| key(fields.property)) {
                Some((bytes, row)) => Naming::Field(bytes, row, self.written_flags(node)),
                None => Naming::Nothing,
            },
            Kind::Assignment => {
                let left = node.child_by_field_id(fields.left);
                left.and_then(|left| self.target_path(left)).map_or(Naming::Nothing, Naming::Target)
            }
            _ => Naming::Nothing,
        }
    }

    /// What names the value at the current node; `const f = (() => {}) as T` names the function all the same.
    pub(super) fn named(&mut self) -> Named {
        let fields = self.fields;
        let wraps = self.wrapping();
        let Some(at) = self.open.len().checked_sub(wraps + 2) else { return Named::Nothing };
        let field = self.open[at + 1].field;
        let Open { kind, naming, .. } = &self.open[at];
        match (*kind, naming.clone()) {
            (Kind::Declarator, Naming::Name(bytes, row)) if field == fields.value => Named::Variable(bytes, row),
            (Kind::Pair, Naming::Name(bytes, row)) if field == fields.value => {
                let Some(scope) = self.ancestor(wraps + 2).and_then(|object| object.members) else {
                    return Named::Nothing;
                };
                Named::Property(bytes, row, scope, self.b.facts.scope(scope).definition)
            }
            (Kind::PublicField | Kind::FieldDefinition, Naming::Field(bytes, row, flags)) if field == fields.value => {
                Named::Field(bytes, row, flags)
            }
            (Kind::Assignment, Naming::Target(path)) if field == fields.right => self.named_by_path(&path),
            (Kind::Export, _) if field == fields.value => Named::Default,
            _ => Named::Nothing,
        }
    }

    /// How many parentheses and casts stand around the current node.
    fn wrapping(&self) -> usize {
        let wraps = |kind| matches!(kind, Kind::Parenthesized | Kind::As | Kind::Satisfies | Kind::NonNull);
        (1..8).take_while(|n| wraps(self.above(*n))).count()
    }

    fn is_plain(&self, name: Node<'_>) -> bool {
        self.grammar.of_node(name) == Kind::Identifier && !name.byte_range().is_empty()
    }

    /// The text and row of a member's name; `None` for computed ones.
    pub(super) fn key_of(&self, key: Node<'_>) -> Option<(Range<usize>, usize)> {
        let bytes = match self.grammar.of_node(key) {
            Kind::Property | Kind::PrivateProperty | Kind::Number | Kind::Shorthand | Kind::Identifier => {
                key.byte_range()
            }
            Kind::Str => self.unquoted(key.byte_range()),
            _ => return None,
        };
        (!bytes.is_empty()).then_some((bytes, key.start_position().row))
    }

    /// The bytes of a string literal without its quotes.
    pub(super) fn unquoted(&self, bytes: Range<usize>) -> Range<usize> {
        let text = self.text(bytes.clone());
        if text.len() >= 2 && text.starts_with(['"', '\'', '`']) { bytes.start + 1..bytes.end - 1 } else { bytes }
    }

    /// A definition of `name`, whose whole construct is `whole`.
    pub(super) fn definition(&mut self, name: (Range<usize>, usize), kind: DefKind, whole: Node<'_>) -> Definition {
        let (bytes, row) = name;
        let span = Span { line: row as u32 + 1, end_line: whole.end_position().row as u32 + 1, at: bytes.start as u32 };
        let id = self.name(bytes);
        let mut definition = self.b.new_definition(id, kind, span);
        definition.scope = self.b.scope();
        definition.start_line = (whole.start_position().row as u32 + 1).min(span.line);
        if self.is_local() {
            definition.flags.set(DefFlags::LOCAL);
        }
        definition
    }

    /// Opens the scope of a function whose definition, if any, is given, and begins to read it.
    fn begin_function(&mut self, definition: Option<DefId>, this: This, is_arrow: bool) {
        let kind = if definition.is_some() { ScopeKind::Function } else { ScopeKind::Lambda };
        if let Some(def) = definition {
            self.b.enter_definition(def);
        }
        let scope = self.open_scope(kind, definition);
        if let Some(def) = definition {
            self.b.definition_mut(def).body = Some(scope);
        }
        self.functions.push(Function { scope, definition, returned: Vec::new() });
        if let Some(open) = self.open.last_mut() {
            open.definition = definition;
            open.opened.definition = definition.is_some();
            open.opened.function = true;
        }
        if !is_arrow {
            // `this` of a method is found from the method's own scope, which tells whether it is static.
            let this = if let This::Of(owner) = this {
                let inside = self.b.facts.scope(scope).parent == Some(owner);
                This::Of(if inside { scope } else { owner })
            } else {
                this
            };
            self.push_this(this);
        }
    }

    pub(super) fn push_this(&mut self, this: This) {
        self.this.push(this);
        if let Some(open) = self.open.last_mut() {
            open.opened.this = true;
        }
    }

    pub(super) fn enter_function(&mut self, node: Node<'_>, kind: Kind) {
        let is_arrow = kind == Kind::Arrow;
        let mut flags = DefFlags::default();
        if has_word(node, "async") {
            flags.set(DefFlags::ASYNC);
        }
        if has_word(node, "*") {
            flags.set(DefFlags::GENERATOR);
        }
        let (def, this) = match kind {
            Kind::MethodDefinition => self.method(node, flags),
            Kind::FunctionDeclaration | Kind::GeneratorDeclaration => {
                let name = node.child_by_field_id(self.fields.name).filter(|name| !name.byte_range().is_empty());
                let def = match name {
                    Some(name) => {
                        let place = (name.byte_range(), name.start_position().row);
                        let mut definition = self.definition(place, DefKind::Function, node);
                        definition.flags.set(flags.0);
                        let def = self.b.add_definition(definition);
                        self.exported(def, 0);
                        Some(def)
                    }
                    None => None,
                };
                (def, This::Plain(None, def))
            }
            _ => self.function_value(node, flags),
        };
        self.begin_function(def, this, is_arrow);
        if let (Kind::Arrow, Some(parameter)) = (kind, node.child_by_field_id(self.fields.parameter)) {
            let name = self.name(parameter.byte_range());
            let expected = self.open.last().and_then(|open| open.expr);
            let ty = expected.map(|of| self.b.expr(Expr::Expected { of, index: 0 }));
            self.parameter_binding(name, 0, ty, None, parameter.start_position().row, parameter.end_byte());
            if let Some(def) = def {
                let param = Param { name, kind: ParamKind::Normal, optional: true, ty, default: None };
                self.b.definition_mut(def).params.push(param);
            }
        }
    }

    /// A function that is an expression: a definition where something names it, else a lambda.
    fn function_value(&mut self, node: Node<'_>, flags: DefFlags) -> (Option<DefId>, This) {
        let own = node.child_by_field_id(self.fields.name).map(|name| (name.byte_range(), name.start_position().row));
        let named = self.named();
        let (def, this) = match named {
            Named::Variable(bytes, row) => {
                let wraps = self.wrapping();
                let declared = self.ancestor(wraps + 1).and_then(|declarator| declarator.expr);
                self.expect(declared);
                let mut definition = self.definition((bytes, row), DefKind::Function, node);
                definition.scope = self.declaring_scope();
                definition.flags.set(flags.0);
                let def = self.b.add_definition(definition);
                self.declared_by_variable(def);
                (Some(def), This::Plain(None, Some(def)))
            }
            // An arrow of one expression in an object without a name belongs to the code around it, as any lambda does.
            Named::Property(_, _, _, Some(owner))
                if own.is_none() && self.is_lambda(node) && self.is_anonymous(owner) =>
            {
                (None, This::Unknown)
            }
            Named::Property(bytes, row, scope, owner) => {
                let wraps = self.wrapping();
                let object = self.ancestor(wraps + 2).and_then(|object| object.expr);
                let expected = self.expected_member(object, bytes.clone());
                self.expect(expected);
                (Some(self.member_function((bytes, row), scope, owner, flags, node)), This::Of(scope))
            }
            Named::Field(bytes, row, written) => {
                let scope = self.b.scope();
                let owner = self.b.facts.scope(scope).definition;
                let mut flags = flags;
                flags.set(written.0);
                let wraps = self.wrapping();
                let def = self.member_function((bytes, row), scope, owner, flags, node);
                if let Some(field) = self.ancestor(wraps + 1) {
                    field.definition = Some(def);
                }
                (Some(def), This::Of(scope))
            }
            Named::Export(bytes, row) => {
                let scope = self.exports_scope();
                let mut definition = self.definition((bytes, row), DefKind::Function, node);
                (definition.scope, definition.block, definition.container) = (scope, scope, None);
                definition.flags = flags;
                definition.flags.set(DefFlags::EXPORTED);
                let def = self.b.add_definition(definition);
                (Some(def), This::Plain(None, Some(def)))
            }
            Named::Given(bytes, row, scope, is_static) => {
                let mut flags = flags;
                if is_static {
                    flags.set(DefFlags::STATIC);
                }
                let def = self.member_function((bytes, row), scope, None, flags, node);
                self.b.definition_mut(def).container = None;
                (Some(def), This::Of(scope))
            }
            Named::Default => {
                let place = own.clone().unwrap_or((node.start_byte()..node.start_byte(), node.start_position().row));
                let mut definition = self.definition(place, DefKind::Function, node);
                if own.is_none() {
                    definition.name = self.b.name("default");
                }
                definition.flags.set(flags.0 | DefFlags::EXPORTED);
                definition.flags.0 &= !DefFlags::LOCAL;
                let scope = self.exports_scope();
                (definition.scope, definition.block) = (scope, scope);
                let name = definition.name;
                let def = self.b.add_definition(definition);
                if own.is_some() {
                    self.other_name(name, "default", scope, node);
                }
                (Some(def), This::Plain(None, Some(def)))
            }
            Named::Nothing => (None, This::Plain(None, None)),
        };
        (def, this)
    }

    /// The function that is being entered is declared to be of this type.
    fn expect(&mut self, ty: Option<ExprId>) {
        if let Some(open) = self.open.last_mut() {
            open.expr = ty;
        }
    }

    /// The type of a member of a type.
    fn expected_member(&mut self, ty: Option<ExprId>, name: Range<usize>) -> Option<ExprId> {
        let of = self.b.expr(Expr::Typed { ty: ty? });
        let name = self.name(name);
        let of = self.b.expr(Expr::Member { of, name });
        Some(self.b.expr(Expr::ValueType { of }))
    }

    fn is_lambda(&self, node: Node<'_>) -> bool {
        let body = node.child_by_field_id(self.fields.body);
        self.grammar.of_node(node) == Kind::Arrow
            && body.is_some_and(|body| self.grammar.of_node(body) != Kind::StatementBlock)
    }

    fn is_anonymous(&self, def: DefId) -> bool {
        self.b.facts.definition(def).flags.has(DefFlags::ANONYMOUS)
    }

    /// `def` is what the variable of the declarator around the current node is.
    fn declared_by_variable(&mut self, def: DefId) {
        let wraps = self.wrapping();
        if let Some(declarator) = self.ancestor(wraps + 1) {
            declarator.definition = Some(def);
        }
        self.exported(def, wraps + 2);
    }

    /// A function that is a member.
    fn member_function(
        &mut self,
        name: (Range<usize>, usize),
        scope: ScopeId,
        owner: Option<DefId>,
        flags: DefFlags,
        node: Node<'_>,
    ) -> DefId {
        let mut definition = self.definition(name, DefKind::Method, node);
        (definition.scope, definition.block) = (scope, scope);
        if owner.is_some() {
            definition.container = owner;
        }
        definition.flags.set(flags.0);
        self.b.add_definition(definition)
    }

    /// A method of a class or an object literal.
    fn method(&mut self, node: Node<'_>, mut flags: DefFlags) -> (Option<DefId>, This) {
        flags.set(self.written_flags(node).0);
        let scope = match self.ancestor(1).and_then(|body| body.members) {
            Some(scope) => scope,
            // An object that is only data but for this method has a scope all the same; what did not parse has none.
            None => return (None, This::Unknown),
        };
        let owner = self.b.facts.scope(scope).definition;
        let key = node.child_by_field_id(self.fields.name).and_then(|name| self.key_of(name));
        let Some(key) = key else {
            return (None, This::Of(scope));
        };
        let is_constructor = self.text(key.0.clone()) == CONSTRUCTOR && self.above(1) == Kind::ClassBody;
        if self.above(1) == Kind::Object {
            let object = self.ancestor(1).and_then(|object| object.expr);
            let expected = self.expected_member(object, key.0.clone());
            self.expect(expected);
        }
        let def = self.member_function(key, scope, owner, flags, node);
        if is_constructor {
            self.b.definition_mut(def).kind = DefKind::Constructor;
        }
        let decorators = self.ancestor(1).map(|body| std::mem::take(&mut body.decorators)).unwrap_or_default();
        self.set_decorators(def, &decorators);
        (Some(def), This::Of(scope))
    }

    pub(super) fn set_decorators(&mut self, def: DefId, decorators: &[ExprId]) {
        if !decorators.is_empty() {
            let list = self.b.list(decorators);
            self.b.definition_mut(def).decorators = list;
        }
    }

    /// Words before a member's name.
    pub(super) fn written_flags(&self, node: Node<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        for _ in 0..16 {
            if !more {
                break;
            }
            let child = cursor.node();
            match child.kind() {
                "static" => flags.set(DefFlags::STATIC),
                "abstract" => flags.set(DefFlags::ABSTRACT),
                "get" => flags.set(DefFlags::PROPERTY),
                // A getter of the same name stands for it.
                "set" => flags.set(DefFlags::PROPERTY | DefFlags::OVERLOAD),
                "override_modifier" => flags.set(DefFlags::OVERRIDE),
                "accessibility_modifier" => match self.text(child.byte_range()) {
                    "private" => flags.set(DefFlags::PRIVATE),
                    "protected" => flags.set(DefFlags::PROTECTED),
                    _ => flags.set(DefFlags::PUBLIC),
                },
                "private_property_identifier" => flags.set(DefFlags::PRIVATE),
                "formal_parameters" | "statement_block" => break,
                _ => {}
            }
            more = cursor.goto_next_sibling();
        }
        flags
    }

    /// A header without a body: overloads, abstract methods, members of interfaces.
    pub(super) fn enter_signature(&mut self, node: Node<'_>, kind: Kind) {
        let members = self.ancestor(1).and_then(|body| body.members);
        let key = node.child_by_field_id(self.fields.name).and_then(|name| self.key_of(name));
        let start = node.start_byte()..node.start_byte();
        let row = node.start_position().row;
        let def = match (kind, members) {
            (Kind::FunctionSignature, _) => key.map(|key| {
                let mut definition = self.definition(key, DefKind::Function, node);
                definition.flags.set(DefFlags::ABSTRACT);
                let def = self.b.add_definition(definition);
                self.exported(def, 0);
                def
            }),
            (Kind::CallSignature | Kind::ConstructSignature, Some(scope)) => {
                let owner = self.b.facts.scope(scope).definition;
                let mut flags = DefFlags::default();
                flags.set(DefFlags::ABSTRACT | DefFlags::ANONYMOUS);
                let def = self.member_function((start, row), scope, owner, flags, node);
                let name = self.b.name(if kind == Kind::CallSignature { CALL } else { CONSTRUCT });
                self.b.definition_mut(def).name = name;
                Some(def)
            }
            (Kind::MethodSignature | Kind::AbstractMethod, Some(scope)) => key.map(|key| {
                let owner = self.b.facts.scope(scope).definition;
                let mut flags = self.written_flags(node);
                flags.set(DefFlags::ABSTRACT);
                let is_constructor = self.text(key.0.clone()) == CONSTRUCTOR && self.above(1) == Kind::ClassBody;
                let def = self.member_function(key, scope, owner, flags, node);
                if is_constructor {
                    self.b.definition_mut(def).kind = DefKind::Constructor;
                }
                def
            }),
            _ => None,
        };
        let scope = self.open_scope(ScopeKind::Function, def);
        let Some(def) = def else { return };
        self.b.definition_mut(def).body = Some(scope);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
        }
    }

    pub(super) fn leave_signature(&mut self, children: &[Child]) {
        let fields = self.fields;
        let result = self.child(children, fields.return_type).or_else(|| self.child(children, fields.ty));
        let ty = result.and_then(|ty| ty.expr);
        if let Some(def) = self.open.last().and_then(|open| open.definition) {
            self.b.definition_mut(def).ty = ty;
        }
    }

    pub(super) fn leave_function(&mut self, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let kind = self.above(0);
        let body = self.child(children, fields.body);
        let result = body.filter(|body| self.grammar.kind(body.kind) != Kind::StatementBlock);
        let function = self.functions.last_mut()?;
        let mut returned = std::mem::take(&mut function.returned);
        let (scope, definition) = (function.scope, function.definition);
        returned.extend(result.and_then(|body| body.expr));
        let returns = self.b.list(&returned);
        let ty = self.child(children, fields.return_type).and_then(|ty| ty.expr);
        match definition {
            Some(def) => {
                let definition = self.b.definition_mut(def);
                (definition.ty, definition.returns) = (ty, returns);
                kind.is_function_value().then(|| self.b.expr(Expr::Defined { definition: def }))
            }
            None if kind == Kind::MethodDefinition => None,
            None => {
                let returns = match ty {
                    Some(ty) => {
                        let typed = self.b.expr(Expr::Typed { ty });
                        self.b.list(&[typed])
                    }
                    None => returns,
                };
                Some(self.b.expr(Expr::Lambda { scope, returns }))
            }
        }
    }

    /// Opens the scope of a type's header: its type parameters.
    fn open_header(&mut self, def: DefId) {
        self.b.enter_definition(def);
        self.open_scope(ScopeKind::Block, Some(def));
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.opened.definition = true;
        }
    }

    pub(super) fn enter_class(&mut self, node: Node<'_>) {
        let own = node.child_by_field_id(self.fields.name).filter(|name| !name.byte_range().is_empty());
        let own = own.map(|name| (name.byte_range(), name.start_position().row));
        let row = node.start_position().row;
        let start = node.start_byte()..node.start_byte();
        let is_expression = self.above(0) == Kind::Class;
        let named = if is_expression { self.named() } else { Named::Nothing };
        let decorators = self.ancestor(1).map(|parent| std::mem::take(&mut parent.decorators)).unwrap_or_default();
        let def = match named {
            _ if !is_expression => {
                let mut definition = self.definition(own.clone().unwrap_or((start, row)), DefKind::Class, node);
                if own.is_none() {
                    definition.name = self.b.name("default");
                }
                let def = self.b.add_definition(definition);
                self.exported(def, 0);
                def
            }
            Named::Variable(bytes, row) => {
                let mut definition = self.definition((bytes, row), DefKind::Class, node);
                definition.scope = self.declaring_scope();
                let def = self.b.add_definition(definition);
                self.declared_by_variable(def);
                def
            }
            Named::Export(..) | Named::Default => {
                let (place, by) = match named {
                    Named::Export(bytes, row) => ((bytes, row), None),
                    _ => (own.clone().unwrap_or((start, row)), Some("default")),
                };
                let mut definition = self.definition(place, DefKind::Class, node);
                if own.is_none() && by.is_some() {
                    definition.name = self.b.name("default");
                }
                let scope = self.exports_scope();
                (definition.scope, definition.block, definition.container) = (scope, scope, None);
                definition.flags = DefFlags(DefFlags::EXPORTED);
                let name = definition.name;
                let def = self.b.add_definition(definition);
                if let (Some(by), true) = (by, own.is_some()) {
                    self.other_name(name, by, scope, node);
                }
                def
            }
            _ => {
                let mut definition = self.definition(own.clone().unwrap_or((start, row)), DefKind::Class, node);
                definition.flags.set(DefFlags::LOCAL);
                if own.is_none() {
                    definition.flags.set(DefFlags::ANONYMOUS);
                    definition.name = self.b.name("class");
                }
                // Only its own code sees the name of a class that is an expression; the header's scope comes next.
                let next = ScopeId(self.b.facts.scopes.len() as u32);
                (definition.scope, definition.block) = (next, next);
                self.b.add_definition(definition)
            }
        };
        if node.kind().starts_with("abstract") {
            self.b.definition_mut(def).flags.set(DefFlags::ABSTRACT);
        }
        self.set_decorators(def, &decorators);
        self.open_header(def);
    }

    pub(super) fn enter_interface(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let definition = self.definition((name.byte_range(), name.start_position().row), DefKind::Interface, node);
        let def = self.b.add_definition(definition);
        self.exported(def, 0);
        self.open_header(def);
    }

    pub(super) fn enter_alias(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let definition = self.definition((name.byte_range(), name.start_position().row), DefKind::TypeAlias, node);
        let def = self.b.add_definition(definition);
        self.exported(def, 0);
        self.open_header(def);
        let scope = self.b.scope();
        self.b.definition_mut(def).body = Some(scope);
    }

    pub(super) fn enter_enum(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let definition = self.definition((name.byte_range(), name.start_position().row), DefKind::Enum, node);
        let def = self.b.add_definition(definition);
        self.exported(def, 0);
        self.open_header(def);
    }

    /// `namespace a.b { }`; a module of a name in quotes is some other package's.
    pub(super) fn enter_namespace(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        if self.grammar.of_node(name) == Kind::Str {
            return;
        }
        let mut definition = self.definition((name.byte_range(), name.start_position().row), DefKind::Namespace, node);
        // Only the last part of a dotted name has the members; the outer ones are rare enough to be left out.
        let last = self.text(name.byte_range()).rsplit('.').next().unwrap_or_default().trim();
        definition.name = self.b.name(last);
        let def = self.b.add_definition(definition);
        self.exported(def, 0);
        self.b.enter_definition(def);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.opened.definition = true;
        }
    }

    pub(super) fn enter_namespace_body(&mut self) {
        let def = self.ancestor(1).and_then(|namespace| namespace.definition);
        let scope = self.open_scope(ScopeKind::Block, def);
        if let Some(def) = def {
            self.b.definition_mut(def).body = Some(scope);
        }
    }

    /// The body of a class, interface or enum.
    pub(super) fn enter_body(&mut self, node: Node<'_>) {
        let def = self.ancestor(1).and_then(|outer| outer.definition);
        let scope = self.open_scope(ScopeKind::Class, def);
        if let Some(def) = def {
            self.b.definition_mut(def).body = Some(scope);
        }
        if let Some(open) = self.open.last_mut() {
            open.members = Some(scope);
        }
        if self.grammar.of_node(node) == Kind::ClassBody {
            self.push_this(This::Of(scope));
        }
    }

    /// `{ a: T }` as a type: an interface without a name.
    pub(super) fn enter_object_type(&mut self, node: Node<'_>) {
        let start = (node.start_byte()..node.start_byte(), node.start_position().row);
        let mut definition = self.definition(start, DefKind::Interface, node);
        definition.name = self.b.name("type");
        definition.flags.set(DefFlags::ANONYMOUS | DefFlags::LOCAL);
        // Nobody can name it: it lives in a scope of its own.
        let next = ScopeId(self.b.facts.scopes.len() as u32);
        (definition.scope, definition.block) = (next, next);
        let def = self.b.add_definition(definition);
        let scope = self.open_scope(ScopeKind::Class, Some(def));
        self.b.definition_mut(def).body = Some(scope);
        if let Some(open) = self.open.last_mut() {
            (open.definition, open.members) = (Some(def), Some(scope));
        }
    }

    /// An object literal that is more than data is something with members.
    pub(super) fn enter_object(&mut self, node: Node<'_>) {
        let fields = self.fields;
        let named = self.named();
        let has_name = !matches!(named, Named::Nothing);
        let mut empty = true;
        let more_than_data = named_children(node).take(MAX_LOOKED_AT).any(|member| {
            empty = false;
            match self.grammar.of_node(member) {
                Kind::MethodDefinition | Kind::Shorthand | Kind::Spread => true,
                Kind::Pair => member.child_by_field_id(fields.value).is_some_and(|value| {
                    use Kind::*;
                    match self.grammar.of_node(value) {
                        kind if kind.is_function_value() => true,
                        Identifier | Member | Call | New | Class | As | Await | Ternary | Binary => true,
                        Object => has_name,
                        _ => false,
                    }
                }),
                _ => false,
            }
        });
        let may_grow = empty && has_name;
        if !more_than_data && !may_grow {
            return;
        }
        let start = (node.start_byte()..node.start_byte(), node.start_position().row);
        let exported = self.is_exported_object();
        let next = ScopeId(self.b.facts.scopes.len() as u32);
        let wraps = self.wrapping();
        let typed =
            self.ancestor(wraps + 1).filter(|outer| outer.kind == Kind::Declarator).and_then(|outer| outer.expr);
        let expected = match &named {
            Named::Property(bytes, ..) => {
                let object = self.ancestor(wraps + 2).and_then(|object| object.expr);
                self.expected_member(object, bytes.clone())
            }
            _ => typed,
        };
        self.expect(expected);
        let typed = typed.is_some();
        let def = match named {
            Named::Variable(bytes, row) if !typed => {
                let mut definition = self.definition((bytes, row), DefKind::Object, node);
                definition.scope = self.declaring_scope();
                let def = self.b.add_definition(definition);
                self.declared_by_variable(def);
                def
            }
            Named::Property(bytes, row, scope, owner) => {
                let mut definition = self.definition((bytes, row), DefKind::Object, node);
                (definition.scope, definition.block, definition.container) = (scope, scope, owner);
                self.b.add_definition(definition)
            }
            Named::Default => {
                let mut definition = self.definition(start, DefKind::Object, node);
                definition.name = self.b.name("default");
                definition.flags.set(DefFlags::ANONYMOUS | DefFlags::LOCAL);
                (definition.scope, definition.block) = (next, next);
                self.b.add_definition(definition)
            }
            _ => {
                let mut definition = self.definition(start, DefKind::Object, node);
                definition.name = self.b.name("object");
                definition.flags.set(DefFlags::ANONYMOUS | DefFlags::LOCAL);
                (definition.scope, definition.block) = (next, next);
                self.b.add_definition(definition)
            }
        };
        let scope = self.open_scope(ScopeKind::Class, Some(def));
        self.b.definition_mut(def).body = Some(scope);
        let depth = self.open.len();
        if let Some(open) = self.open.last_mut() {
            (open.definition, open.members) = (Some(def), Some(scope));
            if exported {
                open.opened.object = true;
                self.exported_object = Some(depth);
            }
        }
    }

    /// `module.exports = {}` and `export default {}`: what stands in it is meant for other files.
    fn is_exported_object(&mut self) -> bool {
        let fields = self.fields;
        if self.is_local() {
            return false;
        }
        let field = self.open.last().map_or(0, |open| open.field);
        match self.above(1) {
            Kind::Export => field == fields.value,
            Kind::Assignment => {
                field == fields.right && self.above(2) == Kind::ExpressionStatement && self.exports_target()
            }
            _ => false,
        }
    }

    /// A member of an enum: `node` is its name or the assignment that begins with it.
    pub(super) fn enum_member(&mut self, node: Node<'_>) {
        let is_assignment = self.above(0) == Kind::EnumAssignment;
        let name = if is_assignment { node.child_by_field_id(self.fields.name) } else { Some(node) };
        let Some(key) = name.and_then(|name| self.key_of(name)) else { return };
        let mut definition = self.definition(key, DefKind::EnumMember, node);
        definition.flags.set(DefFlags::STATIC);
        self.b.add_definition(definition);
    }

    /// `extends A` of classes, with `extends A, B` of interfaces and `implements`.
    pub(super) fn heritage(&mut self, kind: Kind, children: &[Child]) {
        let fields = self.fields;
        let mut types: Vec<ExprId> = Vec::new();
        let mut places: Vec<(usize, usize)> = Vec::new();
        for child in children {
            let Some(expr) = child.expr else { continue };
            match self.grammar.kind(child.kind) {
                Kind::TypeArguments => continue,
                Kind::ExtendsClause | Kind::Implements => continue,
                _ => {}
            }
            types.push(expr);
            places.push((child.row, child.bytes.start));
        }
        if kind == Kind::ExtendsClause
            && let (Some(last), true) = (types.last().copied(), self.child(children, fields.type_arguments).is_some())
        {
            let given = self.child(children, fields.type_arguments).and_then(|types| types.expr);
            let list = match given.map(|types| self.b.facts.expr(types)) {
                Some(Expr::Display { items, .. }) => items,
                _ => List::default(),
            };
            if let Some(slot) = types.last_mut() {
                *slot = self.b.expr(Expr::Apply { of: last, args: list });
            }
        }
        let Some(def) = self.b.enclosing() else { return };
        let role = if kind == Kind::Implements { Role::Implement } else { Role::Inherit };
        for (ty, (row, at)) in types.iter().zip(places) {
            let path = self.path_of(*ty);
            if matches!(self.b.facts.expr(path), Expr::Name { .. } | Expr::Member { .. }) {
                self.refer(path, role, row, at);
            }
        }
        let list = self.b.list(&types);
        let definition = self.b.definition_mut(def);
        match kind {
            Kind::Implements => definition.interfaces = list,
            _ => definition.supertypes = list,
        }
    }

    /// The path below type arguments.
    pub(super) fn path_of(&self, mut id: ExprId) -> ExprId {
        while let Expr::Apply { of, .. } = self.b.facts.expr(id) {
            id = of;
        }
        id
    }

    pub(super) fn type_parameter(&mut self, children: &[Child]) {
        let Some(name) = self.child(children, self.fields.name) else { return };
        let (bytes, row) = (name.bytes.clone(), name.row);
        let bound = self.child_of_kind(children, Kind::Constraint).and_then(|bound| bound.expr);
        let id = self.name(bytes.clone());
        let scope = self.b.scope();
        let (line, at) = (row as u32 + 1, bytes.start as u32);
        let kind = BindingKind::TypeParameter;
        self.b.facts.bindings.push(Binding { scope, block: scope, name: id, kind, ty: bound, value: None, line, at });
        if let Some(def) = self.b.facts.scope(scope).definition {
            self.b.definition_mut(def).type_params.push(id);
        }
    }
}
