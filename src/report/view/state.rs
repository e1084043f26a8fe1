//! States of virtual machines, volumes, disks and nodes, and how serious they are.

use std::borrow::Cow;

use serde::Serialize;

use crate::model::inventory::{Claim, Disk, Machine, NodeState, Replica, Upgrade, Volume};
use crate::report::lexicon::phrase::{self, Phrase};

/// Level of a state; the worse, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Good,
    /// The bundle does not show it.
    Unknown,
    /// In progress or degraded.
    Warn,
    Bad,
}

/// State in words, with its level. Templates translate the word with `term`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct State<'a> {
    pub word: Cow<'a, str>,
    pub level: Level,
}

impl<'a> State<'a> {
    /// Returns a state in words of gleaner.
    pub fn new(word: Phrase, level: Level) -> Self {
        Self { word: word.english().into(), level }
    }

    /// Returns a state in the word of the cluster, which is translated if it has a phrase.
    pub fn named(word: impl Into<Cow<'a, str>>, level: Level) -> Self {
        Self { word: word.into(), level }
    }
}

/// Returns the state for `status.printableStatus`, by KubeVirt's list of values.
pub fn of_machine(machine: &Machine) -> State<'_> {
    match (&machine.status, &machine.instance) {
        (Some(status), _) => State::named(status.as_str(), printable(status)),
        (None, Some(instance)) => match instance.phase.as_deref() {
            Some("Running") => State::new(phrase::RUNNING, Level::Good),
            Some("Failed") => State::new(phrase::PHASE_FAILED, Level::Bad),
            Some("Succeeded") => State::new(phrase::ENDED, Level::Good),
            Some(other) => State::named(other, Level::Warn),
            None => State::new(phrase::UNKNOWN, Level::Unknown),
        },
        (None, None) => State::new(phrase::UNKNOWN, Level::Unknown),
    }
}

fn printable(status: &str) -> Level {
    match status {
        "Running" | "Stopped" => Level::Good,
        "Paused"
        | "Provisioning"
        | "Starting"
        | "Stopping"
        | "Terminating"
        | "Migrating"
        | "WaitingForVolumeBinding"
        | "WaitingForReceiver" => Level::Warn,
        "Unknown" => Level::Unknown,
        // CrashLoopBackOff, ErrorUnschedulable, ErrImagePull, ImagePullBackOff, ErrorPvcNotFound, DataVolumeError.
        _ => Level::Bad,
    }
}

/// Returns the state of a claim and the volume behind it: the first broken link of the chain.
pub fn of_claim(claim: &Claim) -> State<'_> {
    match claim.phase.as_deref() {
        _ if claim.exists == Some(false) => State::new(phrase::NO_CLAIM, Level::Bad),
        _ if claim.exists.is_none() => State::new(phrase::CLAIMS_NOT_COLLECTED, Level::Unknown),
        Some("Lost") => State::new(phrase::LOST, Level::Bad),
        _ if claim.volume_exists == Some(false) => State::new(phrase::NO_PERSISTENT_VOLUME, Level::Bad),
        _ if claim.longhorn_exists == Some(false) => State::new(phrase::NO_LONGHORN_VOLUME, Level::Bad),
        Some("Bound") => State::new(phrase::BOUND, Level::Good),
        Some(phase) => State::named(phase, Level::Warn),
        None => State::new(phrase::UNKNOWN, Level::Unknown),
    }
}

/// Returns the state of a Longhorn volume. A detached volume has no robustness, which is normal.
pub fn of_volume(volume: &Volume) -> State<'_> {
    let robustness = volume.robustness.as_deref();
    match (volume.state.as_deref(), robustness) {
        _ if !volume.exists => State::new(phrase::DOES_NOT_EXIST, Level::Bad),
        (_, Some("faulted")) => State::new(phrase::FAULTED, Level::Bad),
        (_, Some("degraded")) => State::new(phrase::DEGRADED, Level::Warn),
        (Some("attached"), Some("healthy")) => State::new(phrase::HEALTHY, Level::Good),
        (Some("detached"), _) => State::new(phrase::DETACHED, Level::Good),
        (Some(state), _) => State::named(state, Level::Warn),
        (None, _) => State::new(phrase::UNKNOWN, Level::Unknown),
    }
}

