//! Compiles log facts: which sources they read, and whether their patterns are cheap enough for them.

use crate::log::{Filter, GroupKey, LogQuery, Selector, SourceGlob, required_literal};
use crate::model::message::{LogName, LogNames, LogPlace};
use crate::rule::check::fact_fields::HIT_FIELDS;
use crate::rule::compile::compiler::Compiler;
use crate::rule::compile::group::captured;
use crate::rule::compile::selector;
use crate::rule::error::{Code, did_you_mean};
use crate::rule::fact::LogFact;
use crate::rule::source::fact::{GroupSource, LogSourceGlob};
use crate::rule::source::reader::Written;

/// Shorter literals sort out too few lines.
const MIN_LITERAL: usize = 4;

impl Compiler<'_> {
    /// The query of a log fact, added to those of the rule.
    pub fn log(&mut self, sources: &[LogSourceGlob], groups: &GroupSource) -> Option<LogFact> {
        let selected: Vec<_> = sources.iter().map(|source| self.sources(source)).collect();
        let captures = self.captures(&groups.patterns, &HIT_FIELDS);
        let except = self.captures(&groups.except, &HIT_FIELDS);
        let filter = groups.jq.as_ref().map_or(Some(None), |written| self.filter(written).map(Some));
        let since = self.duration(groups.since.as_ref());
        let after_boot = self.duration(groups.after_boot.as_ref());
        let known = captures.as_deref().unwrap_or_default();
        // Without the captures every name would be reported as unknown.
        let (by, counting) =
            if captures.is_some() { (self.by(groups, known), self.counting(groups, known)) } else { (None, None) };
        let selected: Vec<Vec<SelectedLogs>> = selected.into_iter().collect::<Option<_>>()?;
        let selected: Vec<SelectedLogs> = selected.into_iter().flatten().collect();
        captures.as_ref()?;
        except?;
        let filter = filter?;
        let mut patterns: Vec<String> = groups.patterns.iter().map(|written| written.text.clone()).collect();
        // A stream of which every source is small costs nothing; files that this program was tested with are not checked again.
        let large = !self.tested && !selected.iter().all(|one| one.narrow);
        if large {
            self.literals(&groups.patterns);
        }
        if let Some((filter, written)) = filter.zip(groups.jq.as_ref()).filter(|_| patterns.is_empty()) {
            patterns.push(filter.pattern());
            if large {
                self.literal_of_filter(&filter, written);
            }
        }
        let wanted = LogNames::new(selected.iter().map(|one| one.wanted.clone()));
        let query = LogQuery {
            selector: Selector { any: selected.iter().flat_map(|one| one.any.clone()).collect() },
            patterns,
            except: groups.except.iter().map(|written| written.text.clone()).collect(),
            jq: groups.jq.as_ref().map(|written| written.text.clone()),
            since: since?,
            undated: groups.undated,
            by: by?.unwrap_or_else(|| if known.is_empty() { vec![GroupKey::Source] } else { captured(known) }),
            boot_current: groups.boot_current,
            after_boot: after_boot?,
            counting: counting?,
            single: false,
            multiline: groups.multiline,
            checked: true,
        };
        self.queries.push(query);
        Some(LogFact { query: self.queries.len() - 1, wanted })
    }

    /// Warns about patterns without a literal text: they are tried on every line.
    fn literals(&mut self, patterns: &[Written]) {
        for written in patterns.iter().filter(|written| !sorts_out(&written.text)) {
            let message = format!(
                "the pattern has no fixed text of at least {MIN_LITERAL} characters, so it is tried on every line, which is slow"
            );
            let hint = "add words that all such lines contain; each alternative of (a|b) needs one";
            self.diagnostics.report(Code::SlowPattern, written.range.clone(), message).hint(hint);
        }
    }

    fn filter(&mut self, written: &Written) -> Option<Filter> {
        match Filter::compile(&written.text) {
            Ok(filter) => Some(filter),
            Err(error) => {
                let range = written.part(self.diagnostics.text(), error.range);
                self.diagnostics.report(Code::Expression, range, error.message);
                None
            }
        }
    }

    /// A filter without `match` is tried on the lines that contain a text which it compares with.
    fn literal_of_filter(&mut self, filter: &Filter, written: &Written) {
        if !sorts_out(&filter.pattern()) {
            let message = format!(
                "the filter has no fixed text of at least {MIN_LITERAL} characters, so it reads every line with a brace, which is slow"
            );
            let hint = "also add words that all such lines contain: match: 'words'";
            self.diagnostics.report(Code::SlowPattern, written.range.clone(), message).hint(hint);
        }
    }

    /// The sources of one alternative: named streams, narrowed by globs, or globs alone.
    fn sources(&mut self, source: &LogSourceGlob) -> Option<Vec<SelectedLogs>> {
        let parts = [&source.namespace, &source.pod, &source.container, &source.node, &source.path];
        for part in parts.iter().copied().flatten() {
            self.glob(Some(part))?;
        }
        let [namespace, pod, container, node, path] =
            parts.map(|part| part.as_ref().map(|written| written.text.clone()));
        let own = SourceGlob { namespace, pod, container, node, path, ..SourceGlob::default() };
        if source.streams.is_empty() {
            let wanted = LogName { stream: None, places: places(&own) };
            return Some(vec![SelectedLogs { narrow: is_narrow(&own), wanted, any: vec![own] }]);
        }
        source.streams.iter().map(|stream| self.stream(stream, &own)).collect()
    }

    fn stream(&mut self, written: &Written, own: &SourceGlob) -> Option<SelectedLogs> {
        let Some(stream) = self.streams.get(&written.text) else {
            let near = did_you_mean(&written.text, self.streams.names());
            let message = format!("there is no log stream \"{}\"{near}", written.text);
            let error = self.diagnostics.report(Code::UnknownStream, written.range.clone(), message);
            if near.is_empty() {
                error.hint(format!("streams are: {}", self.streams.names().collect::<Vec<_>>().join(", ")));
            }
            return None;
        };
        let any: Option<Vec<SourceGlob>> = stream.sources.iter().map(|source| narrowed(source, own)).collect();
        if any.is_none() {
            let message = format!("stream \"{}\" already selects its logs by this key", written.text);
            let hint = "next to a stream write only keys that it does not set, such as node; or leave the stream out";
            self.diagnostics.report(Code::Selector, written.range.clone(), message).hint(hint);
        }
        let wanted = LogName { stream: Some(written.text.clone()), places: places(own) };
        Some(SelectedLogs { any: any?, narrow: stream.narrow, wanted })
    }
}

