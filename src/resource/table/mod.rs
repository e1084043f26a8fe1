//! Tables that kubectl printed (`kubectl get TYPE -A -o wide`) as partial objects.
//!
//! [`read_table`] splits the rows ([`yaml::grid`](grid)), makes an object of each from the cells that state a field
//! exactly ([`columns`]), and keeps all cells as text ([`Resource::cells`]). Every other field of such an object is
//! unseen. A file can hold several tables, with messages of kubectl before, between and after them
//! ([`kubectl_message`]).

mod age;
pub mod api;
mod cell_form;
mod columns;
pub mod command;
mod home;
mod kinds;
pub mod kubectl_message;
mod row_object;
mod shipped;
mod signature;
mod writer;

use std::sync::Arc;

use jiff::Timestamp;

use super::dump::objects::{Definition, DumpObjects, FoundObject, MAX_ISSUES, OBJECT_BYTES};
use super::dump::place::DumpPlace;
use super::object::Resource;
use super::types::{self, TypeName};
use crate::model::message::{Answer, DocumentProblem};
use crate::model::{Issue, IssueKind, Origin};
use crate::yaml::grid::{self, Header, Line};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Document};
pub use age::{occurrences, parse_age};
pub use cell_form::CellForm;
#[cfg(test)]
pub use columns::TYPES;
pub use columns::{TypeColumns, columns_of_type};
use kubectl_message::KubectlMessage;
use row_object::is_word;
pub use shipped::{PrinterColumn, shipped_columns};
use signature::is_kubectl;
pub use signature::type_of;
use writer::{NAMESPACE, RowName, TableRow, Writer};

/// Table of the types that the cluster serves; it holds no objects.
const API_RESOURCES: &str = "api-resources";

/// Reads the objects of the tables in an entry. `word` is the type that kubectl was asked for, `now` the time of the
/// collection, from which ages count; without it ages are unknown. Text and objects take at most `room` bytes of
/// memory.
pub fn read_table(entry: Arc<str>, word: &str, bytes: Vec<u8>, now: Option<Timestamp>, room: u64) -> DumpObjects {
    read_rows(entry, word, bytes, now, room, None)
}

/// Does the same for a table whose rows do not state their namespace, which is `home`.
fn read_rows(
    entry: Arc<str>,
    word: &str,
    bytes: Vec<u8>,
    now: Option<Timestamp>,
    room: u64,
    home: Option<&str>,
) -> DumpObjects {
    let (text, problems) = yaml::source::text(without_escapes(bytes));
    if word == API_RESOURCES {
        return definitions(entry, &text);
    }
    let name = type_of(word);
    let place = DumpPlace { namespace: None, group: &name.group, version: "", plural: &name.plural };
    let mut out = DumpObjects::empty(entry, Some(&place));
    out.listed = true;
    out.rows = true;
    let writer = Writer::new(&text, &name, now, room).in_namespace(home);
    let mut reader = TableReader { writer, rows: Vec::new(), room, heads: 0, out: &mut out };
    reader.read(&text);
    let TableReader { writer, rows, .. } = reader;
    let tape = writer.finish();
    let mut document = Document::new(text, tape);
    normalise(&mut document, Dialect::Plain);
    let document = Arc::new(document);
    out.found = rows.iter().filter_map(|row| found(&out.entry, &name, &document, row, home)).collect();
    out.with_problems(&problems)
}

/// Namespace of kubectl where nothing sets another.
const DEFAULT: &str = "default";

/// Returns true if a line is the header of a kubectl table.
pub fn is_header(line: &str) -> bool {
    Header::read(Line { offset: 0, text: line }).is_some_and(|header| is_kubectl(line, &header))
}

/// Reads the objects of the tables in a file of any name: the type of each follows from the names of its rows or from its columns, otherwise
/// from a word of the name of the file.
pub fn read_unnamed(
    entry: Arc<str>,
    name: &str,
    bytes: Vec<u8>,
    now: Option<Timestamp>,
    room: u64,
) -> Vec<DumpObjects> {
    let (text, _) = yaml::source::text(without_escapes(bytes));
    let tables = kinds::split(&text);
    let share = room / tables.len().max(1) as u64;
    let of = |type_: TypeName, text: String| read_of_type(entry.clone(), name, &type_, text, now, share);
    if !tables.is_empty() {
        return tables.into_iter().map(|(type_, text)| of(type_, text)).collect();
    }
    let header = grid::lines(&text).find_map(Header::read).filter(|header| is_kubectl(&text, header));
    let columns = header.map(|header| signature::columns(&text, &header)).unwrap_or_default();
    match signature::type_of_columns(&columns).or_else(|| signature::type_of_file(name)) {
        Some(type_) => vec![of(type_, text)],
        None => vec![DumpObjects::empty(entry, None)],
    }
}

