use proptest::prelude::*;

use super::names::Names;
use super::*;
use crate::model::Histogram;
use crate::model::Origin;
use crate::model::inventory::{
    Claim, Condition, Disk, HistoryEntry, Instance, Inventory, Machine, Moment, MomentKind, NodeState, NodeUpgrade,
    ObjectHistory, PodCount, Relation, Replica, Shown, Source, Upgrade, Volume,
};
use crate::model::message::{GapReason, GapSubject, Happening, IssueMessage, Reason};
use crate::model::unexplained::{Incident, Level, LogTemplate, Unexplained};
use crate::model::unhealthy::{
    LogEnd, ObjectWarning, Unhealthy, UnhealthyGroup, UnhealthyObject, Verdict, WarningGroup,
};
use crate::model::{
    BundleFacts, Confidence, Evidence, EvidenceValue, ExcerptLine, Finding, FindingClass, Identities, IssueKind, Lang,
    NodeFacts, NotCollected, ObjectRef, RemedyStep, Reported, ReportedState, Severity,
};
use crate::report::{Audience, Format, render};

fn finding(texts: &[String]) -> Finding {
    let text = |at: usize| texts[at % texts.len()].clone();
    Finding {
        rule: "some-rule".into(),
        name: text(12),
        class: FindingClass::Fault,
        severity: Severity::High,
        confidence: Confidence::Certain,
        area: "node".into(),
        title: text(0).into(),
        message: text(1).into(),
        impact: text(2).into(),
        cause: text(3).into(),
        affects: vec![],
        fixed_in: vec![],
        objects: vec![ObjectRef {
            kind: "Pod".into(),
            group: "".into(),
            namespace: Some("shop".into()),
            name: text(4),
        }],
        remedy: vec![RemedyStep {
            position: 0,
            action: text(5).into(),
            run: Some(text(6)),
            caution: Some(text(7).into()),
        }],
        verify: Some(text(8).into()),
        links: vec![text(9)],
        evidence: vec![Evidence {
            fact: "fact".into(),
            entry: text(10),
            line: Some(1),
            field: Some(text(11)),
            value: Some(EvidenceValue::Text(text(12))),
            matched: None,
            excerpt: vec![ExcerptLine { line: 1, text: text(13), hit: true }],
        }],
        count: 1,
        seen: crate::model::Histogram::default(),
        first_seen: None,
        last_seen: None,
        fingerprint: "00112233445566778899aabbccddeeff".into(),
        explained_by: None,
        causes: Vec::new(),
        checked: Vec::new(),
        before: crate::model::Before::default(),
        novelty: None,
    }
}

/// Builds an analysis of a cluster with these machines and texts.
fn analysis(machines: &[&str], texts: &[String]) -> Analysis {
    let text = |at: usize| texts[at % texts.len()].clone();
    let node = |name: &&str| NodeFacts { name: (*name).to_owned(), ready: Some(true), roles: vec![], collected: true };
    Analysis {
        bundle: BundleFacts {
            path: format!("/home/jdoe/{}/b.zip", text(0)),
            kind: "harvester".into(),
            content_id: "c0".repeat(32),
            sha256: Some("5a".repeat(32)),
            cluster_name: Some("acme-prod".into()),
            reported: Reported { description: Some(text(4)), url: Some(text(5)) },
            nodes: machines.iter().map(node).collect(),
            not_collected: vec![NotCollected {
                what: GapSubject::Entry { path: text(1) },
                why: GapReason::Said { said: text(2).into() },
            }],
            ..BundleFacts::default()
        },
        lang: Lang::En,
        findings: vec![finding(texts)],
        rules: RuleOutcomes {
            not_evaluated: vec![RuleReason { rule: "other-rule".into(), reason: Reason::Stored { text: text(3) } }],
            ..RuleOutcomes::default()
        },
        catalogue: vec![RuleFacts {
            id: "some-rule".into(),
            name: text(7),
            class: FindingClass::Fault,
            severity: Severity::High,
            confidence: Confidence::Certain,
            area: "node".into(),
            title: text(8),
            impact: text(9),
            cause: text(10),
            links: vec![text(11)],
        }],
        collections: vec![crate::model::RuleCollection { name: text(1), version: "1".into(), rules: 1 }],
        classes: vec![],
        accepted: None,
        older: None,
        redacted: false,
        unhealthy: Some(unhealthy(text(12))),
        upgrade: None,
        unexplained: Some(unexplained(text(12))),
        inventory: Some(inventory(text(6), text(7))),
        issues: vec![Issue::at(Origin::entry(text(4)), IssueKind::Log, IssueMessage::Stored { text: text(5) })],
        timings: vec![],
        run: Run {
            peak_memory: None,
            arguments: vec!["analyze".into(), format!("tickets/{}", text(0)), "--only".into(), text(1)],
            rule_folders: vec![text(2)],
            limits: vec![],
        },
    }
}

