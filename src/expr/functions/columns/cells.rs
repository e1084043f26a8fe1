//! Cells of a kubectl table, typed.

use crate::expr::eval::value::{Text, Value};
use crate::model::message::Reason;
use crate::model::secret;
use crate::resource::Resource;
use crate::resource::table::{TypeColumns, parse_age};
use crate::yaml::Node;

/// Headers of columns that hold ages.
const AGES: [&str; 4] = ["AGE", "DURATION", "LAST SCHEDULE", "LAST SEEN"];

/// Adds the cells of a row. Columns that only `-o wide` prints are undecided without it.
pub(super) fn typed<'a>(
    row: &mut Vec<(Text<'a>, Value<'a>)>,
    resource: &'a Resource,
    printed: Node<'a>,
    type_: Option<&TypeColumns>,
) {
    for (header, cell) in printed.entries() {
        if !matches!(header.as_ref(), "NAMESPACE" | "NAME") {
            let value = value(&header, cell.text());
            row.push((Text::Shared(header.as_ref().into()), value));
        }
    }
    let columns = type_.map_or(&[][..], |known| known.columns);
    for header in columns.iter().map(|(header, _)| *header).chain(["AGE"]) {
        if !row.iter().any(|(name, _)| name.as_str() == header) {
            let reason = Reason::FieldNotStated {
                field: header.to_owned(),
                object: Box::new(resource.object()),
                entry: resource.entry.to_string(),
            };
            row.push((Text::Borrowed(header), Value::Undecided(reason.into())));
        }
    }
}

fn value<'a>(header: &str, cell: &'a str) -> Value<'a> {
    let cell = cell.trim();
    if secret::is_withheld(cell) {
        return Value::Undecided(Reason::Withheld.into());
    }
    match cell {
        "" | "<none>" | "<unset>" | "<unknown>" | "<invalid>" => return Value::Null,
        _ => {}
    }
    if header == "RESTARTS" {
        // `8 (4m53s ago)`
        let number = cell.split_whitespace().next().and_then(|word| word.parse().ok());
        return number.map_or(Value::Null, Value::Int);
    }
    if AGES.contains(&header) {
        // `12m (x5 over 1h)`
        let age = cell.split_whitespace().next().and_then(parse_age);
        return age.map_or_else(|| Value::borrowed(cell), Value::Duration);
    }
    match cell.parse() {
        Ok(number) if !cell.starts_with(['+', '0']) || cell == "0" => Value::Int(number),
        _ => Value::borrowed(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_types() {
        let show = |header: &str, cell: &str| crate::expr::eval::display::display(&value(header, cell));
        for (header, cell, wanted) in [
            ("RESTARTS", "8 (4m53s ago)", Some("8")),
            ("RESTARTS", "0", Some("0")),
            ("READY", "1/2", Some("1/2")),
            ("NODE", "<none>", None),
            ("IP", "", None),
            ("AVAILABLE", "3", Some("3")),
            ("VERSION", "007", Some("007")),
            ("AGE", "12d", Some("12d")),
            ("AGE", "2y45d", Some("775d")),
            ("AGE", "1y", Some("365d")),
            ("LAST SEEN", "12m (x5 over 1h)", Some("12m")),
            ("AGE", "<invalid>", None),
            ("AGE", "old", Some("old")),
        ] {
            assert_eq!(show(header, cell).as_deref(), wanted, "{header} {cell}");
        }
    }
}
