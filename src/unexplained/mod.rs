//! Errors that no rule explains: the templates of all logs, without lines of findings and harmless ones, the most telling first.
//!
//! [`cluster`] adds up the templates of all sources and merges those that differ in few words, [`rank`] says how telling each is,
//! and [`incident`] joins those that moved together. Everything is sorted before it is merged, so that neither threads nor the
//! order of entries show. [`census`] keeps all templates of a bundle for a store.

mod benign;
mod census;
mod cluster;
mod incident;
mod rank;

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::log::{LogSource, MinedSource, MinedTemplate, QueryId};
use crate::model::unexplained::{LeftOut, Level, Unexplained};
use crate::model::{Finding, ObjectRef};
pub use census::census;
use cluster::Cluster;

/// What a bundle's templates are compared with.
pub struct Known<'a> {
    /// Queries of rules that fired.
    pub queries: &'a BTreeSet<QueryId>,
    pub findings: &'a [Finding],
}

/// Lists the `most` telling incidents.
pub fn unexplained(mut mined: Vec<MinedSource>, known: &Known<'_>, most: usize) -> Unexplained {
    mined.sort_by(|a, b| order(a).cmp(&order(b)));
    let shortened = mined.iter().filter(|source| source.shortened).count();
    let lines = mined.iter().flat_map(|source| &source.templates).map(|template| template.lines).sum();
    let mut left = LeftOut::default();
    let names = names(known.findings);
    let mut open = cluster::clusters(&mined, &|template| explained(template, known.queries), &mut left.matched);
    open.retain(|cluster| {
        // What a program ended with is never left out.
        if cluster.level() == Level::Fatal {
            return true;
        }
        let (is_named, is_benign) = (is_named(cluster, &names), benign::is_benign(&cluster.text()));
        left.named += usize::from(is_named);
        left.benign += usize::from(is_benign && !is_named);
        !is_named && !is_benign
    });
    let mut ranked = rank::ranked(open, &mined);
    let telling = ranked.partition_point(|ranked| ranked.score >= rank::FAINT);
    left.faint = ranked.len() - telling;
    ranked.truncate(telling);
    Unexplained { incidents: incident::incidents(ranked, &mined, most), lines, left, shortened }
}

/// Returns the number of lines that rules which fired matched.
fn explained(template: &MinedTemplate, queries: &BTreeSet<QueryId>) -> u64 {
    let by_rules = template.matched.iter().filter(|(matched, _)| matched.iter().any(|query| queries.contains(query)));
    by_rules.map(|(_, lines)| lines).sum()
}

/// Returns names that lines may have only because they are about an object of a finding. A node or a namespace is in too many lines.
fn names(findings: &[Finding]) -> BTreeSet<&str> {
    let is_telling = |object: &&ObjectRef| !["Node", "Namespace"].contains(&&*object.kind) && object.name.len() >= 8;
    findings.iter().flat_map(|finding| &finding.objects).filter(is_telling).map(|object| &*object.name).collect()
}

/// Returns whether the line shown of a cluster has one of the names, whole.
fn is_named(cluster: &Cluster<'_>, names: &BTreeSet<&str>) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    cluster.sample().split(|c: char| !joins(c)).any(|word| names.contains(word.trim_matches('.')))
}

