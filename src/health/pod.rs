//! Health of pods in the words of `kubectl get pods`.

use jiff::SignedDuration;

use super::trouble::Trouble;
use crate::expr::{Value, World, display};
use crate::model::Severity;
use crate::resource::{Resource, ResourceId, parse_time, scalar_at, table};
use crate::yaml::Node;

/// Restarts that are many, if there was more than one in each of these times; the same as in the rule about them.
const MANY: u64 = 10;
const SELDOM: SignedDuration = SignedDuration::from_hours(24);
/// A restart this short before the collection may not have been the last one; so may one after a run as short as this.
const RECENT: SignedDuration = SignedDuration::from_hours(1);
/// Exit code of containers that ended with their host.
const ENDED_WITH_HOST: &str = "255";

/// What a pod reports.
#[derive(Default)]
pub struct PodState<'w> {
    /// False if the bundle does not show its status.
    pub is_known: bool,
    pub trouble: Option<Trouble<'w>>,
    /// Restarts and the last end, which change while the trouble stays.
    pub details: Option<String>,
}

/// Returns what a pod reports; `cells` is its row, if a table has it.
pub fn state<'w>(world: &'w World, id: ResourceId, pod: &'w Resource, cells: Option<Node<'w>>) -> PodState<'w> {
    if is_left_over(world, pod) {
        return PodState { is_known: true, ..PodState::default() };
    }
    let row = world.call("columns", &[Value::Resource(id)]);
    let cell = |header: &str| row.as_ref().ok().and_then(|row| display(&world.field(row, header)));
    let Some(status) = cell("STATUS") else { return PodState::default() };
    let ready = cell("READY").unwrap_or_default();
    let rising = || match cells {
        Some(cells) => rising_in_row(cells),
        None => rising_containers(world, pod),
    };
    let (severity, again) = match (severity(&status, &ready), &*status) {
        (None, "Running") => match rising() {
            Some(again) => (Severity::Medium, Some(again)),
            None => return PodState { is_known: true, ..PodState::default() },
        },
        (None, _) => return PodState { is_known: true, ..PodState::default() },
        (Some(severity), _) => (severity, None),
    };
    let mut words = vec![status];
    words.extend((!ready.is_empty()).then(|| format!("{ready} ready")));
    words.extend(again.is_some().then(|| "restarts again and again".to_owned()));
    let mut details: Vec<String> = cell("RESTARTS").filter(|count| count != "0").map(restarts).into_iter().collect();
    details.extend(again.as_ref().map(|(last, _)| format!("the last {last} before the collection")));
    details.extend(last_end(pod.body()));
    let trouble = Trouble { text: words.join(", "), severity, node: again.and_then(|(_, node)| node) };
    let details = Some(details.join(", ")).filter(|details| !details.is_empty());
    PodState { is_known: true, trouble: Some(trouble), details }
}

fn restarts(count: String) -> String {
    if count == "1" { "1 restart".to_owned() } else { format!("{count} restarts") }
}

/// Time of the last restart before the collection, and the place of it.
type Rising<'w> = (String, Option<Node<'w>>);

/// Returns how long ago the last of many restarts was: `311 (40s ago)`.
fn rising_in_row(cells: Node<'_>) -> Option<Rising<'_>> {
    let (count, ago) = scalar_at(cells, &["RESTARTS"])?.split_once(" (")?;
    let ago = ago.strip_suffix(" ago)")?;
    let (count, last) = (count.parse::<u64>().ok()?, table::parse_age(ago)?);
    let age = table::parse_age(scalar_at(cells, &["AGE"])?)?;
    (is_many(count, age) && last < RECENT).then(|| (ago.to_owned(), None))
}

/// Returns how long ago the last of many restarts of a container was.
fn rising_containers<'w>(world: &World, pod: &'w Resource) -> Option<Rising<'w>> {
    let now = world.now?;
    let created = parse_time(scalar_at(pod.body(), &["metadata", "creationTimestamp"])?)?;
    statuses(pod.body()).find_map(|status| {
        let end = status.path(&["lastState", "terminated"])?;
        let count = scalar_at(status, &["restartCount"])?.parse::<u64>().ok()?;
        let ended = parse_time(scalar_at(end, &["finishedAt"])?)?;
        let ran = scalar_at(end, &["startedAt"]).and_then(parse_time).map(|begun| ended.duration_since(begun));
        let often =
            is_many(count, now.duration_since(created)) || (count >= MANY && ran.is_some_and(|ran| ran < RECENT));
        let last = now.duration_since(ended);
        let with_host = scalar_at(end, &["exitCode"]) == Some(ENDED_WITH_HOST);
        (often && last < RECENT && !with_host).then(|| (format!("{}m", last.as_mins()), Some(end)))
    })
}

fn is_many(restarts: u64, age: SignedDuration) -> bool {
    let each = i32::try_from(restarts).ok().and_then(|restarts| SELDOM.checked_mul(restarts));
    restarts >= MANY && each.is_none_or(|each| age < each)
}

/// Returns true for a pod that failed and that nobody misses: its job is complete, its controller has all the pods that it wants, or its
/// virtual machine runs.
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
        // Its guest runs in another pod, after a migration.
        "VirtualMachineInstance" => scalar_at(owner.body(), &["status", "phase"]) == Some("Running"),
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
    fn restarts_are_many_if_there_is_more_than_one_a_day() {
        for (restarts, days, wanted) in [(311, 7, true), (10, 9, true), (10, 10, false), (9, 1, false)] {
            assert_eq!(is_many(restarts, SignedDuration::from_hours(24 * days)), wanted, "{restarts} in {days} days");
        }
        assert!(is_many(u64::MAX, SignedDuration::from_hours(1)));
    }

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
