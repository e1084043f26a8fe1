//! Timeline: findings in the top lanes, then errors of logs and the most frequent warnings, then the cluster, then each node.
//!
//! Positions are percent of the axis, so that the drawing scales to any width.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::finding::{anchor, changed_before};
use super::period::Period;
use crate::model::inventory::{Inventory, Moment, MomentKind};
use crate::model::message::Happening;
use crate::model::unexplained::Unexplained;
use crate::model::{Analysis, Finding, Severity};
use crate::report::lexicon::Lexicon;
use crate::report::lexicon::phrase::{self, Phrase};
use crate::report::rank::Group;
use crate::report::words;

/// Maximum number of lanes for findings and for nodes.
const CAUSES: usize = 12;
const NODES: usize = 40;
/// Number of intervals in which warnings are counted.
const BINS: i64 = 240;
/// Most frequent reasons of warnings that have a lane.
const REASONS: usize = 5;
/// Kinds of warnings named per interval.
const NAMED: usize = 4;
/// Maximum number of moments in the list.
const LISTED: usize = 60;
/// Time after the collection that the axis may cover; certificates that expire later are listed separately.
const AHEAD: SignedDuration = SignedDuration::from_hours(24 * 7);
/// Minimum number of ticks on an axis; the maximum is three times that, see [`steps`].
const TICKS: i64 = 4;
/// Height of a lane, in pixels.
const LANE: usize = 26;
const TITLE: usize = 90;

/// Timeline with its lanes and its list of moments.
#[derive(Serialize)]
pub struct Timeline {
    from: String,
    to: String,
    ticks: Vec<Tick>,
    lanes: Vec<Lane>,
    /// Height in pixels.
    height: usize,
    /// Hours from end to end.
    hours: u64,
    /// Seconds since 1970 of both ends.
    begins: i64,
    ends: i64,
    /// Time of collection.
    collected: Option<String>,
    /// Important moments, by time.
    list: Vec<Item>,
    list_left_out: usize,
    /// Certificates that expire before the axis begins; `later` has those that expire after its end.
    earlier: Vec<Item>,
    later: Vec<Item>,
    lanes_left_out: usize,
    /// True if events may be not collected.
    lacks_events: bool,
}

#[derive(Serialize)]
struct Tick {
    x: String,
    label: String,
    /// 0 is shown at any width, 1 only on a widened axis.
    tier: u8,
}

#[derive(Serialize)]
struct Lane {
    label: String,
    /// Top edge, in pixels.
    y: usize,
    kind: &'static str,
    href: Option<String>,
    marks: Vec<Mark>,
}

/// A bar or, if it has no width, a point.
#[derive(Serialize)]
struct Mark {
    x: String,
    width: Option<String>,
    /// CSS class of its colour and shape.
    tone: &'static str,
    /// Weight up to 10, by the number of events.
    weight: u8,
    title: String,
}

#[derive(Serialize)]
struct Item {
    when: String,
    at: Option<Period>,
    kind: Phrase,
    text: String,
    /// `3 times`.
    again: Option<String>,
    href: Option<String>,
}

/// Time range of the axis.
#[derive(Clone, Copy)]
struct Axis {
    from: Timestamp,
    to: Timestamp,
}

