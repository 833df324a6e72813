//! The node kinds and fields of the three grammars as dense numbers, looked up once per process: comparing strings for every
//! node costs more than the rest of the walk. The grammars share their names but not their numbers. Kinds that extraction
//! treats alike or not at all are `Other`.

use std::sync::LazyLock;
use tree_sitter::{Language, Node};

macro_rules! kinds {
    ($($kind:ident = $name:literal,)*) => {
        /// What a node is, as far as extraction cares.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind { Other, Error, $($kind,)* }

        const NAMED: &[(&str, Kind)] = &[$(($name, Kind::$kind),)*];
    };
}

kinds! {
    AbstractClass = "abstract_class_declaration",
    AbstractMethod = "abstract_method_signature",
    Ambient = "ambient_declaration",
    Arguments = "arguments",
    Array = "array",
    ArrayPattern = "array_pattern",
    ArrayType = "array_type",
    Arrow = "arrow_function",
    As = "as_expression",
    Asserts = "asserts",
    Assignment = "assignment_expression",
    AssignmentPattern = "assignment_pattern",
    Augmented = "augmented_assignment_expression",
    Await = "await_expression",
    Binary = "binary_expression",
    Break = "break_statement",
    Call = "call_expression",
    CallSignature = "call_signature",
    Catch = "catch_clause",
    Class = "class",
    ClassBody = "class_body",
    ClassDeclaration = "class_declaration",
    ClassHeritage = "class_heritage",
    Comment = "comment",
    ComputedName = "computed_property_name",
    ConditionalType = "conditional_type",
    Constraint = "constraint",
    ConstructSignature = "construct_signature",
    ConstructorType = "constructor_type",
    Continue = "continue_statement",
    Decorator = "decorator",
    DefaultType = "default_type",
    Do = "do_statement",
    Else = "else_clause",
    EnumAssignment = "enum_assignment",
    EnumBody = "enum_body",
    EnumDeclaration = "enum_declaration",
    ExportClause = "export_clause",
    ExportSpecifier = "export_specifier",
    Export = "export_statement",
    ExpressionStatement = "expression_statement",
    ExtendsClause = "extends_clause",
    ExtendsType = "extends_type_clause",
    False = "false",
    FieldDefinition = "field_definition",
    For = "for_statement",
    ForIn = "for_in_statement",
    FormalParameters = "formal_parameters",
    FunctionDeclaration = "function_declaration",
    FunctionExpression = "function_expression",
    FunctionSignature = "function_signature",
    FunctionType = "function_type",
    Generator = "generator_function",
    GeneratorDeclaration = "generator_function_declaration",
    GenericType = "generic_type",
    Identifier = "identifier",
    If = "if_statement",
    Implements = "implements_clause",
    Import = "import",
    ImportAlias = "import_alias",
    ImportStatement = "import_statement",
    IndexSignature = "index_signature",
    IndexTypeQuery = "index_type_query",
    InferType = "infer_type",
    Instantiation = "instantiation_expression",
    InterfaceBody = "interface_body",
    InterfaceDeclaration = "interface_declaration",
    InternalModule = "internal_module",
    Intersection = "intersection_type",
    JsxAttribute = "jsx_attribute",
    JsxClosing = "jsx_closing_element",
    JsxElement = "jsx_element",
    JsxExpression = "jsx_expression",
    JsxNamespace = "jsx_namespace_name",
    JsxOpening = "jsx_opening_element",
    JsxSelfClosing = "jsx_self_closing_element",
    Lexical = "lexical_declaration",
    LiteralType = "literal_type",
    LookupType = "lookup_type",
    MappedClause = "mapped_type_clause",
    Member = "member_expression",
    MetaProperty = "meta_property",
    MethodDefinition = "method_definition",
    MethodSignature = "method_signature",
    Module = "module",
    NestedIdentifier = "nested_identifier",
    NestedType = "nested_type_identifier",
    New = "new_expression",
    NonNull = "non_null_expression",
    Null = "null",
    Number = "number",
    Object = "object",
    ObjectAssignmentPattern = "object_assignment_pattern",
    ObjectPattern = "object_pattern",
    ObjectType = "object_type",
    OptionalParameter = "optional_parameter",
    OptionalType = "optional_type",
    Pair = "pair",
    PairPattern = "pair_pattern",
    Parenthesized = "parenthesized_expression",
    ParenthesizedType = "parenthesized_type",
    PredefinedType = "predefined_type",
    PrivateProperty = "private_property_identifier",
    Program = "program",
    Property = "property_identifier",
    PropertySignature = "property_signature",
    PublicField = "public_field_definition",
    ReadonlyType = "readonly_type",
    Regex = "regex",
    RequiredParameter = "required_parameter",
    RestPattern = "rest_pattern",
    RestType = "rest_type",
    Return = "return_statement",
    Satisfies = "satisfies_expression",
    Sequence = "sequence_expression",
    Shorthand = "shorthand_property_identifier",
    ShorthandPattern = "shorthand_property_identifier_pattern",
    Spread = "spread_element",
    StatementBlock = "statement_block",
    StaticBlock = "class_static_block",
    Str = "string",
    Subscript = "subscript_expression",
    Super = "super",
    SwitchBody = "switch_body",
    SwitchCase = "switch_case",
    Template = "template_string",
    TemplateSubstitution = "template_substitution",
    Ternary = "ternary_expression",
    This = "this",
    ThisType = "this_type",
    Throw = "throw_statement",
    True = "true",
    TupleType = "tuple_type",
    TypeAlias = "type_alias_declaration",
    TypeAnnotation = "type_annotation",
    TypeArguments = "type_arguments",
    TypeAssertion = "type_assertion",
    TypeIdentifier = "type_identifier",
    TypeParameter = "type_parameter",
    TypeParameters = "type_parameters",
    TypePredicate = "type_predicate",
    TypePredicateAnnotation = "type_predicate_annotation",
    TypeQuery = "type_query",
    Unary = "unary_expression",
    Undefined = "undefined",
    Union = "union_type",
    Update = "update_expression",
    Using = "using_declaration",
    Variable = "variable_declaration",
    Declarator = "variable_declarator",
    While = "while_statement",
    With = "with_statement",
    Yield = "yield_expression",
}

