//! Description of a collection on one host: time, zone, name and versions, from the output of commands.

use std::collections::BTreeMap;

use super::date::{self, DateOutput};
use super::description::Metadata;
use crate::model::message::LogProblem;
use crate::model::{Issue, IssueKind, Origin};

/// Maximum number of lines that are read of one file.
const MAX_LINES: usize = 2000;

/// A file of the host: its path and its text.
pub type HostFile<'t> = (&'t str, &'t str);

impl Metadata {
    /// Reads the files of a collection on a host; ambiguous facts become issues.
    pub fn of_host(files: &[HostFile<'_>]) -> (Self, Vec<Issue>) {
        let found = Files { files };
        let mut issues = Vec::new();
        let (created_at, zone) = found.time(&mut issues);
        let mut versions = BTreeMap::new();
        let mut add = |product: &str, version: Option<&str>| {
            versions.extend(version.map(|version| (product.to_owned(), version.to_owned())));
        };
        add("containerd", found.containerd());
        add("docker", found.value("docker/dockerinfo", "Server Version:"));
        add("etcd", found.etcd());
        add("kernel", found.kernel());
        add("os", found.value("systeminfo/osrelease", "PRETTY_NAME=").or(found.value("versions", "PRETTY_NAME=")));
        for product in ["k3s", "rke", "rke2"] {
            add(product, found.distribution(product));
        }
        let own = ["rke2", "k3s"].iter().find_map(|product| versions.get(*product).cloned());
        let metadata =
            Self { kubernetes_version: found.server().or(own), created_at, zone, versions, ..Self::default() };
        (metadata, issues)
    }
}

/// Returns the name of the host in the cluster: one of its own names, else that of the folder, if it is among the
/// nodes; without nodes the output of `hostname`.
pub fn name(files: &[HostFile<'_>], folder: &str, nodes: &[&str]) -> Option<String> {
    let found = Files { files };
    let own = ["systeminfo/hostname", "systeminfo/hostnamefqdn"].iter().filter_map(|path| found.text(path));
    let own: Vec<&str> = own.map(str::trim).filter(|name| is_name(name)).collect();
    let names = || own.iter().copied().chain([folder]);
    let same = |name: &str| nodes.iter().copied().find(|node| node.eq_ignore_ascii_case(name));
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let alike = |name: &str| {
        let mut fits = nodes.iter().copied().filter(|node| short(node) == short(name));
        fits.next().filter(|_| fits.next().is_none())
    };
    let known = names().find_map(same).or_else(|| names().find_map(alike));
    known.or_else(|| own.first().copied()).map(str::to_owned)
}

/// Returns true if a text is a host name and not a message.
fn is_name(text: &str) -> bool {
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    !text.is_empty() && text.len() <= 253 && text.bytes().all(is_sign) && text != "localhost"
}

struct Files<'f, 't> {
    files: &'f [HostFile<'t>],
}

impl<'t> Files<'_, 't> {
    /// Returns the text of the file at a path, or below the folder of a distribution.
    fn text(&self, path: &str) -> Option<&'t str> {
        let is_it = |known: &str| known == path || known.split_once('/').is_some_and(|(_, below)| below == path);
        self.files.iter().find(|(known, _)| is_it(known)).map(|(_, text)| *text)
    }

    /// Returns the value after a key at the beginning of a line, without quotes.
    fn value(&self, path: &str, key: &str) -> Option<&'t str> {
        let lines = self.text(path)?.lines().take(MAX_LINES);
        let value = lines.filter_map(|line| line.trim_start().strip_prefix(key)).next()?;
        Some(value.trim().trim_matches('"')).filter(|value| !value.is_empty())
    }

    fn time(&self, issues: &mut Vec<Issue>) -> (Option<jiff::Timestamp>, Option<i32>) {
        for path in ["systeminfo/date", "versions"] {
            match self.text(path).and_then(date::parse) {
                Some(DateOutput::Time(time, zone)) => return (Some(time), Some(zone)),
                Some(DateOutput::Somewhere(zone)) => issues.push(unclear(path, &zone)),
                None => {}
            }
        }
        (None, None)
    }

    /// Returns the API server's version.
    fn server(&self) -> Option<String> {
        let value = self.value("kubectl/version", "Server Version:")?;
        // Before Kubernetes 1.24: `version.Info{Major:"1", GitVersion:"v1.20.15+rke2r2", ...}`.
        let git = value.split_once("GitVersion:\"").and_then(|(_, rest)| rest.split('"').next());
        git.or_else(|| value.split_whitespace().next()).filter(|version| is_version(version)).map(str::to_owned)
    }

    /// `rke2 version v1.28.9+rke2r1 (07bf87f9)`.
    fn distribution(&self, product: &str) -> Option<&'t str> {
        let key = format!("{product} version ");
        let value = self.value("version", &key).or_else(|| self.value("versions", &key))?;
        value.split_whitespace().next().filter(|version| is_version(version))
    }

    fn containerd(&self) -> Option<&'t str> {
        let is_it = self.value("crictl/version", "RuntimeName:") == Some("containerd");
        let runtime = self.value("crictl/version", "RuntimeVersion:").filter(|_| is_it);
        let own = || self.text("crictl/containerd-version")?.split_whitespace().find(|word| is_version(word));
        runtime.or_else(own)
    }

    /// `Linux cp1 6.4.0-1 #1 SMP ...`.
    fn kernel(&self) -> Option<&'t str> {
        let mut words = self.text("systeminfo/uname")?.split_whitespace();
        if words.next() != Some("Linux") { None } else { words.nth(1).filter(|version| is_version(version)) }
    }

    /// Returns the oldest version among the members, from a table or from lines with commas.
    fn etcd(&self) -> Option<&'t str> {
        let cells = self.text("etcd/endpointstatus")?.lines().take(MAX_LINES).flat_map(|line| line.split(['|', ',']));
        let is_it = |cell: &&str| cell.split('.').count() == 3 && is_version(cell);
        let key = |cell: &&str| cell.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u64>>();
        cells.map(str::trim).filter(is_it).min_by_key(key)
    }
}

