//! Tickets of files.

use rusqlite::{Transaction, params};

use super::database::Store;
use super::error::StoreError;
use crate::triage::ticket::{Ticket, TicketList};

/// A file, with the address of the issue that its bundles state.
type File = (String, String, Option<String>);

impl Store {
    /// Stores what is known about files: with a list, about each file again; without one, about files that have no ticket yet.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    pub fn put_tickets(&mut self, run: &str, list: Option<&TicketList>) -> Result<(), StoreError> {
        self.transaction(|t| {
            for (input, path, issue_url) in files(t, list.is_none())? {
                let given = list.and_then(|list| list.of(&input, &path));
                let inferred = || Ticket::inferred(&path, issue_url.as_deref());
                t.prepare_cached("DELETE FROM tickets WHERE input = ? AND path = ?")?.execute([&input, &path])?;
                let Some(known) = given.cloned().or_else(inferred) else { continue };
                t.prepare_cached("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?.execute(params![
                    input,
                    path,
                    known.ticket,
                    known.customer,
                    known.product,
                    known.resolution,
                    serde_json::json!(known.more).to_string(),
                    given.is_some(),
                    run
                ])?;
            }
            Ok(())
        })
    }
}

/// Returns the files of the store, all or those without a ticket.
fn files(t: &Transaction<'_>, only_new: bool) -> rusqlite::Result<Vec<File>> {
    let mut statement = t.prepare(
        "SELECT b.input, b.path, max(b.issue_url) FROM bundles b
         WHERE NOT (? AND EXISTS (SELECT 1 FROM tickets t WHERE (t.input, t.path) = (b.input, b.path)))
         GROUP BY b.input, b.path",
    )?;
    let rows = statement.query_map([only_new], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}
