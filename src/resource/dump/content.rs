//! Recognises the content of a file: documents of objects, a table of kubectl, or messages in their place.
//!
//! Files hold the output of a command, including its error output: warnings before the objects, `No resources found`, an error of
//! kubectl, the page of a proxy. Lines of such messages become blank, so that offsets in the text stay right.

use std::sync::Arc;

use jiff::Timestamp;

use super::objects::DumpObjects;
use super::reader::read_objects_within;
use crate::model::message::Answer;
use crate::resource::describe;
use crate::resource::table::api::{Context, unfold};
use crate::resource::table::{self, kubectl_message::KubectlMessage};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Document, mixed, source};

/// Maximum number of lines at the beginning that may be messages.
const MAX_MESSAGES: usize = 20;
/// Lines before events that somebody copied: the end of what `kubectl describe` prints above them.
const MAX_BEFORE_EVENTS: usize = 60;
/// Bytes at the beginning of a file by which its content is recognised.
pub const HEAD: usize = 64 << 10;

/// Messages before the objects.
#[derive(Default)]
struct LeadingMessages {
    /// True if kubectl printed that there are no objects.
    no_objects: bool,
    answer: Option<Answer>,
}

/// Reads the objects of a file that contains nothing else. `context` is what its path and bundle state about them,
/// `normalise` removes
/// peculiarities of the collector, `room` is the memory in bytes that text and objects may take.
pub fn read_dump(
    entry: Arc<str>,
    context: Context<'_>,
    bytes: Vec<u8>,
    normalise: &dyn Fn(Document) -> Document,
    room: u64,
) -> DumpObjects {
    let place = context.place;
    let (mut text, mut problems) = source::text(bytes);
    let messages = take_messages(&mut text);
    if text.trim_ascii().is_empty() {
        match messages {
            LeadingMessages { answer: Some(answer), .. } => return DumpObjects::with_answer(entry, place, answer),
            LeadingMessages { no_objects: true, .. } => return DumpObjects::none(entry, place),
            LeadingMessages { .. } => {}
        }
    }
    let (document, more) = yaml::parse_text(text, room);
    problems.extend(more);
    let (document, unreadable) = unfold(document, context, room);
    problems.extend(unreadable);
    let document = Arc::new(normalise(document));
    let mut objects = read_objects_within(entry, place, &document, room).with_problems(&problems);
    objects.incomplete |= messages.answer.is_some();
    objects
}

/// Reads the documents between other lines, as `kubectl cluster-info dump` writes them to a terminal.
pub fn read_stream(entry: Arc<str>, bytes: Vec<u8>, now: Option<Timestamp>, room: u64) -> DumpObjects {
    let (text, mut problems) = source::text(bytes);
    let mixed::Mixed { document, problems: more, others } = mixed::read(text, room);
    problems.extend(more);
    let (document, unreadable) = unfold(document, Context { now, ..Context::default() }, room);
    problems.extend(unreadable);
    let document = plain(document);
    let mut objects = read_objects_within(entry, None, &Arc::new(document), room).with_problems(&problems);
    let answer = others.iter().find_map(|line| match KubectlMessage::parse(line) {
        Some(KubectlMessage::Error(said)) => Some(said),
        _ => None,
    });
    if let Some(said) = answer {
        objects.incomplete = true;
        // If there are no objects, this is the only place with the reason.
        objects.answer = objects.found.is_empty().then(|| Answer::beginning(said));
    }
    objects
}

/// Content of a file whose path reveals nothing about it, recognised by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Objects,
    Table,
    /// Output of `kubectl describe`.
    Description,
}

impl Shape {
    /// Recognises the content; none if it holds no objects of Kubernetes.
    pub fn of(head: &[u8]) -> Option<Self> {
        let (mut text, _) = source::text(head.get(..HEAD).unwrap_or(head).to_vec());
        take_messages(&mut text);
        let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
        if table::is_header(first) {
            return Some(Self::Table);
        }
        if is_description(first, &text) || has_lone_events(&text) {
            return Some(Self::Description);
        }
        let first = first.trim_start();
        if is_line_of_log(first) {
            return None;
        }
        let opens =
            first.starts_with(['{', '[', '-', '"']) || first.split_once(':').is_some_and(|(key, _)| is_word(key));
        // Lines of an audit log are objects, too, but there are millions of them.
        let kubernetes = (text.contains("apiVersion") || text.contains("kind")) && !text.contains("audit.k8s.io/");
        (opens && kubernetes && is_kubernetes(&text)).then_some(Self::Objects)
    }
}

/// Recognises an object in one line that a program logged. KubeVirt has a `kind` in it, which is that of the object that the line is about.
fn is_line_of_log(line: &str) -> bool {
    let has_all = |keys: &[&str]| keys.iter().all(|key| line.contains(key));
    line.starts_with('{') && has_all(&["\"level\":\"", "\"msg\":"]) && !line.contains("\"apiVersion\"")
}

/// Recognises a text that describes objects which are read; `first` is its first line.
fn is_description(first: &str, text: &str) -> bool {
    // The first line tells a description from a YAML document, which has one blank.
    let name = first.strip_prefix("Name:").filter(|rest| rest.starts_with("  ") && !rest.trim().is_empty());
    let has = |key: &str| {
        text.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')))
    };
    name.is_some() && describe::are_known(&has)
}

/// Recognises events that somebody copied from `kubectl describe` without the object.
fn has_lone_events(text: &str) -> bool {
    // Farther down, such a table may be a part of a log or of a report.
    let mut lines = text.lines().take(MAX_BEFORE_EVENTS).skip_while(|line| !describe::is_events_header(line)).skip(1);
    lines.next().is_some_and(|line| line.trim_start().starts_with(['-', 'W', 'N'])) && !text.contains("\nName:")
}

