//! Imports and exports. What other files see is a scope of its own (`Exports::scope`): a name in it is another name for one
//! of this file's (`ImportKind::Own`), something imported (a re-export), or a value.

use super::Script;
use super::nodes::{Kind, has_word, named_children};
use crate::model::*;
use std::ops::Range;
use tree_sitter::Node;

/// The name of the value that stands for a whole module (`module.exports = ..`, `export = ..`).
pub(super) const WHOLE: &str = "export=";

impl Script<'_> {
    /// The scope of what other files see.
    pub(super) fn exports_scope(&mut self) -> ScopeId {
        if let Some(scope) = self.b.facts.exports.scope {
            return scope;
        }
        let facts = &mut self.b.facts;
        facts.scopes.push(Scope { parent: Some(MODULE_SCOPE), kind: ScopeKind::Block, definition: None });
        let scope = ScopeId(facts.scopes.len() as u32 - 1);
        facts.exports.scope = Some(scope);
        scope
    }

    fn import(
        &mut self,
        kind: ImportKind,
        (module, scope): (NameId, ScopeId),
        (name, binds): (Option<NameId>, Option<NameId>),
        type_only: bool,
        (row, at): (usize, usize),
    ) {
        let (line, at) = (row as u32 + 1, at as u32);
        let import = Import { kind, scope, block: scope, module, level: 0, name, binds, type_only, line, at };
        self.b.facts.imports.push(import);
    }

    /// `binds`, in a scope of what others see, is another name for the module's `name`.
    pub(super) fn own_import(
        &mut self,
        name: NameId,
        binds: NameId,
        scope: ScopeId,
        row: usize,
        at: usize,
        type_only: bool,
    ) {
        let module = self.b.name("");
        self.import(ImportKind::Own, (module, scope), (Some(name), Some(binds)), type_only, (row, at));
    }

    /// A definition of the exports' scope under another name there.
    pub(super) fn other_name(&mut self, name: NameId, other: &str, scope: ScopeId, node: Node<'_>) {
        let value = self.b.expr(Expr::Name { name, scope, at: u32::MAX });
        let other = self.b.name(other);
        let (row, at) = (node.start_position().row, node.start_byte());
        self.bind((scope, scope), other, BindingKind::Assigned, (None, Some(value)), (row, at));
    }

    /// Exports a definition whose declaration is the nth ancestor of the current node, if `export` stands before it.
    pub(super) fn exported(&mut self, def: DefId, nth: usize) {
        let mut nth = nth + 1;
        if self.above(nth) == Kind::Ambient {
            nth += 1;
        }
        if self.above(nth) != Kind::Export {
            return;
        }
        let of_module = self.above(nth + 1) == Kind::Program;
        let is_default = self.ancestor(nth).is_some_and(|export| export.marked);
        // What stands in `declare module ".."` is another module's.
        if self.is_local() || !of_module && self.b.facts.definition(def).container.is_none() {
            return;
        }
        let definition = self.b.definition_mut(def);
        definition.flags.set(DefFlags::EXPORTED);
        let (name, span) = (definition.name, definition.span);
        if !of_module {
            return;
        }
        let scope = self.exports_scope();
        let binds = if is_default { self.b.name("default") } else { name };
        self.own_import(name, binds, scope, span.line as usize - 1, span.at as usize, false);
    }

    pub(super) fn import_statement(&mut self, node: Node<'_>) {
        let type_only = has_word(node, "type") || has_word(node, "typeof");
        let source = node.child_by_field_id(self.fields.source);
        let mut source = source.map(|source| self.unquoted(source.byte_range()));
        let mut clause = None;
        for child in named_children(node) {
            match child.kind() {
                "import_clause" => clause = Some(child),
                "import_require_clause" => {
                    clause = Some(child);
                    source = child
                        .child_by_field_id(self.fields.source)
                        .map(|source| self.unquoted(source.byte_range()))
                        .or(source);
                }
                _ => {}
            }
        }
        let Some(source) = source else { return };
        let module = self.name(source);
        let scope = self.b.scope();
        let Some(clause) = clause else {
            let place = (node.start_position().row, node.start_byte());
            return self.import(ImportKind::Module, (module, scope), (None, None), type_only, place);
        };
        let whole = clause.kind() == "import_require_clause";
        for part in named_children(clause) {
            let place = (part.start_position().row, part.start_byte());
            match part.kind() {
                "identifier" if whole => {
                    let binds = Some(self.name(part.byte_range()));
                    self.import(ImportKind::Module, (module, scope), (None, binds), type_only, place);
                }
                "identifier" => {
                    let name = Some(self.b.name("default"));
                    let binds = Some(self.name(part.byte_range()));
                    self.import(ImportKind::Name, (module, scope), (name, binds), type_only, place);
                    self.refer_import(part.byte_range(), place);
                }
                "namespace_import" => {
                    let binds = named_children(part).last().map(|name| self.name(name.byte_range()));
                    self.import(ImportKind::Module, (module, scope), (None, binds), type_only, place);
                }
                "named_imports" => self.named_imports(part, (module, scope), type_only),
                _ => {}
            }
        }
    }

    fn named_imports(&mut self, list: Node<'_>, from: (NameId, ScopeId), type_only: bool) {
        for part in named_children(list).filter(|part| part.kind() == "import_specifier") {
            let Some(name) = part.child_by_field_id(self.fields.name) else { continue };
            let local = part.child_by_field_id(self.fields.alias).unwrap_or(name);
            let bytes = self.unquoted(name.byte_range());
            if bytes.is_empty() {
                continue;
            }
            let only_type = type_only || has_word(part, "type") && part.child_count() > 1;
            let (name, binds) = (Some(self.name(bytes)), Some(self.name(local.byte_range())));
            let place = (part.start_position().row, part.start_byte());
            self.import(ImportKind::Name, from, (name, binds), only_type, place);
            self.refer_import(local.byte_range(), place);
        }
    }

    fn refer_import(&mut self, local: Range<usize>, (row, at): (usize, usize)) {
        let (scope, name) = (self.b.scope(), self.name(local));
        let expr = self.b.expr(Expr::Name { name, scope, at: at as u32 });
        self.refer(expr, Role::Import, row, at);
    }

    /// `export { .. }`, `export * ..`, `export = ..`; what stands behind `export` itself is exported as it is defined.
    pub(super) fn enter_export(&mut self, node: Node<'_>) {
        if self.above(1) != Kind::Program {
            return;
        }
        let fields = self.fields;
        let type_only = has_word(node, "type");
        let source = node.child_by_field_id(fields.source).map(|source| self.unquoted(source.byte_range()));
        let scope = self.exports_scope();
        let place = (node.start_position().row, node.start_byte());
        let module = source.map(|source| self.name(source));
        let mut listed = false;
        for part in named_children(node).take(8) {
            match part.kind() {
                "export_clause" => {
                    listed = true;
                    self.export_clause(part, module, scope, type_only);
                }
                "namespace_export" => {
                    listed = true;
                    let name = named_children(part).last().map(|name| self.unquoted(name.byte_range()));
                    if let (Some(module), Some(name)) = (module, name) {
                        let binds = Some(self.name(name));
                        self.import(ImportKind::Module, (module, scope), (None, binds), type_only, place);
                    }
                }
                _ => {}
            }
        }
        if let (Some(module), false) = (module, listed) {
            self.import(ImportKind::Star, (module, scope), (None, None), type_only, place);
        }
    }

    fn export_clause(&mut self, clause: Node<'_>, module: Option<NameId>, scope: ScopeId, type_only: bool) {
        for part in named_children(clause).filter(|part| part.kind() == "export_specifier") {
            let name = part.child_by_field_id(self.fields.name);
            let alias = part.child_by_field_id(self.fields.alias).or(name);
            // `default` is a keyword, not a node with a field of its own.
            let text = self.text(part.byte_range());
            let (first, last) = match (name, alias) {
                (Some(name), Some(alias)) => {
                    let (name, alias) = (self.unquoted(name.byte_range()), self.unquoted(alias.byte_range()));
                    (self.text(name), self.text(alias))
                }
                _ => match text.split_once(" as ") {
                    Some((first, last)) => (first.trim(), last.trim()),
                    None => (text.trim(), text.trim()),
                },
            };
            let first = first.strip_prefix("type ").unwrap_or(first);
            let last = if text.contains(" as default") { "default" } else { last };
            if first.is_empty() || last.is_empty() {
                continue;
            }
            let (name, binds) = (self.b.name(first), self.b.name(last));
            let (row, at) = (part.start_position().row, part.start_byte());
            match module {
                Some(module) => {
                    let names = (Some(name), Some(binds));
                    self.import(ImportKind::Name, (module, scope), names, type_only, (row, at));
                }
                None => self.own_import(name, binds, scope, row, at, type_only),
            }
        }
    }

    /// `export default value`, `export = value`.
    pub(super) fn leave_export(&mut self, node: Node<'_>, value: Option<(Option<ExprId>, Kind, Range<usize>)>) {
        let Some((value, kind, bytes)) = value else { return };
        if self.above(1) != Kind::Program {
            return;
        }
        let whole = !has_word(node, "default");
        let name = self.b.name(if whole { WHOLE } else { "default" });
        let scope = self.exports_scope();
        let place = (node.start_position().row, bytes.start);
        match (kind, value) {
            (Kind::Identifier, _) => {
                let local = self.name(bytes);
                self.own_import(local, name, scope, place.0, place.1, false);
            }
            (_, Some(value)) => {
                // A function or class is defined there under that name already.
                let defined = match self.b.facts.expr(value) {
                    Expr::Defined { definition } => {
                        let definition = self.b.facts.definition(definition);
                        definition.scope == scope
                    }
                    _ => false,
                };
                if !defined {
                    self.bind((scope, scope), name, BindingKind::Assigned, (None, Some(value)), place);
                }
            }
            (_, None) => self.bind((scope, scope), name, BindingKind::Opaque, (None, None), place),
        }
    }

    /// `require("..")` or `import("..")`: the module itself.
    pub(super) fn required(&mut self, source: Range<usize>, row: usize, at: usize) -> ExprId {
        let source = self.unquoted(source);
        let module = self.name(source);
        let scope = self.b.scope();
        let import = self.b.facts.imports.len() as u32;
        self.import(ImportKind::Module, (module, scope), (None, None), false, (row, at));
        self.b.expr(Expr::Imported { import })
    }
}