/// Returns whether every match of a pattern contains a text that sorts out most lines.
fn sorts_out(pattern: &str) -> bool {
    required_literal(pattern).is_some_and(|literal| literal.min_len() >= MIN_LITERAL)
}

/// Sources of one alternative of a log fact.
struct SelectedLogs {
    any: Vec<SourceGlob>,
    narrow: bool,
    wanted: LogName,
}

/// A stream's source with further parts; none where both say the same part.
fn narrowed(source: &SourceGlob, own: &SourceGlob) -> Option<SourceGlob> {
    let both = |a: &Option<String>, b: &Option<String>| match (a, b) {
        (Some(_), Some(_)) => None,
        (a, b) => Some(a.clone().or_else(|| b.clone())),
    };
    Some(SourceGlob {
        namespace: both(&source.namespace, &own.namespace)?,
        pod: both(&source.pod, &own.pod)?,
        container: both(&source.container, &own.container)?,
        node: both(&source.node, &own.node)?,
        unit: source.unit.clone(),
        path: both(&source.path, &own.path)?,
        refusal: source.refusal,
        program: source.program.clone(),
    })
}

/// Returns whether globs select at most one container or file.
fn is_narrow(glob: &SourceGlob) -> bool {
    let exact = |part: &Option<String>| part.as_ref().is_some_and(|text| !selector::is_glob(text));
    exact(&glob.path) || (exact(&glob.namespace) && exact(&glob.container))
}

/// Globs as a reader sees them: `namespace/pod/container`, a node or a path.
fn places(glob: &SourceGlob) -> Vec<LogPlace> {
    let pods = [&glob.namespace, &glob.pod, &glob.container].map(|part| part.as_deref());
    let mut places = Vec::new();
    if pods.iter().any(Option::is_some) {
        let shown = pods.map(|part| part.unwrap_or("*")).join("/");
        places.push(match shown.trim_end_matches("/*") {
            "*" => LogPlace::AnyPod,
            some => LogPlace::Pods { glob: some.to_owned() },
        });
    }
    places.extend(glob.node.clone().map(|glob| LogPlace::Node { glob }));
    places.extend(glob.path.clone().map(|glob| LogPlace::Path { glob }));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(glob: &SourceGlob) -> String {
        LogName { stream: None, places: places(glob) }.to_string()
    }

    #[test]
    fn globs_are_shown_as_places() {
        let some = |text: &str| Some(text.to_owned());
        let pods = SourceGlob { namespace: some("n"), pod: some("p-*"), ..SourceGlob::default() };
        assert_eq!(shown(&pods), "n/p-*");
        let node = SourceGlob { container: some("c"), node: some("n1"), ..SourceGlob::default() };
        assert_eq!(shown(&node), "*/*/c, node n1");
    }
}
