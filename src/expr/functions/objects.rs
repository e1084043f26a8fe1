//! Functions that read Kubernetes objects: `condition get not_collected selects setting version node_env`.

use crate::expr::check::shape::{self, Shape};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::model::secret;
use crate::model::version::Range;
use crate::resource::{Collected, Resource, ResourceId, TypeName, types};
use crate::yaml::{Kind, Node};

use crate::expr::eval::elements::Element;
use crate::expr::eval::member;
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions::arguments::{check_one_of, text_arg};
use crate::expr::functions::function::{AnswerSource, Caller, Function, LENIENT, Parameter, Returns, STRICT, Takes};
use crate::expr::parse::prepared::Prepared;
use crate::model::message::{Objects, Reason, WantedValue, WrongValue};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "condition",
        parameters: &[Parameter::required("obj", Takes::Object), Parameter::required("type", Takes::Text)],
        returns: Returns::Shape(|_| Shape::condition()),
        doc: "the entry of that type in `status.conditions`, or in `conditions` of a part of an object, such as a Longhorn disk",
        run: condition,
        options: LENIENT
            .example("condition(obj, 'Ready')")
            .source(AnswerSource::FirstArgument)
            .reads(&["status", "conditions"]),
    },
    Function {
        name: "get",
        parameters: &[
            Parameter::required("type", Takes::TypeOrReference).checked(check_type),
            Parameter::required("namespace", Takes::Text),
            Parameter::optional("name", Takes::Text),
        ],
        returns: Returns::Anything,
        doc: "the object; null if it does not exist, undecided if that cannot be known. Also `get(reference, namespace)` for an object reference, or an object of a manifest",
        run: get,
        options: LENIENT
            .example("get('configmaps', namespace, name) or get(reference, namespace)")
            .source(AnswerSource::OtherObject),
    },
    Function {
        name: "not_collected",
        parameters: &[
            Parameter::required("type", Takes::TypeOrReference).checked(check_type),
            Parameter::optional("namespace", Takes::Text),
        ],
        returns: Returns::Kind(shape::Kind::Bool),
        doc: "whether the collector did not take objects of the type, so that none proves nothing; undecided if they may be lost with a part of the archive",
        run: not_collected,
        options: LENIENT.example("not_collected('volumes.longhorn.io') or not_collected('pods', namespace)"),
    },
    Function {
        name: "selects",
        parameters: &[Parameter::required("selector", Takes::Anything), Parameter::required("obj", Takes::Object)],
        returns: Returns::Kind(shape::Kind::Bool),
        doc: "whether a label selector, or a Service's map of labels, selects the object",
        run: selects,
        options: STRICT,
    },
    Function {
        name: "setting",
        parameters: &[
            Parameter::required("group", Takes::Text).checked(check_setting_group),
            Parameter::required("name", Takes::Text),
            Parameter::optional("default", Takes::Anything),
        ],
        returns: Returns::Anything,
        doc: "value of a setting of `harvester`, `longhorn` or `rancher`, in the type of the default",
        run: setting,
        options: LENIENT
            .example("setting('longhorn', 'default-replica-count', 3)")
            .source(AnswerSource::OtherObject)
            .places(setting_places),
    },
    Function {
        name: "version",
        parameters: &[
            Parameter::required("product", Takes::Text).checked(check_product),
            Parameter::optional("range", Takes::Text).checked(check_version_range),
        ],
        returns: Returns::Shape(version_shape),
        doc: "the version, as text; with a range, whether it is in the range; null or false for `rke2` and `k3s` if the cluster is of another distribution",
        run: version,
        options: STRICT.example("version('longhorn') or version('longhorn', '<1.12')"),
    },
    Function {
        name: "node_env",
        parameters: &[],
        returns: Returns::Kind(shape::Kind::Text),
        doc: "the shell line that lets `kubectl` and `crictl` work on a node of this distribution; empty if none is needed; a comment if the distribution is unknown",
        run: node_env,
        options: STRICT,
    },
];

fn check_type(text: &str) -> Result<(), (String, Option<String>)> {
    if text.chars().any(|c| c.is_whitespace() || c == '/' || c.is_ascii_uppercase()) {
        let hint = "write the plural as kubectl does: pods, volumes.longhorn.io";
        return Err((format!("'{text}' is no type"), Some(hint.to_owned())));
    }
    Ok(())
}

