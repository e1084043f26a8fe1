//! What an object says of itself, and what events, findings and its history say of it.

use jiff::Timestamp;

use super::page::Page;
use crate::explore::get::Listing;
use crate::explore::get::columns::{self, Shown, created, since};
use crate::explore::object::{self, shown_at};
use crate::explore::opened::Opened;
use crate::inventory::history_of;
use crate::model::inventory::HistoryEntry;
use crate::model::message::Reason;
use crate::model::{Analysis, Finding, ObjectRef, Origin};
use crate::resource::{Collected, Event, Resource, ResourceId, TypeName, parse_time};
use crate::yaml::Node;

/// Most labels and annotations; longer lists are of controllers.
const PAIRS: usize = 40;
/// Most characters of an annotation.
const LONGEST: usize = 200;
/// Most events and entries of a history; the latest are shown.
const LATEST: usize = 25;
/// Annotations that repeat the object.
const COPIES: [&str; 2] = ["kubectl.kubernetes.io/last-applied-configuration", "objectset.rio.cattle.io/applied"];

pub(super) fn identity(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let resource = opened.resources().resource(id);
    let body = resource.body();
    page.field("Name", &resource.name);
    page.field("Namespace", resource.namespace.as_deref().unwrap_or_default());
    page.field("Kind", format!("{}.{}", resource.kind, resource.group).trim_end_matches('.'));
    // Rows of a table have no version.
    if !resource.version.is_empty() {
        page.field("API Version", &object::api_version(resource));
    }
    page.field("Created", &moment(body, &["metadata", "creationTimestamp"], opened.now()));
    page.field("Deleted", &moment(body, &["metadata", "deletionTimestamp"], opened.now()));
    let texts = |path: &[&str]| {
        body.path(path).into_iter().flat_map(Node::items).map(|item| object::shown(item).to_owned()).collect::<Vec<_>>()
    };
    page.list("Finalizers", &texts(&["metadata", "finalizers"]));
    page.list("Labels", &pairs(body.path(&["metadata", "labels"])));
    page.list("Annotations", &pairs(body.path(&["metadata", "annotations"])));
    let owner = resource.owner().map_or_else(String::new, |owner| format!("{}/{}", owner.kind, owner.name));
    page.field("Controlled By", &owner);
    let known = if resource.partial { "; only what a table or a description states" } else { "" };
    page.field("Read from", &format!("{}{known}", Origin::line(resource.entry.clone(), body.line())));
}

/// Returns a time with its age.
fn moment(body: Node<'_>, path: &[&str], now: Option<Timestamp>) -> String {
    shown_at(body, path).map_or_else(String::new, |time| format!("{time} ({} ago)", since(parse_time(time), now)))
}

fn pairs(map: Option<Node<'_>>) -> Vec<String> {
    let entries = map.into_iter().flat_map(Node::entries).filter(|(key, _)| !COPIES.contains(&key.as_ref()));
    let mut pairs: Vec<String> =
        entries.map(|(key, value)| format!("{key}={}", clipped(object::shown(value)))).collect();
    pairs.sort_unstable();
    let more = pairs.len().saturating_sub(PAIRS);
    pairs.truncate(PAIRS);
    if more > 0 {
        pairs.push(format!("and {more} more"));
    }
    pairs
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Writes the columns of `kubectl get -o wide` as fields.
pub(super) fn columns(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let resource = opened.resources().resource(id);
    let listing = Listing { type_: resource.type_name(), ids: vec![id] };
    // The page replaces names.
    let view = crate::explore::View::default();
    let table = columns::table(opened, &view, &listing, Shown { wide: true, ..Shown::default() });
    let row = table.rows.first().into_iter().flatten();
    let cells: Vec<_> = table
        .headers
        .iter()
        .zip(row)
        .filter(|(header, cell)| {
            !matches!(header.as_str(), "NAME" | "AGE" | "CREATED AT")
                && !matches!(cell.as_str(), "" | "<none>" | "<unset>")
        })
        .collect();
    if !cells.is_empty() {
        page.section("Status");
        cells.iter().for_each(|(header, cell)| page.line_below(&format!("{header:<22}"), cell));
    }
}

pub(super) fn conditions(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let body = opened.resources().resource(id).body();
    let list = body.path(&["status", "conditions"]).into_iter().flat_map(Node::items);
    let row = |condition: Node<'_>| {
        let text = |key: &str| shown_at(condition, &[key]).unwrap_or_default().to_owned();
        let changed = ["lastTransitionTime", "lastUpdateTime", "lastProbeTime"];
        let at = changed.iter().find_map(|key| parse_time(shown_at(condition, &[key])?));
        vec![text("type"), text("status"), text("reason"), since(at, opened.now()), text("message")]
    };
    let rows = list.map(row).collect();
    page.table("Conditions", &["TYPE", "STATUS", "REASON", "SINCE", "MESSAGE"], rows);
}

