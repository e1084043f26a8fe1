//! Lists of objects, and single ones: as objects, as their metadata, or as the rows that kubectl prints.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::cluster::Api;
use super::request::{Form, Request};
use super::response::{Failure, Response};
use super::route::Objects;
use super::served_object::served;
use super::served_types::ServedType;
use crate::explore::get::columns::{self, Columns, Shown};
use crate::explore::get::{self, Asked, FieldSelector, Filter, Gap, Listing};
use crate::explore::object::View;
use crate::resource::ResourceId;

/// Objects that a request asks for.
pub struct Chosen {
    pub items: Vec<Item>,
    pub warnings: Vec<String>,
}

/// An object in the form in which it is served.
pub struct Item {
    pub id: ResourceId,
    pub object: Value,
}

/// A part of a list.
struct Page<'c> {
    items: &'c [Item],
    /// Where the next one begins.
    next: Option<usize>,
    /// Items behind this page.
    rest: usize,
}

/// Answers a list.
pub fn list(api: &Api<'_>, view: &View<'_>, type_: &ServedType, of: &Objects<'_>, request: &Request) -> Response {
    let chosen = match chosen(api, view, type_, of, request) {
        Ok(chosen) => chosen,
        Err(response) => return *response,
    };
    let page = page(&chosen.items, request);
    let mut metadata = json!({"resourceVersion": api.revision()});
    if let Some(next) = page.next {
        metadata["continue"] = next.to_string().into();
        metadata["remainingItemCount"] = page.rest.into();
    }
    let value = match request.form() {
        Form::Table(version) => table(api, view, type_, page.items, request, version, metadata),
        Form::Metadata(version) => {
            let items: Vec<Value> = page.items.iter().map(|item| partial(&item.object, version)).collect();
            let kind = "PartialObjectMetadataList";
            json!({"kind": kind, "apiVersion": format!("meta.k8s.io/{version}"), "metadata": metadata, "items": items})
        }
        Form::Object | Form::Discovery(_) => {
            let items: Vec<&Value> = page.items.iter().map(|item| &item.object).collect();
            json!({
                "kind": format!("{}List", type_.kind), "apiVersion": type_.api_version(),
                "metadata": metadata, "items": items,
            })
        }
    };
    Response { warnings: chosen.warnings, ..Response::json(&value) }
}

/// Answers one object.
pub fn object(api: &Api<'_>, view: &View<'_>, type_: &ServedType, of: &Objects<'_>, request: &Request) -> Response {
    let chosen = match chosen(api, view, type_, of, request) {
        Ok(chosen) => chosen,
        Err(response) => return *response,
    };
    let Some(item) = chosen.items.first() else { return Response::unknown() };
    let metadata = json!({"resourceVersion": api.revision()});
    let value = shown(api, view, type_, item, request, metadata);
    Response { warnings: chosen.warnings, ..Response::json(&value) }
}

/// Returns an object in the form that the client takes.
pub fn shown(
    api: &Api<'_>,
    view: &View<'_>,
    type_: &ServedType,
    item: &Item,
    request: &Request,
    metadata: Value,
) -> Value {
    match request.form() {
        Form::Table(version) => table(api, view, type_, std::slice::from_ref(item), request, version, metadata),
        Form::Metadata(version) => partial(&item.object, version),
        Form::Object | Form::Discovery(_) => item.object.clone(),
    }
}

