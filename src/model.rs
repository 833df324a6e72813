//! The nouns: what one file says ([`FileFacts`]) and what the whole repository says ([`Symbol`], [`Edge`]).
//!
//! Facts are the barrier that makes increments cheap: extraction looks at one file and nothing else and decides nothing
//! across files; resolution looks at facts and nothing else. So a use of a name is kept as a small path expression
//! ([`Expr`]) with the scope and the position it stands in, and *what* it names is left open. Nothing here holds source
//! text beyond identifiers: no literals, no default values, no comments, since those may be secrets.

use serde::{Deserialize, Serialize};

/// Raised whenever extraction changes what it yields; facts of another version are never reused.
pub const EXTRACTOR_VERSION: u32 = 9;

/// Longest identifier that is stored, in bytes; a longer one is cut at a character boundary.
pub const MAX_NAME: usize = 200;

/// Begins what is stored for a name that looks like a key or token; no identifier does.
pub const HIDDEN_NAME: char = '*';

/// A language. `Text` is none: its files only witness mentions of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Python,
    Java,
    /// One family with `TypeScript`: facts of both say `TypeScript`, so that references between them resolve.
    JavaScript,
    TypeScript,
    Go,
    Text,
    // Without a front end: found by their words, and nothing else is known of them.
    Rust,
    C,
    #[serde(rename = "c++")]
    Cpp,
    #[serde(rename = "c#")]
    CSharp,
    Kotlin,
    Scala,
    Groovy,
    Swift,
    Dart,
    Php,
    Ruby,
    Elixir,
    Perl,
    Shell,
    Lua,
    Vue,
    Svelte,
}

impl Language {
    pub const ALL: [Language; 23] = [
        Language::Python,
        Language::Java,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Text,
        Language::Rust,
        Language::C,
        Language::Cpp,
        Language::CSharp,
        Language::Kotlin,
        Language::Scala,
        Language::Groovy,
        Language::Swift,
        Language::Dart,
        Language::Php,
        Language::Ruby,
        Language::Elixir,
        Language::Perl,
        Language::Shell,
        Language::Lua,
        Language::Vue,
        Language::Svelte,
    ];

    /// Languages whose code refers to each other are one family, and this is its name in facts and rules. Those without a
    /// front end are text there.
    pub fn family(self) -> Language {
        match self {
            Language::JavaScript => Language::TypeScript,
            Language::Python | Language::Java | Language::TypeScript | Language::Go => self,
            _ => Language::Text,
        }
    }

    /// The name shown to users and stored in the database.
    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Java => "java",
            Language::JavaScript => "javascript",
            Language::TypeScript => "typescript",
            Language::Go => "go",
            Language::Text => "text",
            Language::Rust => "rust",
            Language::C => "c",
            Language::Cpp => "c++",
            Language::CSharp => "c#",
            Language::Kotlin => "kotlin",
            Language::Scala => "scala",
            Language::Groovy => "groovy",
            Language::Swift => "swift",
            Language::Dart => "dart",
            Language::Php => "php",
            Language::Ruby => "ruby",
            Language::Elixir => "elixir",
            Language::Perl => "perl",
            Language::Shell => "shell",
            Language::Lua => "lua",
            Language::Vue => "vue",
            Language::Svelte => "svelte",
        }
    }
}

/// Index into [`FileFacts::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// Index into [`FileFacts::scopes`]. Scope 0 is the module (the whole file).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ScopeId(pub u32);

/// Index into [`FileFacts::definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DefId(pub u32);

/// Index into [`FileFacts::exprs`]. A child always has a smaller id than its parent, so evaluation terminates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

/// A run of [`FileFacts::lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct List {
    pub start: u32,
    pub len: u32,
}

/// The module scope of every file.
pub const MODULE_SCOPE: ScopeId = ScopeId(0);

/// Where something stands. Lines count from 1 and include both ends; `at` is the byte offset of the name (or of the
/// expression), which orders things inside a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Line of the name.
    pub line: u32,
    /// Last line of the whole construct.
    pub end_line: u32,
    pub at: u32,
}

