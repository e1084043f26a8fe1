//! Contract `gleaner.diff/v1`: separate structs, so that a change of the model cannot change it. Unknown values are
//! null.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;

use super::object::Object;
use crate::model::difference::{
    Changed, ConfigurationChange, Difference, Health, HealthChange, Incomparable, KindChange, NotComparable, Restart,
    Side, Still, Turn,
};
use crate::model::{BundleFacts, Finding};
use crate::report::view;

use super::indented;

/// Value of the key `schema`.
pub const SCHEMA: &str = "gleaner.diff/v1";

/// Writes the difference, indented by two spaces, with a final newline.
///
/// # Errors
/// Errors of the writer.
pub fn write(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    indented::write(&Document::of(difference), out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    old: Bundle<'a>,
    new: Bundle<'a>,
    doubts: Vec<String>,
    versions: Vec<ChangedOut<'a>>,
    nodes: Vec<ChangedOut<'a>>,
    findings: Findings<'a>,
    configuration: Vec<ConfigurationOut<'a>>,
    health: Vec<HealthOut<'a>>,
    objects: Vec<KindOut<'a>>,
    restarts: Vec<RestartOut<'a>>,
    not_comparable: Vec<IncomparableOut<'a>>,
}

impl<'a> Document<'a> {
    fn of(difference: &'a Difference) -> Self {
        let findings = &difference.findings;
        let all = |list: &'a [Finding]| list.iter().map(FindingOut::of).collect();
        Self {
            schema: SCHEMA,
            old: Bundle::of(&difference.old),
            new: Bundle::of(&difference.new),
            doubts: difference.doubts.iter().map(ToString::to_string).collect(),
            versions: difference.versions.iter().map(ChangedOut::of).collect(),
            nodes: difference.nodes.iter().map(ChangedOut::of).collect(),
            findings: Findings {
                new: all(&findings.new),
                gone: all(&findings.gone),
                both: findings.still.iter().map(FindingOut::still).collect(),
                not_comparable: findings.not_comparable.iter().map(NotComparableOut::of).collect(),
            },
            configuration: difference.configuration.iter().map(ConfigurationOut::of).collect(),
            health: difference.health.iter().map(HealthOut::of).collect(),
            objects: difference.kinds.iter().map(KindOut::of).collect(),
            restarts: difference.restarts.iter().map(RestartOut::of).collect(),
            not_comparable: difference.incomparable.iter().map(IncomparableOut::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct Bundle<'a> {
    path: &'a str,
    kind: &'a str,
    content_id: &'a str,
    collected_at: Option<Timestamp>,
    cluster_uid: Option<&'a str>,
}

impl<'a> Bundle<'a> {
    fn of(facts: &'a BundleFacts) -> Self {
        Self {
            path: &facts.path,
            kind: &facts.kind,
            content_id: &facts.content_id,
            collected_at: facts.collected_at,
            cluster_uid: facts.cluster_uid.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct ChangedOut<'a> {
    name: &'a str,
    old: Option<&'a str>,
    new: Option<&'a str>,
}

impl<'a> ChangedOut<'a> {
    fn of(changed: &'a Changed) -> Self {
        Self { name: &changed.name, old: changed.old.as_deref(), new: changed.new.as_deref() }
    }
}

#[derive(Serialize)]
struct Findings<'a> {
    new: Vec<FindingOut<'a>>,
    gone: Vec<FindingOut<'a>>,
    both: Vec<FindingOut<'a>>,
    not_comparable: Vec<NotComparableOut<'a>>,
}

#[derive(Serialize)]
struct FindingOut<'a> {
    rule: &'a str,
    severity: &'static str,
    title: &'a str,
    objects: Vec<Object<'a>>,
    /// `entry:line`.
    place: Option<String>,
    fingerprint: &'a str,
    explained_by: Option<&'a str>,
    /// Object that it was about in the older bundle.
    was: Option<Object<'a>>,
}

impl<'a> FindingOut<'a> {
    fn still(still: &'a Still) -> Self {
        Self { was: still.was.as_ref().map(Object::of), ..Self::of(&still.finding) }
    }

    fn of(finding: &'a Finding) -> Self {
        Self {
            rule: &finding.rule,
            severity: finding.severity.as_str(),
            title: &finding.title,
            objects: finding.objects.iter().map(Object::of).collect(),
            place: view::place(finding).map(|(place, _)| place),
            fingerprint: &finding.fingerprint,
            explained_by: finding.explained_by.as_deref(),
            was: None,
        }
    }
}

#[derive(Serialize)]
struct NotComparableOut<'a> {
    /// The bundle that has it: `old` or `new`.
    r#in: &'static str,
    reason: String,
    finding: FindingOut<'a>,
}

impl<'a> NotComparableOut<'a> {
    fn of(not_comparable: &'a NotComparable) -> Self {
        Self {
            r#in: side(not_comparable.side),
            reason: not_comparable.reason.to_string(),
            finding: FindingOut::of(&not_comparable.finding),
        }
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

#[derive(Serialize)]
struct ConfigurationOut<'a> {
    object: Object<'a>,
    fields: Vec<ChangedOut<'a>>,
    /// Number of further fields.
    left_out: u64,
    place: String,
}

impl<'a> ConfigurationOut<'a> {
    fn of(change: &'a ConfigurationChange) -> Self {
        Self {
            object: Object::of(&change.object),
            fields: change.fields.iter().map(ChangedOut::of).collect(),
            left_out: change.left_out,
            place: change.place.to_string(),
        }
    }
}

#[derive(Serialize)]
struct HealthOut<'a> {
    object: Object<'a>,
    /// `worse`, `appeared`, `other` or `better`.
    turn: &'static str,
    old: Option<StateOut<'a>>,
    new: StateOut<'a>,
    recreated: bool,
    place: String,
}

impl<'a> HealthOut<'a> {
    fn of(change: &'a HealthChange) -> Self {
        Self {
            object: Object::of(&change.object),
            turn: match change.turn {
                Turn::Worse => "worse",
                Turn::Appeared => "appeared",
                Turn::Other => "other",
                Turn::Better => "better",
            },
            old: change.old.as_ref().map(StateOut::of),
            new: StateOut::of(&change.new),
            recreated: change.recreated,
            place: change.place.to_string(),
        }
    }
}

#[derive(Serialize)]
struct StateOut<'a> {
    state: Option<String>,
    troubles: &'a [String],
}

impl<'a> StateOut<'a> {
    fn of(health: &'a Health) -> Self {
        Self { state: health.state.as_ref().map(ToString::to_string), troubles: &health.troubles }
    }
}

#[derive(Serialize)]
struct KindOut<'a> {
    kind: &'a str,
    gone: Vec<Object<'a>>,
    new: Vec<Object<'a>>,
}

impl<'a> KindOut<'a> {
    fn of(change: &'a KindChange) -> Self {
        Self {
            kind: &change.kind,
            gone: change.gone.iter().map(Object::of).collect(),
            new: change.new.iter().map(Object::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct RestartOut<'a> {
    pod: Object<'a>,
    container: &'a str,
    times: u64,
    last: Option<&'a str>,
    place: String,
}

impl<'a> RestartOut<'a> {
    fn of(restart: &'a Restart) -> Self {
        Self {
            pod: Object::of(&restart.pod),
            container: &restart.container,
            times: restart.times,
            last: restart.last.as_deref(),
            place: restart.place.to_string(),
        }
    }
}

#[derive(Serialize)]
struct IncomparableOut<'a> {
    what: &'a str,
    /// Bundle without data for the comparison: `old` or `new`.
    lacking: &'static str,
    reason: String,
}

impl<'a> IncomparableOut<'a> {
    fn of(it: &'a Incomparable) -> Self {
        Self { what: &it.what, lacking: side(it.side), reason: it.reason.to_string() }
    }
}
