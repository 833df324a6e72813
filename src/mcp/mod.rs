//! `floorplan mcp`: the answers of the commands as tools of a Model Context Protocol server on standard input and output.
//!
//! Six tools, since each description costs context in every session. An answer is the text of the command, names through
//! the sink for agents, cut into pages by a cursor. What goes wrong in a question is text that says what to do, not an error
//! of the protocol, which clients do not show to the model.
//!
//! The protocol is the official SDK's. It runs on one thread and asks the graph on another, so that a long answer holds up
//! neither pings nor cancellations. Nothing of this is reached by the hook.

mod pages;
mod place;
mod questions;
mod tools;

use anyhow::{Context, Result};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use std::path::PathBuf;

/// What the client is told before any tool is called; some show nothing else of a server until it is asked for.
const INSTRUCTIONS: &str = "Dependency graph of the repository, resolved by the language's rules: who uses a symbol or file, \
    what breaks if it changes, what to read before changing it, what a diff touches. Symbols are written path::Outer.inner, \
    Outer.inner, inner, or path:line.";

/// The server: where it was started is all it knows.
struct Server {
    folder: PathBuf,
}

/// Serves until the client closes standard input. `folder`: where questions are about that name no place, and the client
/// no roots.
///
/// # Errors
/// The client speaks something else, or closes in the middle of the greeting.
pub fn serve(folder: PathBuf) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the server")?;
    let served = runtime.block_on(async {
        let service = Server { folder }.serve(rmcp::transport::stdio()).await.context("greeting the client")?;
        service.waiting().await.context("serving the client")
    });
    // A read of standard input that is under way cannot be stopped; nobody waits for it.
    runtime.shutdown_background();
    served.map(|_| ())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("floorplan", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let folders = place::folders(&self.folder, &arguments, &context).await;
        let asked = tokio::task::spawn_blocking(move || questions::answer(&request.name, &arguments, &folders)).await;
        let result = match asked {
            Ok(Ok(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Ok(Err(error)) => CallToolResult::error(vec![ContentBlock::text(questions::failure(&error))]),
            Err(_) => CallToolResult::error(vec![ContentBlock::text("floorplan failed on this question")]),
        };
        Ok(result.into())
    }
}
