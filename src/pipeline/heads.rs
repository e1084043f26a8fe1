//! What the first bytes of files tell whose path does not: read once, for [`Sections`](super::sections::Sections), names of logs and the
//! time of the collection.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::loose_log::LooseLog;
use super::sections::content::Content;
use super::texts::head_of;
use crate::bundle::{Bundle, Entry, Role};
use crate::log::{host_of, zone_of};
use crate::resource::content::Shape;

/// What the first bytes of one file tell.
#[derive(Debug, Default)]
struct Head {
    /// Content of a file of any name that has several parts.
    content: Option<Content>,
    log: Option<LooseLog>,
    /// Host of a journal of an unknown node.
    host: Option<String>,
    /// Zone of a journal, in seconds east of UTC, as the programs in it state it.
    zone: Option<i32>,
    times: Option<Times>,
    /// True if a file whose name is that of a log holds what kubectl printed of objects: `kubectl get pods -w > pods.log`.
    is_printed: bool,
    shape: Option<Shape>,
}

/// Times of the objects in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    /// Ages that kubectl printed.
    Ages,
    /// Those that the API server gave.
    OfServer,
}

/// What the first bytes of files tell, by path.
#[derive(Debug, Default)]
pub struct Heads(BTreeMap<Arc<str>, Head>);

impl Heads {
    pub fn read(bundle: &Bundle) -> Self {
        // Outside a collector's layout any file ending in `.log` is named after a pod.
        let is_loose = bundle.spec().is_none_or(|spec| spec.has_loose_files);
        let is_telling = |entry: &Entry| match &entry.role {
            Role::Unplaced => true,
            Role::PodLogs { .. } => is_loose,
            Role::NodeLog { node, .. } => node.is_empty(),
            _ => false,
        };
        let is_alone = bundle.entries().len() == 1;
        let found = Mutex::new(BTreeMap::new());
        // Read errors are reported when the content is read.
        bundle.read(&is_telling, &|entry, reader| {
            let may_be_pasted = bundle.spec().is_none() && (is_alone || has_name_of_text(&entry.logical));
            let head = Head::of(entry, &head_of(reader), may_be_pasted);
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.path.clone(), head);
        });
        Self(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the files of any name with several parts.
    pub fn contents(&self) -> impl Iterator<Item = (Arc<str>, Content)> {
        self.0.iter().filter_map(|(path, head)| Some((path.clone(), head.content?)))
    }

    /// Returns the logs in files whose path does not tell whose they are.
    pub fn logs(&self) -> impl Iterator<Item = (Arc<str>, LooseLog)> {
        self.0.iter().filter_map(|(path, head)| Some((path.clone(), head.log.clone()?)))
    }

    /// Returns the hosts of journals of unknown nodes, by their first lines: `journalctl -u k3s > k3s.log`.
    pub fn hosts(&self) -> impl Iterator<Item = (Arc<str>, String)> {
        self.0.iter().filter_map(|(path, head)| Some((path.clone(), head.host.clone()?)))
    }

    /// Returns true for the log of a host.
    pub fn is_of_host(&self, entry: &Entry) -> bool {
        let is_loose = |head: &Head| matches!(&head.log, Some(LooseLog::OfHost { .. }));
        matches!(entry.role, Role::NodeLog { .. }) || self.0.get(&entry.path).is_some_and(is_loose)
    }

    /// Returns the zone of the hosts, if all journals that tell one agree: `microk8s inspect` writes local time.
    pub fn zone(&self) -> Option<i32> {
        let zones: BTreeSet<i32> = self.0.values().filter_map(|head| head.zone).collect();
        zones.first().copied().filter(|_| zones.len() == 1)
    }

    /// Returns the files whose names are those of logs and that hold what kubectl printed of objects.
    pub fn printed(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().filter(|(_, head)| head.is_printed).map(|(path, _)| path)
    }

    /// Returns true if a file has no place, by its name or by what it holds.
    pub fn is_unplaced(&self, entry: &Entry) -> bool {
        entry.role == Role::Unplaced || self.0.get(&entry.path).is_some_and(|head| head.is_printed)
    }

    /// Returns true for a table, which has no times but ages.
    pub fn is_table(&self, entry: &Entry) -> bool {
        self.shape(entry) == Some(Shape::Table)
    }

    /// Returns true for a text that `kubectl describe` wrote.
    pub fn is_description(&self, entry: &Entry) -> bool {
        self.shape(entry) == Some(Shape::Description)
    }

    fn shape(&self, entry: &Entry) -> Option<Shape> {
        self.0.get(&entry.path)?.shape
    }

    /// Returns true if the files without a place have no other times than the ages that kubectl printed.
    pub fn have_only_ages(&self) -> bool {
        let mut times = self.0.values().filter_map(|head| head.times).peekable();
        times.peek().is_some() && times.all(|times| times == Times::Ages)
    }
}

impl Head {
    fn of(entry: &Entry, head: &[u8], may_be_pasted: bool) -> Self {
        let role = &entry.role;
        if *role != Role::Unplaced
            && let Some(content) = Content::of_log(head)
        {
            return Self { content: Some(content), ..Self::default() };
        }
        if let Role::NodeLog { .. } = role {
            return Self { host: host_of(head), zone: zone_of(head), ..Self::default() };
        }
        let shape = Shape::of(head);
        let is_printed = matches!(shape, Some(Shape::Table | Shape::Description));
        let of_server = || is_of_server(head).then_some(Times::OfServer);
        let times = if is_printed { Some(Times::Ages) } else { of_server() };
        let (content, times) = match role {
            Role::Unplaced => (Content::of(head, shape), times),
            _ => (None, times.filter(|_| is_printed)),
        };
        let may_be_log = shape.is_none() && content != Some(Content::Headed);
        let pasted = || (may_be_pasted && *role == Role::Unplaced && content.is_none()).then_some(LooseLog::Pasted);
        let log = if may_be_log { LooseLog::of(head, &entry.path).or_else(pasted) } else { None };
        let zone = if let Some(LooseLog::OfHost { .. }) = &log { zone_of(head) } else { None };
        let is_printed = is_printed && *role != Role::Unplaced;
        Self { content, log, zone, times, host: None, is_printed, shape }
    }
}

/// Returns true for names that people give to lines that they copied: `ticket.txt`, `error`.
fn has_name_of_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_none_or(|(_, ending)| matches!(ending, "txt" | "log" | "out" | "err"))
}

/// Returns true if a list or an object has times that the API server gave it: a manifest has none.
fn is_of_server(head: &[u8]) -> bool {
    let behind = memchr::memmem::find_iter(head, "creationTimestamp")
        .filter_map(|at| head.get(at + "creationTimestamp".len()..));
    let mut values = behind.map(|rest| rest.iter().find(|byte| !b"\": '".contains(byte)));
    values.any(|first| first.is_some_and(u8::is_ascii_digit))
}
