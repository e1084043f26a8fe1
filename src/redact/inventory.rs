//! Redacts the texts of an inventory. Words of Kubernetes and its controllers, such as states and roles, stay.

use crate::model::ReportedState;
use crate::model::inventory::{
    Claim, Condition, Disk, HistoryEntry, Instance, Inventory, Machine, Moment, NodeState, NodeUpgrade, ObjectHistory,
    Replica, Shown, Upgrade, Volume,
};

use super::text::Redactor;

/// Replaces names in an inventory with pseudonyms.
pub fn redact(inventory: &mut Inventory, redactor: &Redactor<'_>) {
    let Inventory { nodes, machines, volumes, disks, upgrades, moments, histories } = inventory;
    shown(nodes, node, redactor);
    shown(machines, machine, redactor);
    shown(volumes, volume, redactor);
    shown(disks, disk, redactor);
    upgrades.iter_mut().for_each(|item| upgrade(item, redactor));
    shown(moments, moment, redactor);
    shown(histories, history, redactor);
    nodes.items.sort_by(|a, b| a.name.cmp(&b.name));
}

fn shown<T>(list: &mut Shown<T>, redact: fn(&mut T, &Redactor<'_>), redactor: &Redactor<'_>) {
    let Shown { items, left_out: _, not_collected } = list;
    items.iter_mut().for_each(|item| redact(item, redactor));
    not_collected.iter_mut().for_each(|why| redactor.replace_in(why));
}

fn node(node: &mut NodeState, redactor: &Redactor<'_>) {
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
    redactor.replace(name);
}

fn machine(machine: &mut Machine, redactor: &Redactor<'_>) {
    let Machine { namespace, name, status, run_strategy, instance, claims } = machine;
    redactor.replace_all([namespace, name].into_iter().chain(status).chain(run_strategy));
    if let Some(Instance { phase, node, ready: _, paused: _, complaints }) = instance {
        redactor.replace_all(phase.iter_mut().chain(node).chain(complaints));
    }
    for Claim { name, exists: _, phase, volume, volume_exists: _, longhorn, longhorn_exists: _ } in claims {
        redactor.replace_all([name].into_iter().chain(phase).chain(volume).chain(longhorn));
    }
}

fn volume(volume: &mut Volume, redactor: &Redactor<'_>) {
    let Volume {
        name,
        exists: _,
        state,
        robustness,
        size: _,
        actual_size: _,
        node,
        wanted: _,
        replicas,
        claim,
        machines,
        pods,
    } = volume;
    redactor.replace_all([name].into_iter().chain(state).chain(robustness).chain(node).chain(claim));
    redactor.replace_all(machines.iter_mut().chain(pods));
    for Replica { name, node, disk, state, failed_at: _ } in replicas {
        redactor.replace_all([name].into_iter().chain(node).chain(disk).chain(state));
    }
}

fn disk(disk: &mut Disk, redactor: &Redactor<'_>) {
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
    redactor.replace_all([node, path].into_iter().chain(reason));
}

fn upgrade(upgrade: &mut Upgrade, redactor: &Redactor<'_>) {
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
    redactor.replace_all([namespace, name]);
    for Condition { name: _, status: _, reason, message, at: _ } in conditions {
        redactor.replace_all(reason.iter_mut().chain(message));
    }
    for NodeUpgrade { node, state: _, reason, message } in nodes {
        redactor.replace_all([node].into_iter().chain(reason).chain(message));
    }
}

fn moment(moment: &mut Moment, redactor: &Redactor<'_>) {
    let Moment { kind: _, from: _, to: _, count: _, node, object, text, place } = moment;
    redactor.replace_all(node);
    object.iter_mut().for_each(|object| redactor.replace_in(object));
    redactor.replace_in(text);
    place.iter_mut().for_each(|place| redactor.replace_entry(place));
}

fn history(history: &mut ObjectHistory, redactor: &Redactor<'_>) {
    let ObjectHistory { object, place, state, related, entries } = history;
    redactor.replace_in(object);
    place.iter_mut().for_each(|place| redactor.replace_entry(place));
    match state {
        Some(ReportedState::Words(words)) => redactor.replace_all(words),
        Some(ReportedState::Ready { ready: _, wanted: _ }) | None => {}
    }
    related.iter_mut().for_each(|(_, object)| redactor.replace_in(object));
    shown(entries, entry, redactor);
}

fn entry(entry: &mut HistoryEntry, redactor: &Redactor<'_>) {
    let HistoryEntry { at: _, until: _, count: _, source: _, text, place } = entry;
    redactor.replace_in(text);
    place.iter_mut().for_each(|place| redactor.replace_entry(place));
}