/// What one file says, unresolved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileFacts {
    pub language: Language,
    pub status: Status,
    /// Declared package or namespace (`package a.b;`). `None` where the language derives it from the path.
    pub package: Option<NameId>,
    /// Interned identifiers and dotted module paths; no duplicates.
    pub names: Vec<Box<str>>,
    pub scopes: Vec<Scope>,
    /// In source order of their names; a container stands before its members.
    pub definitions: Vec<Definition>,
    pub bindings: Vec<Binding>,
    pub imports: Vec<Import>,
    pub exports: Exports,
    pub exprs: Vec<Expr>,
    /// Backing store of every [`List`].
    pub lists: Vec<ExprId>,
    /// What a configuration file says about where modules are found; empty for all others.
    pub search: Vec<SearchRule>,
    /// In source order.
    pub references: Vec<Reference>,
    pub dynamic: Vec<DynamicExit>,
    pub words: Words,
    /// What a file with code can be found by, by hash.
    pub terms: Terms,
    /// Number of lines of the file.
    pub lines: u32,
    /// Hash of definitions, signatures, supertypes, imports and exports. Unchanged: other files' edges stand.
    pub interface_hash: u64,
    /// Hash of everything else that was extracted.
    pub body_hash: u64,
}

/// How much of a file the facts cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    Parsed,
    /// These inclusive line ranges did not parse; definitions inside them were recovered by regular expressions.
    Partial(Vec<(u32, u32)>),
    /// Regular expressions only, with the reason (timeout, too deep, ...).
    Fallback(String),
    /// Only words were taken (a language without a front end, documentation, configuration).
    Words,
}

impl Status {
    /// The word shown to users and stored in the database.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Parsed => "parsed",
            Status::Partial(_) => "partial",
            Status::Fallback(_) => "fallback",
            Status::Words => "words",
        }
    }
}

/// A region with names of its own, or (kind `Block`) a region of control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// `None` only for the module scope.
    pub parent: Option<ScopeId>,
    pub kind: ScopeKind,
    /// The definition whose body this is; `None` for blocks, lambdas and comprehensions.
    pub definition: Option<DefId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    Module,
    Class,
    Function,
    /// A lambda: its parameters are bindings of this scope, its results are in [`FileFacts::lists`] via `Expr::Lambda`.
    Lambda,
    /// A comprehension or generator expression (Python): names bound inside do not leak.
    Comprehension,
    /// A branch body (`if`, `else`, `try`, `case`, ...): executed at most once and perhaps not at all.
    Block,
    /// A loop body: like `Block`, and what is bound later in it reaches earlier uses on the next turn.
    Loop,
}

/// The place that introduces a name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Definition {
    pub name: NameId,
    pub kind: DefKind,
    /// The definition it is a member of or nested in; `None` at module level.
    pub container: Option<DefId>,
    /// The scope that holds the name: module, class, function or (languages with block scope) block.
    pub scope: ScopeId,
    /// The innermost scope in which the definition stands; a `Block` for conditional definitions, else equal to `scope`.
    pub block: ScopeId,
    /// The scope of its own body, for classes and functions.
    pub body: Option<ScopeId>,
    /// The scope of its members where that is not its body: functions that make instances or have members of their own.
    pub members: Option<ScopeId>,
    pub span: Span,
    /// First line, decorators and annotations included.
    pub start_line: u32,
    pub flags: DefFlags,
    /// Parameters, in order, for functions, methods and constructors (Python: `self` included).
    pub params: Vec<Param>,
    /// Declared result type (functions), declared type (fields, variables), bound (type parameters).
    pub ty: Option<ExprId>,
    /// Returned (or yielded, with `DefFlags::GENERATOR`) values of a function; assigned values of a field or variable are
    /// bindings instead.
    pub returns: List,
    /// Superclasses, in order. `interfaces` holds what is only implemented, where the language tells them apart.
    pub supertypes: List,
    pub interfaces: List,
    /// Decorators or annotations: the callee path, without arguments.
    pub decorators: List,
    /// Type parameters of a class or function, in order (names; also bound as `BindingKind::TypeParameter` in its body).
    pub type_params: Vec<NameId>,
    /// The type whose member it is, where that is written apart from it, in any file of the package (Go's methods). Its type
    /// parameters are then what the member calls those of that type, in their order.
    pub receiver: Option<NameId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DefKind {
    Class,
    Interface,
    Enum,
    /// `record` in Java.
    Record,
    /// `@interface` in Java.
    Annotation,
    Function,
    Method,
    Constructor,
    /// Member variable: class attribute, `self.x`, Java field, record component.
    Field,
    /// Constant of an enum; may have a body with members of its own.
    EnumMember,
    /// Variable at module level.
    Variable,
    TypeAlias,
    /// A named region of a file with members of its own (`namespace`).
    Namespace,
    /// An object literal with members that are functions or refer to something.
    Object,
}

