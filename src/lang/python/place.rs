//! What a node stands for where it stands: the same `a.b` is a callee, a base class, a type, a target or a value handed over.
//! Decided on the way down from the parent alone, so that a leaf knows its role without looking up the tree.

use super::grammar::{Field, Kind};
use crate::model::Role;

/// What an expression at this place is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Not an expression: a declared name, a keyword, an attribute's own name.
    NotValue,
    /// Callee of a call or object of an attribute: part of a longer path that makes the reference.
    Inner,
    /// Target of an assignment.
    Store,
    /// Operand of `del`.
    Delete,
    /// Part of a type.
    Type,
    /// A type parameter where it is declared.
    TypeParam,
    /// A `case` pattern, where bare names are captured.
    Pattern,
    /// The class of a class pattern.
    PatternClass,
    /// A use; a path here makes a reference of this role.
    Use(Role),
}

/// Callees and generics whose arguments are read in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Other,
    Literal,
    Annotated,
    /// Another name of `typing` that is applied to types: `Union[...]`, `List[...]`.
    Form,
    Cast,
    NewType,
    TypeVar,
}

impl Head {
    /// By the last segment of the path.
    pub(super) fn of(name: &str) -> Head {
        match name {
            "Literal" => Head::Literal,
            "Annotated" => Head::Annotated,
            "cast" => Head::Cast,
            "NewType" => Head::NewType,
            "TypeVar" => Head::TypeVar,
            "Optional" | "Union" | "Callable" | "List" | "Dict" | "Set" | "FrozenSet" | "Tuple" | "Type"
            | "ClassVar" | "Final" | "Iterable" | "Iterator" | "Sequence" | "Mapping" | "MutableMapping"
            | "Generator" | "Awaitable" | "AsyncIterator" | "AsyncIterable" | "Coroutine" | "DefaultDict"
            | "OrderedDict" | "Deque" | "TypeGuard" => Head::Form,
            _ => Head::Other,
        }
    }

    pub(super) fn is_form(self) -> bool {
        matches!(self, Head::Literal | Head::Annotated | Head::Form)
    }
}

/// What is known of the parent when a child is entered.
#[derive(Clone, Copy)]
pub(super) struct Parent {
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) head: Head,
    /// Inside the text of a quoted type.
    pub(super) quoted: bool,
}

const READ: Place = Place::Use(Role::Read);
const VALUE: Place = Place::Use(Role::Value);

