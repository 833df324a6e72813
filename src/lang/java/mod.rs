//! Java: what one compilation unit says. One walk; `declare` and `bind` make definitions and bindings, `express` and
//! `types` make path expressions and uses. Nothing is looked up here: overloads, inheritance and imports are resolution's
//! business. What the grammar (tree-sitter-java 0.23.5) gets wrong, `case final T x` and qualified record patterns, is put
//! right here.

mod bind;
mod declare;
mod express;

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

/// Extracts the facts of a parsed Java file. `source` is the text the tree was made from.
pub(crate) fn facts(tree: &Tree, source: &str) -> Result<Builder, TooDeep> {
    let mut java = Java::new(source);
    walk(tree, &mut java)?;
    Ok(java.into_builder())
}

/// A node whose children are being walked, with what they handed up so far.
struct Open {
    kind: Kind,
    /// Children left so far; comments, errors and receiver parameters are not counted.
    count: usize,
    /// The type it declares or constructs, the subject of a switch, the name of an annotation.
    ty: Option<ExprId>,
    /// Arguments, type arguments or decorators.
    list: List,
    /// The definition it introduces.
    definition: Option<DefId>,
    /// The variable of a for-each or of a variadic parameter, with its row.
    variable: Option<(NameId, usize)>,
    /// Run of [`Java::patterns`] that the condition of an `if` introduced.
    patterns: Range<usize>,
    /// Type parameters it brought into scope.
    type_params: usize,
    /// Modifiers of a field declaration, and its first row.
    written: DefFlags,
    row: usize,
    /// Cannot complete normally, as far as its last statement tells (blocks), or its branch (`if`).
    abrupt: bool,
    /// A record pattern that the grammar takes for a method call.
    phantom: bool,
    opened: Opened,
}

/// What has to be closed again on leaving a node.
#[derive(Default)]
struct Opened {
    scope: bool,
    class: bool,
    definition: bool,
    type_frame: bool,
    function: bool,
    switch: bool,
}

/// A type declaration being read.
struct TypeFrame {
    name: NameId,
    body: ScopeId,
    /// Components of a record, for its compact constructor.
    components: Vec<Param>,
    /// Names of the methods without parameters that a record declares itself.
    accessors: FxHashSet<NameId>,
}

/// A pattern variable, as it may have to be bound once more after its `if`.
struct Pattern {
    name: NameId,
    ty: Option<ExprId>,
    row: usize,
}

struct Java<'s> {
    source: &'s str,
    fields: &'static Fields,
    b: Builder,
    open: Vec<Open>,
    types: Vec<TypeFrame>,
    /// Per open method or lambda what it returned so far.
    functions: Vec<Vec<ExprId>>,
    /// Per open switch what its arms gave so far.
    switches: Vec<Vec<ExprId>>,
    locals: Locals,
    /// Per name the scopes that bind it as a type parameter, innermost last.
    type_params: FxHashMap<NameId, Vec<ScopeId>>,
    bound_type_params: Vec<NameId>,
    patterns: Vec<Pattern>,
    /// The outermost open annotation (its depth in `open`) and the definition that its uses belong to.
    annotation: Option<(usize, Option<DefId>)>,
    errors: usize,
    /// The type of `case final T x`, whose variable comes later, in an ERROR node.
    final_pattern: Option<ExprId>,
    /// Switch labels: index of the reference, the name, the label as a plain name.
    labels: Vec<(usize, NameId, ExprId)>,
    /// Names of fields and static imports, and of enum constants: they tell what a label is.
    constants: FxHashSet<NameId>,
    enum_members: FxHashSet<NameId>,
    literals: FxHashMap<Literal, ExprId>,
    unknown: Option<ExprId>,
}

impl<'s> Java<'s> {
    fn new(source: &'s str) -> Self {
        Java {
            source,
            fields: &FIELDS,
            b: Builder::new(Language::Java),
            open: Vec::new(),
            types: Vec::new(),
            functions: Vec::new(),
            switches: Vec::new(),
            locals: Locals::default(),
            type_params: FxHashMap::default(),
            bound_type_params: Vec::new(),
            patterns: Vec::new(),
            annotation: None,
            errors: 0,
            final_pattern: None,
            labels: Vec::new(),
            constants: FxHashSet::default(),
            enum_members: FxHashSet::default(),
            literals: FxHashMap::default(),
            unknown: None,
        }
    }

    fn into_builder(mut self) -> Builder {
        // `case X` names a member of the subject's type, except for constants of primitive and string switches.
        for (reference, name, plain) in self.labels {
            if self.constants.contains(&name) && !self.enum_members.contains(&name) {
                self.b.facts.references[reference].expr = plain;
            }
        }
        self.b
    }

