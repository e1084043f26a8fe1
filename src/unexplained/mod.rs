//! Errors that no rule explains: the templates of all logs, without lines of findings and harmless ones, the most telling first.
//!
//! [`cluster`] adds up the templates of all sources and merges those that differ in few words, [`rank`] says how telling each is,
//! [`incident`] joins those that moved together, and [`behind`] finds those that may be the cause of a finding. Everything is sorted
//! before it is merged, so that neither threads nor the order of entries show. Which known line a template is, is decided before it is
//! merged, for two lines may differ in one word that matters. [`census`] keeps all templates of a bundle for a store.

mod archive;
mod behind;
mod census;
mod cluster;
mod compared;
mod copies;
mod explained;
mod incident;
mod rank;
mod shape;
mod usual;

use crate::known_lines::KnownHere;
use crate::log::MinedSource;
use crate::model::unexplained::{LeftOut, Level, LogTemplate, Unexplained};
use crate::model::{Finding, Histogram, OpenFinding};
pub use archive::Archive;
pub use census::census;
use cluster::Cluster;
use compared::Compared;
use explained::Explained;
pub use explained::FiredQueries;
pub use usual::Usual;

/// What a bundle's templates are compared with.
pub struct Known<'a> {
    pub queries: &'a FiredQueries,
    pub findings: &'a [Finding],
    /// Findings without a cause.
    pub open: &'a [OpenFinding],
    /// What the cluster's logs say while it is healthy, if that is known.
    pub usual: Option<&'a Usual>,
    /// What other clusters log, if that is known.
    pub archive: Option<&'a Archive>,
    pub lines: KnownHere<'a>,
}

/// Lists the `most` telling incidents, and for each open finding the most telling templates behind it.
pub fn unexplained(
    mut mined: Vec<MinedSource>,
    known: &Known<'_>,
    most: usize,
) -> (Unexplained, Vec<Vec<LogTemplate>>) {
    copies::sort(&mut mined);
    let shortened = mined.iter().filter(|source| source.shortened).count();
    let templates = || mined.iter().flat_map(|source| &source.templates);
    let lines = templates().map(|template| template.lines).sum();
    let mut times = Histogram::default();
    templates().for_each(|template| times.merge(&template.times));
    let mut left = LeftOut { usual: known.usual.map(|_| 0), common: known.archive.map(|_| 0), ..LeftOut::default() };
    let open = open(&mined, known, &mut left);
    let mut ranked = rank::ranked(open, &mined);
    let telling = ranked.partition_point(|ranked| !ranked.is_faint());
    left.faint = ranked.len() - telling;
    ranked.truncate(telling);
    let behind = behind::behind(known.open, &ranked, &mined, known.lines);
    let incidents = incident::incidents(ranked, &mined, known.lines, most);
    let clusters = known.archive.map(|archive| archive.clusters);
    (Unexplained { incidents, lines, times, left, shortened, clusters }, behind)
}

