//! The graph: components as numbers, their dependencies read once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::edge::Dependency;
use super::lookup::Lookup;
use super::{dependencies, node};
use crate::model::{Component, PathStep};
use crate::resource::{Resource, ResourceIndex};

/// Largest number of direct dependencies of one component that are followed; more are of no use to readers.
const MOST_DEPENDENCIES: usize = 200;
/// Largest number of components that are looked at for one question.
const MOST_REACHED: usize = 2_000;

/// Number of a component in a graph.
pub type ComponentId = usize;

/// What depends on what, as far as it was asked.
pub struct DependencyGraph<'i> {
    look: Lookup<'i>,
    /// Pods of parts of nodes and of services, each found when first asked for: 20,000 findings may ask for those of one node.
    pods: RefCell<HashMap<Component, Rc<[&'i Resource]>>>,
    ids: HashMap<Component, ComponentId>,
    components: Vec<Component>,
    /// By id; none until it is asked for.
    edges: Vec<Option<Vec<Edge>>>,
    /// The question for which a component was last reached, by id.
    reached_for: Vec<usize>,
    questions: usize,
}

#[derive(Clone, Copy)]
struct Edge {
    to: ComponentId,
    by: &'static str,
}

/// Component that others depend on, directly or not, in order of distance.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub component: ComponentId,
    /// Number of dependencies from the start.
    pub distance: usize,
    /// Position of the component in front of it, and what leads from there; none at a start.
    from: Option<(usize, &'static str)>,
}

impl<'i> DependencyGraph<'i> {
    /// Makes the graph of a bundle; nothing is read yet.
    pub fn new(index: &'i ResourceIndex) -> Self {
        Self {
            look: Lookup::new(index),
            pods: RefCell::default(),
            ids: HashMap::new(),
            components: Vec::new(),
            edges: Vec::new(),
            reached_for: Vec::new(),
            questions: 0,
        }
    }

    /// Returns the number of a component.
    pub fn id(&mut self, component: Component) -> ComponentId {
        if let Some(&id) = self.ids.get(&component) {
            return id;
        }
        let id = self.components.len();
        self.components.push(component.clone());
        self.ids.insert(component, id);
        self.edges.push(None);
        self.reached_for.push(0);
        id
    }

    /// Returns a component by its number.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id]
    }

    /// Returns the pods that run a part of a node or a service of the cluster, whether they are well or not.
    pub fn pods_of(&self, component: &Component) -> Rc<[&'i Resource]> {
        let mut known = self.pods.borrow_mut();
        if let Some(pods) = known.get(component) {
            return Rc::clone(pods);
        }
        let pods: Rc<[&Resource]> = node::pods_of(&self.look, component).into();
        if !matches!(component, Component::Object(_)) {
            known.insert(component.clone(), Rc::clone(&pods));
        }
        pods
    }

    /// Returns the starts and what they depend on, the nearest first, as far as `goes_on` says so of a component in front; it is
    /// asked once for each, with its position. The order does not depend on earlier questions.
    pub fn reach(&mut self, starts: &[ComponentId], mut goes_on: impl FnMut(usize, &Reached) -> bool) -> Vec<Reached> {
        self.questions += 1;
        let mut reached: Vec<Reached> = Vec::new();
        for &component in starts {
            self.note(&mut reached, Reached { component, distance: 0, from: None });
        }
        let mut at = 0;
        while let Some(&front) = reached.get(at) {
            let behind =
                if goes_on(at, &front) && reached.len() < MOST_REACHED { self.read(front.component) } else { 0 };
            for position in 0..behind {
                let Some(Edge { to, by }) = self.edge(front.component, position) else { break };
                let behind = Reached { component: to, distance: front.distance + 1, from: Some((at, by)) };
                self.note(&mut reached, behind);
            }
            at += 1;
        }
        reached
    }

    /// Returns the way from a start to the component at a position.
    pub fn path(&self, reached: &[Reached], position: usize) -> Vec<PathStep> {
        let mut steps = Vec::new();
        let mut next = reached.get(position);
        while let Some(&Reached { component, from, .. }) = next {
            let by = from.map(|(_, by)| by);
            steps.push(PathStep { component: self.components[component].clone(), by });
            next = from.and_then(|(before, _)| reached.get(before));
        }
        steps.reverse();
        steps
    }

    fn note(&mut self, reached: &mut Vec<Reached>, found: Reached) {
        if self.reached_for[found.component] != self.questions {
            self.reached_for[found.component] = self.questions;
            reached.push(found);
        }
    }

    /// Reads the dependencies of a component, and returns their number.
    fn read(&mut self, component: ComponentId) -> usize {
        if let Some(known) = &self.edges[component] {
            return known.len();
        }
        let found = dependencies::of(&self.look, &self.components[component]);
        let edges: Vec<Edge> = found
            .into_iter()
            .take(MOST_DEPENDENCIES)
            .map(|Dependency { on, by }| Edge { to: self.id(on), by })
            .collect();
        let number = edges.len();
        self.edges[component] = Some(edges);
        number
    }

    fn edge(&self, component: ComponentId, position: usize) -> Option<Edge> {
        self.edges[component].as_ref()?.get(position).copied()
    }
}
