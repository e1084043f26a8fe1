//! What reports say of themselves, in the language that was asked for.
//!
//! Texts stand in the code and in the templates in English, and each language has a table from these to its own. Names in
//! braces stand for what is filled in. Sentences of other parts of the program are messages that know both languages
//! ([`crate::model::message`]); texts of the bundle and of rules without translation are marked as English.

mod placeholder;
mod zh;

use std::fmt::{Display, Write as _};

use crate::model::Lang;
use crate::model::message::Message;

use super::words;

/// English and its translation, sorted by the English.
type Table = [(&'static str, &'static str)];

/// The texts of one language.
#[derive(Clone, Copy)]
pub struct Lexicon {
    lang: Lang,
    /// What reports say, the templates among them.
    phrases: &'static Table,
    /// Single words for values that data has: severities, outcomes, states.
    terms: &'static Table,
}

impl Lexicon {
    /// The texts as they stand in the code.
    pub const ENGLISH: Self = Self { lang: Lang::En, phrases: &[], terms: &[] };

    /// The texts of a language.
    pub fn of(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::ENGLISH,
            Lang::Zh => Self { lang, phrases: zh::PHRASES, terms: zh::TERMS },
        }
    }

    /// The language as HTML names it.
    pub fn tag(self) -> &'static str {
        match self.lang {
            Lang::En => "en",
            Lang::Zh => "zh-CN",
        }
    }

    /// A message in the language.
    pub fn message(self, message: &impl Message) -> String {
        message.in_language(self.lang).to_string()
    }

    /// A phrase.
    pub fn say(self, english: &str) -> &str {
        look_up(self.phrases, english).unwrap_or(english)
    }

    /// The word for a value; one that is not known is a name.
    pub fn term(self, english: &str) -> &str {
        look_up(self.terms, english).unwrap_or(english)
    }

    /// A phrase with its parts.
    pub fn fill(self, english: &str, parts: &[(&str, &dyn Display)]) -> String {
        fill(self.say(english), parts)
    }

    /// `1 cause`, `2 causes`: the number stands for `{n}`.
    pub fn count(self, n: u64, one: &str, many: &str) -> String {
        self.count_with(n, one, many, &[])
    }

    /// The same with other parts. Tables have the second form only.
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

    /// A stretch of time; the date is said once when both ends fall on the same day.
    pub fn span(self, from: &str, to: &str) -> String {
        if from == to {
            return words::instant(from);
        }
        let (from, to) = words::ends(from, to);
        self.fill("{from} to {to}", &[("from", &from), ("to", &to)])
    }

    /// `en` for a text that is not in the language of the report: one without any of its characters.
    pub fn foreign(self, text: &str) -> Option<&'static str> {
        let own = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        (self.lang != Lang::En && !text.chars().any(own)).then_some("en")
    }
}

fn look_up(table: &'static Table, english: &str) -> Option<&'static str> {
    let at = table.binary_search_by(|(key, _)| (*key).cmp(english)).ok()?;
    table.get(at).map(|(_, translation)| *translation)
}

/// Puts the parts in the place of their names; a name without a part is for scripts.
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
