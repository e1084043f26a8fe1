//! Determines the type of an object: from its own fields, else from its list, else from its path.

use super::place::OwnedDumpPlace;
use crate::resource::scalar::scalar_at;
use crate::resource::types;
use crate::yaml::{Kind, Node};

/// Fields that items inherit from their list.
#[derive(Clone, Copy, Default)]
pub(super) struct Inherited<'a> {
    pub api_version: Option<&'a str>,
    pub kind: Option<&'a str>,
}

/// Type of one object.
pub(super) struct Identity {
    pub group: String,
    pub version: String,
    pub kind: String,
    pub plural: String,
    pub guessed: bool,
}

impl Identity {
    /// Determines the type; none if it is unknown.
    pub fn of(node: Node<'_>, inherited: &Inherited<'_>, place: Option<&OwnedDumpPlace>) -> Option<Self> {
        let api_version = scalar_at(node, &["apiVersion"]).or(inherited.api_version).map(types::split_api_version);
        let written = scalar_at(node, &["kind"]).or(inherited.kind);
        let by_path = || place.and_then(|p| types::known(&p.name)).map(|t| t.kind);
        let kind = written.or_else(by_path).or_else(|| told_by_shape(node))?;
        let (group, version) = match (api_version, place) {
            (Some(found), _) => found,
            (None, Some(place)) => (place.name.group.as_str(), place.version.as_ref()),
            (None, None) => (types::kind_anywhere(kind).map_or("", |t| t.group), ""),
        };
        Some(Self::new(group, version, kind, place))
    }

    fn new(group: &str, version: &str, kind: &str, place: Option<&OwnedDumpPlace>) -> Self {
        let found = |kind: &str, plural: &str, guessed| Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            guessed,
        };
        if let Some(known) = types::known_kind(group, kind) {
            return found(known.kind, known.plural, false);
        }
        match place {
            // The file name is the plural, unless the table knows it for another kind. A definition may spell the kind differently:
            // some builds of the kit of 2022 wrote `Addonset` for `AddonSet`.
            Some(place) if place.name.group == group && types::known(&place.name).is_none() => {
                found(kind, &place.name.plural, true)
            }
            _ => found(kind, &types::guess_plural(kind), true),
        }
    }
}

/// Recognises single objects that a client of the API wrote: they have neither kind nor apiVersion.
fn told_by_shape(node: Node<'_>) -> Option<&'static str> {
    let containers = node.path(&["spec", "containers"])?;
    (containers.kind() == Kind::Sequence && node.path(&["status", "phase"]).is_some()).then_some("Pod")
}
