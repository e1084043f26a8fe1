//! Messages of JSON-RPC 2.0, one a line.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Map, Value, json};

/// Bytes of a message; no request is longer.
const MAX_MESSAGE: u64 = 1 << 20;

/// A request, or a notification if it has no id.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub id: Option<Value>,
    pub method: String,
    pub params: Map<String, Value>,
}

/// An error of the protocol, with its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: i32,
    pub message: String,
    pub data: Option<Value>,
}

impl Failure {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub fn no_method(method: &str) -> Self {
        Self::new(-32601, format!("method not found: {method}"))
    }

    pub fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// The code that revisions up to 2025-11-25 use; later ones say that the parameters are invalid.
    pub fn no_resource(uri: &str) -> Self {
        Self { data: Some(json!({"uri": uri})), ..Self::new(-32002, format!("resource not found: {uri}")) }
    }

    pub fn version(requested: &str, supported: &[&str]) -> Self {
        let data = json!({"supported": supported, "requested": requested});
        Self { data: Some(data), ..Self::new(-32022, format!("unsupported protocol version: {requested}")) }
    }
}

/// What a line of the input holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    One(Request),
    /// Several at once, as revision 2025-03-26 allows.
    Batch(Vec<Result<Request, Failure>>),
    /// An answer of the client, or an empty line: nothing is asked.
    Nothing,
    Wrong(Option<Value>, Failure),
}

/// Reads the next message; none at the end of the input.
pub fn read(input: &mut dyn BufRead) -> io::Result<Option<Incoming>> {
    let mut line = Vec::new();
    if input.take(MAX_MESSAGE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_MESSAGE && !line.ends_with(b"\n") {
        skip_line(input)?;
        let failure = Failure::new(-32600, format!("the message is longer than {MAX_MESSAGE} bytes"));
        return Ok(Some(Incoming::Wrong(None, failure)));
    }
    if line.trim_ascii().is_empty() {
        return Ok(Some(Incoming::Nothing));
    }
    Ok(Some(match serde_json::from_slice(&line) {
        Ok(message) => incoming(message),
        Err(error) => Incoming::Wrong(None, Failure::new(-32700, format!("not JSON: {error}"))),
    }))
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let chunk = input.fill_buf()?;
        let end = memchr::memchr(b'\n', chunk);
        let (used, done) = (end.map_or(chunk.len(), |end| end + 1), end.is_some() || chunk.is_empty());
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

fn incoming(message: Value) -> Incoming {
    match message {
        Value::Array(messages) if !messages.is_empty() => {
            let asked = messages.into_iter().filter(|message| !is_answer(message));
            Incoming::Batch(asked.map(request).collect())
        }
        message if is_answer(&message) => Incoming::Nothing,
        message => {
            let id = message.get("id").cloned().filter(is_id);
            request(message).map_or_else(|failure| Incoming::Wrong(id, failure), Incoming::One)
        }
    }
}

/// Returns true for an answer to a request of this side, which makes none.
fn is_answer(message: &Value) -> bool {
    message.get("method").is_none() && (message.get("result").is_some() || message.get("error").is_some())
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_number()
}

fn request(message: Value) -> Result<Request, Failure> {
    let Value::Object(mut message) = message else {
        return Err(Failure::new(-32600, "a message is an object"));
    };
    let id = message.remove("id").filter(is_id);
    let Some(Value::String(method)) = message.remove("method") else {
        return Err(Failure::new(-32600, "a request has a method"));
    };
    match message.remove("params") {
        None | Some(Value::Null) => Ok(Request { id, method, params: Map::new() }),
        Some(Value::Object(params)) => Ok(Request { id, method, params }),
        Some(_) => Err(Failure::params("params are an object")),
    }
}

/// Returns the answer to a request.
pub fn answer(id: &Value, result: Result<Value, Failure>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Failure { code, message, data }) => {
            let mut error = json!({"code": code, "message": message});
            if let (Some(error), Some(data)) = (error.as_object_mut(), data) {
                error.insert("data".to_owned(), data);
            }
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        }
    }
}

/// Writes a message as one line, at once.
pub fn write(out: &mut dyn Write, message: &Value) -> io::Result<()> {
    writeln!(out, "{message}")?;
    out.flush()
}
