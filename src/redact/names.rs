//! Names to replace: machines, addresses in other spellings, and other objects.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::model::identities::{is_machine, names_host, names_serial};
use crate::model::{Analysis, Evidence, Identities};

use super::address::{self, Found};
use super::dotted::{self, Dotted};
use super::position::Place;
use super::segments::{segments, without_sequences};
use super::{encoded, position, public};

/// Kind of machine names.
pub const HOST: &str = "host";
/// Kind of DNS names.
pub const DNS: &str = "dns";
/// Kind of numbers that makers give machines and disks.
pub const SERIAL: &str = "serial";
/// Shorter words in the place of a machine name are also versions and interfaces.
const SHORTEST_HOST: usize = 4;
/// Shorter numbers are counts.
const SHORTEST_SERIAL: usize = 5;

/// Known name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub kind: String,
    /// Spelling from which the pseudonym is made.
    pub name: String,
}

/// Names in lower case with their kinds: full names, their first parts, and other spellings of addresses.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: BTreeMap<String, Known>,
    /// Lengths of names, longest first.
    lengths: Vec<usize>,
    /// Names of Services, which are no machines although they are hosts.
    services: BTreeSet<String>,
}

impl Names {
    /// Adds the names of another bundle; the first kind of a name is kept.
    pub fn extend(&mut self, others: Self) {
        others.names.into_iter().for_each(|(spelling, known)| self.insert(&spelling, &known.kind, &known.name));
        self.services.extend(others.services);
    }

    /// Collects names from nodes, objects that are machines, and fields that name a machine.
    pub fn of(analysis: &Analysis) -> Self {
        let mut known = Self::default();
        if let Some(inventory) = &analysis.inventory {
            known.identities(&inventory.identities);
            inventory.nodes.items.iter().for_each(|node| known.add(&node.name));
            inventory.machines.items.iter().for_each(|machine| known.add(&machine.name));
        }
        analysis.bundle.nodes.iter().for_each(|node| known.add(&node.name));
        let cluster = analysis.bundle.cluster_name.iter().filter(|name| !public::is_generic(name));
        cluster.for_each(|name| known.insert(name, "cluster", name));
        for finding in &analysis.findings {
            finding
                .objects
                .iter()
                .filter(|object| is_machine(&object.kind))
                .for_each(|machine| known.add(&machine.name));
            finding.evidence.iter().for_each(|piece| known.of_evidence(piece));
        }
        known
    }

    /// Adds what the objects of a bundle say about machines.
    pub fn identities(&mut self, identities: &Identities) {
        let Identities { hosts, serials, services } = identities;
        self.services.extend(services.iter().map(|name| name.to_ascii_lowercase()));
        hosts.iter().for_each(|name| self.add(name));
        serials.iter().for_each(|number| self.serial(number));
    }

    fn of_evidence(&mut self, piece: &Evidence) {
        if let (Some(field), Some(value)) = (&piece.field, piece.field_value()) {
            self.field(field, value);
        }
    }

    /// Adds the value of a field that names a machine; `field` is its path or its last part.
    pub fn field(&mut self, field: &str, value: &str) {
        let key = field.rsplit_once('.').map_or(field, |(_, key)| key);
        let key = field.rsplit_once("[\"").map_or(key, |(_, key)| key.trim_end_matches("\"]"));
        let is_name = value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
        if names_host(key) && is_name {
            self.add(value);
        } else if names_serial(key) {
            self.serial(value);
        }
    }

    /// Adds what a text says by itself: machines by their place, addresses, domains and serial numbers.
    pub fn learn(&mut self, text: &str) {
        self.learn_within(text, encoded::DEEPEST);
    }

    fn learn_within(&mut self, text: &str, deepest: usize) {
        let text = &without_sequences(text);
        segments(text).for_each(|(_, part)| self.learn_part(part));
        if deepest > 0 {
            encoded::words(text).for_each(|word| self.learn_within(&word.meaning, deepest - 1));
        }
    }

