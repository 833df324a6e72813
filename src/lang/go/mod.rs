//! Go: what one file says. One walk; `declare` makes definitions, `bind` the bindings of parameters and locals, `express` and
//! `types` make path expressions and uses. Nothing is looked up here: packages, embedding and method sets are resolution's
//! business. A pointer counts as what it points to: members are found through both alike.
//!
//! Built-in composite types are generic types of the library (`library/builtin.go.sig`), so that indexing, ranging and
//! calling are look-ups of members there.

mod bind;
mod declare;
mod express;
pub(crate) mod manifest;
mod nodes;
#[cfg(test)]
mod tests;
mod types;

use crate::lang::builder::Builder;
use crate::lang::locals::Locals;
use crate::lang::mentions;
use crate::lang::walk::{Child, Step, TooDeep, Visitor, walk};
use crate::model::*;
use nodes::{FIELDS, Fields, Kind, kind_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Extracts the facts of a parsed Go file. `source` is the text the tree was made from.
pub(crate) fn facts(tree: &Tree, source: &str) -> Result<Builder, TooDeep> {
    let mut go = Go::new(source);
    walk(tree, &mut go)?;
    Ok(go.b)
}

/// One part of a list of names or values.
#[derive(Clone)]
struct Item {
    kind: Kind,
    expr: Option<ExprId>,
    bytes: Range<usize>,
    row: usize,
}

/// A node whose children are being walked, with what they handed up so far.
struct Open {
    kind: Kind,
    field: u16,
    /// Where its last name stands.
    row: usize,
    /// Arguments.
    list: List,
    type_args: List,
    /// The definition it introduces.
    definition: Option<DefId>,
    /// The body scope of the type it declares.
    body: Option<ScopeId>,
    /// Names or values left of `=`, `:=` or `range`; the types of a parameter list.
    left: Vec<Item>,
    right: Vec<Item>,
    /// Type of a composite literal, subject of a type switch, repeated type and value of constants.
    ty: Option<ExprId>,
    value: Option<ExprId>,
    /// A statement that declares what stands left of its operator, or a field without a name.
    declares: bool,
    opened: Opened,
}

/// What has to be closed again on leaving a node.
#[derive(Default)]
struct Opened {
    scope: bool,
    /// The scope that holds a method's name.
    receiver_scope: bool,
    definition: bool,
    literal: bool,
    /// Type parameters it brought into scope.
    type_params: usize,
}

/// A composite literal whose elements are being read.
#[derive(Clone, Copy)]
struct Literals {
    /// A value of its type.
    value: ExprId,
    /// Plain names before a colon are fields.
    has_fields: bool,
}

struct Go<'s> {
    source: &'s str,
    fields: &'static Fields,
    b: Builder,
    open: Vec<Open>,
    literals: Vec<Literals>,
    locals: Locals,
    /// Names bound in each scope by now: `:=` declares only those that its own scope lacks.
    declared: FxHashSet<(ScopeId, NameId)>,
    /// Per name the body scopes of open type declarations that bind it as a type parameter, innermost last.
    type_params: FxHashMap<NameId, Vec<ScopeId>>,
    bound_type_params: Vec<NameId>,
    errors: usize,
    known: FxHashMap<Literal, ExprId>,
    unknown: Option<ExprId>,
}

impl<'s> Go<'s> {
    fn new(source: &'s str) -> Self {
        Go {
            source,
            fields: &FIELDS,
            b: Builder::new(Language::Go),
            open: Vec::new(),
            literals: Vec::new(),
            locals: Locals::default(),
            declared: FxHashSet::default(),
            type_params: FxHashMap::default(),
            bound_type_params: Vec::new(),
            errors: 0,
            known: FxHashMap::default(),
            unknown: None,
        }
    }

    /// Kind of the nth ancestor of the current node; 0 is the node itself.
    fn above(&self, n: usize) -> Kind {
        self.ancestor(n).map_or(Kind::Other, |open| open.kind)
    }

    fn ancestor(&self, n: usize) -> Option<&Open> {
        self.open.get(self.open.len().checked_sub(n + 1)?)
    }