impl Kind {
    /// What has parameters and a body of its own.
    pub(super) fn is_function(self) -> bool {
        use Kind::*;
        self.is_function_value() || matches!(self, FunctionDeclaration | GeneratorDeclaration | MethodDefinition)
    }

    /// A function that is an expression.
    pub(super) fn is_function_value(self) -> bool {
        matches!(self, Kind::Arrow | Kind::FunctionExpression | Kind::Generator)
    }

    pub(super) fn is_jump(self) -> bool {
        matches!(self, Kind::Return | Kind::Throw | Kind::Break | Kind::Continue)
    }
}

macro_rules! fields {
    ($($field:ident = $name:literal,)*) => {
        /// Field ids; `u16::MAX`, which no child has as its field, where the grammar lacks one.
        pub(super) struct Fields { $(pub(super) $field: u16,)* }

        impl Fields {
            fn of(language: &Language) -> Fields {
                let id = |name: &str| language.field_id_for_name(name).map_or(u16::MAX, |id| id.get());
                Fields { $($field: id($name),)* }
            }
        }
    };
}

fields! {
    alias = "alias",
    alternative = "alternative",
    arguments = "arguments",
    body = "body",
    condition = "condition",
    consequence = "consequence",
    constructor = "constructor",
    function = "function",
    index = "index",
    key = "key",
    left = "left",
    name = "name",
    object = "object",
    operator = "operator",
    parameter = "parameter",
    parameters = "parameters",
    pattern = "pattern",
    property = "property",
    return_type = "return_type",
    right = "right",
    source = "source",
    ty = "type",
    type_arguments = "type_arguments",
    value = "value",
}

/// One grammar's numbers.
pub(super) struct Grammar {
    kinds: Vec<Kind>,
    pub(super) fields: Fields,
}

impl Grammar {
    fn of(language: &Language) -> Grammar {
        let kind = |id| {
            let name = language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id))?;
            NAMED.iter().find(|(named, _)| *named == name).map(|(_, kind)| *kind)
        };
        let kinds = (0..language.node_kind_count() as u16).map(|id| kind(id).unwrap_or(Kind::Other)).collect();
        Grammar { kinds, fields: Fields::of(language) }
    }

    /// The kind behind a node kind id.
    pub(super) fn kind(&self, id: u16) -> Kind {
        // tree-sitter numbers ERROR nodes outside the grammar's range.
        if id == u16::MAX { Kind::Error } else { self.kinds.get(id as usize).copied().unwrap_or(Kind::Other) }
    }

    pub(super) fn of_node(&self, node: Node<'_>) -> Kind {
        self.kind(node.kind_id())
    }
}

pub(super) static TYPESCRIPT: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::of(&tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()));
pub(super) static TSX: LazyLock<Grammar> = LazyLock::new(|| Grammar::of(&tree_sitter_typescript::LANGUAGE_TSX.into()));
pub(super) static JAVASCRIPT: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::of(&tree_sitter_javascript::LANGUAGE.into()));

/// Named children by a cursor: asking for each by number is quadratic.
pub(super) fn named_children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            if child.is_named() {
                return Some(child);
            }
        }
        None
    })
}

/// Does an unnamed child (a keyword or mark) stand among the first few?
pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    for _ in 0..12 {
        if !more {
            return false;
        }
        if cursor.node().kind() == word {
            return true;
        }
        more = cursor.goto_next_sibling();
    }
    false
}
