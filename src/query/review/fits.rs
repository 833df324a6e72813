//! Does a call still fit a signature, by the number of its arguments and its keywords? Types are not looked at, and where an
//! argument list is spread (`*args`) nothing is claimed.

use crate::lang::rules;
use crate::model::*;

/// Why a call does not fit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "problem")]
pub enum Misfit {
    /// There is nothing of that name any more.
    Gone,
    TooMany {
        given: usize,
        taken: usize,
    },
    /// No parameter has this name.
    Unknown {
        keyword: String,
    },
    /// This parameter is not given.
    Missing {
        parameter: String,
    },
    /// The parameter is declared with a type that the old one does not go for.
    Retyped {
        parameter: String,
        was: String,
        is: String,
    },
    /// What it gives is declared with a type that does not go for the old one.
    Result {
        was: String,
        is: String,
    },
    /// What it gives has to be awaited now.
    Awaitable,
    /// An override that had the same parameters, and has not now.
    Overrides,
    /// A class that does not have a method that is asked of it now.
    Lacks,
}

impl Misfit {
    /// Whether the call itself shows it; else it depends on what is made of the result, or on types.
    pub(crate) fn is_seen_at_the_call(&self) -> bool {
        !matches!(self, Misfit::Retyped { .. } | Misfit::Result { .. } | Misfit::Awaitable)
    }
}

/// The arguments of one call.
pub(crate) struct Arguments<'f> {
    positional: usize,
    keywords: Vec<&'f str>,
    /// Something is spread into it: any number and any name.
    spread: bool,
}

impl<'f> Arguments<'f> {
    /// The misfit of giving more than `taken` arguments of any kind.
    pub(crate) fn surplus(&self, taken: usize) -> Option<Misfit> {
        let given = self.positional + self.keywords.len();
        (!self.spread && given > taken).then_some(Misfit::TooMany { given, taken })
    }

    /// Arguments given by position; none can be told where something is spread.
    pub(crate) fn positional(&self) -> usize {
        if self.spread { 0 } else { self.positional }
    }

