//! The requests of a host, passed on to the use cases: a prompt at once, everything that may write in its order.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::wire::{Failure, Hello, PROTOCOL, Request};
use super::writes::Writes;
use super::{Responder, serve};
use crate::host::tools::{self, HostTells};
use crate::service::{
    Background, Context, Conversations, EngineLog, HostLife, HostModel, PassTimer, PromptServer, ServedStore,
    ServiceError, SessionRequest, nobody_asks,
};

/// The time that the answer to `hello` waits for the watch to begin.
const WAIT_FOR_WATCH: Duration = Duration::from_millis(250);

/// Serves the host at standard input and output until it ends.
pub(crate) fn serve_stdio(context: &Context, log: &EngineLog) -> anyhow::Result<()> {
    serve_streams(context, log, std::io::stdin().lock(), std::io::stdout())
}

/// Serves the host at the other ends of two streams until it ends; `context` is that of the folder that the host started
/// the program in.
pub(crate) fn serve_streams(
    context: &Context,
    log: &EngineLog,
    input: impl BufRead,
    output: impl Write + Send + 'static,
) -> anyhow::Result<()> {
    let mut server = Server {
        context,
        log,
        background: Background::new("mdmem serve"),
        host: HostModel::default(),
        hello: None,
        current: None,
    };
    let ended = serve(input, output, |request, responder| {
        server.answer(request, responder);
    });
    server.end();
    ended
}

struct Server<'a> {
    /// The context of the folder that the host started the program in.
    context: &'a Context,
    log: &'a EngineLog,
    background: Background,
    /// The way to the plugin, whichever store the workspace has.
    host: HostModel,
    hello: Option<Hello>,
    current: Option<Current>,
}

/// The services of a connection after `hello`.
struct Current {
    context: Context,
    /// Everything is opened again once the workspace has another one.
    store: ServedStore,
    /// The folder of the store.
    root: PathBuf,
    /// Answered here, on the thread that reads: a prompt waits for nothing that is written.
    prompts: PromptServer,
    writes: Writes,
    /// What each session's last answer says for its next prompt.
    answered: HashMap<String, SessionRequest>,
    /// Present where the host's own model is asked.
    asked: Option<HostModel>,
}

impl Server<'_> {
    fn answer(&mut self, request: Request, responder: Responder) {
        if let Request::Hello(hello) = request {
            self.hello = Some(hello);
            return responder.send(self.open());
        }
        let is_open = |current: &mut Current| !current.store.is_replaced(&current.context);
        if !self.current.as_mut().is_some_and(is_open)
            && request != (Request::Bye {})
            && let Err(failure) = self.open()
        {
            return responder.send(Err(failure));
        }
        let Some(current) = &mut self.current else {
            return responder.send(Ok(json!({})));
        };
        cover(&mut self.background, &current.context);
        match request {
            Request::Prompt { session } => {
                responder.send(current.prompt(session, self.background.generation()));
            }
            Request::Pass { small_model } => {
                let mut answer = json!({});
                if let Some(host) = &current.asked {
                    answer["clear"] = nobody_asks(&current.root).into();
                    let plugin = responder.clone();
                    let put = move |question: &_| plugin.push(&json!({ "ask": question }));
                    host.comes(&current.context, small_model, Box::new(put));
                }
                responder.send(Ok(answer));
            }
            Request::Passed { title, answer, error } => {
                let refused = || error.unwrap_or_else(|| "the host sends nothing".to_owned());
                let answer = answer.map(String::into_bytes).ok_or_else(refused);
                self.host.brings(&title, answer);
                responder.send(Ok(json!({})));
            }
            request => {
                if let Request::Usage(usage) = &request {
                    let next = SessionRequest {
                        session: usage.session.clone(),
                        context: usage.context(),
                        last_response: usage.at(),
                        most: None,
                    };
                    current.answered.insert(usage.session.clone(), next);
                }
                current.writes.answer(request, responder);
            }
        }
    }

    /// Opens what `hello` asked for, again where the workspace was given another store.
    fn open(&mut self) -> Result<Value, Failure> {
        self.end();
        let hello = self.hello.as_ref();
        let hello = hello.ok_or_else(|| {
            Failure::refused(
                "the first request of a connection must be \
            `hello`",
            )
        })?;
        let env = self.context.env.clone();
        let env = match &hello.directory {
            Some(folder) => env.in_folder(Path::new(folder)),
            None => env,
        };
        let (scope, flags) = (self.context.scope, self.context.flags.clone());
        let context = Context {
            store: self.context.store.clone(),
            ..Context::real(env, scope, flags).map_err(ServiceError::from)?
        };
        let context = context.of_session()?;
        self.log.follow(&context);
        let store = ServedStore::of(&context)?;
        let place = context.place()?;
        self.background.turn();
        cover(&mut self.background, &context);
        let host = if hello.host.is_empty() {
            "serve"
        } else {
            &hello.host
        };
        context.note_connection(&place.root, host, &hello.version);
        tracing::info!("serves {host} {} in {}", hello.version, place.root.display());
        let prompts = PromptServer::open(context.clone(), &mut self.background)?;
        let conversations = Conversations::open(context.clone(), host, &prompts, &mut self.background)?;
        let settings = conversations.settings_in_force();
        let tools: Vec<_> = tools::offered(&settings, HostTells::Everything).collect();
        let life = if hello.ends_with_turn {
            HostLife::OneTurn
        } else {
            HostLife::Long
        };
        let asked = HostModel::is_wanted(&context, life).then(|| self.host.clone());
        let passes = PassTimer::start(&context, life, asked.clone());
        self.current = Some(Current {
            context,
            store,
            root: place.root.clone(),
            prompts,
            writes: Writes::start(conversations, passes, life),
            answered: HashMap::new(),
            asked,
        });
        let mut welcome = json!({
            "protocol": PROTOCOL,
            "store": place.exists().then(|| place.root.display().to_string()),
            "tools": tools,
            "version": env!("CARGO_PKG_VERSION"),
        });
        if let Some(state) = self.background.state(WAIT_FOR_WATCH) {
            welcome["watch"] = json!(state);
        }
        Ok(welcome)
    }

    /// Ends what is served, after everything that was said is heard.
    fn end(&mut self) {
        if let Some(current) = self.current.take() {
            current.writes.end();
        }
    }
}

impl Current {
    fn prompt(&mut self, session: String, generation: u64) -> Result<Value, Failure> {
        let answered = self.answered.get(&session).cloned();
        let request = answered.unwrap_or_else(|| SessionRequest {
            session,
            ..SessionRequest::default()
        });
        let served = self.prompts.serve(&request, generation)?;
        if let Some(epoch) = served.epoch {
            let reason = served.reason.clone();
            self.writes.note_epoch(request.session, epoch, reason);
        }
        Ok(json!({ "system": served.system, "reason": served.reason, "hash": served.hash }))
    }
}

/// A store that cannot be watched is no reason not to serve a session: what changes is then seen a minute later.
fn cover(background: &mut Background, context: &Context) {
    if let Err(error) = background.cover(context) {
        tracing::warn!(%error, "the store is not watched");
    }
}
