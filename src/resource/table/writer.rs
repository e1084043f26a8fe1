//! Rows of a table onto a tape: for each the cells as a mapping, and behind it the object that they state.

use std::ops::Range;

use jiff::Timestamp;

use super::fields::{self, Field, Read};
use super::is_word;
use crate::resource::types::{self, TypeName};
use crate::yaml::Kind;
use crate::yaml::builder::Builder;
use crate::yaml::grid::Header;
use crate::yaml::tape::Tape;

/// Containers of one row; more would be no table.
const MAX_CONTAINERS: usize = 256;

/// A row on the tape.
pub struct Row {
    /// Nodes of the object and of its cells. The cells stand in front.
    pub object: u32,
    pub cells: u32,
    /// Places in the text.
    pub name: Range<usize>,
    pub namespace: Option<Range<usize>>,
}

/// Writes the rows of tables of one type.
pub struct Writer<'t> {
    text: &'t str,
    builder: Builder<'t>,
    fields: &'static [Field],
    /// A row without namespace is not whole.
    namespaced: bool,
    now: Option<Timestamp>,
    /// Line ends before the last offset that was asked for.
    counted: (usize, u64),
}

/// A field of an object with where it stands.
struct Entry<'t> {
    path: &'static [&'static str],
    cell: Range<usize>,
    read: Read<'t>,
}

impl<'t> Writer<'t> {
    /// A writer over the text of the tables.
    pub fn new(text: &'t str, name: &TypeName, now: Option<Timestamp>) -> Self {
        let namespaced = types::known(name).is_some_and(|known| known.namespaced);
        let fields = fields::of_type(&name.to_string());
        Self { text, builder: Builder::new(text), fields, namespaced, now, counted: (0, 1) }
    }

    /// 1-based line of an offset that is not before the one asked for last.
    pub fn line_of(&mut self, offset: usize) -> u64 {
        let (at, line) = self.counted;
        let between = self.text.as_bytes().get(at..offset).unwrap_or_default();
        let line = line + memchr::memchr_iter(b'\n', between).count() as u64;
        self.counted = (offset.max(at), line);
        line
    }

    /// The finished tape.
    pub fn finish(self) -> Tape {
        self.builder.finish()
    }

    /// Writes one row; `cells` has one place for each column of the header.
    ///
    /// # Errors
    /// Why the line is no row.
    pub fn row(&mut self, header: &Header, cells: &[Range<usize>], offset: usize) -> Result<Row, &'static str> {
        let columns: Vec<(&'t str, Range<usize>)> =
            header.names().map(|name| self.slice(name)).zip(cells.iter().cloned()).collect();
        let cell = |column: &str| columns.iter().find(|(name, _)| *name == column).map(|(_, cell)| cell.clone());
        let word = |cell: &Range<usize>| is_word(self.slice(cell.clone()));
        let name = cell("NAME").filter(word).ok_or("a row without a name")?;
        let namespace = cell("NAMESPACE").filter(word);
        if self.namespaced && namespace.is_none() {
            return Err("a row without a namespace");
        }
        self.builder.begin();
        let cells = self.cells(header, &columns, offset);
        let object = self.builder.next_index();
        let entries = self.entries(&columns);
        self.mapping(&entries, 0, offset);
        if self.builder.is_full() {
            self.builder.abandon();
            return Err("more rows than a document may have");
        }
        Ok(Row { object, cells, name, namespace })
    }

