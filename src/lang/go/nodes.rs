//! The grammar's node kinds and fields as dense numbers, looked up once per process: comparing strings for every node costs
//! more than the rest of the walk. Kinds that extraction treats alike or not at all are `Other`.

use std::sync::LazyLock;
use tree_sitter::Language;

macro_rules! kinds {
    ($($kind:ident = $name:literal,)*) => {
        /// What a node is, as far as extraction cares.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind { Other, Error, $($kind,)* }

        const NAMED: &[(&str, Kind)] = &[$(($name, Kind::$kind),)*];
    };
}

kinds! {
    ArgumentList = "argument_list",
    ArrayType = "array_type",
    Assignment = "assignment_statement",
    Binary = "binary_expression",
    Block = "block",
    Call = "call_expression",
    ChannelType = "channel_type",
    Comment = "comment",
    CommunicationCase = "communication_case",
    CompositeLiteral = "composite_literal",
    Constants = "const_declaration",
    ConstantSpec = "const_spec",
    DefaultCase = "default_case",
    ExpressionCase = "expression_case",
    ExpressionList = "expression_list",
    False = "false",
    FieldDeclaration = "field_declaration",
    Float = "float_literal",
    For = "for_statement",
    FunctionDeclaration = "function_declaration",
    FunctionLiteral = "func_literal",
    FunctionType = "function_type",
    GenericType = "generic_type",
    Identifier = "identifier",
    If = "if_statement",
    Imaginary = "imaginary_literal",
    ImplicitArrayType = "implicit_length_array_type",
    ImportSpec = "import_spec",
    Index = "index_expression",
    Int = "int_literal",
    InterfaceType = "interface_type",
    InterpretedString = "interpreted_string_literal",
    Iota = "iota",
    KeyedElement = "keyed_element",
    LiteralElement = "literal_element",
    LiteralValue = "literal_value",
    MapType = "map_type",
    MethodDeclaration = "method_declaration",
    MethodElement = "method_elem",
    NegatedType = "negated_type",
    Nil = "nil",
    PackageClause = "package_clause",
    Parameter = "parameter_declaration",
    ParameterList = "parameter_list",
    Parenthesized = "parenthesized_expression",
    ParenthesizedType = "parenthesized_type",
    PointerType = "pointer_type",
    QualifiedType = "qualified_type",
    RangeClause = "range_clause",
    RawString = "raw_string_literal",
    ReceiveStatement = "receive_statement",
    Return = "return_statement",
    Rune = "rune_literal",
    Select = "select_statement",
    Selector = "selector_expression",
    SendStatement = "send_statement",
    ShortVariable = "short_var_declaration",
    Slice = "slice_expression",
    SliceType = "slice_type",
    StructType = "struct_type",
    Switch = "expression_switch_statement",
    True = "true",
    TypeAlias = "type_alias",
    TypeArguments = "type_arguments",
    TypeAssertion = "type_assertion_expression",
    TypeCase = "type_case",
    TypeConstraint = "type_constraint",
    TypeConversion = "type_conversion_expression",
    TypeElement = "type_elem",
    TypeIdentifier = "type_identifier",
    TypeInstantiation = "type_instantiation_expression",
    TypeParameter = "type_parameter_declaration",
    TypeSpec = "type_spec",
    TypeSwitch = "type_switch_statement",
    Unary = "unary_expression",
    VariableSpec = "var_spec",
    VariadicArgument = "variadic_argument",
    VariadicParameter = "variadic_parameter_declaration",
}

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_go::LANGUAGE);
    let kind = |id| {
        let name = language.node_kind_for_id(id)?;
        NAMED.iter().find(|(named, _)| *named == name).map(|(_, kind)| *kind)
    };
    (0..language.node_kind_count() as u16).map(|id| kind(id).unwrap_or(Kind::Other)).collect()
});

/// The kind behind a grammar's node kind id.
pub(super) fn kind_of(id: u16) -> Kind {
    // tree-sitter numbers ERROR nodes outside the grammar's range.
    if id == u16::MAX { Kind::Error } else { KINDS.get(id as usize).copied().unwrap_or(Kind::Other) }
}

/// Field ids; 0, which no child has as its field, where the grammar lacks one.
pub(super) struct Fields {
    pub(super) alias: u16,
    pub(super) element: u16,
    pub(super) field: u16,
    pub(super) function: u16,
    pub(super) index: u16,
    pub(super) key: u16,
    pub(super) left: u16,
    pub(super) name: u16,
    pub(super) operand: u16,
    pub(super) operator: u16,
    pub(super) package: u16,
    pub(super) path: u16,
    pub(super) receiver: u16,
    pub(super) result: u16,
    pub(super) right: u16,
    pub(super) ty: u16,
    pub(super) type_arguments: u16,
    pub(super) value: u16,
}

pub(super) static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_go::LANGUAGE);
    let id = |name: &str| language.field_id_for_name(name).map_or(0, |id| id.get());
    Fields {
        alias: id("alias"),
        element: id("element"),
        field: id("field"),
        function: id("function"),
        index: id("index"),
        key: id("key"),
        left: id("left"),
        name: id("name"),
        operand: id("operand"),
        operator: id("operator"),
        package: id("package"),
        path: id("path"),
        receiver: id("receiver"),
        result: id("result"),
        right: id("right"),
        ty: id("type"),
        type_arguments: id("type_arguments"),
        value: id("value"),
    }
});
