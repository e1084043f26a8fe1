//! Finds names by their place in a text: writers of system logs, hosts of URLs, values of keys such as `nodeName`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Schemes of URLs that name no machine: images, containers, files, cloud providers.
const SCHEMES: &[&str] = &[
    "aws",
    "azure",
    "containerd",
    "cri-o",
    "docker",
    "docker-pullable",
    "file",
    "gce",
    // Principals of Rancher: openldap_user://uid=bob,ou=people
    "group",
    "harvester",
    "longhorn",
    "oci",
    "spiffe",
    "unix",
    "unixgram",
    "user",
];

/// Places of machine names; the group `host` is the name.
const HOSTS: &[&str] = &[
    // Mar  1 10:00:00 alpha kernel: ...
    r"\b[A-Z][a-z]{2} [ 0-9]\d \d\d:\d\d:\d\d (?<host>NAME) [^ ]+: ",
    // 2026-03-01T10:00:00.5+01:00 alpha systemd[1]: ...
    r"\b\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d) (?<host>NAME) (?:kernel|[\w./()@-]+\[\d+\]): ",
    // <34>1 2026-03-01T10:00:00Z alpha su - ...
    r"^<\d+>\d? ?\S+ (?<host>NAME) \S+ \S+ \S+ ",
    // https://user@alpha:9345/v1, s3://bucket@region/
    r"(?<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:[^\s/@\x22']*@)?(?<host>NAME)",
    r"\bs3://(?<host>NAME)@",
    // nodeName: alpha, "hostname":"alpha", node=alpha, node="alpha", also in JSON in JSON; --node-name alpha
    r#"(?i)\b(?:host_?name|node[_-]?name|node_?id|owner_?id|peer-name|kubernetes\.io/hostname)\\*"?\s?[=:]\s?\\*["']?(?<host>NAME)"#,
    r#"(?i)\b(?:node|host|peer|server|computer|machine)(?:=\\*["']?|\\*":\s?\\*")(?<host>NAME)"#,
    r#"(?i)\b(?:nodes?|host|machine) \\*["'](?<host>NAME)\\*["']"#,
    r#"--(?:node-name|hostname-override|tls-san|server)[= ]"?(?<host>NAME)"#,
    // csinode/alpha1, system:node:alpha, DNS:alpha, 127.0.1.1 alpha1, hostname alpha1, alpha:5000/team/image
    r"(?i)\b(?:csi)?nodes?/(?<host>MARKED)",
    r"\b(?:system:node|DNS):(?<host>NAME)",
    r"(?m)^\s*(?:\d{1,3}\.){3}\d{1,3}\s+(?<host>MARKED)",
    r"(?m)^\s*(?:\d{1,3}\.){3}\d{1,3}\s+[\w.-]+\s+(?<host>MARKED)(?:\s+[\w.-]+)*\s*(?:#|$)",
    r"(?m)^\s*(?:\d{1,3}\.){3}\d{1,3}\s+[\w.-]+\s+[\w.-]+\s+(?<host>MARKED)(?:\s+[\w.-]+)*\s*(?:#|$)",
    r"(?i)\bhostname (?:is |set to )?[<\x22']?(?<host>MARKED)",
    r"(?:^|[\s\x22'=(])(?<host>NAME):\d{2,5}/[a-z]",
    // lookup alpha on 10.43.0.10:53: no such host; connect to host alpha port 22; root@alpha:~#
    r"\blookup (?<host>NAME)(?: on |: )",
    r"(?i)\b(?:resolve|connect to|connecting to|to) host:? '?(?<host>NAME)",
    r"\b(?:root|rancher|ubuntu|admin|opensuse|ec2-user)@(?<host>NAME)",
    // Accepted publickey for root from alpha port 22; no route to peer alpha1; ssh-ed25519 AAAA... bob@alpha
    r"\bfrom (?<host>NAME) port \d",
    r"\bpeer (?<host>MARKED)",
    r"\bAAAA[A-Za-z0-9+/]{12,}=* (?:[\w.+-]+@)?(?<host>NAME)",
    // ssh -i key bob@alpha1 uptime, scp x alpha1:/tmp, rsync -a x alpha1::module
    r"\bssh (?:-\w+ (?:[^\s@-]+ )?)*(?:[\w.-]+@)?(?<host>MARKED)",
    r"\b(?:rsync|scp) [^;&|\n]*[ @](?<host>MARKED):",
    // proxy=alpha:3128
    r#"(?i)\bproxy\\*["']?\s?[=:]\s?\\*["']?(?<host>NAME):\d"#,
    // mount of nas:/export, of nas1,nas2:/export
    r#"(?:^|[\s"'=])(?<host>MARKED)(?:,[\w.-]+)+:/[A-Za-z]"#,
    r#",(?<host>MARKED):/[A-Za-z]"#,
    r#"(?:^|[\s"'=,])(?<host>NAME):/[A-Za-z][^\s]* .*\bnfs"#,
    r#"(?i)\bnfs.*[\s"'=,](?<host>NAME):/[A-Za-z]"#,
    r#"(?i)\bcifs.*[\s"'=,]//(?<host>NAME)/"#,
    r#"(?i)(?:^|[\s"'=,])//(?<host>NAME)/[^\s]+.*\bcifs"#,
    r#"(?:^|[\s"'=,])\\\\(?<host>NAME)\\\w"#,
];