impl DefKind {
    /// True for what has members and can be a type.
    pub fn is_type(self) -> bool {
        use DefKind::*;
        matches!(self, Class | Interface | Enum | Record | Annotation | Namespace | Object)
    }

    /// True for what can be called by its own name.
    pub fn is_callable(self) -> bool {
        matches!(self, DefKind::Function | DefKind::Method | DefKind::Constructor)
    }

    /// The word shown to users and stored in the database.
    pub fn name(self) -> &'static str {
        use DefKind::*;
        match self {
            Class => "class",
            Interface => "interface",
            Enum => "enum",
            Record => "record",
            Annotation => "annotation",
            Function => "function",
            Method => "method",
            Constructor => "constructor",
            Field => "field",
            EnumMember => "enum_member",
            Variable => "variable",
            TypeAlias => "type_alias",
            Namespace => "namespace",
            Object => "object",
        }
    }
}

/// Properties of a definition, as a bit set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefFlags(pub u32);

impl DefFlags {
    /// Visible outside its file by the language's own rule or convention (Python: no leading underscore and not local;
    /// Java: not private and not local).
    pub const EXPORTED: u32 = 1;
    pub const STATIC: u32 = 1 << 1;
    /// Python `@classmethod`: the first parameter is the class.
    pub const CLASS_METHOD: u32 = 1 << 2;
    /// Read like a field, evaluated like a call (`@property` and its like).
    pub const PROPERTY: u32 = 1 << 3;
    pub const ABSTRACT: u32 = 1 << 4;
    pub const PRIVATE: u32 = 1 << 5;
    pub const PROTECTED: u32 = 1 << 6;
    pub const PUBLIC: u32 = 1 << 7;
    pub const ASYNC: u32 = 1 << 8;
    /// `returns` holds what is yielded.
    pub const GENERATOR: u32 = 1 << 9;
    /// Declared to override something (`@Override`, `@typing.override`).
    pub const OVERRIDE: u32 = 1 << 10;
    /// Class without a name of its own (Java anonymous class): left out of qualified names.
    pub const ANONYMOUS: u32 = 1 << 11;
    /// Found by regular expressions, without scopes or types.
    pub const RECOVERED: u32 = 1 << 12;
    /// Declared inside a function body.
    pub const LOCAL: u32 = 1 << 13;
    /// A declaration without a body of its own that others stand for (`@overload` stubs).
    pub const OVERLOAD: u32 = 1 << 14;
    /// A Java method with a body inside an interface.
    pub const DEFAULT: u32 = 1 << 15;
    /// Class with a metaclass, or with arguments for one: whoever makes it may remember it.
    pub const MADE_BY_METACLASS: u32 = 1 << 16;

    pub fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    pub fn set(&mut self, bit: u32) {
        self.0 |= bit;
    }
}

/// One parameter of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    pub name: NameId,
    pub kind: ParamKind,
    /// May be left out by a caller.
    pub optional: bool,
    /// Declared type.
    pub ty: Option<ExprId>,
    /// The default, where it is a name, a call or a kind of literal (never its content).
    pub default: Option<ExprId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamKind {
    Normal,
    PositionalOnly,
    KeywordOnly,
    /// `*args`, `T...`
    Rest,
    /// `**kwargs`
    KeywordRest,
}

/// What a name (or a member of a class) is bound to at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The scope that holds the name. For `MemberOf` kinds: the class body scope.
    pub scope: ScopeId,
    /// The innermost scope in which the binding stands: tells which uses it dominates.
    pub block: ScopeId,
    pub name: NameId,
    pub kind: BindingKind,
    /// Declared type, if any.
    pub ty: Option<ExprId>,
    /// The bound value, if it could be expressed.
    pub value: Option<ExprId>,
    pub line: u32,
    /// The binding holds for uses at or after this offset (the end of the statement for assignments).
    pub at: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingKind {
    /// Assignment, loop variable, `with ... as`, `except ... as`, pattern variable, field or variable with initialiser.
    Assigned,
    /// nth parameter of the function (or lambda) whose scope this is; `ty`/`value` repeat declared type and default.
    Parameter(u16),
    /// `self.x = ...` inside a method: a member of the class whose body scope is `scope`.
    SelfMember,
    /// The name is known to be a `ty` from here to the end of `block` (`isinstance`, Java pattern).
    Narrowed,
    /// Type parameter; `ty` is its bound.
    TypeParameter,
    /// The name is bound, to something that could not be expressed; shadows outer names all the same.
    Opaque,
    /// `del x`, or a declaration that makes the name local without a value.
    Unbound,
}

