//! What resolution must know of a language, as data: scoping, member lookup, module search, protocols, library types.
//! A language that cannot be told apart by these switches asks for a new switch here, never for a branch on its name.

use crate::model::{Language, Literal};

/// How import paths find files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleSystem {
    /// Dotted paths follow the folders under a source root; a folder's own file is `init` (Python).
    Folders { extension: &'static str, init: &'static str },
    /// Every file declares its package; types are found by package and name (Java).
    Declared,
    /// Nothing can be imported.
    None,
}

/// Resolution rules of one language.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) module_system: ModuleSystem,
    /// Members of enclosing classes, inherited ones included, are in scope of nested code (Java). Otherwise class scopes are
    /// seen only by code that stands directly in them (Python).
    pub(crate) class_scope_open: bool,
    /// Variables live in blocks and have declared types (Java). Otherwise they live in functions and have the type of the
    /// assignments that reach the use (Python).
    pub(crate) block_scoped: bool,
    /// Methods, variables and types of one name do not hide each other (Java).
    pub(crate) namespaces: bool,
    /// Several definitions of one name in one scope are overloads, told apart by arguments.
    pub(crate) overloads: bool,
    /// Files of one package see each other's types without import.
    pub(crate) package_scope: bool,
    /// Private members are not found through subclasses.
    pub(crate) private_inherited: bool,
    /// The first parameter of a method is the instance (or class) that it runs on.
    pub(crate) explicit_receiver: bool,
    /// Calls that make a type parameter of the variable they are assigned to.
    pub(crate) type_variables: &'static [&'static str],
    /// Names that stand for the type of the running instance.
    pub(crate) self_types: &'static [&'static str],
    /// Member of an array that is its number of elements; empty if there is none.
    pub(crate) array_length: &'static str,
    /// Library classes whose subclasses' plain attributes are instances of the subclass.
    pub(crate) enum_bases: &'static [&'static str],
    /// Member that a constructor call runs.
    pub(crate) constructor: &'static str,
    /// Member that calling an instance runs, if the language has one.
    pub(crate) call_member: Option<&'static str>,
    /// Members called in turn to get what iteration yields.
    pub(crate) iterate: &'static [&'static str],
    /// Member called by `a[i]`.
    pub(crate) index: Option<&'static str>,
    /// Members called by `with`, the first that a value has.
    pub(crate) enter: &'static [&'static str],
    /// Member that holds an instance's class, and the builtin that gives it; empty if there is none.
    pub(crate) class_member: &'static str,
    /// See `class_member`.
    pub(crate) class_function: &'static str,
    /// Package whose names are in scope everywhere.
    pub(crate) prelude: &'static str,
    /// Qualified library type of a literal.
    pub(crate) literal: fn(Literal) -> &'static str,
    /// Library signatures in the language itself, as (path, source): small, written by us, types only.
    pub(crate) library: &'static [(&'static str, &'static str)],
    /// Standard library top-level modules: never looked for outside the importing file's own source root.
    pub(crate) standard_modules: &'static [&'static str],
}

/// The rules of a language.
pub(crate) fn rules(language: Language) -> &'static Rules {
    match language {
        Language::Python => &PYTHON,
        Language::Java => &JAVA,
        Language::Text => &TEXT,
    }
}

static PYTHON: Rules = Rules {
    module_system: ModuleSystem::Folders { extension: ".py", init: "__init__" },
    class_scope_open: false,
    block_scoped: false,
    namespaces: false,
    overloads: false,
    package_scope: false,
    private_inherited: true,
    explicit_receiver: true,
    type_variables: &["TypeVar"],
    self_types: &["Self"],
    array_length: "",
    enum_bases: &["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices", "Choices"],
    constructor: "__init__",
    call_member: Some("__call__"),
    iterate: &["__iter__", "__next__"],
    index: Some("__getitem__"),
    enter: &["__enter__", "__aenter__"],
    class_member: "__class__",
    class_function: "type",
    prelude: "builtins",
    literal: |literal| match literal {
        Literal::Str => "builtins.str",
        Literal::Bytes => "builtins.bytes",
        Literal::Int | Literal::Long => "builtins.int",
        Literal::Float | Literal::Double => "builtins.float",
        Literal::Bool => "builtins.bool",
        Literal::List => "builtins.list",
        Literal::Tuple => "builtins.tuple",
        Literal::Set => "builtins.set",
        Literal::Dict => "builtins.dict",
        Literal::Generator => "typing.Iterator",
        _ => "",
    },
    library: &[
        ("builtins.py", include_str!("python/library/builtins.py")),
        ("typing.py", include_str!("python/library/typing.py")),
        ("collections.py", include_str!("python/library/collections.py")),
        ("collections.abc.py", include_str!("python/library/abc.py")),
        ("contextlib.py", include_str!("python/library/contextlib.py")),
    ],
    standard_modules: &[],
};

static JAVA: Rules = Rules {
    module_system: ModuleSystem::Declared,
    class_scope_open: true,
    block_scoped: true,
    namespaces: true,
    overloads: true,
    package_scope: true,
    private_inherited: false,
    explicit_receiver: false,
    type_variables: &[],
    self_types: &[],
    array_length: "length",
    enum_bases: &[],
    constructor: "<init>",
    call_member: None,
    iterate: &["iterator", "next"],
    index: None,
    enter: &[],
    class_member: "",
    class_function: "",
    prelude: "java.lang",
    literal: |literal| match literal {
        Literal::Str => "java.lang.String",
        Literal::Class => "java.lang.Class",
        _ => "",
    },
    library: &[
        ("java/lang.java", include_str!("java/library/lang.java")),
        ("java/reflect.java", include_str!("java/library/reflect.java")),
        ("java/util.java", include_str!("java/library/util.java")),
        ("java/function.java", include_str!("java/library/function.java")),
        ("java/stream.java", include_str!("java/library/stream.java")),
        ("java/io.java", include_str!("java/library/io.java")),
        ("java/concurrent.java", include_str!("java/library/concurrent.java")),
        ("java/atomic.java", include_str!("java/library/atomic.java")),
    ],
    standard_modules: &[],
};

static TEXT: Rules = Rules {
    module_system: ModuleSystem::None,
    class_scope_open: false,
    block_scoped: false,
    namespaces: false,
    overloads: false,
    package_scope: false,
    private_inherited: true,
    explicit_receiver: false,
    type_variables: &[],
    self_types: &[],
    array_length: "",
    enum_bases: &[],
    constructor: "",
    call_member: None,
    iterate: &[],
    index: None,
    enter: &[],
    class_member: "",
    class_function: "",
    prelude: "",
    literal: |_| "",
    library: &[],
    standard_modules: &[],
};
