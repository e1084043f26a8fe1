//! Sample analyses for the tests of all formats.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::date;

use crate::model::inventory::{
    Claim, Condition, Disk, HistoryEntry, Instance, Link, Machine, Moment, MomentKind, NodeState, NodeUpgrade,
    ObjectHistory, PodCount, Relation, Replica, Shown, Source, Upgrade, Volume,
};
use crate::model::known_line::{Known, KnownLine};
use crate::model::message::{CollectorSigns, GapReason, GapSubject, Happening, Names, Reason};
use crate::model::unexplained::{Incident, LeftOut, Level, LogTemplate, Telling, Unexplained};
use crate::model::unhealthy::{
    LogEnd, ObjectWarning, Unhealthy, UnhealthyGroup, UnhealthyObject, Verdict, WarningGroup,
};
use crate::model::upgrade::{
    CheckOutcome, KnownRelease, UpgradeCheck, UpgradeIssue, UpgradeReadiness, UpgradeStage, UpgradeTarget,
};
use crate::model::version::Range;
use crate::model::{
    Analysis, Before, BundleFacts, Change, ChangeKind, CheckedComponent, Collector, Component, Confidence, DirectCause,
    EndOfLife, Evidence, EvidenceValue, ExcerptLine, Finding, FindingClass, Histogram, Identities, Inventory, Issue,
    IssueKind, Lang, LogSpan, NodeFacts, NodePart, NotCollected, ObjectRef, Origin, PathStep, RemedyStep, Reported,
    ReportedState, RuleCollection, RuleFacts, RuleOutcomes, RuleReason, Run, Severity,
};

/// Text that tries to break out of its context in every format.
pub const HOSTILE: &str = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>'\u{202e}gpj\u{1b}[31m red \u{1b}]0;t\u{7}{{ 7*7 }}{% raw %}\u{0}\r\n</style><!--";

/// Returns what happened before a finding.
fn before() -> Before {
    let change = |kind: ChangeKind| Change {
        at: time("2026-03-01T09:30:00Z"),
        object: ObjectRef::new("apps", "Deployment", Some("shop"), "cart"),
        origin: Origin::line("yamls/namespaced/shop/apps/v1/deployments.yaml", 12),
        kind,
    };
    let kinds = [ChangeKind::Changed { by: "kubectl-edit".into() }, ChangeKind::Created, ChangeKind::Started];
    let errors = unexplained("alpha").incidents.items.into_iter().map(|incident| incident.lead);
    Before { errors: errors.take(1).collect(), changes: kinds.map(change).into() }
}

/// Returns what was checked of a node.
fn checked(node: &str) -> CheckedComponent {
    let reason = Some(Reason::Stored { text: "pods were not collected".into() });
    let component = Component::Node { node: node.to_owned(), part: NodePart::Kubelet };
    CheckedComponent { component, clean: 8, unproven: 2, reason }
}

/// Returns how the symptom depends on what the cause breaks.
fn direct_cause(cause: &Finding) -> DirectCause {
    let claim = ObjectRef::new("", "PersistentVolumeClaim", Some("shop"), "data");
    let pod = ObjectRef::new("", "Pod", Some("shop"), "cart-0");
    let path = vec![
        PathStep { component: Component::Object(pod), by: None },
        PathStep { component: Component::Object(claim), by: Some("spec.volumes") },
    ];
    DirectCause { finding: cause.fingerprint.clone(), path }
}