/// Finds the objects that a request asks for.
///
/// # Errors
/// The answer that says why there are none: an unknown selector, or objects that were not collected or do not exist.
pub fn chosen(
    api: &Api<'_>,
    view: &View<'_>,
    type_: &ServedType,
    of: &Objects<'_>,
    request: &Request,
) -> Result<Chosen, Box<Response>> {
    let bad = |error: &dyn std::fmt::Display| Box::new(Response::failure(Failure::BadRequest, &error.to_string()));
    let fields = FieldSelector::parse(request.value("fieldSelector").unwrap_or_default()).map_err(|e| bad(&e))?;
    // Selectors are of lists.
    let labels = request.value("labelSelector").filter(|_| of.name.is_none()).unwrap_or_default();
    let filter = Filter::new(of.namespace.map(str::to_owned), labels, "").map_err(|e| bad(&e))?;
    let names = of.name.map(str::to_owned).into_iter().collect();
    let asked = Asked { type_: type_.name.clone(), names, is_of_category: false };
    let question = get::Request { asked: vec![asked], filter, sort_by: None, as_shown: true };
    let answer = get::answer(&api.opened, &question, view).map_err(|e| bad(&e))?;
    let ids = answer.listings.into_iter().flat_map(|listing| listing.ids);
    let item = |id| Item { id, object: served(view, api.opened.resources().resource(id), type_) };
    let has_fields = |item: &Item| fields.holds(|path| text_at(&item.object, path));
    let items: Vec<Item> = ids.map(item).filter(|item| of.name.is_some() || has_fields(item)).collect();
    let mut warnings = Vec::new();
    for gap in &answer.gaps {
        let text = view.text(&gap.to_string());
        match gap {
            Gap::NotCollected { .. } if is_part_of_services(type_, request) => warnings.push(text),
            Gap::NotCollected { .. } => return Err(Box::new(Response::failure(Failure::NotFound, &text))),
            Gap::Absent { type_, name, .. } => {
                let text = format!("{type_} {:?} not found", view.text(name));
                return Err(Box::new(Response::failure(Failure::NotFound, &text)));
            }
            Gap::MayBeMore { .. } | Gap::Partial { .. } | Gap::Unjudged { .. } => warnings.push(text),
        }
    }
    Ok(Chosen { items, warnings })
}

/// Returns true for the slices of a Service, which kubectl lists when it describes one: a failure ends its 1.33 with a nil pointer.
fn is_part_of_services(type_: &ServedType, request: &Request) -> bool {
    type_.kind == "EndpointSlice"
        && request.value("labelSelector").is_some_and(|labels| labels.starts_with("kubernetes.io/service-name="))
}

/// Returns the text of a scalar at a path.
fn text_at<'v>(object: &'v Value, path: &[&str]) -> Option<Cow<'v, str>> {
    let found = path.iter().try_fold(object, |value, key| value.get(key))?;
    match found {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(_) | Value::Bool(_) => Some(Cow::Owned(found.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Cuts a list at `limit`; a continuation is the number of items before it, as the list never changes.
fn page<'c>(items: &'c [Item], request: &Request) -> Page<'c> {
    let from = request.number::<usize>("continue").unwrap_or(0).min(items.len());
    let most = request.number::<usize>("limit").filter(|limit| *limit > 0).unwrap_or(usize::MAX);
    let to = from.saturating_add(most).min(items.len());
    let rest = items.len() - to;
    Page { items: items.get(from..to).unwrap_or_default(), next: (rest > 0).then_some(to), rest }
}

/// Returns the metadata of an object as clients take it instead of the whole.
fn partial(object: &Value, version: &str) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    json!({"kind": "PartialObjectMetadata", "apiVersion": format!("meta.k8s.io/{version}"), "metadata": metadata})
}

fn table(
    api: &Api<'_>,
    view: &View<'_>,
    type_: &ServedType,
    items: &[Item],
    request: &Request,
    version: &str,
    metadata: Value,
) -> Value {
    let listing = Listing { type_: type_.name.clone(), ids: items.iter().map(|item| item.id).collect() };
    let Columns { headers, rows } =
        columns::columns(&api.opened, view, &listing, Shown { wide: true, ..Shown::default() });
    // Clients compute the age in a column `Age` by their own clock, so headers stay in capitals. They find the name by its format.
    let column = |header: &columns::Header| {
        let format = if header.name == "NAME" { "name" } else { "" };
        let priority = u8::from(header.is_wide);
        json!({"name": header.name, "type": "string", "format": format, "description": "", "priority": priority})
    };
    let row = |(item, cells): (&Item, Vec<String>)| {
        let object = match request.value("includeObject") {
            Some("None") => Value::Null,
            Some("Object") => item.object.clone(),
            _ => partial(&item.object, version),
        };
        json!({"cells": cells, "object": object})
    };
    json!({
        "kind": "Table", "apiVersion": format!("meta.k8s.io/{version}"), "metadata": metadata,
        "columnDefinitions": headers.iter().map(column).collect::<Vec<_>>(),
        "rows": items.iter().zip(rows).map(row).collect::<Vec<_>>(),
    })
}
