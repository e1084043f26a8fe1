//! Names that do not identify a customer.

use std::net::{IpAddr, Ipv4Addr};

/// Domains of software that such clusters use, including all names below them; API groups are such names.
const DOMAINS: &[&str] = &[
    "aquasecurity.github.io",
    "argoproj.io",
    "banzaicloud.io",
    "cattle.io",
    "cert-manager.io",
    "cilium.io",
    "cluster.local",
    "cncf.io",
    "containerd.io",
    "containo.us",
    "coreos.com",
    "coreos.io",
    "cri-o.io",
    "docker.com",
    "docker.io",
    "etcd.io",
    "example.com",
    "example.net",
    "example.org",
    "fluxcd.io",
    "gcr.io",
    "ghcr.io",
    "github.com",
    "github.io",
    "githubusercontent.com",
    "golang.org",
    "google.com",
    "googleapis.com",
    "gopkg.in",
    "grafana.com",
    "harvesterhci.io",
    "helm.sh",
    "istio.io",
    "k3s.io",
    "k8s.io",
    "kernel.org",
    "kube-
    vip.io",
    "kubeovn.io",
    "kubernetes.io",
    "kubevirt.io",
    "letsencrypt.org",
    "longhorn.io",
    "openebs.io",
    "openshift.io",
    "opensuse.org",
    "projectcalico.org",
    "prometheus.io",
    "quay.io",
    "rancher.com",
    "rancher.io",
    "redhat.com",
    "rke2.io",
    "suse.com",
    "suse.de",
    "tigera.io",
    "traefik.io",
    "uber.org",
    "velero.io",
    "x-k8s.io",
];

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

/// Last parts that make a dotted word a DNS name. Two-letter words that are also file endings or words of field paths
/// (`main.rs`, `spec.to`) are left out.
const ENDINGS: &[&str] = &[
    "biz",
    "br",
    "ch",
    "cn",
    "com",
    "corp",
    "cz",
    "de",
    "dk",
    "edu",
    "eu",
    "fi",
    "fr",
    "gov",
    "gr",
    "hk",
    "hu",
    "il",
    "internal",
    "intra",
    "intranet",
    "io",
    "jp",
    "kr",
    "lan",
    "local",
    "localdomain",
    "lu",
    "mil",
    "mx",
    "net",
    "nl",
    "nz",
    "org",
    "pt",
    "ro",
    "ru",
    "se",
    "sg",
    "sk",
    "tr",
    "tw",
    "ua",
    "uk",
    "za",
];

/// systemd units that look like ends of addresses: `user@1000.service`.
const UNITS: &[&str] =
    &["automount", "device", "mount", "path", "scope", "service", "slice", "socket", "swap", "target", "timer"];

/// Returns true if the word is too short or too common to identify a machine.
pub fn is_generic(name: &str) -> bool {
    name.len() < 2 || GENERIC.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}

/// Returns true if a dotted word is a DNS name that is not public.
pub fn is_private_domain(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ending = name.rsplit('.').next().unwrap_or_default();
    ENDINGS.binary_search(&ending).is_ok() && is_private_host(&name)
}

/// Returns true if a dotted host of an address is not public.
pub fn is_private_host(name: &str) -> bool {
    let below = |domain: &str| name.strip_suffix(domain).is_some_and(|head| head.is_empty() || head.ends_with('.'));
    !DOMAINS.iter().any(|domain| below(domain)) && !ends_in_svc(name)
}

/// Recognises names of services within a cluster.
fn ends_in_svc(name: &str) -> bool {
    name.ends_with(".svc") || name.contains(".svc.cluster.")
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
        for list in [DOMAINS, GENERIC, ENDINGS, UNITS] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] > pair[1]));
        }
    }

    #[test]
    fn domains_of_customers_differ_from_words_with_dots() {
        for name in ["vip.acme.com", "registry.corp.internal", "s3.acme.de", "acme.io"] {
            assert!(is_private_domain(name), "{name}");
        }
        for name in [
            "volumes.longhorn.io",
            "k8s.io",
            "status.phase",
            "main.go",
            "kubelet.log",
            "a.b.svc.cluster.local",
            "a.b.svc",
        ] {
            assert!(!is_private_domain(name), "{name}");
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
