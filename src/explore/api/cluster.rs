//! A bundle as clients see it: its objects, types and texts, under the names that are shown.

use std::borrow::Cow;

use super::served_types::ServedTypes;
use crate::bundle::Bundle;
use crate::explore::object::{self, View};
use crate::explore::opened::Opened;
use crate::explore::redaction::Redaction;
use crate::explore::types::TypeCatalogue;
use crate::pipeline::BundleTexts;
use crate::resource::{Resource, scalar_at};

/// A bundle as a cluster that can only be read.
pub struct Api<'b> {
    pub(super) opened: Opened<'b>,
    pub(super) types: ServedTypes,
    /// None if names are shown.
    redaction: Option<Redaction>,
    texts: BundleTexts<'b>,
    revision: String,
}

impl<'b> Api<'b> {
    /// Reads the objects of a bundle. With pseudonyms, all of them are looked through for names.
    pub fn read(bundle: &'b Bundle, redaction: Option<Redaction>) -> Self {
        let opened = Opened::read(bundle, &());
        let texts = BundleTexts::list(bundle);
        if let Some(redaction) = &redaction {
            learn(&opened, redaction);
            texts.texts.iter().filter_map(|text| text.source.node()).for_each(|node| redaction.learn_node(node));
        }
        let types = ServedTypes::of(opened.resources(), &TypeCatalogue::of(opened.resources()));
        let revision = revision(&opened).to_string();
        Self { opened, types, redaction, texts, revision }
    }

    /// Returns all texts of the bundle.
    pub fn texts(&self) -> &BundleTexts<'b> {
        &self.texts
    }

    /// Returns what replaces names, unless they are shown.
    pub fn redaction(&self) -> Option<&Redaction> {
        self.redaction.as_ref()
    }

    /// Returns a text of the bundle as it is shown.
    pub fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redaction.as_ref().map_or(Cow::Borrowed(text), |redaction| Cow::Owned(redaction.redacted(text)))
    }

    /// Returns the version of all lists: no object is newer.
    pub(super) fn revision(&self) -> &str {
        &self.revision
    }

    pub(super) fn viewed<T>(&self, answer: impl FnOnce(&View<'_>) -> T) -> T {
        match &self.redaction {
            None => answer(&View::default()),
            Some(redaction) => answer(&View { redact: Some(&|text| redaction.redacted(text)), managed_fields: false }),
        }
    }

    /// Returns the name in the bundle of what a client calls so: that of a pod or a namespace.
    pub(super) fn in_bundle(&self, name: &str) -> String {
        let pods = self.texts.texts.iter().filter_map(|text| text.source.pod());
        let mut names = pods.flat_map(|(namespace, pod)| [namespace, pod]).filter(|_| self.redaction.is_some());
        names.find(|known| self.shown(known) == name).unwrap_or(name).to_owned()
    }
}

/// Learns the names that objects say, and the cells of rows.
fn learn(opened: &Opened<'_>, redaction: &Redaction) {
    let listen = |text: &str| {
        redaction.learn(text);
        String::new()
    };
    let view = View { redact: Some(&listen), managed_fields: false };
    let resources = opened.resources();
    let all = resources.types().iter().flat_map(|type_| resources.each(resources.of_type(type_)));
    for resource in all {
        view.object(resource);
        let cells = resource.cells().into_iter().flat_map(|cells| cells.entries().map(|(_, cell)| cell));
        cells.for_each(|cell| redaction.learn(object::shown(cell)));
    }
}

/// Returns the highest version of an object.
fn revision(opened: &Opened<'_>) -> u64 {
    let resources = opened.resources();
    let all = resources.types().iter().flat_map(|type_| resources.each(resources.of_type(type_)));
    let version = |resource: &Resource| scalar_at(resource.body(), &["metadata", "resourceVersion"])?.parse().ok();
    all.filter_map(version).max().unwrap_or(1)
}
