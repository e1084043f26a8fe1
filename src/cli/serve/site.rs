//! What can be read: who may, and what a path names.
//!
//! The path is the secret: clients of Kubernetes send the token of a kubeconfig over TLS only.

use crate::explore::api::{Body, Failure, Request, Response};
use crate::model::uri;

use super::bundle::{Making, ServedBundle};
use super::random;

const HTML: &str = "text/html; charset=utf-8";

/// All bundles, behind paths that nobody guesses.
pub struct Site {
    pub port: u16,
    pub bundles: Vec<ServedBundle>,
    pub making: Making,
}

/// What matters of a request.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub host: String,
    pub origin: Option<String>,
    pub accept: String,
    pub body: Vec<u8>,
}

impl Site {
    pub fn server_url(&self, bundle: &ServedBundle) -> String {
        format!("http://127.0.0.1:{}/b/{}", self.port, bundle.secret)
    }

    pub fn report_url(&self, bundle: &ServedBundle) -> String {
        format!("{}/", self.server_url(bundle))
    }

    /// Answers a request, with the index of its bundle.
    pub fn answer(&self, asked: Asked) -> (usize, Response) {
        if let Some(refused) = self.refused(&asked) {
            return (0, refused);
        }
        let rest = asked.target.strip_prefix("/b/").unwrap_or_default();
        let (secret, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        match self.bundles.iter().position(|bundle| random::is_equal(&bundle.secret, secret)) {
            Some(index) => {
                (index, self.bundles.get(index).map_or_else(Response::unknown, |b| self.of(b, rest, &asked)))
            }
            None => (0, Response::unknown()),
        }
    }

    /// Refuses pages of other sites: their requests name their own host, or say where they come from.
    fn refused(&self, asked: &Asked) -> Option<Response> {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let is_own =
            |origin: &str| origin.strip_prefix("http://").is_some_and(|host| hosts.iter().any(|own| own == host));
        let is_foreign = !hosts.contains(&asked.host) || asked.origin.as_deref().is_some_and(|origin| !is_own(origin));
        is_foreign.then(|| text(403, "this address is for programs of this machine only\n"))
    }

    fn of(&self, bundle: &ServedBundle, rest: &str, asked: &Asked) -> Response {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let is_get = matches!(asked.method.as_str(), "GET" | "HEAD");
        let entries = format!("/b/{}/entry/", bundle.secret);
        if matches!(path, "" | "/") && is_get && asked.accept.contains("text/html") {
            return match bundle.report(&self.making, &entries) {
                Ok(page) => Response::whole(200, HTML, page.to_vec()),
                Err(error) => text(500, error),
            };
        }
        if let Some(entry) = path.strip_prefix("/entry/").filter(|_| is_get) {
            return self.entry(bundle, entry, query);
        }
        match Request::parse(&asked.method, rest, &asked.accept, asked.body.clone()) {
            Ok(request) => bundle.api.answer(&request),
            Err(fault) => Response::failure(Failure::BadRequest, &fault.to_string()),
        }
    }

    fn entry(&self, bundle: &ServedBundle, entry: &str, query: &str) -> Response {
        let line = query.strip_prefix("line=").and_then(|line| line.parse().ok()).unwrap_or(1);
        let Some(path) = uri::decoded(entry) else { return Response::unknown() };
        match bundle.entry(&self.making, &path, line) {
            Ok(Some(page)) => Response::whole(200, HTML, page),
            Ok(None) => text(404, "the bundle has no such entry, or it is no text\n"),
            Err(error) => text(500, &error.to_string()),
        }
    }
}

fn text(status: u16, text: &str) -> Response {
    Response { status, body: Body::Whole(text.as_bytes().to_vec()), ..Response::text("") }
}
