//! Description of a must-gather: its files `version` and `timestamp`.

use jiff::Timestamp;

use super::description::Metadata;

/// Maximum number of lines that are read; both files have two.
const LINES: usize = 4;

impl Metadata {
    /// Reads name and version of the image that collected, which comes with a release of OpenShift, and the times at which it
    /// began and ended.
    pub fn of_must_gather<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let lines = || texts.clone().flat_map(|text| text.lines().take(LINES)).map(str::trim);
        let mut behind_name = lines().skip_while(|line| !line.ends_with("must-gather")).skip(1);
        let version = behind_name.next().map(|line| line.strip_prefix('v').unwrap_or(line));
        let is_release = |version: &&str| version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
        Self {
            project: version.filter(is_release).map(|version| ("openshift".to_owned(), version.to_owned())),
            created_at: lines().filter_map(go_time).min(),
            ..Self::default()
        }
    }
}

/// Parses a time as Go prints it: `2024-03-06 10:15:30.123456789 +0000 UTC m=+0.1`.
fn go_time(line: &str) -> Option<Timestamp> {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    let [date, time, offset] = words.as_slice() else { return None };
    let (sign, digits) = offset.split_at_checked(1)?;
    let (hours, minutes) = digits.split_at_checked(2)?;
    format!("{date}T{time}{sign}{hours}:{minutes}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_and_time_are_read() {
        let times = "2024-03-06 10:15:30.5 +0100 CET m=+0.17\n2024-03-06 10:25:30.5 +0100 CET m=+600.2\n";
        let found = Metadata::of_must_gather([times, "openshift/must-gather\n4.14.9-202401\n"].into_iter());
        assert_eq!(found.created_at.map(|t| t.to_string()).as_deref(), Some("2024-03-06T09:15:30.5Z"));
        assert_eq!(found.project, Some(("openshift".to_owned(), "4.14.9-202401".to_owned())));
        let unknown = Metadata::of_must_gather(["kubevirt/must-gather\nUnknown\n", "soon\n"].into_iter());
        assert_eq!(unknown, Metadata::default());
    }
}