    fn slice(&self, part: Range<usize>) -> &'t str {
        self.text.get(part).unwrap_or_default()
    }

    fn cells(&mut self, header: &Header, columns: &[(&str, Range<usize>)], offset: usize) -> u32 {
        let index = self.builder.next_index();
        self.builder.open(Kind::Mapping, offset);
        for (name, (_, cell)) in header.names().zip(columns) {
            self.builder.borrowed(Kind::String, cell.start, name);
            self.builder.borrowed(Kind::String, cell.start, cell.clone());
        }
        self.builder.close();
        index
    }

    /// What the cells state, sorted by path.
    fn entries(&self, columns: &[(&'t str, Range<usize>)]) -> Vec<Entry<'t>> {
        let mut entries = Vec::new();
        for (name, cell) in columns {
            let stated = fields::OF_ALL.iter().chain(self.fields).filter(|field| field.column == *name);
            for field in stated {
                let read = (field.read)(self.slice(cell.clone()));
                // An age without a time to count from says nothing.
                let dated = self.now.is_some() || !matches!(read, Read::Ago(_));
                if read != Read::Unseen && dated {
                    entries.push(Entry { path: field.path, cell: cell.clone(), read });
                }
            }
        }
        entries.extend(self.containers(columns));
        entries.sort_by_key(|entry| entry.path);
        entries.dedup_by(|next, kept| next.path == kept.path);
        entries
    }

    /// CONTAINERS and IMAGES are two lists side by side.
    fn containers(&self, columns: &[(&'t str, Range<usize>)]) -> Option<Entry<'t>> {
        let cell = |column: &str| columns.iter().find(|(name, _)| *name == column).map(|(_, cell)| cell.clone());
        let (names, images) = (cell("CONTAINERS")?, cell("IMAGES")?);
        let split = |cell: &Range<usize>| self.slice(cell.clone()).split(',').collect::<Vec<_>>();
        let (list, images) = (split(&names), split(&images));
        let pairs: Vec<_> = list.into_iter().zip(images.iter().copied()).collect();
        let whole = pairs.len() == images.len() && pairs.len() <= MAX_CONTAINERS;
        let plain = pairs.iter().all(|(name, image)| !name.is_empty() && !image.is_empty() && *image != "<none>");
        let path = &["spec", "template", "spec", "containers"];
        (whole && plain).then_some(Entry { path, cell: names, read: Read::Containers(pairs) })
    }

    /// Entries that share the path above `depth`, as a mapping.
    fn mapping(&mut self, entries: &[Entry<'t>], depth: usize, offset: usize) {
        self.builder.open(Kind::Mapping, offset);
        for group in entries.chunk_by(|a, b| a.path.get(depth) == b.path.get(depth)) {
            let Some((first, key)) = group.first().and_then(|first| Some((first, first.path.get(depth)?))) else {
                continue;
            };
            self.key(key, first.cell.start);
            if first.path.len() == depth + 1 {
                self.value(first);
            } else {
                self.mapping(group, depth + 1, first.cell.start);
            }
        }
        self.builder.close();
    }

    fn key(&mut self, key: &str, at: usize) {
        self.builder.owned(Kind::String, at..at, key);
    }

    fn value(&mut self, entry: &Entry<'t>) {
        let cell = entry.cell.clone();
        match &entry.read {
            Read::Unseen | Read::Absent => self.builder.borrowed(Kind::Null, cell.start, cell),
            Read::Text(part) => self.part(Kind::String, part, &cell),
            Read::Number(part) => self.part(Kind::Number, part, &cell),
            Read::Bool(part) => self.part(Kind::Bool, part, &cell),
            Read::Map(_) => self.map(cell),
            Read::Containers(pairs) => self.container_list(pairs, cell),
            Read::Ago(age) => {
                let time = self.now.and_then(|now| now.checked_sub(*age).ok());
                match time {
                    Some(time) => self.builder.owned(Kind::String, cell, &time.to_string()),
                    None => self.builder.borrowed(Kind::Null, cell.start, cell),
                }
            }
        }
    }

    /// A part of a cell, or what stands for the cell, at the cell's place.
    fn part(&mut self, kind: Kind, part: &str, cell: &Range<usize>) {
        let found = self.slice(cell.clone()).find(part).filter(|_| !part.is_empty());
        match found {
            Some(at) => self.builder.borrowed(kind, cell.start, cell.start + at..cell.start + at + part.len()),
            None => self.builder.owned(kind, cell.clone(), part),
        }
    }

    fn map(&mut self, cell: Range<usize>) {
        self.builder.open(Kind::Mapping, cell.start);
        let mut at = cell.start;
        for pair in self.slice(cell).split(',') {
            let equals = at + pair.find('=').unwrap_or(pair.len());
            let end = at + pair.len();
            self.builder.borrowed(Kind::String, at, at..equals);
            self.builder.borrowed(Kind::String, at, (equals + 1).min(end)..end);
            at += pair.len() + 1;
        }
        self.builder.close();
    }

    fn container_list(&mut self, pairs: &[(&str, &str)], cell: Range<usize>) {
        self.builder.open(Kind::Sequence, cell.start);
        for (name, image) in pairs {
            self.builder.open(Kind::Mapping, cell.start);
            for (key, value) in [("image", image), ("name", name)] {
                self.key(key, cell.start);
                self.builder.owned(Kind::String, cell.clone(), value);
            }
            self.builder.close();
        }
        self.builder.close();
    }
}
