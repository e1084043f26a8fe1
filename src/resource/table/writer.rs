//! Writes rows of a printed table onto a tape: the cells of each row as a mapping, followed by its object.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use jiff::Timestamp;

use super::row_object::{Cell, RowObjects, is_word};
use crate::model::message::DocumentProblem;
use crate::resource::types::{self, TypeName};
use crate::yaml::Kind;
use crate::yaml::builder::Builder;
use crate::yaml::grid::Header;
use crate::yaml::tape::Tape;

/// Column of namespaces.
pub const NAMESPACE: &str = "NAMESPACE";

/// Row on the tape.
pub struct TableRow {
    /// Nodes of the object and of its cells, which come first.
    pub object: u32,
    pub cells: u32,
    pub name: RowName,
    /// Place in the text.
    pub namespace: Option<Range<usize>>,
}

/// Name of the object of a row.
pub enum RowName {
    /// Its place in the text.
    Printed(Range<usize>),
    /// Made from the cells.
    Made(String),
}

/// Writes the rows of tables of one type.
pub struct Writer<'t> {
    text: &'t str,
    builder: Builder<'t>,
    stated: RowObjects<'t>,
    /// True if a row without a namespace is incomplete.
    namespaced: bool,
    /// Namespace of all rows, if they do not state it.
    home: Option<&'t str>,
    are_events: bool,
    /// How often an event without a name was met, by its number.
    events: HashMap<u64, u32>,
    /// Line ends before the last requested offset.
    counted: (usize, u64),
}

impl<'t> Writer<'t> {
    /// Creates a writer over the text of the tables; text and tape take at most `room` bytes of memory.
    pub fn new(text: &'t str, name: &TypeName, now: Option<Timestamp>, room: u64) -> Self {
        let namespaced = types::known(name).is_some_and(|known| known.namespaced);
        let stated = RowObjects::new(text, name, now);
        let are_events = name.plural == "events";
        Self {
            text,
            builder: Builder::new(text).within(room),
            stated,
            namespaced,
            home: None,
            are_events,
            events: HashMap::new(),
            counted: (0, 1),
        }
    }

    /// Sets the namespace of rows that do not state it.
    pub fn in_namespace(self, home: Option<&'t str>) -> Self {
        Self { home, ..self }
    }

    /// Returns the memory of text and tape in bytes.
    pub fn bytes(&self) -> u64 {
        self.builder.bytes()
    }

    /// Returns the 1-based line of an offset; offsets must not decrease between calls.
    pub fn line_of(&mut self, offset: usize) -> u64 {
        let (at, line) = self.counted;
        let between = self.text.as_bytes().get(at..offset).unwrap_or_default();
        let line = line + memchr::memchr_iter(b'\n', between).count() as u64;
        self.counted = (offset.max(at), line);
        line
    }

    /// Returns the finished tape.
    pub fn finish(self) -> Tape {
        self.builder.finish()
    }

    /// Writes one row; `cells` has one place for each column of the header.
    ///
    /// # Errors
    ///
    /// Returns the reason why the line is not a row.
    pub fn row(&mut self, header: &Header, cells: &[Range<usize>], offset: usize) -> Result<TableRow, DocumentProblem> {
        let cell = |(name, place): (Range<usize>, &Range<usize>)| Cell {
            column: self.slice(name),
            text: self.slice(place.clone()),
            place: place.clone(),
        };
        let mut cells: Vec<Cell<'t>> = header.names().zip(cells).map(cell).collect();
        let word = |column: &str| cells.iter().find(|cell| cell.column == column).filter(|cell| is_word(cell.text));
        let printed = word("NAME").map(|cell| RowName::Printed(cell.place.clone()));
        let name = printed.or_else(|| self.event(&cells)).ok_or(DocumentProblem::RowWithoutName)?;
        let namespace = word(NAMESPACE).map(|cell| cell.place.clone());
        if self.namespaced && namespace.is_none() && self.home.is_none() {
            return Err(DocumentProblem::RowWithoutNamespace);
        }
        self.builder.begin();
        let printed = self.cells(header, &cells, offset);
        let object = self.builder.next_index();
        let home = self.home.filter(|_| namespace.is_none());
        let place = offset..offset;
        cells.extend(home.map(|text| Cell { column: NAMESPACE, text, place }));
        self.stated.mapping(&mut self.builder, &self.stated.entries(&cells), 0, offset);
        if self.builder.is_full() {
            self.builder.abandon();
            return Err(DocumentProblem::TooManyObjects);
        }
        Ok(TableRow { object, cells: printed, name, namespace })
    }

    /// Returns a name for an event, which kubectl names only with `-o wide`: that of its object and a number for what happened to it,
    /// so that the same event in two files is one. What is printed twice in a table gets a number of its own.
    fn event(&mut self, cells: &[Cell<'t>]) -> Option<RowName> {
        if !self.are_events {
            return None;
        }
        let text = |column: &str| cells.iter().find(|cell| cell.column == column).map(|cell| cell.text);
        let object = text("OBJECT").filter(|text| is_word(text))?;
        let mut hasher = DefaultHasher::new();
        [text(NAMESPACE), text("TYPE"), text("REASON"), Some(object), text("MESSAGE")].hash(&mut hasher);
        let number = hasher.finish();
        let before = self.events.entry(number).or_default();
        *before += 1;
        let object = object.rsplit('/').next().unwrap_or(object);
        Some(RowName::Made(match *before {
            1 => format!("{object}.{number:016x}"),
            again => format!("{object}.{number:016x}.{again}"),
        }))
    }

    fn slice(&self, part: Range<usize>) -> &'t str {
        self.text.get(part).unwrap_or_default()
    }

    fn cells(&mut self, header: &Header, cells: &[Cell<'t>], offset: usize) -> u32 {
        let index = self.builder.next_index();
        self.builder.open(Kind::Mapping, offset);
        for (name, Cell { place, .. }) in header.names().zip(cells) {
            self.builder.borrowed(Kind::String, place.start, name);
            self.builder.borrowed(Kind::String, place.start, place.clone());
        }
        self.builder.close();
        index
    }
}
