//! Data of a bundle that is compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::configuration::Configuration;
use super::lineage::lineage;
use crate::expr::World;
use crate::health;
use crate::model::difference::Health;
use crate::model::message::Reason;
use crate::model::{ObjectRef, Origin};
use crate::resource::scalar_at;
use crate::resource::{Collected, Collection, Resource, ResourceId, TypeName};
use crate::yaml::Node;

/// Compared data of a bundle's objects.
#[derive(Debug)]
pub struct Snapshot {
    pub objects: BTreeMap<ObjectRef, ObjectState>,
    pub(super) configuration: Configuration,
    collection: Arc<Collection>,
}

/// State of an object at one time.
#[derive(Clone, Debug)]
pub struct ObjectState {
    pub uid: Option<String>,
    pub type_name: TypeName,
    /// What it is a part of, if its own name is generated.
    pub lineage: Option<ObjectRef>,
    /// None if the bundle holds too little of the object.
    pub health: Option<Health>,
    /// Starts by container, with the last termination.
    pub restarts: BTreeMap<String, (u64, Option<String>)>,
    /// Boot id of a node.
    pub boot: Option<String>,
    pub place: Origin,
}

impl Snapshot {
    /// Copies the compared data of a bundle. Events and kinds that only hold measurements are left out.
    pub fn of(world: &World) -> Self {
        let resources = &world.resources;
        let ids = resources.types().iter().flat_map(|name| resources.of_type(name));
        let objects = ids.map(|&id| (id, resources.resource(id)));
        let judge = health::Judge::new(world);
        let configured = resources.types().iter().flat_map(|name| resources.of_type(name));
        let compared = objects.filter(|(_, it)| it.source.is_none() && !health::PASSING.contains(&&*it.kind));
        Self {
            objects: compared.map(|(id, it)| (it.object(), state(world, &judge, id, it))).collect(),
            configuration: Configuration::of(configured.map(|&id| resources.resource(id))),
            collection: Arc::clone(resources.collection()),
        }
    }

    /// Returns the reason why objects of a type may be not collected, in a namespace or the whole cluster.
    pub fn missing(&self, name: &TypeName, namespace: Option<&str>) -> Option<Reason> {
        match self.collection.collected_by_name(name, namespace) {
            Collected::No(reason) => Some(reason),
            Collected::Yes | Collected::Empty => None,
        }
    }
}

fn state(world: &World, judge: &health::Judge<'_>, id: ResourceId, resource: &Resource) -> ObjectState {
    let body = resource.body();
    ObjectState {
        uid: resource.uid.as_deref().map(str::to_owned),
        type_name: resource.type_name(),
        lineage: lineage(world, resource),
        health: judge.of(id).map(|judgement| judgement.health),
        restarts: if &*resource.kind == "Pod" { restarts(body) } else { BTreeMap::new() },
        boot: scalar_at(body, &["status", "nodeInfo", "bootID"]).map(str::to_owned),
        place: Origin::line(resource.entry.clone(), body.line()),
    }
}

/// Counts starts of the containers of a Pod.
fn restarts(body: Node<'_>) -> BTreeMap<String, (u64, Option<String>)> {
    let lists =
        ["initContainerStatuses", "containerStatuses"].into_iter().filter_map(|key| body.path(&["status", key]));
    let container = |status: Node<'_>| {
        let name = scalar_at(status, &["name"])?.to_owned();
        let count = scalar_at(status, &["restartCount"])?.parse().ok()?;
        let last = status.path(&["lastState", "terminated"]).map(|ended| {
            let part = |key| scalar_at(ended, &[key]).unwrap_or("unknown");
            format!("{}, exit code {}", part("reason"), part("exitCode"))
        });
        Some((name, (count, last)))
    };
    lists.flat_map(|list| list.items()).filter_map(container).collect()
}
