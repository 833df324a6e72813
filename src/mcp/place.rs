//! Which repository a question is about: the folder that it names, else the client's roots, else where the server was started.

use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A client that does not answer must not hold up an answer that needs no roots.
const PATIENCE: Duration = Duration::from_secs(2);

/// Folders in the order in which they are tried.
pub(super) async fn folders(
    started: &Path,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> Vec<PathBuf> {
    if let Some(folder) = arguments.get("folder").and_then(|value| value.as_str()) {
        return vec![started.join(folder)];
    }
    let mut folders = roots(context).await;
    folders.push(started.to_path_buf());
    folders
}

// Newer protocols do without roots, and clients that have them go on being served.
#[allow(deprecated)]
async fn roots(context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
    if context.client_capabilities().is_none_or(|capabilities| capabilities.roots.is_none()) {
        return Vec::new();
    }
    match tokio::time::timeout(PATIENCE, context.peer.list_roots()).await {
        Ok(Ok(listed)) => listed.roots.iter().filter_map(|root| path_of(&root.uri)).collect(),
        _ => Vec::new(),
    }
}

/// The path of a `file:` URI on this machine.
fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_uris_are_paths_and_others_are_not() {
        assert_eq!(path_of("file:///a/b%20c/%C3%A4"), Some("/a/b c/ä".into()));
        assert_eq!(path_of("file://localhost/a"), Some("/a".into()));
        for uri in ["http://x/a", "file://host/a", "file:///a%2", "file:///a%zz", "file:///%ff", ""] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
    }
}
