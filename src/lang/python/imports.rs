//! Import statements and `__all__`. Both are flat lists, so they are read from the node at once instead of piece by piece.

use super::grammar::{Field, Kind};
use super::{Extraction, Position};
use crate::model::*;
use tree_sitter::Node;

/// Most nodes of an `__all__` expression that are read.
const MAX_EXPORT_NODES: usize = 20_000;

impl Extraction<'_> {
    pub(super) fn import(&mut self, node: Node<'_>, statement: Kind) {
        let mut module = String::new();
        let mut level = 0u8;
        if statement == Kind::FutureImport {
            module.push_str("__future__");
        }
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let kind = self.grammar.kind(child.kind_id());
            let field = cursor.field_id().map_or(Field::Other, |id| self.grammar.field(id.get()));
            match (kind, field) {
                (Kind::RelativeImport | Kind::DottedName, Field::ModuleName) => {
                    let text = dotted(self.text(child.byte_range()));
                    let name = text.trim_start_matches('.');
                    level = (text.len() - name.len()).min(u8::MAX as usize) as u8;
                    module = name.to_string();
                }
                (Kind::WildcardImport, _) => self.add_import(ImportKind::Star, &module, level, None, None, child),
                (Kind::DottedName, Field::Name) => self.import_name(statement, (&module, level), child, None),
                (Kind::AliasedImport, Field::Name) => {
                    let alias = child.child_by_field_name("alias");
                    if let (Some(name), Some(alias)) = (child.child_by_field_name("name"), alias) {
                        self.import_name(statement, (&module, level), name, Some(alias));
                    }
                }
                _ => {}
            }
            more = cursor.goto_next_sibling();
        }
    }

    fn import_name(&mut self, statement: Kind, from: (&str, u8), name: Node<'_>, alias: Option<Node<'_>>) {
        let text = dotted(self.text(name.byte_range()));
        let alias = alias.map(|alias| self.text(alias.byte_range()).to_string());
        if statement == Kind::ImportStatement {
            let first = text.split('.').next().unwrap_or("");
            let binds = alias.as_deref().unwrap_or(first).to_string();
            return self.add_import(ImportKind::Module, &text, 0, None, Some(&binds), name);
        }
        let binds = alias.as_deref().unwrap_or(&text);
        self.add_import(ImportKind::Name, from.0, from.1, Some(&text), Some(binds), name);
    }

    fn add_import(
        &mut self,
        kind: ImportKind,
        module: &str,
        level: u8,
        name: Option<&str>,
        binds: Option<&str>,
        node: Node<'_>,
    ) {
        let position = Position { row: node.start_position().row, at: node.start_byte() as u32 };
        let block = self.builder.scope();
        let module = self.builder.name(module);
        let name = name.map(|name| self.builder.name(name));
        let binds = binds.map(|binds| self.builder.name(binds));
        let scope = binds.map_or_else(|| self.builder.owner_scope(), |binds| self.target_scope(block, binds));
        self.builder.facts.imports.push(Import {
            kind,
            scope,
            block,
            module,
            level,
            name,
            binds,
            type_only: self.type_only > 0,
            line: position.row as u32 + 1,
            at: position.at,
        });
        let Some(binds) = binds else { return };
        self.bound.insert((scope, binds));
        if kind == ImportKind::Name {
            let expr = self.builder.expr(Expr::Name { name: binds, scope: block, at: position.at });
            self.refer(expr, Role::Import, position);
        }
    }

    /// `__all__ = value` or `__all__ += value` at module level.
    pub(super) fn export(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>) {
        let Some(left) = left else { return };
        let names_all = left.kind() == "identifier" && self.text(left.byte_range()) == "__all__";
        if names_all && self.builder.owner_scope() == MODULE_SCOPE {
            match right {
                Some(right) => self.export_value(right),
                None => self.open_exports(),
            }
        }
    }

    /// `__all__.extend(value)` and its like; `callee` is the called expression.
    pub(super) fn export_call(&mut self, callee: ExprId, node: Node<'_>) {
        let Expr::Member { of, name } = self.expr_of(callee) else { return };
        let Expr::Name { name: object, .. } = self.expr_of(of) else { return };
        if self.builder.facts.name(object) != "__all__" || self.builder.owner_scope() != MODULE_SCOPE {
            return;
        }
        let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
        match (self.builder.facts.name(name), argument) {
            ("extend" | "append", Some(argument)) => self.export_value(argument),
            _ => self.open_exports(),
        }
    }

    fn open_exports(&mut self) {
        self.builder.facts.exports.open = true;
        self.builder.facts.exports.names.get_or_insert_default();
    }

    /// Lists, tuples and sums of them, by an explicit stack; a string alone is what `append` gets.
    fn export_value(&mut self, value: Node<'_>) {
        self.builder.facts.exports.names.get_or_insert_default();
        let mut open = vec![value];
        let mut read = 0;
        while let Some(node) = open.pop() {
            read += 1;
            if read > MAX_EXPORT_NODES {
                return self.open_exports();
            }
            match self.grammar.kind(node.kind_id()) {
                Kind::List | Kind::Tuple | Kind::Set | Kind::ExpressionList | Kind::Parenthesized => {
                    let before = open.len();
                    open.extend(node.named_children(&mut node.walk()));
                    open[before..].reverse();
                }
                Kind::BinaryOperator => {
                    open.extend(node.child_by_field_name("right"));
                    open.extend(node.child_by_field_name("left"));
                }
                Kind::Comment | Kind::LineContinuation => {}
                Kind::Str => {
                    let mut cursor = node.walk();
                    let mut content = node.named_children(&mut cursor).filter(|child| child.kind() == "string_content");
                    if let Some(content) = content.next() {
                        let name = self.name_of(content.byte_range());
                        self.builder.facts.exports.names.get_or_insert_default().push(name);
                        self.forget_mention(content.byte_range());
                    }
                }
                _ => self.builder.facts.exports.open = true,
            }
        }
    }
}

impl Extraction<'_> {
    /// A list of exports offers a name and looks nothing up by it.
    fn forget_mention(&mut self, bytes: std::ops::Range<usize>) {
        let word = word_hash(self.text(bytes).as_bytes());
        let mentions = &mut self.builder.facts.words.strings;
        if let Some(at) = mentions.iter().rposition(|mention| *mention == word) {
            mentions.swap_remove(at);
        }
    }
}

/// A dotted name without the white space that may stand around its dots.
fn dotted(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect()
}
