//! An upgrade through Tiller created a ConfigMap and then failed. Helm 2 compares every later upgrade with the last revision that
//! was deployed, does not find the ConfigMap there, and refuses.

use serde_json::{Value, json};

use crate::generate::clock::{INSTALLED, Moment, NOW, SECOND};
use crate::generate::helm2::{Revision, Status};
use crate::generate::log::Topic;
use crate::generate::workload::Workload;
use crate::generate::world::World;

const CREATED: &str = "billing-features";
const IMAGE: &str = "registry.example.net/apps/billing:3.4.0";
const SERVICE_REFUSED: &str = "Service \"billing\" is invalid: spec.ports[1].name: Duplicate value: \"main\"";
const NAME_REFUSED: &str = "no ConfigMap with the name \"billing-features\" found";

/// Revisions: when they were made, their state, version of the chart, and why they failed.
const HISTORY: [(i64, Status, &str, &str); 5] = [
    (INSTALLED + 5 * 3600, Status::Superseded, "0.9.0", ""),
    (INSTALLED + 6 * 86_400, Status::Deployed, "0.9.2", ""),
    (NOW - 85 * 60, Status::Failed, "0.10.0", SERVICE_REFUSED),
    (NOW - 69 * 60, Status::Failed, "0.10.1", NAME_REFUSED),
    (NOW - 32 * 60, Status::Failed, "0.10.1", NAME_REFUSED),
];

/// When the objects of the story were made.
pub fn created(namespace: &str, name: &str) -> Option<i64> {
    match (namespace, name) {
        ("default", CREATED) => Some(HISTORY[2].0),
        ("kube-system", record) => {
            let number: usize = record.strip_prefix("billing.v")?.parse().ok()?;
            HISTORY.get(number.checked_sub(1)?).map(|revision| revision.0)
        }
        _ => None,
    }
}

/// Adds Tiller, the application and the records of its revisions.
pub fn add(world: &mut World) {
    install_tiller(world);
    world.config("default", "billing-config", settings());
    world.config("default", CREATED, features());
    world.workload(&Workload {
        namespace: "default",
        name: "billing",
        labels: &[("app", "billing"), ("release", "billing")],
        containers: &[("billing", IMAGE, Topic::Application)],
        services: &[("billing", 80, 8080)],
        config: "billing-config",
        ..Workload::default()
    });
    for (number, (at, status, version, failure)) in (1..).zip(HISTORY) {
        let description = match (status, number) {
            (Status::Failed, _) => format!("Upgrade \"billing\" failed: {failure}"),
            (_, 1) => "Install complete".to_owned(),
            _ => "Upgrade complete".to_owned(),
        };
        world.tiller_record(&Revision {
            release: "billing",
            namespace: "default",
            number,
            status,
            at,
            chart: ("billing", version),
            description: &description,
            manifest: manifest(status == Status::Failed, number == 3),
        });
    }
}

/// Tiller as its guide for production has it: with certificates, and with rights in two namespaces only.
fn install_tiller(world: &mut World) {
    world.workload(&Workload {
        namespace: "kube-system",
        name: "tiller-deploy",
        labels: &[("app", "helm"), ("name", "tiller")],
        containers: &[("tiller", "ghcr.io/helm/tiller:v2.17.0", Topic::Tiller)],
        services: &[("tiller-deploy", 44134, 44134)],
        account: "tiller",
        ..Workload::default()
    });
    for namespace in ["default", "kube-system"] {
        let body = json!({
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
            "subjects": [{"kind": "ServiceAccount", "name": "tiller", "namespace": "kube-system"}],
        });
        world.add("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", namespace, "tiller", body);
    }
}

/// Changes an object before it is written.
pub fn edit(namespace: &str, kind: &str, name: &str, object: &mut Value) {
    let container = match (namespace, kind) {
        ("kube-system", "Deployment" | "ReplicaSet") => &mut object["spec"]["template"]["spec"]["containers"][0],
        ("kube-system", "Pod") => &mut object["spec"]["containers"][0],
        _ => return,
    };
    if name.starts_with("tiller-deploy") {
        container["env"] = json!([
            {"name": "TILLER_NAMESPACE", "value": "kube-system"}, {"name": "TILLER_TLS_VERIFY", "value": "1"},
            {"name": "TILLER_TLS_ENABLE", "value": "1"}, {"name": "TILLER_TLS_CERTS", "value": "/etc/certs"},
        ]);
    }
}

fn settings() -> Value {
    json!({"billing.conf": "currency = EUR\nrounding = half-even\n"})
}

fn features() -> Value {
    json!({"features.conf": "invoices.pdf = on\n"})
}

/// What a chart rendered to: with the new ConfigMap or without, with the port that the API refused or without.
fn manifest(new: bool, two_ports: bool) -> String {
    let labels = json!({"app": "billing", "release": "billing"});
    let config = |name: &str, data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data});
    let port = |number: u16| json!({"name": "main", "port": number, "protocol": "TCP", "targetPort": 8080});
    let ports = if two_ports { vec![port(80), port(8080)] } else { vec![port(80)] };
    let mut objects = vec![config("billing-config", settings())];
    if new {
        objects.push(config(CREATED, features()));
    }
    objects.push(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "billing", "labels": labels},
        "spec": {"ports": ports, "selector": labels},
    }));
    objects.push(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "billing", "labels": labels},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "billing", "image": IMAGE}]}},
        },
    }));
    objects.iter().map(|object| format!("---\n{object}\n")).collect()
}

/// What Tiller wrote of the upgrades.
pub fn tell(world: &mut World) {
    let mut lines = Vec::new();
    for (number, (at, status, _, failure)) in (1..).zip(HISTORY) {
        let mut say = |delay: i64, who: &str, text: String| {
            let mut line = format!("[{who}] ");
            Moment::new((at + delay) * SECOND).slashed(&mut line);
            lines.push((at + delay, format!("{line} {text}")));
        };
        if status != Status::Failed {
            continue;
        }
        say(0, "tiller", "preparing update for billing".to_owned());
        say(0, "tiller", "creating updated release for billing".to_owned());
        say(0, "storage", format!("creating release \"billing.v{number}\""));
        say(1, "tiller", "performing update for billing".to_owned());
        say(1, "kube", "building resources from updated manifest".to_owned());
        say(1, "kube", "checking 4 resources for changes".to_owned());
        say(1, "kube", "Looks like there are no changes for ConfigMap \"billing-config\"".to_owned());
        if number == 3 {
            say(2, "kube", format!("Created a new ConfigMap called \"{CREATED}\" in default"));
        }
        say(2, "tiller", format!("warning: Upgrade \"billing\" failed: {failure}"));
        say(2, "storage", format!("updating release \"billing.v{number}\""));
    }
    super::tell(world, "/tiller-deploy-", lines);
}
