//! Types as path expressions, their uses, and type parameters.

use super::Go;
use super::nodes::{Kind, kind_of};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

impl Go<'_> {
    /// `T, U Constraint`, of a function or a type.
    pub(super) fn type_parameter(&mut self, children: &[Child]) -> Option<ExprId> {
        let ty = self.child_expr(children, self.fields.ty);
        // The list stands between.
        let owner = self.ancestor(2)?;
        let (def, body) = (owner.definition?, owner.body);
        let scope = body.unwrap_or(self.b.scope());
        let mut count = 0;
        for name in children.iter().filter(|child| child.field == self.fields.name) {
            let id = self.b.name(self.text(name.bytes.clone()));
            let (line, at) = (name.row as u32 + 1, name.bytes.start as u32);
            let kind = BindingKind::TypeParameter;
            self.b.facts.bindings.push(Binding { scope, block: scope, name: id, kind, ty, value: None, line, at });
            self.b.definition_mut(def).type_params.push(id);
            if body.is_some() {
                self.type_params.entry(id).or_default().push(scope);
                self.bound_type_params.push(id);
                count += 1;
            }
        }
        self.ancestor_mut(2)?.opened.type_params += count;
        None
    }

    /// A composite type of the language.
    pub(super) fn composite(&mut self, kind: Literal, args: &[ExprId]) -> ExprId {
        let of = self.literal(kind);
        let args = self.b.list(args);
        self.b.expr(Expr::Apply { of, args })
    }

    pub(super) fn type_expression(&mut self, kind: Kind, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let fields = self.fields;
        let only = || children.iter().find_map(|child| child.expr);
        match kind {
            TypeIdentifier => self.type_identifier(node),
            QualifiedType => self.qualified_type(node, children),
            GenericType => {
                let of = self.child_expr(children, fields.ty)?;
                let args = self.open.last()?.type_args;
                Some(self.b.expr(Expr::Apply { of, args }))
            }
            TypeArguments => {
                let args = children.iter().filter(|child| kind_of(child.kind) != Comment);
                let args: Vec<_> = args.map(|arg| self.or_unknown(arg.expr)).collect();
                let args = self.b.list(&args);
                self.open.last_mut()?.type_args = args;
                None
            }
            PointerType | ParenthesizedType => only(),
            SliceType | ArrayType | ImplicitArrayType => {
                let element = self.child_expr(children, fields.element);
                let element = self.or_unknown(element);
                Some(self.composite(Literal::List, &[element]))
            }
            MapType => {
                let (key, value) = (self.child_expr(children, fields.key), self.child_expr(children, fields.value));
                let (key, value) = (self.or_unknown(key), self.or_unknown(value));
                Some(self.composite(Literal::Dict, &[key, value]))
            }
            ChannelType => {
                let value = self.child_expr(children, fields.value);
                let value = self.or_unknown(value);
                Some(self.composite(Literal::Generator, &[value]))
            }
            FunctionType => {
                let result = self.result(children);
                Some(self.composite(Literal::Function, &[result]))
            }
            StructType | InterfaceType => {
                let scope = self.open.last()?.body?;
                Some(self.b.expr(Expr::This { scope }))
            }
            // Several types limit what a type parameter can be; none of them says what it has.
            TypeConstraint | TypeElement => match children {
                [only] => only.expr,
                _ => None,
            },
            _ => None,
        }
    }

    fn type_identifier(&mut self, node: Node<'_>) -> Option<ExprId> {
        let bytes = node.byte_range();
        let text = self.text(bytes.clone());
        // The name of a declaration, or of the path that a qualified type is.
        let declares = self.ancestor(0)?.field == self.fields.name;
        if text.is_empty() || declares {
            return None;
        }
        let name = self.b.name(text);
        let parameter = self.type_params.get(&name).and_then(|scopes| scopes.last().copied());
        let at = bytes.start as u32;
        let scope = parameter.unwrap_or(self.b.scope());
        let expr = self.b.expr(Expr::Name { name, scope, at });
        if parameter.is_none() {
            self.use_type(expr, node.start_position().row, bytes.start);
        }
        Some(expr)
    }

    fn qualified_type(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let (package, name) = (self.child(children, self.fields.package)?, self.child(children, self.fields.name)?);
        let of = self.name_expr(package.bytes.clone());
        let path = self.member(of, name.bytes.clone());
        self.use_type(path, name.row, node.start_byte());
        Some(path)
    }

    /// Records the use of a type path, with the role its place gives it.
    fn use_type(&mut self, path: ExprId, row: usize, at: usize) {
        let fields = self.fields;
        let mut n = 1;
        let mut field = self.ancestor(0).map_or(0, |open| open.field);
        while let Some(open) = self.ancestor(n) {
            let passes = match open.kind {
                Kind::PointerType | Kind::ParenthesizedType => true,
                Kind::GenericType => field == fields.ty,
                _ => false,
            };
            if !passes {
                break;
            }
            field = open.field;
            n += 1;
        }
        let Some(open) = self.ancestor(n) else { return };
        let role = match open.kind {
            // Recorded with the whole.
            Kind::CompositeLiteral | Kind::TypeConversion | Kind::TypeInstantiation if field == fields.ty => return,
            Kind::FieldDeclaration if open.declares => Role::Inherit,
            Kind::TypeElement if self.above(n + 1) == Kind::InterfaceType => Role::Inherit,
            _ => Role::Type,
        };
        self.refer(path, role, row, at);
    }
}