/// Reads tables of one type from a file of that name.
fn read_of_type(
    entry: Arc<str>,
    file: &str,
    found: &TypeName,
    text: String,
    now: Option<Timestamp>,
    room: u64,
) -> DumpObjects {
    let known = types::known(found);
    let header = grid::lines(&text).find_map(Header::read);
    let columns = header.map(|header| signature::columns(&text, &header)).unwrap_or_default();
    let lacks_column = known.is_some_and(|known| known.namespaced) && !columns.contains(&NAMESPACE);
    if !lacks_column {
        return read_rows(entry, &found.to_string(), text.into_bytes(), now, room, None);
    }
    let path = entry.clone();
    let of_pods = || (found.plural == "pods").then(|| home::of_pods(names(&text).map(|(_, name)| name))).flatten();
    let named = home::namespace(file).or_else(|| home::namespace(&path)).map(str::to_owned);
    let home = named.or_else(|| known.and_then(|known| known.home).or_else(of_pods).map(str::to_owned));
    if let Some(home) = home {
        return read_rows(entry, &found.to_string(), text.into_bytes(), now, room, Some(&home));
    }
    let mut out = read_rows(entry.clone(), &found.to_string(), text.into_bytes(), now, room, Some(DEFAULT));
    out.incomplete = true;
    let problem = DocumentProblem::TableWithoutNamespaces { types: found.to_string() };
    out.issues.push(Issue::at(Origin::line(entry, 1), IssueKind::Document, problem));
    out
}

/// Returns namespaces and names of the rows of a text; rows without a name are left out.
pub fn names(text: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let mut header: Option<(Header, Option<usize>, usize)> = None;
    grid::lines(text).filter_map(move |line| {
        if let Some(found) = Header::read(line) {
            let position = |column: &str| found.names().position(|name| text.get(name) == Some(column));
            header = position("NAME").map(|name| (found.clone(), position(NAMESPACE), name));
            return None;
        }
        let (header, namespace, name) = header.as_ref()?;
        let cells = header.cells(line)?;
        let cell = |at: usize| cells.get(at).and_then(|cell| text.get(cell.clone())).filter(|cell| is_word(cell));
        Some((namespace.and_then(cell), cell(*name)?))
    })
}

