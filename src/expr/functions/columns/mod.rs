//! `columns(obj)`: the columns that `kubectl get -o wide` prints for an object, by header.
//!
//! A row of a kubectl table has its cells, typed. For a full object they are printed by the table in
//! `resource::table::columns`, for custom resources by the `additionalPrinterColumns` of their definition. One rule
//! therefore covers both.

mod cell_values;
mod cells;
mod cluster;
mod custom;
mod network;
mod pod;
mod policy;
mod printed;
mod storage;
mod workloads;

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::expr::functions::object_view::ObjectView;
use crate::model::message::{ExpectedValue, ValueKind};
use crate::resource::table::{TypeColumns, columns_of_type};
use crate::resource::{Resource, ResourceId, types};
use cell_values::{age, cell};
pub use custom::defined_columns;

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "columns",
    parameters: &[Parameter::required("obj", Takes::Object)],
    returns: Returns::Anything,
    doc: "[what kubectl prints](#columns) for the object, by header",
    run: columns,
    options: STRICT.reads(&["status"]),
}];

/// Returns a map from headers to values; undecided if the printed columns of the type are not known.
pub(super) fn columns<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let world = caller.world;
    let Some(Value::Resource(id)) = args.first() else {
        let found = args.first().map_or(ValueKind::Nothing, Value::describe);
        return Err(Stop::expected(found, ExpectedValue::Object));
    };
    world.rows.get(*id, || row(world, *id))
}

/// Prints the row of an object.
fn row(world: &World, id: ResourceId) -> Answer<'_> {
    let resource = world.resources.resource(id);
    let type_ = complete_columns(resource);
    let mut row = named(resource);
    let supplement = resource.supplement.map(|id| world.resources.resource(id));
    if let Some((printed, from)) =
        [Some(resource), supplement].into_iter().flatten().find_map(|r| Some((r.cells()?, r)))
    {
        cells::typed(&mut row, from, printed, type_);
        return Ok(Value::Map(row.into()));
    }
    let object = ObjectView::new(world, &Value::Resource(id));
    row.extend(match type_ {
        Some(type_) => printed::cells(type_, &object)?,
        None => custom::cells(world, resource, &object)?,
    });
    if !row.iter().any(|(header, _)| header.as_str() == "AGE") {
        row.push((Text::Borrowed("AGE"), cell(created(world, &object))?));
    }
    Ok(Value::Map(row.into()))
}

/// Returns what kubectl prints for an object of a built-in type beside NAMESPACE, NAME and AGE, in the order of the columns, whether or not
/// a table has a row for it; none for other types, and if what decides is hidden.
pub fn printed_cells(world: &World, id: ResourceId) -> Option<Vec<(Text<'_>, Value<'_>)>> {
    let type_ = complete_columns(world.resources.resource(id))?;
    printed::cells(type_, &ObjectView::new(world, &Value::Resource(id))).ok()
}

/// Returns the columns of the object's type, if all are known.
fn complete_columns(resource: &Resource) -> Option<&'static TypeColumns> {
    let group = types::canonical_group(&resource.plural, &resource.group);
    columns_of_type(&resource.plural, group).filter(|known| known.is_complete)
}

fn named<'a>(resource: &'a Resource) -> Vec<(Text<'a>, Value<'a>)> {
    let mut row = Vec::new();
    if let Some(namespace) = &resource.namespace {
        row.push((Text::Borrowed("NAMESPACE"), Value::stated(namespace)));
    }
    row.push((Text::Borrowed("NAME"), Value::stated(&resource.name)));
    row
}

/// Returns the age of an object.
fn created<'a>(world: &World, object: &ObjectView<'a>) -> Answer<'a> {
    age(world, &object.get(&["metadata", "creationTimestamp"])?)
}
