//! HTTP/1.1 on a socket: reads requests, and sends what the [`Site`] answers.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, channel};

use super::command::End;
use super::site::{Asked, Site};
use crate::cli::exit::ExitCode;
use crate::cli::threads::STACK;
use crate::explore::api::{Body, PodLog, Response};

/// Connections at one time: each watch of a client holds one, and k9s has a watch for each type that it shows.
const CONNECTIONS: usize = 256;
/// Threads that answer, each with a large stack; a slow reader of a log holds one.
const THREADS: usize = 64;
/// Bytes of a body: reviews are shorter.
const MAX_BODY: usize = 64 << 10;
/// Time in which a client must have sent the head of a request.
const HEAD: Duration = Duration::from_secs(30);
/// Pieces of a log that wait for a client.
const WAITING: usize = 4;
/// Time that answers have to end when the program does.
const GRACE: Duration = Duration::from_millis(100);

/// Serves until the end comes.
///
/// # Errors
/// The socket or a thread is refused by the system, or the command cannot be run.
pub fn serve(site: Site, listener: TcpListener, end: End<'_>) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(THREADS)
        .thread_stack_size(STACK)
        .enable_all()
        .build()?;
    let site = Arc::new(site);
    let code = runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::select! {
            code = end.wait() => code,
            never = accepted(&listener, &site) => match never {},
        }
    });
    runtime.shutdown_timeout(GRACE);
    code
}

async fn accepted(listener: &tokio::net::TcpListener, site: &Arc<Site>) -> Infallible {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let site = Arc::clone(site);
                tokio::spawn(async move {
                    connection(stream, site).await;
                    drop(place);
                });
            }
            // The system has no more of something; what is open goes on.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Answers one client until it goes.
async fn connection(stream: TcpStream, site: Arc<Site>) {
    let service = service_fn(move |request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(answer(site, request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(MAX_BODY);
    // A client that breaks off is no fault.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(site: Arc<Site>, request: hyper::Request<Incoming>) -> hyper::Response<Sent> {
    let (head, mut body) = request.into_parts();
    let Some(body) = whole(&mut body).await else { return plain(413, "the body is too long\n") };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let asked = Asked {
        method: head.method.as_str().to_owned(),
        target: target.to_owned(),
        host: text(&head.headers, header::HOST).unwrap_or_default(),
        origin: text(&head.headers, header::ORIGIN),
        accept: text(&head.headers, header::ACCEPT).unwrap_or_default(),
        body,
    };
    let answering = Arc::clone(&site);
    match tokio::task::spawn_blocking(move || answering.answer(asked)).await {
        Ok((index, response)) => sent(site, index, response),
        Err(_) => plain(500, "the answer failed\n"),
    }
}

fn plain(status: u16, text: &'static str) -> hyper::Response<Sent> {
    let mut response = hyper::Response::new(Sent::Whole(Some(Bytes::from_static(text.as_bytes()))));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

/// Returns the answer as it is sent; `index` is that of its bundle.
fn sent(site: Arc<Site>, index: usize, answer: Response) -> hyper::Response<Sent> {
    let body = match answer.body {
        Body::Whole(bytes) => Sent::Whole(Some(bytes.into())),
        Body::Log(log) => lines(site, index, log),
        Body::Watch { events, hold } => held(events, hold),
    };
    let mut response = hyper::Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    for warning in answer.warnings {
        // `warn-code warn-agent warn-text` of RFC 7234, as clients of Kubernetes read it.
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            headers.append(header::WARNING, value);
        }
    }
    response
}

/// Sends the lines of a log as the client takes them.
fn lines(site: Arc<Site>, index: usize, log: Box<PodLog>) -> Sent {
    let (sender, receiver) = channel(WAITING);
    tokio::task::spawn_blocking(move || {
        let send = |bytes: Vec<u8>| match sender.blocking_send(bytes.into()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        // Without a thread nothing is read, and the answer ends.
        site.bundles.get(index).map(|bundle| bundle.write_log(&log, &send))
    });
    Sent::Parts(receiver)
}

/// Sends events, and keeps the answer open behind them.
fn held(events: Vec<u8>, hold: Option<Duration>) -> Sent {
    let (sender, receiver) = channel(WAITING);
    tokio::spawn(async move {
        let is_open = events.is_empty() || sender.send(events.into()).await.is_ok();
        match hold.filter(|_| is_open) {
            Some(hold) => drop(tokio::time::timeout(hold, sender.closed()).await),
            None => sender.closed().await,
        }
    });
    Sent::Parts(receiver)
}

/// Body of an answer.
enum Sent {
    Whole(Option<Bytes>),
    Parts(Receiver<Bytes>),
}

impl hyper::body::Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take()),
            Self::Parts(parts) => parts.poll_recv(context),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Parts(_) => SizeHint::default(),
        }
    }
}

/// Returns the value of a header; an unreadable one is the empty text, which is no right value of any.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default().to_owned())
}

/// Reads a body; none if it is too long or breaks off.
async fn whole(body: &mut Incoming) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
        let data = frame.ok()?.into_data().unwrap_or_default();
        bytes.extend_from_slice(&data);
        if bytes.len() > MAX_BODY {
            return None;
        }
    }
    Some(bytes)
}
