//! Collector of the SCC operator: single objects in YAML, their descriptions, and logs of the operator's pods.

use super::document_name::document_stem;
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists};

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "SCC operator collector",
    markers: &[&METADATA, &OPERATOR_PODS],
    recognises: |marks| marks.all(&[&METADATA, &OPERATOR_PODS]),
    role: |segments, _| role(segments),
    empty_lists: EmptyLists::Written,
    description: Description::KubectlScript,
    ..CollectorSpec::DEFAULT
};

static METADATA: Marker = Marker::at_root("metadata.txt", |path| matches!(path, ["metadata.txt"]));
static OPERATOR_PODS: Marker =
    Marker::at_root("operator-pods/", |path| matches!(path, ["operator-pods" | "registrations", _, ..]));

/// Returns the role of an entry.
fn role(segments: &[&str]) -> Role {
    let found = match segments {
        ["metadata.txt"] | ["cluster-info", "version.yaml"] => Some(Role::Metadata),
        ["operator-pods", file] if file.ends_with("-logs.txt") || file.ends_with("-logs-previous.txt") => {
            let (name, previous) = match file.strip_suffix("-logs-previous.txt") {
                Some(name) => (name, true),
                None => (file.trim_end_matches("-logs.txt"), false),
            };
            Some(Role::pod_log("", name.trim_start_matches("pod-"), "", previous))
        }
        [_, file] => document_stem(file).map(|_| Role::Objects),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn objects_and_logs() {
        assert_eq!(of("operator-pods/pod-scc-1-logs-previous.txt"), Role::pod_log("", "scc-1", "", true));
        assert_eq!(of("operator-pods/pod-scc-1-logs.txt"), Role::pod_log("", "scc-1", "", false));
        assert_eq!(of("registrations/registration-1.yaml"), Role::Objects);
        assert_eq!(of("cluster-info/version.yaml"), Role::Metadata);
        assert_eq!(of("operator-pods/pod-scc-1-describe.txt"), Role::Other);
    }
}