fn check_setting_group(group: &str) -> Result<(), (String, Option<String>)> {
    check_one_of("group of settings", group, &SETTING_GROUPS)
}

fn check_product(product: &str) -> Result<(), (String, Option<String>)> {
    check_one_of("product", product, &crate::model::product::PRODUCTS)
}

fn check_version_range(range: &str) -> Result<(), (String, Option<String>)> {
    Range::parse(range).map(drop).map_err(|message| (message, Some("write a range such as >=1.2 <1.12".to_owned())))
}

fn version_shape(arguments: &[Arc<Shape>]) -> Arc<Shape> {
    Shape::of(if arguments.len() < 2 { shape::Kind::Text } else { shape::Kind::Bool })
}

/// Setting groups that `setting` supports: a product or the API group of its settings.
const SETTING_GROUPS: [&str; 6] =
    ["harvester", "longhorn", "rancher", "harvesterhci.io", "longhorn.io", "management.cattle.io"];

/// `condition(obj, type)`: the entry of `status.conditions` of that type.
pub(super) fn condition<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let [object, Value::Str(wanted)] = args else { return no_condition(args) };
    let conditions = conditions(caller.world, object)?;
    let mut found = Ok(Value::Null);
    member::visit(caller.world, &conditions, &mut |element| {
        match member::field(caller.world, &element.value, "type") {
            Ok(Value::Str(text)) if text.as_str() == wanted.as_str() => {
                found = Ok(element.value);
                return ControlFlow::Break(());
            }
            // A condition whose type is hidden may be the wanted one.
            Err(stop @ Stop::Undecided(_)) => found = Err(stop),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    found
}

/// Returns `status.conditions`.
pub(super) fn conditions<'a>(world: &'a World, object: &Value<'a>) -> Answer<'a> {
    let status = member::field(world, object, "status")?;
    match member::field(world, &status, "conditions")? {
        // Part of an object with conditions of its own, such as a disk in Longhorn's `status.diskStatus`.
        Value::Null => member::field(world, object, "conditions"),
        conditions => Ok(conditions),
    }
}

fn no_condition<'a>(args: &[Value<'a>]) -> Answer<'a> {
    match args {
        [Value::Null, _] | [_, Value::Null] => Ok(Value::Null),
        _ => Err(Stop::wrong(WrongValue::TypeOfConditionNotText)),
    }
}

/// `get(type, namespace, name)` or `get(reference, namespace)`.
pub(super) fn get<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args {
        [Value::Null, ..] => Ok(Value::Null),
        [Value::Str(type_), namespace, name] => {
            let Some(name) = optional_text(name)? else { return Ok(Value::Null) };
            look_up(caller.world, &named_type(caller, type_.as_str()), optional_text(namespace)?, name, None)
        }
        [Value::Str(_), _] => Err(Stop::wrong(WrongValue::GetTakesNames)),
        [reference, namespace] => by_reference(caller.world, reference, optional_text(namespace)?),
        [reference, namespace, _] => by_reference(caller.world, reference, optional_text(namespace)?),
        _ => Ok(Value::Null),
    }
}

/// Returns the type that an argument names, which was looked up before if it is a constant.
fn named_type<'c>(caller: &'c Caller<'_, '_>, name: &str) -> Cow<'c, TypeName> {
    match caller.prepared {
        Prepared::Type(prepared) => Cow::Borrowed(prepared),
        _ => Cow::Owned(types::resolve(name).name),
    }
}

/// `not_collected(type)` or `not_collected(type, namespace)`.
fn not_collected<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let type_name = named_type(caller, text_arg(args, 0)?);
    let namespace = optional_text(args.get(1).unwrap_or(&Value::Null))?;
    match caller.world.resources.collected(&type_name, namespace) {
        Collected::No(reason) if reason.is_choice_of_collector() => Ok(Value::Bool(true)),
        Collected::No(reason) => Err(Stop::undecided(reason)),
        Collected::Yes | Collected::Empty => Ok(Value::Bool(false)),
    }
}

fn optional_text<'v>(value: &'v Value<'_>) -> Result<Option<&'v str>, Stop> {
    match value {
        Value::Null => Ok(None),
        Value::Str(text) => Ok(Some(text.as_str())),
        other => Err(Stop::is_no(other.describe(), WantedValue::Name)),
    }
}

