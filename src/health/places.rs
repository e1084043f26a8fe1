//! Mappings of a status, at any depth.

use crate::resource::Resource;
use crate::yaml::{Kind, Node};

/// Deepest mapping that is looked at: `status.instances.NAME.status`, `status.deprecated.v1beta1`.
const DEEPEST: usize = 4;
/// Most mappings of one object.
const MOST: usize = 1_000;

/// A mapping of a status.
pub struct Place<'w> {
    /// Keys that lead to it, each with a dot behind it; empty for the status itself. Items of a list have the path of the list.
    pub path: String,
    pub node: Node<'w>,
    /// It is in a list, such as a history.
    pub listed: bool,
    depth: usize,
}

/// Returns the mappings of the status of an object, the outer ones first. An object without status is its own: ComponentStatus has its
/// conditions there.
pub fn places(resource: &Resource) -> Vec<Place<'_>> {
    let body = resource.body();
    let status = body.get("status");
    let root = Place { path: String::new(), node: status.unwrap_or(body), listed: false, depth: 0 };
    let mut places = vec![root];
    let mut at = 0;
    while let Some(place) = places.get(at).filter(|place| status.is_some() && place.depth < DEEPEST) {
        let room = MOST.saturating_sub(places.len());
        let below: Vec<Place<'_>> = below(place).take(room).collect();
        places.extend(below);
        at += 1;
    }
    places
}

fn below<'w>(place: &Place<'w>) -> impl Iterator<Item = Place<'w>> {
    let (path, node, listed, depth) = (place.path.clone(), place.node, place.listed, place.depth + 1);
    // Conditions are read where they stand.
    let parts = node.entries().filter(|(key, value)| key != "conditions" && !value.kind().is_scalar());
    parts.flat_map(move |(key, value)| {
        let path = format!("{path}{key}.");
        let is_list = value.kind() == Kind::Sequence;
        let itself = (!is_list).then_some(value).into_iter();
        let items = is_list.then_some(value).into_iter().flat_map(Node::items);
        let mappings = itself.chain(items).filter(|node| node.kind() == Kind::Mapping);
        mappings.map(move |node| Place { path: path.clone(), node, listed: listed || is_list, depth })
    })
}
