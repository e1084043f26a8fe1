//! Cells that kubectl would print for an object, by the table of its columns.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::functions::columns::cell_values::{Computed, age, cell, each, is_deleted, joined, labels, texts};
use crate::expr::functions::columns::{cluster, network, pod, policy, storage, workloads};
use crate::expr::functions::object_view::ObjectView;
use crate::resource::table::{CellForm, TypeColumns};

/// Returns headers and values in the order of the columns.
pub(super) fn cells<'a>(type_: &TypeColumns, object: &ObjectView<'a>) -> Result<Vec<(Text<'a>, Value<'a>)>, Stop> {
    let computed = computed(type_.name, object);
    let cells = type_.columns.iter().map(|(header, form)| {
        let value = match form {
            CellForm::Computed(_) => {
                computed.iter().find(|(name, _)| name == header).map_or(Ok(Value::Null), |(_, value)| value.clone())
            }
            form => print(form, object),
        };
        Ok((Text::Borrowed(header), cell(value)?))
    });
    cells.collect()
}

/// Computes the columns of a type that are more than the value of a field.
fn computed<'a>(name: &str, object: &ObjectView<'a>) -> Computed<'a> {
    match name {
        "pods" => pod::computed(object),
        "nodes" => cluster::node(object),
        "persistentvolumes" => cluster::volume(object),
        "persistentvolumeclaims" => cluster::claim(object),
        "services" => cluster::service(object),
        "apiservices.apiregistration.k8s.io" => cluster::api_service(object),
        "jobs.batch" => workloads::job(object),
        "cronjobs.batch" => workloads::cron_job(object),
        "controllerrevisions.apps" => workloads::revision(object),
        "configmaps" | "secrets" => storage::data(object),
        "endpoints" => network::endpoints(object),
        "resourcequotas" => policy::quota(object),
        "componentstatuses" => policy::component(object),
        "volumeattachments.storage.k8s.io" => storage::attachment(object),
        "storageclasses.storage.k8s.io" => storage::storage_class(object),
        "csinodes.storage.k8s.io" => storage::csi_node(object),
        "csidrivers.storage.k8s.io" => storage::driver(object),
        "horizontalpodautoscalers.autoscaling" => policy::autoscaler(object),
        "poddisruptionbudgets.policy" => policy::budget(object),
        "ingresses.networking.k8s.io" => network::ingress(object),
        "ingressclasses.networking.k8s.io" => network::ingress_class(object),
        "endpointslices.discovery.k8s.io" => network::slice(object),
        "priorityclasses.scheduling.k8s.io" => policy::priority(object),
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => {
            policy::binding(object)
        }
        "mutatingwebhookconfigurations.admissionregistration.k8s.io"
        | "validatingwebhookconfigurations.admissionregistration.k8s.io" => policy::webhooks(object),
        "certificatesigningrequests.certificates.k8s.io" => policy::certificate_request(object),
        _ => Vec::new(),
    }
}

fn print<'a>(form: &CellForm, object: &ObjectView<'a>) -> Answer<'a> {
    match *form {
        CellForm::Text(path) | CellForm::Plain(path) => object.get(path),
        CellForm::Condition { type_, field, .. } => match object.condition(type_)? {
            Some(condition) => condition.get(&[field]),
            None => Ok(Value::Null),
        },
        CellForm::Number(path, default) => object.int_or(path, default).map(Value::Int),
        CellForm::Count(path) => object.int_or(path, 0).map(Value::Int),
        CellForm::Flag(path) => {
            let set = matches!(object.get(path)?, Value::Bool(true));
            Ok(Value::borrowed(if set { "True" } else { "False" }))
        }
        CellForm::Labels(path) => labels(object, path),
        CellForm::Selector { labels, expressions } => selector(object, labels, expressions),
        CellForm::Ratio { ready, wanted } => {
            Ok(Value::text(&format!("{}/{}", object.int_or(ready, 0)?, object.int_or(wanted, 1)?)))
        }
        CellForm::Pair { fields: [first, second], separator, otherwise } => Ok(match object.has(second)? {
            true => Value::text(&format!("{}{separator}{}", object.text(first)?, object.text(second)?)),
            false => otherwise.map_or(Value::Null, Value::borrowed),
        }),
        CellForm::PhaseOrTerminating => match is_deleted(object)? {
            true => Ok(Value::borrowed("Terminating")),
            false => object.get(&["status", "phase"]),
        },
        CellForm::Ago(path) => age(object.world, &object.get(path)?),
        CellForm::Each { list, field } => Ok(joined(&each(object, list, field)?)),
        CellForm::Computed(_) => Ok(Value::Null),
    }
}

/// Formats labels, then expressions, in the syntax of `kubectl get -l`.
fn selector<'a>(object: &ObjectView<'a>, plain: &[&str], expressions: &[&str]) -> Answer<'a> {
    let plain = labels(object, plain)?;
    let mut parts: Vec<String> = plain.as_str().map(str::to_owned).into_iter().collect();
    for expression in object.items(expressions)? {
        let key = expression.text(&["key"])?;
        let values = texts(&expression, &["values"])?.join(",");
        parts.push(match expression.text(&["operator"])?.as_str() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key,
        });
    }
    Ok(joined(&parts))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::expr::eval::world::World;
    use crate::resource::IndexBuilder;
    use crate::resource::table::TYPES;
    use crate::yaml;

    #[test]
    fn a_hidden_value_leaves_the_other_columns_known() {
        let world = World::new(Arc::new(IndexBuilder::default().finish().0), None, BTreeMap::new());
        let text = "status: {conditions: [{type: Ready, status: 'True'}], addresses: [{type: InternalIP, address: '***HIDDEN***'}]}";
        let (document, _) = yaml::parse(text.as_bytes().to_vec());
        let root = document.roots().next().unwrap();
        let object = ObjectView::new(&world, &Value::of_node(root, None));
        let type_ = TYPES.iter().find(|type_| type_.name == "nodes").unwrap();
        let row = cells(type_, &object).unwrap();
        let cell = |header: &str| row.iter().find(|(name, _)| name.as_str() == header).map(|(_, value)| value);
        assert_eq!(cell("STATUS").and_then(Value::as_str), Some("Ready"));
        assert!(matches!(cell("INTERNAL-IP"), Some(Value::Undecided(_))));
    }

    #[test]
    fn each_computed_column_has_a_value() {
        let world = World::new(Arc::new(IndexBuilder::default().finish().0), None, BTreeMap::new());
        let (document, _) = yaml::parse(b"spec: {volumeName: bound}".to_vec());
        let node = document.roots().next().unwrap().index();
        let document = Value::Decoded { node, document: Arc::new(document) };
        for type_ in TYPES.iter().filter(|type_| type_.is_complete) {
            let object = ObjectView::new(&world, &document);
            let mut computed: Vec<&str> = computed(type_.name, &object).into_iter().map(|(header, _)| header).collect();
            let columns = type_.columns.iter().filter(|(_, form)| matches!(form, CellForm::Computed(_)));
            let mut wanted: Vec<&str> = columns.map(|(header, _)| *header).collect();
            computed.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(computed, wanted, "{}", type_.name);
        }
    }
}
