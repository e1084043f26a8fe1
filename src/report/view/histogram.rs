//! Histogram of the log lines of a finding over time.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::Histogram;
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Minimum number of intervals with a line; with fewer, the first and the last time say as much.
const LEAST: usize = 3;
/// Height in pixels.
const HEIGHT: u64 = 32;

/// Bars from the first to the last line; positions are percent of the width.
#[derive(Serialize)]
pub struct Bars {
    height: u64,
    bars: Vec<Bar>,
    /// `1,204 lines, counted in intervals of 2 hours; most from 2026-03-01 10:00:00 UTC: 312`.
    words: String,
}

#[derive(Serialize)]
struct Bar {
    x: String,
    width: String,
    y: u64,
    height: u64,
    title: String,
}

impl Bars {
    /// Draws the bars; none if there are too few intervals with a line.
    pub fn of(histogram: &Histogram, t: Lexicon) -> Option<Self> {
        let stretches: Vec<(Timestamp, u64)> = histogram.stretches().collect();
        let (first, _) = stretches.first().filter(|_| stretches.len() >= LEAST)?;
        let (last, _) = stretches.last()?;
        let (busiest, most) = stretches.iter().max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at)))?;
        let width = histogram.width();
        let all = last.as_second() - first.as_second() + width;
        let percent = |seconds: i64| format!("{:.3}%", seconds as f64 / all as f64 * 100.0);
        let bar = |(at, count): &(Timestamp, u64)| {
            let height = (count * HEIGHT).div_ceil(*most).max(2);
            Bar {
                x: percent(at.as_second() - first.as_second()),
                width: percent(width),
                y: HEIGHT - height,
                height,
                title: t.fill(phrase::LinesFrom { n: *count, time: &t.instant(*at) }),
            }
        };
        let sum = stretches.iter().map(|(_, count)| count).sum();
        let (of, busiest, most) = (length(width, t), t.instant(*busiest), words::number(*most));
        let words = t.fill(phrase::LinesInIntervals { n: sum, stretch: &of, busiest: &busiest, most: &most });
        Some(Self { height: HEIGHT, bars: stretches.iter().map(bar).collect(), words })
    }
}

/// `2 minutes`, `17.1 hours`, `3 days`: intervals are one minute, doubled any number of times.
fn length(seconds: i64, t: Lexicon) -> String {
    let minutes = seconds as f64 / 60.0;
    let written = |count: f64| if count.fract() == 0.0 { format!("{count}") } else { format!("{count:.1}") };
    match minutes {
        _ if minutes >= 2.0 * 1_440.0 => t.fill(phrase::Days { n: &written(minutes / 1_440.0) }),
        _ if minutes >= 2.0 * 60.0 => t.fill(phrase::Hours { n: &written(minutes / 60.0) }),
        1.0 => t.say(phrase::A_MINUTE).to_owned(),
        _ => t.fill(phrase::Minutes { n: &written(minutes) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(seconds: &[i64]) -> Option<Bars> {
        Bars::of(&seconds.iter().map(|second| Timestamp::from_second(*second).unwrap()).collect(), Lexicon::ENGLISH)
    }

    #[test]
    fn bars_stand_where_the_lines_are() {
        let bars = bars(&[0, 1, 2, 3, 120, 180]).unwrap();
        let drawn: Vec<_> = bars.bars.iter().map(|bar| (bar.x.as_str(), bar.width.as_str(), bar.height)).collect();
        assert_eq!(drawn, [("0.000%", "25.000%", 32), ("50.000%", "25.000%", 8), ("75.000%", "25.000%", 8)]);
        assert_eq!(bars.words, "6 lines, counted in intervals of a minute; most from 1970-01-01 00:00:00 UTC: 4");
    }

    #[test]
    fn few_stretches_are_no_picture() {
        assert!(bars(&[]).is_none());
        assert!(bars(&[0, 5, 500]).is_none());
    }

    #[test]
    fn lengths_are_said_in_their_unit() {
        for (seconds, said) in [(60, "a minute"), (120, "2 minutes"), (7_680, "2.1 hours"), (245_760, "2.8 days")] {
            assert_eq!(length(seconds, Lexicon::ENGLISH), said);
        }
    }
}
