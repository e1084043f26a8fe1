//! Conditions on which known issues of upgrades depend, as far as objects answer them.

use crate::model::Lang;
use crate::model::inventory::{Shown, Upgrade};
use crate::model::version::Range;
use crate::resource::{Resource, ResourceIndex, TypeName, scalar_at};
use crate::rule::UpgradeTable;
use crate::rule::upgrades::{Condition, KnownIssue};

const MACHINES: &str = "virtualmachineinstances.kubevirt.io";
const HARVESTER_SETTINGS: &str = "settings.harvesterhci.io";
const LONGHORN_SETTINGS: &str = "settings.longhorn.io";

/// What conditions are answered from.
pub(super) struct Cluster<'a> {
    pub resources: &'a ResourceIndex,
    pub upgrades: &'a Shown<Upgrade>,
}

impl Cluster<'_> {
    /// Returns the conditions of an issue that hold, and those without an answer; none if one does not hold.
    pub(super) fn conditions(
        &self,
        table: &UpgradeTable,
        issue: &KnownIssue,
        lang: Lang,
    ) -> Option<(Vec<String>, Vec<String>)> {
        let (mut because, mut depends_on) = (Vec::new(), Vec::new());
        for condition in table.conditions.iter().filter(|condition| issue.conditions.contains(&condition.id)) {
            match self.holds(condition) {
                Some(true) => because.push(condition.means.in_language(lang)),
                Some(false) => return None,
                None => depends_on.push(condition.means.in_language(lang)),
            }
        }
        Some((because, depends_on))
    }

    /// Returns none if the bundle does not answer it.
    fn holds(&self, condition: &Condition) -> Option<bool> {
        if let Some(versions) = &condition.installed {
            return self.was_older(versions);
        }
        match condition.id.as_str() {
            "two-nodes" => self.collected("nodes").then(|| self.resources.all("nodes").count() == 2),
            "storage-network" => self.setting(HARVESTER_SETTINGS, "storage-network", |value| !value.is_empty()),
            "custom-certificate" => self.setting(HARVESTER_SETTINGS, "ssl-certificates", names_certificate),
            "rwx-on-storage-network" => {
                let name = "storage-network-for-rwx-volume-enabled";
                self.setting(LONGHORN_SETTINGS, name, |value| value == "true")
            }
            "rwx-volumes" => self.any("volumes.longhorn.io", is_shared),
            "container-disks" => self.any(MACHINES, has_container_disk),
            "guest-clusters" => self.any(MACHINES, is_node_of_guest),
            "other-default-class" => self.any("storageclasses.storage.k8s.io", is_other_default),
            "monitoring" => self.any("addons.harvesterhci.io", is_enabled_monitoring),
            _ => None,
        }
    }

    /// An earlier Upgrade from one of these versions shows it; that there is none shows nothing, because Upgrades are deleted.
    fn was_older(&self, versions: &Range) -> Option<bool> {
        let mut earlier = self.upgrades.items.iter().filter_map(|upgrade| upgrade.previous_version.as_deref());
        earlier.any(|version| versions.contains(version) == Some(true)).then_some(true)
    }

    fn collected(&self, name: &str) -> bool {
        self.resources.collected_by_name(&TypeName::parse(name), None).complete()
    }

    fn any(&self, name: &str, fits: fn(&Resource) -> bool) -> Option<bool> {
        let found = self.resources.all(name).any(fits);
        (found || self.collected(name)).then_some(found)
    }

    fn setting(&self, kind: &str, name: &str, fits: fn(&str) -> bool) -> Option<bool> {
        let setting = self.resources.all(kind).find(|setting| &*setting.name == name)?;
        Some(scalar_at(setting.body(), &["value"]).is_some_and(fits))
    }
}

/// The setting is JSON: `{"ca":"...","publicCertificate":"...","privateKey":"..."}`, or `{}` without a certificate of one's own.
fn names_certificate(setting: &str) -> bool {
    setting.contains("publicCertificate") && !setting.contains(r#""publicCertificate":"""#)
}

fn is_shared(volume: &Resource) -> bool {
    let body = volume.body();
    scalar_at(body, &["spec", "accessMode"]) == Some("rwx") && scalar_at(body, &["spec", "migratable"]) != Some("true")
}

fn has_container_disk(machine: &Resource) -> bool {
    let volumes = machine.body().path(&["spec", "volumes"]);
    volumes.into_iter().flat_map(|list| list.items()).any(|volume| volume.get("containerDisk").is_some())
}

/// Label of pkg/util/constants.go of harvester/harvester.
fn is_node_of_guest(machine: &Resource) -> bool {
    scalar_at(machine.body(), &["metadata", "labels", "harvesterhci.io/creator"])
        == Some("docker-machine-driver-harvester")
}

fn is_other_default(class: &Resource) -> bool {
    let is_default = ["metadata", "annotations", "storageclass.kubernetes.io/is-default-class"];
    &*class.name != "harvester-longhorn" && scalar_at(class.body(), &is_default) == Some("true")
}

fn is_enabled_monitoring(add_on: &Resource) -> bool {
    &*add_on.name == "rancher-monitoring" && scalar_at(add_on.body(), &["spec", "enabled"]) == Some("true")
}
