//! Sequences as written: steps with names, each a log fact, and how they belong together.

use crate::rule::error::Code;
use crate::rule::fact::Silence;
use crate::rule::source::fact::{AbsentSource, SequenceSource, SequenceStepSource};
use crate::rule::source::fact::{FactSource, GroupSource, KindSource};
use crate::rule::source::key_table::{ORDER, SEQUENCE, SEQUENCE_STEP};
use crate::rule::source::read_log::{count, log};
use crate::rule::source::reader::{Field, FieldReader, Fields, Written};
use crate::yaml::{Kind, Node};

/// Reads the mapping under `sequence`.
pub fn read_sequence(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<SequenceSource> {
    let fields = reader.mapping(field.value, &SEQUENCE)?;
    let within = fields.get("within").and_then(|field| reader.scalar(field));
    let order = fields.get("order").and_then(|field| reader.choice(field, &ORDER));
    let steps = fields.get("steps")?;
    if steps.value.kind() != Kind::Sequence || steps.value.is_empty() {
        reader.wrong_type(steps.value, "steps must be a list of steps, each with name, log and match");
        return None;
    }
    let items: Vec<Node<'_>> = steps.value.items().collect();
    let steps: Vec<Option<SequenceStepSource>> = items.into_iter().map(|item| step(reader, item)).collect();
    Some(SequenceSource { within, unordered: order == Some("any"), steps: steps.into_iter().collect::<Option<_>>()? })
}

fn step(reader: &mut FieldReader<'_>, node: Node<'_>) -> Option<SequenceStepSource> {
    let mut fields = reader.mapping(node, &SEQUENCE_STEP)?;
    if fields.get("jq").is_none() {
        reader.require(&fields, &["match"], SEQUENCE_STEP.what);
    }
    let name = reader.scalar(fields.get("name")?)?;
    let is_absent = fields.get("absent").and_then(|field| reader.flag(field)).unwrap_or(false);
    let variant = if is_absent { "absent" } else { "present" };
    report_misfits(reader, fields.take_misfits(&SEQUENCE_STEP, variant));
    let at_least = fields.get("at_least").map_or(Some(1), |field| count(reader, field));
    let fact = FactSource {
        name: name.text,
        range: name.range,
        kind: log(reader, fields.get("log")?).map(KindSource::Log),
        condition: fields.get("where").and_then(|field| reader.condition(field)),
        optional: false,
        collect: false,
        silence: Silence::default(),
        groups: GroupSource {
            patterns: fields.get("match").and_then(|field| reader.list(field)).unwrap_or_default(),
            except: fields.get("except").and_then(|field| reader.list(field)).unwrap_or_default(),
            jq: fields.get("jq").and_then(|field| reader.scalar(field)),
            since: fields.get("since").and_then(|field| reader.scalar(field)),
            multiline: fields.get("multiline").and_then(|field| reader.flag(field)).unwrap_or(false),
            ..GroupSource::default()
        },
    };
    Some(SequenceStepSource { fact, at_least: at_least?, absent: is_absent.then(|| absent(reader, &fields)) })
}

fn absent(reader: &mut FieldReader<'_>, fields: &Fields<'_>) -> AbsentSource {
    AbsentSource {
        anchor: fields.get("anchor").and_then(|field| anchor(reader, field)),
        slide: fields.get("slide").and_then(|field| reader.scalar(field)),
        within: fields.get("within").and_then(|field| reader.scalar(field)),
    }
}

fn anchor(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<(u64, Written)> {
    let number = field.value.as_i64().and_then(|n| u64::try_from(n).ok());
    if number.is_none() {
        reader.wrong_type(field.value, "anchor must be a whole number: 0 is the first line of a match, 1 the second");
    }
    Some((number?, reader.scalar(field)?))
}

/// Reports keys that absent and present steps do not share.
fn report_misfits(reader: &mut FieldReader<'_>, misfits: Vec<Field<'_>>) {
    for field in misfits {
        let (message, hint) = match field.key {
            "at_least" => ("at_least does not fit an absent step", "one line is enough to refute a match"),
            _ => (
                "only an absent step has its own interval",
                "add absent: true, or write within next to steps, where it applies to the whole sequence",
            ),
        };
        reader.diagnostics.report(Code::Misfit, field.key_range, message).hint(hint);
    }
}