/// Returns a critical cause with one symptom, and a small cause of another rule.
pub fn small() -> Analysis {
    let cause = finding();
    let symptom = Finding {
        rule: "pod-failed-mount".into(),
        name: "Pod cannot mount its volume".into(),
        severity: Severity::High,
        confidence: Confidence::Likely,
        title: "Pod shop/cart-0 cannot mount its volume".into(),
        objects: vec![ObjectRef::new("", "Pod", Some("shop"), "cart-0")],
        fingerprint: "5e5e5e5e5e5e5e5e".into(),
        explained_by: Some(cause.fingerprint.clone()),
        causes: vec![direct_cause(&cause)],
        links: vec![],
        verify: None,
        affects: vec![],
        fixed_in: vec![],
        count: 12,
        first_seen: Some(time("2026-03-01T10:00:02Z")),
        last_seen: Some(time("2026-03-01T11:00:00Z")),
        evidence: vec![log_evidence()],
        ..finding()
    };
    let minor = Finding {
        rule: "orphan-replicaset".into(),
        name: "ReplicaSet has no owner".into(),
        severity: Severity::Low,
        confidence: Confidence::Hint,
        area: "gc".into(),
        title: "ReplicaSet shop/cart-7d9 has no owner".into(),
        objects: vec![ObjectRef::new("apps", "ReplicaSet", Some("shop"), "cart-7d9")],
        fingerprint: "0a0a0a0a0a0a0a0a".into(),
        checked: vec![checked("n1")],
        before: before(),
        novelty: Some(crate::model::Novelty::New),
        ..finding()
    };
    Analysis {
        bundle: bundle(),
        lang: Lang::En,
        findings: vec![symptom, minor, cause],
        rules: RuleOutcomes {
            fired: ["claim-lost", "orphan-replicaset", "pod-failed-mount"].map(Into::into).into(),
            fired_partly: vec![RuleReason {
                rule: "claim-lost".into(),
                reason: Reason::Stored { text: "objects of namespace alpha were not collected".into() },
            }],
            ..rules()
        },
        catalogue: catalogue(),
        collections: vec![RuleCollection { name: "gleaner".into(), version: "2026-03-01".into(), rules: 9 }],
        classes: vec![],
        accepted: None,
        older: Some(crate::model::OlderBundle {
            path: "monday.zip".to_owned(),
            collected_at: None,
            doubts: Vec::new(),
            new: 1,
            gone: 2,
            unknown: 3,
        }),
        redacted: false,
        issues: vec![issue()],
        unhealthy: Some(unhealthy("alpha")),
        upgrade: Some(upgrade("alpha")),
        unexplained: Some(unexplained("alpha")),
        inventory: Some(inventory("alpha", "shop/cart")),
        timings: vec![],
        run: Run::default(),
    }
}

/// Returns a node and a pod in trouble, and a warning, with this name in each text.
fn unhealthy(name: &str) -> Unhealthy {
    let object = |kind: &str| ObjectRef::new("", kind, Some(name), name);
    let member = |kind: &str, trouble: &str| UnhealthyObject {
        since: Some("2026-03-01T09:00:00Z".parse().unwrap()),
        events: vec![ObjectWarning {
            reason: "BackOff".into(),
            message: trouble.to_owned(),
            count: 12,
            last: Some("2026-03-01T10:00:00Z".parse().unwrap()),
            place: Origin::line(name, 3),
        }],
        container: (kind == "Pod").then(|| name.to_owned()),
        log_end: (kind == "Pod")
            .then(|| LogEnd { place: Origin::line(name, 9), lines: vec!["starting".into(), trouble.to_owned()] }),
        ..UnhealthyObject::new(object(kind), vec![trouble.to_owned()], Origin::line(name, 7))
    };
    let group = |severity, members: Vec<UnhealthyObject>| UnhealthyGroup {
        subject: object("Deployment"),
        severity,
        dependents: 3,
        members: Shown::first(members, 9, None),
    };
    let pods = vec![member("Pod", "CrashLoopBackOff, 0/1 ready, 14 restarts"), member("Pod", name)];
    let warning = WarningGroup {
        reason: "BackOff".into(),
        message: name.to_owned(),
        count: 12,
        objects: 2,
        object: object("Pod"),
        first: None,
        last: Some("2026-03-01T10:00:00Z".parse().unwrap()),
        place: Origin::line(name, 3),
        known: Some(known(name)),
    };
    let verdict = Verdict {
        title: name.to_owned(),
        message: name.to_owned(),
        severity: Severity::High,
        place: Origin::line(name, 6),
    };
    Unhealthy {
        objects: Shown::first(
            vec![group(Severity::High, pods), group(Severity::Medium, vec![member("Node", name)])],
            9,
            None,
        ),
        warnings: Shown::first(vec![warning], 9, None),
        verdicts: Shown::first(vec![verdict], 9, None),
        explained: 3,
        benign: 4,
    }
}

