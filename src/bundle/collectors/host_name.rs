//! Host names from the names around a collection and from files in it.

use crate::bundle::path::without_ending;

/// Returns the innermost folder of a prefix.
pub(super) fn innermost_folder(prefix: &str) -> &str {
    prefix.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// Returns the host in the name of the folder around a collection, or else of its container; if neither has one, the
/// name itself.
pub(super) fn by_name(prefix: &str, container: &str, host_in: fn(&str) -> Option<&str>) -> String {
    let folder = innermost_folder(prefix);
    let host = [folder, container].into_iter().find_map(host_in);
    let fallback = if folder.is_empty() { without_ending(container) } else { folder };
    host.unwrap_or(fallback).to_owned()
}

/// Reads the host from `Linux HOST 5.14.21-... #1 SMP ...`.
pub(super) fn in_uname(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("Linux ")?.split_whitespace().next())
}

/// Reads the host from the output of `hostname` or the file `/etc/hostname`.
pub(super) fn in_hostname(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}
