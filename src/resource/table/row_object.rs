//! Writes the object that the cells of a row state onto a tape.

use std::collections::BTreeSet;
use std::ops::Range;

use jiff::Timestamp;

use super::cell_form::{CellContent, CellForm, Path, StatedCondition};
use super::columns::{self, COMMON, Column};
use super::shipped;
use crate::resource::types::TypeName;
use crate::yaml::Kind;
use crate::yaml::builder::Builder;

/// Maximum containers of one row.
const MAX_CONTAINERS: usize = 256;

/// Cell of a row.
#[derive(Clone, Debug)]
pub struct Cell<'t> {
    /// Header of the column as kubectl prints it.
    pub column: &'t str,
    pub text: &'t str,
    /// Place in the text of the document, which holds the cell literally unless it had to be decoded.
    pub place: Range<usize>,
}

/// Returns true if a cell can be a name; text that overflows into the column of names cannot.
pub(super) fn is_word(cell: &str) -> bool {
    !cell.is_empty() && !cell.contains(char::is_whitespace)
}

/// Makes partial objects of the cells of rows of one type.
pub struct RowObjects<'t> {
    document: &'t str,
    columns: &'static [Column],
    /// Time from which ages count.
    now: Option<Timestamp>,
}

/// Field of an object with its place.
pub struct StatedField<'t> {
    pub path: Path,
    cell: Cell<'t>,
    read: CellContent<'t>,
}

impl<'t> StatedField<'t> {
    fn condition(&self) -> Option<StatedCondition<'t>> {
        match self.read {
            CellContent::Condition(stated) => Some(stated),
            _ => None,
        }
    }
}

impl<'t> RowObjects<'t> {
    /// Creates it for rows of a type in the text of a document.
    pub fn new(document: &'t str, name: &TypeName, now: Option<Timestamp>) -> Self {
        let known = columns::columns_of_type(&name.plural, &name.group);
        let columns = known.map_or_else(|| shipped::shipped_forms(name), |known| known.columns);
        Self { document, columns, now }
    }

    /// Returns the fields that the cells state, sorted by path.
    pub fn entries(&self, cells: &[Cell<'t>]) -> Vec<StatedField<'t>> {
        let mut entries = Vec::new();
        for cell in cells {
            let columns = COMMON.iter().chain(self.columns).filter(|(header, _)| *header == cell.column);
            for (path, read) in columns.flat_map(|(_, form)| form.read(cell.text)) {
                // Ages are unknown without a time to count from.
                let dated = self.now.is_some() || !matches!(read, CellContent::Ago(_));
                if read != CellContent::Unseen && dated {
                    entries.push(StatedField { path, cell: cell.clone(), read });
                }
            }
        }
        entries.extend(self.containers(cells));
        entries.sort_by_key(|entry| entry.path);
        entries.dedup_by(|next, kept| next.path == kept.path && next.condition().is_none());
        entries
    }

    /// Writes entries that share the path above `depth` as a mapping at `offset`.
    pub fn mapping(&self, out: &mut Builder<'_>, entries: &[StatedField<'t>], depth: usize, offset: usize) {
        out.open(Kind::Mapping, offset);
        self.groups(out, entries, depth);
        out.close();
    }

    /// Writes the entries of such a mapping.
    pub fn groups(&self, out: &mut Builder<'_>, entries: &[StatedField<'t>], depth: usize) {
        for group in entries.chunk_by(|a, b| a.path.get(depth) == b.path.get(depth)) {
            let Some((first, key)) = group.first().and_then(|first| Some((first, first.path.get(depth)?))) else {
                continue;
            };
            let at = first.cell.place.start;
            out.owned(Kind::String, at..at, key);
            if first.path.len() > depth + 1 {
                self.mapping(out, group, depth + 1, at);
            } else if first.condition().is_some() {
                self.conditions(out, group, at);
            } else {
                self.value(out, first);
            }
        }
    }

