//! Bar charts by month: number of bundles, and number of bundles in which something fired.

use serde::Serialize;

use super::facts::{Counts, Month};
use super::row::of_all;
use crate::report::words::{counted, number};

/// Width and height of small and large charts, in pixels.
const SMALL: Size = Size { width: 144, height: 24 };
const LARGE: Size = Size { width: 576, height: 96 };
/// Greatest width of a bar with its gap, in pixels; few months do not fill a chart.
const WIDEST: u64 = 48;
/// Minimum height of a bar that is not empty.
const LEAST: u64 = 2;

#[derive(Clone, Copy)]
struct Size {
    width: u64,
    height: u64,
}

/// Bar chart of the months of the overview.
#[derive(Serialize)]
pub struct Bars {
    width: u64,
    height: u64,
    bars: Vec<Bar>,
    /// The same in words, for screen readers.
    words: String,
    from: String,
    to: String,
}

#[derive(Serialize)]
struct Bar {
    x: u64,
    width: u64,
    /// Whole bar.
    back: Span,
    /// Part of the bar that is counted.
    front: Span,
    title: String,
}

#[derive(Serialize)]
struct Span {
    y: u64,
    height: u64,
}

impl Bars {
    /// Draws bundles by month, and those with a critical or high fault; none without months.
    pub fn of_bundles(months: &[Month]) -> Option<Self> {
        let most = months.iter().map(|month| month.bundles).max()?;
        let columns = months.iter().map(|month| {
            let bundles = counted(month.bundles, "bundle");
            let title = format!("{}: {bundles}, {} with a critical or high fault", month.name, number(month.grave));
            (month.bundles, month.grave, title)
        });
        let busiest = months.iter().find(|month| month.bundles == most)?;
        let words = format!(
            "Bundles by month, those with a critical or high fault coloured; most in {}: {}, {} of them coloured",
            busiest.name,
            number(most),
            number(busiest.grave)
        );
        Some(Self::drawn(months, columns, most, LARGE, words))
    }

    /// Draws a small chart of the share of bundles in which a rule fired, by month; none without months.
    pub fn of_share(months: &[Month], counts: &[Counts]) -> Option<Self> {
        const WHOLE: u64 = 1_000;
        let shares = counts.iter().map(|of| (of.fired * WHOLE).checked_div(of.evaluated()).unwrap_or(0));
        let columns =
            months.iter().zip(counts).zip(shares).map(|((month, of), share)| {
                (0, share, format!("{}: {}", month.name, of_all(of.fired, of.evaluated())))
            });
        Some(Self::drawn(months, columns, WHOLE, SMALL, in_words(months, counts)?))
    }

    /// Draws the bundles in which a rule was evaluated and in which it fired, by month; none without months.
    pub fn of_counts(months: &[Month], counts: &[Counts]) -> Option<Self> {
        let most = counts.iter().map(Counts::evaluated).max()?;
        let columns = months.iter().zip(counts).map(|(month, of)| {
            (of.evaluated(), of.fired, format!("{}: {}", month.name, of_all(of.fired, of.evaluated())))
        });
        Some(Self::drawn(months, columns, most, LARGE, in_words(months, counts)?))
    }

    fn drawn(
        months: &[Month],
        columns: impl Iterator<Item = (u64, u64, String)>,
        most: u64,
        size: Size,
        words: String,
    ) -> Self {
        let span = |value: u64| {
            let height = (value * size.height).checked_div(most).unwrap_or(0);
            let height = if value > 0 { height.max(LEAST) } else { 0 };
            Span { y: size.height.saturating_sub(height), height }
        };
        let step = (size.width / (months.len() as u64).max(1)).min(WIDEST);
        let bar = |(at, (back, front, title)): (usize, (u64, u64, String))| Bar {
            x: at as u64 * step,
            width: step - step / 4,
            back: span(back),
            front: span(front),
            title,
        };
        let name = |month: Option<&Month>| month.map(|month| month.name.clone()).unwrap_or_default();
        Self {
            width: months.len() as u64 * step,
            height: size.height,
            bars: columns.enumerate().map(bar).collect(),
            words,
            from: name(months.first()),
            to: name(months.last()),
        }
    }
}

/// `Fired in 3 of 7 months; most in 2026-03: 2 of 5 (40 %)`; none without months.
fn in_words(months: &[Month], counts: &[Counts]) -> Option<String> {
    let with = counts.iter().filter(|of| of.fired > 0).count();
    let (month, most) = months.iter().zip(counts).rev().max_by_key(|(_, of)| of.fired)?;
    let most = of_all(most.fired, most.evaluated());
    let months = counted(months.len() as u64, "month");
    Some(match with {
        0 => format!("Fired in none of {months}"),
        _ => format!("Fired in {with} of {months}; most in {}: {most}", month.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn months(bundles: &[u64]) -> Vec<Month> {
        let month = |(at, bundles): (usize, &u64)| Month {
            name: format!("2026-{:02}", at + 1),
            bundles: *bundles,
            grave: bundles / 2,
        };
        bundles.iter().enumerate().map(month).collect()
    }

    fn counts(pairs: &[(u64, u64)]) -> Vec<Counts> {
        pairs.iter().map(|(fired, clean)| Counts { fired: *fired, clean: *clean, ..Counts::default() }).collect()
    }

    #[test]
    fn bars_are_as_high_as_what_they_count() {
        let bars = Bars::of_bundles(&months(&[100, 1, 50])).unwrap();
        let heights: Vec<_> = bars.bars.iter().map(|bar| [bar.back.height, bar.front.height]).collect();
        assert_eq!(heights, [[96, 48], [LEAST, 0], [48, 24]], "what is there can be seen");
        assert!(bars.words.ends_with("; most in 2026-01: 100, 50 of them coloured"), "{}", bars.words);
        assert!(Bars::of_bundles(&[]).is_none());
    }

    #[test]
    fn shares_do_not_grow_with_the_number_of_bundles() {
        let bars = Bars::of_share(&months(&[10, 100, 5]), &counts(&[(5, 5), (50, 50), (0, 0)])).unwrap();
        let heights: Vec<_> = bars.bars.iter().map(|bar| bar.front.height).collect();
        assert_eq!(heights, [12, 12, 0]);
        assert_eq!(bars.words, "Fired in 2 of 3 months; most in 2026-02: 50 of 100 (50 %)");
        assert_eq!(bars.bars[2].title, "2026-03: none");
    }
}
