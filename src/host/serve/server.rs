//! What a host asks for, passed on to the use cases.

use std::io::{BufRead, Write};
use std::path::Path;

use super::wire::{Answer, Done, Failure, FailureKind, Hello, Prompt, Request, Served, Welcome};
use super::{ServeError, serve};
use crate::service::{
    Background, Context, ContextUse, MassDeletion, PromptServer, ServiceError, SessionRequest, sweep,
};

/// Serves one host until it ends. `context_in` gives the context of the folder that the host works in.
pub fn run(
    input: impl BufRead,
    output: impl Write,
    context_in: impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
) -> Result<(), ServeError> {
    let mut server = Server {
        background: Background::default(),
        context: None,
        prompts: None,
    };
    let ended = serve(input, output, |request| server.answer(request, &context_in));
    server.end();
    ended
}

struct Server {
    background: Background,
    context: Option<Context>,
    prompts: Option<PromptServer>,
}

impl Server {
    fn answer(
        &mut self,
        request: Request,
        context_in: &impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
    ) -> Result<Answer, Failure> {
        match request {
            Request::Hello(hello) => self
                .hello(&hello, context_in)
                .map(Answer::Welcome)
                .map_err(|error| failed(&error)),
            Request::Prompt(prompt) => self
                .prompt(prompt)
                .map(Answer::Served)
                .map_err(|error| failed(&error)),
            Request::Bye => Ok(Answer::Done(Done {})),
            _ => Err(Failure::new(
                FailureKind::UnknownMethod,
                "this method is not served",
            )),
        }
    }

    fn hello(
        &mut self,
        hello: &Hello,
        context_in: &impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
    ) -> Result<Welcome, ServiceError> {
        let folder = hello.directory.as_deref().map(Path::new);
        let context = context_in(folder)?;
        let place = context.place()?;
        cover(&mut self.background, &context);
        self.prompts = Some(PromptServer::open(context_in(folder)?)?);
        self.context = Some(context);
        Ok(Welcome {
            protocol: hello.protocol,
            store: place.exists().then(|| place.root.display().to_string()),
            tools: Vec::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    fn prompt(&mut self, prompt: Prompt) -> Result<Served, ServiceError> {
        let (Some(context), Some(prompts)) = (&self.context, &mut self.prompts) else {
            return Ok(nothing());
        };
        // Sub-agents work on what they are told.
        if prompt.parent.is_some() {
            return Ok(nothing());
        }
        cover(&mut self.background, context);
        let request = SessionRequest {
            context: prompt
                .tokens
                .zip(prompt.limit)
                .map(|(tokens, limit)| ContextUse { tokens, limit }),
            last_response: prompt.last_response_at.and_then(|at| at.timestamp()),
            session: prompt.session,
        };
        let served = prompts.serve(&request, self.background.generation())?;
        Ok(Served {
            system: served.system,
            reason: served.reason,
            hash: served.hash,
        })
    }

    /// Commits what was saved in the last moment: the host waits for the answer to `bye` and then ends.
    fn end(&self) {
        let Some(context) = &self.context else { return };
        let swept = context.open_existing().and_then(|store| match store {
            Some(store) => sweep(&store, MassDeletion::Ask).map(|_| ()),
            None => Ok(()),
        });
        if let Err(error) = swept {
            tracing::debug!(%error, "the last sweep was not made");
        }
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

fn failed(error: &ServiceError) -> Failure {
    Failure::new(FailureKind::Failed, error.to_string())
}