    /// Writes the conditions of which entries state fields. Which others there are is not known: an item without fields leaves each of them
    /// undecided.
    fn conditions(&self, out: &mut Builder<'_>, entries: &[StatedField<'t>], offset: usize) {
        let stated: Vec<(StatedCondition<'t>, &Cell<'t>)> =
            entries.iter().filter_map(|entry| Some((entry.condition()?, &entry.cell))).collect();
        let types: BTreeSet<&str> = stated.iter().map(|(of, _)| of.type_).collect();
        out.open(Kind::Sequence, offset);
        for type_ in types {
            let own = || stated.iter().filter(|(of, _)| of.type_ == type_);
            out.open(Kind::Mapping, offset);
            for (of, cell) in own() {
                out.owned(Kind::String, offset..offset, of.field);
                self.part(out, Kind::String, of.text, cell);
            }
            let is_false = own().any(|(of, _)| of.says_false) && own().all(|(of, _)| of.field != "status");
            let status = is_false.then_some(("status", "False"));
            for (field, value) in status.into_iter().chain([("type", type_)]) {
                out.owned(Kind::String, offset..offset, field);
                out.owned(Kind::String, offset..offset, value);
            }
            out.close();
        }
        out.open(Kind::Mapping, offset);
        out.close();
        out.close();
    }

    fn value(&self, out: &mut Builder<'_>, entry: &StatedField<'t>) {
        let cell = &entry.cell;
        let at = cell.place.start;
        match &entry.read {
            CellContent::Unseen | CellContent::Absent | CellContent::Condition(_) => {
                out.borrowed(Kind::Null, at, cell.place.clone())
            }
            CellContent::Text(part) => self.part(out, Kind::String, part, cell),
            CellContent::Number(part) => self.part(out, Kind::Number, part, cell),
            CellContent::Bool(part) => self.part(out, Kind::Bool, part, cell),
            CellContent::Map(pairs) => {
                out.open(Kind::Mapping, at);
                for pair in pairs.split(',') {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    self.part(out, Kind::String, key, cell);
                    self.part(out, Kind::String, value, cell);
                }
                out.close();
            }
            CellContent::Containers(pairs) => {
                out.open(Kind::Sequence, at);
                for (name, image) in pairs {
                    out.open(Kind::Mapping, at);
                    for (key, value) in [("image", image), ("name", name)] {
                        out.owned(Kind::String, at..at, key);
                        out.owned(Kind::String, cell.place.clone(), value);
                    }
                    out.close();
                }
                out.close();
            }
            CellContent::Ago(age) => match self.now.and_then(|now| now.checked_sub(*age).ok()) {
                Some(time) => out.owned(Kind::String, cell.place.clone(), &time.to_string()),
                None => out.borrowed(Kind::Null, at, cell.place.clone()),
            },
        }
    }

    /// Writes a part of a cell at its own place, or a substitute at the cell's place.
    fn part(&self, out: &mut Builder<'_>, kind: Kind, part: &str, cell: &Cell<'t>) {
        let as_it_is = self.document.get(cell.place.clone()) == Some(cell.text);
        // Parts are slices of the cell, so that equal words in it have different places.
        let inside = (part.as_ptr() as usize).checked_sub(cell.text.as_ptr() as usize);
        let inside =
            inside.filter(|at| as_it_is && !part.is_empty() && cell.text.get(*at..at + part.len()) == Some(part));
        match inside.map(|at| cell.place.start + at) {
            Some(start) => out.borrowed(kind, cell.place.start, start..start + part.len()),
            None => out.owned(kind, cell.place.clone(), part),
        }
    }

    /// Pairs CONTAINERS and IMAGES, two parallel lists.
    fn containers(&self, cells: &[Cell<'t>]) -> Option<StatedField<'t>> {
        let path = self.columns.iter().find_map(|(_, form)| match form {
            CellForm::Each { list, .. } => Some(*list),
            _ => None,
        })?;
        let cell = |column: &str| cells.iter().find(|cell| cell.column == column);
        let (names, images) = (cell("CONTAINERS")?, cell("IMAGES")?);
        let images: Vec<&str> = images.text.split(',').collect();
        let pairs: Vec<_> = names.text.split(',').zip(images.iter().copied()).collect();
        let whole = names.text.split(',').count() == images.len() && pairs.len() <= MAX_CONTAINERS;
        let plain = pairs.iter().all(|(name, image)| !name.is_empty() && !image.is_empty() && *image != "<none>");
        (whole && plain).then(|| StatedField { path, cell: names.clone(), read: CellContent::Containers(pairs) })
    }
}