    fn learn_part(&mut self, text: &str) {
        let word = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
        for name in position::hosts(text).into_iter().map(word) {
            if self.is_telling(name) {
                self.add(name);
            }
        }
        position::serials(text).into_iter().map(word).for_each(|number| self.serial(number));
        let addresses = [address::hardware(text), address::v6(text), address::v4(text)];
        addresses.iter().flatten().for_each(|found| self.address(found));
        position::directories(text).iter().for_each(|(_, name)| self.domain(name));
        let sure = |place: &Place<'_>| place.is_whole && Dotted::of(place.word) == Dotted::Private;
        position::dotted(text).filter(sure).for_each(|place| self.domain(place.word));
    }

    /// Returns true if a word in the place of a machine name is one wherever it stands: words without digit and dash
    /// are also words of sentences.
    fn is_telling(&self, name: &str) -> bool {
        let is_version = name.strip_prefix('v').unwrap_or(name).starts_with(|c: char| c.is_ascii_digit());
        let marked = name.contains(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        marked && name.len() >= SHORTEST_HOST && !is_version && self.is_host(name) && Dotted::of(name) != Dotted::Public
    }

    /// Returns true if a word in the place of a machine name is no service, number or word of a sentence.
    pub fn is_host(&self, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        !public::is_no_host(name) && !public::is_of_product(&lower) && !self.services.contains(&lower)
    }

    fn address(&mut self, found: &Found) {
        for spelling in address::spellings(found) {
            self.insert(&spelling, found.kind, &found.name);
        }
    }

    /// Adds a domain of a customer: what ends in it is of the customer, too.
    fn domain(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        dotted::registered(&name).into_iter().for_each(|domain| self.insert(domain, DNS, domain));
    }

    fn serial(&mut self, number: &str) {
        let is_number = number.len() >= SHORTEST_SERIAL && number.bytes().any(|b| b.is_ascii_digit());
        if is_number && number.parse::<IpAddr>().is_err() {
            self.insert(number, SERIAL, number);
        }
    }

    /// Adds the name of an object: as a machine if its kind is one, else under its own kind.
    pub fn object(&mut self, kind: &str, name: &str) {
        if is_machine(kind) {
            self.add(name);
        } else if !public::is_generic(name) {
            self.insert(name, &kind.to_ascii_lowercase(), name);
        }
    }

    fn add(&mut self, name: &str) {
        if public::is_generic(name) || name.parse::<IpAddr>().is_ok() {
            return;
        }
        let first = name.split_once('.').map(|(first, _)| first).filter(|first| !public::is_no_host(first));
        for name in first.into_iter().chain([name]) {
            self.insert(name, HOST, name);
            // As in names of metrics and variables.
            if name.contains('-') {
                self.insert(&name.replace('-', "_"), HOST, name);
            }
        }
    }

    /// Inserts a spelling of a name; its first kind is kept.
    fn insert(&mut self, spelling: &str, kind: &str, name: &str) {
        let known = || Known { kind: kind.to_owned(), name: name.to_ascii_lowercase() };
        self.names.entry(spelling.to_ascii_lowercase()).or_insert_with(known);
        if let Err(at) = self.lengths.binary_search_by(|length| spelling.len().cmp(length)) {
            self.lengths.insert(at, spelling.len());
        }
    }

    /// Returns what is known of a name in lower case.
    pub fn get(&self, name: &str) -> Option<&Known> {
        self.names.get(name)
    }

    /// Returns true if a name, in lower case, is one of a machine.
    pub fn has_host(&self, name: &str) -> bool {
        self.get(name).is_some_and(|known| known.kind == HOST)
    }

    /// Returns true if a name, in lower case, is below a domain of the customer.
    pub fn has_domain(&self, name: &str) -> bool {
        let below = name.match_indices('.').filter_map(|(at, _)| name.get(at + 1..));
        std::iter::once(name).chain(below).any(|domain| self.get(domain).is_some_and(|known| known.kind == DNS))
    }

    /// Returns the end of the longest name at a place in the lower-case text.
    pub fn at(&self, text: &str, start: usize) -> Option<usize> {
        self.lengths.iter().find_map(|length| {
            let end = start + length;
            let ends = text.as_bytes().get(end).is_none_or(|b| !b.is_ascii_alphanumeric());
            (ends && text.get(start..end).is_some_and(|part| self.names.contains_key(part))).then_some(end)
        })
    }
}