    fn ancestor_mut(&mut self, n: usize) -> Option<&mut Open> {
        let at = self.open.len().checked_sub(n + 1)?;
        self.open.get_mut(at)
    }

    fn text(&self, bytes: Range<usize>) -> &'s str {
        self.source.get(bytes).unwrap_or_default()
    }

    fn child<'c>(&self, children: &'c [Child], field: u16) -> Option<&'c Child> {
        children.iter().find(|child| child.field == field)
    }

    fn child_expr(&self, children: &[Child], field: u16) -> Option<ExprId> {
        self.child(children, field).and_then(|child| child.expr)
    }

    fn open_scope(&mut self, kind: ScopeKind, definition: Option<DefId>) -> ScopeId {
        self.locals.open_scope();
        if let Some(open) = self.open.last_mut() {
            open.opened.scope = true;
        }
        self.b.open_scope(kind, definition)
    }

    fn refer(&mut self, expr: ExprId, role: Role, row: usize, at: usize) {
        self.b.reference(expr, role, row as u32 + 1, at as u32);
    }

    fn literal(&mut self, kind: Literal) -> ExprId {
        let b = &mut self.b;
        *self.known.entry(kind).or_insert_with(|| b.expr(Expr::Literal(kind)))
    }

    fn or_unknown(&mut self, expr: Option<ExprId>) -> ExprId {
        let b = &mut self.b;
        expr.unwrap_or_else(|| *self.unknown.get_or_insert_with(|| b.opaque()))
    }

    fn close(&mut self, open: &Open) {
        if open.opened.scope {
            self.b.close_scope();
            self.locals.close_scope();
        }
        if open.opened.receiver_scope {
            self.b.close_scope();
        }
        if open.opened.definition {
            self.b.close_definition();
        }
        if open.opened.literal {
            self.literals.pop();
        }
        for _ in 0..open.opened.type_params {
            let scopes = self.bound_type_params.pop().and_then(|name| self.type_params.get_mut(&name));
            scopes.and_then(|scopes| scopes.pop());
        }
    }

    /// Gives a node's parent what it needs before its own `leave`.
    fn hand_up(&mut self, node: Node<'_>, expr: Option<ExprId>, left: Open) {
        let fields = self.fields;
        let Some(parent) = self.open.last_mut() else { return };
        match (left.kind, parent.kind) {
            (Kind::ExpressionList, _) if left.field == fields.left || left.field == fields.alias => {
                parent.left = left.left;
            }
            (Kind::ExpressionList, _) => parent.right = left.left,
            (kind, Kind::ExpressionList) if kind != Kind::Comment => {
                let (bytes, row) = (node.byte_range(), node.start_position().row);
                parent.left.push(Item { kind, expr, bytes, row });
            }
            (kind, Kind::CompositeLiteral) if left.field == fields.ty => {
                parent.ty = expr;
                parent.declares =
                    matches!(kind, Kind::TypeIdentifier | Kind::QualifiedType | Kind::GenericType | Kind::StructType);
            }
            (Kind::ArgumentList, _) => parent.list = left.list,
            (Kind::TypeArguments, _) => parent.type_args = left.type_args,
            (_, Kind::Call) if left.field == fields.function => parent.row = left.row,
            (_, Kind::TypeSwitch) if left.field == fields.value => parent.value = expr,
            (kind, Kind::RangeClause | Kind::ReceiveStatement) if left.field == fields.right => {
                let (bytes, row) = (node.byte_range(), node.start_position().row);
                parent.right = vec![Item { kind, expr, bytes, row }];
            }
            _ => {}
        }
        if left.kind == Kind::ExpressionList && left.field == fields.alias {
            let names: Vec<_> = self.open.last().map_or(Vec::new(), |open| open.left.clone());
            for name in names {
                let name = self.b.name(self.text(name.bytes));
                self.locals.declare(name);
            }
        }
    }

    /// A string literal with its quotes.
    fn mention(&mut self, bytes: Range<usize>) {
        mentions::value(self.text(bytes).trim_matches(['"', '`']), &mut self.b.facts.words.strings);
    }
}

