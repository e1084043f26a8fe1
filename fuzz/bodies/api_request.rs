//! Requests of clients over a small bundle: method and target on the first line, the accepted forms on the second, behind them the body.

use std::sync::OnceLock;

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::explore::api::{Api, Body, Request};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: demo, labels: {app: web}}\n\
    spec: {nodeName: n1, containers: [{name: x}]}\n";

fn api() -> &'static Api<'static> {
    static API: OnceLock<Api<'static>> = OnceLock::new();
    API.get_or_init(|| {
        let files = [("yamls/namespaced/demo/v1/pods.yaml", POD), ("logs/demo/a/x.log", "2024-03-10T11:58:00Z one\n")];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).to_vec();
        let bundle = Box::leak(Box::new(Bundle::from_memory("fuzz", files, Limits::default())));
        Api::read(bundle, None)
    })
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let mut line = || std::str::from_utf8(lines.next().unwrap_or_default()).ok();
    let (Some(first), Some(accept)) = (line(), line()) else { return };
    let body = lines.next().unwrap_or_default().to_vec();
    let (method, target) = first.split_once(' ').unwrap_or(("GET", first));
    let Ok(request) = Request::parse(method, target, accept, body) else { return };
    let response = api().answer(&request);
    assert!([200, 201, 400, 404, 405].contains(&response.status), "{}", response.status);
    let reads = matches!(method, "GET" | "HEAD") || method == "POST" && response.status != 200;
    assert!(reads || response.status == 405, "{method} is answered with {}", response.status);
    match response.body {
        Body::Whole(body) if response.content_type.starts_with("application/json") => {
            serde_json::from_slice::<serde_json::Value>(&body).unwrap();
        }
        Body::Whole(_) => {}
        Body::Log(log) => api().write_log(&log, &|_| std::ops::ControlFlow::Continue(())),
        Body::Watch { events, .. } => {
            let lines = events.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.for_each(|line| drop(serde_json::from_slice::<serde_json::Value>(line).unwrap()));
        }
    }
}
