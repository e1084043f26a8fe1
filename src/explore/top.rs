//! `gleaner top`: what nodes and pods used when the bundle was collected, by the objects of metrics.k8s.io, as `kubectl top` prints it.

use std::cmp::Reverse;

use super::get::columns::UNKNOWN;
use super::layout::Table;
use super::object::View;
use super::opened::Opened;
use crate::model::measure::quantity;
use crate::model::message::Reason;
use crate::resource::{Collected, Resource, ResourceIndex, TypeName, scalar_at};
use crate::yaml::Node;

const MEBIBYTE: f64 = 1_048_576.0;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub of: Of,
    /// Empty for all.
    pub names: Vec<String>,
    /// None for all namespaces.
    pub namespace: Option<String>,
    pub by: By,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
    #[default]
    Nodes,
    Pods,
    /// Each container of the pods.
    Containers,
}

/// Order of the rows; the largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    Name,
    Cpu,
    Memory,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMetrics {
    NotCollected(Box<Reason>),
    /// Metrics were collected, but none of these.
    Absent,
}

/// Cores and bytes; none if they are not stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Usage {
    cpu: Option<f64>,
    memory: Option<f64>,
}

impl Usage {
    fn of(node: Option<Node<'_>>) -> Self {
        let read = |key: &str| node.and_then(|node| scalar_at(node, &[key])).and_then(quantity);
        Self { cpu: read("cpu"), memory: read("memory") }
    }

    /// Adds both, of which one is unknown if a part is.
    fn and(self, other: Self) -> Self {
        let sum = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        Self { cpu: sum(self.cpu, other.cpu), memory: sum(self.memory, other.memory) }
    }
}

/// Prints the metrics that are asked for.
///
/// # Errors
/// There are none.
pub fn table(opened: &Opened<'_>, view: &View<'_>, request: &Request) -> Result<Table, NoMetrics> {
    let resources = opened.resources();
    let plural = if request.of == Of::Nodes { "nodes" } else { "pods" };
    let type_ = TypeName::new(plural, "metrics.k8s.io");
    let namespace = request.namespace.as_deref().filter(|_| request.of != Of::Nodes);
    let is_asked = |metrics: &&Resource| {
        let is_named = request.names.is_empty() || request.names.iter().any(|name| **name == *metrics.name);
        is_named && namespace.is_none_or(|asked| metrics.namespace.as_deref() == Some(asked))
    };
    let found: Vec<&Resource> = resources.each(resources.of_type(&type_)).filter(is_asked).collect();
    if found.is_empty() {
        return Err(match resources.collected(&type_, namespace) {
            Collected::No(why) => NoMetrics::NotCollected(Box::new(why)),
            Collected::Yes | Collected::Empty => NoMetrics::Absent,
        });
    }
    let mut rows: Vec<(Usage, Vec<String>)> = match request.of {
        Of::Nodes => found.into_iter().map(|metrics| node(resources, view, metrics)).collect(),
        Of::Pods => found.into_iter().map(|metrics| pod(request, view, metrics)).collect(),
        Of::Containers => found.into_iter().flat_map(|metrics| containers(request, view, metrics)).collect(),
    };
    let millis = |value: Option<f64>| Reverse(value.map(|value| (value * 1000.0) as i64));
    match request.by {
        By::Name => rows.sort_by(|(_, a), (_, b)| a.cmp(b)),
        By::Cpu => rows.sort_by_key(|(usage, _)| millis(usage.cpu)),
        By::Memory => rows.sort_by_key(|(usage, _)| millis(usage.memory)),
    }
    let headers = headers(request).into_iter().map(str::to_owned).collect();
    Ok(Table { headers, rows: rows.into_iter().map(|(_, row)| row).collect() })
}

fn headers(request: &Request) -> Vec<&'static str> {
    let mut headers = match request.of {
        Of::Nodes => return vec!["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"],
        Of::Pods => vec!["NAME", "CPU(cores)", "MEMORY(bytes)"],
        Of::Containers => vec!["POD", "NAME", "CPU(cores)", "MEMORY(bytes)"],
    };
    if request.namespace.is_none() {
        headers.insert(0, "NAMESPACE");
    }
    headers
}

fn node(resources: &ResourceIndex, view: &View<'_>, metrics: &Resource) -> (Usage, Vec<String>) {
    let usage = Usage::of(metrics.body().get("usage"));
    let node = resources.get(&TypeName::new("nodes", ""), None, &metrics.name).map(|id| resources.resource(id));
    let whole = Usage::of(node.and_then(|node| node.body().path(&["status", "allocatable"])));
    let percent = |used: Option<f64>, whole: Option<f64>| match used.zip(whole) {
        Some((used, whole)) if whole > 0.0 => format!("{}%", (used / whole * 100.0) as i64),
        _ => UNKNOWN.to_owned(),
    };
    let row = vec![
        view.text(&metrics.name),
        cores(usage.cpu),
        percent(usage.cpu, whole.cpu),
        bytes(usage.memory),
        percent(usage.memory, whole.memory),
    ];
    (usage, row)
}

