//! Runs a rule on one log as a whole bundle, independent of the path of that rule's logs in bundles.

use jiff::Timestamp;

use super::case::{Expect, Layout};
use super::{Case, Difference, analyze};
use crate::log::SourceGlob;
use crate::rule::{RuleSet, Streams};

/// Timestamps without a year get the year before this; only their differences matter.
const COLLECTED: &str = "2026-12-31T23:59:59Z";

/// Expected result of a rule on a log.
#[derive(Clone, Debug)]
pub struct Sample<'s> {
    /// Id or alias.
    pub rule: &'s str,
    pub text: &'s str,
    /// True if it must fire, with one finding; otherwise it must not.
    pub fires: bool,
}

/// Runs the rule alone on a bundle that has only the log, at the path of the rule's first source.
///
/// # Errors
///
/// If the result differs from the expected one.
pub fn check_log(set: &RuleSet, streams: &Streams, sample: &Sample<'_>) -> Result<(), Difference> {
    let set = set.subset(&[sample.rule.to_owned()]).map_err(|unknown| Difference::Broken(unknown.to_string()))?;
    let sources = set.queries.iter().flat_map(|query| &query.selector.any);
    let Some(path) = sources.map(path).next() else {
        return Err(Difference::Broken(format!("{} reads no logs", sample.rule)));
    };
    let case = case(sample, path)?;
    let analysis = analyze(&set, streams, &case).map_err(Difference::Broken)?;
    match (sample.fires, analysis.findings.as_slice()) {
        (true, [_]) | (false, []) => Ok(()),
        (true, []) => {
            let why = analysis.rules.not_evaluated.first().map(|reason| format!(" ({})", reason.reason));
            let what = format!("{} found nothing{}", sample.rule, why.unwrap_or_default());
            Err(Difference::Missing { what, near: None })
        }
        (true, found) => {
            Err(Difference::Wrong { what: format!("{} findings instead of one", found.len()), fields: Vec::new() })
        }
        (false, [found, ..]) => Err(Difference::Noisy(format!("{}: {}", sample.rule, found.title))),
    }
}

fn case(sample: &Sample<'_>, path: String) -> Result<Case, Difference> {
    let now: Timestamp = COLLECTED.parse().map_err(|_| Difference::Broken("no time".to_owned()))?;
    Ok(Case {
        name: path.clone(),
        layout: Layout::Harvester,
        now: Some(now),
        versions: Default::default(),
        objects: Vec::new(),
        files: [(path, sample.text.to_owned())].into(),
        releases: Vec::new(),
        missing: Vec::new(),
        expect: Expect::Findings(Vec::new()),
    })
}

/// Returns a path in a support-bundle-kit bundle that matches the globs.
fn path(source: &SourceGlob) -> String {
    let part = |glob: &Option<String>, default: &str| glob.as_deref().map_or_else(|| default.to_owned(), instance);
    if let Some(path) = &source.path {
        return instance(path);
    }
    if let Some(unit) = &source.unit {
        let node = part(&source.node, "n1");
        return format!("nodes/{node}.zip!/{node}/logs/{}.log", instance(unit));
    }
    let (namespace, pod) = (part(&source.namespace, "default"), part(&source.pod, "pod"));
    format!("logs/{namespace}/{pod}/{}.log", part(&source.container, "main"))
}

/// Returns a text that matches a glob: the first alternative, a letter for each star.
fn instance(glob: &str) -> String {
    let mut out = String::new();
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => out.push('x'),
            '[' => {
                out.extend(chars.next());
                chars.by_ref().find(|c| *c == ']');
            }
            '{' => {
                let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
                out.push_str(&instance(inside.split(',').next().unwrap_or_default()));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_have_instances() {
        for (glob, wanted) in [("*redis*", "xredisx"), ("{a*,b}-[xy]?", "ax-xx"), ("plain", "plain")] {
            assert_eq!(instance(glob), wanted);
            let glob = globset::GlobBuilder::new(glob).literal_separator(true).build().unwrap();
            assert!(glob.compile_matcher().is_match(wanted));
        }
    }

    #[test]
    fn every_kind_of_source_has_a_path() {
        let some = |text: &str| Some(text.to_owned());
        let unit = SourceGlob { unit: some("rke2-{server,agent}"), ..SourceGlob::default() };
        assert_eq!(path(&unit), "nodes/n1.zip!/n1/logs/rke2-server.log");
        let pod = SourceGlob { pod: some("x-*"), namespace: some("a"), ..SourceGlob::default() };
        assert_eq!(path(&pod), "logs/a/x-x/main.log");
        let path_ = SourceGlob { path: some("nodes/*/logs/syslog*"), ..SourceGlob::default() };
        assert_eq!(path(&path_), "nodes/x/logs/syslogx");
    }
}
