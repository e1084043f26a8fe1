//! Sentences of the program about a bundle, as data: reasons why a rule has no answer, data not collected, unreadable
//! data, and the history of the cluster.
//!
//! A message is a variant of an enum made by [`messages!`]: fields, English and Chinese are declared together, so a
//! message without one of its languages does not compile. JSON, SARIF and the terminal print the English (`Display`);
//! reports choose a language with [`Message::in_language`]. Finished sentences are never parsed.
//!
//! A `String` in a field is a name or a text of the bundle. It is the same in every language, and [`Message::texts`]
//! passes it to the redaction.

mod absent;
mod caveat;
mod collector;
mod command;
mod difference;
mod explanation;
mod gap;
mod history;
mod issue;
mod moment;
mod names;
mod reason;
mod shared;
#[cfg(test)]
mod testing;

use std::fmt::{self, Display, Formatter, Write};

use jiff::Timestamp;

use super::{Component, Lang, ObjectRef};

pub use absent::AbsentValue;
pub use caveat::Caveat;
pub use collector::{CollectorSigns, CollectorVersion, KitSign, KitSigns, VersionSign};
pub use command::{CommandName, CommandProblem};
pub use difference::Doubt;
pub use explanation::{FieldValue, Match};
pub use gap::{CollectedFile, GapReason, GapSubject, LogOwner};
pub use history::{Details, Happening, MaybeKnown, UpgradeState, UpgradeVersion};
pub use issue::{
    Answer, ArchiveFault, ArchiveProblem, DocumentProblem, ExpectedValue, FindingProblem, HelmFault, IssueMessage,
    JsonFault, JsonToken, LogProblem, NameProblem, Operand, Recovery, RecoveryEnd, RuleProblem, ValueKind, WantedValue,
    WrongValue, ZipMethod, ZoneOffsets,
};
pub use moment::Moment;
pub use names::{Examples, LogName, LogNames, LogPlace, Named, Names, NodeNames, Objects};
pub use reason::Reason;
pub use shared::SharedReason;

/// Text available in every language.
pub trait Message {
    /// Writes the message in a language.
    ///
    /// # Errors
    ///
    /// Returns errors of the formatter.
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result;

    /// Passes each name and text of the bundle to `change`.
    fn texts(&mut self, change: &mut dyn FnMut(&mut String));

    /// Returns the message in a language, for a formatter.
    fn in_language(&self, lang: Lang) -> InLanguage<'_, Self> {
        InLanguage { message: self, lang }
    }
}

/// A message in one language.
pub struct InLanguage<'m, M: ?Sized> {
    message: &'m M,
    lang: Lang,
}

impl<M: Message + ?Sized> Display for InLanguage<'_, M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.message.write(self.lang, f)
    }
}

/// Declares an enum of messages: `Variant { field: Type } = "English {field}", "Chinese {field}";`.
///
/// A field is a name or a text of the bundle (`String`), a number, a time, a list or another message. The enum is
/// ordered by its English, because lists in JSON are sorted by it.
macro_rules! messages {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident $({ $($field:ident: $kind:ty),+ $(,)? })? = $english:literal, $chinese:literal;
            )+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name {
            $( $(#[$doc])* $variant $({ $($field: $kind),+ })?, )+
        }

        impl $crate::model::message::Message for $name {
            fn write(&self, lang: $crate::model::Lang, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match (self, lang) {
                    $(
                        (Self::$variant $({ $($field),+ })?, $crate::model::Lang::En) => {
                            $($(let $field = $crate::model::message::Message::in_language($field, lang);)+)?
                            write!(f, $english)
                        }
                        (Self::$variant $({ $($field),+ })?, $crate::model::Lang::Zh) => {
                            $($(let $field = $crate::model::message::Message::in_language($field, lang);)+)?
                            write!(f, $chinese)
                        }
                    )+
                }
            }

            fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
                // Some enums have no fields.
                let _ = &change;
                match self {
                    $(
                        Self::$variant $({ $($field),+ })? => {
                            $($($crate::model::message::Message::texts($field, &mut *change);)+)?
                        }
                    )+
                }
            }
        }

        $crate::model::message::by_english!($name);
    };
}

