//! Evidence that identifies the collector of a bundle and its version.

use super::{Names, messages};

messages! {
    /// Evidence that identifies the collector of a bundle.
    pub enum CollectorSigns {
        /// Entries that only this collector writes.
        Entries { entries: Names } = "has {entries}", "包含 {entries}";
        /// Entries, and a sign of the version.
        EntriesAndVersion { entries: Names, version: VersionSign } = "has {entries}; {version}", "包含 {entries}；{version}";
        /// Entries, and two signs of the version.
        EntriesAndVersions { entries: Names, first: VersionSign, second: VersionSign }
            = "has {entries}; {first}; {second}", "包含 {entries}；{first}；{second}";
        /// The store of `triage` does not keep the signs.
        Unknown = "", "";
    }
}

impl CollectorSigns {
    /// Adds the sign that identifies the version.
    pub fn with_version(self, sign: VersionSign) -> Self {
        match self {
            Self::Entries { entries } => Self::EntriesAndVersion { entries, version: sign },
            Self::EntriesAndVersion { entries, version: first } => {
                Self::EntriesAndVersions { entries, first, second: sign }
            }
            other @ (Self::EntriesAndVersions { .. } | Self::Unknown) => other,
        }
    }
}

messages! {
    /// Evidence of a collector's version.
    pub enum VersionSign {
        Kit { signs: KitSigns } = "version by {signs}", "版本依据 {signs}";
        Image { pod: String } = "version by the image of Pod {pod}", "版本依据 Pod {pod} 的镜像";
        WrittenSince { entry: &'static str, since: &'static str }
            = "{entry} is written since {since}", "{entry} 自 {since} 起才有";
        Named { entry: &'static str } = "{entry} names its version", "{entry} 写明其版本";
    }
}

messages! {
    /// Files that only some versions of support-bundle-kit write.
    pub enum KitSign {
        Entry { path: &'static str } = "{path}", "{path}";
        EmptyLists = "empty lists in yamls/", "yamls/ 中的空列表";
        PreviousLogs = "logs of previous containers (.log.1)", "之前容器的日志 (.log.1)";
        Settings = "the settings of Harvester", "Harvester 的设置";
        NoSettings = "no settings of Harvester", "没有 Harvester 的设置";
        RandomNames = "scc/ with random names", "带随机名称的 scc/";
        ChosenName = "the name of the bundle, which was chosen by a user", "自定的支持包名称";
    }
}

/// List of signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KitSigns(pub Vec<KitSign>);

impl super::Message for KitSigns {
    fn write(&self, lang: crate::model::Lang, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        super::join(&self.0, super::comma(lang), lang, f)
    }

    fn texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.0.iter_mut().for_each(|sign| sign.texts(&mut *change));
    }
}

messages! {
    /// Version of a collector, as precise as its bundle shows.
    pub enum CollectorVersion {
        Exactly { version: String } = "{version}", "{version}";
        Between { oldest: String, newest: String } = "{oldest} to {newest}", "{oldest} 至 {newest}";
        OrLater { version: String } = "{version} or later", "{version} 或更新版本";
        OrNewer { version: String } = "{version} or newer", "{version} 或更新版本";
        OrEarlier { version: String } = "{version} or earlier", "{version} 或更早版本";
        Before { version: String } = "before {version}", "早于 {version}";
    }
}
