//! DNS names: which of them belong to a customer, and which are of software that all clusters use.

/// Domains of software that such clusters use, including all names below them; API groups are such names.
const DOMAINS: &[&str] = &[
    "apache.org",
    "aquasecurity.github.io",
    "argo-cd.readthedocs.io",
    "argo-rollouts.readthedocs.io",
    "argoproj.github.io",
    "argoproj.io",
    "banzaicloud.io",
    "btrfs.readthedocs.io",
    "bugs.openjdk.org",
    "cattle.io",
    "ceph.com",
    "cert-manager.io",
    "cilium.io",
    "cloudnative-pg.io",
    "cluster.local",
    "cncf.io",
    "cni.dev",
    "codecentric.de",
    "containerd.io",
    "containo.us",
    "coredns.io",
    "coreos.com",
    "coreos.io",
    "cri-o.io",
    "crossplane.io",
    "curl.se",
    "datadoghq.com",
    "debian.org",
    "docker.com",
    "docker.io",
    "docs.aws.amazon.com",
    "docs.fluentbit.io",
    "docs.nats.io",
    "docs.nextcloud.com",
    "docs.oracle.com",
    "elastic.co",
    "engineeringat.axis.com",
    "envoyproxy.io",
    "etcd.io",
    "example.com",
    "example.net",
    "example.org",
    "external-secrets.io",
    "fedoramagazine.org",
    "fedoraproject.org",
    "fibrevillage.com",
    "fluxcd.io",
    "freedesktop.org",
    "galeracluster.com",
    "gatekeeper.sh",
    "gcr.io",
    "ggcircuit.com",
    "ghcr.io",
    "git-scm.com",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "gnu.org",
    "go.dev",
    "golang.org",
    "google.com",
    "googleapis.com",
    "gopkg.in",
    "grafana.app",
    "grafana.com",
    "grafana.github.io",
    "grafana.net",
    "harvester.github.io",
    "harvesterhci.com",
    "harvesterhci.io",
    "hashicorp.com",
    "helm.sh",
    "huggingface.co",
    "istio.io",
    "jaegertracing.io",
    "jenkins.io",
    "jetstack.io",
    "k0sproject.io",
    "k3s.io",
    "k8s.io",
    "karpenter.sh",
    "keda.sh",
    "kernel.org",
    "knative.dev",
    "kserve.github.io",
    "kube-logging.dev",
    "kube-vip.github.io",
    "kube-vip.io",
    "kubeovn.io",
    "kubernetes-csi.github.io",
    "kubernetes-sigs.github.io",
    "kubernetes.github.io",
    "kubernetes.io",
    "kubevirt.io",
    "kubewarden.io",
    "kyverno.io",
    "launchpad.net",
    "letsencrypt.org",
    "linkerd.io",
    "longhorn.io",
    "lscr.io",
    "man7.org",
    "mcr.microsoft.com",
    "metal3.io",
    "metallb.io",
    "microsoft.com",
    "min.io",
    "mongodb.com",
    "mozilla.org",
    "mysql.com",
    "n0derunner.com",
    "neuvector.com",
    "nginx.com",
    "nginx.org",
    "nodejs.org",
    "npmjs.org",
    "ntp.org",
    "nvcr.io",
    "nvidia.com",
    "olm.operatorframework.io",
    "open-policy-agent.github.io",
    "open-policy-agent.org",
    "openbao.org",
    "opencontainers.org",
    "openebs.io",
    "openpolicyagent.org",
    "openshift.io",
    "opensuse.org",
    "opentelemetry.io",
    "openzfs.github.io",
    "oras.land",
    "percona.com",
    "pgmac.net.au",
    "pkg.dev",
    "postgresql.org",
    "projectcalico.org",
    "prometheus-community.github.io",
    "prometheus-operator.dev",
    "prometheus.io",
    "public.ecr.aws",
    "pypi.org",
    "python.org",
    "quay.io",
    "rabbitmq.com",
    "rancher.cloud",
    "rancher.com",
    "rancher.github.io",
    "rancher.io",
    "reddit.com",
    "redhat.com",
    "redis.io",
    "rfc-editor.org",
    "rke2.io",
    "rook.io",
    "rootlesscontaine.rs",
    "schema.org",
    "snapcraft.io",
    "sourceware.org",
    "spdx.org",
    "spiffe.io",
    "sqlite.org",
    "ssmsj.com",
    "strimzi.io",
    "suse-edge.github.io",
    "suse.com",
    "suse.de",
    "systemd.io",
    "tekton.dev",
    "thanos.io",
    "thegeekdiary.com",
    "tigera.io",
    "tmbeck.github.io",
    "traefik.io",
    "troubleshoot.sh",
    "uber.org",
    "ubuntu.com",
    "upbound.io",
    "utoronto.ca",
    "velero.io",
    "vmware.com",
    "w3.org",
    "weave.works",
    "x-k8s.io",
    "yaml.org",
    "zalan.do",
];

