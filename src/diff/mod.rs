//! Compares two bundles of one cluster: findings, versions, configuration, nodes, health of objects, restarts.
//!
//! A [`Snapshot`] copies the compared data of a bundle, so that two bundles need not be in memory at the same time.
//! Data not collected in one bundle, and questions that a rule could not answer, are never reported as changes.

mod configuration;
mod findings;
mod lineage;
mod objects;
mod snapshot;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::difference::{Changed, Difference, Incomparable, Side};
use crate::model::message::Doubt;
use crate::model::{Analysis, BundleFacts, NodeFacts, Novelty, ObjectRef, OlderBundle};

pub use snapshot::Snapshot;

/// Returns the changes from an older bundle to a newer one, both analysed with the same rules.
pub fn compare(old: (&Analysis, &Snapshot), new: (&Analysis, &Snapshot)) -> Difference {
    let (before, after) = (&old.0.bundle, &new.0.bundle);
    let (configuration, configuration_left_out) = configuration::compare(&old.1.configuration, &new.1.configuration);
    Difference {
        configuration,
        configuration_left_out,
        doubts: doubts(before, after),
        versions: versions(before, after),
        nodes: nodes(old, new),
        findings: findings::compare(old, new),
        health: objects::health(old.1, new.1),
        kinds: objects::kinds(old.1, new.1),
        restarts: objects::restarts(old.1, new.1),
        incomparable: incomparable(old.1, new.1),
        old: before.clone(),
        new: after.clone(),
    }
}

/// Marks the findings of a newer bundle that an older one does not have.
pub fn mark(old: (&Analysis, &Snapshot), new: (&mut Analysis, &Snapshot)) {
    let (analysis, snapshot) = new;
    let findings = findings::compare(old, (analysis, snapshot));
    let appeared: BTreeSet<String> = findings.new.iter().map(|finding| finding.fingerprint.clone()).collect();
    let unknown = findings.not_comparable.iter().filter(|it| it.side == Side::New);
    let unknown: BTreeSet<String> = unknown.map(|it| it.finding.fingerprint.clone()).collect();
    analysis.older = Some(OlderBundle {
        path: old.0.bundle.path.clone(),
        collected_at: old.0.bundle.collected_at,
        doubts: doubts(&old.0.bundle, &analysis.bundle),
        new: findings.new.len() as u64,
        gone: findings.gone.len() as u64,
        unknown: findings.not_comparable.len() as u64,
    });
    for finding in &mut analysis.findings {
        finding.novelty = Some(match &finding.fingerprint {
            print if appeared.contains(print) => Novelty::New,
            print if unknown.contains(print) => Novelty::Unknown,
            _ => Novelty::Known,
        });
    }
}

/// Returns reasons why the two may not be an older and a newer bundle of one cluster.
fn doubts(old: &BundleFacts, new: &BundleFacts) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let names = |facts: &BundleFacts| facts.nodes.iter().map(|node| node.name.clone()).collect::<BTreeSet<_>>();
    match (&old.cluster_uid, &new.cluster_uid) {
        (Some(old), Some(new)) if old != new => {
            doubts.push(Doubt::OtherCluster);
        }
        (Some(_), Some(_)) => {}
        _ if names(old).is_disjoint(&names(new)) => {
            doubts.push(Doubt::NoCommonNode);
        }
        _ => {}
    }
    match (&old.collected_at, &new.collected_at) {
        (Some(before), Some(after)) if before > after => {
            doubts.push(Doubt::WrongOrder);
        }
        (Some(_), Some(_)) => {}
        _ => doubts.push(Doubt::UnknownOrder),
    }
    doubts.extend(old.unread.clone().map(|why| Doubt::FirstNotRead { why }));
    doubts.extend(new.unread.clone().map(|why| Doubt::SecondNotRead { why }));
    doubts
}

fn versions(old: &BundleFacts, new: &BundleFacts) -> Vec<Changed> {
    let products: BTreeSet<&String> = old.versions.keys().chain(new.versions.keys()).collect();
    let of = |facts: &BundleFacts, product: &str| facts.versions.get(product).filter(|v| !v.is_empty()).cloned();
    let changed = |product: &String| Changed { name: product.clone(), old: of(old, product), new: of(new, product) };
    products.into_iter().map(changed).filter(|change| change.old != change.new).collect()
}

/// Lists nodes that were added, removed or restarted, or whose readiness or roles changed.
fn nodes(old: (&Analysis, &Snapshot), new: (&Analysis, &Snapshot)) -> Vec<Changed> {
    let (before, after) = (&old.0.bundle.nodes, &new.0.bundle.nodes);
    // Without a list of nodes in both bundles, removed nodes cannot be recognised.
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    let names: BTreeSet<&String> = before.iter().chain(after).map(|node| &node.name).collect();
    let change = |name: &String| {
        let (was, is) = (before.iter().find(|node| node.name == *name), after.iter().find(|node| node.name == *name));
        let rebooted = matches!((boot(old.1, name), boot(new.1, name)), (Some(was), Some(is)) if was != is);
        let told = is.map(words).map(|words| if rebooted { format!("{words}, started again") } else { words });
        Changed { name: name.clone(), old: was.map(words), new: told }
    };
    names.into_iter().map(change).filter(|change| change.old != change.new).collect()
}

fn words(node: &NodeFacts) -> String {
    let ready = match node.ready {
        Some(true) => "ready",
        Some(false) => "not ready",
        None => "readiness unknown",
    };
    if node.roles.is_empty() { ready.to_owned() } else { format!("{ready}, {}", node.roles.join(", ")) }
}

fn boot<'a>(snapshot: &'a Snapshot, node: &str) -> Option<&'a str> {
    snapshot.objects.get(&ObjectRef::new("", "Node", None, node))?.boot.as_deref()
}

/// Lists types not collected in one bundle, or in one of its namespaces, of which the other bundle has objects there.
fn incomparable(old: &Snapshot, new: &Snapshot) -> Vec<Incomparable> {
    let of = |side: Side, lacks: &Snapshot, has: &Snapshot| -> BTreeMap<String, Incomparable> {
        let absent = has.objects.iter().filter(|(object, _)| !lacks.objects.contains_key(*object));
        let lacking = absent.filter_map(|(object, state)| {
            let reason = lacks.missing(&state.type_name, object.namespace.as_deref())?;
            let what = state.type_name.to_string();
            Some((what.clone(), Incomparable { what, side, reason }))
        });
        lacking.collect()
    };
    let all = [of(Side::Old, old, new), of(Side::New, new, old)];
    all.into_iter().flat_map(BTreeMap::into_values).collect()
}
