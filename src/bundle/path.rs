//! Conversion of archive member names to paths that cannot leave the bundle.
//!
//! [`clean`] accepts, repairs or rejects a name; [`logical`] removes the archive layers from a path.

use crate::model::message::NameProblem;

/// Maximum length of a name; file systems also stop at 4096.
const LONGEST: usize = 4096;

/// Result of cleaning a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// Path of plain segments joined by `/`, and the repair that was made.
    Path(String, Option<NameProblem>),
    /// File that desktop systems leave behind; not reported.
    Litter,
    /// No safe path can be made from the name.
    Refused(NameProblem),
}

/// Converts a name to a relative path of plain segments.
///
/// Backslashes also separate, `.` and leading or doubled slashes are removed, control characters are replaced. A name
/// with `..` is rejected because its meaning is unknown.
pub(crate) fn clean(name: &str) -> Name {
    if name.len() > LONGEST {
        return Name::Refused(NameProblem::TooLong { most: LONGEST });
    }
    let mut correction = name.starts_with(['/', '\\']).then_some(NameProblem::Absolute);
    let mut path = String::with_capacity(name.len());
    for segment in name.trim_start_matches(['/', '\\']).trim_end_matches(['/', '\\']).split(['/', '\\']) {
        match segment {
            ".." => return Name::Refused(NameProblem::LeadsOut),
            "." => {}
            "" => correction = correction.or(Some(NameProblem::EmptyPart)),
            segment if is_litter(segment) => return Name::Litter,
            segment => push_segment(&mut path, segment, &mut correction),
        }
    }
    if path.is_empty() { Name::Refused(NameProblem::Empty) } else { Name::Path(path, correction) }
}

fn push_segment(path: &mut String, segment: &str, correction: &mut Option<NameProblem>) {
    if !path.is_empty() {
        path.push('/');
    }
    if segment.contains(char::is_control) {
        correction.get_or_insert(NameProblem::ControlCharacters);
        path.extend(segment.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }));
    } else {
        path.push_str(segment);
    }
}

fn is_litter(segment: &str) -> bool {
    segment.starts_with("._") || matches!(segment, "__MACOSX" | ".DS_Store" | "Thumbs.db")
}

/// Formats a name for a message: no control characters, limited length.
pub(crate) fn printable(name: &str) -> String {
    let mut text: String = name.chars().take(200).flat_map(char::escape_debug).collect();
    if name.chars().nth(200).is_some() {
        text.push_str("...");
    }
    text
}

/// Removes archive layers from a path: `nodes/n1.zip!/n1/logs/x` becomes `nodes/n1/logs/x`.
///
/// The archive's extension is removed, and so is its top folder if it has the archive's name. A file that was
/// compressed alone becomes the file itself: `logs/syslog.2.gz!/syslog.2` becomes `logs/syslog.2`. Colons, which
/// Windows does not allow in names, are restored where a re-pack wrote `%3A` or the substitute character.
pub(crate) fn logical(path: &str) -> String {
    let path = folded(path);
    if path.contains(['%', COLON]) {
        return path.replace("%3A", ":").replace("%3a", ":").replace(COLON, ":");
    }
    path
}

/// Character that Windows programs write in place of a colon.
const COLON: char = '\u{f03a}';

fn folded(path: &str) -> String {
    let mut layers = path.split("!/");
    let mut logical = layers.next().unwrap_or_default().to_owned();
    for inner in layers {
        let name = logical.rsplit('/').next().unwrap_or_default();
        if matches!(name, "" | "." | "..") {
            // A folder that only looks like an archive boundary: `!`, `.!`.
            logical.push_str("!/");
            logical.push_str(inner);
            continue;
        }
        logical.truncate(without_ending(&logical).len());
        let name = logical.rsplit('/').next().unwrap_or_default();
        if inner == name {
            continue;
        }
        let rest = inner.strip_prefix(name).and_then(|rest| rest.strip_prefix('/')).unwrap_or(inner);
        logical.push('/');
        logical.push_str(rest);
    }
    logical
}

/// Removes an archive's extension from a path or name.
pub(crate) fn without_ending(path: &str) -> &str {
    const ENDINGS: [&str; 15] = [
        ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tgz", ".txz", ".tbz", ".tbz2", ".tzst", ".tar", ".zip", ".gz",
        ".xz", ".bz2", ".zst",
    ];
    // `...zip` must not become `..`.
    let is_name = |stem: &&str| !matches!(stem.rsplit('/').next(), None | Some("" | "." | ".."));
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).filter(is_name).unwrap_or(path)
}

