//! What is read of a bundle once, for all rules made of it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::bundle::Bundle;
use crate::eval::Input;
use crate::model::BundleKind;
use crate::pipeline;
use crate::rule::{RuleSet, Streams};
use crate::sample::Disguise;
use crate::verify;

/// Streams that have every log: a path says more.
const EVERY_LOG: [&str; 2] = ["containers", "units"];

/// A bundle and what rules about it have in common.
pub struct Known<'b> {
    pub bundle: &'b Bundle,
    pub streams: &'b Streams,
    pub disguise: Disguise<'b>,
    pub input: Input,
    pub kind: BundleKind,
    pub collected_at: Option<Timestamp>,
    /// The stream of each log, by path; the one with the fewest sources.
    pub stream_of: BTreeMap<String, &'b str>,
}

impl<'b> Known<'b> {
    /// Reads the objects of a bundle. `published` are words that are no names of its owner.
    pub fn new(bundle: &'b Bundle, streams: &'b Streams, published: &'b str) -> Self {
        let options = pipeline::Options { inventory: true, identities: true, ..pipeline::Options::default() };
        let (analysis, input) = pipeline::examine(bundle, &RuleSet::default(), options, &());
        Self {
            bundle,
            streams,
            disguise: Disguise::of(bundle, &analysis, &input.world.resources, published),
            input,
            kind: bundle.kind(),
            collected_at: analysis.bundle.collected_at,
            stream_of: stream_of(bundle, streams),
        }
    }

    /// Returns the layout of rule tests for a bundle.
    pub fn layout(&self, path: &str) -> Option<&'static str> {
        let kind = self.kind.as_str();
        let folder = path.split('/').next().unwrap_or_default();
        let of_rancher = [("k3s", "rancher-k3s"), ("kubeadm", "rancher-kubeadm"), ("rke", "rancher-rke1")];
        match of_rancher.iter().find(|(name, _)| kind == "rancher" && *name == folder) {
            Some((_, layout)) => Some(layout),
            None => verify::LAYOUTS.into_iter().find(|layout| *layout == kind && kind != "harvester"),
        }
    }
}

fn stream_of<'s>(bundle: &Bundle, streams: &'s Streams) -> BTreeMap<String, &'s str> {
    let mut found: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for name in streams.names().filter(|name| !EVERY_LOG.contains(name)) {
        let sources = streams.get(name).map(|stream| stream.sources.as_slice()).unwrap_or_default();
        for entry in pipeline::entries_of(bundle, sources) {
            let this = (sources.len(), name);
            found.entry(entry).and_modify(|best| *best = this.min(*best)).or_insert(this);
        }
    }
    found.into_iter().map(|(entry, (_, name))| (entry, name)).collect()
}
