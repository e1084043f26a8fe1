//! Content of a page, in words and in order, so that templates decide nothing.
//!
//! [`Page`] borrows from the analysis; long lists are limited here and carry the number of items left out.

use serde::Serialize;

use crate::model::{Analysis, Inventory};
use crate::report::lexicon::Lexicon;
use crate::report::rank::{self, Group};
use crate::report::words;

mod bundle;
mod filters;
mod finding;
mod histogram;
mod histories;
mod known;
mod map;
mod pictures;
mod proof;
mod rules;
mod run;
mod state;
mod timeline;
mod unexplained;
mod unhealthy;
mod verdict;

pub use bundle::{Sheet, kind_name, nodes_ready, product_name};
pub use finding::{
    Card, changed_before, checked, errors_before, explains, is_web_address, likewise, path, products, seen, uncovered,
};
pub use known::sentences as known_sentences;
pub use proof::place;
pub use rules::{Entries, Reasons, by_reason, issue_kinds, outcome_counts};
pub use run::measured;
pub use unexplained::{lines as unexplained_lines, usual as unexplained_usual};
pub use unhealthy::lines as unhealthy_lines;
pub use verdict::{Verdict, severities};

use filters::Filters;
use finding::Setting;
use histories::{Anchors, Histories};
use map::Map;
use pictures::Pictures;
use rules::Outcomes;
use run::Reproduction;
use timeline::Timeline;

#[derive(Serialize)]
struct Contents {
    /// Severity of faults, else the class.
    label: &'static str,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    anchor: String,
    title: String,
    /// Number of causes on the card.
    size: usize,
}

/// Maximum length of a title in the list of cards, in characters.
const TITLE_IN_CONTENTS: usize = 160;

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
    /// Cards by severity, for the list next to them.
    contents: Vec<Contents>,
    /// Objects in trouble and warnings with no finding about them; none if there is nothing to show.
    unhealthy: Option<unhealthy::Section>,
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
            map: Map::of(inventory, analysis, &anchors, t),
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
        Self {
            version: env!("CARGO_PKG_VERSION"),
            bundle: Sheet::of(&analysis.bundle, t),
            verdict: Verdict::of(analysis, &groups, t),
            contents: contents(&groups),
            cards: groups.iter().map(|g| Card::of(g, false, setting)).collect(),
            filters,
            unhealthy: analysis
                .unhealthy
                .as_ref()
                .map(|unhealthy| unhealthy::Section::of(unhealthy, t))
                .filter(|section| section.len() > 0),
            unexplained: analysis.unexplained.as_ref().and_then(|found| unexplained::Section::of(found, t)),
            rules: Outcomes::of(&analysis.rules, &groups, t),
            issues: Entries::of(&analysis.issues, t),
            run: Reproduction::of(analysis, t),
            cluster: analysis.inventory.as_ref().map(|inventory| Cluster::of(inventory, analysis, &groups, t)),
        }
    }
}

fn contents(groups: &[Group<'_>]) -> Vec<Contents> {
    let same = |a: &Group<'_>, b: &Group<'_>| a.label() == b.label();
    let level = |chunk: &[Group<'_>]| {
        let label = chunk.first()?.label();
        Some(Contents { label, items: chunk.iter().map(item).collect() })
    };
    groups.chunk_by(same).filter_map(level).collect()
}

fn item(group: &Group<'_>) -> Item {
    let finding = group.lead.finding;
    Item {
        anchor: finding::anchor(&finding.fingerprint),
        title: words::sentence(&finding.title, TITLE_IN_CONTENTS).into_owned(),
        size: group.more.len() + 1,
    }
}
