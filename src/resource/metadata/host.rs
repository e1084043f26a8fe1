//! The description of a collection that was made on one host.

use super::Metadata;
use crate::resource::date;

impl Metadata {
    /// What a collection on a host tells in its own files: the output of `date`, of `kubectl version` and of the
    /// distribution's `version`.
    pub fn of_host<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let lines = || texts.clone().flat_map(|text| text.lines().take(20));
        let server = lines().find_map(|line| line.strip_prefix("Server Version: "));
        let distribution = || lines().find_map(|line| line.split_once(" version v").map(|(_, version)| version));
        let kubernetes = match server {
            Some(version) => Some(version.trim().to_owned()),
            None => distribution().and_then(|v| v.split_whitespace().next()).map(|version| format!("v{version}")),
        };
        Self { kubernetes_version: kubernetes, created_at: texts.clone().find_map(date::parse), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_on_a_host_tells_its_time_and_versions() {
        let distribution = "rke2 version v1.28.9+rke2r1 (07bf87f9)\ngo version go1.21.9 X:boringcrypto\n";
        let server = "Client Version: v1.28.9+rke2r1\nServer Version: v1.28.8+rke2r1\n";
        let read = |texts: &[&str]| Metadata::of_host(texts.iter().copied());
        let found = read(&["Wed Mar  6 10:15:30 UTC 2024", distribution, server]);
        assert_eq!(found.kubernetes_version.as_deref(), Some("v1.28.8+rke2r1"));
        assert_eq!(found.created_at.map(|t| t.to_string()).as_deref(), Some("2024-03-06T10:15:30Z"));
        assert_eq!(read(&[distribution]).kubernetes_version.as_deref(), Some("v1.28.9+rke2r1"));
        assert_eq!(read(&["The connection to the server was refused"]), Metadata::default());
    }
}
