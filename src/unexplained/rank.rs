//! How telling a template is: by its level, its words, and when and where its lines are. Never by their number: one harmless line that
//! is written every second would hide everything else.

use jiff::{SignedDuration, Timestamp};

use super::cluster::Cluster;
use super::compared::Compared;
use crate::log::{MinedSource, SourceOrigin};
use crate::model::unexplained::{Level, Telling};

/// Words of templates that say what is broken, in lower case, sorted.
const WORDS: [&str; 38] = [
    "backoff",
    "cannot",
    "certificate",
    "conflict",
    "corrupt",
    "corrupted",
    "crashed",
    "deadline",
    "denied",
    "disk",
    "exceeded",
    "exhausted",
    "expired",
    "failed",
    "fatal",
    "forbidden",
    "i/o",
    "killed",
    "memory",
    "mismatch",
    "oom",
    "panic",
    "quorum",
    "read-only",
    "refused",
    "rejected",
    "segfault",
    "space",
    "split",
    "stuck",
    "timed",
    "timeout",
    "unable",
    "unauthorized",
    "unavailable",
    "unhealthy",
    "unreachable",
    "x509",
];
/// Lines within this time of the end of their log go on until the end.
const END: SignedDuration = SignedDuration::from_mins(15);
/// Programs complain this long while they start and wait for others.
const START: SignedDuration = SignedDuration::from_mins(3);
/// A container that was started again and runs for longer than this has got over the end of the one before.
const SETTLED: SignedDuration = SignedDuration::from_mins(20);
/// A log shorter than this says nothing about what is new or lasts.
const SHORT: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Logs from which a template is in many.
const MANY: usize = 4;

/// Score from which a template is listed: what a healthy cluster writes now and then stays below it.
const FAINT: i32 = 20;

/// Points of a known line: too few to list a lone warning.
const KNOWN: i32 = 7;

/// A template with its place in the list.
pub struct Ranked<'m> {
    pub cluster: Cluster<'m>,
    pub score: i32,
    pub why: Vec<Telling>,
}

impl Ranked<'_> {
    /// Returns true if nothing says that the template matters.
    pub fn is_faint(&self) -> bool {
        self.score < FAINT && self.cluster.level() != Level::Fatal && !self.is_news()
    }

    /// Returns true if the cluster does not say it while it is healthy, or not as often.
    fn is_news(&self) -> bool {
        self.cluster.compared.is_some_and(|compared| compared != Compared::Usual)
    }
}

/// Sorts templates, the most telling first.
pub fn ranked<'m>(clusters: Vec<Cluster<'m>>, mined: &[MinedSource]) -> Vec<Ranked<'m>> {
    let end = mined.iter().filter_map(|source| source.last).max();
    let mut ranked: Vec<Ranked<'m>> = clusters.into_iter().map(|cluster| rank(cluster, mined, end)).collect();
    ranked.sort_by(|a, b| {
        let key = |ranked: &Ranked<'_>| {
            (!ranked.is_news(), ranked.is_faint(), -ranked.score, std::cmp::Reverse(ranked.cluster.last()))
        };
        key(a).cmp(&key(b)).then_with(|| a.cluster.text().cmp(&b.cluster.text()))
    });
    ranked
}

