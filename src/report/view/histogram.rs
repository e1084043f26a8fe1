//! When the lines of a finding were written, as bars.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::Histogram;
use crate::report::words;

/// Fewer stretches with a line say no more than the first and the last time.
const LEAST: usize = 3;
/// Height in pixels.
const HEIGHT: u64 = 32;

/// Bars from the first to the last line; places are percent of the width.
#[derive(Serialize)]
pub struct Bars {
    height: u64,
    bars: Vec<Bar>,
    /// `1,204 lines, by 2 hours; most at 2026-03-01 10:00:00 UTC: 312`.
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
    /// None where there is nothing to see.
    pub fn of(histogram: &Histogram) -> Option<Self> {
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
                title: format!("{} from {}", lines(*count), words::instant(&at.to_string())),
            }
        };
        let sum = stretches.iter().map(|(_, count)| count).sum();
        let (of, busiest) = (length(width), words::instant(&busiest.to_string()));
        let words = format!("{}, counted by {of}; most from {busiest}: {}", lines(sum), words::number(*most));
        Some(Self { height: HEIGHT, bars: stretches.iter().map(bar).collect(), words })
    }
}

fn lines(count: u64) -> String {
    words::counted(usize::try_from(count).unwrap_or(usize::MAX), "line")
}

/// `2 minutes`, `17.1 hours`, `3 days`: stretches are doubles of a minute.
fn length(seconds: i64) -> String {
    const UNITS: [(f64, &str); 3] = [(86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")];
    let (unit, name) = UNITS.iter().find(|(unit, _)| seconds as f64 >= 2.0 * unit).unwrap_or(&(60.0, "minutes"));
    match seconds as f64 / unit {
        1.0 => "a minute".to_owned(),
        whole if whole.fract() == 0.0 => format!("{whole} {name}"),
        part => format!("{part:.1} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(seconds: &[i64]) -> Option<Bars> {
        Bars::of(&seconds.iter().map(|second| Timestamp::from_second(*second).unwrap()).collect())
    }

    #[test]
    fn bars_stand_where_the_lines_are() {
        let bars = bars(&[0, 1, 2, 3, 120, 180]).unwrap();
        let drawn: Vec<_> = bars.bars.iter().map(|bar| (bar.x.as_str(), bar.width.as_str(), bar.height)).collect();
        assert_eq!(drawn, [("0.000%", "25.000%", 32), ("50.000%", "25.000%", 8), ("75.000%", "25.000%", 8)]);
        assert_eq!(bars.words, "6 lines, counted by a minute; most from 1970-01-01 00:00:00 UTC: 4");
    }

    #[test]
    fn few_stretches_are_no_picture() {
        assert!(bars(&[]).is_none());
        assert!(bars(&[0, 5, 500]).is_none());
    }

    #[test]
    fn lengths_are_said_in_their_unit() {
        for (seconds, said) in [(60, "a minute"), (120, "2 minutes"), (7_680, "2.1 hours"), (245_760, "2.8 days")] {
            assert_eq!(length(seconds), said);
        }
    }
}
