//! Sentence of an [`Issue`](super::Issue).

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::ops::Deref;

use super::Lang;
use super::message::{IssueMessage, Message};

/// English sentence of an issue, with the message that produced it. Errors of parsers and archives are in English only
/// and have no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueText {
    english: String,
    message: Option<IssueMessage>,
}

impl Message for IssueText {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => message.write(lang, f),
            None => f.write_str(&self.english),
        }
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { english, message } = self;
        match message {
            Some(message) => {
                message.texts(change);
                *english = message.to_string();
            }
            None => change(english),
        }
    }
}

impl IssueText {
    /// Returns the English sentence.
    pub fn as_str(&self) -> &str {
        &self.english
    }
}

impl From<IssueMessage> for IssueText {
    fn from(message: IssueMessage) -> Self {
        Self { english: message.to_string(), message: Some(message) }
    }
}

impl From<String> for IssueText {
    fn from(english: String) -> Self {
        Self { english, message: None }
    }
}

impl From<&str> for IssueText {
    fn from(english: &str) -> Self {
        english.to_owned().into()
    }
}

impl From<&String> for IssueText {
    fn from(english: &String) -> Self {
        english.clone().into()
    }
}

impl Deref for IssueText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.english
    }
}

impl Display for IssueText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

impl PartialEq<str> for IssueText {
    fn eq(&self, other: &str) -> bool {
        self.english == other
    }
}

impl PartialEq<&str> for IssueText {
    fn eq(&self, other: &&str) -> bool {
        self.english == *other
    }
}

impl Ord for IssueText {
    fn cmp(&self, other: &Self) -> Ordering {
        // Equal English usually means equal messages; errors of parsers can have the same words without a message.
        self.english.cmp(&other.english).then_with(|| self.message.cmp(&other.message))
    }
}

impl PartialOrd for IssueText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
