//! Cache of the manifests and hooks of releases, decoded when a rule asks for them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::payload;
use crate::model::message::{DocumentProblem, HelmFault};
use crate::model::{Issue, IssueKind, Origin};
use crate::resource::object::{Resource, ResourceId};
use crate::yaml::Document;

/// Maximum number of bytes to which all payloads of a bundle may expand together.
const MAX_ALL_EXPANDED: u64 = 256 << 20;

/// Manifests and hooks of releases, decoded on first use and then kept.
#[derive(Debug, Default)]
pub(in crate::resource) struct Payloads {
    cells: BTreeMap<ResourceId, Cell>,
}

#[derive(Debug, Default)]
struct Cell {
    over_budget: bool,
    decoded: OnceLock<Decoded>,
}

#[derive(Debug)]
struct Decoded {
    document: Option<Arc<Document>>,
    /// Problem, if something is unreadable.
    trouble: Option<DocumentProblem>,
}

impl Payloads {
    /// Admits releases, in the order given, until their expanded sizes use up
    /// the budget.
    pub fn new(releases: impl Iterator<Item = (ResourceId, u64)>) -> Self {
        let mut left = MAX_ALL_EXPANDED;
        let mut cell = |expanded: u64| {
            let fits = left.checked_sub(expanded);
            left = fits.unwrap_or(left);
            Cell { over_budget: fits.is_none(), decoded: OnceLock::new() }
        };
        Self { cells: releases.map(|(id, expanded)| (id, cell(expanded))).collect() }
    }

    /// Returns the payload of a release; `record` is the object that contains it.
    pub fn get(&self, id: ResourceId, record: &Resource) -> Option<&Arc<Document>> {
        let cell = self.cells.get(&id)?;
        cell.decoded.get_or_init(|| decode(cell.over_budget, record)).document.as_ref()
    }

    /// Returns the issues of the payloads decoded so far, by release.
    pub fn issues<'a>(&'a self, entry_of: impl Fn(ResourceId) -> Origin + 'a) -> impl Iterator<Item = Issue> + 'a {
        self.cells.iter().filter_map(move |(&id, cell)| {
            let trouble = cell.decoded.get()?.trouble.as_ref()?;
            let kind = if cell.over_budget { IssueKind::Limit } else { IssueKind::Document };
            Some(Issue::at(entry_of(id), kind, trouble.clone()))
        })
    }
}

fn decode(over_budget: bool, record: &Resource) -> Decoded {
    let trouble = |fault| Some(DocumentProblem::HelmRelease { name: record.name.to_string(), fault });
    let refused = |fault| Decoded { document: None, trouble: trouble(fault) };
    if over_budget {
        return refused(HelmFault::TooManyManifests { mebibytes: MAX_ALL_EXPANDED >> 20 });
    }
    let body = record.body();
    match payload::decode(body.str_at(&["data", "release"]).unwrap_or_default()) {
        Ok(payload) => {
            let (document, count) = payload.document();
            let broken = (count > 0).then_some(HelmFault::BrokenManifests { count });
            Decoded { document: Some(Arc::new(document)), trouble: broken.and_then(trouble) }
        }
        Err(fault) => refused(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::helm::payload::tests::{HELM3, wrap};
    use crate::resource::index::testing::Bundle;

    #[test]
    fn payloads_share_a_budget() {
        let record =
            format!("kind: ConfigMap\nmetadata: {{name: shop.v1}}\ndata: {{release: {}}}\n", wrap(HELM3.as_bytes()));
        let half = MAX_ALL_EXPANDED / 2 + 1;
        let payloads = Payloads::new([(1, half), (2, half), (3, 10)].into_iter());
        let index = Bundle::default().file("a", &record).index();
        let record = index.resource(0);
        assert!(
            payloads.get(1, record).is_some() && payloads.get(2, record).is_none() && payloads.get(3, record).is_some()
        );
        let issues: Vec<_> = payloads.issues(|_| Origin::entry("a")).collect();
        assert_eq!(issues.len(), 1);
        assert_eq!(issues[0].kind, IssueKind::Limit);
    }
}
