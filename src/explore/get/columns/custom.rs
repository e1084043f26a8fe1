//! Columns of custom resources: of the definition in the bundle, else as the products ship them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::Value;

use super::cell::{Cell, created, since};
use crate::explore::get::jsonpath::{JsonPath, text};
use crate::explore::object::View;
use crate::expr::{PrinterColumn, defined_columns};
use crate::resource::{Resource, ResourceIndex, parse_time};

const SHIPPED: &str = include_str!("shipped.tsv");

type Shipped = BTreeMap<(&'static str, &'static str), Vec<PrinterColumn<'static>>>;

/// Columns by group and plural.
fn shipped() -> &'static Shipped {
    static COLUMNS: LazyLock<Shipped> = LazyLock::new(|| {
        let mut columns = Shipped::new();
        for row in SHIPPED.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            if let [group, plural, name, path, type_, priority] = cells.as_slice() {
                let column = PrinterColumn { name, path, type_, is_wide: *priority != "0" };
                columns.entry((*group, *plural)).or_default().push(column);
            }
        }
        columns
    });
    &COLUMNS
}

/// Returns the cells of an object; without columns its age.
pub(super) fn cells(
    resources: &ResourceIndex,
    resource: &Resource,
    view: &View<'_>,
    now: Option<Timestamp>,
) -> Vec<Cell> {
    let defined = defined_columns(resources, resource);
    let columns =
        defined.or_else(|| shipped().get(&(&*resource.group, &*resource.plural)).cloned()).unwrap_or_default();
    if columns.is_empty() {
        return vec![Cell::new("AGE", created(resource, now))];
    }
    let object = View { redact: None, ..*view }.object(resource);
    let cell = |column: &PrinterColumn<'_>| Cell {
        is_wide: column.is_wide,
        ..Cell::new(&column.name.to_uppercase(), value(column, &object, now))
    };
    columns.iter().map(cell).collect()
}

/// Returns the text of a column; nothing for an absent field, as kubectl prints it.
fn value(column: &PrinterColumn<'_>, object: &Value, now: Option<Timestamp>) -> String {
    // A wrong path of a definition, or one that does not fit the object, leaves its cell empty.
    let found = JsonPath::relaxed(column.path)
        .and_then(|path| Ok(path.find(object)?.into_iter().flatten().map(|v| v.into_owned()).collect()));
    let found: Vec<Value> = found.unwrap_or_default();
    match (column.type_, found.first()) {
        (_, None | Some(Value::Null)) => String::new(),
        ("date", Some(Value::String(time))) => match parse_time(time) {
            Some(time) => since(Some(time), now),
            None if time.is_empty() => String::new(),
            None => "<invalid>".to_owned(),
        },
        ("string", _) => found.iter().map(text).collect::<Vec<_>>().join(" "),
        (_, Some(first)) => text(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_row_is_a_column() {
        let rows = SHIPPED.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(shipped().values().map(Vec::len).sum::<usize>(), rows);
        for (type_, columns) in shipped() {
            for column in columns {
                assert!(JsonPath::relaxed(column.path).is_ok(), "{type_:?} {}", column.path);
                assert!(["boolean", "date", "integer", "number", "string"].contains(&column.type_), "{type_:?}");
            }
        }
    }
}