/// Sort key: by source, entries of the same name by content.
fn order(source: &MinedSource) -> (&LogSource, Option<Timestamp>, Option<Timestamp>, u64) {
    (&source.source, source.last, source.first, source.lines)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::log::{Clock, LogQuery, PatternSet, Selector, SourceGlob, SourceOrigin};

    fn source(pod: &str) -> LogSource {
        let origin = SourceOrigin::Container {
            namespace: "demo".into(),
            pod: pod.into(),
            container: "main".into(),
            previous: false,
        };
        LogSource { entry: format!("logs/{pod}.log").into(), origin }
    }

    /// Mines logs by pod; the query with number 0 finds `known`.
    fn mined(logs: &[(&str, String)]) -> Vec<MinedSource> {
        let any = Selector { any: vec![SourceGlob { pod: Some("none".into()), ..SourceGlob::default() }] };
        let known = Selector { any: vec![SourceGlob { pod: Some("*".into()), ..SourceGlob::default() }] };
        let query =
            |selector, pattern: &str| LogQuery { selector, patterns: vec![pattern.to_owned()], ..LogQuery::default() };
        let mut set = PatternSet::compile(vec![query(known, "known trouble"), query(any, "never")]).unwrap();
        set.mine();
        let scan = |(pod, log): &(&str, String)| {
            set.scanner(&source(pod), "p", Clock::default()).unwrap().scan(&mut log.as_bytes()).mined.unwrap()
        };
        logs.iter().map(scan).collect()
    }

    fn found(logs: &[(&str, String)], queries: &[QueryId]) -> Unexplained {
        let queries = queries.iter().copied().collect();
        unexplained(mined(logs), &Known { queries: &queries, findings: &[] }, 20)
    }

    fn texts(found: &Unexplained) -> Vec<String> {
        found.incidents.items.iter().map(|incident| incident.lead.text.clone()).collect()
    }

    /// A log of some hours, with a line of each text every ten minutes.
    fn log(hours: u32, texts: &[&str]) -> String {
        let minutes = (0..hours * 6).map(|n| format!("2026-03-01T{:02}:{:02}:00Z", n / 6, n % 6 * 10));
        minutes.flat_map(|time| texts.iter().map(move |text| format!("{time} {text}\n"))).collect()
    }

    #[test]
    fn lines_of_findings_are_left_out_by_their_hits() {
        let logs = [("a", log(3, &["level=error msg=\"known trouble 7\"", "level=error msg=\"lost disk 9\""]))];
        assert_eq!(found(&logs, &[]).incidents.items[0].together.items.len(), 1);
        let left = found(&logs, &[0]);
        assert_eq!(texts(&left), ["msg lost disk <*>"]);
        assert_eq!((left.left.matched, left.incidents.items[0].lead.lines, left.lines), (1, 18, 36));
    }

    #[test]
    fn the_order_of_logs_does_not_show() {
        let logs = [
            ("a", log(3, &["level=error msg=\"lost disk alpha of node one\""])),
            ("b", log(2, &["level=error msg=\"lost disk beta of node one\"", "level=fatal msg=gone"])),
            ("c", log(5, &["level=warning msg=\"slow disk 1\"", "level=error msg=\"refused by peer\""])),
        ];
        let want = found(&logs, &[]);
        assert!(want.incidents.items.len() > 1);
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(found(&order.map(|at: usize| logs[at].clone()), &[]), want);
        }
    }

    #[test]
    fn fatal_lines_come_first_and_are_never_left_out() {
        let calm = log(3, &["level=error msg=\"the object has been modified\"", "level=error msg=\"watch failed\""]);
        let logs = [("a", calm + "2026-03-01T02:59:00Z level=fatal msg=\"the object has been modified\"\n")];
        let found = found(&logs, &[]);
        assert_eq!(found.incidents.items[0].lead.level, Level::Fatal);
        assert_eq!(found.left.benign, 1);
    }

    #[test]
    fn one_warning_is_no_news() {
        let quiet = log(3, &["level=info msg=\"all failed\""]);
        let found = found(&[("a", quiet + "2026-03-01T02:59:00Z level=warning msg=\"slow disk\"\n")], &[]);
        assert_eq!((texts(&found), found.left.faint), (vec![], 1));
    }

    #[test]
    fn secrets_are_masked_before_there_is_a_template() {
        let found = found(&[("a", log(3, &["level=error msg=\"login failed\" password=horsebattery"]))], &[]);
        assert!(!format!("{found:?}").contains("horse"), "{found:?}");
    }

    #[test]
    fn lines_count_once_and_add_up() {
        let mined = mined(&[("a", log(24, &["level=error msg=\"lost disk 1\"", "\tat main.go:7"]))]);
        let template = &mined[0].templates[0];
        assert_eq!((mined[0].templates.len(), template.lines), (1, 144));
        assert_eq!(template.times.stretches().map(|(_, count)| count).sum::<u64>(), 144);
        assert_eq!((template.first.1, template.last.1), (1, 287));
        assert_eq!(template.matched, BTreeMap::new());
    }
}
