//! Phrases by name, and the table of all phrases. `build/phrases.rs` makes them from `phrases.csv`, so a phrase without
//! a Chinese form does not compile, and the compiler reports a name that nothing uses.

use std::fmt::Display;

use serde::{Serialize, Serializer};

use crate::model::Lang;
use crate::report::words::number;

/// Phrase without parts.
#[derive(Clone, Copy)]
pub struct Phrase {
    english: &'static str,
    chinese: &'static str,
}

impl Phrase {
    /// Returns the English, by which templates look up the phrase.
    pub const fn english(self) -> &'static str {
        self.english
    }

    /// Returns the phrase in a language.
    pub fn in_language(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.english,
            Lang::Zh => self.chinese,
        }
    }
}

/// Serialised as its English: templates translate it with `term`.
impl Serialize for Phrase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.english)
    }
}

/// Phrase with its parts. A number `n: u64` selects the singular or the plural; all other parts are printed unchanged.
pub trait Parts {
    /// Returns the phrase in a language.
    fn filled(&self, lang: Lang) -> String;
}

/// Row of the table.
pub struct Row {
    pub english: &'static str,
    /// English for one; empty if the phrase does not depend on the number.
    pub singular: &'static str,
    pub chinese: &'static str,
}

/// Returns the row of an English phrase.
pub fn row(english: &str) -> Option<&'static Row> {
    ROWS.get(ROWS.binary_search_by(|row| row.english.cmp(english)).ok()?)
}

include!(concat!(env!("OUT_DIR"), "/phrases.rs"));
