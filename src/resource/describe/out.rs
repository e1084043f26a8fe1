//! Fields of an object with their places in a described text; writes them onto a tape.

use std::ops::Range;

use crate::yaml::{Builder, Kind};

/// Names and values of fields.
pub(super) type Fields = Vec<(String, Out)>;

/// A field's value.
#[derive(Clone, Debug)]
pub(super) enum Out {
    /// Value as it is in the text.
    Part(Kind, Range<usize>),
    /// Value converted from the text.
    Made(Kind, Range<usize>, String),
    /// Field that the object does not have; evidence shows this place.
    Absent(usize),
    Map(usize, Vec<(String, Self)>),
    List(usize, Vec<Self>),
}

impl Out {
    pub fn text(part: Range<usize>) -> Self {
        Self::Part(Kind::String, part)
    }

    /// Creates a mapping of the fields that are known.
    pub fn map<const N: usize>(at: usize, fields: [(&str, Option<Self>); N]) -> Self {
        let known = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Self::Map(at, known.collect())
    }

    /// Creates a text, or an absent field.
    pub fn maybe(part: Option<Range<usize>>, at: usize) -> Self {
        part.map_or(Self::Absent(at), Self::text)
    }

    /// Writes the value; recursion is bounded by the depth of descriptions.
    pub fn write(&self, builder: &mut Builder<'_>) {
        match self {
            Self::Part(kind, part) => builder.borrowed(*kind, part.start, part.clone()),
            Self::Made(kind, part, value) => builder.owned(*kind, part.clone(), value),
            Self::Absent(at) => builder.borrowed(Kind::Null, *at, *at..*at),
            Self::Map(at, fields) => {
                builder.open(Kind::Mapping, *at);
                for (key, value) in fields {
                    builder.owned(Kind::String, *at..*at, key);
                    value.write(builder);
                }
                builder.close();
            }
            Self::List(at, items) => {
                builder.open(Kind::Sequence, *at);
                items.iter().for_each(|item| item.write(builder));
                builder.close();
            }
        }
    }
}