/// Returns what is known of the next upgrade while one waits, with this name in each text of the bundle.
fn upgrade(name: &str) -> UpgradeReadiness {
    let check = |id: &str, outcome| UpgradeCheck {
        id: id.into(),
        name: format!("Check {id}"),
        webhook: true,
        script: Some("Node-Status".into()),
        rules: vec!["claim-lost".into()],
        outcome,
        except: Some("what ends by itself".into()),
    };
    let object = ObjectRef::new("", "Pod", Some(name), name);
    let failed = CheckOutcome::Failed {
        findings: vec![finding().fingerprint],
        objects: Shown { items: vec![object], left_out: 2, not_collected: None },
    };
    let reason = Reason::NoEntry { path: name.into() };
    let told = || Some(name.to_owned());
    let condition = Condition {
        name: "ImageReady".into(),
        status: Some("Unknown".into()),
        reason: told(),
        message: told(),
        at: Some(time("2026-03-01T09:30:00Z")),
    };
    let node = NodeUpgrade {
        node: name.into(),
        state: Some("Pre-draining".into()),
        since: Some(time("2026-03-01T09:40:00Z")),
        reason: told(),
        message: told(),
    };
    let stage = |name: &str| UpgradeStage { name: name.into(), means: "It is being prepared.".into() };
    let longhorn = |version: &str| vec![("longhorn".to_owned(), version.to_owned())];
    let issue = UpgradeIssue {
        id: "two-nodes".into(),
        means: "A node is lost.".into(),
        targets: vec!["1.4.2".into()],
        because: vec!["alpha".into()],
        depends_on: vec!["beta".into()],
        fixed_in: Some("1.4.3".into()),
        findings: vec![finding().fingerprint],
        link: Some("https://example.com/issue".into()),
    };
    UpgradeReadiness {
        as_of: "2026-02-01".into(),
        version: Some("v1.4.1".into()),
        release: Some(KnownRelease {
            released: "2025-01-24".into(),
            line: "1.4".into(),
            support: Some("end of life".into()),
            components: longhorn("1.7.2"),
        }),
        targets: vec![UpgradeTarget {
            version: "1.4.2".into(),
            released: "2025-03-11".into(),
            documented: false,
            components: longhorn("1.7.3"),
        }],
        checks: vec![
            check("nodes", failed),
            check("space", CheckOutcome::Open(vec![reason])),
            check("pods", CheckOutcome::Passed),
        ],
        other: vec!["0a0a0a0a0a0a0a0a".into()],
        unfinished: Shown::first(
            vec![Upgrade {
                namespace: name.into(),
                name: name.into(),
                version: Some("v1.4.2".into()),
                previous_version: Some("v1.4.1".into()),
                state: Some("PreparingNodes".into()),
                created: Some(time("2026-03-01T09:00:00Z")),
                completed: None,
                conditions: vec![condition],
                nodes: vec![node],
            }],
            9,
            None,
        ),
        stages: vec![stage("ImageReady"), stage("Pre-draining")],
        known_issues: vec![issue],
    }
}

/// Returns a known line with this name in each text.
fn known(name: &str) -> Known {
    let line = KnownLine {
        component: name.to_owned(),
        product: name.to_owned(),
        versions: Range::parse("<1.7").ok(),
        benign: false,
        general: false,
        means: format!("{name} did not answer."),
        look: Some(format!("Check {name}.")),
        fixed_in: Some((name.to_owned(), "1.6.3".to_owned())),
        link: format!("https://example.com/{name}"),
    };
    Known { line: Arc::new(line), running: Some(format!("v1.6.2-{name}")) }
}

/// Returns an incident of two templates, with this name in each text.
fn unexplained(name: &str) -> Unexplained {
    let template = |level, times: &[&str]| LogTemplate {
        text: format!("{name} <*>"),
        level,
        lines: 1_204,
        sources: Shown::first(vec![name.to_owned(), format!("{name}-2")], 9, None),
        first: times.first().map(|time| time.parse().unwrap()),
        first_at: Origin::line(name, 7),
        last: times.last().map(|time| time.parse().unwrap()),
        last_at: Origin::line(name, 8),
        sample: name.to_owned(),
        times: times.iter().map(|time| time.parse::<jiff::Timestamp>().unwrap()).collect(),
        clusters: Some(3),
        known: Some(known(name)),
    };
    let times = ["2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z"];
    let incident = Incident {
        lead: template(Level::Fatal, &times),
        why: Telling::ALL.to_vec(),
        together: Shown::first(vec![template(Level::Error, &[])], 9, None),
    };
    let left = LeftOut { matched: 1, named: 2, together: 5, benign: 3, faint: 4, usual: Some(6), common: Some(7) };
    Unexplained {
        incidents: Shown::first(vec![incident], 9, None),
        lines: 2_408,
        times: times.iter().map(|time| time.parse::<jiff::Timestamp>().unwrap()).collect(),
        left,
        shortened: 1,
        clusters: Some(41),
    }
}

