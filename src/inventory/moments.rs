//! Occurrences in the whole cluster, for the timeline.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::context::{File, InventoryContext, MOST, at, place};
use crate::certificate;
use crate::log::{LogIndex, NodeStart};
use crate::model::inventory::{Moment, MomentKind, Shown, Upgrade};
use crate::model::message::{Happening, UpgradeState, UpgradeVersion};
use crate::model::{ObjectRef, Origin};
use crate::resource::scalar_at;
use crate::resource::{Event, Resource};

const WARNING: &str = "Warning";

/// Lists warnings, node starts, upgrades and certificate expiries by time; if there are too many, the earliest are left
/// out.
pub(super) fn moments(
    look: InventoryContext<'_>,
    logs: &LogIndex,
    files: &[File<'_>],
    upgrades: &[Upgrade],
) -> Shown<Moment> {
    let mut moments = warnings(look);
    moments.extend(boots(logs));
    moments.extend(upgrades.iter().filter_map(upgrade));
    moments.extend(expiries(look));
    moments.extend(files.iter().flat_map(|file| expiries_in(*file)));
    moments.sort_by(|a, b| key(a).cmp(&key(b)));
    // Several files of one node hold the certificate of the same authority.
    moments.dedup_by(|a, b| a.kind == MomentKind::Expiry && key(a) == key(b));
    let left_out = moments.len().saturating_sub(MOST);
    Shown { items: moments.split_off(left_out), left_out, not_collected: look.not_collected("events") }
}

fn key(moment: &Moment) -> (Timestamp, Timestamp, MomentKind, Option<&ObjectRef>, &Happening) {
    (moment.from, moment.to, moment.kind, moment.object.as_ref(), &moment.text)
}

/// Lists events of type Warning; those of one object with one reason are merged.
fn warnings(look: InventoryContext<'_>) -> Vec<Moment> {
    let mut groups: BTreeMap<(&ObjectRef, &str), Vec<&Event>> = BTreeMap::new();
    for event in look.resources.events().iter().filter(|event| event.type_ == WARNING) {
        groups.entry((&event.object, &event.reason)).or_default().push(event);
    }
    groups.into_values().filter_map(|events| warning(look, &events)).collect()
}

fn warning(look: InventoryContext<'_>, events: &[&Event]) -> Option<Moment> {
    let latest = events.iter().max_by_key(|event| (event.last, event.resource))?;
    let from = events.iter().filter_map(|event| event.first.or(event.last)).min()?;
    let resource = look.resources.resource(latest.resource);
    Some(Moment {
        kind: MomentKind::Warning,
        from,
        to: latest.last.unwrap_or(from).max(from),
        count: events.iter().map(|event| event.count).sum(),
        node: node_of(look, latest),
        object: Some(latest.object.clone()),
        text: Happening::Event { reason: latest.reason.clone(), message: latest.message.clone() },
        place: Some(place(resource)),
    })
}

/// Returns the node of an event: its subject, its reporter, or the node of its Pod.
fn node_of(look: InventoryContext<'_>, event: &Event) -> Option<String> {
    if event.object.kind == "Node" {
        return Some(event.object.name.clone());
    }
    let pod = || look.one("pods", event.object.namespace.as_deref(), &event.object.name);
    let of_pod = || scalar_at(pod()?.body(), &["spec", "nodeName"]).map(str::to_owned);
    event.host.clone().or_else(|| if event.object.kind == "Pod" { of_pod() } else { None })
}

fn boots(logs: &LogIndex) -> Vec<Moment> {
    let boot = |(node, start): (&String, &NodeStart)| Moment {
        kind: MomentKind::Boot,
        from: start.at,
        to: start.at,
        count: 1,
        node: Some(node.clone()),
        object: Some(ObjectRef::new("", "Node", None, node)),
        text: Happening::NodeStarted,
        place: None,
    };
    logs.boots().iter().flat_map(|(node, starts)| starts.iter().map(move |start| (node, start))).map(boot).collect()
}

fn upgrade(upgrade: &Upgrade) -> Option<Moment> {
    let from = upgrade.created?;
    let ended = upgrade.conditions.iter().filter_map(|condition| condition.at).max();
    let to = ended.map_or(from, |end| end.max(from));
    let version = upgrade.version.clone();
    let version = version.map_or(UpgradeVersion::Unknown, |version| UpgradeVersion::Known { version });
    Some(Moment {
        kind: MomentKind::Upgrade,
        from,
        to,
        count: 1,
        node: None,
        object: Some(ObjectRef::new("harvesterhci.io", "Upgrade", Some(&upgrade.namespace), &upgrade.name)),
        text: Happening::Upgrade { version, state: UpgradeState::of(upgrade.state.as_deref()) },
        place: None,
    })
}

/// Lists certificates of cert-manager, and those that Rancher watches on the clusters it manages.
fn expiries(look: InventoryContext<'_>) -> Vec<Moment> {
    let certificates = look.all("certificates.cert-manager.io").filter_map(|certificate| {
        let end = at(certificate.body(), &["status", "notAfter"])?;
        Some(expiry_of(certificate, end, Happening::CertificateEnds))
    });
    let clusters = look.all("clusters.management.cattle.io").flat_map(|cluster| {
        let watched = cluster.body().path(&["status", "certificatesExpiration"]);
        let ends = watched.into_iter().flat_map(|all| all.entries());
        ends.filter_map(move |(name, entry)| {
            let end = at(entry, &["expirationDate"])?;
            Some(expiry_of(cluster, end, Happening::NamedCertificateEnds { name: name.as_ref().to_owned() }))
        })
    });
    certificates.chain(clusters).collect()
}

/// Lists certificates of a node that the bundle holds as files.
fn expiries_in(file: File<'_>) -> Vec<Moment> {
    let node = file.node.map(str::to_owned);
    let object = || file.node.map(|node| ObjectRef::new("", "Node", None, node));
    let certificates = certificate::read_certificates(file.text).into_iter().flatten().take(certificate::MOST);
    let moment = |certificate: certificate::Certificate| {
        let text = Happening::NamedCertificateEnds { name: certificate.subject.clone() };
        let moment = expiry(certificate.not_after?, text, file.origin.clone());
        Some(Moment { node: node.clone(), object: object(), ..moment })
    };
    certificates.filter_map(moment).collect()
}

fn expiry_of(resource: &Resource, end: Timestamp, text: Happening) -> Moment {
    Moment { object: Some(resource.object()), ..expiry(end, text, place(resource)) }
}

fn expiry(end: Timestamp, text: Happening, place: Origin) -> Moment {
    Moment {
        kind: MomentKind::Expiry,
        from: end,
        to: end,
        count: 1,
        node: None,
        object: None,
        text,
        place: Some(place),
    }
}
