//! The server through its pipes, as a client sees it.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use crate::support::Sandbox;
use serde_json::{Value, json};

/// A client of few words.
pub(crate) struct Client {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    child: std::process::Child,
    asked: u64,
}

impl Client {
    pub(crate) fn of(sandbox: &Sandbox) -> Client {
        let mut command = sandbox.floorplan(&["mcp"]);
        command.current_dir(sandbox.repo()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { to, from, child, asked: 0 };
        let greeting = client.ask(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}}),
        );
        assert_eq!(greeting["result"]["serverInfo"]["name"], "floorplan", "{greeting}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Whether the tool failed, and its text.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        (result["isError"] == true, result["content"][0]["text"].as_str().unwrap_or_default().to_string())
    }
}

#[test]
fn a_client_lists_the_tools_asks_and_is_told_what_is_wrong() {
    let sandbox = Sandbox::with(&[
        ("a.py", "def load():\n    return 1\n"),
        ("b.py", "from a import load\n\n\ndef page():\n    return load()\n"),
    ]);
    sandbox.index(&sandbox.repo());
    let mut client = Client::of(&sandbox);
    let tools = client.ask("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
    let (failed, text) = client.call("blast_radius", json!({"targets": ["load"]}));
    assert!(!failed && text.contains("b.py:5"), "{text}");
    let (failed, text) = client.call("blast_radius", json!({"targets": ["nothing"]}));
    assert!(failed && text.contains("nothing"), "{text}");
    let (failed, text) = client.call("no_such_tool", json!({}));
    assert!(failed && !text.is_empty(), "{text}");
    drop(client.to);
    assert!(client.child.wait().unwrap().success(), "it ends with its input");
}