/// One imported name, module or star.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    pub kind: ImportKind,
    pub scope: ScopeId,
    pub block: ScopeId,
    /// Dotted module or package path (Java: package, or class for static and nested imports); empty name for `from . import x`.
    pub module: NameId,
    /// Leading dots of a relative import.
    pub level: u8,
    /// The imported name (`Name`, `StaticName`).
    pub name: Option<NameId>,
    /// The local name it binds; `None` for stars. `import a.b.c` without alias binds `a`.
    pub binds: Option<NameId>,
    /// Only for type checking; no effect at run time.
    pub type_only: bool,
    pub line: u32,
    pub at: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// `import a.b` (binds the first segment) or `import a.b as x` (binds the module itself).
    Module,
    /// `from m import n [as x]`, `import a.b.C`.
    Name,
    /// `from m import *`, `import a.b.*`.
    Star,
    /// `import static a.B.m`
    StaticName,
    /// `import static a.B.*`
    StaticStar,
    /// Another name for a name of this file's module scope (`export { a as b }`).
    Own,
    /// `import "a/b"`: binds the name that the package declares; `binds` is what it is by convention.
    Package,
}

/// What a file says it exports, where the language has such a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exports {
    /// Names of `__all__`; `None` without one.
    pub names: Option<Vec<NameId>>,
    /// The list is extended by code that could not be read: more names may be exported.
    pub open: bool,
    /// The scope that holds what other files see, in languages where that is not the module scope.
    pub scope: Option<ScopeId>,
}

/// A use of a value or type as a small path expression. Self-contained: names carry the scope and offset of their use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expr {
    /// A name looked up from `scope` for a use at offset `at`.
    Name {
        name: NameId,
        scope: ScopeId,
        at: u32,
    },
    /// `of.name`
    Member {
        of: ExprId,
        name: NameId,
    },
    /// What calling `of` gives. `args`: positional arguments (`Opaque` where not expressible), then `Keyword`s.
    Call {
        of: ExprId,
        args: List,
    },
    /// `new of(args)`: an instance of the type `of`.
    New {
        of: ExprId,
        args: List,
    },
    /// `of[key]` as a value.
    Index {
        of: ExprId,
        key: ExprId,
    },
    /// What iterating `of` gives.
    Element {
        of: ExprId,
    },
    /// What `with of as x` binds.
    Entered {
        of: ExprId,
    },
    /// What `await of` gives.
    Awaited {
        of: ExprId,
    },
    /// The nth part of an unpacked value.
    Unpacked {
        of: ExprId,
        index: u32,
    },
    /// `this`; in Java also what an unqualified member call goes through is left to `Name`.
    This {
        scope: ScopeId,
    },
    /// `super`, `super()`: members are looked up after the enclosing class of `scope`.
    Super {
        scope: ScopeId,
    },
    Literal(Literal),
    /// A tuple, list or set display, or an array initialiser, with its elements.
    Display {
        kind: Literal,
        items: List,
    },
    /// A dict display: keys and values alternate; only the first few are kept.
    Entries {
        items: List,
    },
    /// A list, set or generator comprehension: `of` is the element (evaluated in the comprehension's scope).
    Comprehension {
        kind: Literal,
        of: ExprId,
    },
    /// A lambda with its body scope and results.
    Lambda {
        scope: ScopeId,
        returns: List,
    },
    /// One of several (conditional expression, `or`, `and`, switch expression).
    Either {
        items: List,
    },
    /// A value declared or cast to be of type `ty`.
    Typed {
        ty: ExprId,
    },
    /// The object that stands for a type (`Foo.class`).
    ClassOf {
        ty: ExprId,
    },
    /// Type application `of<args>` or `of[args]` in a type.
    Apply {
        of: ExprId,
        args: List,
    },
    /// Array type of `of`, or variadic parameter seen from inside.
    Array {
        of: ExprId,
    },
    /// Union type (`A | B`, `Optional[A]`, multi-catch).
    Union {
        items: List,
    },
    /// A method reference `of::name` (Java); `name` may be `<init>` for `::new`.
    MethodRef {
        of: ExprId,
        name: NameId,
    },
    /// The value of a definition that stands in an expression: a class, an object literal; in a type, an instance of it.
    Defined {
        definition: DefId,
    },
    /// The module that [`FileFacts::imports`] has at this index (`require(..)`, `import(..)`).
    Imported {
        import: u32,
    },
    /// A function type: types of its parameters (`Opaque` where not given) and of its result.
    Signature {
        params: List,
        result: ExprId,
    },
    /// As a type: what the function type `of` hands to its nth parameter.
    Expected {
        of: ExprId,
        index: u32,
    },
    /// As a type: the type that the value `of` has (`typeof x`).
    ValueType {
        of: ExprId,
    },
    /// A keyword argument in a call's `args`.
    Keyword {
        name: NameId,
        of: ExprId,
    },
    /// `*of` or `**of` in a call's `args`: from here on positions are unknown.
    Spread {
        of: ExprId,
    },
    /// Something that could not be expressed.
    Opaque,
}