/// Returns the state of a replica. A stopped replica is normal (its volume is detached) unless it failed.
pub fn of_replica(replica: &Replica) -> State<'_> {
    match (replica.failed_at.is_some(), replica.state.as_deref()) {
        (true, _) => State::new(phrase::FAILED, Level::Bad),
        (_, Some("error")) => State::new(phrase::ERROR, Level::Bad),
        (_, Some(state @ ("running" | "stopped"))) => State::named(state, Level::Good),
        (_, Some(state)) => State::named(state, Level::Warn),
        (_, None) => State::new(phrase::UNKNOWN, Level::Unknown),
    }
}

/// Returns the state of a Longhorn disk.
pub fn of_disk(disk: &Disk) -> State<'static> {
    match (disk.ready, disk.schedulable, disk.allowed) {
        (Some(false), ..) => State::new(phrase::NOT_READY, Level::Bad),
        (_, Some(false), _) => State::new(phrase::NOT_SCHEDULABLE, Level::Warn),
        (_, _, Some(false)) => State::new(phrase::SCHEDULING_DISABLED, Level::Warn),
        (Some(true), ..) => State::new(phrase::READY, Level::Good),
        (None, ..) => State::new(phrase::UNKNOWN, Level::Unknown),
    }
}

/// Returns the state of a node.
pub fn of_node(node: &NodeState) -> State<'static> {
    match node.ready {
        Some(false) => State::new(phrase::NOT_READY, Level::Bad),
        None => State::new(phrase::UNKNOWN, Level::Unknown),
        Some(true) if !node.pressures.is_empty() => State::named(node.pressures.join(", "), Level::Warn),
        Some(true) if node.cordoned => State::new(phrase::READY_CORDONED, Level::Warn),
        Some(true) => State::new(phrase::READY, Level::Good),
    }
}

/// Returns the state of an upgrade.
pub fn of_upgrade(upgrade: &Upgrade) -> State<'_> {
    match (upgrade.completed, upgrade.state.as_deref()) {
        (Some(true), _) => State::new(phrase::COMPLETED, Level::Good),
        (Some(false), _) => State::new(phrase::FAILED, Level::Bad),
        (None, Some(state)) => State::named(state, Level::Warn),
        (None, None) => State::new(phrase::UNKNOWN, Level::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::inventory::Instance;

    #[test]
    fn a_broken_chain_names_its_first_broken_link() {
        let whole = Claim { name: "c".into(), exists: Some(true), phase: Some("Bound".into()), ..Claim::default() };
        assert_eq!(of_claim(&whole), State::new(phrase::BOUND, Level::Good));
        let lost = Claim { volume_exists: Some(false), longhorn_exists: Some(false), ..whole.clone() };
        assert_eq!(of_claim(&lost), State::new(phrase::NO_PERSISTENT_VOLUME, Level::Bad));
        let unseen = Claim { exists: None, phase: None, ..whole };
        assert_eq!(of_claim(&unseen).level, Level::Unknown);
    }

    #[test]
    fn detached_volumes_are_not_in_trouble() {
        let volume = |state: &str, robustness: &str| Volume {
            state: Some(state.into()),
            robustness: Some(robustness.into()),
            exists: true,
            ..Volume::default()
        };
        assert_eq!(of_volume(&volume("detached", "unknown")).level, Level::Good);
        assert_eq!(of_volume(&volume("detached", "faulted")).level, Level::Bad);
        assert_eq!(of_volume(&volume("attached", "unknown")).level, Level::Warn);
        assert_eq!(of_volume(&Volume { exists: true, ..Volume::default() }).level, Level::Unknown);
        assert_eq!(of_volume(&Volume::default()), State::new(phrase::DOES_NOT_EXIST, Level::Bad));
    }

    #[test]
    fn unknown_states_of_kubevirt_count_as_trouble() {
        let machine = |status: &str| Machine { status: Some(status.into()), ..Machine::default() };
        assert_eq!(of_machine(&machine("ErrorUnschedulable")).level, Level::Bad);
        assert_eq!(of_machine(&machine("Stopped")).level, Level::Good);
        let alone = Machine {
            instance: Some(Instance { phase: Some("Failed".into()), ..Instance::default() }),
            ..Machine::default()
        };
        assert_eq!(of_machine(&alone).level, Level::Bad);
    }
}
