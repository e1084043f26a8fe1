//! Common parts of table rows: bundles, rules and shares in words.

use serde::Serialize;

use super::facts::{Bundle, Rule};
use super::names;
use crate::model::Severity;
use crate::report::lexicon::Lexicon;
use crate::report::{view, words};

/// These pages are English.
pub const T: Lexicon = Lexicon::ENGLISH;

/// Maximum length of a title and of a reason, in characters.
pub const TEXT_SHOWN: usize = 400;
/// Maximum length of a path, a version and a cluster name, in characters.
pub const NAME_SHOWN: usize = 160;

/// Bundle with a link to its page.
#[derive(Serialize)]
pub struct BundleRow {
    href: String,
    /// `2026/T-1/bundle.zip!/inner.zip`.
    name: String,
    /// `Harvester v1.4.0`.
    kind: String,
    cluster: Option<String>,
    collected: Option<String>,
    ticket: Option<String>,
    customer: Option<Customer>,
    resolution: Option<String>,
}

/// Customer with a link to his page.
#[derive(Serialize)]
pub struct Customer {
    pub href: String,
    pub name: String,
}

impl Customer {
    /// Builds the link; `root` leads to the folder of the overview.
    pub fn of(name: &str, root: &str) -> Self {
        Self { href: format!("{root}{}", names::customer(name)), name: clipped(name, NAME_SHOWN) }
    }
}

impl BundleRow {
    /// Builds the row; `root` leads to the folder of the overview.
    pub fn of(bundle: &Bundle, root: &str) -> Self {
        Self {
            href: format!("{root}{}", names::bundle(bundle)),
            name: path(bundle),
            kind: kind(bundle),
            cluster: bundle.cluster_name.as_deref().map(|name| clipped(name, NAME_SHOWN)),
            collected: bundle.collected_at.map(words::instant),
            ticket: bundle.ticket.as_deref().map(|ticket| clipped(ticket, NAME_SHOWN)),
            customer: bundle.customer.as_deref().map(|name| Customer::of(name, root)),
            resolution: bundle.resolution.as_deref().map(|ended| clipped(ended, TEXT_SHOWN)),
        }
    }
}

/// Returns the path of a bundle below the folder that was searched, shortened at its start.
pub fn path(bundle: &Bundle) -> String {
    let whole = match bundle.place.as_str() {
        "" if bundle.path.is_empty() => bundle.input.clone(),
        "" => bundle.path.clone(),
        place => format!("{}!/{place}", bundle.path),
    };
    let length = whole.chars().count();
    let cut = whole.char_indices().nth(length.saturating_sub(NAME_SHOWN)).map_or(0, |(at, _)| at);
    if cut == 0 { whole } else { format!("…{}", whole.get(cut..).unwrap_or_default()) }
}

/// `Harvester v1.4.0`; without a version, the kind alone.
fn kind(bundle: &Bundle) -> String {
    match (&bundle.product, &bundle.version) {
        (Some(product), Some(version)) => format!("{} {}", view::product_name(product), clipped(version, NAME_SHOWN)),
        _ => view::kind_name(&bundle.kind, T),
    }
}

/// Rule with a link to its page.
#[derive(Serialize)]
pub struct RuleLink {
    pub href: String,
    id: String,
    pub title: String,
    pub severity: &'static str,
}

impl RuleLink {
    /// Builds the link; `root` leads to the folder of the overview.
    pub fn of(rule: &Rule, root: &str) -> Self {
        Self {
            href: format!("{root}{}", names::rule(&rule.id)),
            id: clipped(&rule.id, NAME_SHOWN),
            title: clipped(if rule.title.is_empty() { &rule.id } else { &rule.title }, TEXT_SHOWN),
            severity: severity(&rule.severity),
        }
    }
}

/// Returns the severity with that name, for CSS classes; the lowest for an unknown name.
pub fn severity(name: &str) -> &'static str {
    Severity::parse(name).unwrap_or(Severity::Info).as_str()
}

/// `12 of 200 (6 %)`, or `none` if `all` is zero.
pub fn of_all(part: u64, all: u64) -> String {
    match percent(part, all) {
        Some(percent) => format!("{} of {} ({percent})", words::number(part), words::number(all)),
        None => "none".to_owned(),
    }
}

/// `6 %`; none if `all` is zero. Returns 0 and 100 only for exactly none and all.
pub fn percent(part: u64, all: u64) -> Option<String> {
    if all == 0 {
        return None;
    }
    let percent = part.saturating_mul(200).saturating_add(all) / all.saturating_mul(2);
    Some(match percent {
        0 if part > 0 => "< 1 %".to_owned(),
        100 if part < all => "> 99 %".to_owned(),
        percent => format!("{percent} %"),
    })
}

/// Returns at most `limit` characters.
pub fn clipped(text: &str, limit: usize) -> String {
    words::clipped(text, limit).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_and_never_lie() {
        let shares = [(0, 9), (1, 9), (9, 9), (1, 1_000), (999, 1_000), (1, 8)];
        let told: Vec<_> = shares.iter().filter_map(|(part, all)| percent(*part, *all)).collect();
        assert_eq!(told, ["0 %", "11 %", "100 %", "< 1 %", "> 99 %", "13 %"]);
        assert_eq!((percent(0, 0), of_all(0, 0)), (None, "none".to_owned()));
        assert_eq!(of_all(1_200, 2_400), "1,200 of 2,400 (50 %)");
    }

    #[test]
    fn the_end_of_a_long_path_is_kept() {
        let long = Bundle { path: format!("{}/end.zip", "ä".repeat(500)), ..Bundle::default() };
        assert!(path(&long).starts_with("…ä") && path(&long).ends_with("/end.zip"));
        assert_eq!(path(&long).chars().count(), NAME_SHOWN + 1);
        let inner = Bundle { path: "a.zip".into(), place: "b/c.zip".into(), ..Bundle::default() };
        assert_eq!(path(&inner), "a.zip!/b/c.zip");
    }
}
