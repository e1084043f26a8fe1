//! Secrets in output of kubectl and the API server for people: no report shows them, whatever rules read.

use serde_json::json;

use crate::harness::{gleaner_in, tar_gz};

/// Prefix of every value that must not be shown.
const HUSH: &str = "hush";

fn files() -> Vec<(String, Vec<u8>)> {
    let tokens = "\
NAMESPACE   NAME    AGE   TOKEN        SECRETKEY    COMMAND
shop        robot   7d    hush-table   hush-wide    curl --token=hush-option https://me:hush-address@example.org
";
    let described = "\
Name:             web-0
Namespace:        shop
Node:             n1/10.0.0.1
Annotations:      example.org/api-token: hush-note
                  plain: shown
Status:           Failed
Message:          cannot log in: password=hush-message
IP:
IPs:              <none>
Containers:
  web:
    Image:        web:1
    Args:
      --token=hush-argument
    State:        Waiting
      Reason:     CrashLoopBackOff
    Environment:
      DB_PASSWORD:  hush-environment
      MODE:         shown
Conditions:
  Type    Status
  Ready   False
Events:   <none>
";
    let columns: Vec<_> = ["Name", "Password", "Note"].iter().map(|name| json!({"name": name})).collect();
    let metadata = json!({"kind": "PartialObjectMetadata", "metadata": {"name": "db", "namespace": "shop", "annotations": {"client-secret": "hush-metadata"}}});
    let secret = json!({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "login", "namespace": "shop"}, "data": {"color": "hush+data"}});
    let table = json!({"kind": "Table", "columnDefinitions": columns, "rows": [
        {"cells": ["db", "hush-cell", "token: hush-in-cell"], "object": metadata},
        {"cells": ["login", "hush-other", ""], "object": secret}]});
    let pretty = serde_json::to_string_pretty(&table).unwrap();
    let texts = [
        ("systeminfo/date", "Thu Mar  6 10:15:30 UTC 2025\n".to_owned()),
        ("networking/iproute", "x\n".to_owned()),
        ("rke2/kubectl/robots.example.org", tokens.to_owned()),
        ("rke2/kubectl/poddescribe/shop", described.to_owned()),
        ("rke2/kubectl/rancher-prov/passwords.example.org", pretty),
    ];
    texts.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect()
}

/// Rules whose evidence is each of the secrets, or next to it, and whose texts print them.
const RULES: [(&str, &str, &str); 7] = [
    (
        "t-table",
        "robots.example.org",
        "columns(o).TOKEN != null && columns(o).SECRETKEY != null && columns(o).COMMAND != null",
    ),
    ("t-message", "pods", "o.status.message != null"),
    (
        "t-state",
        "pods",
        "o.spec.containers[0].image == 'web:1' && o.status.containerStatuses[0].state.waiting.reason != null",
    ),
    ("t-cell", "passwords.example.org", "columns(o).PASSWORD != null && columns(o).NOTE != null"),
    ("t-metadata", "passwords.example.org", "o.metadata.annotations['client-secret'] != null"),
    ("t-secret", "secrets", "o.data.color != null"),
    ("t-all", "secrets", "o.data != null"),
];

#[test]
fn no_output_shows_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    tar_gz(&folder.path().join("case.tar.gz"), "cp1-2025-03-06_10_15_30", &files());
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    for (id, resource, condition) in RULES {
        let rule = format!(
            "id: {id}\ntitle: \"found {{{{ o }}}}\"\nseverity: high\nconfidence: certain\narea: node\nfind:\n  o: {{resource: {resource}, where: \"{condition}\"}}\n\
             message: \"{{{{ o.metadata }}}} {{{{ o.data }}}} {{{{ o.status }}}} {{{{ o.spec }}}}\"\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n"
        );
        std::fs::write(folder.path().join(format!("rules/{id}.yaml")), rule).unwrap();
    }
    let mut outputs = vec![];
    for file in ["out.json", "out.html"] {
        let answer = gleaner_in(folder.path(), ["analyze", "case.tar.gz", "--rules", "rules", "-o", file]);
        outputs.extend([answer.stdout, answer.stderr, std::fs::read_to_string(folder.path().join(file)).unwrap()]);
    }
    let report: serde_json::Value = serde_json::from_str(&outputs[2]).unwrap();
    for (id, ..) in RULES {
        assert!(
            report["rules"]["fired"].as_array().unwrap().contains(&json!(id)),
            "{id}: {}",
            super::reason(&report, id)
        );
        let explained = gleaner_in(folder.path(), ["rules", "explain", id, "case.tar.gz", "--rules", "rules"]);
        outputs.extend([explained.stdout, explained.stderr]);
    }
    assert!(report.to_string().contains("shown") && report.to_string().contains("***"));
    for output in &outputs {
        let at = output.find(HUSH).map(|at| output.get(at.saturating_sub(200)..(at + 40).min(output.len())));
        assert_eq!(at, None);
    }
}