/// The kind of a literal; its content is never kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Literal {
    Str,
    Bytes,
    Char,
    Int,
    Short,
    Byte,
    Long,
    Float,
    Double,
    Bool,
    None,
    List,
    Tuple,
    Set,
    Dict,
    Generator,
    Array,
    Class,
    Function,
}

/// A use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// For `Call` and `Construct`: an `Expr::Call` or `Expr::New` (the callee is its `of`); for `Value` also `MethodRef`;
    /// otherwise the path itself. Inner parts of the path are uses too; resolution derives those.
    pub expr: ExprId,
    pub role: Role,
    /// The innermost definition whose code this is; `None` for module-level code. Decorators and parameter defaults
    /// belong to the code around the definition.
    pub enclosing: Option<DefId>,
    pub line: u32,
    pub at: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    Call,
    /// `new T()`; a Python `T()` is a `Call`, resolution makes it a construction.
    Construct,
    Decorate,
    Inherit,
    Implement,
    Import,
    Type,
    /// A member or name is read (or written).
    Read,
    /// A function or class is handed over as a value: argument, element of a table, returned, assigned.
    Value,
}

/// One thing that a configuration file says about where modules are found. What patterns and targets mean is the business
/// of the language's module search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchRule {
    pub kind: SearchKind,
    /// Name or pattern that an import gives; empty where the kind has none.
    pub from: NameId,
    /// Path, name or pattern that it leads to; empty where the kind has none.
    pub to: NameId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SearchKind {
    /// The folder is known as the package `from`.
    Package,
    /// The package's own file, best first.
    Main,
    /// The subpath `from` of the package is `to`.
    Export,
    /// The package's private name `from` is `to`.
    Private,
    /// Paths without a dot begin at the folder `to`.
    Base,
    /// The pattern `from` is the path `to`.
    Alias,
    /// The rules of the file `to` hold here too.
    Extends,
}

/// Code whose target cannot be seen in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DynamicExit {
    pub kind: DynamicKind,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DynamicKind {
    /// `getattr`, `setattr`, `__getattr__`, `importlib`, `globals()`, `eval`, `exec`.
    Getattr,
    /// `Class.forName`, `getMethod`, `ServiceLoader`.
    Reflection,
}

/// Hashes ([`word_hash`]) of the identifiers of three bytes and more that stand where no reference was extracted; sorted, no
/// duplicates. They are the second witness against calling an export unreferenced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// In string literals and in text that did not parse. Files without a front end: the whole text.
    pub strings: Vec<u32>,
    /// In comments and docstrings.
    pub comments: Vec<u32>,
}

/// A word that a file can be found by: the hash ([`word_hash`]) of its stem, and how often it stands where. Counts end at 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Term {
    pub hash: u32,
    /// In comments and docstrings.
    pub docs: u8,
    /// In identifiers.
    pub body: u8,
    /// In strings.
    pub strings: u8,
}

