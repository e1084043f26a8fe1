//! What the path of a request names.

/// Subject of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<'p> {
    /// `/version`
    Version,
    /// `/healthz`, `/livez`, `/readyz`
    Health,
    /// `/api`: versions of the core group.
    Core,
    /// `/apis`: all other groups.
    Groups,
    /// `/apis/GROUP`
    Group(&'p str),
    /// `/api/v1`, `/apis/GROUP/VERSION`: types.
    Types { group: &'p str, version: &'p str },
    /// Objects of a type.
    Objects(Objects<'p>),
    /// `/openapi/v3`
    Schemas,
    /// `/openapi/v3/apis/GROUP/VERSION`
    Schema { group: &'p str, version: &'p str },
    /// Nothing that is served.
    Unknown,
}

/// A list, an object, or a part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Objects<'p> {
    pub group: &'p str,
    pub version: &'p str,
    pub plural: &'p str,
    /// None for all namespaces, and for objects without.
    pub namespace: Option<&'p str>,
    /// None for a list.
    pub name: Option<&'p str>,
    /// `log`, `status`, `exec` and the like.
    pub part: Option<&'p str>,
}

impl<'p> Route<'p> {
    /// Returns the subject that the parts of a path name.
    pub fn of(path: &'p [String]) -> Self {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["version"] => Self::Version,
            ["healthz" | "livez" | "readyz", ..] => Self::Health,
            ["api"] => Self::Core,
            ["apis"] => Self::Groups,
            ["apis", group] => Self::Group(group),
            ["api", version] => Self::Types { group: "", version },
            ["apis", group, version] => Self::Types { group, version },
            ["api", version, rest @ ..] => objects("", version, rest),
            ["apis", group, version, rest @ ..] => objects(group, version, rest),
            ["openapi", "v3"] => Self::Schemas,
            ["openapi", "v3", "apis", group, version] => Self::Schema { group, version },
            _ => Self::Unknown,
        }
    }
}

fn objects<'p>(group: &'p str, version: &'p str, rest: &[&'p str]) -> Route<'p> {
    let of = Objects { group, version, ..Objects::default() };
    Route::Objects(match *rest {
        [plural] => Objects { plural, ..of },
        ["namespaces", name, part @ ("status" | "finalize")] => {
            Objects { plural: "namespaces", name: Some(name), part: Some(part), ..of }
        }
        ["namespaces", namespace, plural] => Objects { plural, namespace: Some(namespace), ..of },
        ["namespaces", namespace, plural, name] => {
            Objects { plural, namespace: Some(namespace), name: Some(name), ..of }
        }
        ["namespaces", namespace, plural, name, part, ..] => {
            Objects { plural, namespace: Some(namespace), name: Some(name), part: Some(part), ..of }
        }
        [plural, name] => Objects { plural, name: Some(name), ..of },
        [plural, name, part, ..] => Objects { plural, name: Some(name), part: Some(part), ..of },
        [] => return Route::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_subjects() {
        let longhorn = Objects { group: "longhorn.io", version: "v1beta2", ..Objects::default() };
        let core = Objects { version: "v1", ..Objects::default() };
        for (path, wanted) in [
            ("version", Route::Version),
            ("readyz/etcd", Route::Health),
            ("api", Route::Core),
            ("api/v1", Route::Types { group: "", version: "v1" }),
            ("apis/apps/v1", Route::Types { group: "apps", version: "v1" }),
            ("api/v1/pods", Route::Objects(Objects { plural: "pods", ..core })),
            ("api/v1/namespaces", Route::Objects(Objects { plural: "namespaces", ..core })),
            ("api/v1/namespaces/a", Route::Objects(Objects { plural: "namespaces", name: Some("a"), ..core })),
            ("api/v1/namespaces/a/pods", Route::Objects(Objects { plural: "pods", namespace: Some("a"), ..core })),
            (
                "api/v1/namespaces/a/pods/p/log",
                Route::Objects(Objects {
                    plural: "pods",
                    namespace: Some("a"),
                    name: Some("p"),
                    part: Some("log"),
                    ..core
                }),
            ),
            (
                "api/v1/nodes/n/proxy/x/y",
                Route::Objects(Objects { plural: "nodes", name: Some("n"), part: Some("proxy"), ..core }),
            ),
            (
                "apis/longhorn.io/v1beta2/namespaces/l/volumes/v",
                Route::Objects(Objects { plural: "volumes", namespace: Some("l"), name: Some("v"), ..longhorn }),
            ),
            ("openapi/v3/apis/a/v1", Route::Schema { group: "a", version: "v1" }),
            ("openapi/v2", Route::Unknown),
            ("", Route::Unknown),
        ] {
            let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
            assert_eq!(Route::of(&parts), wanted, "{path}");
        }
    }
}