impl Timeline {
    /// Builds the timeline of a bundle; none if no time is known.
    pub fn of(inventory: &Inventory, analysis: &Analysis, groups: &[Group<'_>], t: Lexicon) -> Option<Self> {
        let axis = Axis::of(inventory, analysis)?;
        let causes = || groups.iter().flat_map(Group::causes);
        let symptoms = causes().flat_map(|cause| cause.symptoms.iter().copied());
        let causes: Vec<&Finding> = causes().map(|cause| cause.finding).chain(symptoms).collect();
        let mut lanes: Vec<Lane> = causes.iter().filter_map(|finding| cause(axis, finding, t)).take(CAUSES).collect();
        lanes.extend(analysis.unexplained.as_ref().and_then(|all| errors(axis, all, t)));
        lanes.extend(reasons(axis, inventory, t));
        lanes.extend(of_kind(axis, inventory, MomentKind::Upgrade, t.say(phrase::UPGRADES), t));
        lanes.extend(changes(axis, &analysis.findings, t));
        lanes.extend(of_kind(axis, inventory, MomentKind::Expiry, t.say(phrase::CERTIFICATES), t));
        lanes.extend(warnings(axis, inventory, None, t));
        let nodes = names(inventory, analysis);
        lanes.extend(nodes.iter().take(NODES).filter_map(|node| warnings(axis, inventory, Some(node), t)));
        for (at, lane) in lanes.iter_mut().enumerate() {
            lane.y = (at + 1) * LANE;
        }
        let (list, list_left_out) = list(axis, inventory, &causes, t);
        Some(Self {
            from: t.instant(axis.from),
            to: t.instant(axis.to),
            ticks: ticks(axis),
            height: (lanes.len() + 1) * LANE,
            begins: axis.from.as_second(),
            ends: axis.to.as_second(),
            hours: u64::try_from(axis.to.duration_since(axis.from).as_hours()).unwrap_or(0),
            collected: analysis.bundle.collected_at.and_then(|at| axis.x(at)),
            list,
            list_left_out,
            earlier: ends(inventory, |at| at < axis.from, t),
            later: ends(inventory, |at| at > axis.to, t),
            lanes_left_out: nodes.len().saturating_sub(NODES) + inventory.moments.left_out.min(1),
            lacks_events: inventory.moments.not_collected.is_some(),
            lanes,
        })
    }
}

impl Axis {
    /// Returns the range from the first to the last moment, without certificates that expire far ahead or before
    /// everything else. Moments before the logs begin count if they are findings or boots; events are never older than
    /// the cluster keeps them.
    fn of(inventory: &Inventory, analysis: &Analysis) -> Option<Self> {
        let facts = &analysis.bundle;
        let of_bundle = [facts.logs.from, facts.logs.to, facts.collected_at].into_iter().flatten();
        let of_findings = analysis.findings.iter().flat_map(|f| [f.first_seen, f.last_seen]).flatten();
        let times_of = |kinds: &'static [MomentKind]| {
            let moments = inventory.moments.items.iter().filter(|moment| kinds.contains(&moment.kind));
            moments.flat_map(|moment| [moment.from, moment.to])
        };
        let of_moments = times_of(&[MomentKind::Warning, MomentKind::Boot]);
        let ahead = |at: Timestamp| at.saturating_add(AHEAD).unwrap_or(at);
        let latest = facts.collected_at.map(ahead);
        let times = of_bundle.chain(of_findings).chain(of_moments);
        let times = times.filter(|at| latest.is_none_or(|latest| *at <= latest));
        let (from, to) = times.fold((None, None), |(from, to): (Option<Timestamp>, Option<Timestamp>), at| {
            (Some(from.map_or(at, |from| from.min(at))), Some(to.map_or(at, |to| to.max(at))))
        });
        let (from, to) = (from?, to?);
        let shown = from..=latest.unwrap_or_else(|| ahead(to));
        let to = times_of(&[MomentKind::Expiry]).filter(|at| shown.contains(at)).fold(to, Timestamp::max);
        (from < to).then_some(Self { from, to })
    }

    fn length(self) -> f64 {
        self.to.duration_since(self.from).as_secs_f64()
    }

    fn contains(self, at: Timestamp) -> bool {
        (self.from..=self.to).contains(&at)
    }

    /// Returns the position of a time, if it is on the axis.
    fn x(self, at: Timestamp) -> Option<String> {
        self.contains(at).then(|| self.share(at.duration_since(self.from)))
    }

    fn share(self, duration: SignedDuration) -> String {
        format!("{:.3}%", duration.as_secs_f64() / self.length() * 100.0)
    }

    /// Returns position and width of the part of a period that is on the axis.
    fn stretch(self, from: Timestamp, to: Timestamp) -> Option<(String, Option<String>)> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        let width = to.duration_since(from);
        (from <= to)
            .then(|| (self.share(from.duration_since(self.from)), (!width.is_zero()).then(|| self.share(width))))
    }
}

/// Returns the lane of a finding with a known time.
fn cause(axis: Axis, finding: &Finding, t: Lexicon) -> Option<Lane> {
    let last = finding.last_seen.or(finding.first_seen)?;
    let first = finding.first_seen.unwrap_or(last);
    let (x, width) = axis.stretch(first, last)?;
    let told = words::sentence(&finding.title, usize::MAX);
    let title = format!("{told}\n{}", t.span(first, last));
    Some(Lane {
        label: words::clipped(&told, TITLE).into_owned(),
        y: 0,
        kind: "cause",
        href: Some(anchor(&finding.fingerprint)),
        marks: vec![Mark { x, width, tone: finding.severity.as_str(), weight: 10, title }],
    })
}

