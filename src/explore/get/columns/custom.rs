//! Columns of custom resources: of the definition in the bundle, else as the products ship them.

use jiff::Timestamp;
use serde_json::Value;

use super::cell::{Cell, created, since};
use crate::explore::get::jsonpath::{JsonPath, text};
use crate::explore::object::View;
use crate::expr::defined_columns;
use crate::resource::table::{PrinterColumn, shipped_columns};
use crate::resource::{Resource, ResourceIndex, parse_time};

/// Returns the cells of an object; without columns its age.
pub(super) fn cells(
    resources: &ResourceIndex,
    resource: &Resource,
    view: &View<'_>,
    now: Option<Timestamp>,
) -> Vec<Cell> {
    let defined = defined_columns(resources, resource);
    let columns = defined.unwrap_or_else(|| shipped_columns(&resource.group, &resource.plural).to_vec());
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
    fn every_shipped_path_is_read() {
        for row in include_str!("../../../resource/table/shipped.tsv").lines().filter(|line| !line.starts_with('#')) {
            let path = row.split('\t').nth(3).unwrap();
            assert!(JsonPath::relaxed(path).is_ok(), "{path}");
        }
    }
}
