//! Redacts the texts of an inventory. Words of Kubernetes and its controllers, such as states and roles, stay.

use crate::model::inventory::{
    Claim, Condition, Disk, HistoryEntry, Instance, Inventory, Link, Machine, Moment, NodeState, NodeUpgrade,
    ObjectHistory, PodCount, Replica, Shown, Upgrade, Volume,
};
use crate::model::{Identities, ReportedState};

use super::texts::Texts;

/// Replaces names in an inventory with pseudonyms.
pub fn redact(inventory: &mut Inventory, texts: &Texts<'_>) {
    let Inventory { nodes, pods, machines, volumes, disks, upgrades, moments, histories, identities } = inventory;
    shown(nodes, node, texts);
    shown(machines, machine, texts);
    shown(volumes, volume, texts);
    shown(disks, disk, texts);
    shown(upgrades, upgrade, texts);
    pods.iter_mut().for_each(|count| pod_count(count, texts));
    shown(moments, moment, texts);
    shown(histories, history, texts);
    // No report shows them.
    *identities = Identities::default();
    nodes.items.sort_by(|a, b| a.name.cmp(&b.name));
}

pub(super) fn shown<T>(list: &mut Shown<T>, redact: fn(&mut T, &Texts<'_>), texts: &Texts<'_>) {
    let Shown { items, left_out: _, not_collected } = list;
    items.iter_mut().for_each(|item| redact(item, texts));
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
}

fn pod_count(count: &mut PodCount, texts: &Texts<'_>) {
    let PodCount { all: _, unready: _, not_collected } = count;
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
}

fn node(node: &mut NodeState, texts: &Texts<'_>) {
    let NodeState {
        name,
        roles: _,
        ready: _,
        cordoned: _,
        pressures: _,
        pods: _,
        unready_pods: _,
        pod_capacity: _,
        cpu: _,
        memory: _,
        kubelet: _,
    } = node;
    texts.replace(name);
}

fn machine(machine: &mut Machine, texts: &Texts<'_>) {
    let Machine { namespace, name, status, run_strategy, instance, claims, story } = machine;
    texts.replace_all([namespace, name].into_iter().chain(status).chain(run_strategy));
    if let Some(Instance { phase, node, ready: _, paused: _, complaints }) = instance {
        texts.replace_all(phase.iter_mut().chain(node).chain(complaints));
    }
    for Claim { name, exists: _, phase, volume, volume_exists: _, longhorn, longhorn_exists: _ } in claims {
        texts.replace_all([name].into_iter().chain(phase).chain(volume).chain(longhorn));
    }
    for Link { object, disk, state: _, broken: _, since: _ } in story {
        texts.replace_in(object);
        texts.replace_all(disk);
    }
}

fn volume(volume: &mut Volume, texts: &Texts<'_>) {
    let Volume {
        name,
        exists: _,
        state,
        robustness,
        size: _,
        actual_size: _,
        node,
        node_known: _,
        wanted: _,
        replicas,
        claim,
        machines,
        pods,
        users_known: _,
    } = volume;
    texts.replace_all([name].into_iter().chain(state).chain(robustness).chain(node).chain(claim));
    texts.replace_all(machines.iter_mut().chain(pods));
    for Replica { name, node, disk, state, failed_at: _ } in replicas {
        texts.replace_all([name].into_iter().chain(node).chain(disk).chain(state));
    }
}

fn disk(disk: &mut Disk, texts: &Texts<'_>) {
    let Disk {
        node,
        path,
        ready: _,
        schedulable: _,
        reason,
        allowed: _,
        capacity: _,
        available: _,
        reserved: _,
        scheduled: _,
        limit: _,
    } = disk;
    texts.replace_all([node, path].into_iter().chain(reason));
}

pub(super) fn upgrade(upgrade: &mut Upgrade, texts: &Texts<'_>) {
    let Upgrade {
        namespace,
        name,
        version: _,
        previous_version: _,
        state: _,
        created: _,
        completed: _,
        conditions,
        nodes,
    } = upgrade;
    texts.replace_all([namespace, name]);
    for Condition { name: _, status: _, reason, message, at: _ } in conditions {
        texts.replace_all(reason.iter_mut().chain(message));
    }
    for NodeUpgrade { node, state: _, since: _, reason, message } in nodes {
        texts.replace_all([node].into_iter().chain(reason).chain(message));
    }
}

fn moment(moment: &mut Moment, texts: &Texts<'_>) {
    let Moment { kind: _, from: _, to: _, count: _, node, object, text, place } = moment;
    texts.replace_all(node);
    object.iter_mut().for_each(|object| texts.replace_in(object));
    texts.replace_in(text);
    place.iter_mut().for_each(|place| texts.replace_entry(place));
}

fn history(history: &mut ObjectHistory, texts: &Texts<'_>) {
    let ObjectHistory { object, place, state, related, entries } = history;
    texts.replace_in(object);
    place.iter_mut().for_each(|place| texts.replace_entry(place));
    match state {
        Some(ReportedState::Words(words)) => texts.replace_all(words),
        Some(ReportedState::Ready { ready: _, wanted: _ }) | None => {}
    }
    related.iter_mut().for_each(|(_, object)| texts.replace_in(object));
    shown(entries, entry, texts);
}

fn entry(entry: &mut HistoryEntry, texts: &Texts<'_>) {
    let HistoryEntry { at: _, until: _, count: _, source: _, text, place } = entry;
    texts.replace_in(text);
    place.iter_mut().for_each(|place| texts.replace_entry(place));
}