/// Returns the templates that nothing explains. What a program ended with is never left out but for lines that rules matched.
fn open<'m>(mined: &'m [MinedSource], known: &Known<'_>, left: &mut LeftOut) -> Vec<Cluster<'m>> {
    let explained = Explained::of(known.queries, known.findings, known.lines);
    let mut equal = cluster::equal(mined);
    if let Some(usual) = known.usual {
        usual.compare(&mut equal, mined);
    }
    equal.retain_mut(|cluster| {
        let is_open = cluster.without(mined, |source, template| explained.lines(source, template));
        left.matched += usize::from(!is_open);
        let is_usual = is_open && cluster.compared == Some(Compared::Usual) && cluster.level() != Level::Fatal;
        left.usual.iter_mut().for_each(|usual| *usual += usize::from(is_usual));
        is_open && !is_usual
    });
    equal.retain_mut(|cluster| {
        let is_harmless = cluster.recognise(known.lines, mined);
        left.benign += usize::from(is_harmless);
        !is_harmless
    });
    if let Some(archive) = known.archive {
        equal.retain_mut(|cluster| {
            let is_common = cluster.compare_with(archive);
            left.common.iter_mut().for_each(|common| *common += usize::from(is_common));
            !is_common
        });
    }
    let mut open = cluster::merged(equal);
    open.retain(|cluster| {
        let reason = match cluster.level() {
            Level::Fatal => None,
            _ if explained.names(cluster) => Some(&mut left.named),
            _ if explained.moves(cluster, mined) => Some(&mut left.together),
            _ => None,
        };
        reason.map(|count| *count += 1).is_none()
    });
    open
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::known_lines::{KnownLines, Template};
    use crate::log::{Clock, LogQuery, LogSource, PatternSet, QueryId, Selector, SourceGlob, SourceOrigin, VARIES};
    use crate::model::known_line::KnownLine;
    use crate::model::unexplained::Telling;
    use crate::model::{Component, NodePart, ObjectRef};

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
        found_with(logs, queries, &[("the object has been modified", true)])
    }

    fn known_line(words: &str) -> (Template, KnownLine) {
        let line = KnownLine { component: "main".to_owned(), ..KnownLine::default() };
        (Template::of(words), line)
    }

    /// Known lines of which the tests of this module need no more than their words, and whether they are benign.
    fn known_lines(lines: &[(&str, bool)]) -> KnownLines {
        let line = |(words, benign): &(&str, bool)| {
            let (template, line) = known_line(words);
            (template, KnownLine { benign: *benign, ..line })
        };
        KnownLines::new(lines.iter().map(line).collect())
    }

    fn found_with(logs: &[(&str, String)], queries: &[QueryId], lines: &[(&str, bool)]) -> Unexplained {
        let queries = FiredQueries { proving: queries.iter().copied().collect(), ..FiredQueries::default() };
        let (lines, versions) = (known_lines(lines), BTreeMap::new());
        let lines = KnownHere { lines: &lines, versions: &versions };
        unexplained(
            mined(logs),
            &Known { queries: &queries, findings: &[], open: &[], usual: None, archive: None, lines },
            20,
        )
        .0
    }

    /// Returns the errors behind a finding about a component, that began at a time if it is known.
    fn errors_behind(mined: Vec<MinedSource>, component: Component, begin: Option<&str>) -> Vec<String> {
        let begin = begin.map(|begin| begin.parse().unwrap());
        let open = [OpenFinding { finding: 0, components: vec![component], begin }];
        let (lines, versions) = (known_lines(&[]), BTreeMap::new());
        let lines = KnownHere { lines: &lines, versions: &versions };
        let known =
            Known { queries: &FiredQueries::default(), findings: &[], open: &open, usual: None, archive: None, lines };
        let (_, behind) = unexplained(mined, &known, 20);
        behind.into_iter().flatten().map(|error| error.text).collect()
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
        let lost = "level=error msg=\"lost disk 9\"";
        let both = log(1, &["level=error msg=\"known trouble 7\"", lost]);
        let logs = [("a", both.clone() + log(3, &[lost]).split_at(both.len() / 2).1)];
        let all = found(&logs, &[]);
        assert_eq!(texts(&all).len(), 2, "{:?}", texts(&all));
        let left = found(&logs, &[0]);
        assert_eq!(texts(&left), ["msg lost disk <*>"]);
        assert_eq!(
            (left.left.matched, left.incidents.items[0].lead.lines + 6, left.lines),
            (1, left.lines, left.lines)
        );
    }

    #[test]
    fn lines_written_together_with_those_of_findings_are_left_out_but_for_fatal_ones() {
        let beside =
            ["level=error msg=\"known trouble 7\"", "level=error msg=\"lost disk 9\"", "level=fatal msg=\"no disk 9\""];
        let logs = [("a", log(3, &beside))];
        assert_eq!(found(&logs, &[]).incidents.items[0].together.items.len(), 2);
        let left = found(&logs, &[0]);
        assert_eq!((texts(&left), left.left.together), (vec!["msg no disk <*>".to_owned()], 1));
    }

    #[test]
    fn a_line_that_says_worse_is_no_part_of_another_entry() {
        let beside =
            ["level=error msg=\"lost disk refused 9\"", "level=error msg=\"update failed: fatal: dubious owner\""];
        let both = found(&[("a", log(3, &beside))], &[]);
        assert_eq!(texts(&both), ["msg lost disk refused <*>", "msg update failed fatal dubious owner"]);
        let mild = beside.map(|line| line.replace("fatal: ", ""));
        let plain = found(&[("a", log(3, &mild.each_ref().map(String::as_str)))], &[]);
        assert_eq!(plain.incidents.items[0].together.items.len(), 1);
    }

    #[test]
    fn a_harmless_line_is_left_out_unless_a_logger_calls_it_fatal() {
        let known = [("no config space", true)];
        let spoken = found_with(&[("a", log(3, &["bus: fatal: no config space"]))], &[], &known);
        assert_eq!((texts(&spoken), spoken.left.benign), (vec![], 1));
        let stated = found_with(&[("a", log(3, &["level=fatal msg=\"no config space\""]))], &[], &known);
        assert_eq!((stated.incidents.items.len(), stated.left.benign), (1, 0));
    }

    #[test]
    fn help_and_source_code_are_no_errors() {
        let help = "      --strict   If true, errors are fatal";
        let said = ["level=error msg=\"lost disk\"", help, "src/a/b.go:12:\tlog.Fatal(err)"];
        assert_eq!(texts(&found(&[("a", log(3, &said))], &[])), ["msg lost disk"]);
    }

    #[test]
    fn lines_that_stand_in_two_files_count_once() {
        let lines = log(3, &["level=error msg=\"lost disk 9\"", "level=error msg=\"refused by peer\""]);
        let part = lines.split_at(lines.len() / 2).0;
        let one = found(&[("a", lines.clone())], &[]);
        let mut twice = mined(&[("a", lines.clone()), ("a", part.to_owned())]);
        copies::sort(&mut twice);
        let kept: Vec<usize> = twice.iter().map(|source| source.templates.len()).collect();
        assert_eq!(kept.iter().sum::<usize>(), 2, "{kept:?}");
        assert_eq!(found(&[("a", lines.clone()), ("a", part.to_owned())], &[]).lines, one.lines);
        assert_eq!(
            found(&[("a", lines.clone()), ("b", lines)], &[]).lines,
            2 * one.lines,
            "pods write their own lines"
        );
    }

    #[test]
    fn errors_behind_a_finding_are_those_of_its_pods_around_its_beginning() {
        let lost = log(3, &["level=error msg=\"lost disk 9\""]);
        let later = lost.replace("2026-03-01T", "2026-03-02T").replace("lost disk", "refused by peer");
        let logs = [("a", lost.clone() + &later), ("b", lost.replace("lost disk", "stuck in queue"))];
        let behind = |pod: &str, begin: Option<&str>| {
            let component = Component::Object(ObjectRef::new("", "Pod", Some("demo"), pod));
            errors_behind(mined(&logs), component, begin)
        };
        assert_eq!(behind("a", Some("2026-03-01T01:00:00Z")), ["msg lost disk <*>"]);
        assert_eq!(behind("a", Some("2026-03-02T02:00:00Z")), ["msg refused by peer <*>"]);
        assert_eq!(behind("a", None).len(), 2);
        assert_eq!(behind("b", Some("2026-03-01T01:00:00Z")), ["msg stuck in queue <*>"]);
        assert_eq!(behind("b", Some("2026-03-01T12:00:00Z")), [""; 0]);
        assert_eq!(behind("c", None), [""; 0]);
    }

    #[test]
    fn errors_of_a_node_behind_a_finding_count_if_they_began_shortly_before() {
        let of_node = |text: &str| {
            let origin = SourceOrigin::Unit { node: "n1".into(), unit: "kernel".into() };
            let source = LogSource { entry: "nodes/n1/kernel.log".into(), origin };
            let any = Selector { any: vec![SourceGlob { pod: Some("none".into()), ..SourceGlob::default() }] };
            let query = LogQuery { selector: any, patterns: vec!["never".to_owned()], ..LogQuery::default() };
            let mut set = PatternSet::compile(vec![query]).unwrap();
            set.mine();
            let log = log(3, &[text]);
            set.scanner(&source, "p", Clock::default()).unwrap().scan(&mut log.as_bytes()).mined.unwrap()
        };
        let behind = |begin: Option<&str>| {
            let component = Component::Node { node: "n1".to_owned(), part: NodePart::Kubelet };
            errors_behind(vec![of_node("level=error msg=\"lost disk 9\"")], component, begin)
        };
        assert_eq!(behind(Some("2026-03-01T01:00:00Z")), ["msg lost disk <*>"]);
        assert_eq!(behind(Some("2026-03-01T02:30:00Z")), [""; 0], "a line of every hour");
        assert_eq!(behind(None), [""; 0]);
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
    fn what_most_clusters_of_an_archive_log_is_counted_and_the_rest_says_how_many_have_it() {
        let said =
            ["level=error msg=\"lost peer\"", "level=error msg=\"no route to peer\"", "level=fatal msg=\"lost disk\""];
        let logs = [("a", log(3, &said[..1])), ("b", log(3, &said[1..2])), ("c", log(3, &said[2..]))];
        let with = |clusters: u64, known: &[(&str, bool)]| {
            let entry = |level, text: &str| ((level, text.to_owned()), clusters);
            let templates = [entry(Level::Error, "msg lost peer"), entry(Level::Fatal, "msg lost disk")];
            let archive = Archive { clusters: 10, templates: BTreeMap::from(templates) };
            let (lines, versions) = (known_lines(known), BTreeMap::new());
            let lines = KnownHere { lines: &lines, versions: &versions };
            let known = Known {
                queries: &FiredQueries::default(),
                findings: &[],
                open: &[],
                usual: None,
                archive: Some(&archive),
                lines,
            };
            let found = unexplained(mined(&logs), &known, 20).0;
            let entries =
                found.incidents.items.iter().map(|i| format!("{} {:?}", i.lead.text, i.lead.clusters.unwrap()));
            (entries.collect::<Vec<_>>(), found.left.common, found.clusters)
        };
        let rare = ["msg lost disk 2", "msg lost peer 2", "msg no route to peer 0"];
        assert_eq!(with(2, &[]), (rare.map(str::to_owned).to_vec(), Some(0), Some(10)));
        let common = ["msg lost disk 8", "msg no route to peer 0"];
        assert_eq!(with(8, &[]), (common.map(str::to_owned).to_vec(), Some(1), Some(10)));
        assert_eq!(with(8, &[("lost peer", false)]).1, Some(0), "a failure whose meaning is known stays");
    }

    #[test]
    fn known_lines_say_so_and_stand_before_others() {
        let logs = [
            ("a", log(3, &["level=error msg=\"lost peer\""])),
            ("b", log(3, &["level=error msg=\"no route to peer\""])),
        ];
        assert_eq!(texts(&found(&logs, &[])), ["msg lost peer", "msg no route to peer"]);
        let found = found_with(&logs, &[], &[("no route to peer", false)]);
        let leads: Vec<_> = found
            .incidents
            .items
            .iter()
            .map(|incident| (&*incident.lead.text, incident.lead.known.is_some()))
            .collect();
        assert_eq!(leads, [("msg no route to peer", true), ("msg lost peer", false)]);
        assert!(found.incidents.items[0].why.contains(&Telling::Known));
    }

    #[test]
    fn a_short_line_of_another_program_is_not_known() {
        let logs = [
            ("shop", log(3, &["level=error msg=\"no route to peer\""])),
            ("router", log(1, &["level=error msg=\"no route to peer\""])),
        ];
        let (template, line) = known_line("no route to peer");
        let known = |benign| {
            let line = KnownLine { component: "router".to_owned(), benign, ..line.clone() };
            let (lines, versions) = (KnownLines::new(vec![(template.clone(), line)]), BTreeMap::new());
            let lines = KnownHere { lines: &lines, versions: &versions };
            let known = Known {
                queries: &FiredQueries::default(),
                findings: &[],
                open: &[],
                usual: None,
                archive: None,
                lines,
            };
            unexplained(mined(&logs), &known, 20).0.incidents.items.remove(0).lead
        };
        let lead = known(false);
        assert_eq!((lead.lines, lead.known), (24, None), "most of the lines are another program's");
        assert_eq!(known(true).lines, 18, "only the router's are harmless");
    }

    #[test]
    fn general_words_say_what_is_meant_and_order_nothing() {
        let logs = [
            ("a", log(3, &["level=error msg=\"lost peer\""])),
            ("b", log(3, &["level=error msg=\"no route to peer\""])),
        ];
        let (template, line) = known_line("no route to peer");
        let (lines, versions) =
            (KnownLines::new(vec![(template, KnownLine { general: true, ..line })]), BTreeMap::new());
        let lines = KnownHere { lines: &lines, versions: &versions };
        let known =
            Known { queries: &FiredQueries::default(), findings: &[], open: &[], usual: None, archive: None, lines };
        let found = unexplained(mined(&logs), &known, 20).0;
        let leads = found.incidents.items.iter().map(|incident| (&*incident.lead.text, incident.lead.known.is_some()));
        assert_eq!(leads.collect::<Vec<_>>(), [("msg lost peer", false), ("msg no route to peer", true)]);
        assert!(found.incidents.items.iter().all(|incident| !incident.why.contains(&Telling::Known)));
    }

    #[test]
    fn lines_of_different_meaning_are_not_merged() {
        let logs: Vec<(&str, String)> = ["attach", "detach"]
            .map(|verb| (verb, log(3, &[&*format!("level=error msg=\"cannot {verb} the volume of node\"")])))
            .to_vec();
        assert_eq!(texts(&found(&logs, &[])), ["msg cannot <*> the volume of node"]);
        let found = found_with(&logs, &[], &[("cannot attach the volume", false)]);
        assert_eq!(texts(&found), ["msg cannot attach the volume of node", "msg cannot detach the volume of node"]);
        let known = found.incidents.items.iter().map(|incident| incident.lead.known.is_some());
        assert_eq!(known.collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_line_that_a_finding_quotes_stays_if_only_a_known_line_says_what_it_means() {
        let logs = [("main", log(3, &["level=error msg=\"known trouble of disk\""]))];
        let queries = FiredQueries { quoting: BTreeSet::from([0]), ..FiredQueries::default() };
        let (versions, none, benign) = (BTreeMap::new(), known_lines(&[]), known_lines(&[("known trouble", true)]));
        let general = KnownLine { general: true, ..known_line("").1 };
        let general = KnownLines::new(vec![(Template::of("known trouble"), general)]);
        for (lines, want) in [(&none, 0), (&benign, 0), (&known_lines(&[("known trouble", false)]), 1), (&general, 1)] {
            let lines = KnownHere { lines, versions: &versions };
            let known = Known { queries: &queries, findings: &[], open: &[], usual: None, archive: None, lines };
            let found = unexplained(mined(&logs), &known, 20).0;
            assert_eq!((found.incidents.items.len(), found.left.matched), (want, 1 - want), "{lines:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn no_known_line_takes_an_incident_away(
            said in vec((0..6_usize, 1..24_u32), 1..12),
            known in vec((0..6_usize, any::<bool>()), 0..6),
        ) {
            let words = ["lost disk of node", "lost peer of node", "no route to host", "known trouble of disk", "failed to sync pod", "is not yet ready"];
            let levels = ["warning", "error", "fatal"];
            let logs: Vec<(&str, String)> = ["a", "b"].into_iter().enumerate().map(|(at, pod)| {
                let said = said.iter().skip(at);
                (pod, said.map(|(word, hours)| log(*hours, &[&format!("level={} msg=\"{} 7\"", levels[word % 3], words[*word])])).collect())
            }).collect();
            let lines = |benign: bool| known.iter().filter(|(_, is)| *is <= benign).map(|(word, benign)| (words[*word], *benign)).collect::<Vec<_>>();
            let all = |found: &Unexplained| -> BTreeSet<(Level, String)> {
                let incidents = found.incidents.items.iter();
                incidents.flat_map(|incident| std::iter::once(&incident.lead).chain(&incident.together.items)).map(|template| (template.level, template.text.clone())).collect()
            };
            // Lines of another meaning are no longer merged, so that what was one template may be several.
            let is_part = |(level, text): &(Level, String), (of, whole): &(Level, String)| {
                let words = text.split(' ').zip(whole.split(' '));
                level == of && text.split(' ').count() == whole.split(' ').count() && words.into_iter().all(|(word, of)| word == of || of == VARIES)
            };
            for queries in [&[][..], &[0]] {
                let before = all(&found_with(&logs, queries, &[]));
                let with_known = all(&found_with(&logs, queries, &lines(false)));
                prop_assert!(before.iter().all(|whole| with_known.iter().any(|part| is_part(part, whole))));
                let after = all(&found_with(&logs, queries, &lines(true)));
                prop_assert!(before.iter().filter(|(level, _)| *level == Level::Fatal).all(|fatal| after.contains(fatal)));
            }
        }
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
