//! What introduces symbols: packages, imports, functions, methods, types, fields, variables and constants of a package.
//! Parameters and locals are in `bind`.

use super::nodes::{Kind, kind_of};
use super::{Go, Item};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

/// Name of types that are written where they are used.
const ANONYMOUS: &str = "<anonymous>";

impl Go<'_> {
    pub(super) fn package(&mut self, node: Node<'_>) {
        if let Some(name) = node.named_child(0).filter(|name| !name.is_missing()) {
            self.b.facts.package = Some(self.b.name(self.text(name.byte_range())));
        }
    }

    /// `import "a/b"`, `import c "a/b"`, `import . "a/b"`, `import _ "a/b"`
    pub(super) fn import(&mut self, node: Node<'_>) {
        let Some(path) = node.child_by_field_id(self.fields.path) else { return };
        let path = self.text(path.byte_range()).trim_matches(['"', '`']);
        if path.is_empty() {
            return;
        }
        let alias = node.child_by_field_id(self.fields.name).map(|alias| self.text(alias.byte_range()));
        let (kind, binds) = match alias {
            Some(".") => (ImportKind::Star, None),
            Some(alias) => (ImportKind::Module, Some(alias)),
            // The package's own name is known when its files are; this is what it is by convention.
            None => (ImportKind::Package, Some(conventional_name(path))),
        };
        let binds = binds.map(|name| self.b.name(name));
        let module = self.b.name(path);
        self.b.facts.imports.push(Import {
            kind,
            scope: MODULE_SCOPE,
            block: MODULE_SCOPE,
            module,
            level: 0,
            name: None,
            binds,
            type_only: false,
            line: node.start_position().row as u32 + 1,
            at: node.start_byte() as u32,
        });
    }

    pub(super) fn enter_function(&mut self, node: Node<'_>) {
        let definition = self.name_of(node).map(|name| self.definition(DefKind::Function, name, node));
        self.enter_callable(definition);
    }

    /// A method is a member of its receiver's type, wherever in the package that stands.
    pub(super) fn enter_method(&mut self, node: Node<'_>) {
        let receiver = node.child_by_field_id(self.fields.receiver).and_then(|list| self.receiver(list));
        let method = self.name_of(node);
        // Names of methods are looked up in types only.
        let scope = self.b.open_scope(ScopeKind::Class, None);
        if let Some(open) = self.open.last_mut() {
            open.opened.receiver_scope = true;
        }
        let definition = method.map(|name| {
            let mut definition = self.definition(DefKind::Method, name, node);
            (definition.scope, definition.block) = (scope, scope);
            definition.receiver = receiver.as_ref().map(|receiver| self.b.name(self.text(receiver.ty.byte_range())));
            definition
        });
        self.enter_callable(definition);
        if let Some(receiver) = receiver {
            self.bind_receiver(&receiver);
        }
    }

    /// Header and body share one scope.
    fn enter_callable(&mut self, definition: Option<Definition>) {
        let def = definition.map(|definition| self.b.open_definition(definition));
        let scope = self.open_scope(ScopeKind::Function, def);
        let Some(def) = def else { return };
        self.b.definition_mut(def).body = Some(scope);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.opened.definition = true;
        }
    }

    pub(super) fn leave_callable(&mut self, children: &[Child]) -> Option<ExprId> {
        let result = self.result(children);
        let def = self.open.last()?.definition?;
        self.b.definition_mut(def).ty = Some(result);
        None
    }

    /// The declared result: nothing, a type, or a tuple of types.
    pub(super) fn result(&mut self, children: &[Child]) -> ExprId {
        match self.child(children, self.fields.result) {
            Some(result) => self.or_unknown(result.expr),
            None => self.literal(Literal::None),
        }
    }

    /// `type T ...`. Its body scope is made here, because its type parameters and members belong there, but is never the
    /// innermost one: names in the header and in the fields are not looked up among the members.
    pub(super) fn enter_type(&mut self, node: Node<'_>) {
        let Some(name) = self.name_of(node) else { return };
        let ty = node.child_by_field_id(self.fields.ty);
        let interface = ty.is_some_and(|ty| kind_of(ty.kind_id()) == Kind::InterfaceType);
        let kind = if interface { DefKind::Interface } else { DefKind::Class };
        let definition = self.definition(kind, name, node);
        self.open_type(definition);
    }

    fn open_type(&mut self, definition: Definition) {
        let def = self.b.open_definition(definition);
        let body = self.b.open_scope(ScopeKind::Class, Some(def));
        self.b.close_scope();
        self.b.definition_mut(def).body = Some(body);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.body = Some(body);
            open.opened.definition = true;
        }
    }

    /// What a type is made of, but for structs and interfaces, is what its values are besides.
    pub(super) fn leave_type(&mut self, children: &[Child]) -> Option<ExprId> {
        let def = self.open.last()?.definition?;
        let ty = self.child(children, self.fields.ty)?;
        if let (Some(underlying), false) = (ty.expr, matches!(kind_of(ty.kind), Kind::StructType | Kind::InterfaceType))
        {
            let supertypes = self.b.list(&[underlying]);
            self.b.definition_mut(def).supertypes = supertypes;
        }
        None
    }

    pub(super) fn enter_alias(&mut self, node: Node<'_>) {
        let Some(name) = self.name_of(node) else { return };
        let definition = self.definition(DefKind::TypeAlias, name, node);
        self.open_type(definition);
    }

    pub(super) fn leave_alias(&mut self, children: &[Child]) -> Option<ExprId> {
        let def = self.open.last()?.definition?;
        let ty = self.child_expr(children, self.fields.ty)?;
        self.b.definition_mut(def).ty = Some(ty);
        None
    }

    /// A struct or interface: the body of a declared type, or a type without a name. One that holds nothing is no symbol.
    pub(super) fn enter_body(&mut self, node: Node<'_>, kind: Kind) {
        let declared = match self.ancestor(1) {
            Some(open) if open.kind == Kind::TypeSpec => open.definition.zip(open.body),
            _ => None,
        };
        let list = if kind == Kind::StructType { node.named_child(0) } else { Some(node) };
        if declared.is_none() && list.is_none_or(|list| list.named_child_count() == 0) {
            return;
        }
        let kind = if kind == Kind::StructType { DefKind::Class } else { DefKind::Interface };
        let (def, body) = declared.unwrap_or_else(|| {
            let name = self.b.name(ANONYMOUS);
            let span = self.span(node, node);
            let mut definition = self.b.new_definition(name, kind, span);
            (definition.scope, definition.block) = (self.b.scope(), self.b.scope());
            definition.flags.set(DefFlags::ANONYMOUS | DefFlags::LOCAL);
            let def = self.b.add_definition(definition);
            let body = self.b.open_scope(ScopeKind::Class, Some(def));
            self.b.close_scope();
            self.b.definition_mut(def).body = Some(body);
            (def, body)
        });
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
            open.body = Some(body);
        }
    }

    /// A method of an interface.
    pub(super) fn enter_method_element(&mut self, node: Node<'_>) {
        let (Some(name), Some((def, body))) = (self.name_of(node), self.body_above()) else { return };
        let mut method = self.definition(DefKind::Method, name, node);
        self.make_member(&mut method, def, body);
        method.flags.set(DefFlags::ABSTRACT);
        let def = self.b.add_definition(method);
        if let Some(open) = self.open.last_mut() {
            open.definition = Some(def);
        }
    }

    /// The nearest struct or interface around the current node, a list of fields apart.
    fn body_above(&self) -> Option<(DefId, ScopeId)> {
        let open = (1..=2).filter_map(|n| self.ancestor(n)).find(|open| open.body.is_some())?;
        open.definition.zip(open.body)
    }

    fn make_member(&self, member: &mut Definition, def: DefId, body: ScopeId) {
        (member.container, member.scope, member.block) = (Some(def), body, body);
        let hidden = self.b.facts.definition(def).flags.has(DefFlags::LOCAL);
        if hidden {
            member.flags.set(DefFlags::LOCAL);
            member.flags.0 &= !DefFlags::EXPORTED;
        }
    }

    /// `a, b T` in a struct, or an embedded `T`: a field of the type's name whose members are the struct's too.
    pub(super) fn field_declaration(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let ty = self.child(children, self.fields.ty)?;
        let (def, body) = self.body_above()?;
        let embedded = self.open.last()?.declares;
        if embedded && let Some(path) = ty.expr {
            self.embed(def, path);
        }
        let mut names: Vec<_> = children.iter().filter(|child| child.field == self.fields.name).collect();
        if embedded {
            names.push(ty);
        }
        for name in names {
            let text = self.text(name.bytes.clone());
            let text = if embedded { simple_name(text) } else { text };
            if matches!(text, "" | "_") {
                continue;
            }
            let id = self.b.name(text);
            let span = Span {
                line: name.row as u32 + 1,
                end_line: node.end_position().row as u32 + 1,
                at: name.bytes.start as u32,
            };
            let mut field = self.b.new_definition(id, DefKind::Field, span);
            field.flags = self.flags(text);
            self.make_member(&mut field, def, body);
            field.ty = ty.expr;
            self.b.add_definition(field);
        }
        None
    }

    /// One line of an interface that is no method: an embedded interface, or the types it is limited to.
    pub(super) fn interface_element(&mut self, children: &[Child]) -> Option<ExprId> {
        let [only] = children else { return None };
        let (path, (def, _)) = (only.expr?, self.body_above()?);
        self.embed(def, path);
        None
    }

    fn embed(&mut self, def: DefId, path: ExprId) {
        let mut supertypes = self.b.facts.list(self.b.facts.definition(def).supertypes).to_vec();
        supertypes.push(path);
        let supertypes = self.b.list(&supertypes);
        self.b.definition_mut(def).supertypes = supertypes;
    }

    /// `var a, b T = x, y`
    pub(super) fn variables(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let ty = self.child_expr(children, self.fields.ty);
        let values = std::mem::take(&mut self.open.last_mut()?.right);
        self.declare_variables(node, children, ty, &values);
        None
    }

    /// `const a, b T = x, y`; without a value they have the type and value of those above.
    pub(super) fn constants(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let ty = self.child_expr(children, self.fields.ty);
        let values = std::mem::take(&mut self.open.last_mut()?.right);
        let first = values.first().and_then(|value| value.expr);
        let above = self.ancestor_mut(1)?;
        if values.is_empty() {
            let (ty, value) = (above.ty, above.value);
            for name in self.names(children) {
                self.declare_variable(node, &name, ty, value);
            }
            return None;
        }
        (above.ty, above.value) = (ty, first);
        self.declare_variables(node, children, ty, &values);
        None
    }

    fn names(&self, children: &[Child]) -> Vec<Item> {
        let named = children.iter().filter(|child| child.field == self.fields.name);
        named
            .filter(|child| kind_of(child.kind) == Kind::Identifier)
            .map(|child| Item { kind: Kind::Identifier, expr: None, bytes: child.bytes.clone(), row: child.row })
            .collect()
    }

    fn declare_variables(&mut self, node: Node<'_>, children: &[Child], ty: Option<ExprId>, values: &[Item]) {
        let names = self.names(children);
        for (index, name) in names.iter().enumerate() {
            let value = self.nth_value(index, names.len(), values);
            self.declare_variable(node, name, ty, value);
        }
    }

    fn declare_variable(&mut self, node: Node<'_>, name: &Item, ty: Option<ExprId>, value: Option<ExprId>) {
        let text = self.text(name.bytes.clone());
        if matches!(text, "" | "_") {
            return;
        }
        let id = self.b.name(text);
        if self.b.scope() != MODULE_SCOPE {
            self.bind(id, ty, value, name.row, node.end_byte());
            return;
        }
        let (line, at) = (name.row as u32 + 1, name.bytes.start as u32);
        let span = Span { line, end_line: node.end_position().row as u32 + 1, at };
        let mut definition = self.b.new_definition(id, DefKind::Variable, span);
        definition.flags = self.flags(text);
        definition.ty = ty;
        self.b.add_definition(definition);
        let (scope, kind) = (MODULE_SCOPE, BindingKind::Assigned);
        self.b.facts.bindings.push(Binding { scope, block: scope, name: id, kind, ty, value, line, at });
    }

    /// The name child of a declaration; `None` where recovery made one up.
    pub(super) fn name_of<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        node.child_by_field_id(self.fields.name).filter(|name| !name.byte_range().is_empty())
    }

    fn span(&self, name: Node<'_>, whole: Node<'_>) -> Span {
        Span {
            line: name.start_position().row as u32 + 1,
            end_line: whole.end_position().row as u32 + 1,
            at: name.start_byte() as u32,
        }
    }

    fn definition(&mut self, kind: DefKind, name: Node<'_>, whole: Node<'_>) -> Definition {
        let text = self.text(name.byte_range());
        let id = self.b.name(text);
        let mut definition = self.b.new_definition(id, kind, self.span(name, whole));
        definition.scope = self.b.scope();
        definition.start_line = whole.start_position().row as u32 + 1;
        definition.flags = self.flags(text);
        definition
    }

    /// Exported is what begins with a capital letter and is declared outside functions.
    fn flags(&self, name: &str) -> DefFlags {
        let mut flags = DefFlags::default();
        let in_code =
            self.b.owner_scope() != MODULE_SCOPE && self.b.facts.scope(self.b.owner_scope()).kind != ScopeKind::Class;
        if in_code {
            flags.set(DefFlags::LOCAL);
        } else if name.starts_with(char::is_uppercase) {
            flags.set(DefFlags::EXPORTED);
        }
        flags
    }
}

/// What a package is called by convention: the last part of its path that is no version, without what marks it as a Go
/// package (`gopkg.in/yaml.v3`, `example.com/go-cmp/v2`).
fn conventional_name(path: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/');
    let mut name = parts.next().unwrap_or(path);
    if is_version(name) {
        name = parts.next().unwrap_or(name);
    }
    if let Some((stem, version)) = name.rsplit_once('.')
        && is_version(version)
    {
        name = stem;
    }
    name.strip_prefix("go-").unwrap_or(name)
}

/// `T` of `*a.T[int]`.
fn simple_name(ty: &str) -> &str {
    let ty = ty.split('[').next().unwrap_or(ty);
    ty.rsplit(['.', '*', ' ']).next().unwrap_or(ty).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_called_by_the_last_part_of_their_path() {
        for (path, name) in [
            ("fmt", "fmt"),
            ("net/http", "http"),
            ("example.com/shop/v2", "shop"),
            ("gopkg.in/yaml.v3", "yaml"),
            ("example.com/go-cmp/cmp", "cmp"),
            ("example.com/go-isatty", "isatty"),
        ] {
            assert_eq!(conventional_name(path), name, "{path}");
        }
    }
}
