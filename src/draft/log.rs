//! Rules about lines of logs.

use serde_json::{Map, Value};

use super::error::DraftError;
use super::known::Known;
use super::pattern::{LinePattern, joined};
use super::place::{Excerpt, Place};
use super::written::{Case, Parts, verbatim};
use crate::bundle::{Entry, Role};
use crate::log::{MessagePart, is_note, line_parts};
use crate::model::unexplained::Level;
use crate::resource::table::kubectl_message::is_no_log;
use crate::rule::skeleton::example_of;

/// Name of the fact.
const FACT: &str = "line";

/// Returns forms of a rule for a line.
///
/// # Errors
/// The line has no words that stay.
pub fn parts(known: &Known<'_>, entry: &Entry, place: &Place, excerpt: &Excerpt) -> Result<Vec<Parts>, DraftError> {
    let nothing = |why| DraftError::Nothing { entry: place.entry.clone(), line: place.line, why };
    if excerpt.line.trim().is_empty() {
        return Err(nothing("it is empty"));
    }
    if excerpt.others.iter().all(|other| other.trim().is_empty()) && is_no_log(&excerpt.line) {
        return Err(nothing("the collector wrote it in place of a log"));
    }
    if is_note(excerpt.line.as_bytes()) {
        return Err(nothing("the journal wrote it about itself"));
    }
    let of_node = matches!(entry.role, Role::NodeLog { .. });
    let (path, hidden) = known.disguise.lines(&entry.logical, &[&excerpt.line]);
    let line = hidden.into_iter().next().unwrap_or_default();
    let read = line_parts(&line, of_node);
    let pattern = LinePattern::of(&line, &read.messages).ok_or_else(|| nothing("all of it varies"))?;
    let Some(regex) = pattern.matching(&[&excerpt.line, &line]) else {
        return Err(nothing("its words are replaced as names"));
    };
    let other = excerpt.others.iter().find(|other| !other.trim().is_empty() && !regex.is_match(other));
    let silent = other.and_then(|other| {
        let hidden = known.disguise.lines(&entry.logical, &[&excerpt.line, other]).1.into_iter().nth(1);
        hidden.filter(|hidden| !hidden.trim().is_empty() && !regex.is_match(hidden))
    });
    let silent = silent.unwrap_or_else(|| calm(&line, &read.messages));
    let log = selection(known, entry, &path);
    let mut keys = vec![("log", log.clone()), ("match", verbatim(regex.as_str()))];
    if !pattern.told().is_empty() {
        keys.push(("by", format!("[{}]", pattern.grouped().join(", "))));
    }
    let made = Parts {
        origin: "a log line",
        name: pattern.name(),
        title: pattern.title(FACT),
        severity: severity(read.level),
        fact: FACT.to_owned(),
        keys,
        message: message(&pattern),
        run: "kubectl get events -A".to_owned(),
        case: Case::default(),
    };
    // A line that reads like a message of kubectl is a log only with a line next to it.
    let beside = format!("{line}\n{silent}");
    let case = |(layout, path, text): (Option<&'static str>, &str, &str)| Parts {
        case: Case {
            layout,
            now: known.collected_at,
            fires: files(path, text),
            silent: files(path, &silent),
            expected: Map::from_iter([("count".to_owned(), 1.into())]),
        },
        ..made.clone()
    };
    let places = places(known, entry, &path);
    let forms =
        places.iter().flat_map(|(layout, path)| [&line, &beside].map(|text| (*layout, path.as_str(), text.as_str())));
    Ok(forms.map(case).collect())
}

fn files(path: &str, line: &str) -> Map<String, Value> {
    let files = Map::from_iter([(path.to_owned(), Value::from(format!("{line}\n")))]);
    Map::from_iter([("files".to_owned(), files.into())])
}

/// Returns the line with another message.
fn calm(line: &str, messages: &[MessagePart]) -> String {
    let first = messages.first().map_or(0, |message| message.place.start);
    format!("{}all is well", line.get(..first).unwrap_or_default())
}

/// Returns what the fact reads, as YAML: the stream of the entry, else its path.
fn selection(known: &Known<'_>, entry: &Entry, path: &str) -> String {
    match known.stream_of.get(&*entry.path) {
        Some(stream) => (*stream).to_owned(),
        None => format!("{{path: {}}}", verbatim(&glob(&entry.logical, path, pod_of(entry)))),
    }
}

fn pod_of(entry: &Entry) -> Option<&str> {
    match &entry.role {
        Role::PodLog { pod, .. } => Some(pod),
        _ => None,
    }
}

/// Returns a glob for a path: pods, what has a digit varies, and folders and files that have another name now do.
fn glob(path: &str, other: &str, pod: Option<&str>) -> String {
    let wild = |part: &str| if part.bytes().any(|byte| byte.is_ascii_digit()) { "*".to_owned() } else { escaped(part) };
    let segment = |(before, after): (&str, &str)| {
        if before != after || pod == Some(before) {
            return "*".to_owned();
        }
        let mut parts: Vec<String> = Vec::new();
        for part in before.split_inclusive(['-', '.', '_']) {
            let end = part.len() - usize::from(part.ends_with(['-', '.', '_']));
            let (name, sign) = part.split_at(end);
            // The beginning is what kind of thing it is: `rke2`, `k3s`.
            parts.push(if parts.is_empty() { escaped(name) } else { wild(name) } + sign);
        }
        parts.concat()
    };
    path.split('/').zip(other.split('/')).map(segment).collect::<Vec<_>>().join("/")
}

fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| "*?[]{}\\".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Returns layouts of rule tests and paths where the line may be read there: its own, else an example of its stream.
fn places(known: &Known<'_>, entry: &Entry, path: &str) -> Vec<(Option<&'static str>, String)> {
    let mut places = vec![(known.layout(path), path.to_owned()), (None, path.to_owned())];
    let stream = known.stream_of.get(&*entry.path).and_then(|name| known.streams.get(name));
    places.extend(stream.into_iter().flat_map(|stream| &stream.sources).map(|source| (None, example_of(source))));
    places
}

fn severity(level: Option<Level>) -> &'static str {
    match level {
        Some(Level::Fatal) => "high",
        Some(Level::Error) => "medium",
        Some(Level::Warning) => "low",
        None => "info",
    }
}

fn message(pattern: &LinePattern) -> String {
    let told: Vec<String> = pattern.told().iter().map(|name| format!("{name} {{{{ {FACT}.{name} }}}}")).collect();
    let values = if told.is_empty() { String::new() } else { format!(" The last has {}.", told.join(", ")) };
    let when = "{% if line.first %} from {{ line.first }} to {{ line.last }}{% endif %}";
    joined(&format!("{{{{ line.count | plural('line', 'lines') }}}}{when}.{values}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_varies_where_it_has_digits_or_names() {
        for (path, other, want) in [
            ("logs/shop/web-7d9/main.log", "logs/namespace-1/pod-1/main.log", "logs/*/*/main.log"),
            ("rke2/podlogs/kube-system-etcd-n1", "rke2/podlogs/kube-system-etcd-n1", "rke2/podlogs/kube-system-etcd-*"),
            ("etcd/{b}.log.1", "etcd/{b}.log.1", r"*/\{b\}.log.*"),
        ] {
            assert_eq!(glob(path, other, Some("etcd")), want);
        }
    }
}
