//! Whether a pod runs the program that writes a known line.

use crate::log::SourceOrigin;
use crate::model::known_line::KnownLine;

/// Words that stay the same from which a line is one program's own, wherever it stands: libraries and renamed pods print it, too.
const TELLING: usize = 7;
/// Letters of a word that names a program, at least.
const LETTERS: usize = 3;
/// Words of a component for lines that several programs write.
const ANYONE: [&str; 8] = ["any", "callers", "client", "clients", "client-go", "other", "programs", "servers"];
/// Parts of names that say what a program does and not which one it is.
const ROLES: [&str; 21] = [
    "agent",
    "and",
    "controller",
    "controllers",
    "driver",
    "event",
    "instance",
    "jobs",
    "kube",
    "kubernetes",
    "manager",
    "node",
    "operator",
    "plugin",
    "plugins",
    "pod",
    "pods",
    "provider",
    "server",
    "system",
    "webhook",
];

/// Returns false if a line of `fixed` words is too short to be known in the log of a pod whose namespace, name and container have nothing in
/// common with the component and the product. Logs of nodes and other files may hold the lines of any program.
pub fn may_write(origin: &SourceOrigin, line: &KnownLine, fixed: usize) -> bool {
    let SourceOrigin::Container { namespace, pod, container, .. } = origin else { return true };
    let place = format!("{namespace}/{pod}/{container}").to_lowercase();
    let text = format!("{} {}", line.component, line.product).to_lowercase();
    let mut names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    fixed >= TELLING
        || names.any(|name| {
            ANYONE.contains(&name) || is_part(name, &place) || name.split('-').any(|part| is_part(part, &place))
        })
}

fn is_part(name: &str, place: &str) -> bool {
    name.len() >= LETTERS && !ROLES.contains(&name) && place.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_are_known_where_their_program_runs() {
        let pod = |place: &str| {
            let mut parts = place.split('/').map(str::to_owned);
            let mut part = || parts.next().unwrap();
            SourceOrigin::Container { namespace: part(), pod: part(), container: part(), previous: false }
        };
        for (component, product, place, want) in [
            ("metrics-server", "kubernetes", "kube-system/rke2-metrics-server-7c/metrics-server", true),
            ("metrics-server", "kubernetes", "shop/orders-7c/main", false),
            ("longhorn-engine (controller)", "longhorn", "longhorn-system/instance-manager-e-1/main", true),
            (
                "prometheus-operator",
                "prometheus",
                "cattle-monitoring-system/rancher-monitoring-operator-1/kube-prometheus-stack",
                true,
            ),
            ("importer (CDI)", "cdi", "default/importer-prime-1/importer", true),
            ("node-exporter", "prometheus", "shop/node-1/main", false),
            ("servers in Go", "kubernetes", "shop/orders-7c/main", true),
            ("programs that use client-go", "kubernetes", "shop/orders-7c/main", true),
            ("kube-controller-manager, any operator", "kubernetes", "shop/orders-7c/main", true),
            ("kube-controller-manager", "kubernetes", "shop/storage-controller-0/manager", false),
        ] {
            let line =
                KnownLine { component: component.to_owned(), product: product.to_owned(), ..KnownLine::default() };
            assert_eq!(may_write(&pod(place), &line, 3), want, "{component} in {place}");
            assert!(may_write(&pod(place), &line, TELLING), "{component}: a long line may come from anywhere");
            assert!(may_write(&SourceOrigin::File, &line, 3), "{component}: a file may be of any program");
        }
    }
}
