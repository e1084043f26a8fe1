//! Columns of custom resources as the products ship them: for printing objects without their definition, and for reading tables.

use std::sync::LazyLock;

use super::cell_form::{CellForm, Path};
use super::columns::Column;
use crate::resource::types::TypeName;

/// `group, plural, column, jsonpath, type, priority`, separated by tabulators; its head names the releases.
const TABLE: &str = include_str!("shipped.tsv");

/// Fleet prints the message of Ready, and sets one only while the status is False (`SetReadyConditions` in
/// `internal/cmd/controller/summary/summary.go`).
const FLEET: &str = "fleet.cattle.io";

/// Fewest columns, beside NAMESPACE, NAME and AGE, by which a type is known: one such as STATUS may be of any tool.
const FEWEST_TO_KNOW: usize = 2;

/// Column that a definition adds to the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrinterColumn<'a> {
    pub name: &'a str,
    /// JSONPath from the object, such as `.status.phase`.
    pub path: &'a str,
    /// `string`, `date`, `integer`, ...
    pub type_: &'a str,
    /// True if only `-o wide` shows it.
    pub is_wide: bool,
}

/// Columns of a shipped type.
struct ShippedType {
    group: &'static str,
    plural: &'static str,
    columns: Vec<PrinterColumn<'static>>,
    /// Those of `columns` whose cells state a field exactly.
    forms: Vec<Column>,
}

/// Returns the columns of a custom resource, in order; none for a type that is not known.
pub fn shipped_columns(group: &str, plural: &str) -> &'static [PrinterColumn<'static>] {
    find(group, plural).map_or(&[], |known| &known.columns)
}

/// Returns the forms of those columns whose cells state a field exactly.
pub(super) fn shipped_forms(name: &TypeName) -> &'static [Column] {
    find(&name.group, &name.plural).map_or(&[], |known| &known.forms)
}

fn find(group: &str, plural: &str) -> Option<&'static ShippedType> {
    let types = shipped();
    let at = types.binary_search_by_key(&(group, plural), |known| (known.group, known.plural)).ok()?;
    types.get(at)
}

/// Returns the only type that prints exactly these columns, with or without those of `-o wide`.
pub(super) fn type_of_shipped_columns(headers: &[&str]) -> Option<TypeName> {
    let own: Vec<&str> =
        headers.iter().copied().filter(|header| !matches!(*header, "NAMESPACE" | "NAME" | "AGE")).collect();
    if own.len() < FEWEST_TO_KNOW {
        return None;
    }
    let prints = |of: &&ShippedType| [false, true].into_iter().any(|wide| of.prints(&own, wide));
    let mut found = shipped().iter().filter(prints);
    let first = found.next()?;
    found.next().is_none().then(|| TypeName::new(first.plural, first.group))
}

impl ShippedType {
    fn prints(&self, headers: &[&str], wide: bool) -> bool {
        let own =
            self.columns.iter().filter(|column| (wide || !column.is_wide) && !column.name.eq_ignore_ascii_case("age"));
        own.map(|column| column.name.to_uppercase()).eq(headers.iter().map(|header| (*header).to_owned()))
    }
}

/// Returns all types, sorted by group and plural as their rows are.
fn shipped() -> &'static [ShippedType] {
    static TYPES: LazyLock<Vec<ShippedType>> = LazyLock::new(|| {
        let mut types: Vec<ShippedType> = Vec::new();
        for row in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            let [group, plural, name, path, type_, priority] = cells.as_slice() else { continue };
            let column = PrinterColumn { name, path, type_, is_wide: *priority != "0" };
            if types.last().is_none_or(|last| (last.group, last.plural) != (*group, *plural)) {
                types.push(ShippedType { group, plural, columns: Vec::new(), forms: Vec::new() });
            }
            if let Some(of) = types.last_mut() {
                of.columns.push(column);
                of.forms.extend(form(group, column).map(|form| (&*column.name.to_uppercase().leak(), form)));
            }
        }
        types
    });
    &TYPES
}

/// Returns how a column shows a field under names, or a field of a condition. Ages are rounded and state nothing. Paths are leaked: the table lives as
/// long as the program.
fn form(group: &str, column: PrinterColumn<'static>) -> Option<CellForm> {
    let path = column.path.strip_prefix('.')?;
    if let Some((type_, field)) = condition(path) {
        return Some(CellForm::Condition { type_, field, says_false: group == FLEET && field == "message" });
    }
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    let names: Vec<&str> = path.split('.').collect();
    if !names.iter().all(is_name) {
        return None;
    }
    let of_type: fn(Path) -> CellForm = match column.type_ {
        "string" => CellForm::Plain,
        "integer" => |path| CellForm::Number(path, 0),
        "boolean" => CellForm::Flag,
        _ => return None,
    };
    Some(of_type(names.leak()))
}

/// Returns type and field of `status.conditions[?(@.type=="Ready")].message`.
fn condition(path: &'static str) -> Option<(&'static str, &'static str)> {
    let wanted = path.strip_prefix("status.conditions[?(@.type")?.trim_start().strip_prefix("==")?.trim_start();
    let (type_, field) = wanted.split_once(")].")?;
    Some((type_.trim_matches(['"', '\'']), field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_column() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(shipped().iter().map(|of| of.columns.len()).sum::<usize>(), rows);
        for column in shipped().iter().flat_map(|of| &of.columns) {
            assert!(["boolean", "date", "integer", "number", "string"].contains(&column.type_), "{column:?}");
        }
        let mut names: Vec<_> = shipped().iter().map(|of| (of.group, of.plural)).collect();
        assert!(names.is_sorted(), "types are sorted, and their columns lie together");
        names.dedup();
        assert_eq!(names.len(), shipped().len());
    }

    #[test]
    fn what_a_column_states_follows_from_its_path() {
        let column =
            |path: &'static str, type_: &'static str| PrinterColumn { name: "State", path, type_, is_wide: false };
        let of = |path, type_| match form("x.io", column(path, type_)) {
            Some(CellForm::Plain(path) | CellForm::Number(path, 0) | CellForm::Flag(path)) => Some(path.to_vec()),
            _ => None,
        };
        assert_eq!(of(".status.state", "string"), Some(vec!["status", "state"]));
        assert_eq!(of(".metadata.creationTimestamp", "date"), None);
        assert_eq!(of(".status.addresses[*].value", "string"), None);
        assert_eq!(of(r".metadata.labels['cluster\.x-k8s\.io/cluster-name']", "string"), None);
        assert_eq!(condition(r#"status.conditions[?(@.type == "Ready")].message"#), Some(("Ready", "message")));
        assert_eq!(condition("status.conditions[?(@.type=='Schedulable')].status"), Some(("Schedulable", "status")));
        assert_eq!(condition("status.conditions[?(@.message!='')].message"), None);
    }

    #[test]
    fn exact_columns_tell_the_type() {
        let of = |headers: &str| {
            type_of_shipped_columns(&headers.split(", ").collect::<Vec<_>>()).map(|name| name.to_string())
        };
        assert_eq!(of("NAMESPACE, NAME, READY, SECRET, AGE").as_deref(), Some("certificates.cert-manager.io"));
        assert_eq!(of("NAME, READY, AGE"), None);
        assert_eq!(of("NAME, READY, SECRETS, AGE"), None);
    }
}
