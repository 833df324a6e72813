//! What binds names and members: variables, parameters, patterns, loops, assignments, fields, and what a test says of a name.

use super::declare::Named;
use super::nodes::{Kind, has_word, named_children};
use super::{Assigned, Given, Narrowing, Script, This};
use crate::lang::walk::Child;
use crate::model::*;
use std::ops::Range;
use tree_sitter::Node;

/// Blocks around a `var` that are looked through: code nests a handful deep, and hostile code must stay linear.
const MAX_BLOCKS: usize = 256;

/// Most parts of one pattern that are bound.
const MAX_PATTERN: usize = 256;

/// Longest path that an assignment's target is read through (`a.b.c.d = ..`).
const MAX_TARGET: usize = 16;

impl Script<'_> {
    /// The scope that holds what the declaration around the current declarator declares.
    pub(super) fn declaring_scope(&mut self) -> ScopeId {
        let is_var =
            (1..4).map(|n| self.above(n)).find(|kind| matches!(kind, Kind::Lexical | Kind::Variable | Kind::Using))
                == Some(Kind::Variable);
        if is_var { self.function_scope() } else { self.b.scope() }
    }

    /// The innermost function, namespace or module.
    fn function_scope(&self) -> ScopeId {
        let mut scope = self.b.scope();
        for _ in 0..MAX_BLOCKS {
            let Scope { parent, kind, definition } = *self.b.facts.scope(scope);
            match (kind, parent) {
                (ScopeKind::Block | ScopeKind::Loop, Some(parent)) if definition.is_none() => scope = parent,
                _ => return scope,
            }
        }
        scope
    }

    pub(super) fn bind(
        &mut self,
        (scope, block): (ScopeId, ScopeId),
        name: NameId,
        kind: BindingKind,
        (ty, value): (Option<ExprId>, Option<ExprId>),
        (row, at): (usize, usize),
    ) {
        let (line, at) = (row as u32 + 1, at as u32);
        self.b.facts.bindings.push(Binding { scope, block, name, kind, ty, value, line, at });
    }

    /// Before the value of a declarator is read: its type annotation has been.
    pub(super) fn declarator(&mut self, node: Node<'_>, children: &[Child]) {
        let fields = self.fields;
        let Some(name) = node.child_by_field_id(fields.name) else { return };
        let ty = self.child(children, fields.ty).and_then(|ty| ty.expr);
        let value = self.child(children, fields.value).and_then(|value| value.expr);
        let defined = self.open.last().and_then(|open| open.definition);
        let scope = self.declaring_scope();
        let at = node.end_byte();
        if self.grammar.of_node(name) != Kind::Identifier {
            if let Some(Expr::Imported { import }) = value.map(|value| self.b.facts.expr(value))
                && self.import_names(name, import, scope)
            {
                return;
            }
            let of = match (ty, value) {
                (Some(ty), _) => Some(self.b.expr(Expr::Typed { ty })),
                (None, value) => value,
            };
            return self.bind_pattern(name, of, (scope, self.b.scope()), at);
        }
        if name.byte_range().is_empty() {
            return;
        }
        let (bytes, row) = (name.byte_range(), name.start_position().row);
        if let Some(def) = defined {
            // A declared type says more than the value, but hides what a call of the name runs.
            let definition = self.b.definition_mut(def);
            if definition.kind == DefKind::Object {
                definition.ty = ty;
            }
            return;
        }
        let id = self.name(bytes.clone());
        if let (Some(Expr::Imported { import }), Kind::Call) =
            (value.map(|value| self.b.facts.expr(value)), self.kind_of_field(children, fields.value))
        {
            let import = &mut self.b.facts.imports[import as usize];
            if import.binds.is_none() {
                (import.binds, import.scope) = (Some(id), scope);
                return;
            }
        }
        if self.declares_symbol(scope) {
            let mut definition = self.definition((bytes, row), DefKind::Variable, node);
            (definition.scope, definition.ty) = (scope, ty);
            let def = self.b.add_definition(definition);
            self.exported(def, 1);
        }
        let kind = match (ty, value) {
            (None, None) if self.above(1) == Kind::Variable || has_word(node, "=") => BindingKind::Opaque,
            (None, None) => BindingKind::Unbound,
            _ => BindingKind::Assigned,
        };
        self.bind((scope, self.b.scope()), id, kind, (ty, value), (row, at));
    }

    /// Variables of a module or namespace are symbols, others are not.
    fn declares_symbol(&self, scope: ScopeId) -> bool {
        let Scope { kind, definition, .. } = *self.b.facts.scope(scope);
        kind == ScopeKind::Module
            || kind == ScopeKind::Block
                && definition.is_some_and(|def| self.b.facts.definition(def).kind == DefKind::Namespace)
    }

    fn kind_of_field(&self, children: &[Child], field: u16) -> Kind {
        self.child(children, field).map_or(Kind::Other, |child| self.grammar.kind(child.kind))
    }

    /// Binds the names in a pattern to parts of `value`.
    pub(super) fn bind_pattern(
        &mut self,
        pattern: Node<'_>,
        value: Option<ExprId>,
        (scope, block): (ScopeId, ScopeId),
        at: usize,
    ) {
        let fields = self.fields;
        let mut open: Vec<(Node<'_>, Option<ExprId>)> = vec![(pattern, value)];
        let mut bound = 0;
        while let Some((node, value)) = open.pop() {
            bound += 1;
            if bound > MAX_PATTERN {
                return;
            }
            match self.grammar.of_node(node) {
                Kind::Identifier | Kind::ShorthandPattern if !node.byte_range().is_empty() => {
                    let (bytes, row) = (node.byte_range(), node.start_position().row);
                    let id = self.name(bytes.clone());
                    if self.declares_symbol(scope) && self.is_declaration() {
                        let mut definition = self.definition((bytes, row), DefKind::Variable, node);
                        definition.scope = scope;
                        let def = self.b.add_definition(definition);
                        self.exported(def, 1);
                    }
                    let kind = if value.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
                    self.bind((scope, block), id, kind, (None, value), (row, at));
                }
                Kind::ObjectPattern => {
                    for part in named_children(node).take(MAX_PATTERN) {
                        match self.grammar.of_node(part) {
                            Kind::ShorthandPattern => {
                                let of = self.part(value, part.byte_range());
                                open.push((part, of));
                            }
                            Kind::ObjectAssignmentPattern => {
                                let Some(left) = part.child_by_field_id(fields.left) else { continue };
                                let of = self.part(value, left.byte_range());
                                open.push((left, of));
                            }
                            Kind::PairPattern => {
                                let Some(inner) = part.child_by_field_id(fields.value) else { continue };
                                let key = part.child_by_field_id(fields.key).and_then(|key| self.key_of(key));
                                let of = key.and_then(|(bytes, _)| self.part(value, bytes));
                                open.push((inner, of));
                            }
                            Kind::RestPattern => open.extend(named_children(part).next().map(|inner| (inner, value))),
                            _ => {}
                        }
                    }
                }
                Kind::ArrayPattern => {
                    for (index, part) in positions(node) {
                        let of = value.map(|of| self.b.expr(Expr::Unpacked { of, index }));
                        match self.grammar.of_node(part) {
                            Kind::RestPattern => open.extend(named_children(part).next().map(|inner| (inner, value))),
                            _ => open.push((part, of)),
                        }
                    }
                }
                Kind::AssignmentPattern => {
                    open.extend(node.child_by_field_id(fields.left).map(|left| (left, value)));
                }
                _ => {}
            }
        }
    }

    fn is_declaration(&self) -> bool {
        matches!(self.above(0), Kind::Declarator)
    }

    fn part(&mut self, of: Option<ExprId>, name: Range<usize>) -> Option<ExprId> {
        let name = self.name(name);
        of.map(|of| self.b.expr(Expr::Member { of, name }))
    }

    /// `const { a, b: c } = require(..)`: names that are imported one by one. False if the pattern has other parts.
    fn import_names(&mut self, pattern: Node<'_>, import: u32, scope: ScopeId) -> bool {
        if self.grammar.of_node(pattern) != Kind::ObjectPattern {
            return false;
        }
        let fields = self.fields;
        let mut names: Vec<(Range<usize>, Node<'_>)> = Vec::new();
        for part in named_children(pattern).take(MAX_PATTERN) {
            match self.grammar.of_node(part) {
                Kind::ShorthandPattern => names.push((part.byte_range(), part)),
                Kind::PairPattern => {
                    let key = part.child_by_field_id(fields.key).and_then(|key| self.key_of(key));
                    let local = part.child_by_field_id(fields.value);
                    match (key, local) {
                        (Some((key, _)), Some(local)) if self.grammar.of_node(local) == Kind::Identifier => {
                            names.push((key, local));
                        }
                        _ => return false,
                    }
                }
                Kind::Comment => {}
                _ => return false,
            }
        }
        let import = self.b.facts.imports[import as usize];
        for (name, local) in names {
            let (name, binds) = (self.name(name), self.name(local.byte_range()));
            let line = local.start_position().row as u32 + 1;
            let at = local.start_byte() as u32;
            self.b.facts.imports.push(Import {
                kind: ImportKind::Name,
                scope,
                name: Some(name),
                binds: Some(binds),
                line,
                at,
                ..import
            });
        }
        true
    }

    /// The variable of `for (const x of xs)`: what it iterates over is known, and `left` stands before it.
    pub(super) fn bind_loop(&mut self, node: Node<'_>) {
        let Some(right) = node.child_by_field_id(self.fields.right) else { return };
        let Some(left) = node.child_by_field_id(self.fields.left) else { return };
        let declares = ["const", "let", "var", "using"].iter().any(|word| has_word(node, word));
        let of = self.open.last().and_then(|open| open.expr);
        let value = match of {
            Some(of) if has_word(node, "of") => Some(self.b.expr(Expr::Element { of })),
            Some(_) => Some(self.literal(Literal::Str)),
            None => None,
        };
        let at = right.end_byte();
        if declares {
            let scope = if has_word(node, "var") { self.function_scope() } else { self.b.scope() };
            self.bind_pattern(left, value, (scope, self.b.scope()), at);
        } else {
            self.assign_pattern(left, value, at);
        }
    }

    pub(super) fn catch_parameter(&mut self, node: Node<'_>, children: &[Child]) {
        let ty = self.child(children, self.fields.ty).and_then(|ty| ty.expr);
        let Some(parameter) = node.child_by_field_id(self.fields.parameter) else { return };
        let value = ty.map(|ty| self.b.expr(Expr::Typed { ty }));
        let scope = self.b.scope();
        self.bind_pattern(parameter, value, (scope, scope), parameter.end_byte());
    }

    /// A parameter of a function, signature or function type. Gives its type.
    pub(super) fn parameter(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let kind = self.above(0);
        let wrapped = matches!(kind, Kind::RequiredParameter | Kind::OptionalParameter);
        let ty = self.child(children, fields.ty).filter(|_| wrapped).and_then(|ty| ty.expr);
        let default = if wrapped { self.child(children, fields.value) } else { self.child(children, fields.right) };
        let default = default.filter(|_| wrapped || kind == Kind::AssignmentPattern).and_then(|value| value.expr);
        let mut pattern = match kind {
            _ if wrapped => node.child_by_field_id(fields.pattern).or_else(|| node.child_by_field_id(fields.name))?,
            Kind::AssignmentPattern => node.child_by_field_id(fields.left)?,
            _ => node,
        };
        let mut rest = false;
        if self.grammar.of_node(pattern) == Kind::RestPattern {
            rest = true;
            pattern = named_children(pattern).next()?;
        }
        let pattern_kind = self.grammar.of_node(pattern);
        // `this` is declared like a parameter and is none.
        if pattern_kind == Kind::This || pattern.byte_range().is_empty() {
            return None;
        }
        let index = self.ancestor(1).map_or(0, |parameters| {
            parameters.count += 1;
            parameters.count - 1
        });
        let owner = self.above(2);
        let expected = self.ancestor(2).filter(|owner| owner.kind.is_function()).and_then(|owner| owner.expr);
        let ty = match (ty, expected) {
            (None, Some(of)) if !rest => Some(self.b.expr(Expr::Expected { of, index: index as u32 })),
            (ty, _) => ty,
        };
        let given = self.or_unknown(ty);
        if matches!(owner, Kind::FunctionType | Kind::ConstructorType) {
            return Some(given);
        }
        let (row, at) = (pattern.start_position().row, node.end_byte());
        let name = match pattern_kind {
            Kind::Identifier => self.name(pattern.byte_range()),
            // No identifier, so that nothing else is called so.
            _ => self.b.name(&format!("{{{index}}}")),
        };
        let param = Param {
            name,
            kind: if rest { ParamKind::Rest } else { ParamKind::Normal },
            optional: rest || default.is_some() || !wrapped || kind == Kind::OptionalParameter,
            ty: if rest { ty.map(|ty| self.element_of(ty)) } else { ty },
            default,
        };
        let def = self.ancestor(2).and_then(|function| function.definition);
        if let Some(def) = def {
            self.b.definition_mut(def).params.push(param);
        }
        self.parameter_binding(name, index, ty, default, row, at);
        if pattern_kind != Kind::Identifier {
            let scope = self.b.scope();
            let of = self.b.expr(Expr::Name { name, scope, at: at as u32 });
            self.bind_pattern(pattern, Some(of), (scope, scope), at);
        } else if wrapped && let Some(def) = def {
            self.parameter_property(node, pattern, def, ty);
        }
        Some(given)
    }

    /// The element type of a rest parameter's array type.
    fn element_of(&mut self, ty: ExprId) -> ExprId {
        match self.b.facts.expr(ty) {
            Expr::Array { of } => of,
            _ => self.unknown(),
        }
    }

    pub(super) fn parameter_binding(
        &mut self,
        name: NameId,
        index: usize,
        ty: Option<ExprId>,
        value: Option<ExprId>,
        row: usize,
        at: usize,
    ) {
        let scope = self.b.scope();
        let kind = BindingKind::Parameter(u16::try_from(index).unwrap_or(u16::MAX));
        self.bind((scope, scope), name, kind, (ty, value), (row, at));
    }

    /// `constructor(private readonly a: A)` declares a field too.
    fn parameter_property(&mut self, node: Node<'_>, pattern: Node<'_>, constructor: DefId, ty: Option<ExprId>) {
        let flags = self.written_flags(node);
        let says = flags.has(DefFlags::PRIVATE | DefFlags::PROTECTED | DefFlags::PUBLIC) || has_word(node, "readonly");
        let Definition { kind: DefKind::Constructor, scope, container, .. } = *self.b.facts.definition(constructor)
        else {
            return;
        };
        if says {
            let place = (pattern.byte_range(), pattern.start_position().row);
            let mut field = self.definition(place.clone(), DefKind::Field, node);
            (field.scope, field.block, field.container, field.flags, field.ty) = (scope, scope, container, flags, ty);
            let name = field.name;
            self.b.add_definition(field);
            self.bind((scope, scope), name, BindingKind::Assigned, (ty, None), (place.1, node.end_byte()));
        }
    }

    /// A field of a class, or a property of an interface or object type.
    pub(super) fn field(&mut self, node: Node<'_>, children: &[Child]) {
        let fields = self.fields;
        let Some(scope) = self.ancestor(1).and_then(|body| body.members) else { return };
        let key = node.child_by_field_id(fields.name).or_else(|| node.child_by_field_id(fields.property));
        let Some((bytes, row)) = key.and_then(|key| self.key_of(key)) else { return };
        let decorators = self.open.last_mut().map(|open| std::mem::take(&mut open.decorators)).unwrap_or_default();
        if let Some(def) = self.open.last().and_then(|open| open.definition) {
            return self.set_decorators(def, &decorators);
        }
        let ty = self.child(children, fields.ty).and_then(|ty| ty.expr);
        let value = self.child(children, fields.value).and_then(|value| value.expr);
        let id = self.name(bytes.clone());
        // What has no name of its own needs no symbols for its parts.
        let owner = self.b.facts.scope(scope).definition;
        if owner.is_some_and(|owner| !self.b.facts.definition(owner).flags.has(DefFlags::ANONYMOUS)) {
            let mut definition = self.definition((bytes, row), DefKind::Field, node);
            (definition.scope, definition.block, definition.container, definition.ty) = (scope, scope, owner, ty);
            definition.flags = self.written_flags(node);
            let def = self.b.add_definition(definition);
            self.set_decorators(def, &decorators);
        }
        self.bind((scope, scope), id, BindingKind::Assigned, (ty, value), (row, node.end_byte()));
    }

    /// A member of an object literal that is no function.
    pub(super) fn pair(&mut self, node: Node<'_>, children: &[Child]) {
        let fields = self.fields;
        let Some(scope) = self.ancestor(1).and_then(|object| object.members) else { return };
        let Some((bytes, row)) = node.child_by_field_id(fields.key).and_then(|key| self.key_of(key)) else { return };
        let Some(value) = self.child(children, fields.value) else { return };
        let kind = self.grammar.kind(value.kind);
        let defined = value.expr.map(|value| self.b.facts.expr(value));
        if let Some(Expr::Defined { definition }) = defined
            && self.b.facts.definition(definition).scope == scope
        {
            return;
        }
        let (expr, local) = (value.expr, value.bytes.clone());
        let id = self.name(bytes.clone());
        if kind == Kind::Identifier && self.in_exported_object() {
            let local = self.name(local);
            return self.own_import(local, id, scope, row, bytes.start, false);
        }
        let kind = if expr.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
        self.bind((scope, scope), id, kind, (None, expr), (row, bytes.start));
    }

    /// `{ name }`
    pub(super) fn shorthand(&mut self, node: Node<'_>) -> Option<ExprId> {
        let (bytes, row) = (node.byte_range(), node.start_position().row);
        let id = self.name(bytes.clone());
        let scope = self.ancestor(1).and_then(|object| object.members);
        if let Some(members) = scope
            && self.in_exported_object()
        {
            self.own_import(id, id, members, row, bytes.start, false);
            return None;
        }
        let expr = self.name_expr(bytes.clone());
        self.refer(expr, Role::Value, row, bytes.start);
        if let Some(scope) = scope {
            self.bind((scope, scope), id, BindingKind::Assigned, (None, Some(expr)), (row, bytes.start));
        }
        Some(expr)
    }

    /// Directly in an object whose members are the module's exports.
    pub(super) fn in_exported_object(&self) -> bool {
        let depth = self.open.iter().rposition(|open| open.kind == Kind::Object).map(|at| at + 1);
        depth.is_some() && depth == self.exported_object
    }

    /// Is the left side of the assignment around the current node `module.exports`?
    pub(super) fn exports_target(&self) -> bool {
        self.ancestor_expr_text().is_some_and(|text| text == "module.exports" || text == "exports")
    }

    fn ancestor_expr_text(&self) -> Option<&str> {
        let at = self.open.len().checked_sub(2)?;
        let expr = self.open[at].expr?;
        match self.b.facts.expr(expr) {
            Expr::Member { of, name } => match self.b.facts.expr(of) {
                Expr::Name { name: module, .. } if self.b.facts.name(module) == "module" => {
                    (self.b.facts.name(name) == "exports").then_some("module.exports")
                }
                _ => None,
            },
            Expr::Name { name, .. } => (self.b.facts.name(name) == "exports").then_some("exports"),
            _ => None,
        }
    }

    /// The parts of a plain path (`a.b.c`) that is assigned to, outermost last; `this` counts as a part.
    pub(super) fn target_path(&self, left: Node<'_>) -> Option<Vec<(Range<usize>, usize)>> {
        let fields = self.fields;
        let mut parts = Vec::new();
        let mut node = left;
        for _ in 0..MAX_TARGET {
            match self.grammar.of_node(node) {
                Kind::Member => {
                    let property = node.child_by_field_id(fields.property)?;
                    parts.push((property.byte_range(), property.start_position().row));
                    node = node.child_by_field_id(fields.object)?;
                }
                Kind::Identifier | Kind::This => {
                    parts.push((node.byte_range(), node.start_position().row));
                    parts.reverse();
                    return Some(parts);
                }
                Kind::Subscript => {
                    let index = node.child_by_field_id(fields.index)?;
                    if self.grammar.of_node(index) != Kind::Str {
                        return None;
                    }
                    parts.push((self.unquoted(index.byte_range()), index.start_position().row));
                    node = node.child_by_field_id(fields.object)?;
                }
                Kind::Parenthesized | Kind::As | Kind::NonNull => node = named_children(node).next()?,
                _ => return None,
            }
        }
        None
    }

    /// What an assignment to a path gives a name to.
    pub(super) fn named_by_path(&mut self, path: &[(Range<usize>, usize)]) -> Named {
        let words: Vec<&str> = path.iter().map(|(bytes, _)| self.text(bytes.clone())).collect();
        let last = path.last().cloned();
        let Some((bytes, row)) = last else { return Named::Nothing };
        match words.as_slice() {
            ["module", "exports"] => Named::Default,
            ["exports", _] | ["module", "exports", _] => Named::Export(bytes, row),
            ["this", _] => match self.this_scope() {
                Some(scope) => Named::Given(bytes, row, scope, false),
                None => Named::Nothing,
            },
            [_, "prototype", _] => {
                let scope = self.given_scope(path[0].0.clone(), false);
                Named::Given(bytes, row, scope, false)
            }
            [_, _] => {
                let scope = self.given_scope(path[0].0.clone(), true);
                Named::Given(bytes, row, scope, true)
            }
            _ => Named::Nothing,
        }
    }

    /// The scope that `this.name = ..` puts members into.
    fn this_scope(&mut self) -> Option<ScopeId> {
        let at = self.this.len().checked_sub(1)?;
        match self.this[at] {
            This::Of(scope) => self.class_scope(scope),
            This::Plain(None, Some(def)) => {
                let scope = self.hidden_scope();
                self.this[at] = This::Plain(Some(scope), Some(def));
                self.plain.push((scope, def));
                Some(scope)
            }
            This::Plain(scope, _) => scope,
            This::Unknown => None,
        }
    }

    /// The class or object scope at or around a scope.
    fn class_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        let mut next = Some(scope);
        for _ in 0..MAX_TARGET {
            let scope = next?;
            let Scope { parent, kind, .. } = *self.b.facts.scope(scope);
            if kind == ScopeKind::Class {
                return Some(scope);
            }
            next = parent;
        }
        None
    }

    /// A scope that no code stands in.
    pub(super) fn hidden_scope(&mut self) -> ScopeId {
        let parent = Some(MODULE_SCOPE);
        self.b.facts.scopes.push(Scope { parent, kind: ScopeKind::Class, definition: None });
        ScopeId(self.b.facts.scopes.len() as u32 - 1)
    }

    /// The scope of what assignments give to `name`, or to what it makes.
    fn given_scope(&mut self, name: Range<usize>, on_itself: bool) -> ScopeId {
        let (name, from) = (self.name(name), self.b.scope());
        if let Some(at) = self.given_by.get(&(name, from, on_itself)) {
            return self.given[*at].scope;
        }
        let scope = self.hidden_scope();
        self.given_by.insert((name, from, on_itself), self.given.len());
        self.given.push(Given { name, from, scope, on_itself });
        scope
    }

    /// An assignment. Gives its value.
    pub(super) fn assignment(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let fields = self.fields;
        let left = node.child_by_field_id(fields.left)?;
        let right = self.child(children, fields.right)?;
        let (value, right_kind, right_bytes) = (right.expr, self.grammar.kind(right.kind), right.bytes.clone());
        let at = node.end_byte();
        match self.grammar.of_node(left) {
            Kind::Identifier | Kind::ObjectPattern | Kind::ArrayPattern => {
                self.assign_pattern(left, value, at);
                if self.text(left.byte_range()) == "exports" {
                    self.exports_are(value, right_kind, right_bytes, node);
                }
            }
            Kind::Member | Kind::Subscript => self.assign_member(left, node, (value, right_kind, right_bytes)),
            _ => {}
        }
        value
    }

    fn assign_member(&mut self, left: Node<'_>, node: Node<'_>, right: (Option<ExprId>, Kind, Range<usize>)) {
        let (value, right_kind, right_bytes) = right;
        let named = self.target_path(left).map_or(Named::Nothing, |path| self.named_by_path(&path));
        let is_function = matches!(
            value.map(|value| self.b.facts.expr(value)),
            Some(Expr::Defined { definition }) if self.b.facts.definition(definition).kind.is_callable()
                || self.b.facts.definition(definition).kind == DefKind::Class
        );
        match named {
            Named::Default => self.exports_are(value, right_kind, right_bytes, node),
            Named::Export(bytes, row) if !is_function => {
                let scope = self.exports_scope();
                let id = self.name(bytes.clone());
                if right_kind == Kind::Identifier {
                    let local = self.name(right_bytes);
                    return self.own_import(local, id, scope, row, bytes.start, false);
                }
                let kind = if value.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
                self.bind((scope, scope), id, kind, (None, value), (row, bytes.start));
            }
            Named::Given(bytes, row, scope, on_itself) if !is_function => {
                let path_is_prototype = on_itself && self.text(bytes.clone()) == "prototype";
                if path_is_prototype {
                    return self.prototype_is(left, value);
                }
                let id = self.name(bytes.clone());
                let kind = if value.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
                self.bind((scope, scope), id, kind, (None, value), (row, node.end_byte()));
            }
            _ => {}
        }
    }

    /// `A.prototype = B` or `= Object.create(B.prototype)` or `= { .. }`: what `A` makes has the members of that.
    fn prototype_is(&mut self, left: Node<'_>, value: Option<ExprId>) {
        let Some(path) = self.target_path(left) else { return };
        let (name, from) = (self.name(path[0].0.clone()), self.b.scope());
        let Some(mut value) = value else { return };
        if let Expr::Call { args, .. } = self.b.facts.expr(value)
            && let Some(first) = self.b.facts.list(args).first()
        {
            value = *first;
        }
        let base = match self.b.facts.expr(value) {
            Expr::Member { of, name } if self.b.facts.name(name) == "prototype" => of,
            Expr::New { of, .. } => of,
            _ => self.b.expr(Expr::ValueType { of: value }),
        };
        self.inherits.push((name, from, base));
    }

    /// `module.exports = value`
    fn exports_are(&mut self, value: Option<ExprId>, kind: Kind, bytes: Range<usize>, node: Node<'_>) {
        let row = node.start_position().row;
        let name = self.b.name(super::modules::WHOLE);
        let scope = self.exports_scope();
        match kind {
            Kind::Identifier => {
                let local = self.name(bytes);
                self.own_import(local, name, scope, row, node.start_byte(), false);
            }
            // `module.exports = exports = value`, `= require(..)` and the like are values as any other.
            _ => {
                let kind = if value.is_some() { BindingKind::Assigned } else { BindingKind::Opaque };
                self.bind((scope, scope), name, kind, (None, value), (row, node.start_byte()));
            }
        }
    }

    /// Assigns to names that are declared elsewhere.
    fn assign_pattern(&mut self, pattern: Node<'_>, value: Option<ExprId>, at: usize) {
        if self.grammar.of_node(pattern) != Kind::Identifier {
            // Parts of patterns are bound where the pattern stands; what they are elsewhere stays open.
            let mark = self.b.facts.bindings.len();
            let scope = self.b.scope();
            self.bind_pattern(pattern, value, (scope, scope), at);
            for binding in self.b.facts.bindings.split_off(mark) {
                let Binding { name, value, line, at, .. } = binding;
                self.assigned.push(Assigned { name, block: scope, value, line, at });
            }
            return;
        }
        let (name, block) = (self.name(pattern.byte_range()), self.b.scope());
        let (line, at) = (pattern.start_position().row as u32 + 1, at as u32);
        self.assigned.push(Assigned { name, block, value, line, at });
    }

    /// Opens a scope for code that runs only where a test holds, and says there what the test said.
    pub(super) fn enter_branch(&mut self, node: Node<'_>, parent: Kind, field: u16) {
        let fields = self.fields;
        let is_and = self.ancestor(1).is_some_and(|binary| binary.marked);
        let holds = match parent {
            Kind::If | Kind::Ternary if field == fields.consequence => true,
            Kind::If | Kind::Ternary if field == fields.alternative => false,
            Kind::While if field == fields.body => true,
            Kind::Binary if field == fields.right => true,
            _ => return,
        };
        let from = self.open.len().checked_sub(2).map_or(0, |at| self.open[at].narrowed);
        let said: Vec<Narrowing> = self.narrowings.get(from..).unwrap_or_default().to_vec();
        if parent == Kind::Binary && (said.is_empty() || !is_and) {
            return;
        }
        if matches!(parent, Kind::If | Kind::While) || !said.is_empty() {
            self.open_scope(ScopeKind::Block, None);
        }
        let (at, row) = (node.start_byte(), node.start_position().row);
        for narrowing in said {
            if narrowing.negated != holds {
                self.narrow(narrowing, at, row);
            }
        }
    }

    pub(super) fn narrow(&mut self, narrowing: Narrowing, at: usize, row: usize) {
        let scope = self.b.scope();
        let Narrowing { name, ty, .. } = narrowing;
        let (line, at) = (row as u32 + 1, at as u32);
        self.assigned.push(Assigned { name, block: scope, value: Some(ty), line, at });
        // Which scope holds the name is known at the end; the mark tells it from an assignment.
        if let Some(last) = self.assigned.last_mut() {
            last.line |= NARROWED;
        }
    }
}

/// Marks an entry of [`Script::assigned`] that only narrows: no file has so many lines.
pub(super) const NARROWED: u32 = 1 << 31;

/// The parts of an array pattern with their positions: holes count.
fn positions(pattern: Node<'_>) -> Vec<(u32, Node<'_>)> {
    let mut cursor = pattern.walk();
    let mut more = cursor.goto_first_child();
    let mut parts = Vec::new();
    let mut index = 0;
    while more && parts.len() < MAX_PATTERN {
        let child = cursor.node();
        match child.kind() {
            "," => index += 1,
            _ if child.is_named() && child.kind() != "comment" => parts.push((index, child)),
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    parts
}
