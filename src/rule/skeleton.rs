//! A first rule with its test: small, working, and commented for those who write their first one.

use crate::log::SourceGlob;
use crate::resource::types::{KnownType, known, resolve};
use crate::rule::compile::id::id_mistake;
use crate::rule::compile::names::is_reserved;
use crate::rule::error::did_you_mean;
use crate::rule::source::key_table::AREAS;
use crate::rule::streams;
use crate::rule::streams::Streams;

/// The subject of the new rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Objects of a type as kubectl names it.
    Resource(String),
    /// Lines of a named stream.
    Log(String),
    /// Events about objects of a kind.
    Event(String),
    /// Lines of a named stream that follow each other.
    Sequence(String),
    /// Rows of a table in files with this path, which may have `*`.
    Table(String),
}

/// A rule and its test, with their paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    pub rule: (String, String),
    pub test: (String, String),
}

/// Reason why a rule cannot be created, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SkeletonError(String);

/// Writes a rule of that id and area and a test with a case in which it fires and one in which it does not.
///
/// # Errors
/// An invalid id or area, or an unknown type or stream.
pub fn skeleton(id: &str, area: &str, subject: &Subject, known: &Streams) -> Result<Skeleton, SkeletonError> {
    check(id, area)?;
    let parts = match subject {
        Subject::Resource(name) => resource(name)?,
        Subject::Log(stream) => log(stream, known)?,
        Subject::Event(name) => event(name)?,
        Subject::Sequence(stream) => sequence(stream, known)?,
        Subject::Table(path) => table(path)?,
    };
    let rule = rule(id, area, &parts);
    let test = format!("{}{}", HEAD_OF_TEST.replace("ID", id), parts.cases);
    Ok(Skeleton {
        rule: (format!("rules/{area}/{id}.yaml"), rule),
        test: (format!("tests/rules/{area}/{id}.yaml"), test),
    })
}

/// Checks the id and area of a new rule.
///
/// # Errors
/// One of them is invalid.
pub fn check(id: &str, area: &str) -> Result<(), SkeletonError> {
    if let Some(mistake) = id_mistake(id) {
        return Err(SkeletonError(mistake));
    }
    if !AREAS.contains(&area) {
        let near = did_you_mean(area, AREAS);
        return Err(SkeletonError(format!("there is no area \"{area}\"{near}; areas are: {}", AREAS.join(", "))));
    }
    Ok(())
}

/// Texts that differ between rules about objects and about logs.
struct SubjectTexts {
    title: String,
    find: String,
    message: String,
    run: String,
    cases: String,
}

fn rule(id: &str, area: &str, parts: &SubjectTexts) -> String {
    let SubjectTexts { title, find, message, run, .. } = parts;
    format!(
        "# A rule describes how a failure looks in a bundle, and what to do about it. This one works but is only an example:\n\
         # replace its facts and texts. `gleaner rules explain {id}` shows what it does, `gleaner rules explain {id} BUNDLE`\n\
         # also why it does not fire.\n\
         id: {id}\n\
         # One line that names the object; values are filled in between {{{{ and }}}}.\n\
         title: \"{title}\"\n\
         severity: medium      # critical, high, medium, low or info\n\
         confidence: likely    # certain, likely or hint\n\
         area: {area}\n\
         find:\n{find}\
         # What is wrong, with numbers.\n\
         message: \"{message}\"\n\
         # What the user of the cluster notices.\n\
         impact: \"Describe what no longer works.\"\n\
         # Why it happened.\n\
         cause: \"Describe the cause.\"\n\
         remedy:\n  \
         - do: \"Describe the first step\"\n    \
         run: {run}\n    \
         # caution: \"what can be lost\"\n\
         verify: \"Describe how to verify the fix.\"\n"
    )
}

const HEAD_OF_TEST: &str = "\
# Each case is a small cluster with the findings that the rule must give. `gleaner rules test` runs them.
rule: ID
cases:
";

fn known_type(text: &str) -> Result<&'static KnownType, SkeletonError> {
    let name = resolve(text).name;
    known(&name).ok_or_else(|| {
        let plurals = crate::resource::types::known_types().iter().map(|known| known.plural);
        let near = did_you_mean(&name.plural, plurals);
        let hint = "name it as in kubectl, such as pods or volumes.longhorn.io; for your own type, create the rule with a known type and replace it";
        SkeletonError(format!("gleaner does not know the type \"{text}\"{near}; {hint}"))
    })
}

