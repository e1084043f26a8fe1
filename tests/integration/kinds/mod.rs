//! Bundles of each kind, made here as their collectors write them, through the whole program.

mod rancher;
mod troubleshoot;

use serde_json::Value;

use crate::harness::{analysis, tar_gz};

/// Analyses a tar.gz of these files below one folder, with rules of the test's own: id and the lines below `find`.
fn analysed(top: &str, files: &[(&str, String)], rules: &[(&str, &str)]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("case.tar.gz");
    let files: Vec<_> = files.iter().map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes())).collect();
    tar_gz(&bundle, top, &files);
    let own = folder.path().join("rules");
    std::fs::create_dir(&own).unwrap();
    for (id, find) in rules {
        let texts = "message: m\nimpact: i\ncause: c\nremedy: [{do: d}]\n";
        let rule = format!("id: {id}\ntitle: t\nseverity: high\nconfidence: certain\narea: node\nfind:\n{find}{texts}");
        std::fs::write(own.join(format!("{id}.yaml")), rule).unwrap();
    }
    let more = ["--rules", own.to_str().unwrap()];
    analysis(&bundle, if rules.is_empty() { &[] } else { &more })
}

/// Why a rule was not evaluated; empty if it was.
fn reason<'a>(found: &'a Value, rule: &str) -> &'a str {
    let all = found["rules"]["not_evaluated"].as_array().unwrap();
    all.iter().find(|r| r["rule"] == rule).map(|r| r["reason"].as_str().unwrap()).unwrap_or_default()
}