    pub(crate) fn of(facts: &'f FileFacts, list: List) -> Arguments<'f> {
        let mut arguments = Arguments { positional: 0, keywords: Vec::new(), spread: false };
        if let [only] = facts.list(list)
            && rules::rules(facts.language).several_results
            && matches!(facts.expr(*only), Expr::Call { .. })
        {
            arguments.spread = true;
        }
        for id in facts.list(list) {
            match facts.expr(*id) {
                Expr::Keyword { name, .. } => arguments.keywords.push(facts.name(name)),
                Expr::Spread { .. } => arguments.spread = true,
                _ => arguments.positional += 1,
            }
        }
        arguments
    }
}

/// Why a call does not fit a definition; `None` if it does. A method is called through its object or, in Python, perhaps
/// through its class with the object as first argument: either will do.
pub(crate) fn misfit(facts: &FileFacts, definition: &Definition, arguments: &Arguments<'_>) -> Option<Misfit> {
    let receives = receives(facts, definition);
    let bound = misfit_of(facts, &definition.params[usize::from(receives)..], arguments)?;
    // `T.method(x)`: the object is given by hand.
    if let (Some(_), Some(positional)) = (definition.receiver, arguments.positional.checked_sub(1)) {
        let by_hand = Arguments { positional, keywords: arguments.keywords.clone(), spread: arguments.spread };
        return misfit_of(facts, &definition.params, &by_hand).map(|_| bound);
    }
    if receives && misfit_of(facts, &definition.params, arguments).is_none() {
        return None;
    }
    Some(bound)
}

/// Whether the first parameter is the object that a method is called through.
pub(crate) fn receives(facts: &FileFacts, definition: &Definition) -> bool {
    let explicit = rules::rules(facts.language).explicit_receiver;
    let in_class = definition.container.is_some_and(|class| facts.definition(class).kind.is_type());
    explicit && in_class && !definition.flags.has(DefFlags::STATIC) && !definition.params.is_empty()
}

fn misfit_of(facts: &FileFacts, params: &[Param], arguments: &Arguments<'_>) -> Option<Misfit> {
    if arguments.spread {
        return None;
    }
    let by_position = |param: &&Param| matches!(param.kind, ParamKind::Normal | ParamKind::PositionalOnly);
    let places = params.iter().filter(by_position).count();
    let takes_any = |kind: ParamKind| params.iter().any(|param| param.kind == kind);
    if arguments.positional > places && !takes_any(ParamKind::Rest) {
        return Some(Misfit::TooMany { given: arguments.positional, taken: places });
    }
    for keyword in &arguments.keywords {
        let named = params.iter().any(|param| {
            matches!(param.kind, ParamKind::Normal | ParamKind::KeywordOnly) && facts.name(param.name) == *keyword
        });
        if !named && !takes_any(ParamKind::KeywordRest) {
            return Some(Misfit::Unknown { keyword: (*keyword).to_string() });
        }
    }
    let filled = |index: usize, param: &Param| {
        index < arguments.positional || arguments.keywords.contains(&facts.name(param.name)) || param.optional
    };
    let missing = params.iter().filter(by_position).enumerate().find(|(index, param)| !filled(*index, param));
    let only = |param: &&Param| param.kind == ParamKind::KeywordOnly && !filled(usize::MAX, param);
    let missing = missing.map(|(_, param)| param).or_else(|| params.iter().find(only));
    missing.map(|param| Misfit::Missing { parameter: facts.name(param.name).to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    /// The misfit of the last call of the first callable of the source.
    fn misfit_in(path: &str, source: &str) -> String {
        let facts = lang::extract(path, source.as_bytes(), &lang::Limits::default());
        let definition = facts.definitions.iter().find(|definition| definition.kind.is_callable()).unwrap();
        let is_of_it = |of: ExprId| match facts.expr(of) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => name == definition.name,
            _ => false,
        };
        let list = facts.references.iter().rev().find_map(|reference| match facts.expr(reference.expr) {
            Expr::Call { of, args } | Expr::New { of, args } if is_of_it(of) => Some(args),
            _ => None,
        });
        misfit(&facts, definition, &Arguments::of(&facts, list.unwrap()))
            .map_or("fits".into(), |why| format!("{why:?}"))
    }

    #[test]
    fn positions_keywords_and_what_is_missing_are_checked() {
        let of = |params: &str, call: &str| misfit_in("a.py", &format!("def f({params}): pass\n\nf({call})\n"));
        for (params, call) in [
            ("a, b=1", "1"),
            ("a, b=1", "1, b=2"),
            ("a, *rest", "1, 2, 3"),
            ("a, **more", "1, x=2"),
            ("a, *, k", "1, k=2"),
            ("a, b", "*x"),
            ("a, b", "1, **x"),
            ("a, /", "1"),
        ] {
            assert_eq!(of(params, call), "fits", "f({params}) called f({call})");
        }
        assert_eq!(of("a", "1, 2"), "TooMany { given: 2, taken: 1 }");
        assert_eq!(of("a, b", "1"), "Missing { parameter: \"b\" }");
        assert_eq!(of("a, *, k", "1"), "Missing { parameter: \"k\" }");
        assert_eq!(of("a", "1, k=2"), "Unknown { keyword: \"k\" }");
        assert_eq!(of("a, /", "a=1"), "Unknown { keyword: \"a\" }");
    }

    #[test]
    fn all_results_of_a_call_may_be_the_arguments_of_another() {
        let of =
            |call: &str| misfit_in("a.go", &format!("package a\n\nfunc f(a, b int) {{}}\n\nfunc h() {{ {call} }}\n"));
        assert_eq!((of("f(g())"), of("f(1, 2)")), ("fits".into(), "fits".into()));
        assert_eq!(of("f(1)"), "Missing { parameter: \"b\" }");
    }

    #[test]
    fn the_receiver_is_given_by_the_object_or_by_hand() {
        let of =
            |call: &str| misfit_in("a.py", &format!("class A:\n    def m(self, a): pass\n\ndef g(x): \n    {call}\n"));
        assert_eq!(of("x.m(1)"), "fits");
        assert_eq!(of("A.m(x, 1)"), "fits");
        assert_eq!(of("x.m()"), "Missing { parameter: \"a\" }");
        let of = |call: &str| misfit_in("A.java", &format!("class A {{ void m(int a) {{}} void g() {{ {call}; }} }}"));
        assert_eq!((of("m(1)"), of("m()")), ("fits".into(), "Missing { parameter: \"a\" }".into()));
        let of = |call: &str| misfit_in("a.go", &format!("package a\nfunc (t T) m(a int) {{}}\nvar x = {call}\n"));
        assert_eq!((of("t.m(1)"), of("T.m(t, 1)")), ("fits".into(), "fits".into()));
        assert_eq!(of("t.m()"), "Missing { parameter: \"a\" }");
    }
}