/// Returns the object; null if it does not exist, undecided if its type was not collected or a collector hid its name. Of a wanted uid
/// only objects count that may have it.
pub(super) fn look_up<'a>(
    world: &'a World,
    type_name: &TypeName,
    namespace: Option<&str>,
    name: &str,
    uid: Option<&str>,
) -> Answer<'a> {
    let namespaced = types::known(type_name).map(|known| known.namespaced);
    let namespace = if namespaced == Some(false) { None } else { namespace };
    if let Some(id) = world.resources.get(type_name, namespace, name) {
        return Ok(Value::Resource(id));
    }
    if namespaced == Some(true) && namespace.is_none() {
        // Objects of a namespaced type always have a namespace.
        return Ok(Value::Null);
    }
    missing(world, type_name, namespace, name, uid)
}

fn missing<'a>(
    world: &World,
    type_name: &TypeName,
    namespace: Option<&str>,
    name: &str,
    uid: Option<&str>,
) -> Answer<'a> {
    if world.resources.may_be_hidden(type_name, namespace, name, uid) {
        let objects = Objects::of(type_name.to_string(), namespace);
        return Err(Stop::undecided(Reason::NamesWithheld { objects }));
    }
    match world.resources.collected(type_name, namespace) {
        Collected::No(reason) => Err(Stop::undecided(reason)),
        _ => Ok(Value::Null),
    }
}

/// Parts of a reference to an object.
pub(super) struct ObjectReference<'a> {
    pub kind: Value<'a>,
    group: Option<String>,
    pub name: Value<'a>,
    namespace: Value<'a>,
    pub uid: Value<'a>,
}

impl<'a> ObjectReference<'a> {
    pub fn parse(world: &'a World, value: &Value<'a>) -> Result<Self, Stop> {
        let field = |name: &str| member::field(world, value, name);
        let api_version = field("apiVersion")?;
        let group = match (field("apiGroup")?, field("group")?, api_version.as_str()) {
            (_, _, Some(version)) => Some(version.split_once('/').map_or("", |(group, _)| group).to_owned()),
            (Value::Str(group), _, _) | (_, Value::Str(group), _) => Some(group.as_str().to_owned()),
            _ => None,
        };
        // An object of a manifest has its name in its metadata.
        let metadata = field("metadata")?;
        let own = |name: &str| match field(name)? {
            Value::Null => member::field(world, &metadata, name),
            value => Ok(value),
        };
        Ok(Self { kind: field("kind")?, group, name: own("name")?, namespace: own("namespace")?, uid: field("uid")? })
    }

    /// Returns the type by the known kinds, otherwise by the plural that clients guess.
    pub fn type_name(&self) -> Option<TypeName> {
        let kind = self.kind.as_str()?;
        let group = self.group.as_deref();
        let known = match group {
            Some(group) => types::known_kind(group, kind),
            None => types::kind_anywhere(kind),
        };
        Some(match known {
            Some(known) => TypeName::new(known.plural, known.group),
            None => TypeName::new(&types::guess_plural(kind), group.unwrap_or_default()),
        })
    }
}

fn by_reference<'a>(world: &'a World, value: &Value<'a>, namespace: Option<&str>) -> Answer<'a> {
    if let Value::Resource(_) = value {
        return Ok(value.clone());
    }
    let reference = ObjectReference::parse(world, value)?;
    let (Some(type_name), Some(name)) = (reference.type_name(), reference.name.as_str()) else {
        return Ok(Value::Null);
    };
    let namespace = reference.namespace.as_str().or(namespace);
    let found = look_up(world, &type_name, namespace, name, reference.uid.as_str())?;
    same_uid(world, found, &reference.uid)
}

/// Returns null for an object with another uid: it only has the same name. Whether one with a hidden uid is the wanted one is undecided.
pub(super) fn same_uid<'a>(world: &World, found: Value<'a>, uid: &Value<'_>) -> Answer<'a> {
    let (Value::Resource(id), Some(wanted)) = (&found, uid.as_str()) else { return Ok(found) };
    let resource = world.resources.resource(*id);
    match resource.uid.as_deref() {
        Some(own) if wanted != own => Ok(Value::Null),
        None if resource.hides_uid() => Err(Stop::undecided(Reason::Withheld)),
        _ => Ok(found),
    }
}

