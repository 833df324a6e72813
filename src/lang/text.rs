//! Text without a front end: code of other languages ([`super::plain`]), templates, configuration, documents. Where a function may be named by
//! something that calls it, the names are kept as mentions ([`super::mentions`]); a document calls nothing.

use super::mentions;

/// What kind of text a file is, which decides what in it can mention a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Code that may call ours: every identifier.
    Code,
    /// Code of a runtime that ours cannot be called from by name: only names that are strings of their own.
    Script,
    /// Expressions of a template engine.
    Template,
    /// Attributes and elements, unless it turns out to be a document.
    Xml,
    /// Keys and values, line by line.
    Config,
    /// For people: explains names and uses none.
    Document,
}

use TextKind::{Code, Config, Document, Script, Template, Xml};

/// By extension, sorted.
const EXTENSIONS: [(&str, TextKind); 30] = [
    ("cfg", Config),
    ("conf", Config),
    ("css", Script),
    ("ftl", Template),
    ("gradle", Code),
    ("htm", Template),
    ("html", Template),
    ("ini", Config),
    ("ipynb", Code),
    ("j2", Template),
    ("jinja", Template),
    ("jinja2", Template),
    ("json", Config),
    ("jsp", Template),
    ("jspx", Template),
    ("md", Document),
    ("mdx", Document),
    ("po", Document),
    ("properties", Config),
    ("pyi", Code),
    ("pyx", Code),
    ("rst", Document),
    ("sql", Code),
    ("tf", Config),
    ("toml", Config),
    ("txt", Document),
    ("xhtml", Template),
    ("xml", Xml),
    ("yaml", Config),
    ("yml", Config),
];

/// Files that are known by their whole name.
const NAMES: [(&str, TextKind); 9] = [
    ("Containerfile", Code),
    ("Dockerfile", Code),
    ("Jenkinsfile", Code),
    ("Justfile", Code),
    ("Makefile", Code),
    ("Procfile", Code),
    ("entry_points.txt", Config),
    ("go.mod", Document),
    ("justfile", Code),
];

/// The kind of the text at a path; `None` is not ours.
pub(super) fn kind_of(path: &str) -> Option<TextKind> {
    let name = super::file_name_of(path);
    if let Ok(at) = NAMES.binary_search_by_key(&name, |(name, _)| name) {
        return Some(NAMES[at].1);
    }
    // `META-INF/services/a.b.Service` and its like: the extension is part of a name.
    if path.contains("META-INF/services/") || path.contains("META-INF/spring") {
        return Some(Config);
    }
    if let Some(plain) = super::plain::of(path) {
        return Some(plain.kind);
    }
    let at = EXTENSIONS.binary_search_by_key(&super::extension_of(path)?, |(extension, _)| extension).ok()?;
    Some(if super::testfiles::is_change_log(path) { Document } else { EXTENSIONS[at].1 })
}

/// Adds the names that the text mentions.
pub(super) fn collect(kind: TextKind, text: &str, into: &mut Vec<u32>) {
    match kind {
        Code => mentions::all(text.as_bytes(), into),
        Script => quoted_names(text, into),
        Template => mentions::template(text, into),
        Xml => xml(text, into),
        Config => config(text, into),
        Document => {}
    }
}

/// Keys and values, whatever the format; comments explain.
fn config(text: &str, into: &mut Vec<u32>) {
    mentions::template(text, into);
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        for part in line.split(|c| "\"'=,[]{}".contains(c)).flat_map(|part| part.split(": ")) {
            mentions::value(part.trim_start_matches([' ', '\t', '-', ':']), into);
        }
    }
}

/// `"name"`, `'a.b.name'`: a name in quotes and nothing else.
fn quoted_names(text: &str, into: &mut Vec<u32>) {
    for part in text.split(['"', '\'', '`', '\n']) {
        if part.len() <= 200
            && !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:".contains(&b))
        {
            mentions::value(part, into);
        }
    }
}

/// Values of attributes and whole texts of elements. A file with paragraphs is a document.
fn xml(text: &str, into: &mut Vec<u32>) {
    mentions::template(text, into);
    if ["<p>", "<para>", "<p ", "<li>"].iter().any(|tag| text.contains(tag)) {
        return;
    }
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        mentions::value(&rest[..open], into);
        rest = &rest[open..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end..]);
        } else {
            let end = rest.find('>').unwrap_or(rest.len());
            for quoted in rest[..end].split(['"', '\'']).skip(1).step_by(2) {
                mentions::value(quoted, into);
            }
            rest = &rest[end..];
        }
        rest = rest.strip_prefix("-->").or(rest.strip_prefix('>')).unwrap_or(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::word_hash;

    fn mentions(path: &str, text: &str, word: &str) -> bool {
        let mut found = Vec::new();
        collect(kind_of(path).unwrap(), text, &mut found);
        found.contains(&word_hash(word.as_bytes()))
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(EXTENSIONS.is_sorted_by_key(|row| row.0) && NAMES.is_sorted_by_key(|row| row.0));
    }

    #[test]
    fn configuration_names_what_it_starts() {
        for (path, text) in [
            ("pyproject.toml", "[project.scripts]\nshop = \"shop.cli:load\"\n"),
            ("setup.cfg", "console_scripts =\n    shop = shop.cli:load\n"),
            ("a/entry_points.txt", "[x]\nshop = shop.cli:load [extra]\n"),
            ("a.yml", "- run: python -m shop.load\n"),
            ("a.yaml", "operationId: load\n"),
            ("a.json", "{\"handler\": \"load\"}"),
            ("a.properties", "hook=com.shop.Hooks#load\n"),
            ("src/main/resources/META-INF/services/com.shop.Spi", "com.shop.load\n"),
            ("beans.xml", "<bean class=\"com.shop.Cart\" init-method=\"load\"/>"),
            ("web.xml", "<x><!-- a --><filter-class> com.shop.load </filter-class></x>"),
            ("a.xml", "<x value='#{cart.load()}'/>"),
            ("a.groovy", "cart.load()"),
            ("Makefile", "all:\n\tpython -c 'import shop; shop.load()'\n"),
            ("a.html", "<a th:href=\"@{/x}\">{{ cart.load }}</a>"),
            ("a.css", "a { content: 'load' }"),
        ] {
            assert!(mentions(path, text, "load"), "{path}");
        }
    }

    #[test]
    fn what_explains_a_name_does_not_use_it() {
        for (path, text) in [
            ("a.md", "Call `load()`:\n\n    load()\n"),
            ("a.rst", ".. autofunction:: shop.load\n"),
            ("LICENSE.txt", "load"),
            ("a.html", "<p>shop.load()</p>"),
            ("site/a.xml", "<document><p>Call <code>Shop.load()</code></p></document>"),
            ("a.xml", "<!-- load --><x/>"),
            ("pyproject.toml", "description = \"How to load things\"\n"),
            ("a.yml", "# how to load the data\n"),
            ("a.css", ".load { color: red }"),
        ] {
            assert!(!mentions(path, text, "load"), "{path}");
        }
    }
}
