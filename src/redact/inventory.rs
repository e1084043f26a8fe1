//! Redacts the texts of an inventory.

use crate::model::ObjectRef;
use crate::model::inventory::{
    Claim, Condition, Disk, Instance, Inventory, Machine, Moment, NodeState, NodeUpgrade, Replica, Shown, Story,
    Upgrade, Volume,
};

use super::text::Redactor;

/// Replaces names in an inventory with pseudonyms.
pub fn redact(inventory: &mut Inventory, redactor: &Redactor<'_>) {
    let Inventory { nodes, machines, volumes, disks, upgrades, moments, stories } = inventory;
    let missing = [&mut nodes.missing, &mut machines.missing, &mut volumes.missing, &mut disks.missing];
    let of_stories = stories.items.iter_mut().map(|story| &mut story.chapters.missing);
    let missing = missing.into_iter().chain([&mut moments.missing, &mut stories.missing]);
    missing.flatten().for_each(|why| redactor.replace_in(why));
    of_stories.flatten().for_each(|why| redactor.replace_in(why));
    let of_moments = moments.items.iter_mut().map(|moment| &mut moment.text);
    let of_chapters = stories.items.iter_mut().flat_map(|story| &mut story.chapters.items).map(|it| &mut it.text);
    of_moments.chain(of_chapters).for_each(|text| redactor.replace_in(text));
    let texts = of(nodes, node)
        .chain(of(machines, machine))
        .chain(of(volumes, volume))
        .chain(of(disks, disk))
        .chain(upgrades.iter_mut().flat_map(upgrade))
        .chain(of(moments, moment))
        .chain(of(stories, story));
    texts.for_each(|text| redactor.replace(text));
    let moments = moments.items.iter_mut().filter_map(|moment| moment.place.as_mut());
    let stories = stories.items.iter_mut().flat_map(|story| {
        story.place.iter_mut().chain(story.chapters.items.iter_mut().filter_map(|chapter| chapter.place.as_mut()))
    });
    moments.chain(stories).for_each(|place| redactor.replace_entry(place));
    nodes.items.sort_by(|a, b| a.name.cmp(&b.name));
}

fn of<'a, T, I: IntoIterator<Item = &'a mut String> + 'a>(
    list: &'a mut Shown<T>,
    texts: impl Fn(&'a mut T) -> I + 'a,
) -> impl Iterator<Item = &'a mut String> {
    list.items.iter_mut().flat_map(texts)
}

fn node(node: &mut NodeState) -> Vec<&mut String> {
    vec![&mut node.name]
}

fn machine(machine: &mut Machine) -> Vec<&mut String> {
    let Machine { namespace, name, status, run_strategy, instance, claims } = machine;
    let mut texts = vec![namespace, name];
    texts.extend(status.iter_mut().chain(run_strategy));
    if let Some(Instance { phase, node, complaints, .. }) = instance {
        texts.extend(phase.iter_mut().chain(node).chain(complaints));
    }
    for Claim { name, phase, volume, longhorn, .. } in claims {
        texts.push(name);
        texts.extend(phase.iter_mut().chain(volume).chain(longhorn));
    }
    texts
}

fn volume(volume: &mut Volume) -> Vec<&mut String> {
    let Volume { name, state, robustness, node, replicas, claim, machines, pods, .. } = volume;
    let mut texts = vec![name];
    texts.extend(state.iter_mut().chain(robustness).chain(node).chain(claim).chain(machines).chain(pods));
    for Replica { name, node, disk, state, .. } in replicas {
        texts.push(name);
        texts.extend(node.iter_mut().chain(disk).chain(state));
    }
    texts
}

fn disk(disk: &mut Disk) -> Vec<&mut String> {
    [&mut disk.node, &mut disk.path].into_iter().chain(&mut disk.reason).collect()
}

fn upgrade(upgrade: &mut Upgrade) -> Vec<&mut String> {
    let mut texts = vec![&mut upgrade.namespace, &mut upgrade.name];
    for Condition { reason, message, .. } in &mut upgrade.conditions {
        texts.extend(reason.iter_mut().chain(message));
    }
    for NodeUpgrade { node, reason, message, .. } in &mut upgrade.nodes {
        texts.push(node);
        texts.extend(reason.iter_mut().chain(message));
    }
    texts
}

fn moment(moment: &mut Moment) -> Vec<&mut String> {
    let Moment { node, object, .. } = moment;
    let mut texts: Vec<&mut String> = node.iter_mut().collect();
    texts.extend(object.iter_mut().flat_map(names));
    texts
}

fn story(story: &mut Story) -> Vec<&mut String> {
    let Story { object, state, related, .. } = story;
    let mut texts = names(object);
    texts.extend(state);
    texts.extend(related.iter_mut().flat_map(|(_, object)| names(object)));
    texts
}

fn names(object: &mut ObjectRef) -> Vec<&mut String> {
    [&mut object.name, &mut object.group].into_iter().chain(&mut object.namespace).collect()
}