/// The terms of a file, by hash; packed, since there are as many of them as of everything else in the facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms(Vec<u8>);

impl Terms {
    /// As bytes; [`Terms::of_bytes`] makes terms of them again.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn of_bytes(bytes: &[u8]) -> Terms {
        Terms(bytes.to_vec())
    }

    /// Of terms in the order of their hashes, each once. A term is the distance from the hash before (LEB128) and a byte
    /// that says which counts follow.
    pub fn pack(terms: &[Term]) -> Terms {
        let mut packed = Vec::with_capacity(6 * terms.len());
        let mut before = 0;
        for term in terms {
            let mut distance = term.hash - before;
            before = term.hash;
            while distance >= 0x80 {
                packed.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            packed.push(distance as u8);
            // Two bits a count: 0, 1, 2, or more in a byte of its own.
            let counts = [term.docs, term.body, term.strings];
            packed.push(counts.iter().rev().fold(0, |codes, count| codes << 2 | (*count).min(3)));
            packed.extend(counts.iter().filter(|count| **count >= 3));
        }
        Terms(packed)
    }

    /// The terms, by hash; ends early where they are damaged.
    pub fn iter(&self) -> impl Iterator<Item = Term> + '_ {
        let mut bytes = self.0.iter().copied();
        let mut hash = 0u32;
        std::iter::from_fn(move || {
            let mut distance = 0;
            for shift in (0..32).step_by(7) {
                let byte = bytes.next()?;
                distance |= u32::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            hash = hash.wrapping_add(distance);
            let codes = bytes.next()?;
            let mut count = |code: u8| if code & 3 == 3 { bytes.next() } else { Some(code & 3) };
            Some(Term { hash, docs: count(codes)?, body: count(codes >> 2)?, strings: count(codes >> 4)? })
        })
    }
}

/// FNV-1a, 32 bit (Fowler, Noll, Vo): cheap, stable across versions, and no text can be got back from it.
pub fn word_hash(word: &[u8]) -> u32 {
    hash_on(0x811c_9dc5, word)
}

/// The hash of a name that is mentioned as a member of something.
pub fn member_hash(name: &str) -> u32 {
    hash_on(word_hash(b"."), name.as_bytes())
}

fn hash_on(hash: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

impl FileFacts {
    /// What a file without anything in it says.
    pub fn empty(language: Language) -> FileFacts {
        FileFacts {
            language,
            status: Status::Parsed,
            package: None,
            names: Vec::new(),
            scopes: vec![Scope { parent: None, kind: ScopeKind::Module, definition: None }],
            definitions: Vec::new(),
            bindings: Vec::new(),
            imports: Vec::new(),
            exports: Exports::default(),
            exprs: Vec::new(),
            lists: Vec::new(),
            references: Vec::new(),
            dynamic: Vec::new(),
            search: Vec::new(),
            words: Words::default(),
            terms: Terms::default(),
            lines: 0,
            interface_hash: 0,
            body_hash: 0,
        }
    }

    /// The text of an interned name.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.0 as usize]
    }

    /// The id of a name, added if the file does not mention it.
    pub fn intern(&mut self, text: &str) -> NameId {
        let known = self.names.iter().position(|name| &**name == text);
        let place = known.unwrap_or_else(|| {
            self.names.push(text.into());
            self.names.len() - 1
        });
        NameId(place as u32)
    }

    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.0 as usize]
    }

    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..(list.start + list.len) as usize]
    }

    pub fn definition(&self, id: DefId) -> &Definition {
        &self.definitions[id.0 as usize]
    }

    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// `Outer.inner`, containers without a name of their own left out.
    pub fn qualname(&self, id: DefId) -> String {
        let mut parts = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let definition = self.definition(id);
            if !definition.flags.has(DefFlags::ANONYMOUS) {
                parts.push(self.name(definition.name));
            }
            if definition.container.is_none() {
                parts.extend(definition.receiver.map(|receiver| self.name(receiver)));
            }
            next = definition.container;
        }
        parts.reverse();
        parts.join(".")
    }
}

/// A file before and after a change.
#[derive(Clone, Debug)]
pub struct FileVersions {
    /// Relative to the root.
    pub path: String,
    /// `None`: it was not there; or it could not be read.
    pub old: Option<Vec<u8>>,
    pub new: Option<Vec<u8>>,
}

