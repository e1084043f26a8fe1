//! Collects what redaction must know: machines that any object names, serial numbers, and hosts that are Services.

use crate::eval::Input;
use crate::model::Identities;
use crate::model::identities::{is_machine, names_host, names_serial};
use crate::resource::Resource;
use crate::yaml::{Kind, Node};

/// Namespace of the leases that nodes renew; a lease is named after its node.
const LEASES: &str = "kube-node-lease";

/// Reads all objects, and the nodes to which files and logs belong.
pub fn of(input: &Input) -> Identities {
    let mut found = Identities::default();
    let resources = &input.world.resources;
    for id in resources.types().iter().flat_map(|type_| resources.of_type(type_)) {
        Collector { object: resources.resource(*id), found: &mut found }.collect();
    }
    found.hosts.extend(input.files.iter().filter_map(|file| file.node.clone()));
    found.hosts.extend(input.logs.boots().keys().cloned());
    found.hosts.retain(|name| is_name(name));
    found
}

/// One object and where its names go.
struct Collector<'c> {
    object: &'c Resource,
    found: &'c mut Identities,
}

impl Collector<'_> {
    fn collect(&mut self) {
        let Resource { kind, namespace, name, .. } = self.object;
        if is_machine(kind) || namespace.as_deref() == Some(LEASES) {
            self.found.hosts.insert(name.to_string());
        } else if &**kind == "Service" {
            self.found.services.insert(name.to_string());
        }
        self.value("", "", self.object.body());
        self.object.cells().into_iter().for_each(|cells| self.value("", "", cells));
    }

    /// Reads a value below `key`, which is below `above`. Readers have bounded the depth.
    fn value(&mut self, above: &str, key: &str, value: Node<'_>) {
        match value.kind() {
            Kind::Mapping => value.entries().for_each(|(inner, value)| self.value(key, &inner, value)),
            Kind::Sequence => value.items().for_each(|item| self.value(above, key, item)),
            _ if names_serial(key) => {
                self.found.serials.insert(value.text().to_owned());
            }
            _ if self.is_host(above, key) => {
                self.found.hosts.insert(value.text().to_owned());
            }
            _ => {}
        }
    }

    /// Returns true for keys of machines, columns of tables, hosts of events, and addresses of a node, one of which is
    /// its name.
    fn is_host(&self, above: &str, key: &str) -> bool {
        let is_address = key == "address" && &*self.object.kind == "Node";
        // Pods of a StatefulSet have their own name there.
        let is_pods = key == "hostname" && &*self.object.kind == "Pod";
        (names_host(key) && !is_pods) || is_address || key == "NODE" || (above, key) == ("source", "host")
    }
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
        && name.contains(|c: char| c.is_ascii_alphabetic())
}
