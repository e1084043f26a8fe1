//! Tables of tickets: [`TicketList`] reads `triage --meta FILE.csv`.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::Ticket;

/// Largest table, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// Names of the columns that have a meaning; case and surrounding blanks are ignored.
const COLUMNS: [(&str, Column); 9] = [
    ("path", Column::Path),
    ("file", Column::Path),
    ("bundle", Column::Path),
    ("ticket", Column::Ticket),
    ("case", Column::Ticket),
    ("customer", Column::Customer),
    ("account", Column::Customer),
    ("product", Column::Product),
    ("resolution", Column::Resolution),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Path,
    Ticket,
    Customer,
    Product,
    Resolution,
}

/// Reason why a table of tickets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TicketListError {
    #[error("the table of tickets `{path}` cannot be read: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("the table of tickets `{path}` has more than {} MiB", MOST_BYTES >> 20)]
    TooLarge { path: PathBuf },
    #[error(
        "the table of tickets `{path}` has no column `path`; its columns are: {columns}. The first line must name the columns"
    )]
    NoPath { path: PathBuf, columns: String },
    #[error("line {line} of the table of tickets `{path}`: {what}")]
    Row { path: PathBuf, line: u64, what: String },
}

/// Table of tickets by path.
#[derive(Clone, Debug, Default)]
pub struct TicketList {
    rows: Vec<Ticket>,
    /// Rows by path of a file or a folder.
    paths: HashMap<String, usize>,
    globs: GlobSet,
    /// Row of each pattern.
    glob_rows: Vec<usize>,
}

impl TicketList {
    /// Reads a table: columns separated by commas, semicolons or tabs, in UTF-8, the first line their names. `path` is a path below
    /// the searched folder or an absolute one, of a file or of a folder, or a pattern such as `2025/*/acme-*.zip`.
    ///
    /// # Errors
    /// Fails when the file cannot be read, has no column `path`, or has a row that is not as long as the first line, or whose path is
    /// empty or no valid pattern.
    pub fn read(path: &Path) -> Result<Self, TicketListError> {
        let failed = |source| TicketListError::Io { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(TicketListError::TooLarge { path: path.to_owned() });
        }
        Self::parse(path, bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, TicketListError> {
        let row = |line, what: String| TicketListError::Row { path: path.to_owned(), line, what };
        let broken = |error: csv::Error| row(error.position().map_or(1, csv::Position::line), error.to_string());
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter(bytes)).trim(csv::Trim::All).from_reader(bytes);
        let names = reader.headers().map_err(broken)?.clone();
        let columns: Vec<Option<Column>> = names.iter().map(column).collect();
        if !columns.contains(&Some(Column::Path)) {
            let columns = names.iter().collect::<Vec<_>>().join(", ");
            return Err(TicketListError::NoPath { path: path.to_owned(), columns });
        }
        let mut list = Self::default();
        let mut globs = GlobSetBuilder::new();
        for record in reader.records() {
            let record = record.map_err(broken)?;
            let line = record.position().map_or(1, csv::Position::line);
            let (of, ticket) = ticket(&names, &columns, &record);
            let of = of.ok_or_else(|| row(line, "`path` is empty".to_owned()))?;
            let number = list.rows.len();
            list.rows.push(ticket);
            if of.contains(['*', '?', '[', '{']) {
                globs.add(glob(&of).map_err(|error| row(line, error.to_string()))?);
                list.glob_rows.push(number);
            } else {
                list.paths.entry(of.trim_end_matches('/').to_owned()).or_insert(number);
            }
        }
        list.globs = globs.build().map_err(|error| row(1, error.to_string()))?;
        Ok(list)
    }

    /// Returns what the table says about a file: the first row that names it or fits it, otherwise the row of its nearest folder.
    pub fn of(&self, input: &str, path: &str) -> Option<&Ticket> {
        let whole = format!("{}/{path}", input.trim_end_matches('/'));
        let named = [path, &whole].into_iter().filter_map(|path| self.paths.get(path).copied());
        let fitting = [path, &whole].into_iter().flat_map(|path| self.globs.matches(path));
        let fitting = fitting.filter_map(|glob| self.glob_rows.get(glob).copied());
        let row = named.chain(fitting).min().or_else(|| self.of_folder(&whole, input))?;
        self.rows.get(row)
    }

    fn of_folder(&self, whole: &str, input: &str) -> Option<usize> {
        let folders = std::iter::successors(whole.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'));
        let mut rows = folders.filter_map(|(folder, _)| {
            let below = folder.strip_prefix(input.trim_end_matches('/')).map(|below| below.trim_start_matches('/'));
            let below = below.filter(|below| !below.is_empty());
            self.paths.get(folder).or_else(|| self.paths.get(below?)).copied()
        });
        rows.next()
    }
}

/// Returns the separator: of those that the first line has, the most frequent one.
fn delimiter(bytes: &[u8]) -> u8 {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |wanted: u8| first.iter().filter(|byte| **byte == wanted).count();
    [b'\t', b';', b','].into_iter().max_by_key(|separator| count(*separator)).unwrap_or(b',')
}

fn column(name: &str) -> Option<Column> {
    COLUMNS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, column)| *column)
}

