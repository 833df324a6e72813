//! Which files are tests, or tell the past, by the path conventions of each language. Whole path parts and name ends only: `latest.py`,
//! `attestation/` and `contest.py` are no tests.

use super::file_name_of;

/// pytest and unittest: a folder `tests`, or `test` at the top (inside a package it is code for tests, as django.test is), `test_*.py`, `*_test.py`, `conftest.py`, Django's `tests.py`.
pub(super) fn python(path: &str) -> bool {
    let name = file_name_of(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    path.rsplit('/').skip(1).any(|part| part == "tests")
        || path.starts_with("test/")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "conftest" | "tests")
}

/// Maven's and Gradle's source sets, and the class names that Surefire and Failsafe run.
pub(super) fn java(path: &str) -> bool {
    // A production source set may well have a package named `test` (spring-test has).
    if has_source_set(path, |set| set == "main") {
        return false;
    }
    let name = file_name_of(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let before = |suffix: &str| stem.strip_suffix(suffix).map(|start| start.chars().next_back());
    has_source_set(path, |set| set == "it" || set.starts_with("test") || set.ends_with("Test"))
        || below_test_folder(path)
        || ["Test", "Tests", "TestCase"].iter().any(|suffix| stem.ends_with(suffix))
        || before("IT").is_some_and(|last| last.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit()))
        || stem.strip_prefix("Test").is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

/// What `go test` compiles, and the folders that `go` leaves to tests.
pub(super) fn go(path: &str) -> bool {
    path.ends_with("_test.go") || path.rsplit('/').skip(1).any(|part| part == "testdata")
}

/// Jest, Vitest, Mocha, Cypress: folders `test`, `tests`, `__tests__`, `spec`, `e2e`, `cypress`, and `*.test.*`, `*.spec.*` and their
/// like. Mocks and fixtures in folders of such names belong to them.
pub(super) fn typescript(path: &str) -> bool {
    let stem = file_name_of(path);
    let marks = ["test", "tests", "spec", "e2e", "cy", "test-d", "bench"];
    let marked = stem.split('.').skip(1).any(|part| marks.contains(&part));
    let folders = ["test", "tests", "__tests__", "__mocks__", "__fixtures__", "spec", "specs", "e2e", "cypress"];
    marked || path.rsplit('/').skip(1).any(|part| folders.contains(&part))
}

/// A change log: it names what once was, whether or not anything uses it today.
pub(super) fn is_change_log(path: &str) -> bool {
    let name = file_name_of(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase().replace(['_', ' '], "-");
    let known = [
        "changes",
        "changelog",
        "change-log",
        "history",
        "news",
        "release-notes",
        "releasenotes",
        "releases",
        "whatsnew",
    ];
    let words = ["changelog", "release-notes", "releasenotes"];
    let folder = path
        .rsplit('/')
        .skip(1)
        .any(|part| matches!(part, "changes" | "changelog" | "changelogs" | "newsfragments" | "releasenotes"));
    folder || known.contains(&stem.as_str()) || words.iter().any(|word| stem.starts_with(word))
}

/// What most languages call their tests: folders, and beginnings and ends of names.
pub(super) fn plain(path: &str) -> bool {
    let name = file_name_of(path);
    let stem = name.split('.').next().unwrap_or(name);
    let folders = ["test", "tests", "spec", "specs", "testdata", "__tests__", "benches", "Tests"];
    path.rsplit('/').skip(1).any(|part| folders.contains(&part))
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec", "Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end))
}

/// A text file that belongs to the tests.
pub(super) fn text(path: &str) -> bool {
    below_test_folder(path) || has_source_set(path, |set| set.starts_with("test"))
}

fn below_test_folder(path: &str) -> bool {
    path.rsplit('/').skip(1).any(|part| matches!(part, "test" | "tests"))
}

/// True if a folder directly below one named `src` fits.
fn has_source_set(path: &str, fits: impl Fn(&str) -> bool) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    parts.windows(3).any(|three| three[0] == "src" && fits(three[1]))
}

#[cfg(test)]
mod tests {
    use super::super::is_test;
    use super::is_change_log;

    #[test]
    fn conventions_are_known() {
        for path in [
            "tests/data.py",
            "test/x.py",
            "test_a.py",
            "pkg/a_test.py",
            "conftest.py",
            "app/tests.py",
            "src/test/java/a/Base.java",
            "src/it/java/A.java",
            "a/src/integrationTest/java/A.java",
            "x/tests/A.java",
            "A/FooTest.java",
            "FooTests.java",
            "FooIT.java",
            "TestFoo.java",
            "FooTestCase.java",
            "tests/notes.md",
            "src/test/resources/a.xml",
        ] {
            assert!(is_test(path), "{path}");
        }
    }

    #[test]
    fn parts_of_words_are_no_conventions() {
        for path in [
            "latest.py",
            "attestation/a.py",
            "contest.py",
            "testing.py",
            "django/test/client.py",
            "protests/a.py",
            "testimony.py",
            "Latest.java",
            "Testimonial.java",
            "AUDIT.java",
            "IT.java",
            "src/main/java/org/spring/test/TestContext.java",
            "docs/notes.md",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn change_logs_tell_the_past() {
        for path in [
            "CHANGES.rst",
            "docs/changelog.md",
            "RELEASE-NOTES.txt",
            "RELEASE_NOTES-2.0.md",
            "src/changes/changes.xml",
            "news.txt",
        ] {
            assert!(is_change_log(path), "{path}");
        }
        for path in ["newsletter.html", "docs/exchanges.md", "README.md", "history/templates/a.html"] {
            assert!(!is_change_log(path), "{path}");
        }
    }
}