/// Returns true if the name is that of a text file, which is not searched for an archive.
pub(crate) fn is_text_name(path: &str) -> bool {
    const TEXT: [&str; 5] = ["yaml", "yml", "json", "log", "txt"];
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = match name.rsplit_once('.') {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    };
    name.rsplit_once('.').is_some_and(|(_, ending)| TEXT.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(name: &str) -> Option<String> {
        match clean(name) {
            Name::Path(path, None) => Some(path),
            _ => None,
        }
    }

    #[test]
    fn plain_names_stay_and_separators_are_unified() {
        assert_eq!(path("a/b.yaml").as_deref(), Some("a/b.yaml"));
        assert_eq!(path("./a/./b/").as_deref(), Some("a/b"));
        assert_eq!(path("a\\b\\c.log").as_deref(), Some("a/b/c.log"));
        assert_eq!(path("kube:etcd-10.0.0.1:2379.txt").as_deref(), Some("kube:etcd-10.0.0.1:2379.txt"));
    }

    #[test]
    fn nothing_leads_out() {
        for name in ["../x", "a/../../x", "a/..", "..\\x", "/../x", "a\\..\\b", ".."] {
            assert!(matches!(clean(name), Name::Refused(_)), "{name}");
        }
        assert_eq!(clean("/etc/x"), Name::Path("etc/x".into(), Some(NameProblem::Absolute)));
        assert!(matches!(clean("a//b"), Name::Path(path, Some(_)) if path == "a/b"));
        assert!(matches!(clean("a\u{1b}[2J\0b"), Name::Path(path, Some(_)) if path == "a\u{fffd}[2J\u{fffd}b"));
        assert!(matches!(clean("./"), Name::Refused(_)));
        assert!(matches!(clean(&"x".repeat(5000)), Name::Refused(_)));
    }

    #[test]
    fn litter_is_known() {
        for name in ["__MACOSX/a/._b", "a/.DS_Store", "a/._b.yaml", "Thumbs.db"] {
            assert_eq!(clean(name), Name::Litter, "{name}");
        }
    }

    #[test]
    fn archive_layers_fold() {
        assert_eq!(logical("nodes/n1.zip!/n1/logs/kernel.log"), "nodes/n1/logs/kernel.log");
        assert_eq!(logical("nodes/n1.zip!/logs/kernel.log"), "nodes/n1/logs/kernel.log");
        assert_eq!(logical("nodes/n1 (1).zip!/n1/logs/x"), "nodes/n1 (1)/n1/logs/x");
        assert_eq!(logical("nodes/n1.zip!/n1/scc/s.tar.gz!/s/a.txt"), "nodes/n1/scc/s/a.txt");
        assert_eq!(logical("nodes/n1.zip!/logs/syslog.2.gz!/syslog.2"), "nodes/n1/logs/syslog.2");
        assert_eq!(logical("nodes/n1.zip!/logs/syslog.2.gz!/syslog"), "nodes/n1/logs/syslog.2/syslog");
        assert_eq!(logical("systemlogs/messages-1!/messages-1"), "systemlogs/messages-1");
        assert_eq!(logical("plain/path.log"), "plain/path.log");
        assert_eq!(logical("etcd/metrics-10.0.0.1%3A2379.txt"), "etcd/metrics-10.0.0.1:2379.txt");
        assert_eq!(logical("etcd/metrics-10.0.0.1\u{f03a}2379.txt"), "etcd/metrics-10.0.0.1:2379.txt");
        assert_eq!(logical("etcd/100%.txt"), "etcd/100%.txt");
        assert_eq!(logical("!/x.log"), "!/x.log");
        assert_eq!(logical("a/..!/x.log"), "a/..!/x.log");
        assert_eq!(logical("a/...zip!/x.log"), "a/...zip/x.log");
        assert_eq!(logical("a/.zip!/x.log"), "a/.zip/x.log");
    }

    #[test]
    fn text_names() {
        for name in ["a/b.yaml", "x.log", "x.log.1", "a.json", "a.v1.txt"] {
            assert!(is_text_name(name), "{name}");
        }
        for name in ["n1.zip", "journal", "a.log.gz", "log", "x.1"] {
            assert!(!is_text_name(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_clean_path_stays_inside(name in "[a./\\\\\0\u{7f}:é!]{0,24}|[a./!]{0,6}([.]zip)?!/[a/!]{0,4}") {
            if let Name::Path(path, _) = clean(&name) {
                prop_assert!(!path.starts_with('/') && !path.ends_with('/') && !path.contains('\\'));
                prop_assert!(path.split('/').all(|segment| !matches!(segment, "" | "." | "..")));
                prop_assert!(!path.contains(char::is_control));
                prop_assert!(logical(&path).split('/').all(|segment| !matches!(segment, "" | "." | "..")));
                prop_assert_eq!(clean(&path), Name::Path(path.clone(), None));
            }
        }
    }
}
