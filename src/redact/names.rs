//! Names of machines, and of whatever else is to be replaced.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::LazyLock;

use regex::Regex;

use crate::model::{Analysis, Evidence};

use super::public;

/// Kinds of objects that are machines, real and virtual.
const MACHINES: &[&str] = &["Host", "Machine", "Node", "VirtualMachine", "VirtualMachineInstance"];
/// Last parts of fields that hold the name of a machine.
const FIELDS: &[&str] =
    &["currentNodeID", "hostname", "hostName", "kubernetes.io/hostname", "nodeID", "nodeName", "ownerID"];

/// The machine that wrote a line of syslog: `Mar  1 10:00:00 alpha kernel: `.
static SYSLOG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[A-Z][a-z]{2} [ 0-9]\d \d\d:\d\d:\d\d ([A-Za-z0-9][A-Za-z0-9.-]*) [^ ]+: ").ok());

/// The kind of the names of machines.
pub const HOST: &str = "host";

/// Names in lower case, each with its kind; those of a full name and of its first part.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: BTreeMap<String, String>,
    /// The lengths of names, longest first.
    lengths: Vec<usize>,
}

impl Names {
    /// Nodes, objects that are machines, fields that name one, and writers of system logs.
    pub fn of(analysis: &Analysis) -> Self {
        let mut known = Self::default();
        analysis.bundle.nodes.iter().for_each(|node| known.add(&node.name));
        if let Some(inventory) = &analysis.inventory {
            inventory.nodes.items.iter().for_each(|node| known.add(&node.name));
            inventory.machines.items.iter().for_each(|machine| known.add(&machine.name));
        }
        for finding in &analysis.findings {
            let machines = finding.objects.iter().filter(|object| MACHINES.contains(&object.kind.as_str()));
            machines.for_each(|machine| known.add(&machine.name));
            finding.evidence.iter().for_each(|piece| known.of_evidence(piece));
        }
        known
    }

    fn of_evidence(&mut self, piece: &Evidence) {
        if let (Some(field), Some(value)) = (&piece.field, &piece.value) {
            self.field(field, value);
        }
        piece.excerpt.iter().filter(|_| piece.field.is_none()).for_each(|line| self.line(&line.text));
    }

    /// Takes the value of a field, if it is one that names a machine; `field` is its path or its last part.
    pub fn field(&mut self, field: &str, value: &str) {
        let is_name = |value: &str| value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
        if FIELDS.iter().any(|name| field.ends_with(name)) && is_name(value) {
            self.add(value);
        }
    }

    /// Takes the machine that wrote a line of syslog.
    pub fn line(&mut self, line: &str) {
        let writer = SYSLOG.as_ref().and_then(|syslog| syslog.captures(line)?.get(1));
        writer.into_iter().for_each(|name| self.add(name.as_str()));
    }

    /// Takes the name of an object: of a machine if the kind is such, else of the kind itself.
    pub fn object(&mut self, kind: &str, name: &str) {
        if MACHINES.contains(&kind) {
            self.add(name);
        } else if !public::is_generic(name) {
            self.insert(&name.to_ascii_lowercase(), &kind.to_ascii_lowercase());
        }
    }

    fn add(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        if public::is_generic(&name) || name.parse::<IpAddr>().is_ok() {
            return;
        }
        if let Some((first, _)) = name.split_once('.').filter(|(first, _)| !public::is_generic(first)) {
            self.insert(first, HOST);
        }
        self.insert(&name, HOST);
    }

    /// The first kind of a name stays.
    fn insert(&mut self, name: &str, kind: &str) {
        self.names.entry(name.to_owned()).or_insert_with(|| kind.to_owned());
        if let Err(at) = self.lengths.binary_search_by(|length| name.len().cmp(length)) {
            self.lengths.insert(at, name.len());
        }
    }

    /// Whether that is a known name; `name` in lower case.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// What a known name is the name of.
    pub fn kind(&self, name: &str) -> &str {
        self.names.get(name).map_or(HOST, String::as_str)
    }

    /// The longest name that the text, in lower case, has at a place; where it ends.
    pub fn at(&self, text: &str, start: usize) -> Option<usize> {
        self.lengths.iter().find_map(|length| {
            let end = start + length;
            let ends = text.as_bytes().get(end).is_none_or(|b| !b.is_ascii_alphanumeric());
            (ends && text.get(start..end).is_some_and(|part| self.has(part))).then_some(end)
        })
    }
}
