//! How a cell shows fields of its object, and which values they have according to the cell.
//!
//! Values are read only where the cell states them exactly: lists printed in part, abbreviations and computed words
//! leave their fields unknown. An age is rounded, so it does not order two objects; ages are read only for events.

use jiff::SignedDuration;

use super::age::{occurrences, parse_age};

/// Path of a field in an object.
pub type Path = &'static [&'static str];

pub(super) const CONDITIONS: Path = &["status", "conditions"];
pub(super) const PHASE: Path = &["status", "phase"];
pub(super) const DELETED: Path = &["metadata", "deletionTimestamp"];

/// How a cell shows fields. All but [`CellForm::Computed`] work both ways: cells are printed from the fields and the
/// fields read from cells.
pub enum CellForm {
    /// The value as it is.
    Text(Path),
    /// A value that the column calls a text; unknown if it may be of another type: a list, a mapping, a boolean.
    Plain(Path),
    /// A field of the condition of that type. With `says_false`, the status is False where the field is not empty.
    Condition { type_: &'static str, field: &'static str, says_false: bool },
    /// A number, and the value of an absent field.
    Number(Path, i64),
    /// A counter that the API omits when it is 0.
    Count(Path),
    /// `True` or `False`.
    Flag(Path),
    /// `key=value,key=value`, sorted by key.
    Labels(Path),
    /// Labels, then expressions; not read back if it has expressions.
    Selector { labels: Path, expressions: Path },
    /// `READY/WANTED`; as many as `1` are wanted if the field is absent.
    Ratio { ready: Path, wanted: Path },
    /// Two texts around a separator, or another word if the second is absent.
    Pair { fields: [Path; 2], separator: &'static str, otherwise: Option<&'static str> },
    /// The phase, or `Terminating` for an object that is being deleted.
    PhaseOrTerminating,
    /// Time since the time in the field.
    Ago(Path),
    /// A field of each item of a list. Items are read from two such cells, see `row_object`.
    Each { list: Path, field: &'static str },
    /// Computed by kubectl, and the fields that follow from it.
    Computed(&'static [(Path, CellReader)]),
}

/// Reads the value of a field from a cell.
pub type CellReader = fn(&str) -> CellContent<'_>;

/// Value of a field according to a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum CellContent<'c> {
    /// Unknown from this cell.
    Unseen,
    /// The object does not have the field.
    Absent,
    Text(&'c str),
    Number(&'c str),
    Bool(&'c str),
    /// `key=value,key=value`.
    Map(&'c str),
    /// Names of containers with their images.
    Containers(Vec<(&'c str, &'c str)>),
    /// A time in the past, exact to the last unit printed.
    Ago(SignedDuration),
    /// A field of a condition.
    Condition(StatedCondition<'c>),
}

/// Field of a condition according to a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StatedCondition<'c> {
    pub type_: &'static str,
    pub field: &'static str,
    pub text: &'c str,
    /// True if the status follows: it is False.
    pub says_false: bool,
}

impl CellForm {
    /// Returns the fields that a cell may state, with their values.
    pub fn read<'c>(&self, cell: &'c str) -> Vec<(Path, CellContent<'c>)> {
        match *self {
            Self::Text(path) => vec![(path, text(cell))],
            Self::Plain(path) => vec![(path, plain(cell))],
            // Without a text, the condition may have another status, or not be there.
            Self::Condition { type_, field, says_false } => match text(cell) {
                CellContent::Text(text) => {
                    let stated = StatedCondition { type_, field, text, says_false };
                    vec![(CONDITIONS, CellContent::Condition(stated))]
                }
                _ => Vec::new(),
            },
            Self::Number(path, _) => vec![(path, number(cell))],
            Self::Count(path) => vec![(path, count(cell))],
            Self::Flag(path) => vec![(path, flag(cell))],
            Self::Labels(path) | Self::Selector { labels: path, .. } => vec![(path, map(cell))],
            Self::Ratio { ready, wanted } => {
                vec![(ready, part(cell, "/", 0, count)), (wanted, part(cell, "/", 1, number))]
            }
            Self::Pair { fields, .. } if is_none(cell) => fields.map(|path| (path, CellContent::Absent)).to_vec(),
            Self::Pair { fields: [first, second], separator, .. } => {
                vec![(first, part(cell, separator, 0, text)), (second, part(cell, separator, 1, text))]
            }
            Self::PhaseOrTerminating if cell == "Terminating" => Vec::new(),
            Self::PhaseOrTerminating => vec![(PHASE, text(cell)), (DELETED, CellContent::Absent)],
            Self::Ago(path) => vec![(path, age(cell))],
            Self::Each { .. } => Vec::new(),
            Self::Computed(fields) => fields.iter().map(|(path, read)| (*path, read(cell))).collect(),
        }
    }
}

/// Recognises the words that kubectl prints for an absent field.
fn is_none(cell: &str) -> bool {
    matches!(cell, "" | "<none>" | "<unset>")
}

pub(super) fn text(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        "<unknown>" | "<invalid>" => CellContent::Unseen,
        _ => CellContent::Text(cell),
    }
}

fn plain(cell: &str) -> CellContent<'_> {
    let may_be_other = cell.starts_with(['[', '{']) || cell.starts_with("map[") || matches!(cell, "true" | "false");
    if may_be_other { CellContent::Unseen } else { text(cell) }
}

fn number(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        _ if cell.len() < 10 && cell.bytes().all(|b| b.is_ascii_digit()) => CellContent::Number(cell),
        _ => CellContent::Unseen,
    }
}

fn count(cell: &str) -> CellContent<'_> {
    match number(cell) {
        CellContent::Number("0") => CellContent::Absent,
        read => read,
    }
}