/// `selects(selector, obj)`: a label selector, or a plain map of labels as Services have.
pub(super) fn selects<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let [selector, object] = args else { return Ok(Value::Null) };
    let world = caller.world;
    let metadata = member::field(world, object, "metadata")?;
    let labels = member::field(world, &metadata, "labels")?;
    let (match_labels, expressions) =
        (member::field(world, selector, "matchLabels")?, member::field(world, selector, "matchExpressions")?);
    let structured = !match_labels.is_null() || !expressions.is_null();
    let held = labels_match(world, if structured { &match_labels } else { selector }, &labels)?
        && expressions_match(world, &expressions, &labels)?;
    Ok(Value::Bool(held))
}

fn labels_match<'a>(world: &'a World, wanted: &Value<'a>, labels: &Value<'a>) -> Result<bool, Stop> {
    let (mut held, mut doubt) = (true, None);
    member::visit(world, wanted, &mut |element| {
        match (member::index(world, labels, &element.key), &element.value) {
            (Err(Stop::Undecided(reason)), _) => doubt = Some(reason),
            (_, Value::Undecided(reason)) => doubt = Some(reason.clone()),
            (Ok(own), value) => {
                held = own.equals(value) == Ok(true) || (own.is_null() && is_empty_label(labels, &element));
            }
            (Err(Stop::Wrong(_)), _) => held = false,
        }
        if held { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    match doubt.filter(|_| held) {
        Some(reason) => Err(Stop::Undecided(reason)),
        None => Ok(held),
    }
}

/// Returns true if both label values are the empty text, which is a valid label value.
fn is_empty_label(labels: &Value<'_>, wanted: &Element<'_>) -> bool {
    let exists = wanted.key.as_str().and_then(|name| labels.as_node()?.get(name)).is_some();
    exists && wanted.value.is_null()
}

/// A value that is hidden may be that of the label; it leaves the question open unless another expression answers it.
fn expressions_match<'a>(world: &'a World, expressions: &Value<'a>, labels: &Value<'a>) -> Result<bool, Stop> {
    let mut doubt = None;
    for expression in member::values(world, expressions)? {
        let key = member::field(world, &expression, "key")?;
        let own = member::index(world, labels, &key)?;
        let exists = !own.is_null() || key.as_str().and_then(|name| labels.as_node()?.get(name)).is_some();
        let values = member::values(world, &member::field(world, &expression, "values")?)?;
        let among = values.iter().any(|value| value.equals(&own) == Ok(true));
        let hidden = values.iter().find_map(|value| match value {
            Value::Undecided(reason) if exists && !among => Some(reason.clone()),
            _ => None,
        });
        let held = match member::field(world, &expression, "operator")?.as_str() {
            Some("In") => among || hidden.is_some(),
            Some("NotIn") => !among,
            Some("Exists") => exists,
            Some("DoesNotExist") => !exists,
            _ => return Err(Stop::wrong(WrongValue::UnknownOperator)),
        };
        if !held {
            return Ok(false);
        }
        doubt = doubt.or(hidden);
    }
    doubt.map_or(Ok(true), |reason| Err(Stop::Undecided(reason)))
}

/// `version(product)` or `version(product, range)`: null or false for a distribution that the cluster is certainly not of.
pub(super) fn version<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let product = text_arg(args, 0)?;
    let Some(version) = caller.world.versions.get(product) else {
        if caller.world.lacks_distribution(product) {
            return Ok(if args.len() < 2 { Value::Null } else { Value::Bool(false) });
        }
        return Err(Stop::undecided(Reason::VersionUnknown { product: product.to_owned() }));
    };
    if secret::is_withheld(version) {
        return Err(Stop::undecided(Reason::Withheld));
    }
    if args.len() < 2 {
        return Ok(Value::borrowed(version));
    }
    let range = Range::parse(text_arg(args, 1)?).map_err(|error| Stop::wrong(WrongValue::Range { error }))?;
    let within = range.contains(version);
    let unordered = || Reason::VersionUnordered { product: product.to_owned(), version: version.clone() };
    within.map(Value::Bool).ok_or_else(|| Stop::undecided(unordered()))
}

/// Environment for kubectl and crictl as root on an RKE2 node, which has neither in PATH. Source: RKE2's documentation,
/// "Cluster Access" and "crictl".
const RKE2_ENV: &str = "export PATH=$PATH:/var/lib/rancher/rke2/bin KUBECONFIG=/etc/rancher/rke2/rke2.yaml \
                        CRI_CONFIG_FILE=/var/lib/rancher/rke2/agent/etc/crictl.yaml";

/// `node_env()`. K3s installs links of its own in /usr/local/bin; of an unknown distribution nothing is known, so the line
/// is a comment that says when it is needed.
fn node_env<'a>(caller: &Caller<'a, '_>, _: &[Value<'a>]) -> Answer<'a> {
    let versions = &caller.world.versions;
    let has = |product: &str| versions.get(product).is_some();
    Ok(if has("rke2") || has("harvester") {
        Value::text(RKE2_ENV)
    } else if has("k3s") || has("kubernetes") {
        Value::text("")
    } else {
        Value::text(&format!("# On RKE2 first: {RKE2_ENV}"))
    })
}

