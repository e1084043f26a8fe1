//! Health of pods in the words of `kubectl get pods`.

use crate::expr::{Value, World, display};
use crate::model::Severity;
use crate::resource::{Resource, ResourceId, scalar_at};
use crate::yaml::Node;

/// Returns the trouble of a pod with its severity; none if it is healthy or the bundle does not show it.
pub fn trouble(world: &World, id: ResourceId, pod: &Resource) -> Option<(String, Severity)> {
    if is_left_over(world, pod) {
        return None;
    }
    let row = world.call("columns", &[Value::Resource(id)]).ok()?;
    let cell = |header: &str| display(&world.field(&row, header));
    let status = cell("STATUS")?;
    let ready = cell("READY").unwrap_or_default();
    let severity = severity(&status, &ready)?;
    let mut words = vec![status];
    words.extend((!ready.is_empty()).then(|| format!("{ready} ready")));
    words.extend(cell("RESTARTS").filter(|count| count != "0").map(|count| match count.as_str() {
        "1" => "1 restart".to_owned(),
        count => format!("{count} restarts"),
    }));
    words.extend(last_end(pod.body()));
    Some((words.join(", "), severity))
}

/// Returns true for a pod that failed and that nobody misses: its job is complete, or its controller has all the pods that it wants.
fn is_left_over(world: &World, pod: &Resource) -> bool {
    let failed = scalar_at(pod.body(), &["status", "phase"]) == Some("Failed");
    let owner = pod.owner().filter(|_| failed).and_then(|owner| world.resources.find(&owner));
    owner.is_some_and(has_what_it_wants)
}

fn has_what_it_wants(owner: &Resource) -> bool {
    let count = |keys: &[&str]| scalar_at(owner.body(), keys)?.parse::<u64>().ok();
    let enough = |wanted: Option<u64>, ready: &str| {
        wanted.is_some_and(|wanted| count(&["status", ready]).unwrap_or_default() >= wanted)
    };
    match &*owner.kind {
        "Job" => {
            let conditions = owner.body().path(&["status", "conditions"]);
            let mut conditions = conditions.into_iter().flat_map(Node::items);
            conditions
                .any(|of| scalar_at(of, &["type"]) == Some("Complete") && scalar_at(of, &["status"]) == Some("True"))
        }
        "ReplicaSet" | "StatefulSet" => enough(count(&["spec", "replicas"]), "readyReplicas"),
        "DaemonSet" => enough(count(&["status", "desiredNumberScheduled"]), "numberReady"),
        _ => false,
    }
}

/// Returns how bad the status of a pod is; none for a healthy one.
fn severity(status: &str, ready: &str) -> Option<Severity> {
    let all_ready = ready.split_once('/').is_some_and(|(have, wanted)| have == wanted);
    match status {
        "Completed" | "Succeeded" => None,
        "Running" if all_ready => None,
        "Running" | "Pending" | "ContainerCreating" | "PodInitializing" | "SchedulingGated" => Some(Severity::Medium),
        "Terminating" | "Evicted" | "NodeShutdown" => Some(Severity::Low),
        status if status.starts_with("Init:") && status.contains('/') => Some(Severity::Medium),
        _ => Some(Severity::High),
    }
}

/// Returns the first container of a pod that is not ready: init containers run first.
pub fn container_in_trouble(pod: &Resource) -> Option<String> {
    if (&*pod.group, &*pod.kind) != ("", "Pod") {
        return None;
    }
    let ended_well = |status: &Node<'_>| {
        let code = status.path(&["state", "terminated"]).and_then(|end| scalar_at(end, &["exitCode"]));
        code == Some("0")
    };
    let mut open = statuses(pod.body())
        .filter(|status| status.get("ready").and_then(|ready| ready.as_bool()) == Some(false) && !ended_well(status));
    open.find_map(|status| scalar_at(status, &["name"]).map(str::to_owned))
}

/// Returns the states of the containers of a pod, those of init containers first.
fn statuses(pod: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let lists = ["initContainerStatuses", "containerStatuses"].into_iter();
    lists.filter_map(move |list| pod.path(&["status", list])).flat_map(Node::items)
}

/// Returns how a container ended that is not ready: `last ended OOMKilled (exit code 137)`.
fn last_end(pod: Node<'_>) -> Option<String> {
    let mut ends = statuses(pod).filter(|status| status.get("ready").and_then(|ready| ready.as_bool()) != Some(true));
    ends.find_map(|status| {
        let end = status.path(&["lastState", "terminated"])?;
        let code = scalar_at(end, &["exitCode"])?;
        Some(format!("last ended {} (exit code {code})", scalar_at(end, &["reason"]).unwrap_or("unknown")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_of_kubectl_have_a_severity() {
        for (status, ready, wanted) in [
            ("Running", "1/1", None),
            ("Completed", "0/1", None),
            ("Running", "1/2", Some(Severity::Medium)),
            ("Init:0/2", "0/1", Some(Severity::Medium)),
            ("Init:CrashLoopBackOff", "0/1", Some(Severity::High)),
            ("ImagePullBackOff", "0/1", Some(Severity::High)),
            ("Evicted", "0/1", Some(Severity::Low)),
        ] {
            assert_eq!(severity(status, ready), wanted, "{status} {ready}");
        }
    }
}
