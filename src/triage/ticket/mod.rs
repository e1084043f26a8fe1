//! What people know about the files of an archive: tickets, customers, products, resolutions. It comes from a table that the user
//! gives ([`list`]); without one, the ticket is what names of folders or the bundle itself say ([`id`]).

mod id;
mod list;

use std::collections::BTreeMap;

pub use list::TicketList;

/// What is known about a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// Number or key: `SURE-1234`.
    pub ticket: Option<String>,
    pub customer: Option<String>,
    pub product: Option<String>,
    /// How it ended.
    pub resolution: Option<String>,
    /// Values of further columns by their names.
    pub more: BTreeMap<String, String>,
}

impl Ticket {
    /// Returns what the names of its folders, its own name, or the address of the issue that its bundle states say about a file.
    pub fn inferred(path: &str, issue_url: Option<&str>) -> Option<Self> {
        let ticket = id::of_path(path).or_else(|| id::of_url(issue_url?))?;
        Some(Self { ticket: Some(ticket), ..Self::default() })
    }
}
