//! What `tests/cases/check.py` says, in Rust: a graph as `floorplan dump` prints it against a case's `expected.json`.
//! The rules of naming are in `tests/cases/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::Value;

/// A graph in the words of the cases.
#[derive(Default)]
pub(crate) struct Observed {
    pub(crate) definitions: Vec<String>,
    /// Target, and who calls it: resolved calls, constructions and decorations.
    pub(crate) callers: BTreeMap<String, BTreeSet<String>>,
    pub(crate) unreferenced: Vec<String>,
}

impl Observed {
    /// Reads what `dump` printed. `root` is the indexed folder: where definitions share a qualified name they are told
    /// apart by the number of parameters that stands on their line.
    pub(crate) fn of(dump: &str, root: &Path) -> Observed {
        let lines: Vec<Value> = dump.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names = Names::of(&lines, root);
        let mut observed = Observed::default();
        for line in &lines {
            match line["t"].as_str().unwrap() {
                "definition" => observed.definitions.push(names.at(line, "file", "qualname", "line")),
                "unreferenced" => observed.unreferenced.push(names.at(line, "file", "qualname", "line")),
                "edge" if line["resolved"] == true && is_call(line) => {
                    let caller = names.around(line);
                    let callee = names.at(line, "callee_file", "callee_qualname", "callee_line");
                    observed.callers.entry(callee).or_default().insert(caller);
                }
                _ => {}
            }
        }
        observed
    }
}

fn is_call(edge: &Value) -> bool {
    matches!(edge["kind"].as_str(), Some("call" | "construct" | "decorate"))
}

/// Where the definitions of each `path::qualname` stand.
struct Names {
    spans: BTreeMap<String, Vec<Overload>>,
}

struct Overload {
    line: u64,
    end_line: u64,
    params: usize,
}

impl Names {
    fn of(lines: &[Value], root: &Path) -> Names {
        let mut spans: BTreeMap<String, Vec<Overload>> = BTreeMap::new();
        for line in lines.iter().filter(|line| line["t"] == "definition") {
            let (file, qualname) = (line["file"].as_str().unwrap(), line["qualname"].as_str().unwrap());
            let (start, end_line) = (line["line"].as_u64().unwrap(), line["end_line"].as_u64().unwrap());
            let params = parameters_at(&root.join(file), start);
            spans.entry(format!("{file}::{qualname}")).or_default().push(Overload { line: start, end_line, params });
        }
        Names { spans }
    }

    fn at(&self, row: &Value, file: &str, qualname: &str, line: &str) -> String {
        let name = format!("{}::{}", row[file].as_str().unwrap(), row[qualname].as_str().unwrap());
        let line = row[line].as_u64().unwrap();
        self.with_count(name, |overload| overload.line == line)
    }

    fn around(&self, edge: &Value) -> String {
        let file = edge["caller_file"].as_str().unwrap();
        let line = edge["caller_line"].as_u64().unwrap();
        match edge["caller_qualname"].as_str().unwrap() {
            "" => format!("{file}::<module>"),
            qualname => self.with_count(format!("{file}::{qualname}"), |overload| {
                (overload.line..=overload.end_line).contains(&line)
            }),
        }
    }

    fn with_count(&self, name: String, is_it: impl Fn(&Overload) -> bool) -> String {
        match self.spans.get(&name) {
            Some(overloads) if overloads.len() > 1 => match overloads.iter().find(|overload| is_it(overload)) {
                Some(overload) => format!("{name}#{}", overload.params),
                None => name,
            },
            _ => name,
        }
    }
}

/// How many parameters the first parentheses of that line hold. Not a parser: the cases keep them on one line.
fn parameters_at(file: &Path, line: u64) -> usize {
    let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
    let line = text.lines().nth(line as usize - 1).unwrap_or_default();
    let inside =
        line.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inside, _)| inside.trim());
    if inside.is_empty() { 0 } else { inside.matches(',').count() + 1 }
}

/// Everything in which the graph differs from the expectation, one line each.
pub(crate) fn findings(expected: &Value, observed: &Observed) -> Vec<String> {
    Check::new(expected).findings(observed)
}

struct Check<'e> {
    expected: &'e Value,
    /// Other name, name.
    aliases: BTreeMap<&'e str, &'e str>,
    count: Regex,
    /// Targets carry parameter counts.
    counted: bool,
}