/// Returns an analysis in which no rule fired and some rules could not be evaluated.
pub fn empty() -> Analysis {
    Analysis {
        bundle: bundle(),
        lang: Lang::En,
        findings: vec![],
        rules: rules(),
        catalogue: catalogue(),
        collections: vec![],
        classes: vec![],
        accepted: None,
        older: None,
        redacted: false,
        issues: vec![issue()],
        unhealthy: None,
        upgrade: None,
        unexplained: None,
        inventory: None,
        timings: vec![],
        run: Run::default(),
    }
}

/// Returns an analysis with [`HOSTILE`] in every text that a bundle or a rule can supply.
pub fn hostile() -> Analysis {
    let mut analysis = small();
    analysis.unhealthy = Some(unhealthy(HOSTILE));
    analysis.upgrade = Some(upgrade(HOSTILE));
    let bad = || HOSTILE.to_owned();
    for finding in &mut analysis.findings {
        for text in [&mut finding.title, &mut finding.message, &mut finding.impact, &mut finding.cause] {
            *text = HOSTILE.into();
        }
        finding.objects = vec![ObjectRef::new(HOSTILE, HOSTILE, Some(HOSTILE), HOSTILE)];
        finding.links = vec![bad(), "javascript:alert(3)".into()];
        finding.remedy =
            vec![RemedyStep { position: 0, action: HOSTILE.into(), run: Some(bad()), caution: Some(HOSTILE.into()) }];
        (finding.verify, finding.fixed_in) = (Some(HOSTILE.into()), vec![(bad(), bad())]);
        finding.affects = vec![(bad(), Range::parse("*").unwrap())];
        finding.evidence = vec![Evidence {
            entry: bad(),
            field: Some(bad()),
            value: Some(EvidenceValue::Text(bad())),
            matched: Some(bad()),
            excerpt: vec![ExcerptLine { line: 1, text: bad(), hit: true }],
            ..log_evidence()
        }];
    }
    let facts = &mut analysis.bundle;
    (facts.path, facts.kind, facts.cluster_name) = (bad(), bad(), Some(bad()));
    facts.reported = Reported { description: Some(bad()), url: Some(bad()) };
    facts.versions.insert(bad(), bad());
    facts.nodes = vec![NodeFacts { name: bad(), ready: None, roles: vec![bad()], collected: false }];
    facts.not_collected =
        vec![NotCollected { what: GapSubject::Entry { path: bad() }, why: GapReason::Said { said: bad().into() } }];
    analysis.rules.not_evaluated = vec![RuleReason { rule: bad(), reason: HOSTILE.into() }];
    analysis.issues = vec![Issue::at(Origin::entry(HOSTILE), IssueKind::Path, HOSTILE)];
    analysis.inventory = Some(inventory(HOSTILE, HOSTILE));
    analysis
}

/// Returns the critical cause of [`small`].
pub fn finding() -> Finding {
    Finding {
        rule: "claim-lost".into(),
        name: "Claim has lost its volume".into(),
        class: FindingClass::Fault,
        severity: Severity::Critical,
        confidence: Confidence::Certain,
        area: "storage".into(),
        title: "Claim shop/data has lost its volume".into(),
        message: "The claim is bound to pv-1, which does not exist.".into(),
        impact: "Pods that use the claim cannot start.".into(),
        cause: "The volume was deleted by hand.".into(),
        affects: vec![("longhorn".into(), Range::parse(">=1.2.0 <1.4.0").unwrap())],
        fixed_in: vec![("longhorn".into(), "1.4.0".into())],
        objects: vec![
            ObjectRef::new("", "PersistentVolumeClaim", Some("shop"), "data"),
            ObjectRef::new("", "Node", None, "alpha"),
        ],
        remedy: vec![
            RemedyStep {
                position: 0,
                action: "Look for a backup".into(),
                run: Some("kubectl -n longhorn-system get backups".into()),
                caution: None,
            },
            RemedyStep {
                position: 1,
                action: "Delete the claim".into(),
                run: None,
                caution: Some("what is not backed up is gone".into()),
            },
        ],
        verify: Some("The claim is Bound.".into()),
        links: vec!["https://example.org/claims?a=1&b=2".into()],
        evidence: vec![Evidence {
            fact: "claim".into(),
            entry: "yamls/namespaced/shop/claims.yaml".into(),
            line: Some(42),
            field: Some("status.phase".into()),
            value: Some(EvidenceValue::Text("Lost".into())),
            matched: None,
            excerpt: vec![
                ExcerptLine { line: 41, text: "  status:".into(), hit: false },
                ExcerptLine { line: 42, text: "    phase: Lost".into(), hit: true },
            ],
        }],
        count: 1,
        seen: Histogram::default(),
        first_seen: None,
        last_seen: None,
        fingerprint: "c1c1c1c1c1c1c1c1".into(),
        explained_by: None,
        causes: Vec::new(),
        checked: Vec::new(),
        before: crate::model::Before::default(),
        novelty: None,
    }
}

