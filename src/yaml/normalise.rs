//! Normalisation of documents: corrects peculiarities of collectors and marks secrets, once, after reading.

use std::borrow::Cow;

use super::Node;
use super::document::Document;
use super::scalar::windows_time;
use super::tape::{Kind, Raw};
use crate::model::secret::{self, Beginnings};

/// Peculiarities of the writer of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// support-bundle-kit: empty strings became `"null"`, strings ending in a quote gained `null`.
    Kit,
    /// Other writers: only an empty string is absent.
    Plain,
}

/// Normalises a document in place:
///
/// * Empty strings are absent, in [`Dialect::Kit`] also the string `null`. Inside a sequence empty strings are
///   kept, because the core group of `apiGroups: [""]` is a value.
/// * In [`Dialect::Kit`] `null` is removed from the end of a string that ends in `"null`.
/// * Entries of `managedFields` keep `manager`, `operation`, `time`, and of `fieldsV1` the names of its parts (`f:spec`).
/// * Mappings `conditions` under `status` that hold conditions become lists (longhorn.io/v1beta1).
/// * Times as Windows writes them in JSON (`/Date(1741252530000)/`) become RFC 3339.
/// * Secrets inside of texts become `***` ([`secret::redact`]), so that no other module can show them.
/// * Secrets are marked: `data` and `stringData` of Secrets, values under secret keys
///   ([`secret::is_secret`]) and values of environment variables with such names.
pub fn normalise(document: &mut Document, dialect: Dialect) {
    let roots = document.tape.roots.clone();
    let beginnings = [Beginnings::of(document.text()), Beginnings::of(&document.tape.arena)];
    let mut mender = Mender { document, dialect, beginnings };
    for root in roots {
        mender.node(root, Place::default());
    }
}

/// Shortest key that is searched for secrets, such as a password in an address.
const SHORTEST_KEY: usize = 16;

/// Facts about a node from the collections around it.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    in_sequence: bool,
    in_status: bool,
    /// True if the items are Secrets, or the mapping is one according to its list.
    of_secret_list: bool,
    /// True inside of a Secret's values: they are secrets as a whole, and stay for rules that decode them.
    of_secret: bool,
}

/// Part of a Secret that a key holds.
enum SecretContent {
    Data,
    Metadata,
}

impl SecretContent {
    fn of(key: &str) -> Option<Self> {
        match key {
            "data" | "stringData" => Some(Self::Data),
            "metadata" => Some(Self::Metadata),
            _ => None,
        }
    }
}

struct Mender<'d> {
    document: &'d mut Document,
    dialect: Dialect,
    /// Where secrets may begin in the text, and in the arena.
    beginnings: [Beginnings; 2],
}

