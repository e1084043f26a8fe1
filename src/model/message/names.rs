//! Names inside messages: objects, nodes, and the logs that a rule reads.

use std::fmt::{self, Formatter};

use super::{Message, by_english, comma, join, messages};
use crate::model::Lang;

/// Most nodes named in one message.
const MAX_NODES: usize = 20;

messages! {
    /// Objects of a type, such as `volumes.longhorn.io`. The Chinese begins with a space before a name.
    pub enum Objects {
        /// In all namespaces, or of a type without namespaces.
        All { types: String } = "{types}", " {types}";
        /// In one namespace.
        Of { types: String, namespace: String } = "{types} of namespace {namespace}", "命名空间 {namespace} 的 {types}";
    }
}

impl Objects {
    /// Objects of a type, in one namespace or all.
    pub fn of(types: impl Into<String>, namespace: Option<&str>) -> Self {
        let types = types.into();
        match namespace {
            Some(namespace) => Self::Of { types, namespace: namespace.to_owned() },
            None => Self::All { types },
        }
    }
}

/// Names of nodes: `node a`, `nodes a, b`, `nodes a, b and 7 more`.
///
/// Only the first names are kept: a cluster of 20,000 nodes without logs gives every rule that reads logs such a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeNames {
    names: Vec<String>,
    /// Number of all names.
    all: usize,
}

impl NodeNames {
    /// Keeps the order of the names.
    pub fn new<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        let mut names = names.into_iter();
        let first: Vec<String> = names.by_ref().take(MAX_NODES).map(Into::into).collect();
        Self { all: first.len() + names.count(), names: first }
    }

    /// Keeps as many of the first names as fit; two names stay together.
    pub(super) fn shortened(&self, fits: impl Fn(&Self) -> bool) -> Self {
        if fits(self) || self.all < 3 {
            return self.clone();
        }
        let first = |most: usize| self.names.iter().take(most).cloned();
        let most = (1..self.all.min(MAX_NODES)).take_while(|most| fits(&Self::new(first(*most)))).last();
        most.map_or_else(|| self.clone(), |most| Self { names: first(most).collect(), all: self.all })
    }
}

impl Message for NodeNames {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match (lang, self.all) {
            (Lang::En, 1) => "node ",
            (Lang::En, _) => "nodes ",
            (Lang::Zh, _) => "节点 ",
        })?;
        join(&self.names, comma(lang), lang, f)?;
        match (self.all - self.names.len(), lang) {
            (0, _) => Ok(()),
            (more, Lang::En) => write!(f, " and {more} more"),
            (more, Lang::Zh) => write!(f, " 等，另有 {more} 个"),
        }
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { names, all: _ } = self;
        names.iter_mut().for_each(change);
    }
}

by_english!(NodeNames);

/// Bounded list of names: `a, b and 4 more types`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names<T = String> {
    names: Vec<T>,
    more: usize,
    of: Named,
}

/// Kind of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Things,
    Types,
    Files,
}

impl<T> Names<T> {
    /// Lists the first `most` names.
    pub fn first<N: Into<T>>(names: impl IntoIterator<Item = N>, most: usize, of: Named) -> Self {
        let mut names: Vec<T> = names.into_iter().map(Into::into).collect();
        let more = names.len().saturating_sub(most);
        names.truncate(most);
        Self { names, more, of }
    }
}

impl Names {
    /// Lists all names.
    pub fn all<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), more: 0, of: Named::Things }
    }

    /// Keeps as many of the first names as fit.
    pub(super) fn shortened(&self, fits: impl Fn(&Self) -> bool) -> Self {
        if fits(self) || self.names.len() < 3 {
            return self.clone();
        }
        let first = |most: usize| Self { more: 0, names: self.names.iter().take(most).cloned().collect(), ..*self };
        let most = (1..self.names.len()).take_while(|most| fits(&first(*most))).last();
        match most {
            Some(most) => Self { more: self.more + self.names.len() - most, ..first(most) },
            None => self.clone(),
        }
    }
}