fn rank<'m>(cluster: Cluster<'m>, mined: &[MinedSource], end: Option<Timestamp>) -> Ranked<'m> {
    let seen = Seen::of(&cluster, mined, end);
    let mut score = match cluster.level() {
        Level::Fatal => 60,
        Level::Error => 30,
        Level::Warning => 12,
    };
    // The time of a single line says little.
    let several = cluster.lines() > 1 || cluster.level() == Level::Fatal;
    let signs = [
        (Telling::NotInBaseline, cluster.compared == Some(Compared::New), 20),
        (Telling::Louder, cluster.compared == Some(Compared::Louder), 20),
        (Telling::Fatal, cluster.level() == Level::Fatal, 20),
        (Telling::UntilTheEnd, several && seen.until_end && !seen.at_start, 20),
        (Telling::New, several && seen.new, 20),
        (Telling::Lasting, seen.lasts, 15),
        (Telling::ManySources, seen.sources >= MANY, 10),
        (Telling::Known, cluster.known().is_some(), KNOWN),
        (Telling::Burst, seen.burst, 5),
        (Telling::Words, has_words(&cluster), 15),
    ];
    let why: Vec<Telling> = signs.iter().filter(|(_, holds, _)| *holds).map(|(sign, ..)| *sign).collect();
    score += signs.iter().filter(|(_, holds, _)| *holds).map(|(_, _, points)| points).sum::<i32>();
    // What ended long ago, or belongs to a start, seldom matters now.
    score -= if seen.at_start { 30 } else { 0 };
    score -= if seen.is_over { 45 } else { 0 };
    score -= match seen.age {
        Some(age) if age > 3 * DAY => 25,
        Some(age) if age > DAY => 15,
        _ => 0,
    };
    score -= if cluster.lines() == 1 && seen.long { 10 } else { 0 };
    Ranked { cluster, score, why }
}

/// When and where the lines of a template are.
#[derive(Default)]
struct Seen {
    sources: usize,
    /// In some log until it ends.
    until_end: bool,
    /// In no log before a quarter of its time.
    new: bool,
    /// In some log over half of its time.
    lasts: bool,
    /// In some log of at least an hour.
    long: bool,
    /// Time from the last line to the end of its log, of a node's to that of all logs.
    age: Option<SignedDuration>,
    /// In all logs, none of them short, only while their programs start: what a short log says is all that it says.
    at_start: bool,
    /// In no log but those of containers that were started again, and have run since.
    is_over: bool,
    burst: bool,
}

impl Seen {
    fn of(cluster: &Cluster<'_>, mined: &[MinedSource], of_all: Option<Timestamp>) -> Self {
        let mut seen =
            Self { sources: cluster.sources().len(), new: true, at_start: true, is_over: true, ..Self::default() };
        let mut dated = false;
        for (at, template, _) in &cluster.members {
            let Some(source) = mined.get(*at) else { continue };
            let (Some((begin, end)), Some((first, last))) =
                (source.first.zip(source.last), template.first.0.zip(template.last.0))
            else {
                continue;
            };
            dated = true;
            let span = end.duration_since(begin);
            let long = span >= SHORT;
            // A node goes on writing somewhere; a container or a file may have been quiet since.
            let of_node = matches!(source.source.origin, SourceOrigin::Unit { .. });
            let age = of_all.filter(|_| of_node).unwrap_or(end).duration_since(last);
            seen.age = Some(seen.age.map_or(age, |youngest| youngest.min(age)));
            seen.long |= long;
            seen.until_end |= end.duration_since(last) <= END && long;
            seen.new &= long && first.duration_since(begin) >= span / 4;
            seen.lasts |= long && template.lines > 2 && last.duration_since(first) >= span / 2;
            seen.at_start &= long && last.duration_since(begin) <= START;
            let of_previous = matches!(source.source.origin, SourceOrigin::Container { previous: true, .. });
            seen.is_over &= of_previous && of_all.is_some_and(|now| now.duration_since(end) > SETTLED);
        }
        seen.new &= dated;
        seen.at_start &= dated;
        seen.is_over &= dated;
        seen.burst = is_burst(cluster);
        seen
    }
}

/// Returns whether most lines are in one of several intervals.
fn is_burst(cluster: &Cluster<'_>) -> bool {
    let counts: Vec<u64> = cluster.times().stretches().map(|(_, count)| count).collect();
    let (all, most) = (counts.iter().sum::<u64>(), counts.iter().max().copied().unwrap_or_default());
    counts.len() >= 3 && all >= 10 && most * 2 > all
}

fn has_words(cluster: &Cluster<'_>) -> bool {
    let text = cluster.text().to_ascii_lowercase();
    text.split(' ').any(|word| WORDS.binary_search(&word).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_so_that_all_are_found() {
        assert!(WORDS.is_sorted());
    }
}
