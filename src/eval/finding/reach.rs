//! Objects and nodes that a finding concerns, for folding. A list that many combinations share is looked through once.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::eval::identity::{nodes_of, objects_of};
use crate::expr::{Value, World};
use crate::model::ObjectRef;

/// Lists with at least that many items are shared between findings: below, sharing costs more than it saves.
const SHARED: usize = 16;

/// What a finding concerns: bound, collected and related objects, and the nodes that its bindings name.
#[derive(Debug, Default)]
pub struct Reach {
    /// Its own part first, then shared lists.
    parts: Vec<Arc<Concerned>>,
}

/// Objects and nodes of a part of a finding.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Concerned {
    pub objects: BTreeSet<ObjectRef>,
    pub nodes: BTreeSet<String>,
}

impl Reach {
    /// Makes the reach of these objects and nodes.
    #[cfg(test)]
    pub fn of(objects: BTreeSet<ObjectRef>, nodes: BTreeSet<String>) -> Self {
        Self { parts: vec![Arc::new(Concerned { objects, nodes })] }
    }

    /// Returns its parts; findings may have some in common.
    pub fn parts(&self) -> &[Arc<Concerned>] {
        &self.parts
    }
}

/// Lists of combinations that were looked through, by their address.
#[derive(Default)]
pub struct SharedLists<'a> {
    known: RefCell<BTreeMap<usize, (Value<'a>, Arc<Concerned>)>>,
}

impl<'a> SharedLists<'a> {
    /// Returns what objects and values concern.
    pub fn reach<'v>(&self, world: &World, objects: &[ObjectRef], values: impl Iterator<Item = &'v Value<'a>>) -> Reach
    where
        'a: 'v,
    {
        let mut own = Concerned { objects: objects.iter().cloned().collect(), nodes: BTreeSet::new() };
        let mut lists = BTreeMap::new();
        for value in values {
            match value {
                Value::List(items) if items.len() >= SHARED => {
                    lists.entry(Arc::as_ptr(items).addr()).or_insert_with(|| self.list(world, value));
                }
                value => own.add(world, value),
            }
        }
        Reach { parts: std::iter::once(Arc::new(own)).chain(lists.into_values()).collect() }
    }

    /// The list is kept, so that no other takes its address.
    fn list(&self, world: &World, list: &Value<'a>) -> Arc<Concerned> {
        let Value::List(items) = list else { return Arc::default() };
        let mut known = self.known.borrow_mut();
        let (_, concerned) = known.entry(Arc::as_ptr(items).addr()).or_insert_with(|| {
            let mut concerned = Concerned::default();
            concerned.add(world, list);
            (list.clone(), Arc::new(concerned))
        });
        Arc::clone(concerned)
    }
}

impl Concerned {
    fn add(&mut self, world: &World, value: &Value<'_>) {
        let objects = objects_of(world, value);
        world.take_steps(objects.len());
        self.objects.extend(objects);
        self.nodes.extend(nodes_of(world, value));
    }
}
