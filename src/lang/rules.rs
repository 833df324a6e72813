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
    /// Imports give paths, aliases and package names (TypeScript).
    Specifiers(Specifiers),
    /// Nothing can be imported.
    None,
}

/// How specifiers lead to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Specifiers {
    /// What may be left out at the end of a path, in order.
    pub(crate) extensions: &'static [&'static str],
    /// Ends of paths as they are after a build, with those of what they are made from.
    pub(crate) compiled: &'static [(&'static str, &'static [&'static str])],
    /// Beginnings that by convention stand for one of these folders of a package, where no configuration says so.
    pub(crate) conventions: &'static [(&'static str, &'static [&'static str])],
    /// Folders that builds make.
    pub(crate) built: &'static [&'static str],
}

impl Specifiers {
    /// A path without its extension.
    pub(crate) fn stem_of<'p>(&self, path: &'p str) -> &'p str {
        let ends = self.compiled.iter().map(|(end, _)| end).chain(self.extensions);
        ends.filter_map(|end| path.strip_suffix(end)).min_by_key(|stem| stem.len()).unwrap_or(path)
    }
}

/// Resolution rules of one language.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) module_system: ModuleSystem,
    /// Members of enclosing classes, inherited ones included, are in scope of nested code (Java). Otherwise class scopes are
    /// seen only by code that stands directly in them (Python).
    pub(crate) class_scope_open: bool,
    /// Names of a class body are in scope of code that stands directly in it.
    pub(crate) bare_members: bool,
    /// Variables live in blocks (Java, TypeScript). Otherwise they live in functions (Python).
    pub(crate) block_scoped: bool,
    /// Variables have the types of the assignments that reach the use (Python, TypeScript). Otherwise they have declared
    /// types (Java).
    pub(crate) assigned_types: bool,
    /// Types have a name space of their own, and classes and enums are in both (TypeScript).
    pub(crate) types_apart: bool,
    /// Members of a class itself are not found through its instances, nor the other way round.
    pub(crate) statics_apart: bool,
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
    /// Member of an array that gives another such array; empty if there is none.
    pub(crate) array_copy: &'static str,
    /// Library classes whose subclasses' plain attributes are instances of the subclass.
    pub(crate) enum_bases: &'static [&'static str],
    /// Member that a constructor call runs.
    pub(crate) constructor: &'static str,
    /// Member that calling an instance runs, if the language has one.
    pub(crate) call_member: Option<&'static str>,
    /// Members called in turn to get what iteration yields.
    pub(crate) iterate: &'static [&'static str],
    /// Member that constructing a value runs where that is no class, if the language has one.
    pub(crate) construct_member: Option<&'static str>,
    /// Member of a class that stands for its instances; empty if there is none.
    pub(crate) prototype_member: &'static str,
    /// Library class of what is awaited; empty if awaiting changes nothing.
    pub(crate) promise: &'static str,
    /// Library types that are what they are applied to, as far as members go.
    pub(crate) transparent_types: &'static [&'static str],
    /// Array types are the library's lists.
    pub(crate) arrays_are_lists: bool,
    /// Member called by `a[i]`.
    pub(crate) index: Option<&'static str>,
    /// Members called by `with`, the first that a value has.
    pub(crate) enter: &'static [&'static str],
    /// Member that holds an instance's class, and the builtin that gives it; empty if there is none.
    pub(crate) class_member: &'static str,
    /// See `class_member`.
    pub(crate) class_function: &'static str,
    /// Method of a class that is run when a subclass is defined; empty if there is none.
    pub(crate) subclass_hook: &'static str,
    /// Defining a subclass of a class from outside may tell that class of it.
    pub(crate) subclasses_register: bool,
    /// Members are often looked up by names that were computed: by those that unrelated classes have in common, and by
    /// those that are made of a class's name.
    pub(crate) computed_names: bool,
    /// Calls that look for subclasses of the class that they are given or called on.
    pub(crate) finds_subclasses: &'static [&'static str],
    /// Calls that ask for a subclass of the class that they are given, and
    pub(crate) asks_for_subclass: &'static [&'static str],
    /// the names by which a function goes through everything that something holds: it looks for what it then asks for.
    pub(crate) goes_through_members: &'static [&'static str],
    /// Package whose names are in scope everywhere.
    pub(crate) prelude: &'static str,
    /// Qualified library type of a literal.
    pub(crate) literal: fn(Literal) -> &'static str,
    /// Library signatures in the language itself, as (path, source): small, written by us, types only.
    pub(crate) library: &'static [(&'static str, &'static str)],
    /// Standard library top-level modules: only the repository's own root may have one of the same name.
    pub(crate) standard_modules: &'static [&'static str],
}

/// The rules of a language.
pub(crate) fn rules(language: Language) -> &'static Rules {
    match language {
        Language::Python => &PYTHON,
        Language::Java => &JAVA,
        Language::JavaScript | Language::TypeScript => &TYPESCRIPT,
        Language::Text => &TEXT,
    }
}

