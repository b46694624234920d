//! `mdmem view`: the pages of `service::view` for a browser on this machine. The address that is printed works once: its
//! token becomes a cookie. A form of a page is a use case, and so a commit; a commit of any store is told to every page.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Channel, Full};
use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, LOCATION, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use tokio::sync::broadcast;
use url::form_urlencoded;

use super::http::{self, Request, Response};
use crate::service::{
    self, Acted, Background, Context, Scope, ServiceError, ViewPage, ViewRequest, Viewer, message_page,
};
use crate::sys::{secret, survive};

/// Nothing but what this server has, no script or style in a page, and no page of another one around it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The longest form: a file that may be edited, each byte of it written as three.
const MOST: usize = 16 << 20;
/// The pause between two looks at the commits of the stores.
const LOOK: Duration = Duration::from_millis(400);
/// The pause after which a page without news is told that the server is there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Serves the pages at a port of this machine (0: any) until Ctrl-C. `told` is given the address for the browser.
pub(crate) fn serve(
    context: &Context,
    port: u16,
    told: &mut dyn FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (listener, address) = http::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    let (token, cookie) = (secret()?, secret()?);
    let view = Arc::new(View {
        context: context.clone(),
        cookie: format!("mdmem-{}={cookie}", address.port()),
        token,
        is_used: AtomicBool::new(false),
        news: broadcast::Sender::new(64),
        background: Mutex::new(Background::new("mdmem view")),
    });
    told(&format!("http://{address}/?token={}", view.token))?;
    view.cover(context);
    let (looking, answering) = (Arc::clone(&view), Arc::clone(&view));
    let answer = move |request| {
        let view = Arc::clone(&answering);
        async move { view.answer(request).await }
    };
    let ended = http::run(async move {
        tokio::spawn(async move { looking.look().await });
        http::serve(listener, answer).await
    });
    // No git that talks to a remote goes on.
    if let Ok(mut background) = view.background.lock() {
        drop(std::mem::take(&mut *background));
    }
    ended
}

struct View {
    context: Context,
    /// The name and the value of the cookie that lets in.
    cookie: String,
    token: String,
    /// Somebody has used the token.
    is_used: AtomicBool,
    /// `STORE COMMIT`, of each store that has another one.
    news: broadcast::Sender<String>,
    /// The watch over each store that was looked at: what a person saves in an editor meanwhile is committed.
    background: Mutex<Background>,
}

impl View {
    /// Watches the store of this context, and the global one.
    fn cover(&self, context: &Context) {
        let Ok(mut background) = self.background.lock() else {
            return;
        };
        background.turn();
        if let Err(error) = background.cover(context) {
            tracing::warn!(%error, "the store is not watched");
        }
    }

    async fn answer(self: Arc<Self>, request: Request) -> Response {
        let uri = request.uri().clone();
        let query = uri.query().unwrap_or_default();
        let is_known = request.headers().get_all(COOKIE).iter().any(|cookies| {
            let mut cookies = cookies.to_str().unwrap_or_default().split("; ");
            cookies.any(|cookie| http::is_secret(cookie, &self.cookie))
        });
        // A look at the head alone, as for a preview of a link, does not use the token up.
        let token = query
            .strip_prefix("token=")
            .filter(|_| request.method() == Method::GET);
        if let Some(token) = token {
            return self.enter(token, is_known);
        }
        if !is_known {
            return page(403, &closed());
        }
        let path = uri.path().trim_start_matches('/').to_owned();
        match *request.method() {
            Method::GET if path == "events" => self.events(),
            Method::GET if path.is_empty() => {
                let first = self.work(|context| Ok(service::first_page(context))).await;
                first.map_or_else(|failed| failed, |first| to(&first))
            }
            Method::GET => self.page(path, query.to_owned(), None).await,
            Method::POST => self.form(path, request).await,
            _ => http::text(405, "only GET and POST\n"),
        }
    }

    /// Takes the token of the address once, and gives the cookie for it.
    fn enter(&self, token: &str, is_known: bool) -> Response {
        if !http::is_secret(token, &self.token) {
            return page(403, &closed());
        }
        if self.is_used.swap(true, Ordering::Relaxed) {
            return if is_known { to("") } else { page(403, &closed()) };
        }
        let mut answer = to("");
        let cookie = format!("{}; HttpOnly; SameSite=Strict; Path=/", self.cookie);
        let cookie = cookie.parse().expect("because it is letters, digits and signs");
        answer.headers_mut().insert(SET_COOKIE, cookie);
        answer
    }

    async fn page(self: Arc<Self>, path: String, query: String, draft: Option<String>) -> Response {
        let depth = path.matches('/').count();
        let status = if draft.is_some() { 409 } else { 200 };
        let view = Arc::clone(&self);
        let made = self.work(move |context| {
            if let Some((store, _)) = path.split_once('/') {
                let store = percent_encoding::percent_decode_str(store).decode_utf8_lossy();
                view.cover(&Context {
                    scope: Scope::Workspace,
                    store: Some(store.into_owned()),
                    ..context.clone()
                });
            }
            let request = ViewRequest {
                path: &path,
                query: &query,
                viewer: Viewer::Person,
                draft: draft.as_deref(),
            };
            service::view(context, &request, Some(&view.background))
        });
        match made.await {
            Ok(Some(made)) => page(status, &made),
            Ok(None) => {
                let hint = "Go back to the memories: it may have been moved or removed.";
                page(
                    404,
                    &message_page("Not found", "There is no such page.", Some(hint), None, depth),
                )
            }
            Err(failed) => failed,
        }
    }

