//! Type expressions. A use of a type's name is recorded wherever it stands.

use super::Script;
use super::nodes::Kind;
use crate::lang::walk::Child;
use crate::model::*;
use tree_sitter::Node;

impl Script<'_> {
    pub(super) fn type_expression(&mut self, kind: Kind, node: Node<'_>, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let fields = self.fields;
        match kind {
            TypeIdentifier => self.type_name(node),
            NestedIdentifier => {
                let of = self.child(children, fields.object)?.expr?;
                let name = self.child(children, fields.property)?.bytes.clone();
                let name = self.name(name);
                Some(self.b.expr(Expr::Member { of, name }))
            }
            NestedType => {
                let of = children.first()?.expr?;
                let name = self.child(children, fields.name)?;
                let (bytes, row) = (name.bytes.clone(), name.row);
                let name = self.name(bytes.clone());
                let path = self.b.expr(Expr::Member { of, name });
                if !self.names_supertype() {
                    self.refer(path, Role::Type, row, bytes.start);
                }
                Some(path)
            }
            GenericType => {
                let of = self.child(children, fields.name)?.expr?;
                let args = self.child(children, fields.type_arguments).and_then(|args| args.expr);
                match args.map(|args| self.b.facts.expr(args)) {
                    Some(Expr::Display { items, .. }) => Some(self.b.expr(Expr::Apply { of, args: items })),
                    _ => Some(of),
                }
            }
            TypeArguments | TupleType => {
                let types: Vec<Option<ExprId>> =
                    children.iter().filter(|child| !self.is_comment(child)).map(|child| child.expr).collect();
                let types: Vec<ExprId> = types.into_iter().map(|ty| self.or_unknown(ty)).collect();
                let items = self.b.list(&types);
                Some(self.b.expr(Expr::Display { kind: Literal::Tuple, items }))
            }
            ArrayType => {
                let of = self.first(children);
                let of = self.or_unknown(of);
                Some(self.b.expr(Expr::Array { of }))
            }
            Union | Intersection => {
                let mut types = Vec::new();
                for child in children {
                    if self.is_comment(child) {
                        continue;
                    }
                    let ty = self.or_unknown(child.expr);
                    // `A | B | C` nests to the left; as one list it is not deep.
                    match self.b.facts.expr(ty) {
                        Expr::Union { items } if self.grammar.kind(child.kind) == kind => {
                            types.extend_from_slice(self.b.facts.list(items));
                        }
                        _ => types.push(ty),
                    }
                }
                let items = self.b.list(&types);
                Some(self.b.expr(Expr::Union { items }))
            }
            FunctionType | ConstructorType => {
                let params = self.child(children, fields.parameters).and_then(|params| params.expr);
                let params = match params.map(|params| self.b.facts.expr(params)) {
                    Some(Expr::Display { items, .. }) => items,
                    _ => List::default(),
                };
                let result = self.child(children, fields.return_type).or_else(|| self.child(children, fields.ty));
                let result = result.and_then(|result| result.expr);
                let result = self.or_unknown(result);
                Some(self.b.expr(Expr::Signature { params, result }))
            }
            ObjectType => {
                let definition = self.open.last()?.definition?;
                Some(self.b.expr(Expr::Defined { definition }))
            }
            TypeQuery => {
                let of = self.first(children)?;
                Some(self.b.expr(Expr::ValueType { of }))
            }
            PredefinedType => Some(match self.text(node.byte_range()) {
                "string" => self.literal(Literal::Str),
                "number" => self.literal(Literal::Int),
                "boolean" => self.literal(Literal::Bool),
                "void" | "never" => self.literal(Literal::None),
                _ => self.unknown(),
            }),
            ThisType => {
                let scope = self.b.scope();
                Some(self.b.expr(Expr::This { scope }))
            }
            LookupType => self.lookup_type(children),
            TypePredicateAnnotation | TypePredicate => Some(self.literal(Literal::Bool)),
            RequiredParameter | OptionalParameter => self.child(children, fields.ty)?.expr,
            ParenthesizedType | ReadonlyType | OptionalType | RestType | TypeAnnotation | Constraint | LiteralType => {
                let ty = self.first(children);
                // A declarator's type is known before its value is read.
                if kind == TypeAnnotation
                    && let Some(declarator) = self.ancestor(1).filter(|parent| parent.kind == Declarator)
                {
                    declarator.expr = ty;
                }
                ty
            }
            _ => None,
        }
    }

    /// A type's name that stands where `extends` or `implements` records it.
    fn names_supertype(&self) -> bool {
        use Kind::*;
        let direct = self.above(1);
        matches!(direct, ExtendsType | Implements | ExtendsClause)
            || direct == GenericType && matches!(self.above(2), ExtendsType | Implements | ExtendsClause)
    }

    fn type_name(&mut self, node: Node<'_>) -> Option<ExprId> {
        use Kind::*;
        let field = self.open.last().map_or(0, |open| open.field);
        let (bytes, row) = (node.byte_range(), node.start_position().row);
        let declares = match self.above(1) {
            ClassDeclaration | AbstractClass | Class | InterfaceDeclaration | TypeAlias | TypeParameter
            | MappedClause | NestedType => field == self.fields.name,
            InferType => true,
            _ => false,
        };
        if declares || bytes.is_empty() {
            return None;
        }
        let expr = self.name_expr(bytes.clone());
        if !self.names_supertype() {
            self.refer(expr, Role::Type, row, bytes.start);
        }
        Some(expr)
    }

    /// `T["name"]`, `T[number]`
    fn lookup_type(&mut self, children: &[Child]) -> Option<ExprId> {
        let mut parts = children.iter().filter(|child| !self.is_comment(child));
        let ty = parts.next()?.expr?;
        let key = parts.next()?;
        let text = self.text(key.bytes.clone());
        let of = self.b.expr(Expr::Typed { ty });
        let of = if text == "number" {
            self.b.expr(Expr::Element { of })
        } else if text.starts_with(['"', '\'']) {
            let name = self.unquoted(key.bytes.clone());
            let name = self.name(name);
            self.b.expr(Expr::Member { of, name })
        } else {
            return None;
        };
        Some(self.b.expr(Expr::ValueType { of }))
    }
}
