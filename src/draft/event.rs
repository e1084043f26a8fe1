//! Rules about events.

use serde_json::{Map, Value, json};

use super::known::Known;
use super::pattern::LinePattern;
use super::written::{Case, Parts, quoted, verbatim};
use crate::log::line_parts;
use crate::resource::Event;

/// Name of the object in the test.
const NAME: &str = "event-1";

/// Returns forms of a rule for an event: those of the same reason about objects of the same kind.
pub fn parts(known: &Known<'_>, event: &Event) -> Vec<Parts> {
    let object = known.disguise.object(event_object(event));
    let message = object.get("message").and_then(Value::as_str).unwrap_or_default();
    let pattern = LinePattern::of(message, &line_parts(message, false).messages);
    let regex = pattern.as_ref().and_then(|pattern| pattern.matching(&[&event.message, message]));
    let is_warning = event.type_ == "Warning";
    let fact = if is_warning { "warning" } else { "notice" };
    let mut keys = vec![("event", query(event))];
    if let Some(regex) = &regex {
        keys.push(("match", verbatim(regex.as_str())));
        keys.push(("by", "[source]    # one finding for each object".to_owned()));
    }
    let made = Parts {
        origin: "an event",
        name: format!("{}: {}", event.object.kind, event.reason).chars().take(60).collect(),
        title: format!("{{{{ {fact}.object }}}}: {}", event.reason),
        severity: if is_warning { "medium" } else { "info" },
        fact: fact.to_owned(),
        keys,
        message: format!(
            "{{{{ {fact}.message }}}} ({{{{ {fact}.count | plural('time', 'times') }}}}, the last at {{{{ {fact}.last }}}})"
        ),
        run: "kubectl get events -A".to_owned(),
        case: Case::default(),
    };
    let case = |layout| Parts {
        case: Case {
            layout,
            now: known.collected_at,
            fires: Map::from_iter([("objects".to_owned(), json!([object]))]),
            silent: Map::from_iter([("set".to_owned(), json!({format!("Event/{NAME}"): calm()}))]),
            expected: Map::new(),
        },
        ..made.clone()
    };
    [known.layout(""), None].map(case).to_vec()
}

fn query(event: &Event) -> String {
    let type_ = if event.type_.is_empty() { String::new() } else { format!(", type: {}", event.type_) };
    let kind = &event.object.kind;
    let object = if kind.is_empty() { String::new() } else { format!(", object: {{kind: {}}}", quoted(kind)) };
    format!("{{reason: {}{type_}{object}}}", quoted(&event.reason))
}

fn calm() -> Value {
    json!({"type": "Normal", "reason": "Fine", "message": "All is well"})
}

/// Writes the event as the API has it.
fn event_object(event: &Event) -> Value {
    let about = &event.object;
    let namespace = about.namespace.clone().unwrap_or_else(|| "default".to_owned());
    let group = if about.group.is_empty() { "v1".to_owned() } else { format!("{}/v1", about.group) };
    let mut involved = json!({"apiVersion": group, "kind": about.kind, "name": about.name});
    if let (Some(namespace), Value::Object(fields)) = (&about.namespace, &mut involved) {
        fields.insert("namespace".to_owned(), namespace.as_str().into());
    }
    let mut object = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": NAME, "namespace": namespace},
        "involvedObject": involved,
        "type": event.type_,
        "reason": event.reason,
        "message": event.message,
        "count": event.count,
    });
    let times = [("firstTimestamp", event.first), ("lastTimestamp", event.last)];
    if let Value::Object(fields) = &mut object {
        fields.extend(times.into_iter().filter_map(|(key, time)| Some((key.to_owned(), time?.to_string().into()))));
    }
    object
}
