//! An analysis with 10,000 findings over 200,000 lines of evidence: more than any cluster should have.

use gleaner::model::version::Range;
use gleaner::model::{
    Analysis, BundleFacts, Confidence, Evidence, ExcerptLine, Finding, FindingClass, Histogram, LogSpan, NodeFacts,
    ObjectRef, RemedyStep, RuleOutcomes, Run, Severity,
};

const FINDINGS: usize = 10_000;
const EVIDENCE: usize = 20;
const RULES: usize = 60;
const NODES: usize = 24;
const NAMESPACES: usize = 80;
const KINDS: [&str; 6] = ["Pod", "Volume", "PersistentVolumeClaim", "VirtualMachine", "Job", "Deployment"];
const AREAS: [&str; 5] = ["storage", "workload", "network", "vm", "node"];

/// Rule 7 explains half of the findings of rule 8; all other findings are independent.
pub fn analysis() -> Analysis {
    let mut rules: Vec<String> = (0..RULES).map(rule).collect();
    rules.sort();
    Analysis {
        bundle: bundle(),
        lang: gleaner::model::Lang::En,
        findings: (0..FINDINGS).map(finding).collect(),
        rules: RuleOutcomes { fired: rules, ..RuleOutcomes::default() },
        issues: Vec::new(),
        catalogue: Vec::new(),
        collections: Vec::new(),
        classes: Vec::new(),
        redacted: false,
        accepted: None,
        older: None,
        unhealthy: None,
        upgrade: None,
        unexplained: None,
        inventory: None,
        timings: Vec::new(),
        run: Run::default(),
    }
}

fn rule(number: usize) -> String {
    format!("{}-trouble-{number:02}", AREAS[number % AREAS.len()])
}

fn finding(index: usize) -> Finding {
    let number = index % RULES;
    let (node, namespace) = (format!("node-{:02}", index % NODES), format!("team-{:02}", index % NAMESPACES));
    let kind = KINDS[number % KINDS.len()];
    let name = format!("{}-{index:05}", kind.to_lowercase());
    let object = |kind: &str, namespace: Option<&str>, name: &str| ObjectRef {
        kind: kind.into(),
        group: String::new(),
        namespace: namespace.map(Into::into),
        name: name.into(),
    };
    Finding {
        rule: rule(number),
        name: rule(number),
        class: FindingClass::Fault,
        severity: Severity::ALL[number % Severity::ALL.len()],
        confidence: Confidence::ALL[number % Confidence::ALL.len()],
        area: AREAS[number % AREAS.len()].into(),
        title: format!("{kind} {namespace}/{name} lost its connection on {node} and does not get it back").into(),
        message: format!("{name} was last heard of by {node}, which gave up after {} attempts.", 3 + index % 17).into(),
        impact: "What runs in it is not reached, and what waits for it waits on.".repeat(3).into(),
        cause: "The agent on the node was restarted while the connection was being moved.".repeat(4).into(),
        affects: vec![("longhorn".into(), Range::parse(">=1.2.0 <1.4.0").unwrap())],
        fixed_in: vec![("longhorn".into(), "1.4.0".into())],
        objects: vec![object(kind, Some(&namespace), &name), object("Node", None, &node)],
        remedy: (1..=4).map(|step| remedy(step, &namespace)).collect(),
        verify: Some("It is reached again.".into()),
        links: vec!["https://example.org/trouble".into()],
        evidence: (0..EVIDENCE).map(|piece| evidence(index, piece, &namespace, &node)).collect(),
        count: 20,
        seen: Histogram::default(),
        first_seen: "2026-03-01T10:00:02Z".parse().ok(),
        last_seen: "2026-03-01T11:00:00Z".parse().ok(),
        fingerprint: format!("{index:016x}"),
        explained_by: (number == 8 && index.is_multiple_of(2)).then(|| format!("{:016x}", index - 1)),
        causes: Vec::new(),
        checked: Vec::new(),
        before: gleaner::model::Before::default(),
        novelty: None,
    }
}

fn remedy(step: usize, namespace: &str) -> RemedyStep {
    RemedyStep {
        position: step,
        action: format!("Step {step}: look at what the agent says about it").into(),
        run: Some(format!("kubectl -n {namespace} get events --sort-by=.lastTimestamp")),
        caution: (step == 4).then(|| "what is not backed up is gone".into()),
    }
}

fn evidence(index: usize, piece: usize, namespace: &str, node: &str) -> Evidence {
    let line = (index * EVIDENCE + piece) as u64 * 7 + 2;
    let text = |n: u64| format!("2026-03-01T10:00:02.5Z E0301 agent.go:{n}] connection {index}/{piece} to peer lost");
    Evidence {
        fact: "complaint".into(),
        entry: match piece % 4 {
            0 => format!("yamls/namespaced/{namespace}/v1/pods.yaml"),
            part => format!("nodes/{node}.zip!/{node}/logs/agent.{part}.log"),
        },
        line: Some(line),
        field: None,
        value: None,
        matched: Some(format!("{index}/{piece} to peer lost")),
        excerpt: (line - 1..=line + 1).map(|n| ExcerptLine { line: n, text: text(n), hit: n == line }).collect(),
    }
}

fn bundle() -> BundleFacts {
    let node = |n: usize| NodeFacts {
        name: format!("node-{n:02}"),
        ready: Some(n != 3),
        roles: vec!["worker".into()],
        collected: true,
    };
    BundleFacts {
        path: "many.zip".into(),
        kind: "harvester".into(),
        sha256: Some("ab".repeat(32)),
        content_id: "cd".repeat(32),
        collected_at: "2026-03-01T12:00:00Z".parse().ok(),
        versions: [("harvester", "v1.4.1"), ("longhorn", "v1.3.2")].map(|(p, v)| (p.into(), v.into())).into(),
        nodes: (0..NODES).map(node).collect(),
        logs: LogSpan { from: "2026-03-01T08:00:00Z".parse().ok(), to: "2026-03-01T12:00:00Z".parse().ok() },
        entries: 1140,
        bytes: 20_600_000,
        ..BundleFacts::default()
    }
}