/// Builds a list of what is not healthy with this text in each place.
fn unhealthy(text: String) -> Unhealthy {
    let object = || ObjectRef::new("", "Pod", Some(&text), &text);
    let place = || Origin::line(text.as_str(), 1);
    let (reason, message) = (text.clone(), text.clone());
    let member = UnhealthyObject {
        events: vec![ObjectWarning { reason, message, count: 1, last: None, place: place() }],
        container: Some(text.clone()),
        log_end: Some(LogEnd { place: place(), lines: vec![text.clone()] }),
        ..UnhealthyObject::new(object(), vec![text.clone()], place())
    };
    let members = Shown::first(vec![member], 9, None);
    let group = UnhealthyGroup { subject: object(), severity: Severity::High, dependents: 0, members };
    let warning = WarningGroup {
        reason: text.clone(),
        message: text.clone(),
        count: 1,
        objects: 1,
        object: object(),
        first: None,
        last: None,
        place: place(),
        known: None,
    };
    let verdict = Verdict { title: text.clone(), message: text.clone(), severity: Severity::High, place: place() };
    Unhealthy {
        objects: Shown::first(vec![group], 9, None),
        warnings: Shown::first(vec![warning], 9, None),
        verdicts: Shown::first(vec![verdict], 9, None),
        explained: 0,
        benign: 0,
    }
}

/// Builds an incident with this text in each place.
fn unexplained(text: String) -> Unexplained {
    let template = || LogTemplate {
        text: text.clone(),
        level: Level::Error,
        lines: 1,
        sources: Shown::first(vec![text.clone()], 9, None),
        first: None,
        first_at: Origin::line(text.as_str(), 1),
        last: None,
        last_at: Origin::line(text.as_str(), 1),
        sample: text.clone(),
        clusters: None,
        times: Histogram::default(),
        known: None,
    };
    let incident = Incident { lead: template(), why: Vec::new(), together: Shown::first(vec![template()], 9, None) };
    Unexplained { incidents: Shown::first(vec![incident], 9, None), ..Unexplained::default() }
}

/// Builds an inventory with these texts.
fn inventory(text: String, other: String) -> Inventory {
    let object = || ObjectRef::new("", "Pod", Some(&text), &other);
    let place = || Some(Origin::line(text.as_str(), 1));
    let said = || Happening::Line { text: other.clone() };
    let entry = HistoryEntry { at: None, until: None, count: 1, source: Source::Log, text: said(), place: place() };
    let history = ObjectHistory {
        object: object(),
        place: place(),
        state: Some(ReportedState::word(text.clone())),
        related: vec![(Relation::Node, object())],
        entries: Shown::first(vec![entry], 9, Some(other.as_str().into())),
    };
    let moment = Moment {
        kind: MomentKind::Warning,
        from: "2026-03-01T10:00:00Z".parse().unwrap(),
        to: "2026-03-01T10:00:00Z".parse().unwrap(),
        count: 1,
        node: Some(text.clone()),
        object: Some(object()),
        text: said(),
        place: place(),
    };
    let claim = Claim { name: text.clone(), volume: Some(other.clone()), ..Claim::default() };
    let instance = Instance { node: Some(other.clone()), complaints: vec![text.clone()], ..Instance::default() };
    let machine = Machine {
        namespace: text.clone(),
        name: other.clone(),
        instance: Some(instance),
        claims: vec![claim],
        ..Machine::default()
    };
    let replica =
        Replica { name: text.clone(), node: Some(text.clone()), disk: Some(other.clone()), ..Replica::default() };
    let volume = Volume {
        name: other.clone(),
        node: Some(text.clone()),
        replicas: vec![replica],
        claim: Some(other.clone()),
        machines: vec![text.clone()],
        pods: vec![other.clone()],
        ..Volume::default()
    };
    let disk = Disk { node: text.clone(), path: other.clone(), reason: Some(text.clone()), ..Disk::default() };
    let node = NodeState { name: other.clone(), ..NodeState::default() };
    let step = NodeUpgrade { node: text.clone(), message: Some(other.clone()), ..NodeUpgrade::default() };
    let condition = Condition { name: "Ready".into(), message: Some(text.clone()), ..Condition::default() };
    let upgrade = Upgrade { name: other.clone(), conditions: vec![condition], nodes: vec![step], ..Upgrade::default() };
    Inventory {
        nodes: Shown::first(vec![node], 9, Some(text.as_str().into())),
        machines: Shown::first(vec![machine], 9, None),
        volumes: Shown::first(vec![volume], 9, None),
        disks: Shown::first(vec![disk], 9, None),
        pods: Some(PodCount { all: 1, unready: 0, not_collected: Some(other.as_str().into()) }),
        upgrades: Shown::first(vec![upgrade], 9, Some(other.as_str().into())),
        moments: Shown::first(vec![moment], 9, None),
        histories: Shown::first(vec![history], 9, None),
        identities: Identities::default(),
    }
}

