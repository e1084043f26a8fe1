//! Components that a finding breaks or needs.

use std::collections::BTreeSet;

use crate::eval::identity::{nodes_of, nodes_of_object, objects_of};
use crate::eval::join::combination::Combination;
use crate::expr::{Truth, Value, World};
use crate::model::{Component, ComponentKind, ObjectRef};
use crate::rule::{Rule, StatedComponent};

/// Objects that a finding is about, and their nodes.
#[derive(Debug, Default)]
pub struct Subject {
    objects: BTreeSet<ObjectRef>,
    nodes: BTreeSet<String>,
}

impl Subject {
    /// Reads the objects and nodes of the facts of `about`; if these are only values, the objects of the required fact with the `first`
    /// object of the finding that are of its kind, and if they name no node, the nodes of all required facts.
    pub fn of(world: &World, rule: &Rule, rows: &[Combination<'_>], first: Option<&ObjectRef>) -> Self {
        let mut subject = Self::default();
        let values = |slot: usize| rows.iter().map(move |row| &row.values[slot]);
        for value in rule.about.iter().flat_map(|&slot| values(slot)) {
            subject.add(world, value);
        }
        let required = || (0..rule.find).filter(|&slot| rule.facts[slot].is_required());
        if let (true, Some(first)) = (subject.objects.is_empty(), first) {
            // A value may be read from an object of another kind, too, which has findings of its own.
            let is_alike = |object: &ObjectRef| object.kind == first.kind && object.group == first.group;
            let objects = |slot| values(slot).flat_map(|value| objects_of(world, value)).collect::<BTreeSet<_>>();
            let alike = required().map(objects).find(|objects| objects.contains(first)).unwrap_or_default();
            subject.objects.extend(alike.into_iter().filter(is_alike));
            subject.objects.insert(first.clone());
        }
        subject.add_nodes_of_objects(world);
        if subject.nodes.is_empty() {
            subject.nodes.extend(required().flat_map(values).flat_map(|value| nodes_of(world, value)));
        }
        subject
    }

    /// Returns the components that a rule states for a finding of these combinations.
    pub fn components(
        &self,
        world: &World,
        rows: &[Combination<'_>],
        stated: &[StatedComponent],
    ) -> BTreeSet<Component> {
        let one = |stated: &StatedComponent| {
            let holds = |row: &&Combination<'_>| {
                stated.condition.as_ref().is_none_or(|c| c.test(world, &row.values) == Truth::True)
            };
            let mut held = rows.iter().filter(holds).peekable();
            match &stated.of {
                _ if held.peek().is_none() => BTreeSet::new(),
                None => self.of_kind(stated.kind),
                Some(of) => Self::of_values(world, held.map(|row| of.eval(world, &row.values))).of_kind(stated.kind),
            }
        };
        stated.iter().flat_map(one).collect()
    }

    /// Reads the objects of values, and their nodes.
    fn of_values<'v>(world: &World, values: impl Iterator<Item = Value<'v>>) -> Self {
        let mut subject = Self::default();
        for value in values {
            subject.add(world, &value);
        }
        subject.add_nodes_of_objects(world);
        subject
    }

    fn add(&mut self, world: &World, value: &Value<'_>) {
        self.objects.extend(objects_of(world, value));
        self.nodes.extend(nodes_of(world, value));
    }

    fn add_nodes_of_objects(&mut self, world: &World) {
        self.nodes.extend(self.objects.iter().flat_map(|object| nodes_of_object(world, object)));
    }

    fn of_kind(&self, kind: ComponentKind) -> BTreeSet<Component> {
        match kind {
            ComponentKind::Object => self.objects.iter().cloned().map(Component::Object).collect(),
            ComponentKind::Node(part) => {
                self.nodes.iter().map(|node| Component::Node { node: node.clone(), part }).collect()
            }
            ComponentKind::Cluster(service) => BTreeSet::from([Component::Cluster(service)]),
        }
    }
}
