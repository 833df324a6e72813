//! Types as path expressions: their uses, type parameters and the supertypes of declarations.

use super::Java;
use super::declare::named_children;
use super::express::MAX_OUTWARD;
use super::nodes::{Kind, kind_of};
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

impl Java<'_> {
    /// Type parameters may name each other in any order, so all are known before the first bound is read.
    pub(super) fn enter_type_parameters(&mut self, node: Node<'_>) {
        let Some(scope) = self.b.enclosing().and_then(|def| self.b.facts.definition(def).body) else { return };
        let mut count = 0;
        for parameter in named_children(node).filter(|child| kind_of(child.kind_id()) == Kind::TypeParameter) {
            let name = named_children(parameter).find(|child| kind_of(child.kind_id()) == Kind::TypeIdentifier);
            let Some(name) = name else { continue };
            let id = self.b.name(self.text(name.byte_range()));
            self.type_params.entry(id).or_default().push(scope);
            self.bound_type_params.push(id);
            count += 1;
        }
        if let Some(declaration) = self.ancestor(1) {
            declaration.type_params += count;
        }
    }

    pub(super) fn type_parameter(&mut self, children: &[Child]) -> Option<ExprId> {
        let name = children.iter().find(|child| kind_of(child.kind) == Kind::TypeIdentifier)?;
        let ty = children.iter().find(|child| kind_of(child.kind) == Kind::TypeBound).and_then(|bound| bound.expr);
        let id = self.b.name(self.text(name.bytes.clone()));
        let def = self.b.enclosing()?;
        let scope = self.b.facts.definition(def).body?;
        let (line, at) = (name.row as u32 + 1, name.bytes.start as u32);
        let kind = BindingKind::TypeParameter;
        self.b.facts.bindings.push(Binding { scope, block: scope, name: id, kind, ty, value: None, line, at });
        self.b.definition_mut(def).type_params.push(id);
        None
    }

    /// `extends A`, `implements A, B` and, for an interface, `extends A, B`.
    pub(super) fn supertypes(&mut self, children: &[Child]) -> Option<ExprId> {
        let (list, owner) = match self.above(0) {
            Kind::Superclass => (Kind::Superclass, self.ancestor(1)),
            _ => (self.above(1), self.ancestor(2)),
        };
        let def = owner.filter(|owner| owner.kind.is_type_declaration())?.definition?;
        let types: Vec<_> = children.iter().filter_map(|child| child.expr).collect();
        let types = self.b.list(&types);
        let definition = self.b.definition_mut(def);
        match list {
            Kind::SuperInterfaces => definition.interfaces = types,
            Kind::Superclass | Kind::ExtendsInterfaces => definition.supertypes = types,
            _ => {}
        }
        None
    }

    pub(super) fn type_expression(&mut self, kind: Kind, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let last = || children.iter().rev().find(|c| kind_of(c.kind).is_type()).and_then(|c| c.expr);
        match kind {
            TypeIdentifier => self.type_identifier(node),
            ScopedType => self.scoped_type(node, children),
            GenericType => {
                let base = children.iter().find_map(|child| child.expr)?;
                let args = self.open.last()?.list;
                // `<>` says nothing.
                if args.len == 0 { Some(base) } else { Some(self.b.expr(Expr::Apply { of: base, args })) }
            }
            TypeArguments => {
                let arguments = children.iter().filter(|child| kind_of(child.kind).is_type());
                let arguments: Vec<_> = arguments.map(|argument| self.or_unknown(argument.expr)).collect();
                let list = self.b.list(&arguments);
                let parent = self.ancestor(1).filter(|parent| parent.kind == GenericType)?;
                parent.list = list;
                None
            }
            ArrayType => {
                let of = last()?;
                let dimensions = self.child(children, self.fields.dimensions).map(|child| child.bytes.clone());
                Some(self.arrays(of, dimensions))
            }
            AnnotatedType => last(),
            // `&`: the first bound decides what is erased to.
            TypeBound => children.iter().find(|c| kind_of(c.kind).is_type()).and_then(|c| c.expr),
            Wildcard => Some(self.or_unknown(last())),
            CatchType => {
                let types: Vec<_> = children.iter().filter_map(|child| child.expr).collect();
                if let [only] = types[..] {
                    return Some(only);
                }
                let items = self.b.list(&types);
                Some(self.b.expr(Expr::Union { items }))
            }
            IntegralType => Some(self.literal(match self.text(node.byte_range()) {
                "long" => Literal::Long,
                "char" => Literal::Char,
                "short" => Literal::Short,
                "byte" => Literal::Byte,
                _ => Literal::Int,
            })),
            FloatType => {
                let float = self.text(node.byte_range()) == "float";
                Some(self.literal(if float { Literal::Float } else { Literal::Double }))
            }
            BooleanType => Some(self.literal(Literal::Bool)),
            VoidType => Some(self.literal(Literal::None)),
            _ => None,
        }
    }

    fn type_identifier(&mut self, node: Node<'_>) -> Option<ExprId> {
        let (bytes, row) = (node.byte_range(), node.start_position().row);
        let text = self.text(bytes.clone());
        let parent = self.above(1);
        // `final`: see `pattern`.
        if matches!(text, "" | "var" | "final") || parent == Kind::TypeParameter {
            return None;
        }
        if parent == Kind::ScopedType && self.ancestor(1).is_some_and(|scoped| scoped.count > 0) {
            return None;
        }
        let name = self.b.name(text);
        let parameter = self.type_params.get(&name).and_then(|scopes| scopes.last().copied());
        let at = bytes.start as u32;
        let scope = parameter.unwrap_or(self.b.scope());
        let expr = self.b.expr(Expr::Name { name, scope, at });
        if parameter.is_none() && parent != Kind::ScopedType {
            self.use_type(expr, row, bytes.start);
        }
        Some(expr)
    }

    fn scoped_type(&mut self, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        let of = children.iter().find_map(|child| child.expr)?;
        let name = children.iter().rfind(|child| kind_of(child.kind) == Kind::TypeIdentifier)?;
        if self.text(name.bytes.clone()) == "super" {
            // `Outer.super::m`
            return Some(self.qualified_super(of));
        }
        let path = self.path_of(of);
        let path = self.member(path, name.bytes.clone());
        if self.above(1) != Kind::ScopedType {
            self.use_type(path, name.row, node.start_byte());
        }
        Some(path)
    }

    /// Records the use of a type path, with the role its place gives it.
    fn use_type(&mut self, path: ExprId, row: usize, at: usize) {
        let mut n = 1;
        while matches!(self.above(n), Kind::GenericType | Kind::AnnotatedType) {
            n += 1;
        }
        let role = match self.above(n) {
            // Recorded with the whole: constructions, method references, longer paths.
            Kind::ObjectCreation | Kind::MethodReference | Kind::ScopedType => return,
            Kind::Superclass => Role::Inherit,
            Kind::TypeList => match self.above(n + 1) {
                Kind::SuperInterfaces => Role::Implement,
                Kind::ExtendsInterfaces => Role::Inherit,
                _ => Role::Type,
            },
            _ => Role::Type,
        };
        self.refer(path, role, row, at);
    }

    /// `Outer.super` goes past the enclosing class of that name, `Interface.super` to the interface itself.
    pub(super) fn qualified_super(&mut self, ty: ExprId) -> ExprId {
        if let Expr::Name { name, .. } = self.b.facts.expr(ty) {
            let outward = self.types.iter().rev().take(MAX_OUTWARD);
            if let Some(frame) = outward.into_iter().find(|frame| frame.name == name) {
                return self.b.expr(Expr::Super { scope: frame.body });
            }
        }
        self.b.expr(Expr::Typed { ty })
    }

    /// A type without its arguments.
    pub(super) fn path_of(&self, ty: ExprId) -> ExprId {
        match self.b.facts.expr(ty) {
            Expr::Apply { of, .. } => of,
            _ => ty,
        }
    }
}