/// Writes a rule about objects that are being deleted, a state that objects of every type can have.
fn resource(text: &str) -> Result<SubjectTexts, SkeletonError> {
    let name = resolve(text).name;
    let found = known_type(text)?;
    let kind = found.kind;
    let fact = fact_name(kind);
    let namespace = found.namespaced.then(|| found.home.unwrap_or("default"));
    let option = if found.namespaced { format!(" -n {{{{ {fact}.metadata.namespace }}}}") } else { String::new() };
    Ok(SubjectTexts {
        title: format!("{kind} {{{{ {fact}.metadata.name }}}} is not deleted"),
        find: format!(
            "  {fact}:    # name of the fact in conditions and texts\n    \
             resource: {name}\n    \
             # A condition. An absent field is null, so a misspelt field is no error, but the condition is never true.\n    \
             where: {fact}.metadata.deletionTimestamp != null\n"
        ),
        message: format!("It has been deleted since {{{{ {fact}.metadata.deletionTimestamp }}}}."),
        run: format!("kubectl{option} describe {name} {{{{ {fact}.metadata.name }}}}"),
        cases: object_cases(found, namespace),
    })
}

fn object_cases(found: &KnownType, namespace: Option<&str>) -> String {
    let KnownType { group, kind, .. } = found;
    let version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
    let place = namespace.map(|namespace| format!(", namespace: {namespace}")).unwrap_or_default();
    let object = format!("{kind}/example");
    format!(
        "  # The failure as it was observed: replace the object with a real one, reduced to the fields that matter.\n  \
         - name: it is being deleted\n    \
         now: 2025-01-01T12:00:00Z    # when the bundle was collected\n    \
         objects:\n      \
         - apiVersion: {version}\n        \
         kind: {kind}\n        \
         metadata: {{name: example{place}, deletionTimestamp: \"2025-01-01T10:00:00Z\"}}\n    \
         expect:\n      \
         - {{object: {object}, severity: medium, message: \"has been deleted since\"}}\n  \
         # The near miss: the healthy state that looks most like the failure.\n  \
         - name: it is not being deleted\n    \
         like: it is being deleted    # takes everything over, and changes what follows\n    \
         set: {{{object}: {{metadata: {{deletionTimestamp: null}}}}}}\n    \
         expect: []\n  \
         # A rule that cannot look must say so.\n  \
         - name: it was not collected\n    \
         like: it is being deleted\n    \
         missing: [{}]\n    \
         expect: not_evaluated\n",
        crate::resource::types::TypeName::new(found.plural, group)
    )
}

/// The kind in lower case, where that is no reserved word.
pub fn fact_name(kind: &str) -> String {
    let name = kind.to_ascii_lowercase();
    if is_reserved(&name) { format!("{name}_found") } else { name }
}

/// Returns the path of an entry of a stream.
fn example_entry(stream: &str, known: &Streams) -> Result<String, SkeletonError> {
    let Some(found) = known.get(stream) else {
        let near = did_you_mean(stream, known.names());
        let streams: Vec<&str> = known.names().collect();
        return Err(SkeletonError(format!(
            "there is no log stream \"{stream}\"{near}; streams are: {}",
            streams.join(", ")
        )));
    };
    Ok(found.sources.first().map(example_of).unwrap_or_default())
}

/// A rule about events that were seen several times.
fn event(text: &str) -> Result<SubjectTexts, SkeletonError> {
    let KnownType { kind, namespaced, home, .. } = known_type(text)?;
    let namespace = if *namespaced { home.unwrap_or("default") } else { "default" };
    Ok(SubjectTexts {
        title: format!("{kind} {{{{ said.object.name }}}} has trouble"),
        find: format!(
            "  said:    # name of the fact in conditions and texts\n    \
             # Globs on the reason, the type, and the object that the event is about.\n    \
             event: {{reason: FailedExample, object: {{kind: {kind}}}}}\n    \
             by: [source]      # events about one object are one group\n    \
             at_least: 3       # fewer are no failure\n"
        ),
        message: "{{ said.count }} events, the last at {{ said.last }}.".to_owned(),
        run: "kubectl get events -A --sort-by=.lastTimestamp".to_owned(),
        cases: event_cases(kind, namespace),
    })
}

