//! The Model Context Protocol over standard input and output or over HTTP, for every agent that speaks it: tools, resources,
//! prompts, roots.
//!
//! `rmcp` reads and writes the messages, on one thread. What a message asks of the memory is done by another thread, one
//! thing after the other ([`workspace`]). Over standard input the server ends when that does, or when the program that
//! started it is gone; over HTTP there is one for each session.

mod connector;
mod consent;
mod http;
mod prompts;
mod resources;
mod roots;
mod wire;
mod workspace;

use std::borrow::Cow;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{
    NotificationContext, QuitReason, RequestContext, RoleServer, ServerInitializeError, ServiceExt as _,
};
use serde::Deserialize as _;
use serde_json::Value;

use crate::host::tools::{self, HostTells, Tool, ToolError, ToolTrouble};
use crate::service::{Answered, Context, Conversations, EngineLog};
use crate::sys::parent_process;
pub(crate) use http::serve_http;
use roots::Roots;
use wire::Wire;
use workspace::{Threads, Workspaces};

/// The time after which the server notices that the program that started it is gone.
const LOOK_FOR_PARENT: Duration = Duration::from_secs(1);

/// Serves the client at standard input and output until it ends. `workspace` is the folder to work for; without it, the
/// client's roots say so, and where it has none, `context`.
pub(crate) fn serve_stdio(
    context: &Context,
    log: &Arc<EngineLog>,
    workspace: Option<&Path>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.context("cannot start the runtime")?;
    let threads = Threads::default();
    let server = Arc::new(Server {
        roots: Roots::new(context, workspace),
        workspaces: Workspaces::new(context, Arc::clone(log), &threads),
        is_connector: false,
    });
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = serve(Arc::clone(&server)) => ended,
            () = parent_is_gone() => Ok(()),
        }
    });
    // An answer that nobody reads must not keep the process.
    runtime.shutdown_background();
    drop(server);
    threads.join();
    ended
}

async fn serve(server: Arc<Server>) -> anyhow::Result<()> {
    let running = match server.serve(Wire::open()).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error).context("the client did not start with `initialize`"),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(error).context("the server failed"),
        Ok(_) => Ok(()),
    }
}

/// Waits until another process is the parent of this one. Standard input may stay open then, where a third process has
/// inherited its other end.
async fn parent_is_gone() {
    let parent = parent_process();
    while parent_process() == parent {
        tokio::time::sleep(LOOK_FOR_PARENT).await;
    }
}

struct Server {
    roots: Roots,
    workspaces: Workspaces,
    /// It also has the tools that connectors of chat clients call ([`connector`]).
    is_connector: bool,
}

impl rmcp::ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("mdmem", env!("CARGO_PKG_VERSION")))
            .with_instructions(include_str!("../../../templates/mcp.txt").trim_end())
    }

    /// The revisions in which a client says once who it is, and can be asked for its roots.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25))
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.workspaces.turn().await;
        // The settings of another store may offer other tools, and name another pinned folder.
        if let Err(error) = context.peer.notify_tool_list_changed().await {
            tracing::warn!(%error, "the client could not be told that the tools changed");
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let settings = self.workspaces.context(&self.roots, &context).await.settings();
        let tools = tools::offered(&settings, HostTells::Calls).map(|tool| definition(&tool));
        let of_connectors = self.is_connector.then(connector::tools).into_iter().flatten();
        let tools = tools.chain(of_connectors).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let workspace = self.workspaces.current(&self.roots, &context).await?;
        let tool = request.name.into_owned();
        let args = Value::Object(request.arguments.unwrap_or_default());
        if self.is_connector && connector::is_tool(&tool) {
            let work = move |conversations: &mut Conversations| connector::call(conversations, &tool, &args);
            return Ok(workspace.work(&context, work).await?.into());
        }
        let call = |answered| workspace.call(&context, tool.clone(), args.clone(), answered);
        let answered = match call(consent::begins(&context)).await? {
            Err(ToolError {
                kind: ToolTrouble::Ask(leave),
                message,
            }) => match consent::ask(leave, &message, &tool, &args, &context).await {
                Ok(()) => call(Answered::Allowed).await?,
                Err(refusal) => Err(ToolTrouble::Refused.because(refusal)),
            },
            answered => answered,
        };
        let result = match answered {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(
                workspace.with_reason(&error.to_string()),
            )]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let workspace = self.workspaces.current(&self.roots, &context).await?;
        workspace.work(&context, resources::list).await?
    }

    fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourceTemplatesResult, ErrorData>> + Send + '_ {
        std::future::ready(Ok(ListResourceTemplatesResult::with_all_items(vec![
            resources::template(),
        ])))
    }

    fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListPromptsResult, ErrorData>> + Send + '_ {
        std::future::ready(Ok(ListPromptsResult::with_all_items(prompts::list())))
    }

    fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send + '_ {
        let got = prompts::get(&request.name, request.arguments.as_ref());
        std::future::ready(got.map(Into::into))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let workspace = self.workspaces.current(&self.roots, &context).await?;
        let read = workspace
            .work(&context, move |conversations| {
                resources::read(conversations, &request.uri)
            })
            .await?;
        read.map(Into::into)
    }
}

fn definition(tool: &Tool) -> rmcp::model::Tool {
    let schema = tool.schema.as_object().cloned().unwrap_or_default();
    let annotations = ToolAnnotations::deserialize(&tool.annotations);
    rmcp::model::Tool::new(tool.name.clone(), tool.description.clone(), schema)
        .with_annotations(annotations.expect("because a test reads the annotations of every tool"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_definitions_together_are_short() {
        let settings = crate::service::Settings::default();
        let tools = tools::offered(&settings, HostTells::Calls);
        let tools: Vec<_> = tools.map(|tool| definition(&tool)).collect();
        let chars = serde_json::to_string(&tools).unwrap().chars().count();
        assert!(chars <= 4_200, "{chars} characters, with the annotations");
    }
}
