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
    Annotation = "annotation",
    AnnotationArguments = "annotation_argument_list",
    AnnotationBody = "annotation_type_body",
    AnnotationDeclaration = "annotation_type_declaration",
    AnnotationElement = "annotation_type_element_declaration",
    AnnotatedType = "annotated_type",
    ArgumentList = "argument_list",
    ArrayAccess = "array_access",
    ArrayCreation = "array_creation_expression",
    ArrayInitializer = "array_initializer",
    ArrayType = "array_type",
    Assert = "assert_statement",
    Assignment = "assignment_expression",
    Asterisk = "asterisk",
    Binary = "binary_expression",
    BinaryInteger = "binary_integer_literal",
    Block = "block",
    BlockComment = "block_comment",
    BooleanType = "boolean_type",
    Break = "break_statement",
    Cast = "cast_expression",
    CatchClause = "catch_clause",
    CatchParameter = "catch_formal_parameter",
    CatchType = "catch_type",
    Character = "character_literal",
    ClassBody = "class_body",
    ClassDeclaration = "class_declaration",
    ClassLiteral = "class_literal",
    CompactConstructor = "compact_constructor_declaration",
    ConstantDeclaration = "constant_declaration",
    ConstructorBody = "constructor_body",
    ConstructorDeclaration = "constructor_declaration",
    Continue = "continue_statement",
    DecimalFloat = "decimal_floating_point_literal",
    DecimalInteger = "decimal_integer_literal",
    Dimensions = "dimensions",
    DimensionsExpression = "dimensions_expr",
    Do = "do_statement",
    ElementArray = "element_value_array_initializer",
    ElementPair = "element_value_pair",
    EnhancedFor = "enhanced_for_statement",
    EnumBody = "enum_body",
    EnumConstant = "enum_constant",
    EnumDeclaration = "enum_declaration",
    ExplicitConstructor = "explicit_constructor_invocation",
    ExpressionStatement = "expression_statement",
    ExtendsInterfaces = "extends_interfaces",
    False = "false",
    FieldAccess = "field_access",
    FieldDeclaration = "field_declaration",
    FloatType = "floating_point_type",
    For = "for_statement",
    FormalParameter = "formal_parameter",
    FormalParameters = "formal_parameters",
    GenericType = "generic_type",
    Guard = "guard",
    HexFloat = "hex_floating_point_literal",
    HexInteger = "hex_integer_literal",
    Identifier = "identifier",
    If = "if_statement",
    Import = "import_declaration",
    InferredParameters = "inferred_parameters",
    Instanceof = "instanceof_expression",
    IntegralType = "integral_type",
    InterfaceBody = "interface_body",
    InterfaceDeclaration = "interface_declaration",
    Interpolation = "string_interpolation",
    Lambda = "lambda_expression",
    LineComment = "line_comment",
    LocalVariable = "local_variable_declaration",
    MarkerAnnotation = "marker_annotation",
    MethodDeclaration = "method_declaration",
    MethodInvocation = "method_invocation",
    MethodReference = "method_reference",
    Modifiers = "modifiers",
    Null = "null_literal",
    ObjectCreation = "object_creation_expression",
    OctalInteger = "octal_integer_literal",
    Package = "package_declaration",
    Parenthesized = "parenthesized_expression",
    Provides = "provides_module_directive",
    ReceiverParameter = "receiver_parameter",
    RecordComponent = "record_pattern_component",
    RecordDeclaration = "record_declaration",
    RecordPattern = "record_pattern",
    Resource = "resource",
    Return = "return_statement",
    ScopedIdentifier = "scoped_identifier",
    ScopedType = "scoped_type_identifier",
    SpreadParameter = "spread_parameter",
    StringFragment = "string_fragment",
    StringLiteral = "string_literal",
    Super = "super",
    SuperInterfaces = "super_interfaces",
    Superclass = "superclass",
    SwitchBlock = "switch_block",
    SwitchExpression = "switch_expression",
    SwitchLabel = "switch_label",
    SwitchRule = "switch_rule",
    Template = "template_expression",
    Ternary = "ternary_expression",
    TextFragment = "multiline_string_fragment",
    This = "this",
    Throw = "throw_statement",
    True = "true",
    TryWithResources = "try_with_resources_statement",
    TypeArguments = "type_arguments",
    TypeBound = "type_bound",
    TypeIdentifier = "type_identifier",
    TypeList = "type_list",
    TypeParameter = "type_parameter",
    TypeParameters = "type_parameters",
    TypePattern = "type_pattern",
    Unary = "unary_expression",
    Update = "update_expression",
    Uses = "uses_module_directive",
    VariableDeclarator = "variable_declarator",
    VoidType = "void_type",
    While = "while_statement",
    Wildcard = "wildcard",
    Yield = "yield_statement",
}

impl Kind {
    pub(super) fn is_comment(self) -> bool {
        matches!(self, Kind::LineComment | Kind::BlockComment)
    }

    pub(super) fn is_annotation(self) -> bool {
        matches!(self, Kind::Annotation | Kind::MarkerAnnotation)
    }

    /// A type expression (bare identifiers of record patterns are told apart by their place).
    pub(super) fn is_type(self) -> bool {
        use Kind::*;
        matches!(
            self,
            TypeIdentifier
                | ScopedType
                | GenericType
                | ArrayType
                | AnnotatedType
                | IntegralType
                | FloatType
                | BooleanType
                | VoidType
                | Wildcard
                | CatchType
        )
    }

    pub(super) fn is_type_declaration(self) -> bool {
        use Kind::*;
        matches!(
            self,
            ClassDeclaration | InterfaceDeclaration | EnumDeclaration | RecordDeclaration | AnnotationDeclaration
        )
    }

    pub(super) fn is_function(self) -> bool {
        matches!(self, Kind::MethodDeclaration | Kind::ConstructorDeclaration | Kind::CompactConstructor)
    }

    pub(super) fn is_jump(self) -> bool {
        matches!(self, Kind::Return | Kind::Throw | Kind::Break | Kind::Continue | Kind::Yield)
    }
}

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_java::LANGUAGE);
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
    pub(super) alternative: u16,
    pub(super) body: u16,
    pub(super) condition: u16,
    pub(super) consequence: u16,
    pub(super) constructor: u16,
    pub(super) dimensions: u16,
    pub(super) field: u16,
    pub(super) key: u16,
    pub(super) left: u16,
    pub(super) name: u16,
    pub(super) object: u16,
    pub(super) operator: u16,
    pub(super) parameters: u16,
    pub(super) right: u16,
    pub(super) scope: u16,
    pub(super) ty: u16,
    pub(super) value: u16,
}

pub(super) static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_java::LANGUAGE);
    let id = |name: &str| language.field_id_for_name(name).map_or(0, |id| id.get());
    Fields {
        alternative: id("alternative"),
        body: id("body"),
        condition: id("condition"),
        consequence: id("consequence"),
        constructor: id("constructor"),
        dimensions: id("dimensions"),
        field: id("field"),
        key: id("key"),
        left: id("left"),
        name: id("name"),
        object: id("object"),
        operator: id("operator"),
        parameters: id("parameters"),
        right: id("right"),
        scope: id("scope"),
        ty: id("type"),
        value: id("value"),
    }
});
