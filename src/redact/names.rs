//! Names of machines that an analysis knows.

use std::collections::BTreeSet;
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

/// Names in lower case; those of a full name and of its first part.
#[derive(Debug, Default)]
pub struct Names {
    names: BTreeSet<String>,
    /// The lengths of names, longest first.
    lengths: Vec<usize>,
}

impl Names {
    /// Nodes, objects that are machines, fields that name one, and writers of system logs.
    pub fn of(analysis: &Analysis) -> Self {
        let mut known = Self::default();
        analysis.bundle.nodes.iter().for_each(|node| known.add(&node.name));
        if let Some(survey) = &analysis.survey {
            survey.nodes.items.iter().for_each(|node| known.add(&node.name));
            survey.machines.items.iter().for_each(|machine| known.add(&machine.name));
        }
        for finding in &analysis.findings {
            let machines = finding.objects.iter().filter(|object| MACHINES.contains(&object.kind.as_str()));
            machines.for_each(|machine| known.add(&machine.name));
            finding.evidence.iter().for_each(|piece| known.of_evidence(piece));
        }
        let lengths: BTreeSet<usize> = known.names.iter().map(String::len).collect();
        known.lengths = lengths.into_iter().rev().collect();
        known
    }

    fn of_evidence(&mut self, piece: &Evidence) {
        if let (Some(field), Some(value)) = (&piece.field, &piece.value)
            && FIELDS.iter().any(|name| field.ends_with(name))
            && value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
        {
            self.add(value);
        }
        for line in piece.excerpt.iter().filter(|_| piece.field.is_none()) {
            let writer = SYSLOG.as_ref().and_then(|syslog| syslog.captures(&line.text)?.get(1));
            writer.into_iter().for_each(|name| self.add(name.as_str()));
        }
    }

    fn add(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        if public::is_generic(&name) || name.parse::<IpAddr>().is_ok() {
            return;
        }
        if let Some((first, _)) = name.split_once('.').filter(|(first, _)| !public::is_generic(first)) {
            self.names.insert(first.to_owned());
        }
        self.names.insert(name);
    }

    /// Whether that is a name of a machine; `name` in lower case.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
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