/// `v1.2.3`, `6.4.0-1`.
fn is_version(text: &str) -> bool {
    let bare = text.strip_prefix('v').unwrap_or(text);
    bare.starts_with(|sign: char| sign.is_ascii_digit()) && bare.contains('.') && !bare.contains(':')
}

/// Creates the issue for a time whose zone is ambiguous.
pub(super) fn unclear(path: &str, zone: &str) -> Issue {
    Issue::at(Origin::line(path, 1), IssueKind::Log, LogProblem::AmbiguousZone { zone: zone.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_on_a_host_states_its_time_and_versions() {
        let distribution =
            ("rke2/version", "rke2 version v1.28.9+rke2r1 (07bf87f9)\ngo version go1.21.9 X:boringcrypto\n");
        let server = ("rke2/kubectl/version", "Client Version: v1.28.9+rke2r1\nServer Version: v1.28.8+rke2r1\n");
        let read = |files: &[HostFile<'_>]| Metadata::of_host(files).0;
        let found = read(&[("systeminfo/date", "Wed Mar  6 10:15:30 CET 2024"), distribution, server]);
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.28.8+rke2r1"));
        assert_eq!(found.created_at.map(|t| t.to_string()).as_deref(), Some("2024-03-06T09:15:30Z"));
        assert_eq!(found.zone, Some(3600));
        assert_eq!(read(&[distribution]).kubernetes_version.as_deref(), Some("v1.28.9+rke2r1"));
        assert_eq!(read(&[("rke2/kubectl/version", "The connection to the server was refused")]), Metadata::default());
        let old = "Server Version: version.Info{Major:\"1\", Minor:\"20\", GitVersion:\"v1.20.15-rancher1\"}\n";
        assert_eq!(read(&[("rke/kubectl/version", old)]).kubernetes_version.as_deref(), Some("v1.20.15-rancher1"));
    }

    #[test]
    fn versions_come_from_the_tools_of_the_host() {
        let table = "+---+---+\n|  ENDPOINT  | VERSION |\n| https://10.0.0.1:2379 |  3.5.10 |\n| https://10.0.0.2:2379 |  3.5.9 |\n";
        let (found, issues) = Metadata::of_host(&[
            ("etcd/endpointstatus", table),
            ("docker/dockerinfo", "Client:\n Version: 1\nServer:\n Server Version: 20.10.24\n"),
            ("k3s/crictl/version", "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v1.7.2-k3s1\n"),
            ("systeminfo/osrelease", "NAME=x\nPRETTY_NAME=\"Some Linux 15.6\"\n"),
            ("systeminfo/uname", "Linux cp1 6.4.0-1 #1 SMP\n"),
            ("systeminfo/date", "Wed Mar  6 10:15:30 CST 2024"),
        ]);
        let versions: Vec<_> = found.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
        assert_eq!(
            versions,
            ["containerd v1.7.2-k3s1", "docker 20.10.24", "etcd 3.5.9", "kernel 6.4.0-1", "os Some Linux 15.6"]
        );
        assert_eq!((found.created_at, found.zone), (None, None));
        assert!(issues.len() == 1 && issues[0].message.to_string().contains("the zone CST stands for several"));
    }

    #[test]
    fn the_host_is_named_as_the_cluster_names_it() {
        let files = [("systeminfo/hostname", "CP1\n"), ("systeminfo/hostnamefqdn", "cp1.example.org\n")];
        assert_eq!(name(&files, "cp1", &["cp1.example.org", "wk1"]).as_deref(), Some("cp1.example.org"));
        assert_eq!(name(&files, "cp1", &["cp1", "cp1.example.org"]).as_deref(), Some("cp1"));
        assert_eq!(name(&files, "cp1", &["cp1.other.org"]).as_deref(), Some("cp1.other.org"));
        assert_eq!(name(&files, "case", &[]).as_deref(), Some("CP1"));
        assert_eq!(
            name(&[("systeminfo/hostname", "bash: hostname: command not found")], "cp1", &["cp1"]).as_deref(),
            Some("cp1")
        );
        assert_eq!(name(&[], "case-1", &["a", "b"]), None);
    }
}