/// Returns the path of a row, and what the row says about it.
fn ticket(names: &StringRecord, columns: &[Option<Column>], record: &StringRecord) -> (Option<String>, Ticket) {
    let (mut path, mut ticket) = (None, Ticket::default());
    for ((name, column), value) in names.iter().zip(columns).zip(record.iter()).filter(|(_, value)| !value.is_empty()) {
        let value = value.to_owned();
        match column {
            Some(Column::Path) => path = path.or(Some(value)),
            Some(Column::Ticket) => ticket.ticket = ticket.ticket.or(Some(value)),
            Some(Column::Customer) => ticket.customer = ticket.customer.or(Some(value)),
            Some(Column::Product) => ticket.product = ticket.product.or(Some(value)),
            Some(Column::Resolution) => ticket.resolution = ticket.resolution.or(Some(value)),
            None => drop(ticket.more.insert(name.to_owned(), value)),
        }
    }
    (path, ticket)
}

/// A pattern without a folder fits files of that name in all folders.
fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    GlobBuilder::new(&anywhere).literal_separator(true).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TicketList, TicketListError> {
        TicketList::parse(Path::new("t.csv"), text.as_bytes())
    }

    fn of(list: &TicketList, path: &str) -> Option<String> {
        list.of("/archive/", path)?.ticket.clone()
    }

    #[test]
    fn rows_are_found_by_file_pattern_and_folder() {
        let list = parse(
            "Path,Ticket,Customer,Team\n\
             2025/a.zip,T-1,Acme,storage\n\
             acme-*.zip,T-2,Acme,\n\
             2025/*/b.zip,T-3,,\n\
             2024/x/,T-4,,\n\
             /archive/2024,T-5,,\n\
             2025/acme-7.zip,T-6,,\n",
        )
        .unwrap();
        for (path, ticket) in [
            ("2025/a.zip", Some("T-1")),
            ("2023/deep/acme-1.zip", Some("T-2")),
            ("2025/acme-7.zip", Some("T-2")),
            ("2025/1/b.zip", Some("T-3")),
            ("2025/1/2/b.zip", None),
            ("2024/x/y/c.zip", Some("T-4")),
            ("2024/c.zip", Some("T-5")),
            ("c.zip", None),
        ] {
            assert_eq!(of(&list, path).as_deref(), ticket, "{path}");
        }
        let first = list.of("/archive", "2025/a.zip").unwrap();
        assert_eq!(first.customer.as_deref(), Some("Acme"));
        assert_eq!(first.more, [("Team".to_owned(), "storage".to_owned())].into());
    }

    #[test]
    fn spreadsheets_of_other_countries_are_read() {
        let list = parse("path;case;account;resolution\n\"a;b.zip\";1;Ö AG;\"fixed, in 1.4\"\n").unwrap();
        let ticket = list.of("/archive", "a;b.zip").unwrap();
        assert_eq!((ticket.ticket.as_deref(), ticket.customer.as_deref()), (Some("1"), Some("Ö AG")));
        assert_eq!(ticket.resolution.as_deref(), Some("fixed, in 1.4"));
    }

    #[test]
    fn wrong_tables_say_what_and_where() {
        for (text, said) in [
            ("ticket,customer\n1,Acme\n", "has no column `path`; its columns are: ticket, customer"),
            ("path,ticket\na.zip,1\n,2\n", "line 3 of the table of tickets `t.csv`: `path` is empty"),
            ("path,ticket\na.zip\n", "line 2"),
            ("path,ticket\na[.zip,1\n", "line 2"),
            ("", "has no column `path`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
