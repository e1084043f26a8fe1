"""Makes seeds of whole bundles of the tests of the language: fuzz/seeds/whole_bundle/.

A seed is a byte that says which limits are narrow (and, in its highest bits, which rules are asked), and files, each below a
line `### PATH`.
"""
import pathlib
import yaml

OUT = pathlib.Path("fuzz/seeds/whole_bundle")
# Every so many rules of the language's tests gives a seed, unless that is larger than so many bytes.
MANY = 6
LARGEST = 1500
# Of each kind of bundle what tells it from the others, and a little to read.
LAYOUTS = {
    "rancher": {
        "rke2/kubectl/pods": "NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE\ndemo        a      0/1     Error     3          5m\n",
        "rke2/kubectl/nodes": "NAME   STATUS     ROLES    AGE   VERSION\nn1     NotReady   <none>   1d    v1.30.1+rke2r1\n",
        "rke2/podlogs/demo-a": "2025-02-10T07:00:00Z device is slow\n",
        "rke2/kubectl/events": "LAST SEEN   TYPE      REASON    OBJECT   MESSAGE\n5m          Warning   BackOff   pod/a    Back-off\n",
        "systeminfo/hostname": "n1\n",
    },
    "troubleshoot": {
        "version.yaml": "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec: {versionNumber: 0.90.0}\n",
        "cluster-resources/pods/demo.json": '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","namespace":"demo"}}]}',
        "cluster-resources/pods/logs/demo/a/c.log": "2025-02-10T07:00:00Z device is slow\n",
        "cluster-resources/nodes.json": '{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]}',
    },
    "cluster-info": {
        "nodes.json": '{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]}',
        "demo/pods.json": '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","namespace":"demo"}}]}',
        "demo/a/logs.txt": "==== START logs for container c of pod demo/a ====\nslow\n==== END logs for container c of pod demo/a ====\n",
    },
    "supportconfig": {
        "scc_n1_250210_0700/basic-environment.txt": "#==[ Command ]===#\n# /bin/date\nMon Feb 10 07:00:00 UTC 2025\n\n#==[ Configuration File ]===#\n# /etc/os-release\nNAME=\"SLES\"\n",
        "scc_n1_250210_0700/boot.txt": "#==[ Command ]===#\n# /bin/dmesg -T\n[Mon Feb 10 07:00:00 2025] slow\n",
        "scc_n1_250210_0700/messages.txt": "#==[ Log File ]===#\n# /var/log/messages - Last 500 Lines\n2025-02-10T07:00:00+00:00 n1 kernel: slow\n",
    },
    "must-gather": {
        "must-gather.local/version": "openshift/must-gather\nv4.14\n",
        "must-gather.local/namespaces/demo/core/pods.yaml": "apiVersion: v1\nkind: PodList\nitems:\n- {metadata: {name: a, namespace: demo}}\n",
        "must-gather.local/namespaces/demo/pods/a/c/c/logs/current.log": "2025-02-10T07:00:00Z slow\n",
    },
    "files": {
        "get-pods.txt": "NAME   READY   STATUS    RESTARTS   AGE\na      0/1     Error     3          5m\n",
        "pods.json": '{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"},{"name":"Ready"}],"rows":[{"cells":["a","0/1"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"demo"}}}]}',
        "describe-pods.txt": "Name:         a\nNamespace:    demo\nNode:         n1/10.0.0.1\nStatus:       Running\n",
    },
}


def text(files):
    return "".join(f"### {path}\n{content}\n" for path, content in files.items())


def write(name, files):
    (OUT / name).write_bytes(bytes([0]) + text(files).encode())


def place(item):
    """The path that a collector gives the dump of an object."""
    version, kind = item.get("apiVersion", "v1"), item.get("kind", "Thing")
    plural = kind.lower() + ("es" if kind.endswith("s") else "s")
    namespace = item.get("metadata", {}).get("namespace")
    return f"yamls/{f'namespaced/{namespace}' if namespace else 'cluster'}/{version}/{plural}.yaml"


def files_of(case):
    dumps = {}
    for item in case.get("objects") or []:
        if isinstance(item, dict) and "like" not in item:
            dumps.setdefault(place(item), []).append(item)
    files = {path: yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}) for path, items in dumps.items()}
    files.update({path: content for path, content in (case.get("files") or {}).items() if isinstance(content, str)})
    return files


for name, files in LAYOUTS.items():
    write(name, files)
# Rules are dealt out to eight sets in the order of their names.
sets = {path.stem: at % 8 for at, path in enumerate(sorted(pathlib.Path("tests/language/rules").glob("*.yaml")))}
# One case of some rules, each with another narrow limit.
for number, path in enumerate(sorted(pathlib.Path("tests/language/tests/rules").glob("*.yaml"))[::MANY]):
    files = files_of(yaml.safe_load(path.read_text())["cases"][0])
    if files and len(text(files)) < LARGEST:
        narrow = (0, 1, 2, 4, 8)[number % 5]
        (OUT / path.stem).write_bytes(bytes([narrow + (sets.get(path.stem, 0) << 5)]) + text(files).encode())