/// Index into [`Graph::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// Index into [`Graph::symbols`]. Never leaves the store; outside, a symbol is `path::Outer.inner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// What the whole repository says: resolved. Every vector is sorted as its comment says, so that the same tree gives the
/// same bytes.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By path. Skipped files are here too, with their reason.
    pub files: Vec<FileRecord>,
    /// By file, then by offset of the name.
    pub symbols: Vec<Symbol>,
    /// By (caller file, line, callee, kind).
    pub edges: Vec<Edge>,
    /// By (file, line, name).
    pub unresolved: Vec<Unresolved>,
    /// (method, the method it overrides or implements directly), sorted.
    pub overrides: Vec<(SymbolId, SymbolId)>,
    /// (importing file, imported file), sorted, no duplicates, self left out.
    pub imports: Vec<(FileId, FileId)>,
    /// Exports with no reference found and no other mention, sorted.
    pub unreferenced: Vec<SymbolId>,
    /// Exports that no code uses although some import or list of exports names them: offered to others. Sorted.
    pub offered: Vec<SymbolId>,
    /// In the order of their first files.
    pub communities: Vec<Community>,
    /// What each production file with code can be found by, in the order of the files.
    pub documents: Vec<Document>,
    /// (file, another that past commits changed with it), both production code; by file, the most tied first. It is no
    /// part of the database.
    pub together: Vec<(FileId, FileId)>,
}

impl Graph {
    /// By file: its first symbol; then the number of symbols.
    pub(crate) fn first_symbols(&self) -> Vec<u32> {
        let mut first = vec![0; self.files.len() + 1];
        for symbol in &self.symbols {
            first[symbol.file.0 as usize + 1] += 1;
        }
        for file in 1..first.len() {
            first[file] += first[file - 1];
        }
        first
    }
}

/// Parts of a file that a sentence is compared with (RETRIEVAL.md), in the order of [`Counts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Its name, without the extension.
    Name,
    /// The folders on the way to it.
    Folders,
    Docs,
    Body,
    Strings,
    /// Messages of past commits that changed it.
    Past,
}

/// Number of [`Field`]s.
pub const FIELDS: usize = 6;

/// How often a term stands in each [`Field`].
pub type Counts = [u8; FIELDS];

/// What one file can be found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub file: FileId,
    /// By hash, each once.
    pub terms: Vec<(u32, Counts)>,
}

/// Files that belong together (to users: a neighborhood). Only production files are in one, each in one at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Community {
    /// The directory that holds most of it and little else, else the path of the member with most ties; unique.
    pub label: String,
    /// By file; at least two.
    pub members: Vec<Member>,
    /// 1 - conductance, per mille: how little of what its files use and are used by crosses its border. At most 1000;
    /// negative for a neighborhood of ties that are no uses. `None` without any use.
    pub cohesion: Option<i16>,
    /// Members that files outside use, most files first; the first three.
    pub entries: Vec<FileId>,
}

/// A file of a community.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub file: FileId,
    /// (internal - external) / all uses, per mille, -1000 to 1000: near 0 a bridge, below 0 perhaps misplaced. `None` without
    /// any use.
    pub membership: Option<i16>,
}

/// One file of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Relative to the root, `/` between parts; bytes that are not UTF-8 are shown as U+FFFD.
    pub path: String,
    pub language: Language,
    /// One of [`STATUSES`].
    #[serde(deserialize_with = "status")]
    pub status: StatusName,
    /// Why it was skipped or only partly read; empty otherwise.
    pub reason: String,
    /// Line ranges that did not parse.
    pub unparsed: Vec<(u32, u32)>,
    pub size: u64,
    /// Modification time in nanoseconds since 1970 when it was read.
    pub mtime_ns: i64,
    /// XXH3-64 of the bytes that were read.
    pub content_hash: u64,
    pub lines: u32,
    /// A test file by the language's conventions: its references are counted apart.
    pub test: bool,
    /// Lines with dynamic exits.
    pub dynamic: Vec<DynamicExit>,
}

impl FileRecord {
    /// True for code that was read for what it defines and uses.
    pub fn has_facts(&self) -> bool {
        self.language != Language::Text && matches!(self.status, "parsed" | "partial" | "fallback")
    }

