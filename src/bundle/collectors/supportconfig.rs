//! Tree of supportconfig: one folder of text files, opened alone or in the archive of a node.

use super::host_log::node_log;
use super::host_name::{by_name, in_uname};
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, HostFile, HostOf, KindOfBundle, WhenNested};
use crate::bundle::path::without_ending;
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "supportconfig",
    kind: KindOfBundle::Always(BundleKind::SUPPORTCONFIG),
    markers: &[&BASIC_ENVIRONMENT],
    recognises: |marks| marks.has(&BASIC_ENVIRONMENT),
    when_nested: WhenNested::BundleIfAlone,
    role,
    host: HostOf {
        by_name: Some(|prefix, container| by_name(prefix, container, host_of)),
        files: &[HostFile { path: "basic-environment.txt", rank: 0, name_in: in_uname }],
        ..HostOf::DEFAULT
    },
    description: Description::Machine,
    keeps_error_output: true,
    ..CollectorSpec::DEFAULT
};

static BASIC_ENVIRONMENT: Marker =
    Marker::at_root("basic-environment.txt", |path| matches!(path, ["basic-environment.txt"]));

/// Returns true if a file or folder has a name from supportconfig; the prefix was `nts_` before 2019.
pub(super) fn is_archive(name: &str) -> bool {
    name.starts_with("scc_") || name.starts_with("nts_")
}

/// Returns the role of an entry in the collection of `node`.
pub(super) fn role(segments: &[&str], node: &str) -> Role {
    match segments {
        [file] if is_rotated(file) => rotated(file, node),
        [file] if file.ends_with(".txt") => Role::Supportconfig { node: node.to_owned() },
        _ => Role::NodeFile { node: node.to_owned() },
    }
}

/// Returns true for a copy of a log rotated by `logrotate`: `messages-20240306.txt`.
fn is_rotated(file: &str) -> bool {
    let day = file.strip_suffix(".txt").and_then(|stem| stem.rsplit_once('-'));
    day.is_some_and(|(_, day)| day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()))
}

fn rotated(file: &str, node: &str) -> Role {
    let stem = file.strip_suffix(".txt").unwrap_or(file);
    let name = stem.rsplit_once('-').map_or(stem, |(name, _)| name);
    let unit = node_log(name).map_or(name, |(unit, _)| unit);
    Role::node_log(node, unit, 1)
}

/// Returns the host from the name of an archive or folder: `scc_HOST_yymmdd_hhmm[_UUID]`, or in Harvester
/// `scc_supportconfig_HOST`.
fn host_of(name: &str) -> Option<&str> {
    let name = without_ending(name);
    let rest = name.strip_prefix("scc_").or_else(|| name.strip_prefix("nts_"))?;
    let is_number = |part: &str, digits: usize| part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
    let dated = rest.match_indices('_').find(|(at, _)| {
        let mut parts = rest.get(at + 1..).unwrap_or_default().split('_');
        parts.next().is_some_and(|day| is_number(day, 6)) && parts.next().is_some_and(|time| is_number(time, 4))
    });
    let host = dated.and_then(|(at, _)| rest.get(..at)).unwrap_or(rest);
    Some(host.strip_prefix("supportconfig_").unwrap_or(host)).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hold_sections_and_rotated_logs_do_not() {
        let of = |path: &str| role(&path.split('/').collect::<Vec<_>>(), "n1");
        assert_eq!(of("basic-environment.txt"), Role::Supportconfig { node: "n1".into() });
        let log = Role::node_log("n1", "messages", 1);
        assert_eq!(of("messages-20240306.txt"), log);
        assert_eq!(of("plugin-x-1.txt"), Role::Supportconfig { node: "n1".into() });
        assert_eq!(of("summary.xml"), Role::NodeFile { node: "n1".into() });
        assert_eq!(of("sar/sa20240306"), Role::NodeFile { node: "n1".into() });
    }

    #[test]
    fn the_archive_names_its_host() {
        for (name, host) in [
            ("scc_web-1_240306_1015.txz", Some("web-1")),
            ("scc_web_1_240306_1015_0a1b.tgz", Some("web_1")),
            ("nts_db_190306_1015", Some("db")),
            ("scc_supportconfig_n1.txz", Some("n1")),
            ("case-17.tgz", None),
            ("scc_", None),
        ] {
            assert_eq!(host_of(name), host, "{name}");
        }
    }
}