/// Top-level modules of Python 3.11's standard library (`sys.stdlib_module_names`), sorted.
const PYTHON_STANDARD_MODULES: &[&str] = &[
    "abc",
    "aifc",
    "antigravity",
    "argparse",
    "array",
    "ast",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "cProfile",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "idlelib",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "lib2to3",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "pydoc_data",
    "pyexpat",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "textwrap",
    "this",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "turtledemo",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

static PYTHON: Rules = Rules {
    module_system: ModuleSystem::Folders { extension: ".py", init: "__init__" },
    class_scope_open: false,
    block_scoped: false,
    assigned_types: true,
    namespaces: false,
    overloads: false,
    package_scope: false,
    private_inherited: true,
    explicit_receiver: true,
    type_variables: &["TypeVar"],
    self_types: &["Self"],
    array_length: "",
    array_copy: "",
    enum_bases: &["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices", "Choices"],
    constructor: "__init__",
    call_member: Some("__call__"),
    iterate: &["__iter__", "__next__"],
    index: Some("__getitem__"),
    enter: &["__enter__", "__aenter__"],
    class_member: "__class__",
    class_function: "type",
    subclass_hook: "__init_subclass__",
    subclasses_register: true,
    computed_names: true,
    finds_subclasses: &["__subclasses__"],
    asks_for_subclass: &["issubclass"],
    goes_through_members: &[
        "__dict__",
        "dir",
        "getmembers",
        "globals",
        "import_module",
        "iter_modules",
        "vars",
        "__import__",
    ],
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
        ("builtins.py", include_str!("python/library/builtins.py.sig")),
        ("typing.py", include_str!("python/library/typing.py.sig")),
        ("collections.py", include_str!("python/library/collections.py.sig")),
        ("collections.abc.py", include_str!("python/library/abc.py.sig")),
        ("contextlib.py", include_str!("python/library/contextlib.py.sig")),
    ],
    standard_modules: PYTHON_STANDARD_MODULES,
    ..PLAIN
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
    array_copy: "clone",
    enum_bases: &[],
    constructor: "<init>",
    call_member: None,
    iterate: &["iterator", "next"],
    index: None,
    enter: &[],
    class_member: "",
    class_function: "",
    subclass_hook: "",
    subclasses_register: false,
    computed_names: false,
    finds_subclasses: &["isAssignableFrom", "getSubTypesOf", "getBeansOfType", "load"],
    asks_for_subclass: &[],
    goes_through_members: &[],
    prelude: "java.lang",
    literal: |literal| match literal {
        Literal::Str => "java.lang.String",
        Literal::Class => "java.lang.Class",
        _ => "",
    },
    library: &[
        ("java/lang.java", include_str!("java/library/lang.java.sig")),
        ("java/reflect.java", include_str!("java/library/reflect.java.sig")),
        ("java/util.java", include_str!("java/library/util.java.sig")),
        ("java/function.java", include_str!("java/library/function.java.sig")),
        ("java/stream.java", include_str!("java/library/stream.java.sig")),
        ("java/io.java", include_str!("java/library/io.java.sig")),
        ("java/concurrent.java", include_str!("java/library/concurrent.java.sig")),
        ("java/atomic.java", include_str!("java/library/atomic.java.sig")),
    ],
    standard_modules: &[],
    ..PLAIN
};

/// No rules at all: what a language does not say differs from nothing.
const PLAIN: Rules = Rules {
    module_system: ModuleSystem::None,
    class_scope_open: false,
    bare_members: true,
    block_scoped: false,
    assigned_types: false,
    types_apart: false,
    statics_apart: false,
    namespaces: false,
    overloads: false,
    package_scope: false,
    private_inherited: true,
    explicit_receiver: false,
    type_variables: &[],
    self_types: &[],
    array_length: "",
    array_copy: "",
    enum_bases: &[],
    constructor: "",
    call_member: None,
    iterate: &[],
    construct_member: None,
    prototype_member: "",
    promise: "",
    transparent_types: &[],
    arrays_are_lists: false,
    index: None,
    enter: &[],
    class_member: "",
    class_function: "",
    subclass_hook: "",
    subclasses_register: false,
    computed_names: false,
    finds_subclasses: &[],
    asks_for_subclass: &[],
    goes_through_members: &[],
    prelude: "",
    literal: |_| "",
    library: &[],
    standard_modules: &[],
};

static TEXT: Rules = PLAIN;

static TYPESCRIPT: Rules = Rules {
    module_system: ModuleSystem::Specifiers(Specifiers {
        // Declarations say least, so what they declare goes first.
        extensions: &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts"],
        compiled: &[
            (".js", &[".ts", ".tsx"]),
            (".jsx", &[".tsx"]),
            (".mjs", &[".mts"]),
            (".cjs", &[".cts"]),
            (".d.ts", &[".ts", ".tsx"]),
        ],
        conventions: &[("@/", &["src", ""]), ("~/", &["src", "app", ""])],
        built: &["dist", "build", "lib", "out", "es", "esm", "cjs", "umd", "types", "es5", "es2015", "esm5"],
    }),
    bare_members: false,
    block_scoped: true,
    assigned_types: true,
    types_apart: true,
    statics_apart: true,
    constructor: "constructor",
    call_member: Some("()"),
    construct_member: Some("new()"),
    prototype_member: "prototype",
    promise: "lib.Promise",
    transparent_types: &[
        "Partial",
        "Required",
        "Readonly",
        "NonNullable",
        "Pick",
        "Omit",
        "Exclude",
        "Extract",
        "NoInfer",
    ],
    arrays_are_lists: true,
    iterate: &["[element]"],
    index: Some("[element]"),
    prelude: "lib",
    literal: |literal| match literal {
        Literal::Str => "lib.String",
        Literal::Int | Literal::Float => "lib.Number",
        Literal::Bool => "lib.Boolean",
        Literal::List | Literal::Tuple => "lib.Array",
        Literal::Dict => "lib.Object",
        Literal::Generator => "lib.Generator",
        _ => "",
    },
    library: &[("lib.ts", include_str!("typescript/library/lib.ts.sig"))],
    ..PLAIN
};