/// Returns the lane of all lines of logs that report trouble, with a link to those that no rule explains.
fn errors(axis: Axis, unexplained: &Unexplained, t: Lexicon) -> Option<Lane> {
    let times = &unexplained.times;
    let most = times.stretches().map(|(_, count)| count).max()?;
    let length = SignedDuration::from_secs(times.width());
    let bar = |(from, count): (Timestamp, u64)| {
        let to = from.saturating_add(length).ok()?;
        let (x, width) = axis.stretch(from, to)?;
        let title = t.fill(phrase::LinesOfTrouble { n: count, when: &t.span(from, to) });
        Some(Mark { x, width: Some(width?), tone: "error", weight: weight(count, most), title })
    };
    let marks: Vec<Mark> = times.stretches().filter_map(bar).collect();
    let label = t.say(phrase::ERRORS_OF_LOGS).to_owned();
    let href = (!unexplained.incidents.items.is_empty()).then(|| "unexplained".to_owned());
    (!marks.is_empty()).then_some(Lane { label, y: 0, kind: "errors", href, marks })
}

/// Returns a lane for each of the most frequent reasons of warnings that lasted: from the first to the last event.
fn reasons(axis: Axis, inventory: &Inventory, t: Lexicon) -> Vec<Lane> {
    let mut spans: BTreeMap<&str, (Timestamp, Timestamp, u64)> = BTreeMap::new();
    for moment in inventory.moments.items.iter().filter(|moment| moment.kind == MomentKind::Warning) {
        if let Happening::Event { reason, message: _ } = &moment.text {
            let span = spans.entry(reason).or_insert((moment.from, moment.to, 0));
            *span = (span.0.min(moment.from), span.1.max(moment.to), span.2 + moment.count);
        }
    }
    let mut lasting: Vec<_> = spans.into_iter().filter(|(_, (from, to, _))| from < to).collect();
    lasting.sort_by_key(|(_, (.., count))| std::cmp::Reverse(*count));
    let lane = |(reason, (from, to, count)): (&str, (Timestamp, Timestamp, u64))| {
        let (x, width) = axis.stretch(from, to)?;
        let label = format!("{reason} ×{}", words::number(count));
        let title = format!("{label}\n{}", t.span(from, to));
        Some(Lane {
            label,
            y: 0,
            kind: "reason",
            href: None,
            marks: vec![Mark { x, width, tone: Severity::Medium.as_str(), weight: 10, title }],
        })
    };
    lasting.into_iter().filter_map(lane).take(REASONS).collect()
}

/// Returns a flag for each change shortly before a fault.
fn changes(axis: Axis, findings: &[Finding], t: Lexicon) -> Option<Lane> {
    let of = |finding: &'_ Finding| -> Vec<(Timestamp, String)> {
        finding
            .before
            .changes
            .iter()
            .map(|change| change.at)
            .zip(changed_before(finding, t).map(|(text, _)| text))
            .collect()
    };
    // One change may stand before several findings.
    let told: BTreeSet<(Timestamp, String)> = findings.iter().flat_map(of).collect();
    let flag = |(at, title): (Timestamp, String)| {
        Some(Mark { x: axis.x(at)?, width: None, tone: "change", weight: 10, title })
    };
    let marks: Vec<Mark> = told.into_iter().filter_map(flag).collect();
    let label = t.say(phrase::CHANGES).to_owned();
    (!marks.is_empty()).then_some(Lane { label, y: 0, kind: "change", href: None, marks })
}

fn of_kind(axis: Axis, inventory: &Inventory, kind: MomentKind, label: &str, t: Lexicon) -> Option<Lane> {
    let marks: Vec<Mark> =
        inventory.moments.items.iter().filter(|m| m.kind == kind).filter_map(|m| mark(axis, m, t)).collect();
    (!marks.is_empty()).then(|| Lane { label: label.to_owned(), y: 0, kind: word(kind).english(), href: None, marks })
}

