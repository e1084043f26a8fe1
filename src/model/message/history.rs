//! History of the cluster and of single objects.

use std::fmt::{self, Formatter};

use super::{Message, Names, messages};
use crate::model::Lang;

messages! {
    /// Occurrence in the history.
    pub enum Happening {
        // To the cluster
        NodeStarted = "The node started", "节点启动";
        Upgrade { version: UpgradeVersion, state: UpgradeState } = "Upgrade to {version}: {state}", "升级到 {version}：{state}";
        CertificateEnds = "The certificate ends", "证书到期";
        NamedCertificateEnds { name: String } = "Certificate {name} ends", "证书 {name} 到期";
        /// A Kubernetes event, in its own words.
        Event { reason: String, message: String } = "{reason}: {message}", "{reason}: {message}";

        // To an object
        Created = "created", "创建";
        Deleted = "deleted", "删除";
        DeletedButHeld { finalizers: Names } = "deleted, held by {finalizers}", "删除，被 {finalizers} 阻止";
        ContainerEnded { name: String, reason: MaybeKnown, code: MaybeKnown, restarts: MaybeKnown }
            = "container {name} ended: {reason}, exit code {code}, restarted {restarts} times",
              "容器 {name} 结束：{reason}，退出码 {code}，重启 {restarts} 次";
        ContainerWaits { name: String, reason: MaybeKnown, details: Details }
            = "container {name} waits: {reason}{details}", "容器 {name} 等待中：{reason}{details}";
        /// Details are reason and message in the words of a controller. They are English, so the Chinese form adds no
        /// word of its own: reports mark a text without Chinese characters as English.
        Condition { name: String, status: MaybeKnown, details: Details }
            = "{name} is {status}{details}", "{name}: {status}{details}";
        /// A line of a log.
        Line { text: String } = "{text}", "{text}";
        /// An occurrence of another object that belongs to this one.
        To { kind: String, name: String, what: Box<Happening> } = "{kind} {name}: {what}", "{kind} {name}：{what}";
    }
}

impl Happening {
    /// Truncates the cluster's own words, so that the sentence has about `most` characters.
    pub fn clipped(mut self, most: usize) -> Self {
        let length = self.to_string().chars().count();
        if let (Some(said), Some(excess @ 1..)) = (self.said(), length.checked_sub(most)) {
            let kept = said.chars().count().saturating_sub(excess);
            *said = format!("{}…", said.chars().take(kept).collect::<String>());
        }
        self
    }

    /// Returns the cluster's own words at the end of the sentence.
    fn said(&mut self) -> Option<&mut String> {
        match self {
            Self::Event { reason: _, message } => Some(message),
            Self::Line { text } => Some(text),
            Self::ContainerWaits { details: Details(details), .. }
            | Self::Condition { details: Details(details), .. } => details.last_mut(),
            Self::To { what, .. } => what.said(),
            Self::NodeStarted
            | Self::Upgrade { .. }
            | Self::CertificateEnds
            | Self::NamedCertificateEnds { .. }
            | Self::Created
            | Self::Deleted
            | Self::DeletedButHeld { .. }
            | Self::ContainerEnded { .. } => None,
        }
    }
}

messages! {
    /// Target version of an upgrade.
    pub enum UpgradeVersion {
        Known { version: String } = "{version}", "{version}";
        Unknown = "an unknown version", "未知版本";
    }
}

messages! {
    /// State of an upgrade, in the words of Harvester.
    pub enum UpgradeState {
        Failed = "Failed", "失败";
        Succeeded = "Succeeded", "成功";
        Other { state: String } = "{state}", "{state}";
        Unknown = "of unknown state", "状态未知";
    }
}

impl UpgradeState {
    /// Converts the value of the state label.
    pub fn of(state: Option<&str>) -> Self {
        match state {
            Some("Failed") => Self::Failed,
            Some("Succeeded") => Self::Succeeded,
            Some(state) => Self::Other { state: state.to_owned() },
            None => Self::Unknown,
        }
    }
}

messages! {
    /// Word of an object's status, if it has one.
    pub enum MaybeKnown {
        Is { word: String } = "{word}", "{word}";
        NoReason = "unknown reason", "未知原因";
        Unknown = "unknown", "未知";
    }
}

impl MaybeKnown {
    /// Returns the word, or `unknown`.
    pub fn of(word: Option<&str>) -> Self {
        word.map_or(Self::Unknown, |word| Self::Is { word: word.to_owned() })
    }

    /// Returns the reason, or `unknown reason`.
    pub fn reason(word: Option<&str>) -> Self {
        word.map_or(Self::NoReason, |word| Self::Is { word: word.to_owned() })
    }
}

/// More words of the cluster, each after a colon.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details(pub Vec<String>);

impl Message for Details {
    fn write(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|detail| write!(f, ": {detail}"))
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.0.iter_mut().for_each(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_of_the_cluster_are_cut_at_their_end() {
        let event = |message: &str| Happening::Event { reason: "Failed".to_owned(), message: message.to_owned() };
        assert_eq!(event("abcdef").clipped(11), event("abc…"));
        assert_eq!(event("abc").clipped(11), event("abc"));
        let details = Details(vec!["NotReady".to_owned(), "down".to_owned()]);
        let condition = Happening::Condition { name: "Ready".to_owned(), status: MaybeKnown::of(None), details };
        assert_eq!(condition.to_string(), "Ready is unknown: NotReady: down");
        assert_eq!(condition.in_language(Lang::Zh).to_string(), "Ready: 未知: NotReady: down");
    }
}