/// Returns one of each thing that an inventory holds, with these names and texts.
fn inventory(node: &str, text: &str) -> Inventory {
    let told = || Some(text.to_owned());
    let missing = || Some(Reason::from(text));
    let one_node = NodeState {
        name: node.into(),
        roles: vec![text.into()],
        ready: Some(true),
        pods: Some(3),
        pod_capacity: Some(110),
        cpu: told(),
        kubelet: told(),
        ..NodeState::default()
    };
    let claim = Claim {
        name: text.into(),
        exists: Some(true),
        phase: told(),
        volume: told(),
        longhorn: told(),
        ..Claim::default()
    };
    let instance = Instance { phase: told(), node: told(), complaints: vec![text.into()], ..Instance::default() };
    let machine = Machine {
        namespace: text.into(),
        name: text.into(),
        status: told(),
        run_strategy: told(),
        instance: Some(instance),
        claims: vec![claim],
        story: vec![Link { disk: told(), broken: true, ..Link::of(ObjectRef::new(text, text, Some(text), text)) }],
    };
    let replica = Replica { name: text.into(), node: told(), disk: told(), state: told(), failed_at: None };
    let volume = Volume {
        name: text.into(),
        exists: true,
        state: told(),
        node: told(),
        size: Some(1 << 30),
        replicas: vec![replica],
        claim: told(),
        machines: vec![text.into()],
        pods: vec![text.into()],
        wanted: Some(3),
        ..Volume::default()
    };
    let disk = Disk {
        node: node.into(),
        path: text.into(),
        ready: Some(true),
        reason: told(),
        capacity: Some(100),
        available: Some(40),
        scheduled: Some(90),
        limit: Some(80),
        ..Disk::default()
    };
    let condition = Condition { name: text.into(), status: told(), reason: told(), message: told(), at: None };
    let phase = NodeUpgrade { node: node.into(), state: told(), since: None, reason: told(), message: told() };
    let upgrade = Upgrade {
        namespace: text.into(),
        name: text.into(),
        version: told(),
        previous_version: told(),
        state: told(),
        created: Some(time("2026-03-01T09:00:00Z")),
        completed: None,
        conditions: vec![condition],
        nodes: vec![phase],
    };
    let place = || Some(Origin::line(text, 3));
    let subject = || ObjectRef::new("", "PersistentVolumeClaim", Some("shop"), "data");
    let moment = |kind, at: Timestamp, node: Option<&str>| Moment {
        kind,
        from: at,
        to: at,
        count: 2,
        node: node.map(Into::into),
        object: Some(ObjectRef::new(text, text, Some(text), text)),
        text: Happening::Event { reason: text.into(), message: text.into() },
        place: place(),
    };
    let entry = HistoryEntry {
        at: Some(time("2026-03-01T10:00:00Z")),
        until: Some(time("2026-03-01T10:30:00Z")),
        count: 2,
        source: Source::Warning,
        text: Happening::Line { text: text.into() },
        place: place(),
    };
    let history = ObjectHistory {
        object: subject(),
        place: place(),
        state: told().map(ReportedState::word),
        related: vec![(Relation::Node, ObjectRef::new("", "Node", None, node))],
        entries: Shown::first(vec![entry], 9, missing()),
    };
    Inventory {
        nodes: Shown::first(vec![one_node], 9, None),
        machines: Shown::first(vec![machine], 9, missing()),
        volumes: Shown::first(vec![volume], 9, None),
        disks: Shown::first(vec![disk], 9, None),
        pods: Some(PodCount { all: 46, unready: 2, not_collected: None }),
        upgrades: Shown::first(vec![upgrade], 9, None),
        moments: Shown::first(
            vec![
                moment(MomentKind::Boot, time("2026-03-01T08:00:00Z"), Some(node)),
                moment(MomentKind::Warning, time("2026-03-01T10:00:00Z"), None),
                moment(MomentKind::Expiry, time("2028-03-01T10:00:00Z"), None),
            ],
            9,
            missing(),
        ),
        histories: Shown::first(vec![history], 9, None),
        identities: Identities::default(),
    }
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn log_evidence() -> Evidence {
    Evidence {
        fact: "complaint".into(),
        entry: "nodes/alpha.zip!/alpha/logs/kubelet.log".into(),
        line: Some(7),
        field: None,
        value: None,
        matched: Some("mount failed".into()),
        excerpt: vec![ExcerptLine { line: 7, text: "E0301 mount failed: not found".into(), hit: true }],
    }
}

fn bundle() -> BundleFacts {
    BundleFacts {
        path: "in/shop.zip".into(),
        kind: "harvester".into(),
        sha256: Some("ab".repeat(32)),
        content_id: "cd".repeat(32),
        collector: Some(Collector {
            name: "support-bundle-kit".into(),
            version: None,
            why: CollectorSigns::Entries { entries: Names::all(["metadata.yaml"]) },
        }),
        collected_at: Some(time("2026-03-01T12:00:00Z")),
        reported: Reported {
            description: Some("The shop does not start\nsince the night".into()),
            url: Some("https://example.org/tickets/7".into()),
        },
        cluster_uid: None,
        cluster_name: Some("shop".into()),
        versions: [("harvester", "v1.4.1"), ("kubernetes", "v1.30.2+rke2r1")]
            .map(|(product, version)| (product.to_owned(), version.to_owned()))
            .into(),
        ends_of_life: [("kubernetes".to_owned(), EndOfLife { date: date(2025, 7, 15), as_of: date(2026, 8, 22) })]
            .into(),
        nodes: vec![
            NodeFacts { name: "alpha".into(), ready: Some(true), roles: vec!["etcd".into()], collected: true },
            NodeFacts { name: "beta".into(), ready: None, roles: vec![], collected: false },
        ],
        logs: LogSpan { from: Some(time("2026-03-01T08:00:00Z")), to: Some(time("2026-03-01T12:00:00Z")) },
        unread: None,
        not_collected: vec![NotCollected {
            what: GapSubject::Secrets,
            why: GapReason::Said { said: "never collected by this program".to_owned().into() },
        }],
        entries: 1140,
        bytes: 20_600_000,
    }
}

fn rules() -> RuleOutcomes {
    let reason =
        |rule: &str, reason: &str| RuleReason { rule: rule.into(), reason: Reason::Stored { text: reason.into() } };
    RuleOutcomes {
        fired: vec![],
        fired_partly: vec![],
        clean: vec!["node-not-ready".into(), "webhook-no-endpoints".into()],
        clean_partly: vec![reason("kernel-oom", "logs of node beta are not in the bundle")],
        not_evaluated: vec![
            reason("kernel-ext4-error", "no kernel log of node beta"),
            reason("kernel-hung-task", "no kernel log of node beta"),
        ],
        not_applicable: vec![reason("rancher-agent-old", "product rancher is not in the bundle")],
    }
}

/// Returns the rules of [`small`].
fn catalogue() -> Vec<RuleFacts> {
    let rule = |id: &str, severity, area: &str, title: &str| RuleFacts {
        id: id.into(),
        name: id.replace('-', " "),
        class: FindingClass::Fault,
        severity,
        confidence: Confidence::Likely,
        area: area.into(),
        title: title.into(),
        impact: "Pods that use the claim cannot start.".into(),
        cause: "The volume was deleted by hand.".into(),
        links: vec!["https://example.org/claims?a=1&b=2".into()],
    };
    vec![
        rule("claim-lost", Severity::Critical, "storage", "Claim <claim> has lost its volume"),
        rule("kernel-ext4-error", Severity::High, "node", "File system errors on <node>"),
        rule("kernel-hung-task", Severity::High, "node", "Tasks hang on <node>"),
        rule("node-not-ready", Severity::High, "node", "Node <node> is not ready"),
        rule("orphan-replicaset", Severity::Low, "gc", "ReplicaSet <set> has no owner"),
        rule("pod-failed-mount", Severity::High, "storage", "Pod <pod> cannot mount its volume"),
        rule("rancher-agent-old", Severity::Low, "agent", "The agent is old"),
        rule("webhook-no-endpoints", Severity::High, "webhook", "Webhook <hook> has no endpoints"),
    ]
}

fn issue() -> Issue {
    Issue::at(Origin::line("yamls/cluster/nodes.yaml", 3), IssueKind::Document, "not a mapping")
}
