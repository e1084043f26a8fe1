//! Ages as kubectl prints them.

use jiff::SignedDuration;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// Formats a duration as `HumanDuration` of k8s.io/apimachinery (`pkg/util/duration`): two units while the first is small.
pub fn human(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => units(seconds, (MINUTE, 'm'), (1, 's')),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => units(seconds, (HOUR, 'h'), (MINUTE, 'm')),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => units(seconds, (DAY, 'd'), (HOUR, 'h')),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => units(seconds, (YEAR, 'y'), (DAY, 'd')),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Formats whole units and, unless it is 0, the rest in smaller ones.
fn units(seconds: i64, (large, sign): (i64, char), (small, smaller): (i64, char)) -> String {
    match seconds % large / small {
        0 => format!("{}{sign}", seconds / large),
        rest => format!("{}{sign}{rest}{smaller}", seconds / large),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_those_of_kubectl() {
        // The cases of duration_test.go.
        for (seconds, wanted) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (121, "2m1s"),
            (192, "3m12s"),
            (600, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (3 * HOUR + 100 * MINUTE, "4h40m"),
            (8 * HOUR, "8h"),
            (48 * HOUR - 1, "47h"),
            (48 * HOUR, "2d"),
            (49 * HOUR, "2d1h"),
            (8 * DAY, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + DAY, "2y1d"),
            (775 * DAY, "2y45d"),
            (8 * YEAR, "8y"),
            (10 * YEAR, "10y"),
        ] {
            assert_eq!(human(SignedDuration::from_secs(seconds)), wanted, "{seconds}");
        }
    }
}