/// Reads a boolean, printed as in Go, or as JSON in custom columns.
pub(super) fn flag(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        "true" | "false" | "True" | "False" => CellContent::Bool(cell),
        _ => CellContent::Unseen,
    }
}

/// Reads labels or a selector of plain equalities; a selector with other terms is not exact.
fn map(cell: &str) -> CellContent<'_> {
    match cell {
        _ if is_none(cell) => CellContent::Absent,
        _ if cell.contains(['(', '!', ' ', '<']) || !cell.split(',').all(|part| part.contains('=')) => {
            CellContent::Unseen
        }
        _ => CellContent::Map(cell),
    }
}

/// Reads the age of the last one from `12m (x5 over 1h)`, or the age alone.
pub(super) fn age(cell: &str) -> CellContent<'_> {
    parse_age(occurrences(cell).0).map_or(CellContent::Unseen, CellContent::Ago)
}

/// Reads how often from `12m (x5 over 1h)`.
pub(super) fn times(cell: &str) -> CellContent<'_> {
    occurrences(cell).1.map_or(CellContent::Unseen, |(times, _)| number(times))
}

/// Reads the age of the first one from `12m (x5 over 1h)`.
pub(super) fn age_of_first(cell: &str) -> CellContent<'_> {
    occurrences(cell).1.and_then(|(_, first)| parse_age(first)).map_or(CellContent::Unseen, CellContent::Ago)
}

/// Splits a cell at the first separator and reads one part; unknown without a separator.
fn part<'c>(cell: &'c str, separator: &str, position: usize, read: fn(&'c str) -> CellContent<'c>) -> CellContent<'c> {
    match cell.split_once(separator) {
        Some((before, _)) if position == 0 => read(before),
        Some((_, behind)) => read(behind),
        None => CellContent::Unseen,
    }
}

/// Reads the number before the slash of `2/3`, also of `2/1 of 3`.
pub(super) fn count_before_slash(cell: &str) -> CellContent<'_> {
    part(cell, "/", 0, count)
}

/// Reads STATUS as the phase only if it cannot be anything else: a reason of the Pod or of a container, or the
/// deletion, replaces the phase. These two phases have no other source.
pub(super) fn pod_phase(cell: &str) -> CellContent<'_> {
    if matches!(cell, "Running" | "Pending") { CellContent::Text(cell) } else { CellContent::Unseen }
}

