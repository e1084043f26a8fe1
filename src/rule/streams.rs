//! Named log streams, read from `rules/streams.yaml`: the paths of their logs in each layout of bundles.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::log::SourceGlob;
use crate::rule::error::{Code, Diagnostics, RuleError, Source, Weight};
use crate::rule::source::reader::{Field, FieldReader};
use crate::rule::source::yaml_pitfalls;

/// Layouts of logs that have streams; the head of `rules/streams.yaml` names the collectors of each.
const LAYOUTS: [&str; 3] = ["host", "kit", RANCHER];
/// Layout in which the log of a pod contains those of all its containers.
const RANCHER: &str = "rancher";

/// One named stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Description of the logs, for documentation.
    pub about: String,
    /// Small enough that patterns need no literal text.
    pub narrow: bool,
    /// Its sources in all layouts. Those of another layout may match, too: `messages` of a host stands in collections of Rancher as well.
    pub sources: Vec<SourceGlob>,
}

/// All named streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Streams {
    list: BTreeMap<String, Stream>,
}

impl Streams {
    /// Reads the file of streams.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(source: Source) -> Result<Self, Vec<RuleError>> {
        let mut diagnostics = Diagnostics::new(Arc::new(source));
        let streams = read_streams(&mut diagnostics);
        let found = diagnostics.into_found();
        if found.iter().any(|e| e.code.weight() == Weight::Error) { Err(found) } else { Ok(streams) }
    }

    /// The stream of a name.
    pub fn get(&self, name: &str) -> Option<&Stream> {
        self.list.get(name)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.keys().map(String::as_str)
    }
}

/// A text that a glob matches: `rke2-{server,agent}` matches `rke2-server`, `k3s-*` matches `k3s-x`.
pub fn example(glob: &str) -> String {
    let mut shown = String::new();
    let mut rest = glob.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' | '?' => shown.push('x'),
            '{' => {
                let choice: String = rest.by_ref().take_while(|c| *c != '}').collect();
                shown.push_str(&example(choice.split(',').next().unwrap_or_default()));
            }
            c => shown.push(c),
        }
    }
    shown
}

fn read_streams(diagnostics: &mut Diagnostics) -> Streams {
    let (document, problems) = crate::yaml::parse(diagnostics.text().as_bytes().to_vec());
    for problem in problems.iter().filter(|problem| !problem.is_repetition()) {
        yaml_pitfalls::syntax(diagnostics, problem);
    }
    let Some(root) = document.roots().next() else { return Streams::default() };
    let mut reader = FieldReader { diagnostics, tested: false };
    let Some(fields) = reader.entries(root, "the list of streams") else { return Streams::default() };
    let list =
        fields.iter().map(|field| (field.key.to_owned(), stream(&mut reader, field).unwrap_or_default())).collect();
    Streams { list }
}

fn stream(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<Stream> {
    let what = format!("stream \"{}\"", field.key);
    let known: Vec<&str> = ["about", "narrow"].into_iter().chain(LAYOUTS).collect();
    let fields = reader.fields(field.value, &what, &known)?;
    let about = reader.required(&fields, "about", &what)?;
    let about = reader.text(about)?.text;
    let narrow = fields.get("narrow").and_then(|field| reader.flag(field)).unwrap_or(false);
    let mut sources = Vec::new();
    for layout in fields.iter().filter(|field| LAYOUTS.contains(&field.key)) {
        for item in layout.value.items() {
            let mut source = source(reader, &Field { value: item, ..layout.clone() })?;
            // Logs of layout `kit` are by container: such a source must not match them.
            let of_pod = layout.key == RANCHER && (source.pod.is_some() || source.namespace.is_some());
            if of_pod && source.container.is_none() {
                source.container = Some(String::new());
            }
            sources.push(source);
        }
    }
    if sources.is_empty() {
        reader.diagnostics.report(Code::MissingKey, field.key_range.clone(), format!("{what} has no sources"));
    }
    Some(Stream { about, narrow, sources })
}

fn source(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<SourceGlob> {
    let keys = ["namespace", "pod", "container", "node", "unit", "path", "refusal", "program"];
    let fields = reader.fields(field.value, "a source", &keys)?;
    let refusal = fields.get("refusal").and_then(|field| reader.flag(field)).unwrap_or(false);
    let mut part = |key: &str| fields.get(key).and_then(|field| reader.scalar(field)).map(|written| written.text);
    Some(SourceGlob {
        namespace: part("namespace"),
        pod: part("pod"),
        container: part("container"),
        node: part("node"),
        unit: part("unit"),
        path: part("path"),
        refusal,
        program: part("program"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Streams, Vec<RuleError>> {
        Streams::parse(Source { file: "streams.yaml".to_owned(), text: text.to_owned() })
    }

    #[test]
    fn streams_have_sources() {
        let text = "a:\n  about: x\n  narrow: true\n  kit:\n    - {namespace: n, container: c}\n    - {unit: u}\n";
        let streams = parse(text).unwrap();
        let stream = streams.get("a").unwrap();
        assert!(stream.narrow);
        assert_eq!(stream.sources[0].container.as_deref(), Some("c"));
        assert_eq!(stream.sources[1].unit.as_deref(), Some("u"));
        assert_eq!(streams.names().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn pods_of_a_layout_without_containers_are_whole_logs() {
        let streams = parse("a:\n  about: x\n  rancher:\n    - {pod: 'p-*'}\n    - {unit: u}\n").unwrap();
        let containers: Vec<_> = streams.get("a").unwrap().sources.iter().map(|s| s.container.as_deref()).collect();
        assert_eq!(containers, [Some(""), None]);
    }

    #[test]
    fn an_example_matches_its_glob() {
        for (glob, shown) in [("etcd", "etcd"), ("rke2-{server,agent}", "rke2-server"), ("{cdi,x}-*", "cdi-x")] {
            assert_eq!(example(glob), shown);
        }
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, says) in [
            ("a: {about: x}", "has no sources"),
            ("a: {kit: [{unit: u}]}", "needs the key \"about\""),
            ("a: {about: x, kit: [{units: u}]}", "did you mean \"unit\"?"),
            ("a: {about: x, ranchr: [{unit: u}]}", "did you mean \"rancher\"?"),
            ("- a", "must be a mapping"),
        ] {
            let errors = parse(text).unwrap_err();
            assert!(errors.iter().any(|e| e.message.contains(says)), "{text}: {errors:?}");
        }
    }
}
