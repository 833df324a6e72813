//! What an expression can evaluate to. Light on purpose: enough to know whose member is named, no more.

use crate::model::{ExprId, Literal};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A definition of some file: (file index, index into its definitions). Ordered as files and source are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Def {
    pub(crate) file: u32,
    pub(crate) def: u32,
}

/// An identifier, as a hash of its text: the same in all files and all passes, whatever else they look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Sym(pub(crate) u64);

impl Sym {
    pub(crate) fn of(text: &str) -> Sym {
        Sym(xxh3_64(text.as_bytes()))
    }
}

/// What is known of a value, or of a type used as a value. Equal types compare equal, so unions can be kept sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Type {
    /// Not known: a member of it may be anybody's.
    Unknown,
    /// Known to come from outside the repository: a member of it is nobody's here. Its simple name still tells overloads
    /// apart.
    External(Sym),
    /// `None`, `void`, `null`: has no members.
    Nothing,
    /// A primitive or literal without a library type.
    Primitive(Literal),
    /// A module that is a file.
    Module(u32),
    /// A package: a dotted path without a file of its own.
    Package(Arc<str>),
    /// A class itself (`Foo` in `Foo.bar()`), with type arguments.
    Class(Def, Args),
    /// An instance of a class, with type arguments.
    Instance(Def, Args),
    /// The instance a method runs on: an instance of this class or of a subclass of it.
    This(Def),
    /// The class a class method runs on.
    ThisClass(Def),
    /// Members are looked up after this class, in the order of the class of `This`.
    Super(Def),
    /// One or more callables of one name (overloads), and what they were reached through.
    Callable(Arc<[Def]>, Option<Arc<Type>>),
    /// Something of the language or a library that gives this when called.
    Gives(Arc<Type>),
    /// Something that is called with these and gives that, as a declared type says.
    Signature(Args, Arc<Type>),
    /// A lambda expression of a file.
    Lambda(u32, ExprId),
    /// A type parameter: its name and the definition that declares it.
    Parameter(Sym, Def),
    /// An array.
    Array(Arc<Type>),
    /// A tuple of known parts.
    Tuple(Args),
    /// One of these: sorted, no duplicates, no unions inside, at least two.
    Union(Args),
}

/// Type arguments, or the parts of a composite.
pub(crate) type Args = Arc<[Type]>;

/// Most parts a union keeps: beyond it nothing useful is known any more.
const MAX_UNION: usize = 12;

/// Most nodes of a type. Shared parts make types that double with each line (`b = (a, a); c = (b, b)`) cheap to build and
/// endless to walk.
const MAX_NODES: usize = 256;

impl Type {
    pub(crate) fn instance(def: Def) -> Type {
        Type::Instance(def, no_args())
    }

    pub(crate) fn class(def: Def) -> Type {
        Type::Class(def, no_args())
    }

    /// The union of some types: flat, sorted, `Nothing` left out when something else is there.
    pub(crate) fn union(parts: impl IntoIterator<Item = Type>) -> Type {
        let mut flat: Vec<Type> = Vec::new();
        for part in parts {
            match part {
                Type::Union(inner) => flat.extend(inner.iter().cloned()),
                other => flat.push(other),
            }
        }
        flat.sort();
        flat.dedup();
        if flat.len() > 1 {
            flat.retain(|t| *t != Type::Nothing);
        }
        if flat.len() > MAX_UNION {
            return Type::Unknown;
        }
        match flat.len() {
            0 => Type::Nothing,
            1 => flat.remove(0),
            _ => Type::Union(flat.into()).bounded(),
        }
    }

    /// The type, or what is left of it without its arguments when it has grown too big to be walked again and again.
    pub(crate) fn bounded(self) -> Type {
        if self.counts_down(MAX_NODES).is_some() {
            return self;
        }
        match self {
            Type::Instance(def, _) => Type::instance(def),
            Type::Class(def, _) => Type::class(def),
            _ => Type::Unknown,
        }
    }

    /// What is left of a budget of nodes; `None` if there are more. Parts are bounded already, so this is quick and flat.
    fn counts_down(&self, budget: usize) -> Option<usize> {
        let budget = budget.checked_sub(1)?;
        match self {
            Type::Instance(_, args) | Type::Class(_, args) | Type::Tuple(args) | Type::Union(args) => {
                args.iter().try_fold(budget, |budget, arg| arg.counts_down(budget))
            }
            Type::Array(inner) | Type::Gives(inner) | Type::Callable(_, Some(inner)) => inner.counts_down(budget),
            Type::Signature(params, result) => {
                let budget = params.iter().try_fold(budget, |budget, param| param.counts_down(budget))?;
                result.counts_down(budget)
            }
            _ => Some(budget),
        }
    }

    /// The parts of a union, or the type itself.
    pub(crate) fn parts(&self) -> &[Type] {
        match self {
            Type::Union(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}

/// No type arguments.
pub(crate) fn no_args() -> Args {
    static EMPTY: std::sync::LazyLock<Args> = std::sync::LazyLock::new(|| Arc::from([]));
    EMPTY.clone()
}