/// Reads the objects of a file whose path reveals nothing about it. `name` is the name of the file, `now` the time of the collection.
pub fn read_loose(entry: Arc<str>, name: &str, bytes: Vec<u8>, now: Option<Timestamp>, room: u64) -> DumpObjects {
    read_dump(entry, Context { place: None, name, now }, bytes, &plain, room).loose()
}

fn plain(mut document: Document) -> Document {
    normalise(&mut document, Dialect::Plain);
    document
}

/// Returns true if the text has a key that all objects have.
fn is_kubernetes(text: &str) -> bool {
    let keys = ["apiVersion", "kind"];
    let names = |part: &str| {
        let part = part.trim_start_matches([' ', '\t', '-', '{', '[', '"', '\r']);
        keys.iter().any(|key| {
            part.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(':'))
        })
    };
    text.split(['\n', ',', '{']).any(names)
}

fn is_word(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Blanks the messages at the beginning of a text, and returns them.
fn take_messages(text: &mut String) -> LeadingMessages {
    let mut messages = LeadingMessages::default();
    let mut end = 0;
    for line in text.split_inclusive('\n').take(MAX_MESSAGES) {
        match KubectlMessage::parse(line) {
            Some(KubectlMessage::NoObjects) => messages.no_objects = true,
            Some(KubectlMessage::Error(said)) => {
                messages.answer.get_or_insert_with(|| Answer::beginning(said));
            }
            Some(KubectlMessage::Remark) => {}
            None => break,
        }
        end += line.len();
    }
    let head = text.get(end..).unwrap_or_default().trim_ascii_start();
    if ["<!DOCTYPE", "<!doctype", "<html", "<HTML"].iter().any(|tag| head.starts_with(tag)) {
        messages.answer.get_or_insert(Answer::HtmlPage);
        text.clear();
    } else if messages.no_objects
        || messages.answer.is_some()
        || !text.get(..end).unwrap_or_default().trim_ascii().is_empty()
    {
        let blank: String =
            text.get(..end).unwrap_or_default().bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(..end, &blank);
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::DumpPlace;

    const PLACE: DumpPlace<'_> = DumpPlace { namespace: None, group: "", version: "v1", plural: "nodes" };
    const NODE: &str = "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n1\"}}\n";

    fn read(text: &str) -> DumpObjects {
        let context = Context { place: Some(&PLACE), ..Context::default() };
        read_dump("nodes.json".into(), context, text.as_bytes().to_vec(), &plain, u64::MAX)
    }

    #[test]
    fn words_before_objects_move_nothing() {
        let objects = read(&format!("Warning: old\nI0806 22:51:41.2  7 request.go:668] Waited for 1s\n{NODE}"));
        assert_eq!((objects.len(), objects.incomplete, objects.issues.len()), (1, false, 0));
        assert_eq!(objects.found[0].resource.body().line(), 3);
        let objects = read(&format!("Unable to connect to the server: EOF\n{NODE}"));
        assert_eq!((objects.len(), objects.incomplete), (1, true));
    }

    #[test]
    fn words_in_place_of_objects() {
        let no_objects = read("No resources found in demo namespace.\n");
        assert!(no_objects.is_empty() && no_objects.listed && !no_objects.incomplete);
        let answer = "error: the server doesn't have a resource type \"x\"";
        assert_eq!(read(answer).answer, Some(Answer::beginning(answer)));
        let page = read("\n<!DOCTYPE html>\n<html><title>Log in</title></html>\n");
        assert_eq!((page.answer, page.incomplete), (Some(Answer::HtmlPage), true));
        assert!(read("").incomplete);
    }

    #[test]
    fn unplaced_files_are_recognised_by_their_beginning() {
        let of = |text: &str| Shape::of(text.as_bytes());
        let pod = "Name:             web-0\nNamespace:        shop\nStatus:           Pending\nContainers:\n  nginx:\n    Image:  nginx\n";
        assert_eq!(of(pod), Some(Shape::Description));
        assert_eq!(of("Name:    n1\nRoles:   worker\nTaints:  <none>\n"), Some(Shape::Description));
        assert_eq!(of("Name: web\nNamespace: shop\nStatus: x\nContainers: y\n"), None);
        assert_eq!(of("Name:    c\nNamespace:    shop\nType:  Opaque\n"), None);
        assert_eq!(of(NODE), Some(Shape::Objects));
        assert_eq!(of("# note\napiVersion: v1\nitems:\n"), Some(Shape::Objects));
        assert_eq!(of("- kind: Pod\n"), Some(Shape::Objects));
        assert_eq!(of("Warning: x\nNAMESPACE   NAME   AGE\n"), Some(Shape::Table));
        let utf16: Vec<u8> = "\u{feff}apiVersion: v1\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Shape::of(&utf16), Some(Shape::Objects));
        for text in [
            "",
            "hello\n",
            "a: 1\n",
            "the kind: of text\n",
            "{\"kind\": \"Event\", \"apiVersion\": \"audit.k8s.io/v1\"}",
            "PID   USER   CMD\n",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_stream_is_read_up_to_where_kubectl_gave_up() {
        let text = format!(
            "$ kubectl cluster-info dump\n{{\n\"kind\": \"NodeList\", \"apiVersion\": \"v1\", \"items\": [{NODE}]}}\nError from server (Forbidden): no\n"
        );
        let objects = read_stream("x".into(), text.into_bytes(), None, u64::MAX);
        assert_eq!((objects.len(), objects.incomplete), (1, true));
    }
}