/// The place of a child of `parent` in `field`, the `index`th of its named children (comments left out).
pub(super) fn place(parent: Parent, kind: Kind, field: Field, index: u32) -> Place {
    let up = parent.place;
    match parent.kind {
        Kind::Attribute => [Place::NotValue, Place::Inner][usize::from(field == Field::Object)],
        Kind::Call => [VALUE, Place::Inner][usize::from(field == Field::Function)],
        Kind::ArgumentList => argument(parent, kind, index),
        Kind::KeywordArgument if field == Field::Name => Place::NotValue,
        Kind::KeywordArgument if up == Place::Type => Place::Type,
        Kind::Parenthesized
        | Kind::ExpressionList
        | Kind::PatternList
        | Kind::TuplePattern
        | Kind::ListPattern
        | Kind::ListSplatPattern
        | Kind::DictionarySplatPattern
        | Kind::Type
        | Kind::SplatType
        | Kind::UnionType
        | Kind::CasePattern
        | Kind::UnionPattern
        | Kind::SplatPattern => up,
        Kind::BooleanOperator => operand(up),
        Kind::Conditional => [operand(up), READ][usize::from(index == 1)],
        Kind::List | Kind::Tuple | Kind::Set | Kind::ListSplat | Kind::DictionarySplat => match up {
            Place::Type | Place::Store | Place::Delete => up,
            _ => VALUE,
        },
        Kind::Subscript if field == Field::Value => match up {
            Place::Type | Place::Use(Role::Inherit) => up,
            _ => READ,
        },
        Kind::Subscript if applies(up, parent.head) => type_argument(parent.head, index.saturating_sub(1)),
        Kind::TypeParameter => match up {
            Place::TypeParam => up,
            _ => type_argument(parent.head, index),
        },
        Kind::GenericType => [Place::Type, Place::TypeParam][usize::from(up == Place::TypeParam)],
        Kind::ConstrainedType => [up, Place::Type][usize::from(index > 0)],
        Kind::MemberType => [up, Place::NotValue][usize::from(index > 0)],
        Kind::BinaryOperator if up == Place::Type => Place::Type,
        Kind::Assignment | Kind::AugmentedAssignment | Kind::ForStatement | Kind::ForInClause
            if field == Field::Left =>
        {
            Place::Store
        }
        // The alias's name is read like the first of its type parameters.
        Kind::TypeAlias => [Place::Type, Place::TypeParam][usize::from(field == Field::Left)],
        Kind::AsPattern => match (index, up) {
            (0, _) => up,
            (_, Place::Pattern) => Place::NotValue,
            _ => Place::Store,
        },
        Kind::AsPatternTarget => Place::Store,
        Kind::ExceptClause if field == Field::Alias => Place::NotValue,
        Kind::Decorator => Place::Use(Role::Decorate),
        Kind::ClassDefinition if field == Field::Superclasses => Place::Use(Role::Inherit),
        Kind::ClassDefinition | Kind::FunctionDefinition if field == Field::TypeParameters => Place::TypeParam,
        Kind::FunctionDefinition | Kind::TypedParameter | Kind::TypedDefaultParameter | Kind::Assignment
            if kind == Kind::Type =>
        {
            Place::Type
        }
        Kind::DefaultParameter | Kind::TypedDefaultParameter if field == Field::Value => VALUE,
        Kind::FunctionDefinition
        | Kind::ClassDefinition
        | Kind::Parameters
        | Kind::LambdaParameters
        | Kind::TypedParameter
        | Kind::DefaultParameter
        | Kind::TypedDefaultParameter
        | Kind::DottedName => Place::NotValue,
        Kind::NamedExpression if field == Field::Name => Place::NotValue,
        Kind::DeleteStatement => Place::Delete,
        Kind::CaseClause if field != Field::Guard && kind != Kind::Block => Place::Pattern,
        Kind::ClassPattern => [Place::Pattern, Place::PatternClass][usize::from(index == 0)],
        Kind::KeywordPattern => [Place::Pattern, Place::NotValue][usize::from(index == 0)],
        Kind::DictPattern => [Place::Pattern, READ][usize::from(field == Field::Key)],
        Kind::Str | Kind::Module | Kind::ExpressionStatement if parent.quoted => up,
        Kind::KeywordArgument
        | Kind::Pair
        | Kind::Assignment
        | Kind::AugmentedAssignment
        | Kind::NamedExpression
        | Kind::ReturnStatement
        | Kind::Yield
        | Kind::RaiseStatement
        | Kind::ExceptClause
        | Kind::Lambda
        | Kind::PrintStatement => VALUE,
        Kind::ListComprehension
        | Kind::SetComprehension
        | Kind::DictionaryComprehension
        | Kind::GeneratorExpression
            if field == Field::Body =>
        {
            VALUE
        }
        _ => READ,
    }
}

/// Whether a subscript at this place applies a generic type rather than indexing a value.
pub(super) fn applies(place: Place, head: Head) -> bool {
    matches!(place, Place::Type | Place::Use(Role::Inherit)) || head.is_form()
}

/// An operand of `and`, `or` or a conditional expression is used as the whole is, but never a part of a longer path.
fn operand(up: Place) -> Place {
    match up {
        Place::Use(Role::Value) | Place::Type => up,
        _ => READ,
    }
}

fn argument(parent: Parent, kind: Kind, index: u32) -> Place {
    match (parent.place, parent.head, index) {
        (Place::Use(Role::Inherit), ..) => match kind {
            Kind::KeywordArgument | Kind::ListSplat | Kind::DictionarySplat => VALUE,
            _ => Place::Use(Role::Inherit),
        },
        (_, Head::Cast, 0) | (_, Head::NewType, 1) | (_, Head::TypeVar, 1..) => Place::Type,
        _ => VALUE,
    }
}

fn type_argument(head: Head, index: u32) -> Place {
    match head {
        // The strings of a literal type are values, not forward references.
        Head::Literal => READ,
        Head::Annotated if index > 0 => VALUE,
        _ => Place::Type,
    }
}
