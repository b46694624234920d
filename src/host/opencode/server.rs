//! The requests of a host, passed on to the use cases: a prompt at once, everything that may write in its order.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use super::wire::{Answer, Done, Failure, FailureKind, Hello, Prompt, Request, Served, Watch, Welcome};
use super::writes::Writes;
use super::{Responder, ServeError, serve};
use crate::host::tools;
use crate::model::Timestamp;
use crate::service::{
    Background, Context, ContextUse, Conversations, PromptServer, ServiceError, SessionRequest, WatchState,
};

/// How long the answer to `hello` waits for the watch to begin.
const WAIT_FOR_WATCH: Duration = Duration::from_millis(50);

/// Serves one host until it ends. `context_in` gives the context of the folder that the host works in.
pub fn run(
    input: impl BufRead,
    output: impl Write + Send + 'static,
    context_in: impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
) -> Result<(), ServeError> {
    let mut server = Server::default();
    let ended = serve(input, output, |request, responder| {
        server.answer(request, responder, &context_in);
    });
    server.end();
    ended
}

#[derive(Default)]
struct Server {
    background: Background,
    current: Option<Current>,
}

/// The services of a connection after `hello`.
struct Current {
    context: Context,
    /// Answered here, on the thread that reads: a prompt waits for nothing that is written.
    prompts: PromptServer,
    writes: Writes,
}

impl Server {
    fn answer(
        &mut self,
        request: Request,
        responder: Responder,
        context_in: &impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
    ) {
        if let Request::Hello(hello) = &request {
            let welcome = self.hello(hello, context_in);
            return responder.send(welcome.map(Answer::Welcome).map_err(|error| failed(&error)));
        }
        let Some(current) = &mut self.current else {
            let message = "the first request of a connection is hello";
            let failure = Failure::new(FailureKind::HelloFirst, message);
            let is_bye = request == Request::Bye;
            return responder.send(is_bye.then_some(Answer::Done(Done {})).ok_or(failure));
        };
        cover(&mut self.background, &current.context);
        match request {
            Request::Prompt(prompt) => {
                let served = current.prompt(prompt, self.background.generation());
                responder.send(served.map(Answer::Served).map_err(|error| failed(&error)));
            }
            request => current.writes.answer(request, responder),
        }
    }

    fn hello(
        &mut self,
        hello: &Hello,
        context_in: &impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
    ) -> Result<Welcome, ServiceError> {
        self.end();
        let context = context_in(hello.directory.as_deref().map(Path::new))?;
        let place = context.place()?;
        self.background.turn_to(&place.root);
        cover(&mut self.background, &context);
        let host = if hello.host.is_empty() {
            "serve"
        } else {
            &hello.host
        };
        tracing::info!("serves {host} {} in {}", hello.version, place.root.display());
        let prompts = PromptServer::open(context.clone())?;
        let conversations = Conversations::open(context.clone(), host, &prompts, &self.background)?;
        self.current = Some(Current {
            context,
            prompts,
            writes: Writes::start(conversations),
        });
        Ok(Welcome {
            protocol: hello.protocol,
            store: place.exists().then(|| place.root.display().to_string()),
            tools: tools::all(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            watch: self.background.state(WAIT_FOR_WATCH).map(watch),
        })
    }

    /// Ends what is served, after everything that was said is heard.
    fn end(&mut self) {
        if let Some(current) = self.current.take() {
            current.writes.end();
        }
    }
}

impl Current {
    fn prompt(&mut self, prompt: Prompt, generation: u64) -> Result<Served, ServiceError> {
        // Sub-agents work on what they are told.
        if prompt.parent.is_some() {
            return Ok(nothing());
        }
        let request = SessionRequest {
            context: prompt
                .tokens
                .zip(prompt.limit)
                .map(|(tokens, limit)| ContextUse { tokens, limit }),
            last_response: prompt.last_response_at.and_then(|at| at.timestamp()),
            session: prompt.session,
        };
        let served = self.prompts.serve(&request, generation)?;
        if let Some(epoch) = served.epoch {
            let reason = served.reason.clone();
            self.writes.note_epoch(request.session, epoch, reason);
        }
        Ok(Served {
            system: served.system,
            reason: served.reason,
            hash: served.hash,
        })
    }
}

/// A store that cannot be watched is no reason not to serve a session: what changes is then seen a minute later.
fn cover(background: &mut Background, context: &Context) {
    if let Err(error) = background.cover(context) {
        tracing::warn!(%error, "the store is not watched");
    }
}

fn nothing() -> Served {
    Served {
        system: Vec::new(),
        reason: "subagent".to_owned(),
        hash: String::new(),
    }
}

pub(super) fn failed(error: &ServiceError) -> Failure {
    Failure::new(FailureKind::Failed, error.to_string())
}

fn watch(state: WatchState) -> Watch {
    let (state, detail, since) = match state {
        WatchState::Starting => ("starting", None, None),
        WatchState::Watching => ("watching", None, None),
        WatchState::Waiting { holder } => ("waiting", Some(holder), None),
        WatchState::Blocked { cause, since } => ("blocked", Some(cause), Some(since)),
        WatchState::Gone { since } => ("gone", None, Some(since)),
    };
    Watch {
        state,
        detail,
        since: since.map(Timestamp::to_rfc3339),
    }
}
