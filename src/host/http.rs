//! HTTP on this machine, for `mdmem mcp --http` and `mdmem view`: one door for both. It lets in who names this machine
//! as `Host`, comes from no page of another one, and is not slow or loud without end. Whether they know the secret is
//! asked by each server, which has its own way to tell it.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Semaphore;

pub(super) type Request = hyper::Request<Incoming>;
pub(super) type Response = hyper::Response<BoxBody<Bytes, Infallible>>;

/// The requests that are worked on at once; more wait.
const WORKERS: usize = 3;
/// The connections that are served at once; more wait.
const MOST_CONNECTIONS: usize = 128;
/// The time that a client has to say what it wants.
const SLOWEST_HEAD: Duration = Duration::from_secs(3);
/// The time that a client has to send a body.
const SLOWEST_BODY: Duration = Duration::from_secs(30);
/// The pause after a connection that could not be accepted, as where there are too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Listens at an address of this machine. The port 0 means any.
pub(super) fn listen(address: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)
        .with_context(|| format!("cannot listen at {address}; another program may use the port"))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Runs a server on one thread until Ctrl-C, SIGTERM, or a fault of the listener ends it.
pub(super) fn run(serving: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    // Each thread that reads a store keeps some memory of its own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(WORKERS)
        .build();
    let runtime = runtime.context("cannot start the runtime")?;
    let ended = runtime.block_on(async {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            ended = serving => ended,
            interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
            _ = terminate.recv() => Ok(()),
        }
    });
    runtime.shutdown_background();
    ended
}

/// Answers every request that the door lets in.
pub(super) async fn serve<F>(
    listener: TcpListener,
    answer: impl Fn(Request) -> F + Clone + Send + 'static,
) -> anyhow::Result<()>
where
    F: Future<Output = Response> + Send,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let place = Arc::clone(&room).acquire_owned().await?;
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        // An answer is written in parts: without this the last one waits 40 ms for the client to confirm the others.
        let _ = stream.set_nodelay(true);
        let here = stream.local_addr()?;
        let answer = answer.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request: Request| {
                let answer = answer.clone();
                async move {
                    Ok::<_, Infallible>(match refusal(request.headers(), here) {
                        Some(why) => text(403, why),
                        None => answer(request).await,
                    })
                }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(SLOWEST_HEAD)
                .serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
}

/// The reason why a request to this address is not answered: it names another machine, as after DNS rebinding, or a page
/// of another one sends it.
fn refusal(headers: &HeaderMap, here: SocketAddr) -> Option<&'static str> {
    let port = here.port();
    let mut ours = vec![here.to_string()];
    if here.ip().is_loopback() {
        ours.push(format!("localhost:{port}"));
    }
    let is_ours = |said: &str| ours.iter().any(|name| name.eq_ignore_ascii_case(said));
    if !one(headers, &HOST).is_some_and(is_ours) {
        return Some("this server answers to its own address alone\n");
    }
    let origin = one(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
    if headers.contains_key(ORIGIN) && !origin.is_some_and(is_ours) {
        return Some("a page of another origin may not use this server\n");
    }
    None
}

/// The value of a header that is there once.
pub(super) fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

/// True where both are the same secret; how long it takes says nothing of them.
pub(super) fn is_secret(said: &str, secret: &str) -> bool {
    let differs = said
        .bytes()
        .zip(secret.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    said.len() == secret.len() && differs == 0
}

/// A short answer for programs, and for people who read what a program got.
pub(super) fn text(status: u16, text: impl Into<String>) -> Response {
    answer(status, "text/plain; charset=utf-8", text)
}

/// An answer of this type.
pub(super) fn answer(status: u16, kind: &str, text: impl Into<String>) -> Response {
    let body = Full::new(Bytes::from(text.into())).boxed();
    let answer = hyper::Response::builder()
        .status(status)
        .header(CONTENT_TYPE, kind);
    answer.body(body).expect("because the parts are constants")
}

/// The body of a request, of at most so many bytes and within a time.
pub(super) async fn body(request: Request, most: usize) -> io::Result<Bytes> {
    let read = Limited::new(request.into_body(), most).collect();
    match tokio::time::timeout(SLOWEST_BODY, read).await {
        Ok(Ok(read)) => Ok(read.to_bytes()),
        Ok(Err(error)) => Err(io::Error::other(error)),
        Err(late) => Err(late.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_machine_and_another_page_are_refused() {
        let here: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        let is_refused = |host: &str, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(ORIGIN, origin.parse().unwrap());
            }
            refusal(&headers, here).is_some()
        };
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080"] {
            assert!(!is_refused(host, None), "{host}");
            assert!(!is_refused(host, Some(&format!("http://{host}"))), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:8080",
            "127.0.0.1.evil.example:8080",
            "",
        ] {
            assert!(is_refused(host, None), "{host}");
        }
        for origin in [
            "http://evil.example",
            "null",
            "https://localhost:8080",
            "http://localhost:80",
        ] {
            assert!(is_refused("localhost:8080", Some(origin)), "{origin}");
        }
        assert!(is_secret("abc", "abc") && !is_secret("abd", "abc") && !is_secret("ab", "abc"));
    }
}
