//! Page of a stored bundle: the report without the parts that need the original.

use serde::Serialize;

use super::facts::{Again, Alike, BundleDetail, TicketFacts};
use super::names;
use super::row::{BundleRow, NAME_SHOWN, T, TEXT_SHOWN, clipped, path};
use crate::report::view;
use crate::report::words::counted;

const ROOT: &str = "../";

/// Page of a bundle. Its fields have the names that the templates of the report expect.
#[derive(Serialize)]
pub struct Page<'a> {
    #[serde(flatten)]
    stored: view::Page<'a>,
    name: String,
    /// Folder that was searched.
    input: String,
    /// Labels and values of what people know about the file.
    ticket: Vec<(&'static str, String)>,
    /// Name of the cluster and its page.
    cluster_page: Option<(String, String)>,
    copies: Vec<String>,
    more_copies: u64,
    notes: Vec<String>,
    alike: Vec<AlikeRow>,
    /// Link to the report of the original.
    report: Option<String>,
    /// Reason why there is no report.
    failed: Option<String>,
}

impl<'a> Page<'a> {
    /// Puts a bundle into words.
    pub fn of(detail: &'a BundleDetail, again: &Again) -> Self {
        let bundle = &detail.bundle;
        let uid = bundle.cluster_uid.as_deref().filter(|_| detail.has_cluster_page);
        let name = |uid: &str| clipped(bundle.cluster_name.as_deref().unwrap_or(uid), NAME_SHOWN);
        Self {
            stored: view::Page::of(&detail.analysis, T),
            name: path(bundle),
            input: bundle.input.clone(),
            ticket: ticket(&detail.ticket),
            cluster_page: uid.map(|uid| (format!("{ROOT}{}", names::cluster(uid)), name(uid))),
            copies: detail.copies.iter().map(path).collect(),
            more_copies: detail.more_copies,
            notes: notes(detail),
            alike: detail.alike.iter().map(AlikeRow::of).collect(),
            report: matches!(again, Again::Report).then(|| format!("{ROOT}{}", names::report(bundle))),
            failed: match again {
                Again::Failed(why) => Some(clipped(why, TEXT_SHOWN)),
                Again::Not | Again::Report => None,
            },
        }
    }
}

/// Bundle that is like this one.
#[derive(Serialize)]
struct AlikeRow {
    bundle: BundleRow,
    percent: u64,
    /// Rules with their pages.
    rules: Vec<(String, String)>,
    more_rules: u64,
    /// `3 messages without a rule`; none without them.
    templates: Option<String>,
}

impl AlikeRow {
    /// Maximum number of rules named.
    const RULES: usize = 5;

    fn of(alike: &Alike) -> Self {
        let rule = |id: &String| (clipped(id, NAME_SHOWN), format!("{ROOT}{}", names::rule(id)));
        Self {
            bundle: BundleRow::of(&alike.bundle, ROOT),
            percent: alike.percent,
            rules: alike.rules.iter().take(Self::RULES).map(rule).collect(),
            more_rules: alike.rules.len().saturating_sub(Self::RULES) as u64,
            templates: (alike.templates > 0).then(|| format!("{} without a rule", counted(alike.templates, "message"))),
        }
    }
}

fn ticket(known: &TicketFacts) -> Vec<(&'static str, String)> {
    let TicketFacts { ticket, customer, product, resolution } = known;
    let all =
        [("Ticket", ticket), ("Customer", customer), ("Product of the ticket", product), ("Resolution", resolution)];
    let shown = |(label, value): (&'static str, &Option<String>)| Some((label, clipped(value.as_deref()?, TEXT_SHOWN)));
    all.into_iter().filter_map(shown).collect()
}

/// Lists the parts that this page does not have.
fn notes(detail: &BundleDetail) -> Vec<String> {
    let left = |count: u64, what: &str| (count > 0).then(|| format!("{} not shown", counted(count, what)));
    let gone = detail.gone.then(|| "The file no longer exists".to_owned());
    [
        gone,
        left(detail.more_findings, "further finding").map(|note| format!("{note}; the most severe causes are listed")),
        left(detail.more_evidence, "further piece").map(|note| note.replace(" not", " of evidence not")),
        left(detail.more_issues, "further issue"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
