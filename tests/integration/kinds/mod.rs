//! Bundles of each kind, built as their collectors write them, through the whole program.

mod busy;
mod cluster_info;
mod described;
mod generic;
mod harvester;
mod lists;
mod logs;
mod longhorn;
mod masks;
mod must_gather;
mod node;
pub mod places;
mod rancher;
mod rancher_host;
mod scripts;
mod sosreport;
mod supportability;
mod supportconfig;
mod troubleshoot;

use std::path::Path;

use serde_json::Value;

use crate::harness::{analysis, tar_gz, zip};

/// Analyses a tar.gz of these files below one folder, with rules of the test: id and the lines below `find`.
fn analysed(top: &str, files: &[(&str, String)], rules: &[(&str, &str)]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("case.tar.gz");
    let files: Vec<_> = files.iter().map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes())).collect();
    tar_gz(&bundle, top, &files);
    with_rules(folder.path(), &bundle, rules)
}

/// Analyses a bundle with rules that are written into a folder.
fn with_rules(folder: &Path, bundle: &Path, rules: &[(&str, &str)]) -> Value {
    let own = folder.join("rules");
    std::fs::create_dir(&own).unwrap();
    for (id, find) in rules {
        let texts = "message: m\nimpact: i\ncause: c\nremedy: [{do: d}]\n";
        let rule = format!("id: {id}\ntitle: t\nseverity: high\nconfidence: certain\narea: node\nfind:\n{find}{texts}");
        std::fs::write(own.join(format!("{id}.yaml")), rule).unwrap();
    }
    let more = ["--rules", own.to_str().unwrap()];
    analysis(bundle, if rules.is_empty() { &[] } else { &more })
}

/// Returns the reason why a rule was not evaluated, or only where collected; empty if it was.
fn reason<'a>(found: &'a Value, rule: &str) -> &'a str {
    let mut all = ["not_evaluated", "clean_partly"].into_iter().flat_map(|key| found["rules"][key].as_array().unwrap());
    all.find(|r| r["rule"] == rule).map(|r| r["reason"].as_str().unwrap()).unwrap_or_default()
}

/// Analyses a zip of these files below one folder that names it, with rules of the test.
fn zipped(name: &str, files: &[(String, Vec<u8>)], rules: &[(&str, &str)]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join(format!("{name}.zip"));
    zip(&bundle, name, files);
    with_rules(folder.path(), &bundle, rules)
}

/// Returns the rules of the test that fired.
fn fired(found: &Value, prefix: &str) -> Vec<String> {
    let fired = found["rules"]["fired"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned());
    fired.filter(|id| id.starts_with(prefix)).collect()
}

/// Returns what was not collected.
fn gaps(found: &Value) -> Vec<String> {
    let gaps = found["bundle"]["not_collected"].as_array().unwrap();
    gaps.iter().map(|gap| gap["what"].as_str().unwrap().to_owned()).collect()
}
