//! Removes what a rule does not need: files, then documents and lines, objects and fields, level by level, and finally
//! lines of texts within fields.

use serde_json::Value;

use super::content::{Content, File, Format};
use super::packed_value::{PACKED, RELEASE};
use super::reduce;
use super::trial::Trial;

/// Maximum number of rounds. Removing fields may make others removable; more rounds hardly find any.
const ROUNDS: usize = 4;

/// Removes files, documents, lines and objects that are not needed; keeps fields.
pub fn objects(mut content: Content, trial: &Trial<'_>) -> Content {
    for level in [Level::Files, Level::Inside(0), Level::Items] {
        content = at(content, level, trial);
    }
    content
}

/// Level of a content that is reduced at once.
#[derive(Clone, Copy)]
enum Level {
    Files,
    /// Parts of files at a depth; 0 are the parts themselves.
    Inside(usize),
    /// Objects of lists.
    Items,
    /// Lines of texts that have several.
    Texts,
}

/// Removes everything that is not needed.
pub fn shrink(mut content: Content, trial: &Trial<'_>) -> Content {
    for _ in 0..ROUNDS {
        let before = size(&content);
        content = at(content, Level::Files, trial);
        let mut depth = 0;
        while cut(&content, Level::Inside(depth), &|_| true).places > 0 {
            content = at(content, Level::Inside(depth), trial);
            depth += 1;
        }
        content = at(content, Level::Texts, trial);
        if size(&content) == before {
            break;
        }
    }
    content
}

fn size(content: &Content) -> usize {
    content.rendered().iter().map(|(path, bytes)| path.len() + bytes.len()).sum()
}

fn at(content: Content, level: Level, trial: &Trial<'_>) -> Content {
    let count = cut(&content, level, &|_| true).count;
    if count == 0 {
        return content;
    }
    let with = |kept: &[usize]| cut(&content, level, &|number| kept.binary_search(&number).is_ok()).content;
    let kept = reduce::numbers(count, |kept| trial.fires(&with(kept)));
    with(&kept)
}

/// Content with the items that are kept.
struct Cut {
    content: Content,
    /// Number of items of the level that can be removed.
    count: usize,
    /// Number of items of the level, including those that must stay.
    places: usize,
}

fn cut(content: &Content, level: Level, keeps: &dyn Fn(usize) -> bool) -> Cut {
    let mut pass = Pass { keeps, count: 0, places: 0 };
    let mut files = Vec::new();
    for file in &content.files {
        match level {
            Level::Files if pass.keeps(false) => files.push(file.clone()),
            Level::Files => {}
            Level::Inside(0) => {
                // A dump without documents would be damaged.
                let parts = file.parts.iter().filter(|_| pass.keeps(file.is_dump)).cloned().collect();
                files.push(File { parts, ..file.clone() });
            }
            _ if file.format == Format::Lines => files.push(file.clone()),
            Level::Inside(depth) => {
                let parts = file.parts.iter().map(|part| pass.children(part, depth - 1, Owner::Other)).collect();
                files.push(File { parts, ..file.clone() });
            }
            Level::Items => {
                let parts = file.parts.iter().map(|part| pass.items(part)).collect();
                files.push(File { parts, ..file.clone() });
            }
            Level::Texts => {
                let parts = file.parts.iter().map(|part| pass.texts(part)).collect();
                files.push(File { parts, ..file.clone() });
            }
        }
    }
    let Pass { count, places, .. } = pass;
    Cut { content: Content { name: content.name.clone(), files }, count, places }
}

/// Kind of a mapping, which decides which of its fields stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Metadata,
    Release,
    Packed,
    Other,
}

impl Owner {
    /// Returns true if a field names the item or its type; without it the rest would be unreadable.
    fn must_keep(self, key: &str, of_object: bool) -> bool {
        match self {
            Self::Metadata => matches!(key, "name" | "namespace"),
            Self::Release => matches!(key, "name" | "namespace" | "revision" | "status" | "source"),
            Self::Packed => true,
            Self::Other => {
                of_object && matches!(key, "apiVersion" | "items" | "kind" | "metadata")
                    || key == PACKED
                    || key == RELEASE
            }
        }
    }

    fn below(key: &str, of_object: bool) -> Self {
        match key {
            RELEASE => Self::Release,
            PACKED => Self::Packed,
            "metadata" if of_object => Self::Metadata,
            _ => Self::Other,
        }
    }
}

/// Numbers the items of a level while it copies those that are kept.
struct Pass<'p> {
    keeps: &'p dyn Fn(usize) -> bool,
    count: usize,
    places: usize,
}

impl Pass<'_> {
    fn keeps(&mut self, must: bool) -> bool {
        self.places += 1;
        if must {
            return true;
        }
        self.count += 1;
        (self.keeps)(self.count - 1)
    }

    /// Copies a value with those descendants `depth` levels below its children that are kept. Readers have bounded
    /// the depth.
    fn children(&mut self, value: &Value, depth: usize, owner: Owner) -> Value {
        match value {
            Value::Array(items) if depth == 0 => items.iter().filter(|_| self.keeps(false)).cloned().collect(),
            Value::Array(items) => items.iter().map(|item| self.children(item, depth - 1, Owner::Other)).collect(),
            Value::Object(fields) => {
                let of_object = fields.get("metadata").is_some_and(Value::is_object);
                let mut kept = serde_json::Map::new();
                for (key, inner) in fields {
                    if depth > 0 {
                        let below = Owner::below(key, of_object);
                        kept.insert(key.clone(), self.children(inner, depth - 1, below));
                    } else if self.keeps(owner.must_keep(key, of_object)) {
                        kept.insert(key.clone(), inner.clone());
                    }
                }
                kept.into()
            }
            other => other.clone(),
        }
    }

    fn items(&mut self, list: &Value) -> Value {
        let mut list = list.clone();
        if let Some(items) = list.get_mut("items").and_then(Value::as_array_mut) {
            items.retain(|_| self.keeps(false));
        }
        list
    }

    fn texts(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.trim_end().contains('\n') => {
                text.split_inclusive('\n').filter(|_| self.keeps(false)).collect::<String>().into()
            }
            Value::Array(items) => items.iter().map(|item| self.texts(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(key, inner)| (key.clone(), self.texts(inner)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }
}
