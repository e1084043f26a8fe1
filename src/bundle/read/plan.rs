//! Plan of a pass: the members of each container that it must reach.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use super::Pass;
use crate::bundle::containers::layer::{NestedEntry, ReadRequest};
use crate::bundle::read::queue::{Open, Source, Visit};

/// Requested members of one layer.
#[derive(Default)]
pub(super) struct Plan {
    pub requests: BTreeMap<usize, usize>,
    pub children: BTreeMap<usize, usize>,
}

impl Plan {
    pub fn members(&self) -> usize {
        let both = self.requests.keys().filter(|member| self.children.contains_key(member)).count();
        self.requests.len() + self.children.len() - both
    }
}

impl Pass<'_> {
    /// Queues entries in memory; adds all others, and the archives on the way to them, to the plans.
    pub(super) fn plan(&mut self) {
        let queue = self.queue.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (request, ReadRequest { place, size, held }) in self.requests.iter().enumerate() {
            if let Some(bytes) = held {
                queue.visits.push(Visit { size: *size, request, source: Source::Held(Arc::clone(bytes)) });
            } else if let Some(plan) = self.plans.get_mut(place.layer) {
                plan.requests.insert(place.member, request);
            }
        }
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let wanted = self.plans.get(index).is_some_and(|plan| plan.members() > 0);
            let size = layer.size();
            match &layer.parent {
                _ if !wanted => {}
                Some(NestedEntry { held: Some(bytes), .. }) => {
                    queue.opens.push(Open { size, layer: index, source: Source::Held(Arc::clone(bytes)) });
                }
                Some(NestedEntry { place, .. }) => {
                    if let Some(plan) = self.plans.get_mut(place.layer) {
                        plan.children.insert(place.member, index);
                    }
                }
                None => queue.opens.push(Open { size, layer: index, source: Source::Disk }),
            }
        }
    }
}
