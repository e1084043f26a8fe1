//! When descriptions were printed, as they show: a pod has the time at which it started, and the age of the event of that moment.

use jiff::Timestamp;

use super::common::{events, moment};
use super::outline::{self, Section, View};
use crate::resource::table::parse_age;

/// How the first line of a description begins.
const HEAD: &str = "Name:  ";

/// Returns the time at which the newest of the objects in a text was described; none if no object shows it to the minute.
pub fn time_of(text: &str) -> Option<Timestamp> {
    // Lists of other forms may be large, and have no such line.
    if !text.contains(HEAD) {
        return None;
    }
    time_of_objects(text, &outline::objects(text))
}

/// Returns the same for a text whose objects are known.
pub(super) fn time_of_objects(text: &str, objects: &[Vec<Section>]) -> Option<Timestamp> {
    objects.iter().filter_map(|sections| of_object(View { text, sections })).max()
}

/// Returns when the last container ended that runs no more: one that ends again and again is started after five minutes at most, so the text is
/// not much younger.
pub fn last_end(text: &str) -> Option<Timestamp> {
    let of_object = |sections: &Vec<Section>| {
        let pod = View { text, sections };
        let ended =
            containers(pod).filter(|own| own.value("State").is_some_and(|state| own.slice(&state) != "Running"));
        ended.filter_map(|own| moments(own, "Finished").max()).max()
    };
    outline::objects(text).iter().filter_map(of_object).max()
}

/// The lease and the heartbeats of a node are some seconds or minutes old.
fn of_object(view: View<'_>) -> Option<Timestamp> {
    let renewed = view.below("Lease").value("RenewTime").and_then(|part| moment(view.slice(&part)));
    let table = view.table("Conditions");
    let column = table.names.iter().position(|name| *name == "LastHeartbeatTime");
    let beats = table.rows.iter().filter_map(|row| moment(view.slice(row.get(column?)?)));
    let start = view.value("Start Time").and_then(|part| moment(view.slice(&part)));
    // A kubelet drops events of a container that starts too often, so the last one may be older than the last start.
    let begun =
        since(start, youngest(view, "Scheduled")).or_else(|| since(newest_start(view), youngest(view, "Started")));
    beats.chain([renewed, begun].into_iter().flatten()).max()
}

/// Returns the age of the last event of a reason, in seconds; none if kubectl rounded it to hours or days.
fn youngest(view: View<'_>, reason: &str) -> Option<i64> {
    let such = events(view, None).into_iter().filter(|event| view.slice(&event.reason) == reason);
    let ages = such.map(|event| view.slice(&event.age).trim()).filter(|age| age.ends_with(['s', 'm']));
    ages.filter_map(|age| Some(parse_age(age)?.as_secs())).min()
}

/// Returns when the last container of a pod started.
fn newest_start(pod: View<'_>) -> Option<Timestamp> {
    containers(pod).filter_map(|own| moments(own, "Started").max()).max()
}

fn containers(pod: View<'_>) -> impl Iterator<Item = View<'_>> {
    let lists = ["Init Containers", "Containers"].map(|key| pod.below(key));
    lists.into_iter().flat_map(|list| list.sections.iter().map(move |section| list.of(section)))
}

/// Returns the times of a key in the state of a container and in the one before.
fn moments(own: View<'_>, key: &str) -> impl Iterator<Item = Timestamp> {
    let parts = ["State", "Last State"].map(|state| own.below(state).value(key));
    parts.into_iter().flatten().filter_map(move |part| moment(own.slice(&part)))
}

fn since(then: Option<Timestamp>, seconds: Option<i64>) -> Option<Timestamp> {
    Timestamp::from_second(then?.as_second().checked_add(seconds?)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = "\
Name:             web-0
Namespace:        demo
Start Time:       Thu, 06 Mar 2025 09:00:00 +0100
Status:           Running
Containers:
  web:
    State:          Running
      Started:      Thu, 06 Mar 2025 09:40:00 +0100
    Last State:     Terminated
      Started:      Thu, 06 Mar 2025 09:10:00 +0100
Events:
  Type    Reason     Age                From               Message
  ----    ------     ----               ----               -------
  Normal  Scheduled  1h                 default-scheduler  Successfully assigned demo/web-0 to n1
  Normal  Started    21m (x3 over 55m)  kubelet            Started container web
";

    fn shown(time: Option<Timestamp>) -> String {
        time.map_or_else(String::new, |time| time.to_string())
    }

    #[test]
    fn a_pod_tells_when_it_was_described() {
        assert_eq!(shown(time_of(POD)), "2025-03-06T09:01:00Z");
        let scheduled = POD.replace("1h  ", "46m ").replace("Started ", "Created ");
        assert_eq!(shown(time_of(&scheduled)), "2025-03-06T08:46:00Z");
        let hours = scheduled.replace("46m", "1h ");
        assert_eq!(shown(time_of(&hours)), "", "an hour is not precise");
        assert_eq!(shown(time_of(&POD.replace("  Normal", ""))), "");
    }

    #[test]
    fn a_container_that_is_not_running_ended_a_short_while_ago() {
        let ended = POD.replace(
            "Last State:     Terminated\n",
            "Last State:     Terminated\n      Finished:     Thu, 06 Mar 2025 09:39:00 +0100\n",
        );
        assert_eq!(shown(last_end(&ended)), "");
        assert_eq!(
            shown(last_end(&ended.replace("State:          Running", "State:          Waiting"))),
            "2025-03-06T08:39:00Z"
        );
    }

    #[test]
    fn a_node_tells_the_time_of_its_lease_and_of_its_heartbeats() {
        let lease = "Name:               n1\nLease:\n  HolderIdentity:  n1\n  RenewTime:       Mon, 16 Mar 2026 22:21:06 +0800\n";
        assert_eq!(shown(time_of(lease)), "2026-03-16T14:21:06Z");
        let beats = "Name:  n1\nConditions:\n  Type   Status  LastHeartbeatTime                LastTransitionTime               Reason  Message\n  ----   ------  -----------------                ------------------               ------  -------\n  Ready  True    Mon, 16 Mar 2026 22:20:47 +0800  Mon, 16 Mar 2026 20:00:00 +0800  Ok      fine\n";
        assert_eq!(shown(time_of(beats)), "2026-03-16T14:20:47Z");
    }
}