fn redacted(machines: &[&str], text: &str) -> String {
    let known = analysis(machines, &["x".to_owned()]);
    let (key, mut names) = (Key::of_bundle("content"), Names::of(&known));
    names.learn(text);
    Redactor::new(&key, &names).redacted(text)
}

/// Removes digits of pseudonyms from the text.
fn shape(machines: &[&str], text: &str) -> String {
    let redacted = redacted(machines, text);
    let pseudonym = regex::Regex::new("(host|ip|mac|mail|dns|serial|wwn|iqn|org|cluster)-[0-9a-f]{10}").unwrap();
    pseudonym.replace_all(&redacted, "$1-*").into_owned()
}

#[test]
fn names_are_replaced_wherever_they_stand() {
    for (text, shown) in [
        ("dial tcp 192.168.10.4:6443: refused", "dial tcp ip-*:6443: refused"),
        ("route 192.168.10.0/24 via 192.168.10.1.", "route ip-*/24 via ip-*."),
        ("range 10.1.0.5-10.1.0.9", "range ip-*-ip-*"),
        ("[2001:db8::7]:443, fe80::1%eth0", "[ip-*]:443, ip-*%eth0"),
        ("addr:fe80::1 2001:db8::/32", "addr:ip-* ip-*/32"),
        ("::ffff:10.1.2.3", "ip-*"),
        ("mac 52:54:00:ab:cd:ef or 52-54-00-AB-CD-EF", "mac mac-* or mac-*"),
        ("eth0: 52:54:00:ab:cd:ef: up, x-52:54:00:ab:cd:ef:443", "eth0: mac-*: up, x-mac-*:443"),
        ("mail jane.doe+x@acme.example.de.", "mail mail-*."),
        ("nodes/alpha.zip!/alpha/logs/kubelet.log", "nodes/host-*.zip!/host-*/logs/kubelet.log"),
        ("pod etcd-Alpha on alpha", "pod etcd-host-* on host-*"),
        ("alpha.corp.acme.de and vip.acme.de.yaml", "host-*.dns-* and dns-*.yaml"),
        ("https://rancher.acme/v3", "https://dns-*/v3"),
        ("[31malpha", "[31mhost-*"),
        ("https://short:9345/ping, http://nas7/x", "https://host-*:9345/ping, http://host-*/x"),
        ("tcp://user:***@db:5432", "tcp://user:***@host-*:5432"),
        ("ip-10-0-0-1.ec2.internal, ip-10-1-0-1", "dns-*, ip-*"),
        (
            "ec2-54-1-2-3.compute-1.amazonaws.com 10-42-1-7.default.pod.cluster.local",
            "ec2-ip-*.compute-1.amazonaws.com ip-*.default.pod.cluster.local",
        ),
        ("mac 5254.00ab.cdef", "mac mac-*"),
        (
            "client-id 01:52:54:00:ab:cd:ef duid 00:01:00:01:2a:3b:4c:5d:52:54:00:ab:cd:ef",
            "client-id 01:mac-* duid serial-*",
        ),
        ("wwpn 50:06:0e:80:12:34:56:78 0x5000c500a1b2c3d4 wwn-0x5000c500a1b2c3d4", "wwpn wwn-* serial-* wwn-serial-*"),
        ("10.1.2.3 is 0x0a010203 and 0302010A:1F90 and 10_1_2_3", "ip-* is ip-* and ip-*:1F90 and ip-*"),
        ("tcp 0: 0700000A:1F90 0100007F:0050 00000000:0000 0A", "tcp 0: ip-*:1F90 0100007F:0050 00000000:0000 0A"),
        ("fd00::1 is listener.cattle.io/cn-fd00__1", "ip-* is listener.cattle.io/cn-ip-*"),
        ("enx525400abcdef has 52:54:00:ab:cd:ef", "mac-* has mac-*"),
        ("https%3A%2F%2F10%2E1%2E2%2E3%3A6443%2Fx", "https%3a%2f%2fip-*%3a6443%2fx"),
        (r"first\nalpha\t10.1.2.3\n52:54:00:ab:cd:ef", r"first\nhost-*\tip-*\nmac-*"),
        (r"dev-alpha\x2ddisk.device", "dev-host-*-disk.device"),
        ("010.001.002.003", "ip-*"),
        ("iqn.1994-05.com.redhat:8a5c4f1 iqn.2019-10.io.longhorn:pvc-1", "iqn-* iqn.2019-10.io.longhorn:pvc-1"),
        ("nqn.2014-08.org.nvmexpress:uuid:4c4c4544-0043-4d10", "iqn-*"),
        (
            "ID_SERIAL_SHORT=S3Z9NB0K12 /dev/disk/by-id/ata-SSD_S3Z9NB0K12",
            "ID_SERIAL_SHORT=serial-* /dev/disk/by-id/ata-serial-*",
        ),
        (
            r#"{"serialNumber":"4C4C4544","node":"bravo-2"} on bravo-2"#,
            r#"{"serialNumber":"serial-*","node":"host-*"} on host-*"#,
        ),
        (
            "dial tcp: lookup nas on 10.43.0.10:53: no such host",
            "dial tcp: lookup host-* on 10.43.0.10:53: no such host",
        ),
        ("CN=x,OU=it,DC=acme,DC=de bind to acme.de", "CN=x,OU=org-*,dns-* bind to dns-*"),
        ("münchen.de, k8s.acme.cloud, VIP.ACME.COM", "dns-*, dns-*, dns-*"),
        ("see acme.info and www.acme.info", "see dns-* and dns-*"),
        ("kube-apiserver-alpha.corp.acme.de", "kube-apiserver-host-*.dns-*"),
        (
            "etcd-3f9b82 of alpha_eth0, Alpha-1a2b, alpha.17a1b2c3",
            "etcd-3f9b82 of host-*_eth0, host-*-1a2b, host-*.17a1b2c3",
        ),
        ("web.shop.svc.k8s.acme.de", "web.shop.svc.dns-*"),
        (r#"{\\\"nodeName\\\":\\\"bravo-2\\\"}"#, r#"{\\\"nodeName\\\":\\\"host-*\\\"}"#),
        (
            "--node-name=bravo-2 --tls-san bravo-3 node/bravo4 system:node:bravo",
            "--node-name=host-* --tls-san host-* node/host-* system:node:host-*",
        ),
        ("Rancher.Acme.Com myHost.acme.com", "dns-* dns-*"),
        ("no_proxy=.acme.intern,10.1.2.3 DNS:short, IP", "no_proxy=.dns-*,ip-* DNS:host-*, IP"),
        (
            "127.0.1.1 bravo-2, bravo-2:5000/team/img:v1, hostname bravo-3",
            "127.0.1.1 host-*, host-*:5000/team/img:v1, hostname host-*",
        ),
        ("chassis_serial: CZ1234AB, S/N: 5CG9999", "chassis_serial: serial-*, S/N: serial-*"),
        (
            "replace the disk S/N 5CG9999 or serial number CZ1234AB",
            "replace the disk S/N serial-* or serial number serial-*",
        ),
        ("UUID: 4c4c4544-0043-4d10-8052-b4c04f4e4b32", "UUID: serial-*"),
        ("nas01:/export on /mnt type nfs4", "host-*:/export on /mnt type nfs4"),
        ("10.1.2.3 nas7 nas8\n10.1.2.4 nas9", "ip-* host-* host-*\nip-* host-*"),
        ("scp x jump7:/tmp; rsync -a x jump8::mod", "scp x host-*:/tmp; rsync -a x host-*::mod"),
        (
            "by activedirectory_user://CN=Hans Zorb,OU=it7,DC=acme,DC=de",
            "by activedirectory_user://CN=org-*,OU=org-*,dns-*",
        ),
        ("by openldap_user://uid=hzorb7", "by openldap_user://uid=org-*"),
        ("subject /C=DE/O=Acme Works/CN=adm7, issuer CN=rancher7", "subject /C=DE/O=org-*/CN=org-*, issuer CN=org-*"),
        ("10.1.2.*, 10.1.2.x and 10.1.2/24", "ip-*.*, ip-*.x and ip-*/24"),
        (r#"{\"n\":\"al\\u0070ha\"}"#, r#"{\"n\":\"host-*\"}"#),
        ("up to alpha at 10.1.2…", "up to host-* at …"),
        ("…pha is down", "… is down"),
    ] {
        assert_eq!(shape(&["alpha"], text), shown);
    }
}

#[test]
fn texts_without_private_names_stay() {
    for text in [
        "127.0.0.1:9099 and ::1, 0.0.0.0, [::]:80, mask 255.255.255.0, 10.53.0.10, 10.52.0.0/16",
        "Longhorn v1.7.2, v1.2.3.4, 1.32.7, 1.2.3.4.5, kernel 6.4.0-150600.23.33",
        "at 10:00:02, 12:34:56.789, 2026-03-01T10:00:02Z",
        "apps.v1.longhorn.io listener.cattle.io/x org.opencontainers.image.name longhorn-backend.longhorn-system.svc:9500",
        "http://longhorn-backend:9500/v1, docker-pullable://rancher/rancher@sha256:00ff, containerd://00ff, s3.x",
        "k8s.io/client-go/tools/cache.(*Reflector).ListAndWatch, go.uber.org/zap, sigs.k8s.io/yaml, google.golang.org/grpc",
        "spec.template.metadata.name, spec.to, status.info, obj.id, done.It, run.sh, README.md, multi-user.target, net.core.dev_weight",
        "rancher/mirrored-pause:3.6 registry.suse.com/a/b:v1.2, quay.io/x, ghcr.io/y, registry.k8s.io/z, gcr.io/w",
        "node v1.2.3 nodes/v1 hostname resolution failed, apis/v1/nodes/proxy, node 3, longhorn-backend:9500/v1, serial=0",
        "grpc.health.v1.Health etcdserverpb.Lease search for it, pkg/mod/k8s.io/x@v0.1.2/y.go:12/z",
        "volumes.longhorn.io, kubelet.log, main.go:12, status.conditions[2].status, svc.cluster.local",
        "user@1000.service, ghcr.io/x@sha256:00ff, https://github.com/a/b",
        "std::io::Error, a::b, 00:00:00:00:00:00",
        "key hash a1:b2:c3:d4:e5:f6:a7:b8:c9:d0:e1:f2:a3:b4:c5:d6:e7:f8:a9:b0",
        "5f6c1f5e-9a4f-4c07-8b7d-0d2f7f0e4a11",
        "the alphabet of alphas",
        "a node is a node",
    ] {
        assert_eq!(redacted(&["alpha", "node"], text), text);
    }
}

fn without_basis(rule: &str) -> String {
    let mut inside = false;
    let outside = rule.lines().filter(|line| {
        if !line.starts_with(' ') {
            inside = line.starts_with("basis:");
        }
        !inside
    });
    outside.collect::<Vec<_>>().join("\n")
}

#[test]
fn links_of_our_rules_stay() {
    let sources = crate::rule::load::embedded().sources;
    let address = regex::Regex::new(r"https?://[^\s'<>)]+").unwrap();
    // Sources of a rule (`basis`) are in no report: neither the key nor the indented lines below it.
    let texts: Vec<String> = sources.iter().map(|rule| without_basis(&rule.text)).collect();
    let links: Vec<&str> = texts.iter().flat_map(|text| address.find_iter(text)).map(|m| m.as_str()).collect();
    assert!(links.len() > 50);
    let changed = links.into_iter().filter(|link| !link.contains('{') && redacted(&[], link) != **link);
    assert_eq!(changed.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_machine_has_one_pseudonym() {
    let name = redacted(&["alpha.acme.de"], "alpha");
    for (text, same) in [("ALPHA", ""), ("alpha.acme.de", ""), ("etcd-alpha", "etcd-")] {
        assert!(redacted(&["alpha.acme.de"], text).starts_with(&format!("{same}{name}")), "{text}");
    }
    assert_eq!(redacted(&[], "::ffff:10.1.2.3"), redacted(&[], "10.1.2.3"));
}

#[test]
fn hashes_that_could_confirm_a_guess_are_keyed() {
    let mut one = analysis(&["alpha"], &["x".to_owned()]);
    let before = one.clone();
    let key = Key::of_bundle(&one.bundle.content_id);
    apply(&mut one, &key);
    assert!(one.bundle.sha256.is_none() && one.bundle.content_id != before.bundle.content_id);
    assert_eq!(one.findings[0].fingerprint.len(), 32);
    assert_ne!(one.findings[0].fingerprint, before.findings[0].fingerprint);
    assert_eq!(one.bundle.path, "b.zip");
    assert!(one.bundle.cluster_name.unwrap().starts_with("cluster-"));
}

/// Renders every format as text.
fn rendered(analysis: &Analysis) -> Vec<(&'static str, String)> {
    let write = |format: Format| {
        let mut out = Vec::new();
        render(analysis, format, Audience::Support, None, &mut out).unwrap();
        (format.as_str(), String::from_utf8(out).unwrap())
    };
    Format::ALL.map(write).into()
}

/// Generates a name that must not leak.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "(1[1-9]|19[2-8])\\.[1-9][0-9]\\.[1-9][0-9]\\.[1-9][0-9]",
        "2001:db8:[1-9a-f]{2,4}::[1-9a-f]{2,4}",
        "fd[0-9a-f]{2}(:[1-9a-f][0-9a-f]{2,3}){7}",
        "52(:[0-9a-f][1-9]){5}",
        "52(-[0-9a-f][1-9]){5}",
        "52[1-9]{2}(\\.[0-9a-f][1-9]{3}){2}",
        "ip-10-[1-9][0-9]-[1-9][0-9]-[1-9][0-9]",
        "https://[a-z]{6}[0-9]:[1-9][0-9]{3}",
        "iqn\\.1993-08\\.org\\.debian:01:[0-9a-f]{10}",
        "[a-z]{5,8}\\.(cloud|dev|tech|io|at)",
        "[a-z]{3,8}\\.[a-z]{3,8}@[a-z]{5,9}(-[a-z]{2,3})?\\.(com|de|org)",
        "[a-z]{4,8}\\.[a-z]{5,9}corp\\.(com|de|local)",
        Just("alpha-rack7".to_owned()),
        Just("Bravo7.acme-dc.lan".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_name_gets_out_in_any_format(
        names in prop::collection::vec(name(), 14),
        around in prop::collection::vec(("[ \\[({\"'=/,]", "([ \\])}\"'/,;]|:443|\\.|: )"), 14),
    ) {
        let texts: Vec<String> =
            names.iter().zip(&around).map(|(name, (before, after))| format!("say{before}{name}{after} done")).collect();
        let mut analysis = analysis(&["alpha-rack7", "bravo7.acme-dc.lan"], &texts);
        apply(&mut analysis, &Key::of_bundle("content"));
        for (format, text) in rendered(&analysis) {
            let text = text.to_ascii_lowercase();
            let host_of = |url: &str| url.split(':').next().unwrap_or_default().to_owned();
            let secret = |name: &String| name.strip_prefix("https://").map_or(name.clone(), host_of);
            for name in names.iter().map(secret) {
                prop_assert!(!text.contains(&name.to_ascii_lowercase()), "{name} in {format}");
            }
            prop_assert!(!text.contains("jdoe") && !text.contains("acme"));
        }
    }
}
