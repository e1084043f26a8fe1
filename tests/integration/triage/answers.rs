//! Every question about an archive of 300 tickets whose answers are known: queries, and the cards of the overview.

use std::fmt::Write as _;
use std::fs;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Value, json};

use super::archive::Archive;
use super::pages::{Pages, report, text};
use crate::harness::zip;

const TICKETS: usize = 300;

/// Id, severity, what it is about and when it fires. A lost node explains that the pod failed.
const RULES: [(&str, &str, &str, &str, &str); 6] = [
    ("pod-lost", "critical", "pods", "it.status.reason == 'NodeLost'", "explains: [pod-failed]\n"),
    ("pod-failed", "high", "pods", "it.status.phase == 'Failed'", ""),
    ("pod-slow", "medium", "pods", "it.status.phase == 'Pending'", ""),
    ("pod-novel", "high", "pods", "it.metadata.name == 'novel'", ""),
    ("pod-nowhere", "low", "pods", "it.metadata.name == 'nowhere'", ""),
    ("node-gone", "high", "nodes", "it.metadata.name == 'nowhere'", ""),
];

/// The archive is made once: each test reads it.
fn archive() -> &'static (Archive, Pages) {
    static ARCHIVE: OnceLock<(Archive, Pages)> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let archive = Archive::empty();
        let mut meta = "path,ticket,customer,product,resolution\n".to_owned();
        for number in 0..TICKETS {
            zip(&archive.tickets().join(format!("{number:03}.zip")), "supportbundle", &bundle(number));
            let product = if number < 150 { "Harvester" } else { "" };
            let (customer, resolution) = (customer(number), resolution(number));
            writeln!(meta, "{number:03}.zip,T-{number:04},{customer},{product},{resolution}").unwrap();
        }
        fs::write(archive.path("meta.csv"), meta).unwrap();
        for (id, severity, resource, condition, more) in RULES {
            let rule = format!(
                "id: {id}\nname: \"Short name of {id}\"\ntitle: \"{{{{ it.metadata.name }}}}\"\nseverity: {severity}\nconfidence: certain\n\
                 area: workload\nfind:\n  it:\n    resource: {resource}\n    where: \"{condition}\"\nmessage: m\nimpact: i\ncause: c\n\
                 remedy:\n  - do: Look.\n{more}"
            );
            archive.put(&format!("../own/rules/workload/{id}.yaml"), rule.as_bytes());
        }
        archive.triage("s.db", &["--no-default-rules", "--rules", "own", "--meta", "meta.csv"]);
        let pages = report(&archive, "s.db", "pages", &[]);
        (archive, pages)
    })
}

/// 25 bundles in each month of 2025, five of each of 60 clusters. Every tenth has lost a node, every fifth a failed pod.
fn bundle(number: usize) -> Vec<(String, Vec<u8>)> {
    let (month, day, minor, cluster) = (number / 25 + 1, number % 25 + 1, 29 + number / 10 % 2, number % 60);
    let date = format!("2025-{month:02}-{day:02}");
    let status = match number % 10 {
        0 => "{phase: Failed, reason: NodeLost}",
        5 => "{phase: Failed}",
        1 | 2 | 6 | 7 => "{phase: Pending}",
        _ => "{phase: Running}",
    };
    let pod = |name: &str, status: &str| {
        format!("- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: default}}, status: {status}}}\n")
    };
    let novel = if number >= 275 && number % 5 == 3 { pod("novel", "{phase: Running}") } else { String::new() };
    let mut log = format!("{date}T01:00:00Z level=info msg=\"started\"\n");
    for (every, at, said) in [(7, 0, "cannot reach the moon"), (25, 1, "the door is stuck")] {
        if number % every == at && (every != 25 || number >= 275) {
            writeln!(log, "{date}T02:00:00Z level=error msg=\"{said}\"").unwrap();
        }
    }
    let files = [
        (
            "metadata.yaml",
            format!("bundlename: b{number}\nkubernetesversion: v1.{minor}.1\nbundlecreatedat: \"{date}T07:08:09Z\"\n"),
        ),
        (
            "yamls/cluster/v1/namespaces.yaml",
            format!(
                "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Namespace, metadata: {{name: kube-system, uid: c-{cluster}}}}}\n"
            ),
        ),
        (
            "yamls/namespaced/default/v1/pods.yaml",
            format!("apiVersion: v1\nkind: List\nitems:\n{}{novel}", pod("web", status)),
        ),
        ("logs/default/web/web.log", log),
        (
            "bundleGenerationError.log",
            "Failed to get /api/v1/nodes: the server was unable to return a response\n".to_owned(),
        ),
    ];
    files.map(|(path, text)| (path.to_owned(), text.into_bytes())).to_vec()
}

