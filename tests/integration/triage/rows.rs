//! Looks into stores.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// Answers of a question, a line each, values between bars.
pub fn ask(store: &Path, question: &str) -> Vec<String> {
    let store = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = store.prepare(question).unwrap();
    let columns = statement.column_count();
    let text = |value: Value| match value {
        Value::Null => "-".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(_) => "blob".to_owned(),
    };
    let rows = statement.query_map([], |row| {
        let values = (0..columns).map(|column| row.get::<_, Value>(column).map(text));
        Ok(values.collect::<rusqlite::Result<Vec<_>>>()?.join("|"))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// Returns every row of every table, except runs and durations.
pub fn all(store: &Path) -> Vec<String> {
    let tables = ask(store, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'runs' ORDER BY name");
    assert!(tables.contains(&"bundles".to_owned()) && tables.contains(&"findings".to_owned()), "{tables:?}");
    assert_eq!(ask(store, "PRAGMA integrity_check"), ["ok"]);
    assert_eq!(ask(store, "PRAGMA foreign_key_check"), Vec::<String>::new());
    let mut rows = Vec::new();
    for table in tables {
        let columns = ask(store, &format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid"));
        let columns: Vec<String> = columns.into_iter().filter(|name| name != "run" && name != "seconds").collect();
        let mut of = ask(store, &format!("SELECT {} FROM {table}", columns.join(", ")));
        of.sort();
        rows.extend(of.into_iter().map(|row| format!("{table}: {row}")));
    }
    rows
}

/// Fails with the first rows that only one of two stores has.
pub fn assert_equal(found: &Path, expected: &Path) {
    let (found, expected) = (all(found), all(expected));
    let surplus: Vec<_> = found.iter().filter(|row| !expected.contains(row)).take(5).collect();
    let missing: Vec<_> = expected.iter().filter(|row| !found.contains(row)).take(5).collect();
    assert!(surplus.is_empty() && missing.is_empty(), "surplus: {surplus:#?}\nmissing: {missing:#?}");
    assert_eq!(found.len(), expected.len());
}
