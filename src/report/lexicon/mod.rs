//! Texts of reports in the requested language.
//!
//! `phrases.csv` has every phrase in English and Chinese. Code uses phrases by name ([`phrase`]), templates by their
//! English. Sentences from other parts of the program are messages that know both languages
//! ([`crate::model::message`]); texts of the bundle and untranslated texts of rules are marked as English.

pub mod phrase;
mod placeholder;

use std::fmt::{Display, Write as _};

use jiff::Timestamp;

use crate::model::message::{Message, Moment};
use crate::model::{BundleFacts, Lang};

use super::words;
use phrase::{Parts, Phrase};

/// Texts of one language.
#[derive(Clone, Copy)]
pub struct Lexicon {
    lang: Lang,
    /// Collection time, if it is only a day from which ages count.
    assumed: Option<Timestamp>,
}

impl Lexicon {
    /// English texts.
    pub const ENGLISH: Self = Self { lang: Lang::En, assumed: None };

    /// Returns the texts of a language.
    pub fn of(lang: Lang) -> Self {
        Self { lang, assumed: None }
    }

    /// Returns the same texts for what is about a bundle: times that nobody knows are told by their distance to the collection.
    pub fn about(self, facts: &BundleFacts) -> Self {
        Self { assumed: facts.assumed_now(), ..self }
    }

    /// Returns the language tag for HTML.
    pub fn tag(self) -> &'static str {
        match self.lang {
            Lang::En => "en",
            Lang::Zh => "zh-CN",
        }
    }

    /// Returns a message in the language.
    pub fn message(self, message: &impl Message) -> String {
        message.in_language(self.lang).to_string()
    }

    /// Returns a phrase in the language.
    pub fn say(self, phrase: Phrase) -> &'static str {
        phrase.in_language(self.lang)
    }

    /// Returns a phrase with its parts filled in, in the language.
    pub fn fill(self, phrase: impl Parts) -> String {
        phrase.filled(self.lang)
    }

    /// Returns the phrase with this English; an unknown text is a name and is unchanged.
    pub fn term(self, english: &str) -> &str {
        match self.lang {
            Lang::En => english,
            Lang::Zh => phrase::row(english).map_or(english, |row| row.chinese),
        }
    }

    /// Returns `1 cause`, `2 causes` for the English plural `{n} causes`.
    pub fn count(self, n: u64, english: &str) -> String {
        let text = match (self.lang, phrase::row(english)) {
            (Lang::En, Some(row)) if n == 1 && !row.singular.is_empty() => row.singular,
            _ => self.term(english),
        };
        fill(text, &[("n", &words::number(n))])
    }

    /// `a, b, c`.
    pub fn list<T: AsRef<str>>(self, items: impl IntoIterator<Item = T>) -> String {
        let mut out = String::new();
        for item in items {
            if !out.is_empty() {
                out.push_str(self.say(phrase::COMMA));
            }
            out.push_str(item.as_ref());
        }
        out
    }

    /// `a, b and 6 more`.
    pub fn some<T: AsRef<str>>(self, items: impl IntoIterator<Item = T>, more: usize) -> String {
        let list = self.list(items);
        match more {
            0 => list,
            n => self.fill(phrase::ListAndMore { list: &list, n: &words::number(n as u64) }),
        }
    }

    /// Returns a time to the second.
    pub fn instant(self, time: Timestamp) -> String {
        match self.assumed {
            Some(now) => self.message(&Moment::at(time, now)),
            None => words::instant(time),
        }
    }

    /// Returns a period; the date is given once if both ends are on the same day.
    pub fn span(self, from: Timestamp, to: Timestamp) -> String {
        if let Some(now) = self.assumed {
            return self.message(&Moment::between(from, to, now));
        }
        if from == to {
            return words::instant(from);
        }
        let (from, to) = words::ends(from, to);
        self.fill(phrase::FromTo { from: &from, to: &to })
    }

    /// Returns `en` for a text that is not in the language of the report: one without any of its characters.
    pub fn foreign(self, text: &str) -> Option<&'static str> {
        let own = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        (self.lang != Lang::En && !text.chars().any(own)).then_some("en")
    }
}

/// Fills in the parts by name; a name without a part is left for scripts.
pub fn fill(text: &str, parts: &[(&str, &dyn Display)]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for piece in placeholder::pieces(text) {
        match piece {
            placeholder::Piece::Text(text) => out.push_str(text),
            // Writing to a String cannot fail.
            placeholder::Piece::Name(name) => {
                let _ = match parts.iter().find(|(known, _)| *known == name) {
                    Some((_, part)) => write!(out, "{part}"),
                    None => write!(out, "{{{name}}}"),
                };
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