    /// Kind of the nth ancestor of the current node.
    fn above(&self, n: usize) -> Kind {
        self.open.len().checked_sub(n + 1).map_or(Kind::Other, |at| self.open[at].kind)
    }

    /// The nth ancestor of the current node; 0 is the node itself.
    fn ancestor(&mut self, n: usize) -> Option<&mut Open> {
        let at = self.open.len().checked_sub(n + 1)?;
        self.open.get_mut(at)
    }

    fn text(&self, bytes: Range<usize>) -> &'s str {
        self.source.get(bytes).unwrap_or_default()
    }

    fn child<'c>(&self, children: &'c [Child], field: u16) -> Option<&'c Child> {
        children.iter().find(|child| child.field == field)
    }

    fn open_scope(&mut self, kind: ScopeKind, definition: Option<DefId>) -> ScopeId {
        self.locals.open_scope();
        if let Some(open) = self.open.last_mut() {
            open.opened.scope = true;
        }
        self.b.open_scope(kind, definition)
    }

    /// Records a use; inside annotations it belongs to the code around what is annotated.
    fn refer(&mut self, expr: ExprId, role: Role, row: usize, at: usize) {
        let enclosing = self.annotation.map_or_else(|| self.b.enclosing(), |(_, owner)| owner);
        let (line, at) = (row as u32 + 1, at as u32);
        self.b.facts.references.push(Reference { expr, role, enclosing, line, at });
    }

    fn literal(&mut self, kind: Literal) -> ExprId {
        let b = &mut self.b;
        *self.literals.entry(kind).or_insert_with(|| b.expr(Expr::Literal(kind)))
    }

    fn unknown(&mut self) -> ExprId {
        let b = &mut self.b;
        *self.unknown.get_or_insert_with(|| b.opaque())
    }

    /// Binds a local in the innermost scope, for uses from `at` on.
    fn bind(
        &mut self,
        name: NameId,
        kind: BindingKind,
        ty: Option<ExprId>,
        value: Option<ExprId>,
        row: usize,
        at: usize,
    ) {
        let scope = self.b.scope();
        let (line, at) = (row as u32 + 1, at as u32);
        self.b.facts.bindings.push(Binding { scope, block: scope, name, kind, ty, value, line, at });
        self.locals.declare(name);
    }

    fn close(&mut self, open: &Open) {
        if open.opened.scope {
            self.b.close_scope();
            self.locals.close_scope();
        }
        if open.opened.class {
            self.locals.leave_class();
        }
        if open.opened.definition {
            self.b.close_definition();
        }
        if open.opened.type_frame {
            self.types.pop();
        }
        if open.opened.function {
            self.functions.pop();
        }
        if open.opened.switch {
            self.switches.pop();
        }
        for _ in 0..open.type_params {
            let scopes = self.bound_type_params.pop().and_then(|name| self.type_params.get_mut(&name));
            scopes.and_then(|scopes| scopes.pop());
        }
    }

    /// Gives a node's parent what it needs before its own `leave`.
    fn hand_up(&mut self, node: Node<'_>, field: u16, expr: Option<ExprId>, left: &Open) {
        let fields = self.fields;
        let introduced = self.patterns.len();
        let Some(parent) = self.open.last_mut() else { return };
        let kind = left.kind;
        if !matches!(kind, Kind::ReceiverParameter | Kind::Error) && !kind.is_comment() {
            parent.count += 1;
        }
        let names_type = kind.is_type()
            || field == fields.name && parent.kind.is_annotation()
            || field == fields.condition && parent.kind == Kind::SwitchExpression
            || kind == Kind::Identifier && parent.kind == Kind::RecordPattern;
        if names_type && expr.is_some() {
            parent.ty = expr;
        }
        // In a record pattern taken for a call, the type of a component is an error before its name.
        if kind == Kind::Error && parent.kind == Kind::ArgumentList {
            parent.ty = left.ty;
        }
        match parent.kind {
            Kind::If if field == fields.condition => parent.patterns.end = introduced,
            Kind::If if field == fields.consequence => parent.abrupt = kind.is_jump() || left.abrupt,
            Kind::Block => parent.abrupt = kind.is_jump() || kind == Kind::Block && left.abrupt,
            Kind::EnhancedFor if field == fields.value => self.bind_loop_variable(expr, node.end_byte()),
            _ => {}
        }
    }

    /// A string literal or text block, with its quotes.
    fn mention(&mut self, bytes: Range<usize>) {
        mentions::value(self.text(bytes).trim_matches('"'), &mut self.b.facts.words.strings);
    }
}