/// Places of lists of domains: what has dots there is a name, whatever it ends in.
static DOMAINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)\bno_proxy\\*["']?\s?[=:]\s?\S+|^\s*(?:search|domain)\s.+|--cluster-domain[= ]\S+"#).ok()
});

/// Lists of what needs no proxy.
static NO_PROXY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)\bno_proxy\\*["']?\s?[=:]\s?\\*["']?([^\s"'\\;]+)"#).ok());

/// Places of numbers that a maker gave a machine, a disk or a key; the group `serial` is the number.
const SERIALS: &[&str] = &[
    r#"(?i)(?:\b|_)(?:serial(?:[ _-]?(?:number|no|num|short))?|s/?n)\\?["']?\s*[=:]\s*\\?["']?(?<serial>VALUE)"#,
    r#"(?i)\b(?:asset|service)[ _-]?tag\\?["']?\s*[=:]\s*\\?["']?(?<serial>VALUE)"#,
    r#"(?i)\b(?:system[ _-]?uuid|product_(?:uuid|serial)|machine-?id|hostnqn|hostid|wwid|wwn)\\?["']?\s*[=:]\s*\\?["']?(?<serial>VALUE)"#,
    // World Wide Names, and identifiers of multipath, which are one with a 3 before it.
    r"\b(?:wwn-|naa\.|eui\.|t10\.)(?<serial>VALUE)",
    r"\b(?<serial>(?:0x|3)?(?:5[0-9A-Fa-f]{15}|6[0-9A-Fa-f]{31}))\b",
    r"/by-id/(?:(?:ata|nvme|scsi|usb|virtio|wwn)-)?(?<serial>VALUE)",
    // ata-MODEL_SERIAL, as udev names disks.
    r"\b(?:ata|nvme|scsi|usb)-[A-Za-z0-9][\w.+-]*_(?<serial>[A-Z0-9]{6,})\b",
    r"\bService Tag (?<serial>[A-Z0-9]{7})\b",
    r"\b(?:S/N|(?i:serial(?: (?:number|no\.?))?)) (?<serial>[A-Z0-9]{2,}[0-9][A-Z0-9]{2,})\b",
    // UUIDs of machines of Dell, which are `DELL` and the service tag.
    r"\b(?<serial>4[Cc]4[Cc]4544-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})\b",
    // Instances of EC2, machines of vSphere.
    r"\b(?<serial>i-[0-9a-f]{8,17})\b",
    r"\bvsphere://(?<serial>VALUE)",
];

