//! TypeScript and JavaScript: what one file says. One walk over one of three grammars that share their node names; `declare`
//! makes definitions, `bind` bindings, `modules` imports and exports, `express` and `types` path expressions and uses.
//! Nothing is looked up here. What only the whole file tells (which function a prototype belongs to, which scope an assigned
//! name lives in) is put right at the end, in `finish`.

mod bind;
pub(crate) mod config;
mod declare;
mod express;
mod finish;
mod modules;
mod nodes;
#[cfg(test)]
mod tests;
mod types;

use crate::lang::builder::Builder;
use crate::lang::mentions;
use crate::lang::walk::{Child, Step, TooDeep, Visitor, walk};
use crate::model::*;
use nodes::{Fields, Grammar, Kind};
use rustc_hash::FxHashMap;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Facts of a parsed `.ts` file. `source` is the text the tree was made from.
pub(crate) fn typescript(tree: &Tree, source: &str) -> Result<Builder, TooDeep> {
    facts(tree, source, &nodes::TYPESCRIPT)
}

/// Facts of a parsed `.tsx` file.
pub(crate) fn tsx(tree: &Tree, source: &str) -> Result<Builder, TooDeep> {
    facts(tree, source, &nodes::TSX)
}

/// Facts of a parsed JavaScript file, with or without JSX.
pub(crate) fn javascript(tree: &Tree, source: &str) -> Result<Builder, TooDeep> {
    facts(tree, source, &nodes::JAVASCRIPT)
}

fn facts(tree: &Tree, source: &str, grammar: &'static Grammar) -> Result<Builder, TooDeep> {
    let mut script = Script::new(source, grammar);
    walk(tree, &mut script)?;
    Ok(script.finish())
}

/// A node whose children are being walked, with what they handed up so far.
struct Open {
    kind: Kind,
    field: u16,
    /// Parameters left so far.
    count: usize,
    /// Arguments, type arguments or parameter types.
    list: List,
    /// What names the value that it holds; asked for from below, since asking a node for its parent walks from the root.
    naming: Naming,
    /// `export default`, or the operator `&&`.
    marked: bool,
    /// The definition it introduces.
    definition: Option<DefId>,
    /// The scope of members that it opened.
    members: Option<ScopeId>,
    /// The subject of an iteration, the type of a declaration.
    expr: Option<ExprId>,
    /// Decorators before a member or a class.
    decorators: Vec<ExprId>,
    /// Cannot complete normally, as far as its last statement tells.
    abrupt: bool,
    /// How many of [`Script::narrowings`] were known before it.
    narrowed: usize,
    opened: Opened,
}

/// The name that a declarator, member or assignment has for its value.
#[derive(Clone, Default)]
enum Naming {
    #[default]
    Nothing,
    /// Bytes and row of a plain name.
    Name(Range<usize>, usize),
    /// The same for a field, with what is written before it.
    Field(Range<usize>, usize, DefFlags),
    /// The parts of the path that is assigned to.
    Target(Vec<(Range<usize>, usize)>),
}

/// What has to be closed again on leaving a node.
#[derive(Default)]
struct Opened {
    scopes: usize,
    definition: bool,
    function: bool,
    this: bool,
    object: bool,
}

/// A function or lambda being read.
struct Function {
    scope: ScopeId,
    definition: Option<DefId>,
    returned: Vec<ExprId>,
}

/// What `this` is.
#[derive(Clone, Copy)]
enum This {
    /// The instance whose members the scope, or one around it, holds.
    Of(ScopeId),
    /// That of a plain function: its members' scope, once there is one.
    Plain(Option<ScopeId>, Option<DefId>),
    Unknown,
}

/// What a test says of a name where it holds.
#[derive(Clone, Copy)]
struct Narrowing {
    name: NameId,
    ty: ExprId,
    /// It holds where the test fails.
    negated: bool,
}

/// Members that are given to something by assignments (`Foo.prototype.bar = ..`, `foo.bar = ..`).
struct Given {
    /// The name of what gets them, as it is used in `from`.
    name: NameId,
    from: ScopeId,
    scope: ScopeId,
    /// Members of the thing itself, not of its instances.
    on_itself: bool,
}

/// An assignment to a name, whose scope is known at the end.
struct Assigned {
    name: NameId,
    block: ScopeId,
    value: Option<ExprId>,
    line: u32,
    at: u32,
}