impl Visitor for Java<'_> {
    fn enter(&mut self, node: Node<'_>, _field: u16) -> Step {
        use Kind::*;
        let kind = kind_of(node.kind_id());
        let introduced = self.patterns.len();
        self.open.push(Open {
            kind,
            count: 0,
            ty: None,
            list: List::default(),
            definition: None,
            variable: None,
            patterns: introduced..introduced,
            type_params: 0,
            written: DefFlags::default(),
            row: node.start_position().row,
            abrupt: false,
            phantom: false,
            opened: Opened::default(),
        });
        match kind {
            LineComment | BlockComment => {
                mentions::all(self.text(node.byte_range()).as_bytes(), &mut self.b.facts.words.comments);
            }
            StringLiteral => self.mention(node.byte_range()),
            Import => {
                self.import(node);
                return Step::Skip;
            }
            Error => {
                // Only the outermost: nested errors would be read again and again.
                if self.errors == 0 {
                    mentions::all(self.text(node.byte_range()).as_bytes(), &mut self.b.facts.words.strings);
                }
                self.errors += 1;
            }
            Package => self.package(node),
            ClassDeclaration => self.enter_type(node, DefKind::Class),
            InterfaceDeclaration => self.enter_type(node, DefKind::Interface),
            EnumDeclaration => self.enter_type(node, DefKind::Enum),
            RecordDeclaration => self.enter_type(node, DefKind::Record),
            AnnotationDeclaration => self.enter_type(node, DefKind::Annotation),
            ClassBody | InterfaceBody | EnumBody | AnnotationBody => self.enter_body(node),
            MethodDeclaration => self.enter_function(node, DefKind::Method),
            ConstructorDeclaration | CompactConstructor => self.enter_function(node, DefKind::Constructor),
            AnnotationElement => self.annotation_element(node),
            EnumConstant => self.enum_constant(node),
            FieldDeclaration | ConstantDeclaration => {
                let written = self.written_flags(node);
                if let Some(open) = self.open.last_mut() {
                    open.written = written;
                }
            }
            VariableDeclarator if matches!(self.above(1), FieldDeclaration | ConstantDeclaration) => self.field(node),
            TypeParameters => self.enter_type_parameters(node),
            SwitchLabel => self.final_pattern = None,
            Annotation | MarkerAnnotation => self.enter_annotation(),
            Lambda => {
                self.open_scope(ScopeKind::Lambda, None);
                self.enter_callable();
            }
            // The body of a function or lambda shares its scope.
            Block if !self.above(1).is_function() && self.above(1) != Lambda => {
                self.open_scope(ScopeKind::Block, None);
            }
            // Groups (`case A:`) have no scope of their own: what one declares, the next ones see.
            If | SwitchBlock | SwitchRule | CatchClause | TryWithResources => {
                self.open_scope(ScopeKind::Block, None);
            }
            For | EnhancedFor | While | Do => {
                self.open_scope(ScopeKind::Loop, None);
            }
            SwitchExpression => self.enter_switch(),
            MethodInvocation => self.enter_call(),
            _ => {}
        }
        Step::Descend
    }

    fn leave(&mut self, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        use Kind::*;
        let kind = self.above(0);
        let expr = match kind {
            MethodDeclaration | ConstructorDeclaration | CompactConstructor => self.leave_function(children),
            AnnotationElement => self.leave_annotation_element(children),
            TypeParameter => self.type_parameter(children),
            TypeList | Superclass => self.supertypes(children),
            Modifiers => self.modifiers(children),
            FormalParameter => self.formal_parameter(node, children),
            SpreadParameter => self.spread_parameter(node),
            VariableDeclarator => self.variable(node, children),
            Resource => self.resource(node, children),
            CatchParameter => self.catch_parameter(node, children),
            TypePattern | RecordComponent => self.pattern(node, children),
            EnumConstant => self.leave_enum_constant(children),
            _ => self.express(kind, node, field, children),
        };
        if kind == Error {
            self.errors -= 1;
        }
        if self.annotation.is_some_and(|(depth, _)| depth == self.open.len()) {
            self.annotation = None;
        }
        let open = self.open.pop()?;
        self.close(&open);
        if kind == If && open.abrupt && self.child(children, self.fields.alternative).is_none() {
            self.outlive(open.patterns.clone(), node.end_byte());
        }
        self.hand_up(node, field, expr, &open);
        expr
    }
}