fn customer(number: usize) -> &'static str {
    match number {
        _ if !number.is_multiple_of(5) => "Initech",
        0..100 => "Acme",
        _ => "Globex",
    }
}

fn resolution(number: usize) -> &'static str {
    match number % 10 {
        0 => "replaced the node",
        5 => "restarted",
        _ => "",
    }
}

fn rows(more: &[&str]) -> Vec<Value> {
    let (archive, _) = archive();
    let answer = archive.gleaner(&[&["triage", "query", "--store", "s.db", "--format", "json"], more].concat());
    assert_eq!(answer.code, 0, "{more:?}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Some columns of each row.
fn columns(rows: &[Value], names: &[&str]) -> Value {
    rows.iter().map(|row| names.iter().map(|name| row[*name].clone()).collect::<Vec<_>>()).collect::<Vec<_>>().into()
}

#[test]
fn rules_that_fired_most_are_counted_by_version_product_and_period() {
    let names = ["rule", "fired", "evaluated", "bundles", "clusters"];
    let whole = json!([
        ["pod-slow", 120, 300, 300, 24],
        ["pod-failed", 60, 300, 300, 12],
        ["pod-lost", 30, 300, 300, 6],
        ["pod-novel", 5, 300, 300, 5],
    ]);
    assert_eq!(columns(&rows(&[]), &names), whole);
    let two = ["rule", "fired", "bundles"];
    let of = |more: &[&str]| columns(&rows(&[more, &["--top", "2"]].concat()), &two);
    assert_eq!(of(&["--version", "kubernetes=1.30"]), json!([["pod-slow", 60, 150], ["pod-failed", 30, 150]]));
    assert_eq!(of(&["--product", "harvester"]), json!([["pod-slow", 60, 150], ["pod-failed", 30, 150]]));
    assert_eq!(of(&["--period", "2025-Q4"]), json!([["pod-slow", 30, 75], ["pod-failed", 15, 75]]));
    assert_eq!(
        of(&["--since", "2025-03", "--until", "2025-05", "--customer", "acme"]),
        json!([["pod-failed", 10, 10], ["pod-lost", 5, 10]])
    );
}

#[test]
fn bundles_are_found_by_customer_ticket_cluster_and_period() {
    let count = |more: &[&str]| rows(more).len();
    assert_eq!(
        [count(&["--customer", "Acme"]), count(&["--customer", "globex"]), count(&["--customer", "Initech"])],
        [20, 40, 240]
    );
    assert_eq!(count(&["--customer", "Globex", "--period", "2025-Q4"]), 15);
    assert_eq!(
        [count(&["--period", "2025-11"]), count(&["--since", "2025-12-24"]), count(&["--until", "2025-01-02"])],
        [25, 2, 1]
    );
    let of_cluster = rows(&["--cluster", "c-42"]);
    assert_eq!(columns(&of_cluster, &["ticket"]), json!([["T-0282"], ["T-0222"], ["T-0162"], ["T-0102"], ["T-0042"]]));
    let names = ["ticket", "customer", "version", "critical", "high", "findings", "resolution", "path"];
    let ticket = rows(&["--ticket", "t-0110"]);
    assert_eq!(
        columns(&ticket, &names),
        json!([["T-0110", "Globex", "v1.30.1", 1, 1, 2, "replaced the node", "110.zip"]])
    );
    let of_rule = rows(&["--rule", "pod-novel"]);
    assert_eq!(columns(&of_rule, &["ticket"]), json!([["T-0298"], ["T-0293"], ["T-0288"], ["T-0283"], ["T-0278"]]));
}

#[test]
fn tickets_like_one_have_its_resolution() {
    let like = rows(&["--like", "T-0010", "--top", "3"]);
    let names = ["likeness", "ticket", "resolution", "shared_rules", "shared_templates"];
    // 280 has a line that 10 has not.
    let row = |ticket: &str| json!([100, ticket, "replaced the node", r#"["pod-failed","pod-lost"]"#, 0]);
    assert_eq!(columns(&like, &names), json!([row("T-0290"), row("T-0270"), row("T-0260")]));
    let novel = rows(&["--like", "T-0278", "--top", "1"]);
    assert_eq!(columns(&novel, &names), json!([[100, "T-0298", null, r#"["pod-novel"]"#, 0]]));
}

#[test]
fn templates_without_a_rule_are_counted_and_new_ones_told() {
    let names = ["template", "bundles", "clusters"];
    let templates = rows(&["--templates", "--no-rule"]);
    let counts = columns(&templates, &["bundles", "clusters", "first_collected"]);
    assert_eq!(counts, json!([[43, 43, "2025-01-01T07:08:09Z"], [1, 1, "2025-12-02T07:08:09Z"]]), "{templates:#?}");
    let new = rows(&["--templates", "--no-rule", "--new-since", "2025-12"]);
    assert!(columns(&new, &names)[0][0].as_str().unwrap().contains("the door is stuck") && new.len() == 1, "{new:#?}");
}

/// The rows of a card of the overview, each as words and their details.
fn card(id: &str) -> Vec<String> {
    let (_, pages) = archive();
    let begin = format!("<section class=\"question\" aria-labelledby=\"{id}\">");
    let (_, card) = pages["index.html"].split_once(&begin).unwrap_or_else(|| panic!("no card {id}"));
    let (card, _) = card.split_once("</section>").unwrap();
    let row = Regex::new("(?s)<li>(.*?)</li>").unwrap();
    row.captures_iter(card).map(|row| text(&row[1]).trim().to_owned()).collect()
}

#[test]
fn each_question_has_a_card_with_its_answer() {
    assert_eq!(
        card("problems"),
        [
            "critical Short name of pod-lost 7 bundles: Kubernetes 1.30 (4), Kubernetes 1.29 (3)",
            "high Short name of pod-failed 8 bundles: Kubernetes 1.29 (4), Kubernetes 1.30 (4)",
            "high Short name of pod-novel 5 bundles: Kubernetes 1.30 (3), Kubernetes 1.29 (2)",
            "medium Short name of pod-slow 30 bundles: Kubernetes 1.30 (16), Kubernetes 1.29 (14)",
        ],
        "severity before count"
    );
    assert_eq!(
        card("customers-affected"),
        [
            "critical Globex 20 critical, 20 high of 40 bundles",
            "critical Acme 10 critical, 10 high of 20 bundles",
            "high Initech 5 high of 240 bundles",
        ]
    );
    let new = card("new");
    assert_eq!(new[0], "high Short name of pod-novel 5 bundles");
    assert!(
        new[1].contains("the door is stuck") && new[1].ends_with("error, 1 cluster in 1 bundle") && new.len() == 2,
        "{new:?}"
    );
    assert_eq!(card("never"), ["1 rule looked and found nothing", "1 rule had no answer in any bundle"]);
    let reasons = card("collect");
    assert!(
        reasons.len() == 1 && reasons[0].contains("nodes") && reasons[0].ends_with("1 rule in 300 bundles"),
        "{reasons:?}"
    );
    let templates = card("worth-a-rule");
    assert!(
        templates[0].contains("cannot reach the moon") && templates[0].ends_with("43 clusters in 43 bundles"),
        "{templates:?}"
    );
}

#[test]
fn pages_say_ticket_customer_and_resolution() {
    let (_, pages) = archive();
    let page = |start: &str| text(pages.iter().find(|(name, _)| name.starts_with(start)).unwrap().1);
    let bundle = page("bundles/010-zip-");
    let (_, alike) = bundle.split_once("Tickets like this one").unwrap();
    assert!(alike.contains("290.zip") && alike.contains("100 % T-0290 Globex replaced the node"), "{alike}");
    let rule = page("rules/pod-novel");
    assert!(rule.contains("T-0298 Initech") && rule.contains("Short name of pod-novel"), "{rule}");
    let customer = page("customers/acme-");
    assert!(customer.contains("20 tickets; 10 critical, 10 high of 20 bundles"), "{customer}");
    assert!(customer.contains("T-0090 critical web replaced the node"), "{customer}");
}