fn event_cases(kind: &str, namespace: &str) -> String {
    format!(
        "  # The failure as it was observed: replace the event with a real one.\n  \
         - name: four times\n    \
         now: 2025-01-01T12:00:00Z    # when the bundle was collected\n    \
         objects:\n      \
         - apiVersion: v1\n        \
         kind: Event\n        \
         metadata: {{name: example.1, namespace: {namespace}}}\n        \
         type: Warning\n        \
         reason: FailedExample\n        \
         involvedObject: {{kind: {kind}, name: example, namespace: {namespace}}}\n        \
         count: 4\n        \
         firstTimestamp: \"2025-01-01T10:00:00Z\"\n        \
         lastTimestamp: \"2025-01-01T11:00:00Z\"\n        \
         message: replace it with the real message\n    \
         expect:\n      \
         - {{title: \"{kind} example has trouble\", count: 4}}\n  \
         # The near miss: the healthy state that looks most like the failure.\n  \
         - name: once\n    \
         like: four times    # takes everything over, and changes what follows\n    \
         set: {{Event/example.1: {{count: 1, firstTimestamp: \"2025-01-01T11:00:00Z\"}}}}\n    \
         expect: []\n  \
         # A rule that cannot look must say so.\n  \
         - name: events were not collected\n    \
         like: four times\n    \
         missing: [events]\n    \
         expect: not_evaluated\n"
    )
}

/// A rule about a line that follows another one.
fn sequence(stream: &str, known: &Streams) -> Result<SubjectTexts, SkeletonError> {
    let entry = example_entry(stream, known)?;
    Ok(SubjectTexts {
        title: "{{ both.lost.what }} is lost again and again".to_owned(),
        find: format!(
            "  both:    # name of the fact in conditions and texts\n    \
             sequence:\n      \
             within: 5m    # from the first line of a match to its last\n      \
             steps:\n        \
             - name: lost\n          \
             log: {stream}\n          \
             match: 'lost (?<what>[a-z0-9.-]+)'\n        \
             - name: back\n          \
             log: {stream}\n          \
             match: 'found (?<what>[a-z0-9.-]+) again'\n          \
             where: back.what == lost.what    # conditions can use the steps above\n"
        ),
        message: "{{ both.count }} times, the last at {{ both.last }}.".to_owned(),
        run: "kubectl get pods -A -o wide".to_owned(),
        cases: sequence_cases(stream, &entry),
    })
}

fn sequence_cases(stream: &str, entry: &str) -> String {
    format!(
        "  # The failure as it was observed: replace the lines with real ones.\n  \
         - name: lost and found\n    \
         now: 2025-01-01T12:00:00Z    # when the bundle was collected\n    \
         files:\n      \
         {entry}: |\n        \
         2025-01-01T10:00:00Z level=error msg=\"lost example\"\n        \
         2025-01-01T10:01:00Z level=info msg=\"found example again\"\n    \
         expect:\n      \
         - {{title: example is lost again and again}}\n  \
         # The near miss: the healthy state that looks most like the failure.\n  \
         - name: the second line comes much later\n    \
         like: lost and found    # takes everything over, and changes what follows\n    \
         files:\n      \
         {entry}: |\n        \
         2025-01-01T10:00:00Z level=error msg=\"lost example\"\n        \
         2025-01-01T11:00:00Z level=info msg=\"found example again\"\n    \
         expect: []\n  \
         # A rule that cannot look must say so.\n  \
         - name: the log was not collected\n    \
         like: lost and found\n    \
         missing: [{stream}]\n    \
         expect: not_evaluated\n"
    )
}

