//! What introduces symbols: packages, imports, types, methods, fields and enum constants, with modifiers and annotations.
//! Parameters and locals are in `bind`.

use super::bind::nth;
use super::nodes::{Kind, kind_of};
use super::{Java, TypeFrame};
use crate::lang::walk::Child;
use crate::model::*;
use rustc_hash::FxHashSet;
use std::ops::Range;
use tree_sitter::Node;

/// Name of constructors, as in bytecode.
pub(super) const CONSTRUCTOR: &str = "<init>";
const ANONYMOUS: &str = "<anonymous>";

impl Java<'_> {
    pub(super) fn package(&mut self, node: Node<'_>) {
        let path = named_children(node).find(|child| {
            let kind = kind_of(child.kind_id());
            matches!(kind, Kind::Identifier | Kind::ScopedIdentifier)
        });
        if let Some(path) = path {
            let dotted = dotted(self.text(path.byte_range()));
            self.b.facts.package = Some(self.b.name(&dotted));
        }
    }

    /// `import [static] a.b.C;` and `import [static] a.b.*;`
    pub(super) fn import(&mut self, node: Node<'_>) {
        let mut path = None;
        let (mut is_static, mut star) = (false, false);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match kind_of(child.kind_id()) {
                Kind::Identifier | Kind::ScopedIdentifier => path = Some(child),
                Kind::Asterisk => star = true,
                _ => is_static |= child.kind() == "static",
            }
        }
        let Some(path) = path.filter(|path| !path.is_missing()) else { return };
        let dotted = dotted(self.text(path.byte_range()));
        let (module, name) = match dotted.rsplit_once('.') {
            _ if star => (dotted.as_str(), None),
            Some((module, name)) => (module, Some(name)),
            None => ("", Some(dotted.as_str())),
        };
        let kind = match (star, is_static) {
            (false, false) => ImportKind::Name,
            (true, false) => ImportKind::Star,
            (false, true) => ImportKind::StaticName,
            (true, true) => ImportKind::StaticStar,
        };
        let module = self.b.name(module);
        let name = name.map(|name| self.b.name(name));
        let row = node.start_position().row;
        let at = node.start_byte() as u32;
        self.b.facts.imports.push(Import {
            kind,
            scope: MODULE_SCOPE,
            block: MODULE_SCOPE,
            module,
            level: 0,
            name,
            binds: name,
            type_only: false,
            line: row as u32 + 1,
            at,
        });
        if let Some(name) = name {
            if is_static {
                self.constants.insert(name);
            }
            let at = path.end_byte() - self.b.facts.name(name).len().min(path.end_byte());
            let expr = self.b.expr(Expr::Name { name, scope: MODULE_SCOPE, at: at as u32 });
            self.refer(expr, Role::Import, path.end_position().row, at);
        }
    }

    /// A class, interface, enum, record or annotation type. Its body scope is made here, because its type parameters belong
    /// there, but opened only with the body: names in the header are not looked up among the members.
    pub(super) fn enter_type(&mut self, node: Node<'_>, kind: DefKind) {
        let Some(name) = self.name_of(node) else { return };
        let id = self.b.name(self.text(name.byte_range()));
        let definition = self.definition(id, kind, name, node);
        let def = self.b.open_definition(definition);
        let body = self.b.open_scope(ScopeKind::Class, Some(def));
        self.b.close_scope();
        self.b.definition_mut(def).body = Some(body);
        let accessors = if kind == DefKind::Record { self.accessors(node) } else { FxHashSet::default() };
        self.types.push(TypeFrame { name: id, body, components: Vec::new(), accessors });
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.opened.definition = true;
            open.opened.type_frame = true;
        }
    }

    /// Names of the methods without parameters in a record's body: those components get no accessor of their own.
    fn accessors(&mut self, node: Node<'_>) -> FxHashSet<NameId> {
        let Some(body) = node.child_by_field_id(self.fields.body) else { return FxHashSet::default() };
        let methods = named_children(body).filter(|child| kind_of(child.kind_id()) == Kind::MethodDeclaration);
        let plain: Vec<_> = methods
            .filter(|method| {
                let parameters = method.child_by_field_id(self.fields.parameters);
                parameters.is_some_and(|parameters| parameters.named_child_count() == 0)
            })
            .filter_map(|method| self.name_of(method))
            .map(|name| name.byte_range())
            .collect();
        plain.into_iter().map(|bytes| self.b.name(self.text(bytes))).collect()
    }

    /// The body of a declared type, an anonymous class or an enum constant.
    pub(super) fn enter_body(&mut self, node: Node<'_>) {
        let parent = self.above(1);
        let Some(outer) = self.ancestor(1) else { return };
        let (made, constructed, constant) = (outer.opened.type_frame, outer.ty, outer.definition);
        let scope = if parent.is_type_declaration() && made { self.types.last().map(|frame| frame.body) } else { None };
        if let Some(scope) = scope {
            self.b.enter_scope(scope);
        } else if parent == Kind::ObjectCreation {
            let name = self.b.name(ANONYMOUS);
            let mut definition = self.definition(name, DefKind::Class, node, node);
            definition.flags.set(DefFlags::ANONYMOUS | DefFlags::LOCAL);
            definition.flags.0 &= !DefFlags::EXPORTED;
            if let Some(ty) = constructed {
                definition.supertypes = self.b.list(&[ty]);
                // Whether it is extended or implemented shows when the name is resolved.
                let path = self.path_of(ty);
                self.refer(path, Role::Inherit, node.start_position().row, node.start_byte());
            }
            let def = self.b.open_definition(definition);
            self.open_member_body(def, name);
        } else if let (Kind::EnumConstant, Some(def)) = (parent, constant) {
            self.b.enter_definition(def);
            let name = self.b.facts.definition(def).name;
            self.open_member_body(def, name);
        } else {
            // Its header did not parse: what it declares is kept apart from the names around it all the same.
            self.b.open_scope(ScopeKind::Class, None);
        }
        self.locals.open_scope();
        self.locals.enter_class();
        if let Some(open) = self.open.last_mut() {
            open.opened.scope = true;
            open.opened.class = true;
        }
    }

    fn open_member_body(&mut self, def: DefId, name: NameId) {
        let body = self.b.open_scope(ScopeKind::Class, Some(def));
        self.b.definition_mut(def).body = Some(body);
        self.types.push(TypeFrame { name, body, components: Vec::new(), accessors: FxHashSet::default() });
        if let Some(open) = self.open.last_mut() {
            open.opened.definition = true;
            open.opened.type_frame = true;
        }
    }

    /// A method or constructor: header and body share one scope.
    pub(super) fn enter_function(&mut self, node: Node<'_>, kind: DefKind) {
        let name = self.name_of(node);
        let def = name.map(|name| {
            let text = if kind == DefKind::Constructor { CONSTRUCTOR } else { self.text(name.byte_range()) };
            let id = self.b.name(text);
            let definition = self.definition(id, kind, name, node);
            self.b.open_definition(definition)
        });
        let scope = self.open_scope(ScopeKind::Function, def);
        self.enter_callable();
        let (Some(def), Some(name)) = (def, name) else { return };
        self.b.definition_mut(def).body = Some(scope);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.opened.definition = true;
        }
        if self.above(0) == Kind::CompactConstructor {
            let components = self.types.last().map(|frame| frame.components.clone()).unwrap_or_default();
            for (index, component) in components.iter().enumerate() {
                let ty = self.seen_type(*component);
                self.bind(component.name, nth(index), ty, None, name.start_position().row, name.start_byte());
            }
            self.b.definition_mut(def).params = components;
        }
    }

    pub(super) fn enter_callable(&mut self) {
        self.functions.push(Vec::new());
        if let Some(open) = self.open.last_mut() {
            open.opened.function = true;
        }
    }

    pub(super) fn leave_function(&mut self, children: &[Child]) -> Option<ExprId> {
        let returned = self.functions.last_mut().map(std::mem::take).unwrap_or_default();
        let returns = self.b.list(&returned);
        let open = self.open.last()?;
        let (def, ty) = (open.definition?, open.ty);
        let ty = self.with_dimensions(ty, children);
        let definition = self.b.definition_mut(def);
        definition.returns = returns;
        definition.ty = ty;
        None
    }

    /// `int value() default 1;` in an annotation type. It has no body to open.
    pub(super) fn annotation_element(&mut self, node: Node<'_>) {
        let Some(name) = self.name_of(node) else { return };
        let id = self.b.name(self.text(name.byte_range()));
        let definition = self.definition(id, DefKind::Method, name, node);
        let def = self.b.add_definition(definition);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
        }
    }

    pub(super) fn leave_annotation_element(&mut self, children: &[Child]) -> Option<ExprId> {
        let open = self.open.last()?;
        let (def, ty) = (open.definition?, open.ty);
        let ty = self.with_dimensions(ty, children);
        self.b.definition_mut(def).ty = ty;
        None
    }

    pub(super) fn enum_constant(&mut self, node: Node<'_>) {
        let Some(name) = self.name_of(node) else { return };
        let id = self.b.name(self.text(name.byte_range()));
        let ty = self.enum_type(name.start_byte());
        let mut definition = self.definition(id, DefKind::EnumMember, name, node);
        definition.ty = ty;
        let def = self.b.add_definition(definition);
        self.enum_members.insert(id);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.ty = ty;
        }
    }

    /// The innermost type as a name, for what its constants are made of.
    fn enum_type(&mut self, at: usize) -> Option<ExprId> {
        let name = self.types.last()?.name;
        let scope = self.b.scope();
        Some(self.b.expr(Expr::Name { name, scope, at: at as u32 }))
    }

    /// A constant is bound to what its constructor gives; making it is a use of that constructor.
    pub(super) fn leave_enum_constant(&mut self, children: &[Child]) -> Option<ExprId> {
        let open = self.open.last()?;
        let (def, of, args) = (open.definition?, open.ty?, open.list);
        let args =
            if children.iter().any(|child| kind_of(child.kind) == Kind::ArgumentList) { args } else { List::default() };
        let Definition { name, span, scope, .. } = *self.b.facts.definition(def);
        let made = self.b.expr(Expr::New { of, args });
        // The body's own scope is closed by now, so this is the enum's code.
        self.refer(made, Role::Construct, span.line as usize - 1, span.at as usize);
        self.member_binding(scope, name, Some(of), Some(made), span);
        None
    }

    /// One declarator of a field or interface constant.
    pub(super) fn field(&mut self, node: Node<'_>) {
        let Some(name) = self.name_of(node) else { return };
        let Some(declaration) = self.ancestor(1) else { return };
        let (ty, decorators, written, row) = (declaration.ty, declaration.list, declaration.written, declaration.row);
        let id = self.b.name(self.text(name.byte_range()));
        let dimensions = node.child_by_field_id(self.fields.dimensions).map(|dimensions| dimensions.byte_range());
        let ty = ty.map(|ty| self.arrays(ty, dimensions));
        let mut definition = self.definition(id, DefKind::Field, name, node);
        // Modifiers stand beside the declarator, once for all.
        definition.flags = self.flags(DefKind::Field, node, written);
        definition.start_line = row as u32 + 1;
        definition.ty = ty;
        definition.decorators = decorators;
        let def = self.b.add_definition(definition);
        self.constants.insert(id);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
        }
    }

    pub(super) fn member_binding(
        &mut self,
        scope: ScopeId,
        name: NameId,
        ty: Option<ExprId>,
        value: Option<ExprId>,
        span: Span,
    ) {
        let kind = BindingKind::Assigned;
        let binding = Binding { scope, block: scope, name, kind, ty, value, line: span.line, at: span.at };
        self.b.facts.bindings.push(binding);
    }

    pub(super) fn modifiers(&mut self, children: &[Child]) -> Option<ExprId> {
        let paths: Vec<_> = children.iter().filter_map(|child| child.expr).collect();
        if paths.is_empty() {
            return None;
        }
        let decorators = self.b.list(&paths);
        let declaration = self.ancestor(1)?;
        match declaration.definition {
            Some(def) => self.b.definition_mut(def).decorators = decorators,
            None => declaration.list = decorators,
        }
        None
    }

    /// Uses in an annotation belong to the code around what it annotates; a parameter's to its function, as compilers
    /// have it.
    pub(super) fn enter_annotation(&mut self) {
        if self.annotation.is_some() {
            return;
        }
        let holder = if self.above(1) == Kind::Modifiers { 2 } else { 1 };
        let outside = match self.above(holder) {
            Kind::TypeParameter => self.above(holder + 2).is_function() || self.above(holder + 2).is_type_declaration(),
            kind => kind.is_function() || kind.is_type_declaration(),
        };
        let enclosing = self.b.enclosing();
        let owner = match enclosing {
            Some(def) if outside => self.b.facts.definition(def).container,
            _ => enclosing,
        };
        self.annotation = Some((self.open.len(), owner));
    }

    /// The name child of a declaration; `None` where recovery made one up.
    fn name_of<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        node.child_by_field_id(self.fields.name).filter(|name| !name.byte_range().is_empty())
    }

    pub(super) fn with_dimensions(&mut self, ty: Option<ExprId>, children: &[Child]) -> Option<ExprId> {
        let dimensions = self.child(children, self.fields.dimensions).map(|dimensions| dimensions.bytes.clone());
        ty.map(|ty| self.arrays(ty, dimensions))
    }

    /// `ty` with an array level for each `[` in the given text.
    pub(super) fn arrays(&mut self, ty: ExprId, dimensions: Option<Range<usize>>) -> ExprId {
        let levels = dimensions.map_or(0, |bytes| self.text(bytes).bytes().filter(|byte| *byte == b'[').count());
        (0..levels).fold(ty, |of, _| self.b.expr(Expr::Array { of }))
    }

    fn definition(&mut self, id: NameId, kind: DefKind, name: Node<'_>, whole: Node<'_>) -> Definition {
        let span = Span {
            line: name.start_position().row as u32 + 1,
            end_line: whole.end_position().row as u32 + 1,
            at: name.start_byte() as u32,
        };
        let mut definition = self.b.new_definition(id, kind, span);
        definition.scope = self.b.scope();
        definition.start_line = whole.start_position().row as u32 + 1;
        let written = self.written_flags(whole);
        definition.flags = self.flags(kind, whole, written);
        definition
    }

    /// Written and implied modifiers (JLS 8.9, 8.10, 9.3 to 9.6).
    fn flags(&self, kind: DefKind, whole: Node<'_>, mut flags: DefFlags) -> DefFlags {
        let owner = self.b.enclosing().map(|def| self.b.facts.definition(def));
        let scope = self.b.facts.scope(self.b.scope()).kind;
        let owner_kind = owner.map(|owner| owner.kind);
        if scope == ScopeKind::Class && matches!(owner_kind, Some(DefKind::Interface | DefKind::Annotation)) {
            if !flags.has(DefFlags::PRIVATE) {
                flags.set(DefFlags::PUBLIC);
            }
            let has_body = whole.child_by_field_id(self.fields.body).is_some();
            match kind {
                DefKind::Method if !has_body => flags.set(DefFlags::ABSTRACT),
                DefKind::Method if !flags.has(DefFlags::STATIC) => flags.set(DefFlags::DEFAULT),
                DefKind::Method => {}
                _ => flags.set(DefFlags::STATIC),
            }
        }
        match kind {
            DefKind::EnumMember => flags.set(DefFlags::STATIC | DefFlags::PUBLIC),
            DefKind::Constructor if owner_kind == Some(DefKind::Enum) => flags.set(DefFlags::PRIVATE),
            DefKind::Enum | DefKind::Record | DefKind::Interface | DefKind::Annotation if owner.is_some() => {
                flags.set(DefFlags::STATIC);
            }
            _ => {}
        }
        let in_code = !matches!(scope, ScopeKind::Module | ScopeKind::Class);
        let in_local = owner.is_some_and(|owner| {
            owner.flags.has(DefFlags::LOCAL | DefFlags::ANONYMOUS) || owner.kind == DefKind::EnumMember
        });
        if in_code || in_local {
            flags.set(DefFlags::LOCAL);
        } else if !flags.has(DefFlags::PRIVATE) {
            flags.set(DefFlags::EXPORTED);
        }
        flags
    }

    pub(super) fn written_flags(&self, whole: Node<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        let modifiers = named_children(whole).take(4).find(|child| kind_of(child.kind_id()) == Kind::Modifiers);
        let Some(modifiers) = modifiers else { return flags };
        let mut cursor = modifiers.walk();
        for modifier in modifiers.children(&mut cursor) {
            match modifier.kind() {
                "public" => flags.set(DefFlags::PUBLIC),
                "protected" => flags.set(DefFlags::PROTECTED),
                "private" => flags.set(DefFlags::PRIVATE),
                "static" => flags.set(DefFlags::STATIC),
                "abstract" => flags.set(DefFlags::ABSTRACT),
                "marker_annotation" => {
                    let name = self.name_of(modifier).map(|name| self.text(name.byte_range()));
                    if matches!(name, Some("Override" | "java.lang.Override")) {
                        flags.set(DefFlags::OVERRIDE);
                    }
                }
                _ => {}
            }
        }
        flags
    }
}

/// Named children by a cursor: asking for each by number is quadratic.
pub(super) fn named_children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            if child.is_named() {
                return Some(child);
            }
        }
        None
    })
}

/// A dotted path without the white space that may stand around its dots.
fn dotted(text: &str) -> String {
    text.split_whitespace().collect()
}
