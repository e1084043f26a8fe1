//! OpenAPI v3 for `kubectl explain`: of the definitions in the bundle. Others are not known.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::cluster::Api;
use super::served_types::ServedType;
use crate::explore::object::View;
use crate::resource::Resource;
use crate::resource::types::definitions;

/// Returns `/openapi/v3`.
pub fn groups(api: &Api<'_>) -> Value {
    let mut paths = BTreeMap::new();
    for type_ in api.types.all().iter().filter(|type_| definition(api, type_).is_some()) {
        let path = format!("apis/{}", type_.api_version());
        let url = json!({"serverRelativeURL": format!("/openapi/v3/{path}")});
        paths.insert(path, url);
    }
    json!({ "paths": paths })
}

/// Returns the document of a group and version, if a type of it is defined in the bundle.
pub fn document(api: &Api<'_>, view: &View<'_>, group: &str, version: &str) -> Option<Value> {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    let types = api.types.all().iter().filter(|type_| type_.name.group == group && type_.version == version);
    for type_ in types {
        let Some(mut schema) = definition(api, type_).and_then(|resource| schema(view, resource, version)) else {
            continue;
        };
        let kind = json!({"group": group, "version": version, "kind": type_.kind});
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("x-kubernetes-group-version-kind".to_owned(), json!([kind]));
        }
        schemas.insert(format!("{group}.{version}.{}", type_.kind), schema);
        let namespaces = if type_.is_namespaced { "/namespaces/{namespace}" } else { "" };
        let path = format!("/apis/{group}/{version}{namespaces}/{}", type_.name.plural);
        paths.insert(path, json!({"get": {"responses": {}, "x-kubernetes-group-version-kind": kind}}));
    }
    let info = json!({"title": "gleaner", "version": version});
    (!schemas.is_empty())
        .then(|| json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}))
}

fn definition<'a>(api: &'a Api<'_>, type_: &ServedType) -> Option<&'a Resource> {
    let resources = api.opened.resources();
    let id = resources.get(&definitions(), None, &type_.name.to_string())?;
    Some(resources.resource(id)).filter(|resource| resource.body().path(&["spec", "versions"]).is_some())
}

fn schema(view: &View<'_>, definition: &Resource, version: &str) -> Option<Value> {
    let definition = view.object(definition);
    let versions = definition.pointer("/spec/versions")?.as_array()?;
    let version = versions.iter().find(|candidate| candidate["name"] == version)?;
    version.pointer("/schema/openAPIV3Schema").filter(|schema| schema.is_object()).cloned()
}