struct Script<'s> {
    source: &'s str,
    grammar: &'static Grammar,
    fields: &'static Fields,
    b: Builder,
    open: Vec<Open>,
    functions: Vec<Function>,
    this: Vec<This>,
    narrowings: Vec<Narrowing>,
    given: Vec<Given>,
    given_by: FxHashMap<(NameId, ScopeId, bool), usize>,
    assigned: Vec<Assigned>,
    /// Supertypes that calls give (`inherits(Foo, Bar)`): the name, where it is used, what it extends.
    inherits: Vec<(NameId, ScopeId, ExprId)>,
    /// Scopes of plain functions' members, to be kept only if something is put into them.
    plain: Vec<(ScopeId, DefId)>,
    /// Members of objects that are the module's own: identifiers in them are names of the module.
    exported_object: Option<usize>,
    errors: usize,
    literals: FxHashMap<Literal, ExprId>,
    unknown: Option<ExprId>,
}

impl<'s> Script<'s> {
    fn new(source: &'s str, grammar: &'static Grammar) -> Self {
        Script {
            source,
            grammar,
            fields: &grammar.fields,
            b: Builder::new(Language::TypeScript),
            open: Vec::new(),
            functions: Vec::new(),
            this: Vec::new(),
            narrowings: Vec::new(),
            given: Vec::new(),
            given_by: FxHashMap::default(),
            assigned: Vec::new(),
            inherits: Vec::new(),
            plain: Vec::new(),
            exported_object: None,
            errors: 0,
            literals: FxHashMap::default(),
            unknown: None,
        }
    }

    /// Kind of the nth ancestor of the current node; 0 is the node itself.
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

    fn name(&mut self, bytes: Range<usize>) -> NameId {
        let text = self.text(bytes);
        self.b.name(text)
    }

    fn child<'c>(&self, children: &'c [Child], field: u16) -> Option<&'c Child> {
        children.iter().find(|child| child.field == field)
    }

    fn child_of_kind<'c>(&self, children: &'c [Child], kind: Kind) -> Option<&'c Child> {
        children.iter().find(|child| self.grammar.kind(child.kind) == kind)
    }

    fn is_comment(&self, child: &Child) -> bool {
        matches!(self.grammar.kind(child.kind), Kind::Comment | Kind::Error)
    }

    /// The first child with an expression that is not a comment.
    fn first(&self, children: &[Child]) -> Option<ExprId> {
        children.iter().find(|child| !self.is_comment(child))?.expr
    }

    fn open_scope(&mut self, kind: ScopeKind, definition: Option<DefId>) -> ScopeId {
        if let Some(open) = self.open.last_mut() {
            open.opened.scopes += 1;
        }
        self.b.open_scope(kind, definition)
    }

    /// Records a use, by the code of the innermost open definition.
    fn refer(&mut self, expr: ExprId, role: Role, row: usize, at: usize) {
        self.b.reference(expr, role, row as u32 + 1, at as u32);
    }

    fn literal(&mut self, kind: Literal) -> ExprId {
        let b = &mut self.b;
        *self.literals.entry(kind).or_insert_with(|| b.expr(Expr::Literal(kind)))
    }

    fn unknown(&mut self) -> ExprId {
        let b = &mut self.b;
        *self.unknown.get_or_insert_with(|| b.opaque())
    }

    fn or_unknown(&mut self, expr: Option<ExprId>) -> ExprId {
        expr.unwrap_or_else(|| self.unknown())
    }

    /// Code inside a function, lambda or local class.
    fn is_local(&self) -> bool {
        !self.functions.is_empty()
    }

    fn close(&mut self, open: &Open) {
        for _ in 0..open.opened.scopes {
            self.b.close_scope();
        }
        if open.opened.definition {
            self.b.close_definition();
        }
        if open.opened.function {
            self.functions.pop();
        }
        if open.opened.this {
            self.this.pop();
        }
        if open.opened.object {
            self.exported_object = None;
        }
    }

    /// Gives a node's parent what it needs before its own `leave`.
    fn hand_up(&mut self, field: u16, expr: Option<ExprId>, left: &Open) {
        let fields = self.fields;
        let narrowed = self.narrowings.len();
        let Some(parent) = self.open.last_mut() else { return };
        match parent.kind {
            Kind::If if field == fields.consequence => parent.abrupt = left.kind.is_jump() || left.abrupt,
            Kind::StatementBlock => {
                parent.abrupt = left.kind.is_jump() || left.kind == Kind::StatementBlock && left.abrupt
            }
            Kind::Assignment if field == fields.left => parent.expr = expr,
            Kind::ForIn if field == fields.right => parent.expr = expr,
            _ => {}
        }
        // What a test says is kept for the branches of the statement or operator that it decides.
        let decides = match left.kind {
            Kind::Parenthesized | Kind::Unary | Kind::Binary | Kind::Call => true,
            Kind::Comment => return,
            _ => false,
        };
        if !decides && !matches!(left.kind, Kind::Identifier | Kind::Member) {
            self.narrowings.truncate(left.narrowed.min(narrowed));
        }
    }

    fn leave_if(&mut self, open: &Open, has_else: bool, at: usize, row: usize) {
        if !open.abrupt || has_else {
            return;
        }
        // Only what failed the test goes on after `if (!(x instanceof T)) return;`
        for narrowing in self.narrowings.split_off(open.narrowed.min(self.narrowings.len())) {
            if narrowing.negated {
                self.narrow(narrowing, at, row);
            }
        }
    }
}

