//! Objects as questions name them.

use crate::model::ObjectRef;
use crate::resource::types::known_kind;
use crate::resource::{Resource, ResourceIndex};

/// An object: `TYPE/NAME` or `TYPE/NAMESPACE/NAME`, where TYPE is a plural or a kind, with or without group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedObject {
    /// Plural or kind in lower case.
    type_: String,
    group: Option<String>,
    namespace: Option<String>,
    name: String,
}

/// The reason why a text names no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not an object; write TYPE/NAME, such as pod/web-0, node/node1 or volumes.longhorn.io/pvc-1, or TYPE/NAMESPACE/NAME"
)]
pub struct NoObject;

impl NamedObject {
    /// Parses the name of an object.
    ///
    /// # Errors
    /// Says which forms there are.
    pub fn parse(text: &str) -> Result<Self, NoObject> {
        let parts: Vec<&str> = text.split('/').collect();
        let (type_, namespace, name) = match parts.as_slice() {
            [type_, name] => (*type_, None, *name),
            [type_, namespace, name] => (*type_, Some(*namespace), *name),
            _ => return Err(NoObject),
        };
        if type_.is_empty() || name.is_empty() || namespace == Some("") {
            return Err(NoObject);
        }
        let lower = type_.to_ascii_lowercase();
        let (type_, group) =
            lower.split_once('.').map_or((lower.as_str(), None), |(type_, group)| (type_, Some(group)));
        Ok(Self {
            type_: type_.to_owned(),
            group: group.map(str::to_owned),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        })
    }

    /// Returns true if a reference means the object; `namespace` is the one that the question is about.
    pub fn is(&self, object: &ObjectRef, namespace: Option<&str>) -> bool {
        let plural = || known_kind(&object.group, &object.kind).map(|known| known.plural);
        let namespace = self.namespace.as_deref().or(namespace);
        object.name == self.name
            && self.group.as_ref().is_none_or(|group| *group == object.group)
            && namespace.is_none_or(|namespace| object.namespace.as_deref().is_none_or(|of| of == namespace))
            && (object.kind.eq_ignore_ascii_case(&self.type_) || plural() == Some(self.type_.as_str()))
    }

    /// Returns the objects that it names: those of the bundle, else those that only events are about, each once.
    pub fn find(&self, resources: &ResourceIndex, namespace: Option<&str>) -> Vec<ObjectRef> {
        let types = resources.types().iter();
        let all = types.flat_map(|type_| resources.each(resources.of_type(type_))).map(Resource::object);
        let mut found: Vec<ObjectRef> = all.filter(|object| self.is(object, namespace)).collect();
        if found.is_empty() {
            let about = resources.events().iter().map(|event| &event.object);
            found = about.filter(|object| self.is(object, namespace)).cloned().collect();
        }
        found.sort();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_several_names() {
        let pod = ObjectRef::new("", "Pod", Some("demo"), "web-0");
        let volume = ObjectRef::new("longhorn.io", "Volume", Some("longhorn-system"), "pvc-1");
        let node = ObjectRef::new("", "Node", None, "n1");
        for (text, namespace, object, is) in [
            ("pod/web-0", None, &pod, true),
            ("pods/web-0", Some("demo"), &pod, true),
            ("Pod/demo/web-0", None, &pod, true),
            ("pod/other/web-0", None, &pod, false),
            ("pod/web-0", Some("other"), &pod, false),
            ("pod/web", None, &pod, false),
            ("volumes.longhorn.io/pvc-1", None, &volume, true),
            ("Volume.longhorn.io/longhorn-system/pvc-1", None, &volume, true),
            ("volume/pvc-1", None, &volume, true),
            ("volumes.other.io/pvc-1", None, &volume, false),
            ("node/n1", Some("demo"), &node, true),
        ] {
            assert_eq!(NamedObject::parse(text).unwrap().is(object, namespace), is, "{text}");
        }
        for text in ["", "web-0", "pod/", "/web-0", "pod//web-0", "a/b/c/d"] {
            assert_eq!(NamedObject::parse(text), Err(NoObject), "{text}");
        }
    }
}
