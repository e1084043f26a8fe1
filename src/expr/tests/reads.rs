//! Tests of the fields that a condition read when it held.

use super::fixture::Fixture;

#[test]
fn only_what_decided_is_recorded() {
    let fixture = Fixture::new();
    let rows: [(&str, &[&str]); 32] = [
        ("pod.status.phase == 'Pending'", &["pod:status.phase"]),
        ("self.status.phase == 'Pending'", &["pod:status.phase"]),
        ("'Pending' == pod.status['phase']", &["pod:status.phase"]),
        ("pod.status.phase == 'Running'", &[]),
        ("pod.spec.paused", &["pod:spec.paused"]),
        ("!(pod.spec.replicas > 5)", &["pod:spec.replicas"]),
        ("pod.status.phase == 'Nope' || pod.spec.paused", &["pod:spec.paused"]),
        ("pod.spec.paused || pod.status.phase == 'Pending'", &["pod:spec.paused"]),
        ("pod.spec.paused && pod.status.phase == 'Pending'", &["pod:spec.paused", "pod:status.phase"]),
        ("!(pod.spec.paused && pod.spec.replicas == 1)", &["pod:spec.replicas"]),
        ("!(pod.nope || pod.spec.replicas == 1)", &["pod:", "pod:spec.replicas"]),
        ("pod.spec.nope == null", &["pod:spec"]),
        ("pod.nope.deeper == null", &["pod:"]),
        ("pod.spec.nothing == null", &["pod:spec.nothing"]),
        ("pod.metadata.name == 'web-0' && other.metadata.name == 'web'", &["pod:metadata.name", "other:metadata.name"]),
        ("pod.spec.containers.exists(c, c.restartCount > 3)", &["pod:spec.containers.1.restartCount"]),
        (
            "pod.spec.containers.exists(c, c.name == 'side' && c.restartCount > 3)",
            &["pod:spec.containers.1.name", "pod:spec.containers.1.restartCount"],
        ),
        ("pod.spec.containers.all(c, c.name != 'x')", &["pod:spec.containers.0.name", "pod:spec.containers.1.name"]),
        ("!pod.spec.containers.all(c, c.name == 'main')", &["pod:spec.containers.1.name"]),
        ("!pod.spec.emptyList.exists(c, c.name == 'main')", &["pod:spec.emptyList"]),
        ("size(pod.spec.containers.filter(c, c.restartCount > 3)) == 1", &["pod:spec.containers.1.restartCount"]),
        (
            "pod.spec.containers.filter(c, c.restartCount > 3)[0].image != null",
            &["pod:spec.containers.1.image", "pod:spec.containers.1.restartCount"],
        ),
        ("'side' in pod.spec.containers.map(c, c.name)", &["pod:spec.containers.0.name", "pod:spec.containers.1.name"]),
        ("443 in pod.spec.containers[0].ports", &["pod:spec.containers.0.ports"]),
        ("pod.spec.mixed.exists(x, x == 'two')", &["pod:spec.mixed.1"]),
        ("claim.exists(k, v, v.state == 'error')", &["claim:spec.engines.e-2.state"]),
        ("condition(pod, 'Ready').status == 'False'", &["pod:status.conditions.0.status"]),
        ("condition(pod, 'Nope') == null", &["pod:status.conditions"]),
        (
            "get('configmaps', pod.metadata.namespace, 'settings').data.url != null",
            &["-settings:data.url", "pod:metadata.namespace"],
        ),
        ("owner(pods[1]) == null", &["pods:metadata.ownerReferences"]),
        ("setting('longhorn', 'over-provisioning', 100) > 120", &["-over-provisioning:value"]),
        ("pod.spec.paused ? pod.spec.replicas == 3 : pod.spec.half == 1", &["pod:spec.paused", "pod:spec.replicas"]),
    ];
    for (text, wanted) in rows {
        assert_eq!(fixture.reads(text), wanted, "{text}");
    }
}

#[test]
fn a_value_shows_its_fields() {
    let fixture = Fixture::new();
    let rows: [(&str, &[&str]); 5] = [
        ("pod.spec.replicas + 1", &["pod:spec.replicas"]),
        ("condition(pod, 'Ready').lastTransitionTime", &["pod:status.conditions.0.lastTransitionTime"]),
        ("json(pod.spec.config).a", &["pod:spec.config"]),
        ("pod.spec.engines.map(k, v, v.size).sum()", &["pod:spec.engines.e-1.size", "pod:spec.engines.e-2.size"]),
        ("pod.spec.paused ? pod.spec.replicas : 0", &["pod:spec.paused", "pod:spec.replicas"]),
    ];
    for (text, wanted) in rows {
        let mut reads = Vec::new();
        fixture.expr(text).reads(&fixture.world, &fixture.values(), &mut reads);
        let found: Vec<String> = reads.iter().map(|read| fixture.describe(read)).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn reads_are_bounded() {
    let fixture = Fixture::new();
    let mut reads = Vec::new();
    let text = "lists.range(5000).all(x, pod.spec.replicas < x || pod.spec.half < x || pod.spec.paused)";
    fixture.expr(text).trace(&fixture.world, &fixture.values(), &mut reads);
    assert_eq!(reads.len(), 3);
}
