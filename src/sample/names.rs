//! Names in a sample and their replacements: numbered, of the same form, from ranges that are reserved for
//! examples. So patterns and functions of rules still see an address in place of an address.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::content::Content;
use crate::bundle::{Bundle, Role};
use crate::model::Analysis;
use crate::pipeline::{self, Options};
use crate::redact::{DNS, HOST, Names, Pseudonyms, SERIAL};
use crate::resource::ResourceIndex;
use crate::rule::RuleSet;

/// Kinds of names that identify the cluster's owner.
const PRIVATE: [&str; 9] = ["cluster", DNS, HOST, "ip", "iqn", "mac", "mail", SERIAL, "wwn"];

/// Returns true if names of a kind are of machines, networks or people, not of objects of the cluster.
pub fn is_private(kind: &str) -> bool {
    PRIVATE.contains(&kind)
}

/// Published words.
pub struct Published<'p> {
    words: BTreeSet<&'p str>,
}

impl<'p> Published<'p> {
    pub fn of(text: &'p str) -> Self {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        Self { words: text.split(|c| !is_part(c)).map(|word| word.trim_matches(['-', '.'])).collect() }
    }

    fn has(&self, name: &str) -> bool {
        self.words.contains(name) || self.words.contains(name.replace('-', ".").as_str())
    }

    /// Returns the longest published beginning of a name: `longhorn-manager` of `longhorn-manager-x7k2p`. A single word
    /// counts only for a pod, such as `etcd`.
    fn beginning<'n>(&self, kind: &str, name: &'n str) -> Option<&'n str> {
        let ends = name.rmatch_indices('-').map(|(at, _)| at);
        let says = |part: &&str| part.contains('-') || kind == "pod";
        ends.filter_map(|end| name.get(..end)).filter(says).find(|part| self.has(part))
    }
}

/// Returns all names to be replaced: those of the objects, machines and pods of the whole bundle, because the content
/// may mention any of them, and names that the fields of the content show.
pub fn names_to_replace(bundle: &Bundle, analysis: &Analysis, content: &Content) -> Names {
    let mut names = Names::of(analysis);
    // If several objects have a name, the kind that the content shows counts.
    content.files.iter().flat_map(|file| &file.parts).for_each(|part| add_names(&mut names, "", "", part));
    let input = pipeline::prepare(bundle, &RuleSet::default(), Options::default(), &());
    add_objects(&mut names, bundle, &input.world.resources);
    names
}

/// Adds the names of all objects of a bundle, and of pods with logs.
pub fn add_objects(names: &mut Names, bundle: &Bundle, resources: &ResourceIndex) {
    for entry in bundle.entries() {
        if let Role::PodLog { namespace, pod, .. } = &entry.role {
            add(names, "Namespace", namespace);
            add(names, "Pod", pod);
        }
    }
    for type_ in resources.types() {
        for id in resources.of_type(type_) {
            let found = resources.resource(*id);
            found.namespace.iter().for_each(|namespace| add(names, "Namespace", namespace));
            add(names, &found.kind, &found.name);
        }
    }
}

fn add(names: &mut Names, kind: &str, name: &str) {
    // Names with dots are recognised by their domain.
    let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if is_word && name.contains(|c: char| c.is_ascii_alphabetic()) {
        names.object(kind, name);
    }
}

/// Finds names by the keys of their values; `key` is that of the value, `around` the one above it.
pub fn add_names(names: &mut Names, around: &str, key: &str, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_names(names, around, key, item)),
        Value::Object(fields) => {
            let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
            if let Some(kind) = text(fields.get("kind")) {
                let of = fields.get("metadata").and_then(|metadata| metadata.get("name")).or(fields.get("name"));
                text(of).into_iter().for_each(|name| add(names, &kind, &name));
            }
            fields.iter().for_each(|(inner, value)| add_names(names, key, inner, value));
        }
        Value::String(text) => {
            names.field(key, text);
            text.lines().for_each(|line| names.learn(line));
            if key.ends_with("amespace") {
                add(names, "Namespace", text);
            } else if key == "name" {
                // `containers: [{name: web}]`, `containerStatuses: [{name: web}]`, `configMapRef: {name: web}`
                let endings = ["Ref", "Statuses", "s"];
                let kind = endings.iter().find_map(|ending| around.strip_suffix(ending)).unwrap_or(around);
                add(names, if matches!(kind, "" | "metadata") { "name" } else { kind }, text);
            } else if let Some(kind) = key.strip_suffix("Name") {
                add(names, kind, text);
            }
        }
        _ => {}
    }
}

/// Kind of UIDs, which identify tickets and clusters.
pub const UID: &str = "uid";