fn mark(axis: Axis, moment: &Moment, t: Lexicon) -> Option<Mark> {
    let (x, width) = axis.stretch(moment.from, moment.to)?;
    Some(Mark {
        x,
        width,
        tone: word(moment.kind).english(),
        weight: 10,
        title: format!("{}\n{}", moment_text(moment, t), t.span(moment.from, moment.to)),
    })
}

/// `Upgrade harvester-system/hvst-upgrade: Upgrade to v1.4.2: Succeeded`.
fn moment_text(moment: &Moment, t: Lexicon) -> String {
    let object = moment.object.as_ref().map(|object| {
        let namespace = object.namespace.as_deref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        format!("{} {namespace}{}: ", object.kind, object.name)
    });
    let text = t.message(&moment.text);
    format!("{}{}", object.unwrap_or_default(), words::clipped(&text, 300))
}

fn again(moment: &Moment, t: Lexicon) -> Option<String> {
    (moment.count > 1).then(|| t.fill(phrase::Times { n: &words::number(moment.count) }))
}

/// Returns the boots of a node and its warnings, counted per interval; without a node, the warnings that belong to
/// none.
fn warnings(axis: Axis, inventory: &Inventory, node: Option<&str>, t: Lexicon) -> Option<Lane> {
    let here = || inventory.moments.items.iter().filter(|moment| moment.node.as_deref() == node);
    let mut bins: BTreeMap<i64, Vec<&Moment>> = BTreeMap::new();
    for moment in here().filter(|moment| moment.kind == MomentKind::Warning && axis.contains(moment.to)) {
        let share = moment.to.duration_since(axis.from).as_secs_f64() / axis.length();
        bins.entry(((share * BINS as f64) as i64).min(BINS - 1)).or_default().push(moment);
    }
    let most = bins.values().map(|moments| counted(moments)).max().unwrap_or(1);
    let mut marks: Vec<Mark> = bins.iter().map(|(bin, moments)| bin_mark(*bin, moments, most, t)).collect();
    marks.extend(here().filter(|moment| moment.kind == MomentKind::Boot).filter_map(|moment| mark(axis, moment, t)));
    (!marks.is_empty()).then(|| Lane {
        label: node.unwrap_or(t.say(phrase::CLUSTER)).to_owned(),
        y: 0,
        kind: if node.is_some() { "node" } else { "cluster" },
        href: None,
        marks,
    })
}

/// Returns the weight of a count: square roots keep one event visible next to thousands.
fn weight(count: u64, most: u64) -> u8 {
    ((count as f64 / most.max(1) as f64).sqrt() * 10.0).ceil().clamp(2.0, 10.0) as u8
}

fn counted(moments: &[&Moment]) -> u64 {
    moments.iter().map(|moment| moment.count).sum()
}