/// Writes the containers of a Pod.
pub(super) fn containers(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let body = opened.resources().resource(id).body();
    let rows =
        [("init", "initContainerStatuses"), ("", "containerStatuses"), ("ephemeral", "ephemeralContainerStatuses")];
    let rows = rows.into_iter().flat_map(|(kind, list)| {
        let containers = body.path(&["status", list]).into_iter().flat_map(Node::items);
        containers.map(move |container| container_row(kind, container, opened.now()))
    });
    let headers = ["NAME", "READY", "RESTARTS", "STATE", "LAST STATE", "IMAGE"];
    page.table("Containers", &headers, rows.collect());
}

fn container_row(kind: &str, container: Node<'_>, now: Option<Timestamp>) -> Vec<String> {
    let text = |key: &str| shown_at(container, &[key]).unwrap_or_default().to_owned();
    let kind = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
    vec![
        format!("{}{kind}", text("name")),
        text("ready"),
        text("restartCount"),
        state(container.get("state"), now),
        state(container.get("lastState"), now),
        text("image"),
    ]
}

/// Formats `running since 4h`, `waiting: CrashLoopBackOff`, `ended 5m ago: Error, exit code 1`.
fn state(state: Option<Node<'_>>, now: Option<Timestamp>) -> String {
    let Some((word, node)) = state.and_then(|state| state.entries().next()) else { return String::new() };
    let text = |key: &str| shown_at(node, &[key]);
    let age = |key: &str| since(text(key).and_then(parse_time), now);
    let said = |parts: [Option<&str>; 2]| parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    match word.as_ref() {
        "running" => format!("running since {}", age("startedAt")),
        "waiting" => format!("waiting: {}", said([text("reason"), text("message")])),
        "terminated" => {
            let code = text("exitCode").map(|code| format!("exit code {code}"));
            format!("ended {} ago: {}", age("finishedAt"), said([text("reason"), code.as_deref()]))
        }
        other => other.to_owned(),
    }
}

/// Writes what a Node has and gives to Pods.
pub(super) fn capacity(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let resource = opened.resources().resource(id);
    if &*resource.kind != "Node" || !resource.group.is_empty() {
        return;
    }
    let body = resource.body();
    let list = |key: &str| body.path(&["status", key]);
    let rows = list("capacity").into_iter().flat_map(Node::entries).map(|(name, capacity)| {
        let allocatable = list("allocatable").and_then(|given| shown_at(given, &[&name])).unwrap_or_default();
        vec![name.into_owned(), object::shown(capacity).to_owned(), allocatable.to_owned()]
    });
    page.table("Capacity", &["RESOURCE", "CAPACITY", "ALLOCATABLE"], rows.collect());
    let taints = body.path(&["spec", "taints"]).into_iter().flat_map(Node::items);
    let taint = |taint: Node<'_>| {
        ["key", "value", "effect"].map(|key| shown_at(taint, &[key]).unwrap_or_default().to_owned()).to_vec()
    };
    page.table("Taints", &["KEY", "VALUE", "EFFECT"], taints.map(taint).collect());
}

