//! Places of dumps: facts that their paths give about the objects in them.

use crate::resource::types::{self, TypeName};

/// Group of a dump whose path does not contain the group.
pub const ANY_GROUP: &str = "*";

/// Facts that the path of a dump gives about its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpPlace<'a> {
    /// None for cluster-scoped objects, and for dumps over all namespaces.
    pub namespace: Option<&'a str>,
    /// API group; empty for the core group, [`ANY_GROUP`] if the path has none.
    pub group: &'a str,
    /// API version without the group; empty if the path has none, which makes an empty group one of Kubernetes' own.
    pub version: &'a str,
    /// Lower-case plural, the stem of the file name.
    pub plural: &'a str,
}

impl DumpPlace<'_> {
    /// Returns the type that the path names.
    pub fn type_name(&self) -> TypeName {
        let name = TypeName::new(self.plural, self.group);
        let is_open = self.group == ANY_GROUP || self.group.is_empty() && self.version.is_empty();
        if is_open { types::resolve(self.plural).name } else { name }
    }
}

/// [`DumpPlace`] that owns its texts.
#[derive(Clone, Debug)]
pub(in crate::resource) struct OwnedDumpPlace {
    pub name: TypeName,
    /// True if the path does not contain the group, so that the group of the objects counts.
    pub guessed: bool,
    pub version: Box<str>,
    pub namespace: Option<Box<str>>,
    /// Path of the folder of the namespace, or of the cluster scope.
    pub folder: Box<str>,
}

impl OwnedDumpPlace {
    pub(super) fn new(entry: &str, place: &DumpPlace<'_>) -> Self {
        Self {
            name: place.type_name(),
            guessed: place.group == ANY_GROUP,
            version: place.version.into(),
            namespace: place.namespace.map(Into::into),
            folder: folder_of(entry, place).into(),
        }
    }
}

/// Returns the folder that contains group, version and file name of a dump.
fn folder_of<'a>(entry: &'a str, place: &DumpPlace<'_>) -> &'a str {
    let has_group = !matches!(place.group, "" | ANY_GROUP);
    let below = 1 + usize::from(!place.version.is_empty()) + usize::from(has_group);
    (0..below).fold(entry, |path, _| path.rsplit_once('/').map_or("", |(folder, _)| folder))
}