/// Last parts of names in private networks, of which the public suffix list has none.
const PRIVATE: &[&str] = &[
    "corp",
    "dmz",
    "home",
    "internal",
    "intra",
    "intranet",
    "lab",
    "lan",
    "local",
    "localdomain",
    "localnet",
    "mgmt",
    "onprem",
    "priv",
    "private",
];

/// Public suffixes that are endings of files or of units: such a word is a name only where nothing else can be.
const FILES: &[&str] = &["md", "mov", "pub", "py", "sh", "target", "zip"];

/// Public suffixes that are also words of field paths and programs (`metadata.name`, `main.rs`): such a word is a name
/// if it has at least three parts and does not begin like a path.
const WORDS: &[&str] = &[
    "as",
    "auto",
    "bar",
    "box",
    "build",
    "by",
    "call",
    "cc",
    "claims",
    "data",
    "date",
    "day",
    "email",
    "events",
    "fail",
    "fit",
    "free",
    "group",
    "health",
    "help",
    "host",
    "id",
    "info",
    "int",
    "is",
    "lease",
    "link",
    "live",
    "map",
    "me",
    "media",
    "name",
    "network",
    "new",
    "next",
    "now",
    "one",
    "open",
    "page",
    "pid",
    "pl",
    "place",
    "properties",
    "ps",
    "read",
    "report",
    "rest",
    "room",
    "rs",
    "run",
    "search",
    "secure",
    "select",
    "services",
    "show",
    "so",
    "space",
    "storage",
    "store",
    "stream",
    "style",
    "support",
    "team",
    "to",
    "top",
    "total",
    "watch",
    "web",
    "windows",
    "work",
    "world",
    "zone",
];

/// First parts of field paths, of kernel settings and of reversed names (`org.opencontainers.image.name`).
const ROOTS: &[&str] = &["com", "fs", "io", "kernel", "net", "object", "org", "path", "self", "status", "vm"];

/// Parts that only field paths have, anywhere (`pod.metadata.name`).
const FIELDS: &[&str] = &["annotations", "labels", "metadata", "spec"];

/// Ends of units that systemd makes of paths of volumes: `var-lib-kubelet-...-volumes-kubernetes.io`.
const UNITS: &[&str] = &["plugins-kubernetes.io", "volumes-kubernetes.io"];

/// What the form of a dotted word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dotted {
    /// A name of software that all clusters use, or of a service in the cluster.
    Public,
    /// A name of the customer.
    Private,
    /// A field path, a file or a name: only its place says which.
    Unclear,
}

impl Dotted {
    /// Judges a word with at least one dot.
    pub fn of(word: &str) -> Self {
        let name = word.to_ascii_lowercase();
        let (ending, parts, is_sentence) = (ending(&name), name.split('.').count(), !is_in_one_case(word));
        if is_upstream(&name) || is_service(&name) {
            Self::Public
        } else if has(PRIVATE, ending) {
            Self::Private
        } else if !is_registered(&name) || (is_sentence && (parts < 3 || has(WORDS, ending))) || has(FILES, ending) {
            Self::Unclear
        } else if has(WORDS, ending) {
            if is_path(word) || parts < 3 { Self::Unclear } else { Self::Private }
        } else {
            Self::Private
        }
    }
}