fn pod(request: &Request, view: &View<'_>, metrics: &Resource) -> (Usage, Vec<String>) {
    let containers = metrics.body().get("containers").into_iter().flat_map(Node::items);
    let none = Usage { cpu: Some(0.0), memory: Some(0.0) };
    let usage = containers.fold(none, |sum, container| sum.and(Usage::of(container.get("usage"))));
    (usage, of_pod(request, view, metrics, [cores(usage.cpu), bytes(usage.memory)].into()))
}

fn containers(request: &Request, view: &View<'_>, metrics: &Resource) -> Vec<(Usage, Vec<String>)> {
    let containers = metrics.body().get("containers").into_iter().flat_map(Node::items);
    let row = |container: Node<'_>| {
        let usage = Usage::of(container.get("usage"));
        let name = view.text(scalar_at(container, &["name"]).unwrap_or_default());
        (usage, of_pod(request, view, metrics, vec![name, cores(usage.cpu), bytes(usage.memory)]))
    };
    containers.map(row).collect()
}

/// Returns the cells of a pod with its name, and its namespace unless only one is asked for.
fn of_pod(request: &Request, view: &View<'_>, metrics: &Resource, cells: Vec<String>) -> Vec<String> {
    let namespace = metrics.namespace.as_deref().filter(|_| request.namespace.is_none());
    let names = namespace.into_iter().chain([&*metrics.name]).map(|name| view.text(name));
    names.chain(cells).collect()
}

/// Formats thousandths of cores, rounded up as in kubectl.
fn cores(cores: Option<f64>) -> String {
    cores.map_or_else(|| UNKNOWN.to_owned(), |cores| format!("{}m", (cores * 1000.0 - 1e-6).ceil() as i64))
}

fn bytes(bytes: Option<f64>) -> String {
    bytes.map_or_else(|| UNKNOWN.to_owned(), |bytes| format!("{}Mi", (bytes / MEBIBYTE) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Bundle, Limits};

    const METRICS: &str = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '4', memory: 8Gi}}}\n---\n\
        {apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics, metadata: {name: n1}, usage: {cpu: 1000000001n, memory: 2Gi}}\n---\n\
        {apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics, metadata: {name: n2}, usage: {cpu: 250m, memory: 1024Ki}}\n---\n\
        {apiVersion: metrics.k8s.io/v1beta1, kind: PodMetrics, metadata: {name: a, namespace: x}, containers: [{name: p, usage: {cpu: 1m, memory: 3Mi}}, {name: q, usage: {cpu: 2m, memory: 4Mi}}]}\n---\n\
        {apiVersion: metrics.k8s.io/v1beta1, kind: PodMetrics, metadata: {name: b, namespace: y}, containers: [{name: p, usage: {cpu: 5m}}]}\n";

    fn top(text: &str, request: &Request) -> Result<String, NoMetrics> {
        let files = vec![("objects.yaml".to_owned(), text.as_bytes().to_vec())];
        let bundle = Bundle::from_memory("demo", files, Limits::default());
        table(&Opened::read(&bundle, &()), &View::default(), request).map(|table| table.text(true))
    }

    #[test]
    fn nodes_are_measured_by_what_they_can_give() {
        let nodes = Request { of: Of::Nodes, ..Request::default() };
        assert_eq!(
            top(METRICS, &nodes).unwrap(),
            "NAME   CPU(cores)   CPU(%)      MEMORY(bytes)   MEMORY(%)\n\
             n1     1001m        25%         2048Mi          25%\n\
             n2     250m         <unknown>   1Mi             <unknown>\n"
        );
        let one = Request { names: vec!["n2".to_owned()], ..nodes };
        assert_eq!(top(METRICS, &one).unwrap().lines().count(), 2);
    }

    #[test]
    fn pods_are_the_sum_of_their_containers() {
        let pods = Request { of: Of::Pods, by: By::Cpu, ..Request::default() };
        assert_eq!(
            top(METRICS, &pods).unwrap(),
            "NAMESPACE   NAME   CPU(cores)   MEMORY(bytes)\ny           b      5m           <unknown>\nx           a      3m           7Mi\n"
        );
        let containers =
            Request { of: Of::Containers, by: By::Memory, namespace: Some("x".to_owned()), ..Request::default() };
        assert_eq!(
            top(METRICS, &containers).unwrap(),
            "POD   NAME   CPU(cores)   MEMORY(bytes)\na     q      2m           4Mi\na     p      1m           3Mi\n"
        );
    }

    #[test]
    fn missing_metrics_are_told() {
        let pods = Request { of: Of::Pods, ..Request::default() };
        assert!(matches!(
            top("{apiVersion: v1, kind: Node, metadata: {name: n1}}", &pods),
            Err(NoMetrics::NotCollected(_))
        ));
    }
}
