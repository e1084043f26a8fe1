//! Pseudonyms in answers: the same as in the reports of the bundle.

use std::sync::{Mutex, PoisonError};

use crate::bundle::Bundle;
use crate::pipeline::{self, Options};
use crate::redact::{self, Key, Names, Redactor};
use crate::rule::RuleSet;

/// Replaces names in texts of one bundle.
pub struct Redaction {
    key: Key,
    names: Mutex<Names>,
}

impl Redaction {
    /// Learns the names that the objects of a bundle state; without a key, takes the one that its reports have.
    pub fn of(bundle: &Bundle, key: Option<Key>) -> Self {
        let options = Options { identity: true, inventory: true, identities: true, ..Options::default() };
        let analysis = pipeline::analyze(bundle, &RuleSet::default(), options, &());
        let key = key.unwrap_or_else(|| Key::of_bundle(&analysis.bundle.content_id));
        let names = Mutex::new(redact::learned(&analysis, &key));
        Self { key, names }
    }

    /// Learns the names that a text says by itself. All texts of an answer are learned before the first of them is replaced.
    pub fn learn(&self, text: &str) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).learn(text);
    }

    /// Returns a text with pseudonyms.
    pub fn redacted(&self, text: &str) -> String {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        Redactor::new(&self.key, &names).redacted(text)
    }
}
