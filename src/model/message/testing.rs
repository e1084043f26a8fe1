//! Test messages: made from any text and compared with text.

use super::{IssueMessage, Reason, SharedReason};

impl From<&str> for IssueMessage {
    fn from(text: &str) -> Self {
        Self::Stored { text: text.to_owned() }
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self::Stored { text: text.to_owned() }
    }
}

impl From<&str> for SharedReason {
    fn from(text: &str) -> Self {
        Reason::from(text).into()
    }
}

impl PartialEq<&str> for IssueMessage {
    fn eq(&self, text: &&str) -> bool {
        self.to_string() == **text
    }
}

impl PartialEq<&str> for Reason {
    fn eq(&self, text: &&str) -> bool {
        self.to_string() == **text
    }
}

impl PartialEq<&str> for SharedReason {
    fn eq(&self, text: &&str) -> bool {
        (**self) == *text
    }
}
