//! What frameworks call by themselves, as data: `frameworks.toml`, and the rows of the user's own configuration, which have
//! the same form. Names only; what a row makes of a definition is decided in `index::resolve`.

use crate::model::Language;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// One framework, or one of its parts. The fields are explained in `frameworks.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framework {
    /// For people.
    pub name: String,
    pub language: Language,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decorators: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plain_decorators: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plain_bases: Vec<String>,
    /// `None`: any method may be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
}

/// The rows that come with the program.
pub fn built_in() -> &'static [Framework] {
    #[derive(Deserialize)]
    struct File {
        frameworks: Vec<Framework>,
    }
    // A test holds that the file is well formed.
    static ROWS: LazyLock<Vec<Framework>> = LazyLock::new(|| {
        toml::from_str(include_str!("frameworks.toml")).map_or_else(|_| Vec::new(), |file: File| file.frameworks)
    });
    &ROWS
}

/// What a decorator does to what carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decorator {
    /// Makes nobody call it.
    Plain,
    /// Makes the framework of this row call it.
    Calls(usize),
}

/// What a base class does to its subclasses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    /// The framework finds them by itself.
    pub(crate) finds: bool,
    pub(crate) row: usize,
}

/// All rows, laid out for look-up. Where two speak of one name the later one counts, so that the user's own win.
#[derive(Debug)]
pub struct Frameworks {
    rows: Vec<Framework>,
    decorators: FxHashMap<(Language, String), Decorator>,
    bases: FxHashMap<(Language, String), Base>,
}

impl Frameworks {
    /// The rows of the program and these.
    pub fn with(own: &[Framework]) -> Frameworks {
        let of_family = |row: &Framework| Framework { language: row.language.family(), ..row.clone() };
        let rows: Vec<Framework> = built_in().iter().chain(own).map(of_family).collect();
        let mut decorators = FxHashMap::default();
        let mut bases = FxHashMap::default();
        for (row, framework) in rows.iter().enumerate() {
            let key = |name: &String| (framework.language, name.rsplit('.').next().unwrap_or(name).to_owned());
            decorators.extend(framework.plain_decorators.iter().map(|name| (key(name), Decorator::Plain)));
            decorators.extend(framework.decorators.iter().map(|name| (key(name), Decorator::Calls(row))));
            bases.extend(framework.plain_bases.iter().map(|name| (key(name), Base { finds: false, row })));
            bases.extend(framework.bases.iter().map(|name| (key(name), Base { finds: true, row })));
        }
        Frameworks { rows, decorators, bases }
    }

    pub(crate) fn decorator(&self, language: Language, name: &str) -> Option<Decorator> {
        self.decorators.get(&(language, name.to_owned())).copied()
    }

    pub(crate) fn base(&self, language: Language, name: &str) -> Option<Base> {
        self.bases.get(&(language, name.to_owned())).copied()
    }

    /// The methods that a row's framework calls; `None` if it may be any.
    pub(crate) fn methods(&self, row: usize) -> Option<&[String]> {
        self.rows[row].methods.as_deref()
    }

    /// True for what is called because of its name, in a file at `path`.
    pub(crate) fn calls_by_name(&self, language: Language, name: &str, path: &str) -> bool {
        self.rows.iter().filter(|row| row.language == language).any(|row| {
            row.names.iter().any(|pattern| fits(pattern, name))
                && (row.files.is_empty() || row.files.iter().any(|file| fits_path(file, path)))
        })
    }

    /// Rows that count in a source tree that imports this package.
    pub(crate) fn rows_importing(&self, language: Language, module: &str) -> impl Iterator<Item = usize> {
        let within = |package: &String| {
            module.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        };
        let fits = move |row: &Framework| row.language == language && row.imports.iter().any(within);
        self.rows.iter().enumerate().filter(move |(_, row)| fits(row)).map(|(index, _)| index)
    }
}

/// `name`, or `na*`, `*me`, `*am*`.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (None, None) => pattern == name,
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (Some(""), Some("")) => true,
        (Some(middle), Some(_)) => name.contains(middle.trim_end_matches('*')),
    }
}

/// `versions/*.py` fits `db/versions/1.py`.
fn fits_path(pattern: &str, path: &str) -> bool {
    let mut parts = path.rsplit('/');
    pattern.rsplit('/').all(|wanted| {
        parts.next().is_some_and(|part| match wanted.split_once('*') {
            Some((start, end)) => {
                part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end)
            }
            None => part == wanted,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        let file: toml::Table = toml::from_str(include_str!("frameworks.toml")).unwrap();
        assert_eq!(built_in().len(), file["frameworks"].as_array().unwrap().len());
        assert!(built_in().len() > 20);
    }

    /// The later of two rows would win in silence.
    #[test]
    fn no_name_is_both_plain_and_not() {
        for field in [
            |row: &Framework| [&row.decorators, &row.plain_decorators].map(Clone::clone),
            |row: &Framework| [&row.bases, &row.plain_bases].map(Clone::clone),
        ] {
            for row in built_in() {
                for other in built_in().iter().filter(|other| other.language == row.language) {
                    let ([calls, _], [_, plain]) = (field(row), field(other));
                    let both: Vec<&String> = calls.iter().filter(|name| plain.contains(name)).collect();
                    assert!(both.is_empty(), "{} and {}: {both:?}", row.name, other.name);
                }
            }
        }
    }

    #[test]
    fn patterns_have_stars_at_their_ends() {
        for (pattern, name, expected) in [
            ("get", "get", true),
            ("get", "gets", false),
            ("get*", "getName", true),
            ("*_view", "my_view", true),
            ("*_view", "my_views", false),
            ("*mid*", "amidst", true),
            ("*", "anything", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        for (pattern, path, expected) in [
            ("setup.py", "setup.py", true),
            ("setup.py", "a/setup.py", true),
            ("setup.py", "a/other_setup.py", false),
            ("versions/*.py", "db/versions/1_a.py", true),
            ("versions/*.py", "db/versions/x/1_a.py", false),
            ("versions/*.py", "1.py", false),
        ] {
            assert_eq!(fits_path(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn the_users_rows_win() {
        let row = |text: &str| toml::from_str::<Framework>(text).unwrap();
        let own = [row("name = 'mine'\nlanguage = 'python'\nplain_decorators = ['route']\nbases = ['acme.Plugin']\n")];
        let all = Frameworks::with(&own);
        assert_eq!(all.decorator(Language::Python, "route"), Some(Decorator::Plain));
        assert_eq!(all.decorator(Language::Java, "route"), None);
        assert!(matches!(Frameworks::with(&[]).decorator(Language::Python, "route"), Some(Decorator::Calls(_))));
        assert_eq!(all.base(Language::Python, "Plugin").map(|base| base.finds), Some(true));
    }
}
