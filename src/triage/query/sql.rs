//! SQL of the user that can only read.

use std::fmt::Write;
use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Batch, Connection, ErrorCode, Statement};

use super::question::{QueryError, write_answer};
use super::sink::Sink;
use crate::triage::store::Store;

/// Largest value in an answer, in bytes.
const LONGEST_VALUE: i32 = 256 << 20;

/// Database instructions between two checks of the time limit.
const STEPS: i32 = 10_000;

/// Runs a `SELECT` of the user with a time limit and writes the answer.
///
/// # Errors
/// Fails unless it is one statement that only reads; also when it takes too long, or the answer cannot be written.
pub fn run_sql(store: &mut Store, sql: &str, time: Duration, sink: &mut dyn Sink) -> Result<(), QueryError> {
    match read(store.connection_mut(), sql, time, sink) {
        Err(QueryError::Sql { error, .. }) => {
            let connection = store.connection_mut();
            connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).map_err(QueryError::Read)?;
            Err(QueryError::Sql { error, names: names(connection, sql).map_err(QueryError::Read)? })
        }
        done => done,
    }
}

fn read(connection: &mut Connection, sql: &str, time: Duration, sink: &mut dyn Sink) -> Result<(), QueryError> {
    let begin = Instant::now();
    connection.authorizer(Some(only_reads)).map_err(QueryError::Read)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE).map_err(QueryError::Read)?;
    connection.progress_handler(STEPS, Some(move || begin.elapsed() > time)).map_err(QueryError::Read)?;
    let mut statement = only_statement(connection, sql)?;
    write_answer(&mut statement, sink, time)
}

fn only_statement<'c>(connection: &'c Connection, sql: &str) -> Result<Statement<'c>, QueryError> {
    use rusqlite::fallible_iterator::FallibleIterator;
    let mut statements = Batch::new(connection, sql);
    let refused = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::AuthorizationForStatementDenied) => QueryError::Writes,
        _ => QueryError::Sql { error, names: String::new() },
    };
    let statement = statements.next().map_err(refused)?.ok_or(QueryError::Empty)?;
    match statements.next() {
        Ok(None) if statement.readonly() => Ok(statement),
        Ok(None) => Err(QueryError::Writes),
        Ok(Some(_)) | Err(_) => Err(QueryError::Several),
    }
}

/// Allows reading tables and calling functions; denies writing, attaching files and changing settings.
fn only_reads(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if function_name != "load_extension" => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// Returns a line for each table that the SQL names, with its columns; if it names none, one with the tables.
fn names(connection: &Connection, sql: &str) -> rusqlite::Result<String> {
    let all = "SELECT name FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%' GROUP BY name ORDER BY name";
    let mut statement = connection.prepare(all)?;
    let tables: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let words: Vec<&str> = sql.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_named = |table: &&String| words.iter().any(|word| word.eq_ignore_ascii_case(table));
    let mut lines = String::new();
    for table in tables.iter().filter(is_named) {
        // Writing to a String cannot fail.
        let _ = write!(lines, "\ncolumns of {table}: {}", columns(connection, table)?.join(", "));
    }
    if lines.is_empty() {
        let _ = write!(lines, "\ntables and views: {}", tables.join(", "));
    }
    Ok(lines)
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?) ORDER BY cid")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}
