//! Watches: a bundle never changes, so they end with the objects that there are, and stay open.

use std::time::Duration;

use serde_json::{Value, json};

use super::cluster::Api;
use super::listing::{chosen, shown};
use super::request::{Form, Request};
use super::response::{Body, Response};
use super::route::Objects;
use super::served_types::ServedType;
use crate::explore::object::View;

/// Says that all objects were sent. Clients from client-go 0.35 on show nothing before.
const END: &str = "k8s.io/initial-events-end";

/// Answers a watch: with the objects if the client does not have them from a list.
pub fn watch(api: &Api<'_>, view: &View<'_>, type_: &ServedType, of: &Objects<'_>, request: &Request) -> Response {
    let chosen = match chosen(api, view, type_, of, request) {
        Ok(chosen) => chosen,
        Err(response) => return *response,
    };
    let sends_initial = request.is_on("sendInitialEvents");
    let is_from_start = matches!(request.value("resourceVersion"), None | Some("" | "0"));
    let metadata = || json!({"resourceVersion": api.revision()});
    let mut events = Vec::new();
    if sends_initial || is_from_start {
        for item in &chosen.items {
            add(&mut events, "ADDED", &shown(api, view, type_, item, request, metadata()));
        }
    }
    if sends_initial {
        add(&mut events, "BOOKMARK", &bookmark(api, type_, request));
    }
    let hold = request.number("timeoutSeconds").map(Duration::from_secs);
    Response { warnings: chosen.warnings, body: Body::Watch { events, hold }, ..Response::json(&Value::Null) }
}

fn bookmark(api: &Api<'_>, type_: &ServedType, request: &Request) -> Value {
    let metadata = json!({"resourceVersion": api.revision(), "annotations": {END: "true"}});
    let of = |kind: &str, version: String| json!({"kind": kind, "apiVersion": version, "metadata": metadata});
    match request.form() {
        Form::Table(version) => {
            let row = of("PartialObjectMetadata", format!("meta.k8s.io/{version}"));
            json!({
                "kind": "Table", "apiVersion": format!("meta.k8s.io/{version}"),
                "metadata": {"resourceVersion": api.revision()}, "columnDefinitions": [],
                "rows": [{"cells": [], "object": row}],
            })
        }
        Form::Metadata(version) => of("PartialObjectMetadata", format!("meta.k8s.io/{version}")),
        Form::Object | Form::Discovery(_) => of(&type_.kind, type_.api_version()),
    }
}

fn add(events: &mut Vec<u8>, type_: &str, object: &Value) {
    events.extend_from_slice(json!({"type": type_, "object": object}).to_string().as_bytes());
    events.push(b'\n');
}
