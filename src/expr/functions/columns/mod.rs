//! `columns(obj)`: the columns that `kubectl get -o wide` prints for an object, by header.
//!
//! A row of a kubectl table has its cells, typed. For a full object they are computed like the printers of Kubernetes
//! do (pkg/printers/internalversion), for custom resources by the `additionalPrinterColumns` of their definition. One
//! rule therefore covers both.

mod cell_values;
mod cells;
mod cluster;
mod custom;
mod pod;

mod workloads;

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::expr::functions::object_view::ObjectView;
use crate::model::message::{ExpectedValue, ValueKind};
use crate::resource::{Resource, types};
use cell_values::{Cells, age};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "columns",
    parameters: &[Parameter::required("obj", Takes::Object)],
    returns: Returns::Anything,
    doc: "[what kubectl prints](#columns) for the object, by header",
    run: columns,
    options: STRICT.reads(&["status"]),
}];

/// Printer for the objects of a type.
struct Printer {
    group: &'static str,
    kind: &'static str,
    /// Headers except `NAMESPACE`, `NAME` and `AGE`, which all types have.
    headers: &'static [&'static str],
    cells: for<'a> fn(&ObjectView<'a>) -> Cells<'a>,
}

const PRINTERS: [Printer; 13] = [
    Printer { group: "", kind: "Pod", headers: &pod::HEADERS, cells: pod::cells },
    Printer { group: "", kind: "Node", headers: &cluster::NODE, cells: cluster::node },
    Printer { group: "", kind: "Namespace", headers: &["STATUS"], cells: cluster::namespace },
    Printer { group: "", kind: "PersistentVolume", headers: &cluster::VOLUME, cells: cluster::volume },
    Printer { group: "", kind: "PersistentVolumeClaim", headers: &cluster::CLAIM, cells: cluster::claim },
    Printer { group: "", kind: "Service", headers: &cluster::SERVICE, cells: cluster::service },
    Printer {
        group: "apiregistration.k8s.io",
        kind: "APIService",
        headers: &["SERVICE", "AVAILABLE"],
        cells: cluster::api_service,
    },
    Printer { group: "apps", kind: "Deployment", headers: &workloads::DEPLOYMENT, cells: workloads::deployment },
    Printer { group: "apps", kind: "ReplicaSet", headers: &workloads::REPLICA_SET, cells: workloads::replica_set },
    Printer { group: "apps", kind: "DaemonSet", headers: &workloads::DAEMON_SET, cells: workloads::daemon_set },
    Printer { group: "apps", kind: "StatefulSet", headers: &workloads::STATEFUL_SET, cells: workloads::stateful_set },
    Printer { group: "batch", kind: "Job", headers: &workloads::JOB, cells: workloads::job },
    Printer { group: "batch", kind: "CronJob", headers: &workloads::CRON_JOB, cells: workloads::cron_job },
];

/// Returns a map from headers to values; undecided if the printed columns of the type are not known.
pub(super) fn columns<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let world = caller.world;
    let Some(Value::Resource(id)) = args.first() else {
        let found = args.first().map_or(ValueKind::Nothing, Value::describe);
        return Err(Stop::expected(found, ExpectedValue::Object));
    };
    let resource = world.resources.resource(*id);
    let group = types::canonical_group(&resource.plural, &resource.group);
    let printer = PRINTERS.iter().find(|p| p.group == group && p.kind.eq_ignore_ascii_case(&resource.kind));
    let mut row = named(resource);
    let beside = resource.supplement.map(|id| world.resources.resource(id));
    if let Some((printed, from)) = [Some(resource), beside].into_iter().flatten().find_map(|r| Some((r.cells()?, r))) {
        cells::typed(&mut row, from, printed, printer.map(|p| p.headers));
        return Ok(Value::Map(row.into()));
    }
    let object = ObjectView::new(world, &Value::Resource(*id));
    match printer {
        Some(printer) => {
            let values = (printer.cells)(&object)?;
            row.extend(printer.headers.iter().map(|header| Text::Borrowed(header)).zip(values));
        }
        None => row.extend(custom::cells(world, resource, &object)?),
    }
    if !row.iter().any(|(header, _)| header.as_str() == "AGE") {
        row.push((Text::Borrowed("AGE"), created(world, &object)?));
    }
    Ok(Value::Map(row.into()))
}

fn named<'a>(resource: &'a Resource) -> Vec<(Text<'a>, Value<'a>)> {
    let mut row = Vec::new();
    if let Some(namespace) = &resource.namespace {
        row.push((Text::Borrowed("NAMESPACE"), Value::borrowed(namespace)));
    }
    row.push((Text::Borrowed("NAME"), Value::borrowed(&resource.name)));
    row
}

/// Returns the age of an object; only this cell is undecided, so that other columns stay known.
fn created<'a>(world: &World, object: &ObjectView<'a>) -> Answer<'a> {
    match object.get(&["metadata", "creationTimestamp"]) {
        Err(Stop::Undecided(reason)) => Ok(Value::Undecided(reason)),
        since => age(world, &since?),
    }
}