impl<'e> Check<'e> {
    fn new(expected: &'e Value) -> Check<'e> {
        let aliases =
            sets(expected, "aliases").flat_map(|(name, others)| others.map(move |other| (other, name))).collect();
        let counted = sets(expected, "callers").any(|(target, _)| target.contains('#'));
        Check { expected, aliases, count: Regex::new(r"#\d+$").unwrap(), counted }
    }

    /// The one spelling of all that count as equal.
    fn canonical(&self, name: &str) -> String {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        let name = self.count.replace(name, "");
        let (file, qualname) = name.split_once("::").unwrap_or((&name, ""));
        let mut parts: Vec<&str> = qualname.split('.').collect();
        if let [.., class, last] = parts[..]
            && (matches!(last, "<init>" | "__init__" | "constructor") || last == class)
        {
            parts.pop();
        }
        if parts.last() == Some(&"<clinit>") {
            parts.pop();
            if parts.is_empty() {
                parts.push("<module>");
            }
        }
        format!("{file}::{}", parts.join("."))
    }

    fn canonical_all<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> BTreeSet<String> {
        names.into_iter().map(|name| self.canonical(name)).collect()
    }

    fn target(&self, name: &str) -> String {
        if self.counted && name.contains('#') { name.to_owned() } else { self.canonical(name) }
    }

    fn findings(&self, observed: &Observed) -> Vec<String> {
        let mut findings = self.caller_findings(observed);
        let unreferenced = self.canonical_all(observed.unreferenced.iter().map(String::as_str));
        let definitions = self.canonical_all(observed.definitions.iter().map(String::as_str));
        for (field, among, should_be, words) in [
            ("must_not_be_dead", &unreferenced, false, "wrongly unreferenced"),
            ("must_be_dead", &unreferenced, true, "not found unreferenced"),
            ("definitions_must_exist", &definitions, true, "definition lost"),
            ("definitions_must_not_exist", &definitions, false, "ghost"),
        ] {
            for name in strings(&self.expected[field]) {
                if among.contains(&self.canonical(name)) != should_be {
                    findings.push(format!("{words}: {name}"));
                }
            }
        }
        findings
    }

    fn caller_findings(&self, observed: &Observed) -> Vec<String> {
        let mut got: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (target, callers) in &observed.callers {
            let callers = self.canonical_all(callers.iter().map(String::as_str));
            got.entry(self.target(target)).or_default().extend(callers);
        }
        let none = BTreeSet::new();
        let mut findings = Vec::new();
        for (target, callers) in sets(self.expected, "callers") {
            let wanted: Vec<&str> = callers.collect();
            let key = self.target(target);
            // A product that merges overloads does not fail here; what is forbidden still is.
            if key.contains('#') && !got.contains_key(&key) {
                continue;
            }
            let found = got.get(&key).unwrap_or(&none);
            let mut allowed = self.canonical_all(strings(&self.expected["may_callers"][target]));
            if wanted.iter().any(|caller| caller.contains("<clinit>")) {
                allowed.extend(
                    wanted.iter().filter_map(|caller| Some(format!("{}::<module>", caller.split_once("::")?.0))),
                );
            }
            let wanted = self.canonical_all(wanted);
            findings.extend(wanted.difference(found).map(|caller| format!("missing caller: {caller} -> {target}")));
            let extra = found.iter().filter(|caller| !wanted.contains(*caller) && !allowed.contains(*caller));
            findings.extend(extra.map(|caller| format!("extra caller: {caller} -> {target}")));
        }
        for (target, callers) in sets(self.expected, "forbidden_callers") {
            let found = got.get(target).or_else(|| got.get(&self.canonical(target))).unwrap_or(&none);
            for caller in self.canonical_all(callers).intersection(found) {
                findings.push(format!("forbidden caller: {caller} -> {target}"));
            }
        }
        findings
    }
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap())
}

/// The entries of an object of lists.
fn sets<'e>(expected: &'e Value, field: &str) -> impl Iterator<Item = (&'e str, impl Iterator<Item = &'e str>)> {
    expected[field].as_object().into_iter().flatten().map(|(name, list)| (name.as_str(), strings(list)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn observed(callers: &[(&str, &str)], unreferenced: &[&str], definitions: &[&str]) -> Observed {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let mut out =
            Observed { unreferenced: owned(unreferenced), definitions: owned(definitions), ..Observed::default() };
        for (target, caller) in callers {
            out.callers.entry((*target).to_owned()).or_default().insert((*caller).to_owned());
        }
        out
    }

    #[test]
    fn each_kind_of_difference_is_found() {
        let expected = json!({
            "callers": {"a::f": ["b::g"], "a::h": []}, "may_callers": {"a::h": ["b::maybe"]},
            "forbidden_callers": {"a::x": ["b::g"]}, "must_not_be_dead": ["a::f"], "must_be_dead": ["a::h"],
            "definitions_must_exist": ["a::f"], "definitions_must_not_exist": ["a::ghost"],
        });
        let calls = [("a::h", "b::maybe"), ("a::h", "b::other"), ("a::x", "b::g")];
        assert_eq!(
            findings(&expected, &observed(&calls, &["a::f"], &["a::ghost"])),
            [
                "missing caller: b::g -> a::f",
                "extra caller: b::other -> a::h",
                "forbidden caller: b::g -> a::x",
                "wrongly unreferenced: a::f",
                "not found unreferenced: a::h",
                "definition lost: a::f",
                "ghost: a::ghost",
            ]
        );
        let right = observed(&[("a::f", "b::g")], &["a::h"], &["a::f"]);
        assert_eq!(findings(&expected, &right), Vec::<String>::new());
    }

    #[test]
    fn equal_names_count_as_equal() {
        let expected = json!({"callers": {"A.java::A.<init>": ["B.java::B.go"]}, "aliases": {"B.java::B.go": ["B.java::B.1.run"]}});
        for target in ["A.java::A", "A.java::A.A", "A.java::A.__init__", "A.java::A.<init>#2"] {
            let found = findings(&expected, &observed(&[(target, "B.java::B.1.run")], &[], &[]));
            assert_eq!(found, Vec::<String>::new(), "{target}");
        }
    }

    #[test]
    fn a_call_of_another_overload_is_no_recursion() {
        let expected = json!({"callers": {"a::J.join#2": [], "a::J.join#3": ["a::J.join#2"]}, "forbidden_callers": {"a::J.join#2": ["a::J.join#2"]}});
        let delegates = observed(&[("a::J.join#3", "a::J.join#2")], &[], &[]);
        assert_eq!(findings(&expected, &delegates), Vec::<String>::new());
        let recurses = observed(&[("a::J.join#2", "a::J.join#2")], &[], &[]);
        assert_eq!(findings(&expected, &recurses).len(), 2);
    }
}
