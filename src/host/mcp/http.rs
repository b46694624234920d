//! The same over HTTP: `rmcp`'s streamable HTTP behind the door of [`http`], for who knows the token.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http_body_util::Full;
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;

use super::Server;
use super::roots::Roots;
use super::workspace::{Threads, Workspaces};
use crate::host::http;
use crate::service::{Context, EngineLog};

/// The path at which clients find the server.
const PATH: &str = "/mcp";
/// The longest message, as over standard input.
const MOST: usize = 16 << 20;

/// Serves clients at an address until Ctrl-C. `told` is given the URL; each request has to bring the token.
pub(crate) fn serve_http(
    context: &Context,
    log: &Arc<EngineLog>,
    workspace: Option<&Path>,
    address: SocketAddr,
    token: &str,
    told: &mut dyn FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (listener, address) = http::listen(address)?;
    told(&format!("http://{address}{PATH}"))?;
    let threads = Threads::default();
    let server = {
        let (context, log, threads) = (context.clone(), Arc::clone(log), threads.clone());
        let workspace = workspace.map(PathBuf::from);
        move || {
            Ok(Arc::new(Server {
                roots: Roots::new(&context, workspace.as_deref()),
                workspaces: Workspaces::new(&context, Arc::clone(&log), &threads),
                is_connector: true,
            }))
        }
    };
    // The door has looked at Host and Origin already, also where the address is not a loopback one.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MOST);
    let service = StreamableHttpService::new(server, Arc::new(LocalSessionManager::default()), config);
    let token: Arc<str> = token.into();
    let answer = move |request: http::Request| {
        let (service, token) = (service.clone(), Arc::clone(&token));
        async move {
            let said = http::one(request.headers(), &AUTHORIZATION).unwrap_or_default();
            let (scheme, said) = said.split_once(' ').unwrap_or_default();
            if !(scheme.eq_ignore_ascii_case("bearer") && http::is_secret(said, &token)) {
                return http::text(
                    401,
                    "the token is missing or wrong: Authorization: Bearer TOKEN\n",
                );
            }
            if request.uri().path() != PATH {
                return http::text(404, format!("the server is at {PATH}\n"));
            }
            let (head, body) = request.into_parts();
            let refused = |status, why: &str| {
                let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": why}});
                http::answer(status, "application/json", error.to_string())
            };
            let Ok(body) = http::body(http::Request::from_parts(head.clone(), body), MOST).await else {
                return refused(413, "the message is too long, or came too slowly");
            };
            let answer = service
                .handle(hyper::Request::from_parts(head, Full::new(body)))
                .await;
            if answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
                return refused(415, "the message is not JSON-RPC in application/json");
            }
            answer
        }
    };
    let ended = http::run(http::serve(listener, answer));
    threads.join();
    ended
}
