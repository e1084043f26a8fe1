//! Description of a collection of one machine by supportconfig, sosreport or the collector of a node.

use std::collections::BTreeMap;

use super::date::{self, DateOutput};
use super::description::Metadata;
use super::host::{HostFile, unclear};
use crate::model::Issue;

impl Metadata {
    /// Reads files of a machine, in any order: the output of `date`, `uname -a`, `kubectl version` and of the distribution's
    /// `version`, its list of packages, `os-release` and `harvester-release.yaml`. Ambiguous facts become issues.
    pub fn of_machine(files: &[HostFile<'_>]) -> (Self, Vec<Issue>) {
        let lines = || files.iter().flat_map(|(_, text)| text.lines());
        let behind = |prefix: &str| lines().find_map(|line| line.strip_prefix(prefix)).map(unquoted);
        let distribution = |product: &str| {
            let version = behind(&format!("{product} version ")).and_then(|told| told.split_whitespace().next());
            version.filter(|version| version.starts_with('v')).map(str::to_owned)
        };
        let kubernetes = behind("Server Version: ").or_else(|| behind("kubernetes: ")).map(str::to_owned);
        let kubernetes = kubernetes.or_else(|| distribution("rke2")).or_else(|| distribution("k3s"));
        let os = behind("PRETTY_NAME=");
        let told = [
            ("harvester", behind("harvester: ").or_else(|| os?.strip_prefix("Harvester "))),
            ("kernel", lines().find_map(kernel)),
            ("os", os),
            ("rancher", behind("rancher: ")),
        ];
        let told = told.into_iter().filter_map(|(product, version)| Some((product.to_owned(), version?.to_owned())));
        let mut found = Self {
            kubernetes_version: kubernetes.or_else(|| lines().find_map(packaged)),
            versions: told.filter(|(_, version)| !version.is_empty()).collect::<BTreeMap<_, _>>(),
            ..Self::default()
        };
        let mut issues = Vec::new();
        match files.iter().find_map(|(path, text)| Some((*path, date::parse(text)?))) {
            Some((_, DateOutput::Time(time, zone))) => (found.created_at, found.zone) = (Some(time), Some(zone)),
            Some((path, DateOutput::Somewhere(zone))) => issues.push(unclear(path, &zone)),
            None => {}
        }
        (found, issues)
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

/// `Linux HOST 5.14.21-150500.55.44-default #1 SMP ...`
fn kernel(line: &str) -> Option<&str> {
    let version = line.strip_prefix("Linux ")?.split_whitespace().nth(1)?;
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// `rke2-server   SUSE   1.28.9~rke2r1-0`: returns the version of a distribution's package.
fn packaged(line: &str) -> Option<String> {
    let name = line.split_whitespace().next().filter(|name| matches!(*name, "rke2-server" | "rke2-agent" | "k3s"));
    let version = line.split_whitespace().last().filter(|_| name.is_some())?;
    let upstream = version.rsplit_once('-').map_or(version, |(upstream, _)| upstream);
    upstream.contains('~').then(|| format!("v{}", upstream.replace('~', "+")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Metadata {
        let files: Vec<HostFile<'_>> = texts.iter().map(|text| ("f", *text)).collect();
        Metadata::of_machine(&files).0
    }

    #[test]
    fn a_collection_on_a_host_states_its_time_and_versions() {
        let distribution = "rke2 version v1.28.9+rke2r1 (07bf87f9)\ngo version go1.21.9 X:boringcrypto\n";
        let server = "Client Version: v1.28.9+rke2r1\nServer Version: v1.28.8+rke2r1\n";
        let found = read(&["Wed Mar  6 10:15:30 UTC 2024", distribution, server]);
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.28.8+rke2r1"));
        assert_eq!(found.created_at.map(|t| t.to_string()).as_deref(), Some("2024-03-06T10:15:30Z"));
        assert_eq!(read(&[distribution]).kubernetes_version.as_deref(), Some("v1.28.9+rke2r1"));
        assert_eq!(read(&["The connection to the server was refused"]), Metadata::default());
    }

    #[test]
    fn a_host_states_its_versions() {
        let found = read(&[
            "Linux n1 5.14.21-150500 #1 SMP x86_64 GNU/Linux\n",
            "NAME=\"SLE Micro\"\nPRETTY_NAME=\"Harvester v1.3.1\"\n",
            "rke2-server      SUSE    1.28.9~rke2r1-0\n",
        ]);
        let told: Vec<_> = found.versions.iter().map(|(product, version)| format!("{product} {version}")).collect();
        assert_eq!(told, ["harvester v1.3.1", "kernel 5.14.21-150500", "os Harvester v1.3.1"]);
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.28.9+rke2r1"));
        let release = read(&["harvester: v1.4.1\nkubernetes: v1.29.9+rke2r1\nrancher: v2.9.3\n"]);
        assert_eq!(release.kubernetes_version.as_deref(), Some("v1.29.9+rke2r1"));
        assert_eq!(release.versions["harvester"], "v1.4.1");
        assert_eq!(release.versions["rancher"], "v2.9.3");
    }
}