fn bin_mark(bin: i64, moments: &[&Moment], most: u64, t: Lexicon) -> Mark {
    let count = counted(moments);
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for moment in moments {
        if let Happening::Event { reason, message: _ } = &moment.text {
            *reasons.entry(reason).or_default() += moment.count;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named: Vec<_> =
        reasons.iter().take(NAMED).map(|(reason, n)| format!("{reason} {}", words::number(*n))).collect();
    let seen = || moments.iter().map(|moment| moment.to);
    let when = seen().min().zip(seen().max()).map(|(first, last)| t.span(first, last)).unwrap_or_default();
    Mark {
        x: format!("{:.3}%", bin as f64 / BINS as f64 * 100.0),
        width: Some(format!("{:.3}%", 100.0 / BINS as f64)),
        tone: "warning",
        weight: weight(count, most),
        title: t.fill(phrase::Warnings { n: count, when: &when, reasons: &t.list(named) }),
    }
}

/// Returns the nodes of the bundle and those that moments name.
fn names<'a>(inventory: &'a Inventory, analysis: &'a Analysis) -> Vec<&'a str> {
    let known = analysis.bundle.nodes.iter().map(|node| node.name.as_str());
    let named = inventory.moments.items.iter().filter_map(|moment| moment.node.as_deref());
    let all: std::collections::BTreeSet<&str> = known.chain(named).collect();
    all.into_iter().collect()
}

/// Lists findings, boots, upgrades and the most frequent warnings in words.
fn list(axis: Axis, inventory: &Inventory, causes: &[&Finding], t: Lexicon) -> (Vec<Item>, usize) {
    let mut items: Vec<(Timestamp, u64, Item)> = Vec::new();
    for finding in causes {
        if let Some(first) = finding.first_seen.filter(|first| axis.contains(*first)) {
            let href = Some(anchor(&finding.fingerprint));
            let text = words::sentence(&finding.title, usize::MAX).into_owned();
            let at = Period::seen(Some(first), finding.last_seen);
            let item = Item { when: t.instant(first), at, kind: phrase::FINDING, text, again: None, href };
            items.push((first, u64::MAX, item));
        }
    }
    for moment in inventory.moments.items.iter().filter(|moment| axis.contains(moment.from)) {
        let weight = if moment.kind == MomentKind::Warning { moment.count } else { u64::MAX };
        let when = t.span(moment.from, moment.to);
        let at = Period::seen(Some(moment.from), Some(moment.to));
        let (text, again) = (moment_text(moment, t), again(moment, t));
        let item = Item { when, at, kind: word(moment.kind), text, again, href: None };
        items.push((moment.from, weight, item));
    }
    items.sort_by_key(|(_, weight, _)| std::cmp::Reverse(*weight));
    let left_out = items.len().saturating_sub(LISTED);
    items.truncate(LISTED);
    items.sort_by_key(|(at, ..)| *at);
    (items.into_iter().map(|(.., item)| item).collect(), left_out)
}

/// Lists the certificates that expire at a time for which `outside` is true.
fn ends(inventory: &Inventory, outside: impl Fn(Timestamp) -> bool, t: Lexicon) -> Vec<Item> {
    let ends = inventory.moments.items.iter().filter(|moment| moment.kind == MomentKind::Expiry);
    let ends = ends.filter(|moment| outside(moment.from));
    let item = |moment: &Moment| Item {
        when: t.instant(moment.from),
        at: None,
        kind: word(moment.kind),
        text: moment_text(moment, t),
        again: None,
        href: None,
    };
    ends.take(LISTED).map(item).collect()
}

fn word(kind: MomentKind) -> Phrase {
    match kind {
        MomentKind::Warning => phrase::WARNING,
        MomentKind::Boot => phrase::BOOT,
        MomentKind::Upgrade => phrase::UPGRADE,
        MomentKind::Expiry => phrase::EXPIRY,
    }
}

/// Returns the seconds between ticks, and between those of a widened axis: round numbers, each at most three times the
/// one before.
fn steps(axis: Axis) -> (i64, i64) {
    const ROUND: [i64; 21] = [
        1, 2, 5, 15, 30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000,
        2_592_000, 7_776_000, 23_328_000,
    ];
    let seconds = axis.to.duration_since(axis.from).as_secs();
    let place = ROUND.iter().rposition(|step| seconds / step >= TICKS).unwrap_or(0);
    let step = ROUND.get(place).copied().unwrap_or(1);
    (step, place.checked_sub(3).and_then(|finer| ROUND.get(finer)).copied().unwrap_or(step))
}

fn ticks(axis: Axis) -> Vec<Tick> {
    let (step, finer) = steps(axis);
    let mut ticks = Vec::new();
    let mut at = axis.from.as_second().div_euclid(finer) * finer + finer;
    while at <= axis.to.as_second() {
        let coarse = at.rem_euclid(step) == 0;
        let tick = Timestamp::from_second(at).ok().and_then(|time| {
            let label = label(time, if coarse { step } else { finer });
            Some(Tick { x: axis.x(time)?, label, tier: u8::from(!coarse) })
        });
        ticks.extend(tick);
        at += finer;
    }
    ticks
}

/// `03-01`, `03-01 10:00` or, for short axes, `10:00:05`; the year is shown above the axis.
fn label(at: Timestamp, step: i64) -> String {
    let format = match step {
        86_400.. => "%m-%d",
        60.. => "%m-%d %H:%M",
        _ => "%H:%M:%S",
    };
    at.strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TimedText;
    use crate::model::inventory::Shown;
    use crate::report::{rank, specimen};

    fn moment(kind: MomentKind, at: &str, node: Option<&str>) -> Moment {
        Moment {
            kind,
            from: at.parse().unwrap(),
            to: at.parse().unwrap(),
            count: 3,
            node: node.map(Into::into),
            object: None,
            text: Happening::Event { reason: "BackOff".into(), message: "again".into() },
            place: None,
        }
    }

    fn timeline(moments: Vec<Moment>) -> Timeline {
        let analysis = specimen::small();
        let inventory = Inventory { moments: Shown::first(moments, 99, None), ..Inventory::default() };
        let groups = rank::groups(&analysis.findings);
        Timeline::of(&inventory, &analysis, &groups, Lexicon::ENGLISH).unwrap()
    }

    #[test]
    fn the_axis_holds_what_happened_and_no_certificate_of_another_year() {
        let line = timeline(vec![
            moment(MomentKind::Warning, "2026-03-01T07:00:00Z", Some("beta")),
            moment(MomentKind::Expiry, "2024-03-01T07:00:00Z", None),
            moment(MomentKind::Expiry, "2027-03-01T07:00:00Z", None),
        ]);
        assert_eq!((line.from.as_str(), line.to.as_str()), ("2026-03-01 07:00:00 UTC", "2026-03-01 12:00:00 UTC"));
        assert_eq!((line.earlier.len(), line.later.len()), (1, 1));
        let labels: Vec<_> = line.lanes.iter().map(|lane| lane.label.as_str()).collect();
        assert_eq!(labels, ["Pod shop/cart-0 cannot mount its volume", "Errors in logs", "Changes", "beta"]);
        assert_eq!(line.lanes[0].marks[0].x, "60.011%");
        assert_eq!(line.lanes[2].marks[0].x, "50.000%", "a change at 09:30");
        assert_eq!(line.lanes[3].marks[0].x, "0.000%");
        assert_eq!(line.collected.as_deref(), Some("100.000%"));
    }

    #[test]
    fn times_in_titles_are_readable() {
        let mut finding = specimen::finding();
        finding.title = TimedText::parse("Pod deleted at 2026-03-01T10:00:00Z");
        finding.last_seen = Some("2026-03-01T11:00:00Z".parse().unwrap());
        let axis = Axis { from: "2026-03-01T10:00:00Z".parse().unwrap(), to: "2026-03-01T12:00:00Z".parse().unwrap() };
        let lane = cause(axis, &finding, Lexicon::ENGLISH).unwrap();
        assert!(lane.label.starts_with("Pod deleted at 2026-03-01 10:00:00"), "{}", lane.label);
        assert!(lane.marks[0].title.starts_with("Pod deleted at 2026-03-01 10:00:00 UTC\n"), "{}", lane.marks[0].title);
    }

    #[test]
    fn ticks_are_round_and_few() {
        let line = timeline(vec![moment(MomentKind::Boot, "2026-02-20T07:00:00Z", None)]);
        let coarse: Vec<_> = line.ticks.iter().filter(|tick| tick.tier == 0).map(|tick| tick.label.as_str()).collect();
        assert!((4..=12).contains(&coarse.len()), "{coarse:?}");
        assert!(coarse.contains(&"02-24"), "{coarse:?}");
        assert!(line.ticks.len() < 240);
    }

    #[test]
    fn errors_of_logs_and_warnings_that_last_have_lanes() {
        let mut lasting = moment(MomentKind::Warning, "2026-03-01T10:00:00Z", None);
        lasting.to = "2026-03-01T11:00:00Z".parse().unwrap();
        let line = timeline(vec![lasting, moment(MomentKind::Warning, "2026-03-01T07:00:00Z", None)]);
        let lane = |kind: &str| line.lanes.iter().find(|lane| lane.kind == kind).unwrap();
        assert_eq!((lane("reason").label.as_str(), lane("reason").marks[0].x.as_str()), ("BackOff ×6", "0.000%"));
        assert!(lane("errors").marks[0].title.starts_with("1 line that reports trouble, 2026-03-01 08:00:00 to"));
        assert_eq!((line.begins, line.ends), (1_772_348_400, 1_772_366_400));
    }

    #[test]
    fn warnings_of_one_stretch_are_one_mark() {
        let at = "2026-03-01T10:00:00Z";
        let line = timeline(vec![moment(MomentKind::Warning, at, None), moment(MomentKind::Warning, at, None)]);
        let cluster = line.lanes.iter().find(|lane| lane.kind == "cluster").unwrap();
        assert_eq!(cluster.marks.len(), 1);
        assert!(cluster.marks[0].title.contains("6 warnings"), "{}", cluster.marks[0].title);
        assert!(cluster.marks[0].title.contains("BackOff 6"));
    }
}
