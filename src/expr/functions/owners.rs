//! Functions that follow owners: `owner workload`.

use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::functions::function::{AnswerSource, Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::expr::functions::objects::{ObjectReference, look_up, same_uid};
use crate::model::message::{Reason, WrongValue};
use crate::resource::{Resource, ResourceId, TypeName};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "owner",
        parameters: &[Parameter::required("obj", Takes::Object)],
        returns: Returns::Anything,
        doc: "the controller that owns it",
        run: owner,
        options: STRICT.source(AnswerSource::OtherObject).reads(REFERENCES),
    },
    Function {
        name: "workload",
        parameters: &[Parameter::required("obj", Takes::Object)],
        returns: Returns::Anything,
        doc: "the topmost owner: the Deployment of a Pod, the CronJob of a Job; the object itself if it has no owner. An owner that is not in the bundle has only `apiVersion`, `kind`, `name`, `namespace` and `uid`",
        run: workload,
        options: STRICT.source(AnswerSource::OtherObject).reads(REFERENCES),
    },
];

/// Path of the references to owners.
const REFERENCES: &[&str] = &["metadata", "ownerReferences"];

/// Most levels of owners: real ones are not deeper, and hostile objects can own each other.
const MAX_LEVELS: usize = 16;

/// Types that create pods, for table rows, which do not name their owners.
const MAKERS: [(&str, &str); 5] = [
    ("replicasets", "apps"),
    ("daemonsets", "apps"),
    ("statefulsets", "apps"),
    ("jobs", "batch"),
    ("deployments", "apps"),
];

/// `owner(obj)`: returns the controller.
pub(super) fn owner<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let Some(object) = args.first() else { return Ok(Value::Null) };
    match controller_reference(caller.world, object)? {
        Some(reference) => controller(caller.world, &reference, object),
        None => Ok(Value::Null),
    }
}

/// `workload(obj)`: the topmost owner, e.g. the Deployment of a Pod or the CronJob of a Job's pod; the object itself
/// without an owner. If the owner is not in the bundle, the fields of the reference: `apiVersion kind name namespace
/// uid`.
pub(super) fn workload<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let world = caller.world;
    let mut top = args.first().cloned().unwrap_or(Value::Null);
    for _ in 0..MAX_LEVELS {
        if let Some(resource) = row(world, &top) {
            return match maker(world, resource) {
                Some(id) => Ok(Value::Resource(id)),
                None if resource.kind.as_ref() != "Pod" => Ok(top),
                None => {
                    let (object, entry) = (resource.object(), resource.entry.to_string());
                    Err(Stop::undecided(Reason::OwnerNotStated { object, entry }))
                }
            };
        }
        let Some(reference) = controller_reference(world, &top)? else { return Ok(top) };
        match controller(world, &reference, &top) {
            Ok(found @ Value::Resource(_)) => top = found,
            Err(Stop::Undecided(reason)) if reason.is_withheld() => return Err(Stop::Undecided(reason)),
            Ok(_) | Err(Stop::Undecided(_)) => return referred(world, &reference, &top),
            Err(wrong) => return Err(wrong),
        }
    }
    Err(Stop::wrong(WrongValue::TooManyOwners { most: MAX_LEVELS }))
}

/// Returns the object if it is a table row without owners.
fn row<'a>(world: &'a World, value: &Value<'a>) -> Option<&'a Resource> {
    let Value::Resource(id) = value else { return None };
    let resource = world.resources.resource(*id);
    (resource.partial && resource.body().path(&["metadata", "ownerReferences"]).is_none()).then_some(resource)
}

/// Finds the owner by name: a pod's name begins with its owner's name and a dash, and the longest such name wins.
fn maker(world: &World, pod: &Resource) -> Option<ResourceId> {
    let namespace = pod.namespace.as_deref()?;
    let of = |(plural, group): &(&str, &str)| TypeName::new(plural, group);
    // Any of those without a name may have the longest one.
    let makes = |name: &str| pod.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    let hidden = |type_: &TypeName| {
        let mut elsewhere = world.resources.in_hidden_namespace(type_);
        world.resources.may_be_hidden(type_, Some(namespace), "", None)
            || elsewhere.any(|id| makes(&world.resources.resource(id).name))
    };
    if MAKERS.iter().any(|type_| hidden(&of(type_))) {
        return None;
    }
    let all = MAKERS.iter().flat_map(|type_| world.resources.of_type_in(&of(type_), namespace).iter().copied());
    let own = all.filter(|id| makes(&world.resources.resource(*id).name));
    let found = own.max_by_key(|id| (world.resources.resource(*id).name.len(), std::cmp::Reverse(*id)))?;
    Some(maker(world, world.resources.resource(found)).unwrap_or(found))
}

/// Returns the reference to the controller.
fn controller_reference<'a>(world: &'a World, object: &Value<'a>) -> Result<Option<Value<'a>>, Stop> {
    let metadata = member::field(world, object, "metadata")?;
    let references = member::field(world, &metadata, "ownerReferences")?;
    for reference in member::values(world, &references)? {
        if matches!(member::field(world, &reference, "controller")?, Value::Bool(true)) {
            return Ok(Some(reference));
        }
    }
    Ok(None)
}

fn controller<'a>(world: &'a World, reference: &Value<'a>, object: &Value<'a>) -> Answer<'a> {
    let found = ObjectReference::parse(world, reference)?;
    if let Some(id) = found.uid.as_str().and_then(|uid| world.resources.by_uid(uid)) {
        return Ok(Value::Resource(id));
    }
    let (Some(type_name), Some(name)) = (found.type_name(), found.name.as_str()) else { return Ok(Value::Null) };
    let namespace = namespace_of(world, object)?;
    let by_name = look_up(world, &type_name, namespace.as_deref(), name, found.uid.as_str())?;
    same_uid(world, by_name, &found.uid)
}

fn namespace_of<'a>(world: &'a World, object: &Value<'a>) -> Result<Option<String>, Stop> {
    if let Value::Resource(id) = object {
        return Ok(world.resources.resource(*id).namespace.as_deref().map(str::to_owned));
    }
    let metadata = member::field(world, object, "metadata")?;
    Ok(member::field(world, &metadata, "namespace")?.as_str().map(str::to_owned))
}

/// Returns an owner that is known by name only. The name of a ReplicaSet leads to its Deployment if the bundle holds
/// it.
fn referred<'a>(world: &'a World, reference: &Value<'a>, object: &Value<'a>) -> Answer<'a> {
    let namespace = namespace_of(world, object)?;
    let found = ObjectReference::parse(world, reference)?;
    if let (Some("ReplicaSet"), Some(name), Some(namespace)) =
        (found.kind.as_str(), found.name.as_str(), namespace.as_deref())
        && let Some((deployment, _)) = name.rsplit_once('-')
    {
        let type_name = TypeName::new("deployments", "apps");
        match look_up(world, &type_name, Some(namespace), deployment, None) {
            Ok(found @ Value::Resource(_)) => return Ok(found),
            Err(Stop::Undecided(reason)) if reason.is_withheld() => return Err(Stop::Undecided(reason)),
            _ => {}
        }
    }
    let field = |name: &'static str| Ok::<_, Stop>((Text::Borrowed(name), member::field(world, reference, name)?));
    let mut fields = vec![field("apiVersion")?, field("kind")?, field("name")?, field("uid")?];
    fields.push((Text::Borrowed("namespace"), namespace.map_or(Value::Null, |namespace| Value::text(&namespace))));
    Ok(Value::Map(fields.into()))
}