pub(super) fn pod_deleted(cell: &str) -> CellContent<'_> {
    if matches!(cell, "Running" | "Pending") { CellContent::Absent } else { CellContent::Unseen }
}

pub(super) fn unschedulable(cell: &str) -> CellContent<'_> {
    if cell.split(',').any(|word| word == "SchedulingDisabled") {
        CellContent::Bool("true")
    } else {
        CellContent::Absent
    }
}

pub(super) fn none_only(cell: &str) -> CellContent<'_> {
    if cell == "<none>" { CellContent::Absent } else { CellContent::Unseen }
}

/// Reads the component from `kubelet, node1`, or the component alone.
pub(super) fn before_comma(cell: &str) -> CellContent<'_> {
    text(cell.split(", ").next().unwrap_or_default())
}

pub(super) fn behind_comma(cell: &str) -> CellContent<'_> {
    cell.split_once(", ").map_or(CellContent::Absent, |(_, host)| text(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_cells_are_read() {
        assert_eq!(pod_phase("Running"), CellContent::Text("Running"));
        assert_eq!(pod_deleted("Running"), CellContent::Absent);
        for computed in ["CrashLoopBackOff", "Completed", "Terminating", "Init:0/1"] {
            assert_eq!(
                (pod_phase(computed), pod_deleted(computed)),
                (CellContent::Unseen, CellContent::Unseen),
                "{computed}"
            );
        }
        assert_eq!(map("a=b,c=d"), CellContent::Map("a=b,c=d"));
        assert_eq!(map("<none>"), CellContent::Absent);
        assert_eq!(map("a in (b,c)"), CellContent::Unseen);
        assert_eq!((count("0"), number("0")), (CellContent::Absent, CellContent::Number("0")));
        assert_eq!(unschedulable("Ready,SchedulingDisabled"), CellContent::Bool("true"));
        assert_eq!(
            (before_comma("kubelet, n1"), behind_comma("kubelet, n1")),
            (CellContent::Text("kubelet"), CellContent::Text("n1"))
        );
        assert_eq!(behind_comma("scheduler"), CellContent::Absent);
        let cell = "12m (x5 over 1h)";
        assert_eq!(
            (age(cell), times(cell)),
            (CellContent::Ago(SignedDuration::from_mins(12)), CellContent::Number("5"))
        );
        assert_eq!(age_of_first(cell), CellContent::Ago(SignedDuration::from_hours(1)));
        assert_eq!((times("12m"), age_of_first("12m")), (CellContent::Unseen, CellContent::Unseen));
    }

    #[test]
    fn a_text_that_may_be_something_else_is_not_read() {
        assert_eq!((plain("Ready"), plain("")), (CellContent::Text("Ready"), CellContent::Absent));
        for other in ["true", r#"["a"]"#, r#"{"a":1}"#, "map[a:1]"] {
            assert_eq!(plain(other), CellContent::Unseen, "{other}");
        }
        let condition = CellForm::Condition { type_: "Ready", field: "message", says_false: false };
        assert_eq!(condition.read(""), []);
    }

    #[test]
    fn a_cell_may_state_two_fields() {
        let (first, second): (Path, Path) = (&["a"], &["b"]);
        let pair = CellForm::Pair { fields: [first, second], separator: "/", otherwise: None };
        let read = |form: &CellForm, cell| form.read(cell).into_iter().map(|(_, content)| content).collect::<Vec<_>>();
        assert_eq!(pair.read("demo/data"), [(first, CellContent::Text("demo")), (second, CellContent::Text("data"))]);
        assert_eq!(read(&pair, "Local"), [CellContent::Unseen, CellContent::Unseen]);
        assert_eq!(read(&pair, "<none>"), [CellContent::Absent, CellContent::Absent]);
        let ratio = CellForm::Ratio { ready: first, wanted: second };
        assert_eq!(read(&ratio, "0/2"), [CellContent::Absent, CellContent::Number("2")]);
        let phase = CellForm::PhaseOrTerminating;
        assert_eq!(phase.read("Bound"), [(PHASE, CellContent::Text("Bound")), (DELETED, CellContent::Absent)]);
        assert_eq!(phase.read("Terminating"), []);
    }
}