/// Implements `Display` and the order of a message by its English.
macro_rules! by_english {
    ($name:ident) => {
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::model::message::Message::write(self, $crate::model::Lang::En, f)
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> ::std::cmp::Ordering {
                if self == other {
                    return ::std::cmp::Ordering::Equal;
                }
                // Two different messages can have the same words.
                let data = || format!("{self:?}").cmp(&format!("{other:?}"));
                self.to_string().cmp(&other.to_string()).then_with(data)
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<::std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    };
}

pub(crate) use {by_english, messages};

impl Message for String {
    fn write(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        change(self);
    }
}

/// Word of the program that is the same in every language, such as a flag.
impl Message for &'static str {
    fn write(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }

    fn texts(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Message for ObjectRef {
    fn write(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { kind: _, group, namespace, name } = self;
        [group, name].into_iter().chain(namespace).for_each(change);
    }
}

impl Message for Component {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match (self, lang) {
            (Self::Node { node, part }, Lang::Zh) => write!(f, "节点 {node} 的{}", part.in_chinese()),
            (Self::Cluster(service), Lang::Zh) => f.write_str(service.in_chinese()),
            _ => write!(f, "{self}"),
        }
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Object(object) => object.texts(change),
            Self::Node { node, part: _ } => change(node),
            Self::Cluster(_) => {}
        }
    }
}

/// Times to the second, as RFC 3339 in UTC.
impl Message for Timestamp {
    fn write(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{self:.0}")
    }

    fn texts(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl<M: Message + ?Sized> Message for Box<M> {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        (**self).write(lang, f)
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        (**self).texts(change);
    }
}

/// Beginning of a message that may be long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning<M>(pub M);

impl<M: Message> Message for Beginning<M> {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        self.0.in_language(lang).to_string().chars().take(SHOWN).try_for_each(|c| f.write_char(c))
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.0.texts(change);
    }
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(
            impl Message for $number {
                fn write(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
                    write!(f, "{self}")
                }

                fn texts(&mut self, _: &mut dyn FnMut(&mut String)) {}
            }
        )+
    };
}

numbers!(u16, u32, u64, usize);

/// Writes messages with a separator.
fn join<M: Message>(items: &[M], between: &str, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        item.write(lang, f)?;
    }
    Ok(())
}

/// Returns the separator of list items.
fn comma(lang: Lang) -> &'static str {
    match lang {
        Lang::En => ", ",
        Lang::Zh => "、",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_said_in_both_languages() {
        let objects = Objects::of("pods", Some("shop"));
        let reason = Reason::NotCollected { objects };
        assert_eq!(reason.to_string(), "pods of namespace shop were not collected");
        assert_eq!(reason.in_language(Lang::Zh).to_string(), "未收集命名空间 shop 的 pods");
    }

    #[test]
    fn all_names_are_handed_over() {
        let unknown = Reason::NotCollectedBecause { objects: Objects::of("pods", Some("a")), error: "b".to_owned() };
        let object = ObjectRef::new("apps", "Deployment", Some("c"), "d");
        let mut reason = Reason::ColumnsUnknown { object, why: Box::new(unknown) };
        let mut found = Vec::new();
        reason.texts(&mut |text| found.push(text.clone()));
        assert_eq!(found, ["apps", "d", "c", "pods", "a", "b"]);
    }

    #[test]
    fn reasons_are_sorted_by_their_english() {
        let mut reasons = [
            Reason::VersionUnknown { product: "longhorn".to_owned() },
            Reason::ProductAbsent { product: "harvester".to_owned() },
            Reason::TooManyCombinations,
        ];
        reasons.sort();
        let texts = reasons.map(|reason| reason.to_string());
        assert!(texts.is_sorted(), "{texts:?}");
    }
}