impl<T: Message> Message for Names<T> {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        join(&self.names, comma(lang), lang, f)?;
        match (self.more, lang, self.of) {
            (0, ..) => Ok(()),
            (more, Lang::En, Named::Things) => write!(f, " and {more} more"),
            (more, Lang::En, Named::Types) => write!(f, " and {more} more types"),
            (more, Lang::En, Named::Files) => write!(f, " and {more} more files"),
            (more, Lang::Zh, Named::Things) => write!(f, " 等，另有 {more} 个"),
            (more, Lang::Zh, Named::Types) => write!(f, " 等，另有 {more} 种"),
            (more, Lang::Zh, Named::Files) => write!(f, " 等，另有 {more} 个文件"),
        }
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { names, more: _, of: _ } = self;
        names.iter_mut().for_each(|name| name.texts(&mut *change));
    }
}

by_english!(Names);

/// Some names of many: "`a`, `b` and others".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examples {
    names: Vec<String>,
    /// True if there are others.
    others: bool,
}

impl Examples {
    /// Shows the first `most` names.
    pub fn first(names: impl IntoIterator<Item = String>, most: usize) -> Self {
        let mut names = names.into_iter();
        Self { names: names.by_ref().take(most).collect(), others: names.next().is_some() }
    }
}

impl Message for Examples {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, name) in self.names.iter().enumerate() {
            f.write_str(if at > 0 { comma(lang) } else { "" })?;
            write!(f, "`{name}`")?;
        }
        match (self.others, lang) {
            (false, _) => Ok(()),
            (true, Lang::En) => f.write_str(" and others"),
            (true, Lang::Zh) => f.write_str(" 等"),
        }
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { names, others: _ } = self;
        names.iter_mut().for_each(change);
    }
}

messages! {
    /// Place of logs that a rule reads, if not a stream.
    pub enum LogPlace {
        AnyPod = "any pod", "任何 Pod";
        /// `namespace/pod/container`.
        Pods { glob: String } = "{glob}", "{glob}";
        Node { glob: String } = "node {glob}", "节点 {glob}";
        Path { glob: String } = "{glob}", "{glob}";
    }
}

/// Log that a rule reads: a stream, places, or a stream at places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogName {
    pub stream: Option<String>,
    pub places: Vec<LogPlace>,
}

impl Message for LogName {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(stream) = &self.stream else { return join(&self.places, comma(lang), lang, f) };
        f.write_str(stream)?;
        if self.places.is_empty() {
            return Ok(());
        }
        f.write_str(" (")?;
        join(&self.places, comma(lang), lang, f)?;
        f.write_str(")")
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self { stream, places } = self;
        stream.iter_mut().for_each(&mut *change);
        places.iter_mut().for_each(|place| place.texts(&mut *change));
    }
}

by_english!(LogName);

/// Logs that a fact of a rule reads: `kubelet or containerd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogNames(Vec<LogName>);

impl LogNames {
    /// Keeps each name once, in the order of the rule.
    pub fn new(names: impl IntoIterator<Item = LogName>) -> Self {
        let mut distinct: Vec<LogName> = Vec::new();
        for name in names {
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        Self(distinct)
    }

    /// Returns the streams among them, in the order of the rule.
    pub fn streams(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|name| name.stream.as_deref())
    }
}

impl Message for LogNames {
    fn write(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let or = match lang {
            Lang::En => " or ",
            Lang::Zh => " 或 ",
        };
        join(&self.0, or, lang, f)
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.0.iter_mut().for_each(|name| name.texts(&mut *change));
    }
}

by_english!(LogNames);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_how_many_are_left_out() {
        let types = || Names::first(["a", "b", "c"], 2, Named::Types);
        assert_eq!(types().to_string(), "a, b and 1 more types");
        assert_eq!(types().in_language(Lang::Zh).to_string(), "a、b 等，另有 1 种");
    }
}