/// Replaces UIDs in a text, also within words: `pvc-5f6c1f5e-...`, `pod5f6c1f5e_...`.
pub fn other_uids(text: &str, names: &dyn Pseudonyms) -> String {
    const LENGTH: usize = 36;
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    let is_uid = |word: &str| {
        word.bytes().enumerate().all(|(at, byte)| match DASHES.contains(&at) {
            true => matches!(byte, b'-' | b'_'),
            false => byte.is_ascii_hexdigit(),
        })
    };
    let (mut out, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices(['-', '_']) {
        let Some(start) = at.checked_sub(8).filter(|start| *start >= done) else { continue };
        let Some(word) = text.get(start..start + LENGTH).filter(|word| is_uid(word)) else { continue };
        let Some(other) = names.of(UID, &word.to_ascii_lowercase().replace('_', "-")) else { continue };
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push_str(&if word.contains('_') { other.replace('-', "_") } else { other });
        done = start + LENGTH;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Numbers names in the order in which they occur.
pub struct Numbered<'n> {
    published: &'n Published<'n>,
    /// Names that stay.
    keep: BTreeSet<String>,
    given: RefCell<Given>,
}

#[derive(Default)]
struct Given {
    /// By kind and name.
    names: BTreeMap<(String, String), String>,
    /// Replacements, which stay if they occur again.
    values: BTreeSet<String>,
    counts: BTreeMap<String, usize>,
    kept: BTreeSet<String>,
}

impl<'n> Numbered<'n> {
    pub fn new(published: &'n Published<'n>, keep: BTreeSet<String>) -> Self {
        Self { published, keep, given: RefCell::default() }
    }

    /// Returns the number of replaced names by kind.
    pub fn replaced(&self) -> Vec<(String, String)> {
        self.given.borrow().names.keys().cloned().collect()
    }

    /// Returns the names to keep that occurred.
    pub fn kept(&self) -> Vec<String> {
        self.given.borrow().kept.iter().cloned().collect()
    }
}

impl Pseudonyms for Numbered<'_> {
    fn of(&self, kind: &str, name: &str) -> Option<String> {
        let mut given = self.given.borrow_mut();
        // A published name of an object stays; a machine's name is the customer's even if it is a published word.
        if !is_private(kind) && self.published.has(name) {
            return None;
        }
        if self.keep.contains(name) {
            given.kept.insert(name.to_owned());
            return None;
        }
        if given.values.contains(name) {
            return None;
        }
        let key = (kind.to_owned(), name.to_owned());
        if let Some(known) = given.names.get(&key) {
            return Some(known.clone());
        }
        let stem = if is_private(kind) { kind } else { self.published.beginning(kind, name).unwrap_or(kind) };
        let family = if kind == "ip" && name.contains(':') { "ip6" } else { stem };
        let count = given.counts.entry(family.to_owned()).or_default();
        *count += 1;
        let value = example(family, *count);
        given.values.insert(value.clone());
        given.names.insert(key, value.clone());
        Some(value)
    }
}

/// Returns the name with a number, from RFC 5737 and 2544, RFC 3849 and RFC 2606, or locally administered hardware addresses.
fn example(family: &str, number: usize) -> String {
    let (high, low) = (number / 254, number % 254 + 1);
    match family {
        "ip" => match high {
            0 => format!("192.0.2.{low}"),
            1 => format!("198.51.100.{low}"),
            2 => format!("203.0.113.{low}"),
            _ => format!("198.{}.{}.{low}", 18 + high / 256 % 2, high % 256),
        },
        "ip6" => format!("2001:db8::{number:x}"),
        "mac" => format!("02:00:00:{:02x}:{:02x}:{:02x}", number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff),
        UID => format!("00000000-0000-4000-8000-{number:012x}"),
        "mail" => format!("user-{number}@example.com"),
        DNS => format!("domain-{number}.example.com"),
        "iqn" => format!("iqn.2001-04.com.example:{number}"),
        "wwn" => format!("0x5{number:015x}"),
        other => format!("{other}-{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;

    #[test]
    fn names_keep_their_form_and_are_the_same_everywhere() {
        let published = Published::of("stream longhorn-manager-* in longhorn-system");
        let numbered = Numbered::new(&published, BTreeSet::from(["10.9.9.9".to_owned()]));
        let mut names = Names::default();
        names.object("Node", "Alpha7");
        names.object("Pod", "longhorn-manager-x7k2p");
        names.object("Namespace", "acme");
        let text = "alpha7 10.1.2.3 fd00:aaaa::17 jo@acme.de s3.acme.de longhorn-manager-x7k2p acme/x 10.9.9.9 00:16:3e:aa:bb:cc ALPHA7";
        let redactor = Redactor::new(&numbered, &names);
        let first = redactor.redacted(text);
        assert_eq!(
            first,
            "host-1 192.0.2.2 2001:db8::1 user-1@example.com domain-1.example.com longhorn-manager-1 namespace-1/x 10.9.9.9 \
             02:00:00:00:00:01 host-1"
        );
        assert_eq!(redactor.redacted(text), first);
        assert_eq!(numbered.kept(), ["10.9.9.9"]);
    }

    #[test]
    fn uids_are_replaced_also_within_words() {
        let published = Published::of("");
        let numbered = Numbered::new(&published, BTreeSet::new());
        let text = "pvc-5F6c1f5e-9a4f-4c07-8b7d-0d2f7f0e4a11, pod5f6c1f5e_9a4f_4c07_8b7d_0d2f7f0e4a11.slice, 5f6c1f5e-9a4f-4c07-8b7d";
        let other = "pvc-00000000-0000-4000-8000-000000000001, pod00000000_0000_4000_8000_000000000001.slice, 5f6c1f5e-9a4f-4c07-8b7d";
        assert_eq!(other_uids(text, &numbered), other);
    }

    #[test]
    fn examples_are_addresses_and_differ() {
        let mut seen = BTreeSet::new();
        for number in 1..5_000 {
            let address = example("ip", number);
            assert!(address.parse::<std::net::Ipv4Addr>().is_ok() && seen.insert(address), "{number}");
        }
    }
}
