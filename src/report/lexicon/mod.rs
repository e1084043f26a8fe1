//! Texts of reports in the requested language.
//!
//! Code and templates contain the texts in English, and each other language has a table that translates them. Names in
//! braces are placeholders. Sentences from other parts of the program are messages that know both languages
//! ([`crate::model::message`]); texts of the bundle and untranslated texts of rules are marked as English.

mod placeholder;
mod zh;

use std::fmt::{Display, Write as _};

use crate::model::Lang;
use crate::model::message::Message;

use super::words;

/// English texts with their translations, sorted by the English.
type Table = [(&'static str, &'static str)];

/// Texts of one language.
#[derive(Clone, Copy)]
pub struct Lexicon {
    lang: Lang,
    /// Phrases of reports and templates.
    phrases: &'static Table,
    /// Words for values in data: severities, outcomes, states.
    terms: &'static Table,
}

impl Lexicon {
    /// Texts as they are in the code.
    pub const ENGLISH: Self = Self { lang: Lang::En, phrases: &[], terms: &[] };

    /// Returns the texts of a language.
    pub fn of(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::ENGLISH,
            Lang::Zh => Self { lang, phrases: zh::PHRASES, terms: zh::TERMS },
        }
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
    pub fn say(self, english: &str) -> &str {
        look_up(self.phrases, english).unwrap_or(english)
    }

    /// Returns the word for a value; an unknown value is a name and is unchanged.
    pub fn term(self, english: &str) -> &str {
        look_up(self.terms, english).unwrap_or(english)
    }

    /// Returns a phrase with its parts filled in.
    pub fn fill(self, english: &str, parts: &[(&str, &dyn Display)]) -> String {
        fill(self.say(english), parts)
    }

    /// Returns `1 cause`, `2 causes`: the number replaces `{n}`.
    pub fn count(self, n: u64, one: &str, many: &str) -> String {
        self.count_with(n, one, many, &[])
    }

    /// Returns the same with further parts. Tables have the plural form only.
    pub fn count_with(self, n: u64, one: &str, many: &str, parts: &[(&str, &dyn Display)]) -> String {
        let number = words::number(n);
        let mut all: Vec<(&str, &dyn Display)> = vec![("n", &number)];
        all.extend(parts);
        match look_up(self.phrases, many) {
            Some(phrase) => fill(phrase, &all),
            None => fill(if n == 1 { one } else { many }, &all),
        }
    }

    /// `a, b, c`.
    pub fn list<T: AsRef<str>>(self, items: impl IntoIterator<Item = T>) -> String {
        let mut out = String::new();
        for item in items {
            if !out.is_empty() {
                out.push_str(self.say(", "));
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
            n => self.fill("{list} and {n} more", &[("list", &list), ("n", &words::number(n as u64))]),
        }
    }

    /// Returns a period; the date is given once if both ends are on the same day.
    pub fn span(self, from: &str, to: &str) -> String {
        if from == to {
            return words::instant(from);
        }
        let (from, to) = words::ends(from, to);
        self.fill("{from} to {to}", &[("from", &from), ("to", &to)])
    }

    /// Returns `en` for a text that is not in the language of the report: one without any of its characters.
    pub fn foreign(self, text: &str) -> Option<&'static str> {
        let own = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        (self.lang != Lang::En && !text.chars().any(own)).then_some("en")
    }
}

fn look_up(table: &'static Table, english: &str) -> Option<&'static str> {
    let at = table.binary_search_by(|(key, _)| (*key).cmp(english)).ok()?;
    table.get(at).map(|(_, translation)| *translation)
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
