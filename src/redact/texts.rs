//! One rewriting of all texts of an analysis: learning the names in them, or replacing these.

use crate::model::message::Message;
use crate::model::{Origin, TimedText};

/// Rewrites texts wherever they stand.
pub struct Texts<'f> {
    rewrite: &'f dyn Fn(&str) -> String,
}

impl<'f> Texts<'f> {
    /// Rewrites each text with this function.
    pub fn new(rewrite: &'f dyn Fn(&str) -> String) -> Self {
        Self { rewrite }
    }

    /// Returns the rewritten text.
    pub fn of(&self, text: &str) -> String {
        (self.rewrite)(text)
    }

    /// Rewrites in place.
    pub fn replace(&self, text: &mut String) {
        *text = self.of(text);
    }

    /// Rewrites each text.
    pub fn replace_all<'t>(&self, texts: impl IntoIterator<Item = &'t mut String>) {
        texts.into_iter().for_each(|text| self.replace(text));
    }

    /// Rewrites the parts of a text that are no times.
    pub fn replace_between_times(&self, text: &mut TimedText) {
        text.rewrite(|part| self.of(part));
    }

    /// Rewrites each name and text of a message.
    pub fn replace_in(&self, message: &mut impl Message) {
        message.texts(&mut |text| self.replace(text));
    }

    /// Rewrites the path of an entry.
    pub fn replace_entry(&self, origin: &mut Origin) {
        let Origin { entry, line: _ } = origin;
        *entry = self.of(entry).into();
    }
}
