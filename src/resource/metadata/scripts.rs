//! Description by collectors that only call kubectl: the output of `date` and of `kubectl version`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::description::Metadata;
use crate::yaml;

/// Maximum number of lines that are read of one file.
const MAX_LINES: usize = 100;

impl Metadata {
    /// Reads files that hold a time, or the version of the API server as JSON or YAML.
    pub fn of_scripts<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        Self {
            kubernetes_version: texts.clone().find_map(server_version),
            created_at: texts.clone().find_map(|text| text.lines().take(MAX_LINES).find_map(time_in)),
            ..Self::default()
        }
    }
}

fn server_version(text: &str) -> Option<String> {
    let document = yaml::parse(text.as_bytes().to_vec()).0;
    document.roots().find_map(|root| {
        let version = root.str_at(&["serverVersion", "gitVersion"]).or_else(|| root.str_at(&["gitVersion"]));
        version.map(str::to_owned)
    })
}

/// Parses `2025-03-06 10:15:30`, which such collectors write in the time of a container, UTC; or `Start: 2025-03-06T10:15:30+01:00`.
fn time_in(line: &str) -> Option<Timestamp> {
    let value = line.split_once(": ").map_or(line, |(_, value)| value).trim();
    if let Ok(time) = value.parse::<Timestamp>() {
        return Some(time);
    }
    // A date without time of day does not count.
    let civil: DateTime = value.parse().ok().filter(|_| value.contains(':'))?;
    TimeZone::UTC.to_timestamp(civil).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_versions_are_found_in_any_of_the_files() {
        let version = "{\"clientVersion\": {\"gitVersion\": \"v1.30.0\"}, \"serverVersion\": {\"gitVersion\": \"v1.28.9+rke2r1\"}}";
        let found = Metadata::of_scripts(["2025-03-06 10:15:30\n", version].into_iter());
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.28.9+rke2r1"));
        assert_eq!(found.created_at.unwrap().to_string(), "2025-03-06T10:15:30Z");
        let start = Metadata::of_scripts(["Title\nStart: 2025-03-06T10:15:30+01:00\n"].into_iter());
        assert_eq!(start.created_at.unwrap().to_string(), "2025-03-06T09:15:30Z");
        assert_eq!(Metadata::of_scripts(["Collected: 2025-03-06\nerror: no", "["].into_iter()), Metadata::default());
    }
}