/// Qualified names of iSCSI and NVMe; targets of Longhorn are named after volumes.
static QUALIFIED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:iqn|nqn)\.\d{4}-\d\d\.([A-Za-z0-9][A-Za-z0-9.-]*)(?::[^\s\x22',;|\]})\\]+)?").ok()
});
/// Components of a domain in a directory: `DC=acme,DC=de`.
static DIRECTORY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\bdc=[^\s,=]+(?:,\s?dc=[^\s,=\x22'\\;)]+)+").ok());

/// Owners of certificates: `CN=alpha,O=Acme GmbH`, `/O=Acme/CN=alpha`. What no sign ends is one word.
static OWNERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r#"[\p{L}\p{N}][^,/+"`()\\\n=]{0,62}?[\p{L}\p{N}.]"#;
    let end = r#"\s*(?:'(?:\W|$)|[,/+"`()\\\n]|$)"#;
    Regex::new(&format!(r"(?:\b(?:CN|OU?)|_user://(?i:uid|cn))\s?=\s?(?:({words}){end}|([\p{{L}}\p{{N}}][^\s,/+=]+))"))
        .ok()
});

/// First words of owners that all clusters have, and of authorities that the world knows.
const PUBLIC_OWNERS: [&str; 24] = [
    "amazon",
    "calico",
    "cattle",
    "cilium",
    "cloudflare",
    "digicert",
    "dynamiclistener",
    "etcd",
    "fleet",
    "front",
    "globalsign",
    "harvester",
    "isrg",
    "istio",
    "k3s",
    "kube",
    "kubelet",
    "kubernetes",
    "let",
    "longhorn",
    "nginx",
    "rancher",
    "rke2",
    "system",
];

/// Words with dots, and whether `://` is before them.
static DOTTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let label = r"[\p{L}\p{N}_](?:[\p{L}\p{N}_-]*[\p{L}\p{N}_])?";
    Regex::new(&format!(r"(://(?:[^\s/@\x22']*@)?)?((?:{label}\.)+\p{{L}}(?:[\p{{L}}\p{{N}}-]*[\p{{L}}\p{{N}}]))")).ok()
});

static HOST_PLACES: LazyLock<Vec<Regex>> = LazyLock::new(|| compiled(HOSTS));
static SERIAL_PLACES: LazyLock<Vec<Regex>> = LazyLock::new(|| compiled(SERIALS));

fn compiled(places: &[&str]) -> Vec<Regex> {
    let name = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?";
    let marked = r"[A-Za-z0-9_.-]*[0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?";
    let value = r"[A-Za-z0-9][A-Za-z0-9_:.+-]{3,}";
    let written = |place: &&str| place.replace("NAME", name).replace("MARKED", marked).replace("VALUE", value);
    places.iter().filter_map(|place| Regex::new(&written(place)).ok()).collect()
}

/// Word with dots and its place.
#[derive(Clone, Debug)]
pub struct Place<'t> {
    pub range: Range<usize>,
    pub word: &'t str,
    /// It is the host of a URL, or in a list of domains.
    pub is_host: bool,
    /// It does not go on with an underscore, as names of kernel settings do (`net.core.dev_weight`).
    pub is_whole: bool,
}

/// Finds words with dots.
pub fn dotted(text: &str) -> impl Iterator<Item = Place<'_>> {
    let lists: Vec<Range<usize>> =
        DOMAINS.iter().flat_map(|list| list.find_iter(text)).map(|list| list.range()).collect();
    let captures = DOTTED.iter().flat_map(move |pattern| pattern.captures_iter(text));
    captures.filter_map(move |captures| {
        let word = captures.get(2)?;
        let is_listed = lists.iter().any(|list| list.contains(&word.start()));
        let is_whole = text.as_bytes().get(word.end()) != Some(&b'_');
        Some(Place {
            range: word.range(),
            word: word.as_str(),
            is_host: captures.get(1).is_some() || is_listed,
            is_whole,
        })
    })
}

