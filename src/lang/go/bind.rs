//! What binds names without a symbol of their own: receivers, parameters, results, locals, the variables of `range`, type
//! switches and `select`. Every binding says from which offset on it holds.

use super::nodes::{Kind, kind_of};
use super::{Go, Item};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

/// `(l *List[T])`
pub(super) struct Receiver<'t> {
    name: Option<Node<'t>>,
    /// The type's own name.
    pub(super) ty: Node<'t>,
    type_params: Vec<Node<'t>>,
}

/// A pointer, parentheses and type arguments: no receiver has more around its type's name.
const MAX_WRAPPED: usize = 8;

impl<'s> Go<'s> {
    /// The receiver that a method's first parameter list declares.
    pub(super) fn receiver<'t>(&self, list: Node<'t>) -> Option<Receiver<'t>> {
        let fields = self.fields;
        let parameter = list.named_child(0)?;
        let mut ty = parameter.child_by_field_id(fields.ty)?;
        let mut type_params = Vec::new();
        for _ in 0..MAX_WRAPPED {
            match kind_of(ty.kind_id()) {
                Kind::PointerType | Kind::ParenthesizedType => ty = ty.named_child(0)?,
                Kind::GenericType => {
                    let arguments = ty.child_by_field_id(fields.type_arguments)?;
                    let mut cursor = arguments.walk();
                    type_params = arguments.named_children(&mut cursor).collect();
                    ty = ty.child_by_field_id(fields.ty)?;
                }
                _ => break,
            }
        }
        let name = parameter.child_by_field_id(fields.name);
        (kind_of(ty.kind_id()) == Kind::TypeIdentifier).then_some(Receiver { name, ty, type_params })
    }

    /// The receiver's name, and the names that the method gives the type parameters of its type.
    pub(super) fn bind_receiver(&mut self, receiver: &Receiver<'_>) {
        let scope = self.b.scope();
        let mut args = Vec::new();
        for parameter in &receiver.type_params {
            let text = self.text(parameter.byte_range());
            let (line, at) = (parameter.start_position().row as u32 + 1, parameter.start_byte() as u32);
            let name = self.b.name(text);
            let kind = BindingKind::TypeParameter;
            self.b.facts.bindings.push(Binding { scope, block: scope, name, kind, ty: None, value: None, line, at });
            args.push(self.b.expr(Expr::Name { name, scope, at }));
            if let Some(def) = self.b.enclosing() {
                self.b.definition_mut(def).type_params.push(name);
            }
        }
        let Some(name) = receiver.name else { return };
        let (row, end) = (name.start_position().row, name.end_byte());
        let id = self.b.name(self.text(name.byte_range()));
        // The type is declared in the package, never in the function.
        let of = self.b.name(self.text(receiver.ty.byte_range()));
        let mut ty = self.b.expr(Expr::Name { name: of, scope: MODULE_SCOPE, at: receiver.ty.start_byte() as u32 });
        if !args.is_empty() {
            let args = self.b.list(&args);
            ty = self.b.expr(Expr::Apply { of: ty, args });
        }
        self.bind(id, Some(ty), None, row, end);
    }

    /// Binds a local in the innermost scope, for uses from `at` on.
    pub(super) fn bind(&mut self, name: NameId, ty: Option<ExprId>, value: Option<ExprId>, row: usize, at: usize) {
        let kind = if ty.is_none() && value.is_none() { BindingKind::Opaque } else { BindingKind::Assigned };
        self.bind_as(name, kind, ty, value, row, at);
    }

    fn bind_as(
        &mut self,
        name: NameId,
        kind: BindingKind,
        ty: Option<ExprId>,
        value: Option<ExprId>,
        row: usize,
        at: usize,
    ) {
        if self.b.facts.name(name) == "_" {
            return;
        }
        let scope = self.b.scope();
        let (line, at) = (row as u32 + 1, at as u32);
        self.b.facts.bindings.push(Binding { scope, block: scope, name, kind, ty, value, line, at });
        self.locals.declare(name);
        self.declared.insert((scope, name));
    }

    /// `a, b T` or `a ...T`: parameters or named results of a function, or of a type.
    pub(super) fn parameter(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let ty = self.child_expr(children, self.fields.ty);
        let ty = self.or_unknown(ty);
        let variadic = self.above(0) == Kind::VariadicParameter;
        let seen = if variadic { self.composite(Literal::List, &[ty]) } else { ty };
        let names: Vec<Item> = children
            .iter()
            .filter(|child| child.field == self.fields.name && kind_of(child.kind) == Kind::Identifier)
            .map(|child| Item { kind: Kind::Identifier, expr: Some(ty), bytes: child.bytes.clone(), row: child.row })
            .collect();
        let (list, owner) = (self.ancestor(1)?, self.ancestor(2)?);
        let is_result = list.field == self.fields.result;
        let (owner_kind, definition, index) = (owner.kind, owner.definition, list.left.len());
        let binds = matches!(owner_kind, Kind::FunctionDeclaration | Kind::MethodDeclaration | Kind::FunctionLiteral);
        let signature = !is_result
            && matches!(owner_kind, Kind::FunctionDeclaration | Kind::MethodDeclaration | Kind::MethodElement);
        let unnamed = self.b.name("_");
        let ids: Vec<(NameId, usize)> = if names.is_empty() {
            vec![(unnamed, node.start_position().row)]
        } else {
            names.iter().map(|name| (self.b.name(self.text(name.bytes.clone())), name.row)).collect()
        };
        for (offset, (name, row)) in ids.into_iter().enumerate() {
            if signature && let Some(def) = definition {
                let kind = if variadic { ParamKind::Rest } else { ParamKind::Normal };
                let param = Param { name, kind, optional: variadic, ty: Some(ty), default: None };
                self.b.definition_mut(def).params.push(param);
            }
            if binds {
                let kind = if is_result {
                    BindingKind::Assigned
                } else {
                    BindingKind::Parameter(u16::try_from(index + offset).unwrap_or(u16::MAX))
                };
                self.bind_as(name, kind, Some(seen), None, row, node.end_byte());
            }
            let item = Item { kind: Kind::Parameter, expr: Some(ty), bytes: node.byte_range(), row };
            self.ancestor_mut(1)?.left.push(item);
        }
        None
    }

    /// What a parameter list is as the result of a function.
    pub(super) fn leave_parameters(&mut self) -> Option<ExprId> {
        let open = self.open.last_mut()?;
        if open.field != self.fields.result {
            return None;
        }
        let types: Vec<ExprId> = open.left.iter().filter_map(|item| item.expr).collect();
        Some(match types[..] {
            [] => self.literal(Literal::None),
            [only] => only,
            _ => {
                let items = self.b.list(&types);
                self.b.expr(Expr::Display { kind: Literal::Tuple, items })
            }
        })
    }

    /// The value of the nth of some names. One call may give all; `v, ok := m[k]` and its like give a value and a truth.
    pub(super) fn nth_value(&mut self, index: usize, names: usize, values: &[Item]) -> Option<ExprId> {
        let [only] = values else { return values.get(index).and_then(|value| value.expr) };
        if names == 1 {
            return only.expr;
        }
        if only.kind == Kind::Call {
            let of = only.expr?;
            return Some(self.b.expr(Expr::Unpacked { of, index: index as u32 }));
        }
        match index {
            0 => only.expr,
            _ => Some(self.literal(Literal::Bool)),
        }
    }

    pub(super) fn short_variables(&mut self, node: Node<'_>) -> Option<ExprId> {
        let open = self.open.last_mut()?;
        let (names, values) = (std::mem::take(&mut open.left), std::mem::take(&mut open.right));
        self.bind_names(&names, &values, node.end_byte());
        None
    }

    fn bind_names(&mut self, names: &[Item], values: &[Item], at: usize) {
        let scope = self.b.scope();
        for (index, name) in names.iter().enumerate().filter(|(_, name)| name.kind == Kind::Identifier) {
            let id = self.b.name(self.text(name.bytes.clone()));
            let value = self.nth_value(index, names.len(), values);
            // What the scope has already is assigned to and keeps its type.
            if !self.declared.contains(&(scope, id)) {
                self.bind(id, None, value, name.row, at);
            }
        }
    }

    /// `v, ok := <-ch` in a `select`
    pub(super) fn received(&mut self, node: Node<'_>) -> Option<ExprId> {
        let open = self.open.last_mut()?;
        if open.declares {
            let (names, values) = (std::mem::take(&mut open.left), std::mem::take(&mut open.right));
            self.bind_names(&names, &values, node.end_byte());
        }
        None
    }

    /// `k, v := range x`
    pub(super) fn range(&mut self, node: Node<'_>) -> Option<ExprId> {
        let open = self.open.last_mut()?;
        if !open.declares {
            return None;
        }
        let (names, values) = (std::mem::take(&mut open.left), std::mem::take(&mut open.right));
        let of = values.first().and_then(|value| value.expr);
        for (index, name) in names.iter().take(2).enumerate() {
            let value = of.map(|of| match index {
                0 => self.call_member(of, KEY),
                _ => self.b.expr(Expr::Element { of }),
            });
            let id = self.b.name(self.text(name.bytes.clone()));
            self.bind(id, None, value, name.row, node.end_byte());
        }
        None
    }

    /// `of.name()`, for what only the library's signatures know.
    fn call_member(&mut self, of: ExprId, name: &str) -> ExprId {
        let name = self.b.name(name);
        let of = self.b.expr(Expr::Member { of, name });
        self.b.expr(Expr::Call { of, args: List::default() })
    }

    /// In a case for one type the variable of a type switch has that type; elsewhere it is what was switched over.
    pub(super) fn type_case(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let switch = self.ancestor(1).filter(|open| open.kind == Kind::TypeSwitch)?;
        let (name, value) = (switch.left.first()?.clone(), switch.value);
        let mut types = children.iter().filter(|child| child.field == self.fields.ty);
        let ty = match (types.next(), types.next()) {
            (Some(only), None) if self.text(only.bytes.clone()) != "nil" => only.expr,
            _ => None,
        };
        let id = self.b.name(self.text(name.bytes));
        let value = if ty.is_some() { None } else { value };
        self.bind(id, ty, value, name.row, node.start_byte());
        None
    }
}

/// Member of what can be ranged over that gives the first variable; see `library/builtin.go.sig`.
const KEY: &str = "__key";