impl Visitor for Script<'_> {
    fn enter(&mut self, node: Node<'_>, field: u16) -> Step {
        use Kind::*;
        let kind = self.grammar.of_node(node);
        let parent = self.above(0);
        let fields = self.fields;
        let narrowed = self.narrowings.len();
        self.open.push(Open {
            kind,
            field,
            count: 0,
            list: List::default(),
            naming: self.naming(node, kind),
            marked: match kind {
                Export => nodes::has_word(node, "default"),
                Binary => nodes::has_word(node, "&&"),
                _ => false,
            },
            definition: None,
            members: None,
            expr: None,
            decorators: Vec::new(),
            abrupt: false,
            narrowed,
            opened: Opened::default(),
        });
        self.enter_branch(node, parent, field);
        match kind {
            Comment => {
                mentions::all(self.text(node.byte_range()).as_bytes(), &mut self.b.facts.words.comments);
                return Step::Skip;
            }
            Str => {
                let text = self.text(node.byte_range()).trim_matches(['"', '\'']);
                mentions::value(text, &mut self.b.facts.words.strings);
                return Step::Skip;
            }
            Regex => return Step::Skip,
            Error => {
                // Only the outermost: nested errors would be read again and again.
                if self.errors == 0 {
                    mentions::all(self.text(node.byte_range()).as_bytes(), &mut self.b.facts.words.strings);
                }
                self.errors += 1;
            }
            ImportStatement => {
                self.import_statement(node);
                return Step::Skip;
            }
            Export => self.enter_export(node),
            FunctionDeclaration | GeneratorDeclaration | MethodDefinition | Arrow | FunctionExpression | Generator => {
                self.enter_function(node, kind);
            }
            FunctionSignature | MethodSignature | AbstractMethod | CallSignature | ConstructSignature => {
                self.enter_signature(node, kind);
            }
            FunctionType | ConstructorType => {
                self.open_scope(ScopeKind::Block, None);
            }
            ClassDeclaration | AbstractClass | Class => self.enter_class(node),
            InterfaceDeclaration => self.enter_interface(node),
            TypeAlias => self.enter_alias(node),
            EnumDeclaration => self.enter_enum(node),
            InternalModule | Module => self.enter_namespace(node),
            ClassBody | InterfaceBody | EnumBody => self.enter_body(node),
            ObjectType => self.enter_object_type(node),
            Object => self.enter_object(node),
            EnumAssignment => self.enum_member(node),
            StatementBlock if parent.is_function() => {}
            StatementBlock if matches!(parent, InternalModule | Module) => self.enter_namespace_body(),
            StatementBlock | SwitchBody | StaticBlock | Catch => {
                self.open_scope(ScopeKind::Block, None);
                if kind == StaticBlock {
                    let scope = self.b.scope();
                    self.push_this(self::This::Of(scope));
                }
            }
            For | ForIn | While | Do => {
                self.open_scope(ScopeKind::Loop, None);
            }
            Property | PrivateProperty | Number if parent == EnumBody && field == fields.name => {
                self.enum_member(node);
            }
            _ => {}
        }
        Step::Descend
    }

    fn leave(&mut self, node: Node<'_>, field: u16, children: &[Child]) -> Option<ExprId> {
        let kind = self.above(0);
        let expr = self.express(kind, node, field, children);
        if kind == Kind::Error {
            self.errors -= 1;
        }
        let open = self.open.pop()?;
        self.close(&open);
        if kind == Kind::If {
            let has_else = self.child(children, self.fields.alternative).is_some();
            self.leave_if(&open, has_else, node.end_byte(), node.end_position().row);
        }
        self.hand_up(field, expr, &open);
        expr
    }
}