/// Finds words in the places of machine names; they may be numbers or other words.
pub fn hosts(text: &str) -> Vec<Range<usize>> {
    let mut found = unproxied(text);
    for captures in HOST_PLACES.iter().flat_map(|place| place.captures_iter(text)) {
        let scheme = captures.name("scheme").map(|scheme| scheme.as_str().to_ascii_lowercase());
        if scheme.is_none_or(|scheme| SCHEMES.binary_search(&scheme.as_str()).is_err()) {
            found.extend(captures.name("host").map(|host| host.range()));
        }
    }
    apart(found)
}

/// Finds serial numbers.
pub fn serials(text: &str) -> Vec<Range<usize>> {
    let captures = SERIAL_PLACES.iter().flat_map(|place| place.captures_iter(text));
    let is_number =
        |range: &Range<usize>| text.get(range.clone()).is_some_and(|word| word.bytes().any(|b| b.is_ascii_digit()));
    apart(captures.filter_map(|captures| Some(captures.name("serial")?.range())).filter(is_number).collect())
}

/// Finds qualified names of hosts and targets, except those that Longhorn gives its volumes.
pub fn qualified(text: &str) -> Vec<Range<usize>> {
    let captures = QUALIFIED.iter().flat_map(|pattern| pattern.captures_iter(text));
    let of_others =
        captures.filter(|captures| !captures.get(1).is_some_and(|by| by.as_str().starts_with("io.longhorn")));
    of_others.filter_map(|captures| Some(captures.get(0)?.range())).collect()
}

/// Finds owners of certificates, except those that all clusters have; names with dots are domains.
pub fn owners(text: &str) -> Vec<Range<usize>> {
    let captures = OWNERS.iter().flat_map(|pattern| pattern.captures_iter(text));
    let found = captures.filter_map(|captures| captures.get(1).or(captures.get(2)));
    let is_public = |owner: &str| {
        let owner = owner.to_ascii_lowercase();
        let (first, is_word) = owner.split_once(' ').map_or((owner.as_str(), true), |(first, _)| (first, false));
        let first = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        is_word && owner.contains('.') || PUBLIC_OWNERS.contains(&first)
    };
    found.filter(|owner| !is_public(owner.as_str())).map(|owner| owner.range()).collect()
}

/// Finds names without dots in lists of what needs no proxy.
fn unproxied(text: &str) -> Vec<Range<usize>> {
    const GENERIC: [&str; 5] = ["cattle-system", "cluster", "local", "localhost", "svc"];
    let mut found = Vec::new();
    for list in NO_PROXY.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|captures| captures.get(1)) {
        let mut start = list.start();
        for item in list.as_str().split(',') {
            let name = item.trim_start_matches(['.', '*']);
            let begin = start + item.len() - name.len();
            let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                && name.contains(|c: char| c.is_ascii_alphabetic());
            if is_name && !GENERIC.contains(&name) {
                found.push(begin..begin + name.len());
            }
            start += item.len() + 1;
        }
    }
    found
}

/// Finds domains in names of a directory, with the domain in the form of the DNS.
pub fn directories(text: &str) -> Vec<(Range<usize>, String)> {
    let found = DIRECTORY.iter().flat_map(|pattern| pattern.find_iter(text));
    found.map(|found| (found.range(), dns_of(found.as_str()))).collect()
}

fn dns_of(components: &str) -> String {
    let parts = components.split(',').filter_map(|part| part.split_once('=')).map(|(_, value)| value);
    parts.collect::<Vec<_>>().join(".")
}

/// Sorts ranges, and leaves out those that overlap an earlier one.
fn apart(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|range| {
        let free = range.start >= end;
        end = end.max(range.end);
        free
    });
    found
}
