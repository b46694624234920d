//! The workspace that a client works in. Its memory is used by one thread, which does one thing after the other.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex as Blocking, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rmcp::model::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::{Mutex, oneshot};

use super::resources;
use super::roots::Roots;
use crate::host::tools::{self, ToolCall, ToolError};
use crate::service::{
    AfterTurn, Answered, Background, Context, Conversations, EngineLog, PromptServer, ServedStore,
    ServiceError,
};
use crate::sys::{Deadline, survive};

/// The time that a call may wait for others who use the store.
const CALL: Duration = Duration::from_secs(2);
/// The time that housekeeping may wait for others.
const HOUSEKEEPING: Duration = Duration::from_millis(500);

/// The workspaces of one client, one after the other.
pub(super) struct Workspaces {
    /// The name of this conversation. No client says when another one begins in the same process.
    session: String,
    log: Arc<EngineLog>,
    /// Opened when it is first needed.
    current: Mutex<Option<Open>>,
    threads: Threads,
}

/// The threads of all workspaces. Each ends with its workspace, after what was begun is done.
#[derive(Clone, Default)]
pub(super) struct Threads(Arc<Blocking<Vec<JoinHandle<()>>>>);

impl Threads {
    fn push(&self, thread: JoinHandle<()>) {
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_finished());
        threads.push(thread);
    }

    /// Waits for all of them.
    pub(super) fn join(&self) {
        for thread in std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            // A panic is in the log, and everything is done.
            let _ = thread.join();
        }
    }
}

/// The workspace that is open, with the store that it had when it was opened.
struct Open {
    workspace: Arc<Workspace>,
    context: Context,
    store: ServedStore,
}

impl Workspaces {
    pub(super) fn new(context: &Context, log: Arc<EngineLog>, threads: &Threads) -> Self {
        Self {
            session: format!("mcp-{}", context.ids.token(context.clock.now())),
            log,
            current: Mutex::default(),
            threads: threads.clone(),
        }
    }

    /// The present workspace, which the client's roots say where nobody has asked them yet.
    pub(super) async fn current(
        &self,
        roots: &Roots,
        request: &RequestContext<RoleServer>,
    ) -> Result<Arc<Workspace>, ErrorData> {
        let mut current = self.current.lock().await;
        if let Some(open) = &mut *current
            && !open.store.is_replaced(&open.context)
        {
            return Ok(Arc::clone(&open.workspace));
        }
        let (context, reason) = roots.context(request).await.map_err(|error| internal(&error))?;
        self.log.follow(&context);
        let store = ServedStore::of(&context).map_err(|error| internal(&error))?;
        let (workspace, thread) = Workspace::open(context.clone(), reason, self.session.clone())
            .map_err(|error| internal(&error))?;
        self.threads.push(thread);
        let workspace = Arc::new(workspace);
        let open = Open {
            workspace: Arc::clone(&workspace),
            context,
            store,
        };
        *current = Some(open);
        Ok(workspace)
    }

    /// The context of the present workspace, whose store is watched from now on; where there is none that can be had, that
    /// of the folder where the server was started.
    pub(super) async fn context(&self, roots: &Roots, request: &RequestContext<RoleServer>) -> Context {
        if let Ok(workspace) = self.current(roots, request).await {
            workspace.begin();
        }
        if let Some(open) = &*self.current.lock().await {
            return open.context.clone();
        }
        let named = roots.context(request).await;
        named.map_or_else(|_| roots.start().clone(), |(context, _)| context)
    }

    /// The workspace may be another one from now on.
    pub(super) async fn turn(&self) {
        self.current.lock().await.take();
    }
}

type Job = Box<dyn FnOnce(&mut Conversations) + Send>;

/// A workspace that is open. Its thread ends with it.
pub(super) struct Workspace {
    session: String,
    jobs: Sender<Job>,
    /// The reason why there is no workspace, where the global memory takes its place.
    reason: Option<String>,
}

impl Workspace {
    fn open(
        context: Context,
        reason: Option<String>,
        session: String,
    ) -> Result<(Self, JoinHandle<()>), ServiceError> {
        let mut background = Background::new("mdmem mcp");
        let prompts = PromptServer::open(context.clone(), &mut background)?;
        let mut conversations = Conversations::open(context.clone(), "mcp", &prompts, &mut background)?;
        let (jobs, queue) = channel::<Job>();
        let of_thread = session.clone();
        let thread = std::thread::spawn(move || {
            for job in queue {
                // Whoever waits for it is told by its end.
                let _ = survive(|| {
                    if let Err(error) = background.cover(&context) {
                        tracing::warn!(%error, "the store is not watched");
                    }
                    conversations.answer_by(Deadline::after(CALL));
                    job(&mut conversations);
                });
            }
            close(conversations, &of_thread);
        });
        let workspace = Self {
            session,
            jobs,
            reason,
        };
        Ok((workspace, thread))
    }

    /// Has the thread begin its watch, as it does before any work.
    fn begin(&self) {
        // The thread takes jobs for as long as this is here.
        let _ = self.jobs.send(Box::new(|_| {}));
    }

    /// Uses a tool; `answered`: what the person has said to it.
    pub(super) async fn call(
        &self,
        request: &RequestContext<RoleServer>,
        tool: String,
        mut args: Value,
        answered: Answered,
    ) -> Result<Result<String, ToolError>, ErrorData> {
        // A memory may be named by its address as a resource.
        if let Some((store, path)) = args["path"].as_str().and_then(resources::place) {
            (args["scope"], args["path"]) = (store.into(), path.into());
        }
        let session = self.session.clone();
        let work = move |conversations: &mut Conversations| {
            let call = ToolCall {
                session: &session,
                tool: &tool,
                args: &args,
                is_subagent: false,
                answered,
                after: AfterTurn::GoesOn,
            };
            tools::call(conversations, call)
        };
        self.work(request, work).await
    }

    /// Does some work in its turn. Work that is cancelled before its turn is not begun; what is begun is done.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        request: &RequestContext<RoleServer>,
        work: impl FnOnce(&mut Conversations) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (answer, answered) = oneshot::channel();
        let cancelled = request.ct.clone();
        let job = move |conversations: &mut Conversations| {
            if !cancelled.is_cancelled() {
                // Nobody may wait for it any more.
                let _ = answer.send(work(conversations));
            }
        };
        // Where it panics, nobody answers.
        let _ = self.jobs.send(Box::new(job));
        answered
            .await
            .map_err(|_| ErrorData::internal_error("the call failed", None))
    }

    /// A refusal, and the reason why only the global memory is here, where that is so.
    pub(super) fn with_reason(&self, refusal: &str) -> String {
        match &self.reason {
            Some(reason) => format!(
                "{refusal}\n\nThis is not a workspace, so there is only the global memory ({reason}). \
                 Tell the user to open a project's folder, or to start `mdmem mcp --workspace DIR`."
            ),
            None => refusal.to_owned(),
        }
    }
}

/// The conversation is over: nobody asks for its state again.
fn close(mut conversations: Conversations, session: &str) {
    conversations.answer_by(Deadline::after(HOUSEKEEPING));
    if let Err(error) = conversations.deleted(session) {
        tracing::warn!(%error, "the state of this session was not removed");
    }
    if let Err(error) = conversations.keep_house() {
        tracing::warn!(%error, "the files of earlier sessions are not cleaned up");
    }
    conversations.end();
}

fn internal(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
