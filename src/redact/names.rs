//! Names to replace: machines and other objects.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::LazyLock;

use regex::Regex;

use crate::model::{Analysis, Evidence};

use super::public;

/// Kinds of objects that are physical or virtual machines.
const MACHINES: &[&str] = &["Host", "Machine", "Node", "VirtualMachine", "VirtualMachineInstance"];
/// Last parts of paths of fields that hold a machine name.
const FIELDS: &[&str] =
    &["currentNodeID", "hostname", "hostName", "kubernetes.io/hostname", "nodeID", "nodeName", "ownerID"];

/// Machine that wrote a line of syslog: `Mar  1 10:00:00 alpha kernel: `.
static SYSLOG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[A-Z][a-z]{2} [ 0-9]\d \d\d:\d\d:\d\d ([A-Za-z0-9][A-Za-z0-9.-]*) [^ ]+: ").ok());

/// Kind of machine names.
pub const HOST: &str = "host";

/// Names in lower case with their kinds; full names and their first parts.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: BTreeMap<String, String>,
    /// Lengths of names, longest first.
    lengths: Vec<usize>,
}

impl Names {
    /// Collects names from nodes, objects that are machines, fields that name a machine, and writers of system logs.
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
        if let (Some(field), Some(value)) = (&piece.field, piece.field_value()) {
            self.field(field, value);
        }
        piece.excerpt.iter().filter(|_| piece.field.is_none()).for_each(|line| self.line(&line.text));
    }

    /// Adds the value of a field that names a machine; `field` is its path or its last part.
    pub fn field(&mut self, field: &str, value: &str) {
        let is_name = |value: &str| value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
        if FIELDS.iter().any(|name| field.ends_with(name)) && is_name(value) {
            self.add(value);
        }
    }

    /// Adds the machine that wrote a line of syslog.
    pub fn line(&mut self, line: &str) {
        let writer = SYSLOG.as_ref().and_then(|syslog| syslog.captures(line)?.get(1));
        writer.into_iter().for_each(|name| self.add(name.as_str()));
    }

    /// Adds the name of an object: as a machine if its kind is one, else under its own kind.
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

    /// Inserts a name; its first kind is kept.
    fn insert(&mut self, name: &str, kind: &str) {
        self.names.entry(name.to_owned()).or_insert_with(|| kind.to_owned());
        if let Err(at) = self.lengths.binary_search_by(|length| name.len().cmp(length)) {
            self.lengths.insert(at, name.len());
        }
    }

    /// Returns true if `name`, in lower case, is known.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Returns the kind of a known name.
    pub fn kind(&self, name: &str) -> &str {
        self.names.get(name).map_or(HOST, String::as_str)
    }

    /// Returns the end of the longest name at a place in the lower-case text.
    pub fn at(&self, text: &str, start: usize) -> Option<usize> {
        self.lengths.iter().find_map(|length| {
            let end = start + length;
            let ends = text.as_bytes().get(end).is_none_or(|b| !b.is_ascii_alphanumeric());
            (ends && text.get(start..end).is_some_and(|part| self.has(part))).then_some(end)
        })
    }
}
