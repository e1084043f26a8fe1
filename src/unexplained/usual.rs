//! What the logs of a cluster say while it is healthy: the templates of an earlier bundle with their rates.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::cluster::{self, Cluster};
use super::compared::Compared;
use super::copies;
use crate::log::{MinedSource, VARIES};
use crate::model::unexplained::Level;

/// A template is louder than before from this many times its earlier rate on, with at least so many lines.
const LOUDER: f64 = 10.0;
const LINES: u64 = 20;
/// The time of a log counts as one hour at least: of a shorter one, no rate is known.
const HOUR: f64 = 3600.0;

/// Length, level and first word of templates that are compared.
type Key = (usize, Level, String);

/// Templates of a bundle of the same cluster.
#[derive(Clone, Debug, Default)]
pub struct Usual(BTreeMap<Key, Vec<Row>>);

#[derive(Clone, Debug)]
struct Row {
    words: Vec<String>,
    /// Lines per hour in the logs that have them.
    rate: f64,
}

impl Usual {
    /// Takes the templates of all logs of a bundle.
    pub fn of(mut mined: Vec<MinedSource>) -> Self {
        copies::sort(&mut mined);
        let mut rows: BTreeMap<Key, Vec<Row>> = BTreeMap::new();
        for cluster in cluster::merged(cluster::equal(&mined)) {
            let row = Row {
                words: cluster.words.iter().map(|word| (*word).to_owned()).collect(),
                rate: rate(&cluster, &mined),
            };
            rows.entry(key(&cluster)).or_default().push(row);
        }
        Self(rows)
    }

    /// Compares templates of equal lines, before similar ones are merged: a usual template must not hide a new one. All that are one
    /// in the earlier bundle are compared as one.
    pub fn compare(&self, clusters: &mut [Cluster<'_>], mined: &[MinedSource]) {
        let rows: Vec<Option<(Key, usize)>> = clusters.iter().map(|cluster| self.row(cluster)).collect();
        let mut now: BTreeMap<&(Key, usize), (f64, u64)> = BTreeMap::new();
        for (cluster, row) in clusters.iter().zip(&rows) {
            let Some(row) = row else { continue };
            let (rates, lines) = now.entry(row).or_default();
            *rates += rate(cluster, mined);
            *lines += cluster.lines();
        }
        for (cluster, row) in clusters.iter_mut().zip(&rows) {
            let before = row.as_ref().and_then(|(key, at)| self.0.get(key)?.get(*at));
            let now = row.as_ref().and_then(|row| now.get(row));
            cluster.compared = Some(match before.zip(now) {
                None => Compared::New,
                Some((row, (rate, lines))) if *lines >= LINES && *rate >= LOUDER * row.rate => Compared::Louder,
                Some(_) => Compared::Usual,
            });
        }
    }

    /// Returns the place of the row that a template belongs to: its words are the same, except for those that varied.
    fn row(&self, cluster: &Cluster<'_>) -> Option<(Key, usize)> {
        let key = key(cluster);
        let same =
            |row: &Row| row.words.iter().zip(&cluster.words).all(|(known, word)| known == VARIES || known == word);
        let at = self.0.get(&key)?.iter().position(same)?;
        Some((key, at))
    }
}

fn key(cluster: &Cluster<'_>) -> Key {
    (cluster.words.len(), cluster.level(), cluster.words.first().copied().unwrap_or_default().to_owned())
}

/// Lines per hour, in all logs that have them.
fn rate(cluster: &Cluster<'_>, mined: &[MinedSource]) -> f64 {
    let span = |at: usize| {
        let source = mined.get(at)?;
        Some(source.last?.duration_since(source.first?))
    };
    let hours = |at: usize| (span(at).unwrap_or(SignedDuration::ZERO).as_secs_f64() / HOUR).max(1.0);
    cluster.members.iter().map(|(at, template, _)| template.lines as f64 / hours(*at)).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::log::{LogSource, MinedTemplate, SourceOrigin};
    use crate::model::Histogram;

    /// One log of ten hours with these templates and their lines.
    fn mined(templates: &[(&str, u64)]) -> Vec<MinedSource> {
        let hour = |hour: i64| jiff::Timestamp::from_second(hour * 3600).ok();
        let template = |(text, lines): &(&str, u64)| MinedTemplate {
            stated: true,
            level: Level::Error,
            text: (*text).to_owned(),
            lines: *lines,
            sample: String::new(),
            first: (hour(1), 1),
            last: (hour(9), 2),
            times: Histogram::default(),
            matched: BTreeMap::new(),
        };
        vec![MinedSource {
            source: LogSource { entry: "a.log".into(), origin: SourceOrigin::File },
            first: hour(0),
            last: hour(10),
            lines: 1_000,
            tail: Default::default(),
            last_line: 1_000,
            templates: templates.iter().map(template).collect(),
            shortened: false,
        }]
    }

    fn compared(before: &[(&str, u64)], now: &[(&str, u64)]) -> Vec<Option<Compared>> {
        let (usual, mined) = (Usual::of(mined(before)), mined(now));
        let mut clusters = cluster::equal(&mined);
        usual.compare(&mut clusters, &mined);
        clusters.iter().map(|cluster| cluster.compared).collect()
    }

    #[test]
    fn only_what_is_new_or_louder_is_news() {
        let before = [("lost disk of node <*>", 10), ("slow peer", 2)];
        let one = |now| compared(&before, &[now])[0];
        assert_eq!(one(("lost disk of node <*>", 90)), Some(Compared::Usual));
        assert_eq!(one(("lost disk of node <*>", 100)), Some(Compared::Louder));
        assert_eq!(one(("lost disk of pod <*>", 1)), Some(Compared::New), "one word is another message");
        assert_eq!(one(("slow peer", 19)), Some(Compared::Usual), "a few lines are no noise");
        assert_eq!(one(("slow peer", 20)), Some(Compared::Louder));
    }

    #[test]
    fn words_that_varied_before_may_vary_again() {
        let before = [("volume alpha is not attached", 9), ("volume beta is not attached", 9)];
        assert_eq!(compared(&before, &[("volume gamma is not attached", 9)]), [Some(Compared::Usual)]);
        let all = [("volume gamma is not attached", 99), ("volume delta is not attached", 99)];
        assert_eq!(compared(&before, &all), [Some(Compared::Louder); 2], "they are one message");
    }
}