    /// `STORE/do/ACTION`: a change, and then the page that shows it.
    async fn form(self: Arc<Self>, path: String, request: Request) -> Response {
        if !request.headers().contains_key(ORIGIN) {
            return http::text(403, "only a page of this server may change something\n");
        }
        let Ok(body) = http::body(request, MOST).await else {
            return http::text(413, "the form is too long, or came too slowly\n");
        };
        let parts: Vec<&str> = path.split('/').collect();
        let [store, "do", action] = parts[..] else {
            return http::text(404, "no such form\n");
        };
        let base = store.to_owned();
        let store = percent_encoding::percent_decode_str(store)
            .decode_utf8_lossy()
            .into_owned();
        let action = action.to_owned();
        let fields: BTreeMap<String, String> = form_urlencoded::parse(&body).into_owned().collect();
        let acted = self
            .work(move |context| service::act(context, &store, &action, &fields))
            .await;
        match acted {
            Ok(Some(Acted::Done(there))) => to(&format!("{base}/{there}")),
            Ok(Some(Acted::Newer { page, draft })) => {
                self.page(format!("{base}/{page}"), String::new(), Some(draft))
                    .await
            }
            Ok(Some(Acted::Moved(draft))) => {
                let what = "The memory was moved or removed meanwhile. This is your text:";
                page(409, &message_page("Not saved", what, None, Some(&draft), 2))
            }
            Ok(None) => http::text(404, "no such form\n"),
            Err(failed) => failed,
        }
    }

    /// The commits that all stores are at, and each that is made since.
    fn events(self: Arc<Self>) -> Response {
        let (mut sender, body) = Channel::<Bytes>::new(4);
        let mut news = self.news.subscribe();
        tokio::spawn(async move {
            // A page knows the commit that it was made of: what came between the two is told by this.
            let mut told = self.heads().await;
            while sender.send_data(told.into()).await.is_ok() {
                told = match tokio::time::timeout(SIGN_OF_LIFE, news.recv()).await {
                    Ok(Ok(commit)) => event(&commit),
                    Ok(Err(broadcast::error::RecvError::Closed)) => return,
                    Ok(Err(broadcast::error::RecvError::Lagged(_))) => self.heads().await,
                    Err(_) => ":\n\n".to_owned(),
                };
            }
        });
        answer(200, "text/event-stream", body.boxed())
    }

    /// The events of the commits that all stores are at.
    async fn heads(&self) -> String {
        let heads = self.work(service::heads).await.unwrap_or_default();
        let heads = heads
            .iter()
            .map(|(store, head)| event(&format!("{store} {head}")));
        ":\n\n".to_owned() + &heads.collect::<String>()
    }

    /// Looks at the stores, less often while no page is open.
    async fn look(&self) {
        let mut known: Option<BTreeMap<_, _>> = None;
        loop {
            if let Ok(heads) = self.work(service::heads).await {
                for (store, head) in &heads {
                    if known.as_ref().is_some_and(|known| known.get(store) != Some(head)) {
                        // Nobody may listen.
                        let _ = self.news.send(format!("{store} {head}"));
                    }
                }
                known = Some(heads);
            }
            let factor = if self.news.receiver_count() == 0 { 5 } else { 1 };
            tokio::time::sleep(LOOK * factor).await;
        }
    }

    /// Does some work beside the thread that answers; an error is a page that says it.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Context) -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, Response> {
        let context = self.context.clone();
        let done = tokio::task::spawn_blocking(move || survive(|| work(&context))).await;
        match done {
            Ok(Ok(Ok(done))) => Ok(done),
            Ok(Ok(Err(error))) => {
                let hint = error.hint();
                Err(page(
                    422,
                    &message_page("Not done", &error.to_string(), hint.as_deref(), None, 2),
                ))
            }
            Ok(Err(_)) | Err(_) => Err(http::text(500, "this failed; the log of the store says why\n")),
        }
    }
}

fn event(commit: &str) -> String {
    format!("event: commit\ndata: {commit}\n\n")
}

/// The page for who does not know the secret.
fn closed() -> ViewPage {
    let what = "This address was used already, or is an old one.";
    message_page(
        "Closed",
        what,
        Some("Run `mdmem view` again for a new one."),
        None,
        0,
    )
}

fn page(status: u16, page: &ViewPage) -> Response {
    let body = Full::new(Bytes::copy_from_slice(page.text.as_bytes()));
    answer(status, page.mime, body.boxed())
}

/// Leads to another page of this server.
fn to(path: &str) -> Response {
    let mut answer = answer(303, "text/plain", Full::default().boxed());
    let path = format!("/{path}").parse();
    answer
        .headers_mut()
        .insert(LOCATION, path.expect("because an address is percent-encoded"));
    answer
}

fn answer(status: u16, mime: &str, body: BoxBody<Bytes, std::convert::Infallible>) -> Response {
    let answer = hyper::Response::builder()
        .status(status)
        .header(CONTENT_TYPE, mime)
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff")
        // Without any, a browser sends the forms of these pages as those of an unknown origin.
        .header(REFERRER_POLICY, "same-origin")
        .header(CACHE_CONTROL, "no-store");
    answer.body(body).expect("because the headers are constants")
}