impl Visitor for Go<'_> {
    fn enter(&mut self, node: Node<'_>, field: u16) -> Step {
        use Kind::*;
        let kind = kind_of(node.kind_id());
        self.open.push(Open {
            kind,
            field,
            row: node.start_position().row,
            list: List::default(),
            type_args: List::default(),
            definition: None,
            body: None,
            left: Vec::new(),
            right: Vec::new(),
            ty: None,
            value: None,
            declares: false,
            opened: Opened::default(),
        });
        match kind {
            Comment => {
                mentions::all(self.text(node.byte_range()).as_bytes(), &mut self.b.facts.words.comments);
                return Step::Skip;
            }
            InterpretedString | RawString => {
                self.mention(node.byte_range());
                return Step::Skip;
            }
            Error => {
                // Only the outermost: nested errors would be read again and again.
                if self.errors == 0 {
                    mentions::all(self.text(node.byte_range()).as_bytes(), &mut self.b.facts.words.strings);
                }
                self.errors += 1;
            }
            PackageClause => {
                self.package(node);
                return Step::Skip;
            }
            ImportSpec => {
                self.import(node);
                return Step::Skip;
            }
            FunctionDeclaration => self.enter_function(node),
            MethodDeclaration => self.enter_method(node),
            ParameterList if field == self.fields.receiver => return Step::Skip,
            FunctionLiteral => {
                self.open_scope(ScopeKind::Lambda, None);
            }
            TypeSpec => self.enter_type(node),
            TypeAlias => self.enter_alias(node),
            StructType | InterfaceType => self.enter_body(node, kind),
            MethodElement => self.enter_method_element(node),
            FieldDeclaration => {
                let embedded = node.child_by_field_id(self.fields.name).is_none();
                if let Some(open) = self.open.last_mut() {
                    open.declares = embedded;
                }
            }
            ShortVariable | RangeClause | ReceiveStatement => {
                let declares = kind == ShortVariable || has_operator(node, ":=");
                if let Some(open) = self.open.last_mut() {
                    open.declares = declares;
                }
            }
            // The body of a function or function literal shares its scope.
            Block if !matches!(self.above(1), FunctionDeclaration | MethodDeclaration | FunctionLiteral) => {
                self.open_scope(ScopeKind::Block, None);
            }
            If | Switch | TypeSwitch | Select | ExpressionCase | TypeCase | DefaultCase | CommunicationCase => {
                self.open_scope(ScopeKind::Block, None);
            }
            For => {
                self.open_scope(ScopeKind::Loop, None);
            }
            LiteralValue => self.enter_literal_value(),
            _ => {}
        }
        Step::Descend
    }

    fn leave(&mut self, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let kind = self.above(0);
        let expr = match kind {
            FunctionDeclaration | MethodDeclaration | MethodElement => self.leave_callable(children),
            TypeSpec => self.leave_type(children),
            TypeAlias => self.leave_alias(children),
            TypeElement if self.above(1) == InterfaceType => self.interface_element(children),
            FieldDeclaration => self.field_declaration(node, children),
            TypeParameter => self.type_parameter(children),
            Parameter | VariadicParameter => self.parameter(node, children),
            ParameterList => self.leave_parameters(),
            VariableSpec => self.variables(node, children),
            ConstantSpec => self.constants(node, children),
            ShortVariable => self.short_variables(node),
            RangeClause => self.range(node),
            ReceiveStatement => self.received(node),
            TypeCase => self.type_case(node, children),
            DefaultCase if self.above(1) == TypeSwitch => self.type_case(node, &[]),
            _ => self.express(kind, node, field, children),
        };
        if kind == Error {
            self.errors -= 1;
        }
        let open = self.open.pop()?;
        self.close(&open);
        self.hand_up(node, expr, open);
        expr
    }
}

/// Is `operator` one of a statement's own tokens?
fn has_operator(node: Node<'_>, operator: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| !child.is_named() && child.kind() == operator)
}