    /// True for code that was read, be it for its words only.
    pub fn is_source(&self) -> bool {
        let only_words = self.language.family() == Language::Text && self.status == "words";
        self.has_facts() || self.language != Language::Text && only_words
    }
}

/// What a file was when it was read: size in bytes, modification time in nanoseconds since 1970, XXH3-64 of its content.
/// `None` for one that was skipped.
pub type Recorded = Option<(u64, i64, u64)>;

/// One of [`STATUSES`].
pub type StatusName = &'static str;

/// What was made of a file.
pub const STATUSES: [&str; 5] = ["parsed", "partial", "fallback", "words", "skipped"];

fn status<'de, D: serde::Deserializer<'de>>(value: D) -> Result<&'static str, D::Error> {
    let text = String::deserialize(value)?;
    let known = STATUSES.into_iter().find(|status| *status == text);
    known.ok_or_else(|| serde::de::Error::custom("no status of a file"))
}

/// A named thing of the repository.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub file: FileId,
    pub name: String,
    pub qualname: String,
    pub kind: DefKind,
    pub container: Option<SymbolId>,
    pub line: u32,
    pub end_line: u32,
    pub exported: bool,
    /// Number of parameters; tells overloads apart.
    pub params: u16,
    /// `(String, int)` where others of its name stand beside it and the types of the parameters tell them apart; else empty.
    pub signature: String,
    pub flags: DefFlags,
}

/// A resolved relation between the code of one place and one symbol. One row a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    pub caller_file: FileId,
    pub line: u32,
    pub callee: SymbolId,
    pub kind: EdgeKind,
    pub resolution: Resolution,
    /// `None` for module-level code.
    pub caller: Option<SymbolId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EdgeKind {
    Call,
    Construct,
    Decorate,
    Inherit,
    Implement,
    Import,
    Type,
    Read,
    Value,
}

impl EdgeKind {
    pub const ALL: [EdgeKind; 9] = [
        EdgeKind::Call,
        EdgeKind::Construct,
        EdgeKind::Decorate,
        EdgeKind::Inherit,
        EdgeKind::Implement,
        EdgeKind::Import,
        EdgeKind::Type,
        EdgeKind::Read,
        EdgeKind::Value,
    ];

    /// The word shown to users and in `dump`.
    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::Call => "call",
            EdgeKind::Construct => "construct",
            EdgeKind::Decorate => "decorate",
            EdgeKind::Inherit => "inherit",
            EdgeKind::Implement => "implement",
            EdgeKind::Import => "import",
            EdgeKind::Type => "type",
            EdgeKind::Read => "read",
            EdgeKind::Value => "value",
        }
    }

    /// True for what makes the place of use a *caller*: it runs the symbol's code.
    pub fn is_call(self) -> bool {
        matches!(self, EdgeKind::Call | EdgeKind::Construct | EdgeKind::Decorate)
    }
}

/// How an edge was found, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resolution {
    /// Name found in a scope of the same file.
    SameScope,
    /// Through an import, package or module path.
    Imported,
    /// Member of a receiver whose type is known.
    TypedReceiver,
    /// Member found in a supertype.
    Inherited,
    /// Possible target of a call through an interface or base.
    Override,
    /// The only definition of that name; receiver of unknown type.
    UniqueName,
    /// One of n definitions that fit.
    Ambiguous(u8),
}

impl Resolution {
    /// Resolved edges make the headline count; all others are only ever "possible".
    pub fn is_resolved(self) -> bool {
        matches!(self, Resolution::SameScope | Resolution::Imported | Resolution::TypedReceiver | Resolution::Inherited)
    }

    /// The word shown to users and in `dump`.
    pub fn name(self) -> &'static str {
        match self {
            Resolution::SameScope => "same_scope",
            Resolution::Imported => "imported",
            Resolution::TypedReceiver => "typed_receiver",
            Resolution::Inherited => "inherited",
            Resolution::Override => "override",
            Resolution::UniqueName => "unique_name",
            Resolution::Ambiguous(_) => "ambiguous",
        }
    }
}

/// A reference whose target is not known, or known to be outside the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unresolved {
    pub file: FileId,
    pub line: u32,
    /// Last segment of the path.
    pub name: String,
    pub caller: Option<SymbolId>,
    pub kind: EdgeKind,
    /// True when the target is known to be a library's.
    pub external: bool,
}
