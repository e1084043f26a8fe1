//! An answer to a client, and the Status objects of failures.

use std::time::Duration;

use serde_json::{Value, json};

use super::pod_log::PodLog;

/// An answer.
#[derive(Debug)]
pub struct Response {
    /// Of HTTP.
    pub status: u16,
    pub content_type: &'static str,
    /// What a user of kubectl sees on standard error.
    pub warnings: Vec<String>,
    pub body: Body,
}

/// Content of an answer.
#[derive(Debug)]
pub enum Body {
    Whole(Vec<u8>),
    /// Lines, which [`super::Api::write_log`] reads.
    Log(Box<PodLog>),
    /// Events of a watch, and how long it is held open behind them; none as long as the client stays.
    Watch {
        events: Vec<u8>,
        hold: Option<Duration>,
    },
}

pub const JSON: &str = "application/json";
pub const TEXT: &str = "text/plain; charset=utf-8";

/// The reason of a failure, as clients know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    BadRequest,
    NotFound,
    MethodNotAllowed,
}

impl Failure {
    fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
        }
    }
}

impl Response {
    pub fn json(value: &Value) -> Self {
        Self::whole(200, JSON, value.to_string().into_bytes())
    }

    pub fn text(text: &str) -> Self {
        Self::whole(200, TEXT, text.as_bytes().to_vec())
    }

    pub fn whole(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        Self { status, content_type, warnings: Vec::new(), body: Body::Whole(body) }
    }

    /// Answers with a Status, whose message kubectl prints.
    pub fn failure(failure: Failure, message: &str) -> Self {
        let code = failure.code();
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": format!("{failure:?}"), "details": {}, "code": code,
        });
        Self { status: code, ..Self::json(&status) }
    }

    /// Answers that nothing is served at a path, as an API server does.
    pub fn unknown() -> Self {
        Self::failure(Failure::NotFound, "the server could not find the requested resource")
    }
}