/// Returns the domain that somebody registered: `acme.co.uk` of `vip.acme.co.uk`. In private networks it is the last
/// two parts.
pub fn registered(name: &str) -> Option<&str> {
    psl::domain_str(name)
}

/// Returns true if a name is in a domain of software that all clusters use.
pub fn is_upstream(name: &str) -> bool {
    let below = |domain: &str| name.strip_suffix(domain).is_some_and(|head| head.is_empty() || head.ends_with('.'));
    DOMAINS.iter().any(|domain| below(domain)) || UNITS.iter().any(|end| name.ends_with(end))
}

/// Recognises names of services within a cluster.
pub fn is_service(name: &str) -> bool {
    name.ends_with(".svc") || name.contains(".svc.cluster.")
}

fn is_registered(name: &str) -> bool {
    psl::suffix(name.as_bytes()).is_some_and(|suffix| suffix.is_known() && suffix.as_bytes().len() < name.len())
}

/// Returns false if only the ending has upper-case letters, as at the end of a sentence without a blank and in types
/// of programs (`done.It`, `version.Info`).
fn is_in_one_case(word: &str) -> bool {
    let has_upper = |text: &str| text.contains(|c: char| c.is_ascii_uppercase());
    !has_upper(ending(word)) || !word.contains(|c: char| c.is_ascii_lowercase())
}

fn is_path(word: &str) -> bool {
    let hump = |pair: &[u8]| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase());
    let first = word.split('.').next().unwrap_or_default().to_ascii_lowercase();
    has(ROOTS, &first) || word.split('.').any(|part| has(FIELDS, part)) || word.as_bytes().windows(2).any(hump)
}

fn ending(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

fn has(list: &[&str], word: &str) -> bool {
    list.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [DOMAINS, PRIVATE, FILES, WORDS, ROOTS, FIELDS] {
            assert!(list.is_sorted_by(|a, b| a < b), "{:?}", list.windows(2).find(|pair| pair[0] >= pair[1]));
            assert!(
                list.iter().all(|name| name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b)))
            );
        }
    }

    #[test]
    fn lists_hold_what_the_public_suffix_list_does() {
        for ending in FILES.iter().chain(WORDS) {
            assert!(is_registered(&format!("x.{ending}")), "{ending} is no suffix, so the list need not have it");
        }
        for ending in PRIVATE {
            assert!(!is_registered(&format!("x.{ending}")), "{ending} is a suffix");
        }
    }

    #[test]
    fn domains_of_customers_differ_from_words_with_dots() {
        for name in [
            "vip.acme.com",
            "registry.corp.internal",
            "s3.acme.de",
            "acme.io",
            "acme.cloud",
            "k8s.acme.network",
            "data.acme.dev",
            "x.acme.co.uk",
            "ACME.COM",
            "acme.xn--p1ai",
            "münchen.de",
            "acme.github.io",
            "gitlab.acme.rs",
        ] {
            assert_eq!(Dotted::of(name), Dotted::Private, "{name}");
        }
        for name in ["volumes.longhorn.io", "k8s.io", "a.b.svc.cluster.local", "a.b.svc", "apps.v1.longhorn.io"] {
            assert_eq!(Dotted::of(name), Dotted::Public, "{name}");
        }
        for name in [
            "status.phase",
            "main.go",
            "main.rs",
            "kubelet.log",
            "metadata.name",
            "spec.template.metadata.name",
            "do.it.To",
            "done.It",
            "run.sh",
            "multi-user.target",
            "org.opencontainers.image.name",
            "version.Info",
            "co.uk",
            "x9A.TN",
        ] {
            assert_eq!(Dotted::of(name), Dotted::Unclear, "{name}");
        }
    }

    #[test]
    fn the_registered_part_is_found() {
        assert_eq!(registered("vip.acme.co.uk"), Some("acme.co.uk"));
        assert_eq!(registered("a.acme-dc.lan"), Some("acme-dc.lan"));
        assert_eq!(registered("co.uk"), None);
    }
}
