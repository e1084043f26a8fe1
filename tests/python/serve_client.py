"""Reads a served bundle with the Python client of Kubernetes; the sample `healthy` is expected."""

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

config.load_kube_config()
core = client.CoreV1Api()

assert client.VersionApi().get_code().git_version.startswith("v1."), "version"
nodes = core.list_node().items
assert [node.metadata.name for node in nodes][0] == "hv-node-1", "nodes"
assert nodes[0].status.capacity["cpu"], "capacity"

pods = core.list_pod_for_all_namespaces().items
some = core.list_pod_for_all_namespaces(label_selector="app.kubernetes.io/part-of=longhorn-system").items
assert 0 < len(some) < len(pods), "selector"
page = core.list_pod_for_all_namespaces(limit=1)
rest = core.list_pod_for_all_namespaces(_continue=page.metadata._continue)
assert len(page.items) + len(rest.items) == len(pods), "pages"

name, namespace = some[0].metadata.name, some[0].metadata.namespace
containers = [container.name for container in some[0].spec.containers]
log = core.read_namespaced_pod_log(name, namespace, container=containers[0], tail_lines=2)
assert len(log.splitlines()) == 2, log

events = list(watch.Watch().stream(core.list_node, timeout_seconds=1))
assert len(events) == len(nodes) and events[0]["type"] == "ADDED", "watch"

volumes = client.CustomObjectsApi().list_cluster_custom_object("longhorn.io", "v1beta2", "volumes")
assert volumes["items"], "custom objects"

try:
    core.delete_namespaced_pod(name, namespace)
    raise AssertionError("a pod was deleted")
except ApiException as error:
    assert error.status == 405, error