/// Writes the events about the object, the latest last.
pub(super) fn events(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let resources = opened.resources();
    let resource = resources.resource(id);
    let object = resource.object();
    let mut about: Vec<&Event> = resources.events().iter().filter(|event| is_about(event, &object, resource)).collect();
    about.sort_by_key(|event| event.last);
    if about.is_empty() {
        if let Some(why) = unknown_events(opened, resource.namespace.as_deref()) {
            page.section("Events");
            page.line(&why.to_string());
        }
        return;
    }
    let skipped = about.len().saturating_sub(LATEST);
    let row = |event: &&Event| {
        let count = if event.count > 1 {
            format!("{} (x{})", since(event.last, opened.now()), event.count)
        } else {
            since(event.last, opened.now())
        };
        vec![count, event.type_.clone(), event.reason.clone(), event.message.clone()]
    };
    let title =
        if skipped > 0 { format!("Events (the last {LATEST} of {})", about.len()) } else { "Events".to_owned() };
    let rows = about.iter().skip(skipped).map(row).collect();
    page.table(&title, &["LAST SEEN", "TYPE", "REASON", "MESSAGE"], rows);
}

fn is_about(event: &Event, object: &ObjectRef, resource: &Resource) -> bool {
    match (&event.object_uid, &resource.uid) {
        (Some(about), Some(own)) if **about == **own => true,
        // Events about nodes carry the name as uid, and those of a deleted namesake are worth seeing.
        _ => event.object == *object,
    }
}

fn unknown_events(opened: &Opened<'_>, namespace: Option<&str>) -> Option<Reason> {
    match opened.resources().collected(&TypeName::new("events", ""), namespace) {
        Collected::No(why) => Some(why),
        Collected::Yes | Collected::Empty => None,
    }
}

/// Writes the findings of rules that concern the object: those of which it is the subject first, then the worst.
pub(super) fn findings(page: &mut Page<'_>, opened: &Opened<'_>, analysis: &Analysis, id: ResourceId) {
    let object = opened.resources().resource(id).object();
    let mut about: Vec<&Finding> =
        analysis.findings.iter().filter(|finding| finding.objects.contains(&object)).collect();
    let is_other = |finding: &Finding| finding.objects.first() != Some(&object);
    about.sort_by(|a, b| {
        let order = (is_other(a), a.rank()).cmp(&(is_other(b), b.rank()));
        order.then_with(|| a.fingerprint.cmp(&b.fingerprint))
    });
    if about.is_empty() {
        return;
    }
    page.section("Findings");
    for finding in about {
        page.line(&format!("[{}] {}", finding.label(), finding.title.as_str()));
        page.line_below("  ", finding.message.as_str());
        page.line_below("  ", &format!("rule {}, fingerprint {}", finding.rule, finding.fingerprint));
    }
}

/// Writes what happened to the object and to what shares its lifetime, the latest last.
pub(super) fn history(page: &mut Page<'_>, opened: &Opened<'_>, id: ResourceId) {
    let object = opened.resources().resource(id).object();
    let history = history_of(opened.resources(), &opened.input.logs, object);
    let entries = &history.entries.items;
    let skipped = entries.len().saturating_sub(LATEST);
    let row = |entry: &HistoryEntry| {
        let at = entry.at.map_or_else(|| "unknown".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string());
        let count = if entry.count > 1 { format!("x{}", entry.count) } else { String::new() };
        let place = entry.place.as_ref().map(ToString::to_string).unwrap_or_default();
        vec![at, count, clipped(&entry.text.to_string()), place]
    };
    let rows = entries.iter().skip(skipped).map(row).collect();
    page.table("History", &["TIME", "COUNT", "WHAT", "FROM"], rows);
}

/// Returns the age of an object, for lists of related ones.
pub(super) fn age(opened: &Opened<'_>, resource: &Resource) -> String {
    created(resource, opened.now())
}
