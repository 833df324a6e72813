//! The grammar's node kinds and fields as enums: ids are looked up once by name, so that a node costs one table access and
//! no string comparison, and a change of the grammar crate cannot silently shift an id.

use std::sync::LazyLock;
use tree_sitter::Language;

macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name {
            Other,
            $($variant),*
        }

        impl $name {
            fn of(text: &str) -> $name {
                match text {
                    $($text => $name::$variant,)*
                    _ => $name::Other,
                }
            }
        }
    };
}

table! {
    /// Kind of a named node.
    Kind {
        Module = "module",
        Block = "block",
        Comment = "comment",
        LineContinuation = "line_continuation",
        ExpressionStatement = "expression_statement",
        ImportStatement = "import_statement",
        ImportFrom = "import_from_statement",
        FutureImport = "future_import_statement",
        RelativeImport = "relative_import",
        DottedName = "dotted_name",
        AliasedImport = "aliased_import",
        WildcardImport = "wildcard_import",
        PrintStatement = "print_statement",
        AssertStatement = "assert_statement",
        ReturnStatement = "return_statement",
        DeleteStatement = "delete_statement",
        RaiseStatement = "raise_statement",
        BreakStatement = "break_statement",
        ContinueStatement = "continue_statement",
        GlobalStatement = "global_statement",
        NonlocalStatement = "nonlocal_statement",
        ExecStatement = "exec_statement",
        TypeAlias = "type_alias_statement",
        IfStatement = "if_statement",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        MatchStatement = "match_statement",
        CaseClause = "case_clause",
        ForStatement = "for_statement",
        WhileStatement = "while_statement",
        TryStatement = "try_statement",
        ExceptClause = "except_clause",
        FinallyClause = "finally_clause",
        WithItem = "with_item",
        FunctionDefinition = "function_definition",
        ClassDefinition = "class_definition",
        DecoratedDefinition = "decorated_definition",
        Decorator = "decorator",
        Parameters = "parameters",
        LambdaParameters = "lambda_parameters",
        DefaultParameter = "default_parameter",
        TypedParameter = "typed_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        KeywordSeparator = "keyword_separator",
        PositionalSeparator = "positional_separator",
        ListSplatPattern = "list_splat_pattern",
        DictionarySplatPattern = "dictionary_splat_pattern",
        ListSplat = "list_splat",
        DictionarySplat = "dictionary_splat",
        PatternList = "pattern_list",
        TuplePattern = "tuple_pattern",
        ListPattern = "list_pattern",
        ExpressionList = "expression_list",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        CasePattern = "case_pattern",
        ClassPattern = "class_pattern",
        KeywordPattern = "keyword_pattern",
        SplatPattern = "splat_pattern",
        UnionPattern = "union_pattern",
        DictPattern = "dict_pattern",
        Identifier = "identifier",
        Attribute = "attribute",
        Subscript = "subscript",
        Slice = "slice",
        Call = "call",
        ArgumentList = "argument_list",
        KeywordArgument = "keyword_argument",
        Parenthesized = "parenthesized_expression",
        Await = "await",
        Yield = "yield",
        Lambda = "lambda",
        NamedExpression = "named_expression",
        Conditional = "conditional_expression",
        BooleanOperator = "boolean_operator",
        NotOperator = "not_operator",
        Comparison = "comparison_operator",
        BinaryOperator = "binary_operator",
        UnaryOperator = "unary_operator",
        Assignment = "assignment",
        AugmentedAssignment = "augmented_assignment",
        List = "list",
        Tuple = "tuple",
        Set = "set",
        Dictionary = "dictionary",
        Pair = "pair",
        ListComprehension = "list_comprehension",
        SetComprehension = "set_comprehension",
        DictionaryComprehension = "dictionary_comprehension",
        GeneratorExpression = "generator_expression",
        ForInClause = "for_in_clause",
        IfClause = "if_clause",
        Str = "string",
        ConcatenatedString = "concatenated_string",
        StringStart = "string_start",
        StringContent = "string_content",
        StringEnd = "string_end",
        Interpolation = "interpolation",
        Integer = "integer",
        Float = "float",
        True = "true",
        False = "false",
        None = "none",
        Ellipsis = "ellipsis",
        Type = "type",
        GenericType = "generic_type",
        TypeParameter = "type_parameter",
        UnionType = "union_type",
        ConstrainedType = "constrained_type",
        MemberType = "member_type",
        SplatType = "splat_type",
        Error = "ERROR",
    }
}

table! {
    /// Field of a node in its parent; `Other` also for none.
    Field {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        Attribute = "attribute",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Function = "function",
        Guard = "guard",
        Key = "key",
        Left = "left",
        ModuleName = "module_name",
        Name = "name",
        Object = "object",
        Parameters = "parameters",
        ReturnType = "return_type",
        Right = "right",
        Subject = "subject",
        Subscript = "subscript",
        Superclasses = "superclasses",
        Type = "type",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// The tables of the grammar in use.
pub(super) struct Grammar {
    pub(super) language: Language,
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let language: Language = tree_sitter_python::LANGUAGE.into();
    let kind = |id: usize| match (language.node_kind_is_named(id as u16), language.node_kind_for_id(id as u16)) {
        (true, Some(text)) => Kind::of(text),
        _ => Kind::Other,
    };
    let kinds = (0..language.node_kind_count()).map(kind).collect();
    let fields = (0..=language.field_count())
        .map(|id| language.field_name_for_id(id as u16).map_or(Field::Other, Field::of))
        .collect();
    Grammar { language, kinds, fields }
});

/// Kind id of ERROR nodes; it is outside the language's table.
const ERROR_ID: u16 = u16::MAX;

impl Grammar {
    pub(super) fn kind(&self, id: u16) -> Kind {
        match self.kinds.get(id as usize) {
            Some(kind) => *kind,
            None if id == ERROR_ID => Kind::Error,
            None => Kind::Other,
        }
    }

    pub(super) fn field(&self, id: u16) -> Field {
        self.fields.get(id as usize).copied().unwrap_or(Field::Other)
    }
}
