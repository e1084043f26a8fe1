//! Names that collectors give to bundles: [`BundleName`].

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::bundle::path::without_ending;

/// Names of support-bundle-kit and its predecessors, `PREFIX_ID_TIME`, and of Longhorn's script, `PREFIX-TIME`.
const PREFIXES: [&str; 3] = ["supportbundle_", "harvester-supportbundle_", "longhorn-support-bundle_"];
const SCRIPT: &str = "longhorn-support-bundle-";

/// Parts of a bundle's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleName {
    /// Uid of the collector's namespace, or a custom id.
    pub id: Option<String>,
    /// Start of the collection. The script writes local time, which is read as UTC.
    pub created_at: Timestamp,
}

impl BundleName {
    /// Parses `supportbundle_9b6b..._2022-03-22T23-49-32Z.zip`; text after the time (` (1)`) is ignored.
    pub fn parse(name: &str) -> Option<Self> {
        let name = without_ending(name);
        if let Some(rest) = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)) {
            let (id, time) = rest.rsplit_once('_')?;
            return Some(Self { id: Some(id.to_owned()), created_at: time_of(time, "%Y-%m-%dT%H-%M-%S", 19)? });
        }
        let time = name.strip_prefix(SCRIPT)?;
        Some(Self { id: None, created_at: time_of(time, "%Y-%m-%d-%H-%M-%S", 19)? })
    }

    /// Returns the id if it is the uid of a namespace.
    pub fn uid(&self) -> Option<&str> {
        self.id.as_deref().filter(|id| is_uid(id))
    }

    /// Returns true if a user chose the id.
    pub fn is_custom(&self) -> bool {
        self.id.as_deref().is_some_and(|id| !is_uid(id))
    }
}

fn time_of(text: &str, format: &str, length: usize) -> Option<Timestamp> {
    let time = DateTime::strptime(format, text.get(..length)?).ok()?;
    time.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

fn is_uid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str) -> Option<(String, String, bool)> {
        let found = BundleName::parse(name)?;
        let custom = found.is_custom();
        Some((found.id.unwrap_or_default(), found.created_at.to_string(), custom))
    }

    #[test]
    fn names_of_collectors() {
        let id = "0f1e2d3c-4b5a-4687-9900-aabbccddeeff";
        let expected = Some((id.to_owned(), "2024-02-03T04:05:06Z".to_owned(), false));
        assert_eq!(parts(&format!("supportbundle_{id}_2024-02-03T04-05-06Z.zip")), expected);
        assert_eq!(parts(&format!("supportbundle_{id}_2024-02-03T04-05-06Z (1).zip")), expected);
        assert_eq!(parts(&format!("harvester-supportbundle_{id}_2024-02-03T04-05-06Z")), expected);
        assert_eq!(parts(&format!("longhorn-support-bundle_{id}_2024-02-03T04-05-06Z.zip")), expected);
        let chosen = parts("supportbundle_site-a_2026-02-03T04-05-06Z.zip").unwrap();
        assert_eq!((chosen.0.as_str(), chosen.2), ("site-a", true));
        let script = parts("longhorn-support-bundle-2024-02-03-04-05-06.tar.gz").unwrap();
        assert_eq!((script.0.as_str(), script.1.as_str()), ("", "2024-02-03T04:05:06Z"));
    }

    #[test]
    fn other_names_say_nothing() {
        for name in
            ["case.zip", "supportbundle_x", "supportbundle_x_yesterday.zip", "supportbundle__2024-02-30T04-05-06Z"]
        {
            assert_eq!(parts(name), None, "{name}");
        }
    }
}