/// Removes ANSI escape sequences directly before headers, so that columns keep their places.
fn without_escapes(bytes: Vec<u8>) -> Vec<u8> {
    if memchr::memchr(0x1b, &bytes).is_none() {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.into_iter().peekable();
    while let Some(byte) = rest.next() {
        if byte != 0x1b {
            out.push(byte);
        } else if rest.next_if_eq(&b'[').is_some() {
            // Parameters, then one final letter.
            while rest.next_if(|b| (0x20..0x40).contains(b)).is_some() {}
            rest.next_if(|b| (0x40..0x7f).contains(b));
        }
    }
    out
}

struct TableReader<'t, 'o> {
    writer: Writer<'t>,
    rows: Vec<TableRow>,
    /// Memory for text, tape and objects, in bytes.
    room: u64,
    /// Tables so far, including those that kubectl reports as empty.
    heads: usize,
    out: &'o mut DumpObjects,
}

impl TableReader<'_, '_> {
    fn read(&mut self, text: &str) {
        let mut header = None;
        for line in grid::lines(text) {
            match KubectlMessage::parse(line.text) {
                Some(KubectlMessage::NoObjects) => self.heads += 1,
                Some(KubectlMessage::Error(line)) => self.add_error(line),
                Some(KubectlMessage::Remark) => {}
                None => match Header::read(line).filter(|found| is_kubectl(text, found)) {
                    Some(found) => {
                        self.heads += 1;
                        header = Some(found);
                    }
                    None => self.row(header.as_ref(), line),
                },
            }
        }
        if self.heads == 0 && self.out.answer.is_none() {
            self.fail(None, DocumentProblem::NoTable);
        }
    }

    fn row(&mut self, header: Option<&Header>, line: Line<'_>) {
        let Some(header) = header else {
            return self.fail(Some(line.offset), DocumentProblem::LineBeforeTable);
        };
        if self.out.over_limit {
            return;
        }
        let objects = (self.rows.len() as u64 + 1) * OBJECT_BYTES;
        if self.writer.bytes().saturating_add(objects) > self.room {
            self.out.over_limit = true;
            return self.fail(Some(line.offset), DocumentProblem::TooManyObjects);
        }
        let cells = header.cells(line).or_else(|| header.parts(line));
        match cells.map(|cells| self.writer.row(header, &cells, line.offset)) {
            None => self.fail(Some(line.offset), DocumentProblem::LineOutsideColumns),
            Some(Err(problem)) => {
                self.out.over_limit = problem == DocumentProblem::TooManyObjects;
                self.fail(Some(line.offset), problem);
            }
            Some(Ok(row)) => self.rows.push(row),
        }
    }

    /// Records kubectl's own words as the reason; they are no fault of the file.
    fn add_error(&mut self, line: &str) {
        self.out.incomplete = true;
        self.out.answer.get_or_insert_with(|| Answer::beginning(line));
    }

    fn fail(&mut self, offset: Option<usize>, problem: DocumentProblem) {
        self.out.incomplete = true;
        if self.out.issues.len() < MAX_ISSUES {
            let line = offset.map(|offset| self.writer.line_of(offset));
            let origin = Origin { entry: self.out.entry.clone(), line };
            self.out.issues.push(Issue::at(origin, IssueKind::Document, problem));
        }
    }
}

/// Makes the object of a row; none if the tape has no room for it.
fn found(
    entry: &Arc<str>,
    name: &TypeName,
    document: &Arc<Document>,
    row: &TableRow,
    home: Option<&str>,
) -> Option<FoundObject> {
    let text = |part: &std::ops::Range<usize>| document.text().get(part.clone());
    let object = match &row.name {
        RowName::Printed(place) => text(place)?,
        RowName::Made(name) => name,
    };
    let named = (row.namespace.as_ref().and_then(text).or(home), object);
    Some(FoundObject::new(partial(entry, name, document, named, (row.object, Some(row.cells)))))
}

/// Makes a partial object from its type, namespace and name, its node and the node of its cells in the document.
pub(super) fn partial(
    entry: &Arc<str>,
    name: &TypeName,
    document: &Arc<Document>,
    (namespace, object): (Option<&str>, &str),
    (node, row): (u32, Option<u32>),
) -> Resource {
    let known = types::known(name);
    let kind = known.map_or_else(|| guess_kind(&name.plural), |known| known.kind.to_owned());
    let namespaced = known.is_none_or(|known| known.namespaced);
    Resource {
        group: name.group.as_str().into(),
        version: "".into(),
        kind: kind.into(),
        plural: name.plural.as_str().into(),
        namespace: namespace.filter(|_| namespaced).map(Into::into),
        name: object.into(),
        uid: None,
        entry: entry.clone(),
        document: Arc::clone(document),
        node,
        partial: true,
        row,
        source: None,
        supplement: None,
    }
}

/// Guesses the kind of an unknown plural: `ciliumnodes` gives `Ciliumnode`.
fn guess_kind(plural: &str) -> String {
    let singular = match plural.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => plural.strip_suffix('s').unwrap_or(plural).to_owned(),
    };
    let mut signs = singular.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}

/// Reads `kubectl api-resources`: NAME SHORTNAMES APIVERSION NAMESPACED KIND.
fn definitions(entry: Arc<str>, text: &str) -> DumpObjects {
    let mut out = DumpObjects::empty(entry, None);
    let mut header: Option<(Header, Vec<&str>)> = None;
    for line in grid::lines(text) {
        if let Some(found) = Header::read(line) {
            let names = found.names().filter_map(|name| text.get(name)).collect();
            header = Some((found, names));
        } else if let Some((header, names)) = &header
            && let Some(cells) = header.cells(line)
        {
            let cell = |column: &str| names.iter().zip(&cells).find_map(|(name, c)| (*name == column).then_some(c));
            let cell = |column: &str| cell(column).and_then(|c| text.get(c.clone())).filter(|c| !c.is_empty());
            out.definitions.extend(definition(&cell));
        }
    }
    out
}

fn definition<'t>(cell: &dyn Fn(&str) -> Option<&'t str>) -> Option<Definition> {
    // Before Kubernetes 1.20 the column was APIGROUP.
    let group = match cell("APIVERSION") {
        Some(version) => types::split_api_version(version).0,
        None => cell("APIGROUP").unwrap_or_default(),
    };
    let namespaced = cell("NAMESPACED")? == "true";
    Some(Definition {
        name: TypeName::new(cell("NAME")?, group),
        kind: cell("KIND")?.to_owned(),
        namespaced,
        custom: false,
    })
}

#[cfg(test)]
mod tests;