impl Mender<'_> {
    fn view(&self, index: u32) -> Node<'_> {
        Node::new(self.document, index)
    }

    fn kind(&self, index: u32) -> Kind {
        self.view(index).kind()
    }

    /// Recursion is bounded, because readers refuse documents deeper than [`super::tape::MAX_DEPTH`].
    fn node(&mut self, index: u32, place: Place) {
        match self.kind(index) {
            Kind::String => self.string(index, place),
            Kind::Sequence => self.sequence(index, place),
            Kind::Mapping => self.each_entry(index, |mender, key, value| mender.entry(index, key, value, place)),
            Kind::Null | Kind::Bool | Kind::Number => {}
        }
    }

    fn string(&mut self, index: u32, place: Place) {
        let text = self.view(index).text();
        let length = text.len() as u32;
        let empty = text.is_empty() || (self.dialect == Dialect::Kit && text == "null");
        let gained = self.dialect == Dialect::Kit && text.ends_with("\"null");
        match (empty, place.in_sequence) {
            (true, true) => self.document.shorten(index, length),
            (true, false) => self.document.make_null(index),
            (false, _) if gained => {
                self.document.shorten(index, 4);
                self.redact(index);
            }
            (false, _) if place.of_secret => {}
            (false, _) => match windows_time(text) {
                Some(time) => self.document.replace(index, &time),
                None => self.redact(index),
            },
        }
    }

    fn redact(&mut self, index: u32) {
        let (home, part, beginnings) = self.document.home_of(index, &self.beginnings);
        if let Cow::Owned(redacted) = beginnings.redact(home, part) {
            let holds_key =
                secret::opens_key(self.view(index).text().as_bytes()) || redacted.contains("PRIVATE KEY-----\n");
            self.document.replace_masked(index, &redacted);
            if holds_key {
                self.document.mark_secret(index);
            }
        }
    }

    fn sequence(&mut self, index: u32, place: Place) {
        let end = self.document.tape.end(index);
        let (mut item, mut before) = (index + 1, None);
        while item < end {
            let behind = self.document.tape.end(item);
            let is_argument = before.is_some_and(|option| self.is_argument(option, item));
            before = self.is_option(item).then_some(item);
            self.node(item, Place { in_sequence: true, ..place });
            if is_argument {
                self.hide(item);
            }
            item = behind;
        }
    }

    fn is_option(&self, item: u32) -> bool {
        self.kind(item) == Kind::String && self.view(item).text().starts_with('-')
    }

    /// Returns true if an item of a list is the value of a secret option before it.
    fn is_argument(&self, option: u32, value: u32) -> bool {
        self.kind(value).is_scalar() && secret::is_argument(self.view(option).text(), self.view(value).text())
    }

    /// Calls a function for the nodes of each key and its value.
    fn each_entry(&mut self, mapping: u32, mut call: impl FnMut(&mut Self, u32, u32)) {
        if self.kind(mapping) != Kind::Mapping {
            return;
        }
        let end = self.document.tape.end(mapping);
        let mut key = mapping + 1;
        while key < end {
            let value = self.document.tape.end(key);
            if value >= end {
                return;
            }
            let behind = self.document.tape.end(value);
            if !self.document.tape.nodes[key as usize].has(Raw::HIDDEN) {
                call(self, key, value);
            }
            key = behind;
        }
    }

    fn entry(&mut self, mapping: u32, key: u32, value: u32, place: Place) {
        let name = self.view(key).text();
        let is_conditions = name == "conditions";
        let content = SecretContent::of(name).filter(|_| place.of_secret_list || self.is_kind(mapping, "Secret"));
        let below = Place {
            in_sequence: false,
            in_status: place.in_status || name == "status",
            of_secret_list: false,
            of_secret: place.of_secret || matches!(content, Some(SecretContent::Data)),
        };
        match name {
            "managedFields" if self.kind(value) == Kind::Sequence => return self.cut_managed_fields(value),
            "items" if self.is_kind(mapping, "SecretList") => {
                return self.node(value, Place { of_secret_list: true, ..below });
            }
            _ => {}
        }
        let secret = self.is_secret(mapping, name, value);
        let is_around_secret = self.kind(value) == Kind::Mapping && secret::names_secret(name);
        // Keys of other lengths are shorter than any secret.
        if name.len() >= SHORTEST_KEY {
            self.redact(key);
        }
        self.node(value, below);
        if secret {
            self.hide_all(value);
        }
        if is_around_secret {
            self.hide_values(value);
        }
        match content {
            Some(SecretContent::Data) => self.each_entry(value, |mender, _, scalar| mender.mark(scalar)),
            Some(SecretContent::Metadata) => self.mark_repetition(value),
            None => {}
        }
        if is_conditions && place.in_status && self.holds_conditions(value) {
            self.document.make_sequence(value);
        }
    }

    fn is_kind(&self, mapping: u32, kind: &str) -> bool {
        self.view(mapping).str_at(&["kind"]).is_some_and(|found| found.eq_ignore_ascii_case(kind))
    }

    fn is_secret(&self, mapping: u32, key: &str, value: u32) -> bool {
        if key == "list" && self.is_login_list(mapping, value) {
            return true;
        }
        match self.kind(value) {
            Kind::Mapping => false,
            Kind::Sequence => self.holds_secrets(key, value),
            _ => {
                let text = self.view(value).text();
                secret::is_secret(key, text)
                    || key.eq_ignore_ascii_case("value") && self.is_of_secret(mapping, text)
                    || key.ends_with("/applied") && secret::holds_packed_secret(text)
            }
        }
    }

    /// Returns true if a `value` belongs to a name of a secret: of a variable, a pair of key and value, or a setting.
    fn is_of_secret(&self, mapping: u32, value: &str) -> bool {
        let names: [&[&str]; 4] = [&["name"], &["Name"], &["key"], &["metadata", "name"]];
        names.iter().any(|path| self.view(mapping).str_at(path).is_some_and(|name| secret::is_secret(name, value)))
    }

    /// Returns true if a list holds secrets only: `tokens: [x, y]`.
    fn holds_secrets(&self, key: &str, list: u32) -> bool {
        let list = self.view(list);
        !list.is_empty() && list.items().all(|item| item.kind().is_scalar() && secret::is_secret(key, item.text()))
    }

    /// Returns true for the list of users and passwords in `chpasswd` of cloud-init.
    fn is_login_list(&self, mapping: u32, list: u32) -> bool {
        let is_login = |line: &str| line.trim().split_once(':').is_some_and(|(user, _)| !user.contains([' ', '/']));
        let list = self.view(list);
        // One login is enough: comments and empty lines stand between them.
        let has_login = list.items().any(|item| is_login(item.text())) || list.text().lines().any(is_login);
        has_login && self.view(mapping).entries().all(|(key, _)| matches!(&*key, "list" | "expire" | "users"))
    }

    /// Hides the values of a mapping under a secret key: `password: {value: x}`. References to Secrets and schemas are shown.
    fn hide_values(&mut self, mapping: u32) {
        let entries = self.view(mapping).entries().filter(|(key, value)| secret::is_secret_below(key, value.text()));
        let values: Vec<u32> = entries.map(|(_, value)| value.index()).collect();
        values.into_iter().for_each(|value| self.hide(value));
    }

    fn hide_all(&mut self, value: u32) {
        let items: Vec<u32> = self.view(value).items().map(Node::index).collect();
        items.into_iter().chain([value]).for_each(|scalar| self.hide(scalar));
    }

    fn mark(&mut self, scalar: u32) {
        let node = self.view(scalar);
        // Annotations such as `no-default-token: "true"` hold booleans in quotes.
        if matches!(node.kind(), Kind::String | Kind::Number) && !matches!(node.text(), "" | "true" | "false") {
            self.document.mark_secret(scalar);
        }
    }

    /// Marks a value that is a secret by its key and removes it; values of Secrets stay for rules that decode them.
    fn hide(&mut self, scalar: u32) {
        self.mark(scalar);
        if self.view(scalar).is_secret() {
            self.document.replace(scalar, secret::MASK);
        }
    }

    /// Marks the annotation that repeats a Secret's values.
    fn mark_repetition(&mut self, metadata: u32) {
        let keys = ["annotations", "kubectl.kubernetes.io/last-applied-configuration"];
        if let Some(repeated) = self.view(metadata).path(&keys).map(Node::index) {
            self.mark(repeated);
        }
    }

    fn cut_managed_fields(&mut self, list: u32) {
        let items: Vec<u32> = self.view(list).items().map(Node::index).collect();
        for item in items {
            self.each_entry(item, |mender, key, value| match mender.view(key).text() {
                "manager" | "operation" | "time" => {}
                "fieldsV1" => mender.each_entry(value, |mender, _, part| {
                    mender.each_entry(part, |mender, key, _| mender.document.hide_entry(part, key));
                }),
                _ => mender.document.hide_entry(item, key),
            });
        }
    }

    /// Returns true if it is a mapping of conditions by their type.
    fn holds_conditions(&self, index: u32) -> bool {
        let node = self.view(index);
        node.kind() == Kind::Mapping && node.entries().all(|(_, condition)| condition.get("status").is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrected(text: &str, dialect: Dialect) -> Document {
        let (mut document, problems) = super::super::parse(text.as_bytes().to_vec());
        assert_eq!(problems, []);
        normalise(&mut document, dialect);
        document
    }

    fn shown(text: &str, dialect: Dialect) -> String {
        corrected(text, dialect).roots().map(|root| format!("{root:?}")).collect()
    }

    #[test]
    fn empty_strings_of_the_kit() {
        let text = "a: \"null\"\nb: \"\"\nc: null\nd: nullable\ne: [\"null\", \"\", x]\nf: {g: \"null\"}\n";
        let expected = r#"{"a": null, "b": null, "c": null, "d": "nullable", "e": ["", "", "x"], "f": {"g": null}}"#;
        assert_eq!(shown(text, Dialect::Kit), expected);
    }

    #[test]
    fn other_collectors_mean_null_when_they_say_null() {
        let text = "a: \"null\"\nb: ''\nc: ['', 'null']\nd: 'x\"null'\n";
        assert_eq!(shown(text, Dialect::Plain), r#"{"a": "null", "b": null, "c": ["", "null"], "d": "x\"null"}"#);
    }

    #[test]
    fn texts_that_ended_in_a_quote() {
        let text = "m: Pulling image \"a:b\"null\nn:\n- 'say \"x\"null'\no: \"\\\"null\"\n";
        assert_eq!(shown(text, Dialect::Kit), r#"{"m": "Pulling image \"a:b\"", "n": ["say \"x\""], "o": "\""}"#);
    }

    #[test]
    fn managed_fields_keep_who_changed_which_part_when() {
        let text = "metadata:\n  managedFields:\n  - apiVersion: v1\n    fieldsV1: {'f:data': {'f:a': {}, 'f:b': {}}, 'f:metadata': {}}\n    manager: kubectl\n    operation: Update\n    time: \"2024\"\n  name: x\n";
        let document = corrected(text, Dialect::Kit);
        let root = document.roots().next().unwrap();
        let fields = root.path(&["metadata", "managedFields"]).unwrap().at(0).unwrap();
        let parts = r#""fieldsV1": {"f:data": {}, "f:metadata": {}}"#;
        assert_eq!(
            format!("{fields:?}"),
            format!("{{{parts}, {}", r#""manager": "kubectl", "operation": "Update", "time": "2024"}"#)
        );
        assert_eq!((fields.len(), fields.get("apiVersion").is_none()), (4, true));
        assert_eq!(root.str_at(&["metadata", "name"]), Some("x"));
    }

    #[test]
    fn condition_maps_read_as_lists() {
        let text = "status:\n  conditions:\n    Ready: {status: 'True', type: Ready, reason: \"null\"}\n    Schedulable: {status: 'False', type: Schedulable}\n  diskStatus:\n    d1: {conditions: {}}\n";
        let document = corrected(text, Dialect::Kit);
        let status = document.roots().next().unwrap().get("status").unwrap();
        let conditions = status.get("conditions").unwrap();
        assert_eq!((conditions.kind(), conditions.len()), (Kind::Sequence, 2));
        assert_eq!(conditions.at(1).unwrap().str_at(&["type"]), Some("Schedulable"));
        assert!(conditions.at(0).unwrap().get("reason").unwrap().is_null());
        assert_eq!(status.path(&["diskStatus", "d1", "conditions"]).unwrap().kind(), Kind::Sequence);
    }

    #[test]
    fn other_mappings_named_conditions_stay() {
        for text in [
            "spec: {conditions: {a: {status: x}}}",
            "status: {conditions: {a: 1}}",
            "status: {conditions: {a: {b: 1}}}",
        ] {
            assert_eq!(shown(text, Dialect::Kit), format!("{{\"{}", &shown(text, Dialect::Plain)[2..]));
            let document = corrected(text, Dialect::Kit);
            let (_, outer) = document.roots().next().unwrap().entries().next().unwrap();
            assert_eq!(outer.get("conditions").unwrap().kind(), Kind::Mapping);
        }
    }

    #[test]
    fn secrets_are_marked() {
        let text = "items:\n- kind: Secret\n  data: {a: 'eHl6', b: \"two\\nlines\"}\n  metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}, name: n}\n- kind: ConfigMap\n  data: {a: open, rootPassword: x1}\n- env: [{name: DB_TOKEN, value: x2}, {name: HOME, value: open}]\n  automountServiceAccountToken: false\n  token: \"null\"\n";
        let document = corrected(text, Dialect::Kit);
        let masked: Vec<&str> = document.secret_ranges().into_iter().map(|range| &text[range]).collect();
        assert_eq!(masked, ["'eHl6'", "\"two\\nlines\"", "'{}'", "x1", "x2"]);
        let first = document.roots().next().unwrap().get("items").unwrap().at(0).unwrap();
        assert!(first.path(&["data", "a"]).unwrap().is_secret());
        assert_eq!(first.str_at(&["data", "a"]), Some("eHl6"));
        assert!(!format!("{first:?}").contains("eHl6"));
    }

    #[test]
    fn lists_of_logins_are_masked_and_other_lists_are_not() {
        for (text, masked) in [
            ("chpasswd:\n  list: |\n    # of the nodes\n\n    root:x1\n    bob:x2\n  expire: false\n", 1),
            ("chpasswd: {list: ['root:x1', 'bob:x2']}\n", 2),
            ("data: {list: 'no,yes'}\n", 0),
            ("data: {list: [no, yes]}\n", 0),
            ("data: {list: 'root:x1', more: y}\n", 0),
        ] {
            assert_eq!(corrected(text, Dialect::Kit).secret_ranges().len(), masked, "{text}");
        }
    }

    #[test]
    fn items_of_a_secret_list_need_no_kind() {
        let document = corrected("{\"kind\": \"SecretList\", \"items\": [{\"data\": {\"a\": \"b\"}}]}", Dialect::Plain);
        assert_eq!(document.secret_ranges().len(), 1);
    }
}