/// A rule about rows of a table.
fn table(path: &str) -> Result<SubjectTexts, SkeletonError> {
    let fits = !path.is_empty() && !path.starts_with('/') && !path.contains(['"', '\\', '\n']);
    if !fits {
        let hint = "write it from the root of the bundle, such as rke2/kubectl/pods or nodes/*/logs/df.txt";
        return Err(SkeletonError(format!("\"{path}\" is not a path of a file in a bundle; {hint}")));
    }
    Ok(SubjectTexts {
        title: "{{ row.NAME }} has failed".to_owned(),
        find: format!(
            "  list:    # name of the fact in conditions and texts\n    \
             # The first line with two or more columns has the names of the columns.\n    \
             file: {{path: \"{path}\", as: table}}\n  \
             row:\n    \
             each: list.data    # one combination for each row\n    \
             # Cells are texts: compare numbers as int(row.RESTARTS), write other names as row['LAST SEEN'].\n    \
             where: row.STATUS == 'Failed'\n"
        ),
        message: "Its status is {{ row.STATUS }}.".to_owned(),
        run: "kubectl get pods -A -o wide".to_owned(),
        cases: table_cases(path),
    })
}

fn table_cases(path: &str) -> String {
    let entry = streams::example(path);
    format!(
        "  # The failure as it was observed: replace the table with a real one.\n  \
         - name: a row has failed\n    \
         files:\n      \
         \"{entry}\": |\n        \
         NAME      STATUS   AGE\n        \
         example   Failed   3d\n        \
         other     Ready    3d\n    \
         expect:\n      \
         - {{title: example has failed}}\n  \
         # The near miss: the healthy state that looks most like the failure.\n  \
         - name: all are ready\n    \
         like: a row has failed    # takes everything over, and changes what follows\n    \
         files:\n      \
         \"{entry}\": |\n        \
         NAME      STATUS   AGE\n        \
         example   Ready    3d\n        \
         other     Ready    3d\n    \
         expect: []\n"
    )
}

/// A rule about lines that say how often something was tried.
fn log(stream: &str, known: &Streams) -> Result<SubjectTexts, SkeletonError> {
    let entry = example_entry(stream, known)?;
    Ok(SubjectTexts {
        title: "{{ line.what }} cannot be reached".to_owned(),
        find: format!(
            "  line:    # name of the fact in conditions and texts\n    \
             log: {stream}\n    \
             # A regular expression in single quotes. (?<name>...) captures line.name; lines with the same value are one group.\n    \
             match: 'cannot reach (?<what>[a-z0-9.-]+)'\n    \
             at_least: 2    # fewer lines are no failure\n"
        ),
        message: "{{ line.count }} lines, the last at {{ line.last }}.".to_owned(),
        run: "kubectl get pods -A -o wide".to_owned(),
        cases: log_cases(stream, &entry),
    })
}

fn log_cases(stream: &str, entry: &str) -> String {
    format!(
        "  # The failure as it was observed: replace the lines with real ones.\n  \
         - name: twice in a row\n    \
         now: 2025-01-01T12:00:00Z    # when the bundle was collected\n    \
         files:\n      \
         {entry}: |\n        \
         2025-01-01T10:00:00Z level=error msg=\"cannot reach example\"\n        \
         2025-01-01T10:00:05Z level=error msg=\"cannot reach example\"\n    \
         expect:\n      \
         - {{title: example cannot be reached, count: 2}}\n  \
         # The near miss: the healthy state that looks most like the failure.\n  \
         - name: once\n    \
         like: twice in a row    # takes everything over, and changes what follows\n    \
         files:\n      \
         {entry}: |\n        \
         2025-01-01T10:00:00Z level=error msg=\"cannot reach example\"\n        \
         2025-01-01T10:00:05Z level=info msg=\"example is here again\"\n    \
         expect: []\n  \
         # A rule that cannot look must say so.\n  \
         - name: the log was not collected\n    \
         like: twice in a row\n    \
         missing: [{stream}]\n    \
         expect: not_evaluated\n"
    )
}

/// The path of an entry that a source reads, in the layout in which rule tests are written.
pub fn example_of(source: &SourceGlob) -> String {
    let part = |glob: &Option<String>, otherwise: &str| glob.as_deref().map_or(otherwise.to_owned(), streams::example);
    if source.path.is_some() {
        return part(&source.path, "");
    }
    if source.unit.is_some() {
        let node = part(&source.node, "node1");
        return format!("nodes/{node}.zip!/{node}/logs/{}.log", part(&source.unit, "kernel"));
    }
    let [namespace, pod, container] =
        [part(&source.namespace, "default"), part(&source.pod, "example-0"), part(&source.container, "example")];
    format!("logs/{namespace}/{pod}/{container}.log")
}
