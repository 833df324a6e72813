//! What names alone say: vendored and built folders, generated files, locks and secrets. Tables, so that each decision can
//! be seen and argued with.

use crate::lang;
use crate::model::Language;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Folders of other people's code.
const VENDORED: [&str; 13] = [
    "_vendor",
    "_vendored",
    "bower_components",
    "dist-packages",
    "jspm_packages",
    "node_modules",
    "site-packages",
    "third-party",
    "third_party",
    "thirdparty",
    "3rdparty",
    ".tox",
    ".nox",
];

/// So named are vendored code and, in business software, packages about suppliers.
const MAYBE_VENDORED: [&str; 2] = ["vendor", "vendors"];

/// Why the folder at `path` (relative, in bytes) is vendored, if it is; `has` tells what it holds.
pub(super) fn vendored(path: &[u8], has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let name = parts.next()?;
    if has("pyvenv.cfg") {
        return Some("virtual environment");
    }
    if let Some(found) = VENDORED.iter().find(|known| known.as_bytes() == name) {
        return Some(found);
    }
    // A Python package, or a Java package below a source root (`org.springframework.orm.jpa.vendor`), is code of ours.
    let below_source_root = parts.any(|part| matches!(part, b"java" | b"kotlin" | b"groovy" | b"src"));
    let found = MAYBE_VENDORED.iter().find(|known| known.as_bytes() == name)?;
    (!below_source_root && !has("__init__.py")).then_some(*found)
}

/// Folders that tools write, whatever is beside them.
const OUTPUT: [&str; 16] = [
    "__pycache__",
    ".cache",
    ".eggs",
    ".gradle",
    ".idea",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".settings",
    ".terraform",
    ".venv",
    ".vscode",
    "htmlcov",
    "jacoco",
];

/// Folders that build tools write beside their project file; elsewhere a package may well have such a name.
const PROJECT_OUTPUT: [&str; 5] = ["bin", "build", "dist", "out", "target"];

/// True for a folder of build output. Only asked of folders without tracked files.
pub(super) fn is_output(name: &OsStr, beside_manifest: impl Fn() -> bool) -> bool {
    OUTPUT.iter().any(|known| name == *known)
        || name.as_bytes().ends_with(b".egg-info")
        || PROJECT_OUTPUT.iter().any(|known| name == *known) && beside_manifest()
}

/// True for the file that makes its folder a project of some build tool.
pub(super) fn is_manifest(name: &OsStr) -> bool {
    const MANIFESTS: [&str; 13] = [
        "CMakeLists.txt",
        "Cargo.toml",
        "Makefile",
        "build.gradle",
        "build.gradle.kts",
        "build.sbt",
        "build.xml",
        "go.mod",
        "package.json",
        "pom.xml",
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
    ];
    MANIFESTS.iter().any(|known| name == *known)
}

/// True for names that generators use.
pub(super) fn is_generated(name: &OsStr) -> bool {
    const ENDINGS: [&str; 8] =
        ["_pb2.py", "_pb2_grpc.py", ".pb.go", ".min.js", ".min.css", ".bundle.js", "-lock.json", "_generated.py"];
    ENDINGS.iter().any(|ending| name.as_bytes().ends_with(ending.as_bytes()))
}

/// True for lists of exact dependency versions: long, and never mentioning code.
pub(super) fn is_lock(name: &OsStr) -> bool {
    ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pubspec.lock", "Pipfile.lock", "poetry.lock"]
        .iter()
        .any(|known| name == *known)
        || name.as_bytes().ends_with(b".lock")
}

/// True for files that are likely to hold secrets; they are not even listed.
pub(super) fn is_secret(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    let begins = |with: &[u8]| bytes.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let ends = |with: &[u8]| {
        let end = bytes.len().checked_sub(with.len()).and_then(|at| bytes.get(at..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(with))
    };
    let stem_is = |stem: &[u8]| begins(stem) && matches!(bytes.get(stem.len()), None | Some(b'.'));
    // `.env`, `.env.local`, `.envrc`; but `credentials.py` is code.
    // A shell script sets them as `.env` does.
    let is_code = |name| lang::is_code(name) && lang::language_of(name) != Some(Language::Shell);
    let like_one = || {
        [&b".pem"[..], b".key", b".p12", b".pfx", b".jks", b".keystore", b".kdbx"].iter().any(|ending| ends(ending))
            || [&b"id_rsa"[..], b"id_dsa", b"id_ecdsa", b"id_ed25519", b".netrc", b".pypirc", b".npmrc", b".htpasswd"]
                .iter()
                .any(|stem| stem_is(stem))
            || [&b"credentials"[..], b"secrets", b"secret"].iter().any(|stem| stem_is(stem))
    };
    begins(b".env") || like_one() && !name.to_str().is_some_and(is_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendored_folders_are_known_and_suppliers_are_none() {
        let without = |_: &str| false;
        assert_eq!(vendored(b"a/node_modules", without), Some("node_modules"));
        assert_eq!(vendored(b"vendor", without), Some("vendor"));
        assert_eq!(vendored(b"shop/vendor", |name| name == "__init__.py"), None);
        assert_eq!(vendored(b"src/main/java/org/x/vendor", without), None);
        assert_eq!(vendored(b"env", |name| name == "pyvenv.cfg"), Some("virtual environment"));
        assert_eq!(vendored(b"vendoring", without), None);
    }

    #[test]
    fn output_is_told_by_its_project_file() {
        assert!(is_output(OsStr::new("build"), || true) && !is_output(OsStr::new("build"), || false));
        assert!(is_output(OsStr::new("__pycache__"), || false) && is_output(OsStr::new("x.egg-info"), || false));
    }

    #[test]
    fn secrets_are_known_by_name() {
        for name in [".env", ".env.local", ".envrc", "server.PEM", "id_rsa", "id_rsa.pub", "credentials.json", "a.key"]
        {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in
            ["credentials.py", "env.py", "keys.md", "credentialsmanager.xml", "Secret.java", "secret.go", "id_rsab.txt"]
        {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }
}
