//! Content of a page, in words and in order, so that templates decide nothing.
//!
//! [`Page`] borrows from the analysis; long lists are limited here and carry the number of items left out.

use std::borrow::Cow;

use serde::Serialize;

use crate::model::{Analysis, Inventory};
use crate::report::lexicon::Lexicon;
use crate::report::rank::{self, Group};

mod bundle;
mod collect;
mod filters;
mod finding;
mod first;
mod glance;
mod histogram;
mod histories;
mod map;
mod meaning;
mod period;
mod pictures;
mod proof;
mod rules;
mod run;
mod state;
mod timeline;
mod unexplained;
mod unhealthy;
mod upgrade;
mod verdict;

pub use bundle::{Sheet, kind_name, nodes_ready, product_name, products};
pub use collect::missing;
pub use finding::{Card, changed_before, checked, errors_before, group_explains, likewise, path, seen, uncovered};
pub use first::{known, short_title};
pub use meaning::sentences as known_sentences;
pub use proof::place;
pub use rules::{Entries, Reasons, by_reason, issue_kinds, outcome_counts};
pub use run::measured;
pub use unexplained::{lines as unexplained_lines, usual as unexplained_usual};
pub use unhealthy::{lines as unhealthy_lines, warning_lines};
pub use upgrade::{
    fails as upgrade_fails, headline as upgrade_headline, known_issues as upgrade_known_issues, next as upgrade_next,
    open as upgrade_open, position as upgrade_position,
};
pub use verdict::{Verdict, severities};

use filters::Filters;
use finding::Setting;
use first::First;
use glance::Tile;
use histories::{Anchors, Histories};
use map::Map;
use pictures::Pictures;
use rules::Outcomes;
use run::Reproduction;
use timeline::Timeline;

/// Card in the list next to the cards.
#[derive(Serialize)]
struct Item<'a> {
    anchor: String,
    /// Severity of a fault, else the class.
    label: &'static str,
    title: Cow<'a, str>,
    /// Number of causes on the card.
    size: usize,
}

/// One report page.
#[derive(Serialize)]
pub struct Page<'a> {
    /// Version of gleaner.
    version: &'static str,
    bundle: Sheet<'a>,
    verdict: Verdict,
    /// Cards of all rules with causes, best ranked first.
    cards: Vec<Card<'a>>,
    filters: Filters<'a>,
    contents: Vec<Item<'a>>,
    first: First<'a>,
    /// Empty without an inventory.
    glance: Vec<Tile>,
    /// None if nothing that can be collected is missing.
    collect: Option<collect::Section<'a>>,
    /// Objects in trouble and warnings with no finding about them; none if there is nothing to show.
    unhealthy: Option<unhealthy::Section>,
    /// None where the bundle shows no Harvester.
    upgrade: Option<upgrade::Section<'a>>,
    /// Errors of logs that no finding is about; none if there is nothing to show.
    unexplained: Option<unexplained::Section>,
    rules: Outcomes<'a>,
    issues: Entries<'a>,
    run: Reproduction<'a>,
    /// State of the cluster as the bundle shows it; none without an inventory.
    cluster: Option<Cluster<'a>>,
}

/// Parts of a page that show the cluster itself, in addition to the findings.
#[derive(Serialize)]
struct Cluster<'a> {
    pictures: Pictures<'a>,
    map: Option<Map<'a>>,
    timeline: Option<Timeline>,
    histories: Option<Histories<'a>>,
}

impl<'a> Cluster<'a> {
    fn of(inventory: &'a Inventory, analysis: &'a Analysis, groups: &[Group<'a>], t: Lexicon) -> Self {
        let anchors = Anchors::of(inventory);
        Self {
            pictures: Pictures::of(inventory, analysis, t),
            map: Map::of(inventory, &analysis.findings, &anchors, t),
            timeline: Timeline::of(inventory, analysis, groups, t),
            histories: Histories::of(inventory, &analysis.findings, &anchors, t),
        }
    }
}

impl<'a> Page<'a> {
    /// Builds the page about an analysis.
    pub fn of(analysis: &'a Analysis, t: Lexicon) -> Self {
        let groups = rank::groups(&analysis.findings);
        let filters = Filters::of(&groups, &analysis.bundle.nodes, t);
        let findings = analysis.findings.iter().map(|finding| (finding.fingerprint.as_str(), finding)).collect();
        let setting = Setting {
            findings: &findings,
            total: analysis.findings.len(),
            versions: &analysis.bundle.versions,
            filters: &filters,
            rules: &analysis.rules,
            t,
        };
        let bundle = Sheet::of(&analysis.bundle, t);
        let unhealthy = analysis.unhealthy.as_ref().map(|unhealthy| unhealthy::Section::of(unhealthy, t));
        let unhealthy = unhealthy.filter(|section| section.len() > 0);
        let listed = unhealthy.as_ref().is_some_and(unhealthy::Section::has_objects);
        let glance = |inventory| glance::tiles(analysis, inventory, &bundle, listed, t);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            verdict: Verdict::of(analysis, &groups, t),
            contents: groups.iter().map(item).collect(),
            first: First::of(
                &groups,
                analysis.inventory.as_ref().map_or(&[], |inventory| &inventory.volumes.items),
                &analysis.bundle.versions,
                t,
            ),
            glance: analysis.inventory.as_ref().map(glance).unwrap_or_default(),
            bundle,
            collect: collect::Section::of(&analysis.rules, t),
            cards: groups.iter().map(|group| Card::of(group, None, setting)).collect(),
            filters,
            unhealthy,
            upgrade: upgrade::Section::of(analysis, t),
            unexplained: analysis.unexplained.as_ref().and_then(|found| unexplained::Section::of(found, t)),
            rules: Outcomes::of(&analysis.rules, &groups, t),
            issues: Entries::of(&analysis.issues, t),
            run: Reproduction::of(analysis, t),
            cluster: analysis.inventory.as_ref().map(|inventory| Cluster::of(inventory, analysis, &groups, t)),
        }
    }
}

fn item<'a>(group: &Group<'a>) -> Item<'a> {
    let finding = group.lead.finding;
    Item {
        anchor: finding::anchor(&finding.fingerprint),
        label: finding.label(),
        title: first::short_title(finding),
        size: group.more.len() + 1,
    }
}