/// `setting(group, name, default)`.
pub(super) fn setting<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let (group, name) = (text_arg(args, 0)?, text_arg(args, 1)?);
    let default = args.get(2).cloned().unwrap_or(Value::Null);
    let Some(id) = find_setting(caller.world, group, name)? else { return Ok(default) };
    let resource = caller.world.resources.resource(id);
    let Some(node) = setting_node(resource) else { return Ok(default) };
    let text = node.text();
    if secret::is_withheld(text) {
        return Err(Stop::undecided(Reason::Withheld));
    }
    Ok(typed(unwrap_engine(text).as_deref().unwrap_or(text), &default, node))
}

fn find_setting(world: &World, group: &str, name: &str) -> Result<Option<ResourceId>, Stop> {
    let (api_group, namespace) = match group {
        "longhorn" | "longhorn.io" => ("longhorn.io", Some("longhorn-system")),
        "harvester" | "harvesterhci.io" => ("harvesterhci.io", None),
        "rancher" | "management.cattle.io" => ("management.cattle.io", None),
        other => return Err(Stop::wrong(WrongValue::NoSettings { group: other.to_owned() })),
    };
    let type_name = TypeName::new("settings", api_group);
    if let Some(id) = world.resources.get(&type_name, namespace, name) {
        return Ok(Some(id));
    }
    missing(world, &type_name, namespace, name, None).map(|_| None)
}

/// Returns the effective field: `value`, or `default` if the value is empty.
fn setting_node(resource: &Resource) -> Option<Node<'_>> {
    let filled = |node: &Node<'_>| !(node.is_null() || node.kind() == Kind::String && node.text().is_empty());
    let body = resource.body();
    body.get("value").filter(filled).or_else(|| body.get("default").filter(filled))
}

/// Returns the field of a setting's value, for evidence.
fn setting_places<'a>(world: &'a World, args: &[Value<'a>]) -> Vec<FieldPlace> {
    let [Value::Str(group), Value::Str(name), ..] = args else { return Vec::new() };
    let Ok(Some(id)) = find_setting(world, group.as_str(), name.as_str()) else { return Vec::new() };
    setting_node(world.resources.resource(id)).map(|node| (id, node.index())).into_iter().collect()
}

/// Returns the v1 value of a setting of Longhorn 1.10 and later, which has one value per engine: `{"v1":"3","v2":"3"}`.
fn unwrap_engine(text: &str) -> Option<String> {
    if !text.starts_with('{') {
        return None;
    }
    let engines: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    match engines.get("v1")? {
        serde_json::Value::String(value) => Some(value.clone()),
        other => Some(other.to_string()),
    }
}

/// Converts the text to the type of the default.
fn typed<'a>(text: &str, default: &Value<'a>, node: Node<'_>) -> Value<'a> {
    match default {
        Value::Int(_) | Value::Double(_) => match text.trim().parse::<f64>() {
            Ok(number) => crate::expr::eval::arithmetic::number(number),
            Err(_) => default.clone(),
        },
        Value::Bool(_) => match text.trim() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => default.clone(),
        },
        _ if node.kind() == Kind::Bool => Value::Bool(text == "true"),
        _ => Value::text(text),
    }
}
