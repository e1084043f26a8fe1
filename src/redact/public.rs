//! Names and addresses that do not identify a customer.

use std::net::{IpAddr, Ipv4Addr};

/// Common machine names; replacing such a word would spoil sentences that contain it.
const GENERIC: &[&str] = &[
    "agent",
    "backup",
    "cluster",
    "compute",
    "container",
    "control-plane",
    "controlplane",
    "default",
    "disk",
    "etcd",
    "harvester",
    "host",
    "image",
    "kubernetes",
    "local",
    "localhost",
    "longhorn",
    "machine",
    "master",
    "node",
    "nodes",
    "pod",
    "rancher",
    "server",
    "storage",
    "system",
    "test",
    "unknown",
    "vm",
    "volume",
    "worker",
];

/// Words in places where logs have a machine name: levels, streams, and what sentences say instead of a name.
const WORDS: &[&str] = &[
    "a",
    "all",
    "amd64",
    "an",
    "and",
    "any",
    "arm64",
    "auto",
    "base64",
    "cannot",
    "current",
    "debug",
    "err",
    "error",
    "eth0",
    "eth1",
    "false",
    "fatal",
    "for",
    "from",
    "has",
    "http2",
    "in",
    "info",
    "ip",
    "ipv4",
    "ipv6",
    "is",
    "it",
    "its",
    "k3s",
    "k8s",
    "md5",
    "name",
    "nil",
    "no",
    "none",
    "not",
    "null",
    "of",
    "on",
    "port",
    "rke2",
    "self",
    "sha1",
    "sha256",
    "sha512",
    "stderr",
    "stdout",
    "tcp4",
    "tcp6",
    "that",
    "the",
    "this",
    "to",
    "trace",
    "true",
    "udp4",
    "undefined",
    "utf8",
    "warn",
    "warning",
    "was",
    "which",
    "with",
    "x509",
    "x86",
    "your",
];

/// First words of names of services and pods that all clusters have (`longhorn-backend`, `rancher-webhook`).
const PRODUCTS: &[&str] = &[
    "alertmanager",
    "backing",
    "calico",
    "canal",
    "cattle",
    "cdi",
    "cert",
    "cilium",
    "cloud",
    "coredns",
    "csi",
    "etcd",
    "flannel",
    "fleet",
    "gitjob",
    "grafana",
    "harvester",
    "helm",
    "ingress",
    "instance",
    "kube",
    "kubernetes",
    "kubevirt",
    "longhorn",
    "metrics",
    "minio",
    "multus",
    "nginx",
    "prometheus",
    "pushprox",
    "rancher",
    "rke2",
    "rook",
    "share",
    "snapshot",
    "system",
    "traefik",
    "upgrade",
    "virt",
    "webhook",
];

/// systemd units that look like ends of addresses: `user@1000.service`.
const UNITS: &[&str] =
    &["automount", "device", "mount", "path", "scope", "service", "slice", "socket", "swap", "target", "timer"];

/// Returns true if the word is too short or too common to identify a machine.
pub fn is_generic(name: &str) -> bool {
    name.len() < 2 || GENERIC.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}

/// Returns true if a word in the place of a machine name is none: a word of sentences, a number, an id of a container.
pub fn is_no_host(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_id = lower.len() >= 32 && lower.bytes().all(|b| b.is_ascii_hexdigit());
    is_generic(name)
        || is_id
        || is_version(&lower)
        || WORDS.binary_search(&lower.as_str()).is_ok()
        || !lower.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Recognises versions: `v1`, `v1beta2`, `1.2`.
fn is_version(name: &str) -> bool {
    let version = name.strip_prefix('v').unwrap_or(name);
    let numbers = ["alpha", "beta", "rc"].iter().fold(version.to_owned(), |text, word| text.replacen(word, "", 1));
    version.starts_with(|c: char| c.is_ascii_digit()) && numbers.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// Returns true for names of services that come with the products.
pub fn is_of_product(name: &str) -> bool {
    let first = name.split(['-', '_']).next().unwrap_or_default();
    PRODUCTS.binary_search(&first.to_ascii_lowercase().as_str()).is_ok()
}

/// Returns true if the end of an apparent e-mail address is that of a systemd unit.
pub fn is_unit(domain: &str) -> bool {
    UNITS.binary_search(&domain.rsplit('.').next().unwrap_or_default()).is_ok()
}

/// Returns true if an address is the same in every cluster: loopback, unspecified, broadcast, a mask, or the defaults
/// of RKE2, K3s and Harvester for the API server and the DNS of a cluster.
pub fn is_public_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let bits = v4.to_bits();
            let is_mask = bits.leading_ones() + bits.trailing_zeros() >= 32 && v4.octets()[0] == 255;
            v4.is_loopback() || v4.is_unspecified() || is_mask || SERVICES.contains(&v4)
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unspecified(),
    }
}

/// First addresses of the default ranges, which also represent the ranges (`10.52.0.0/16`).
const SERVICES: [Ipv4Addr; 8] = [
    Ipv4Addr::new(10, 42, 0, 0),
    Ipv4Addr::new(10, 43, 0, 0),
    Ipv4Addr::new(10, 43, 0, 1),
    Ipv4Addr::new(10, 43, 0, 10),
    Ipv4Addr::new(10, 52, 0, 0),
    Ipv4Addr::new(10, 53, 0, 0),
    Ipv4Addr::new(10, 53, 0, 1),
    Ipv4Addr::new(10, 53, 0, 10),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [GENERIC, WORDS, PRODUCTS, UNITS] {
            assert!(list.is_sorted_by(|a, b| a < b), "{:?}", list.windows(2).find(|pair| pair[0] >= pair[1]));
        }
    }

    #[test]
    fn addresses_that_all_have_are_kept() {
        for address in
            ["127.0.0.1", "0.0.0.0", "255.255.255.255", "255.255.252.0", "::1", "::", "10.53.0.1", "10.52.0.0"]
        {
            assert!(is_public_address(address.parse().unwrap()), "{address}");
        }
        for address in ["10.52.1.7", "192.168.1.1", "8.8.8.8", "255.0.255.0", "fe80::1", "254.0.0.0"] {
            assert!(!is_public_address(address.parse().unwrap()), "{address}");
        }
    }
}
