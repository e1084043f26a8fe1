#!/bin/sh
# Makes the seeds in fuzz/seeds/<target>/ of our own samples and tests. They are small and few: a fuzzer makes more of them
# in fuzz/corpus, and `cargo test --test fuzz_smoke` runs them. The same files give the same seeds.
set -eu
export LC_ALL=C TZ=UTC
cd "$(dirname "$0")/.."
corpus=fuzz/seeds
rm -rf "$corpus"

# seed TARGET FILE...: copies of files, named by their paths.
seed() {
    target=$1
    shift
    for file in "$@"; do cp "$file" "$corpus/$target/$(echo "$file" | tr '/ ' '__')"; done
}

# behind TARGET NAME TEXT FILE...: the same with a text before each, and a name before theirs.
behind() {
    target=$1 name=$2 text=$3
    shift 3
    for file in "$@"; do
        { printf '%b' "$text"; cat "$file"; } > "$corpus/$target/$name-$(echo "$file" | tr '/ ' '__')"
    done
}

# few N FOLDER... -name GLOB: N files of at most 2 KB, from everywhere.
few() {
    number=$1
    shift
    find "$@" -type f -size -2049c -size +0c | sort > "$list"
    awk -v all="$(wc -l < "$list")" -v number="$number" 'int(NR * number / all) != int((NR - 1) * number / all)' "$list"
}
list=$(mktemp)

for target in fuzz/fuzz_targets/*.rs; do mkdir -p "$corpus/$(basename "$target" .rs)"; done

seed rule_file $(few 8 rules tests/language -name '*.yaml') rules/known-lines/common.yaml
seed yaml_documents $(few 8 samples tests/language tests/rules -name '*.yaml')
seed yaml_readers $(few 8 samples tests/language tests/rule-errors -name '*.yaml')

logs=$(few 3 samples tests -name '*.log')
behind log_times file '\000' $logs
behind log_times unit '\017' $logs
behind log_templates file '\000' $logs
behind log_templates unit '\003' $logs
behind log_scan two 'error|fail\nlost (?<x>\\w+)\n\n' $logs

# The report above is one mapping; these are what kubectl and programs write, on lines and on one line.
cat > "$corpus/json_documents/list" <<'END'
{
  "apiVersion": "v1",
  "items": [
    {"kind": "Pod", "metadata": {"name": "web-0", "labels": {}}, "spec": {"n": [1, -2.5e3, true, null, "\u00e9\n"]}}
  ],
  "kind": "List"
}
END
tr -d '\n' < "$corpus/json_documents/list" > "$corpus/json_documents/line"
cat > "$corpus/json_documents/ndjson" <<'END'
{"level":"info","msg":"a"}
{"level":"error","msg":"b","err":{"code":3}}
[]
END

# One rule of CRE for each shape of its body.
cre() {
    {
        printf 'rules:\n  - cre: {id: CRE-2030-0001, severity: 1, title: A fault, references: ["https://a.example/b"]}\n'
        printf '    rule:\n      %s\n' "$2"
    } > "$corpus/cre_file/$1"
}
cre set 'set: {event: {source: cre.log.rabbitmq}, match: [{value: "disk is (nearly) full"}]}'
cre set-several 'set: {event: {source: cre.log.nats}, window: 1m30s, match: [first text, {regex: "a+ b", count: 2}]}'
cre set-jq "set: {event: {source: cre.log.rabbitmq}, match: [{jq: '.level == \"error\"'}]}"
cre sequence 'sequence: {event: {source: cre.log.rabbitmq}, window: 30s, order: [alpha, {value: beta, count: 3}],
        negate: [gamma, {value: delta, anchor: 1, window: 15s, slide: -2s}]}'
cre terms 'set: {event: {source: cre.log.rabbitmq}, match: [full]}
terms:
  full: {regex: "queue [a-z]+ is full"}'

printf 'pods\nNAMESPACE     NAME     READY   STATUS    RESTARTS      AGE    IP         NODE\nkube-system   etcd-a   1/1     Running   2 (3d ago)    7d3h   10.0.0.1   a\n' > "$corpus/kubectl_table/pods"
printf 'nodes\nNAME   STATUS   ROLES    AGE    VERSION\na      Ready    <none>   7d3h   v1.32.7+rke2r1\n' > "$corpus/kubectl_table/nodes"
printf 'events\nLAST SEEN   TYPE      REASON    OBJECT      MESSAGE\n5m          Warning   BackOff   pod/web-0   Back-off restarting\n\nNo resources found\n' > "$corpus/kubectl_table/events"

# The first byte says what the rest is taken for: descriptions, releases of Helm, values, a stream, any file, a dump.
objects() {
    printf '%b' "$2" > "$corpus/objects/$1"
}
objects described '\0000Name:         web-0\nNamespace:    shop\nNode:         a/10.0.0.1\nLabels:       app=web\nStatus:       Running\nContainers:\n  web:\n    Image:   nginx:1\n    State:   Waiting\n      Reason:  CrashLoopBackOff\nEvents:\n  Type     Reason   Age   From     Message\n  ----     ------   ----  ----     -------\n  Warning  BackOff  5m    kubelet  Back-off\n'
objects described-node '\0004Name:               a\nRoles:              etcd\nConditions:\n  Type   Status  Reason\n  ----   ------  ------\n  Ready  False   KubeletNotReady\nCapacity:\n  cpu:  4\n'
objects described-any '\0024Name:         pvc-2\nNamespace:    longhorn-system\nAPI Version:  longhorn.io/v1beta2\nKind:         Volume\nMetadata:\n  Creation Timestamp:  2025-02-10T09:00:00Z\nStatus:\n  Conditions:\n    Status:    False\n    Type:      Scheduled\n    Status:    True\n    Type:      Restored\n  Robustness:  degraded\n\n\nName:            web\nNamespace:       shop\nReplicas:        3 desired | 1 updated | 4 total\nStrategyType:    RollingUpdate\nEvents:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n  Warning  Failed  3m (x8 over 41m)  controller  no  room\n'
objects releases '\0010[{"name":"web","namespace":"shop","revision":"3","status":"failed","chart":"web-1.2.3","app_version":"1.2"}]'
objects values '\0014shop/settings:\n  key: value\n'
objects stream '\0020{"kind":"PodList","apiVersion":"v1","items":[]}\n==== START ====\n{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}\n'
objects any '\0024NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          5m\n'
objects table '\0030{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"},{"name":"Ready"},{"name":"Age"}],"rows":[{"cells":["web-0","1/1","5m"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web-0","namespace":"shop","creationTimestamp":"2024-03-06T22:00:00Z"}}}]}'
objects metadata '\0031{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"metadata":{"name":"web-0","uid":"1"}}]}'
objects little-memory '\0230kind: List\nitems:\n- {kind: Pod, metadata: {name: a}}\n- {kind: Pod, metadata: {name: b}}\n'

{
    printf '\000'
    for word in START END; do printf '==== %s logs for container web of pod shop/web-0 ====\nReady\n' "$word"; done
} > "$corpus/sections/logs"
printf '\000==== START logs for container db of pod shop/db-0 ====\nRequest log error: waiting\n' > "$corpus/sections/no-log"
printf '\001#==[ Command ]===#\n# /bin/df -h\nSize\n#==[ Log File ]===#\n# /var/log/messages - Last 500 Lines\nlate\n#==[ Configuration File ]===#\n# /etc/chrony.conf - File not found\n' > "$corpus/sections/supportconfig"

if python3 -c 'import yaml' 2> /dev/null; then
    python3 fuzz/seed_bundles.py
else
    echo 'no seeds for whole_bundle: they need PyYAML (pip install pyyaml)' >&2
fi

# One line of each format, from the table of the unit test.
sed -n 's/^ *"\(.*\)",$/\1/p; s/^ *("[^"]*", "\(.*\)", Some(.*$/\1/p' src/log/tests/formats.rs | sed 's/\\"/"/g; s/\\t/\t/g' > "$corpus/log_times/formats"
grep -n . "$corpus/log_times/formats" | awk 'NR % 3 == 1' | while IFS=: read -r number line; do
    printf '\014%s\nnext\n%s\n' "$line" "$line" > "$corpus/log_times/format-$number"
done

printf 'yamls/cluster/v1/nodes.yaml\nb/../../etc/passwd\n/abs\nC:\\x\\y\n./a//b\n' > "$corpus/entry_path/names"

# Requests as kubectl sends them: method and target, accepted forms, body.
request() { printf '%s\n%s\n' "$2" "$3" > "$corpus/api_request/$1"; }
request discovery 'GET /apis?timeout=32s' 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'
request list_table 'GET /api/v1/namespaces/demo/pods?limit=500&includeObject=Object' 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
request selectors 'GET /api/v1/pods?labelSelector=app%20in%20%28web%2Cdb%29%2C%21x&fieldSelector=spec.nodeName%3Dn1%2Cmetadata.name%21%3Db&continue=0' 'application/json'
request watch 'GET /api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=5&watch=true' 'application/json'
request log 'GET /api/v1/namespaces/demo/pods/a/log?container=x&tailLines=5&sinceSeconds=60&limitBytes=9&timestamps=true' '*/*'
request log_since 'GET /api/v1/namespaces/demo/pods/a/log?sinceTime=2024-03-10T11:00:00Z&previous=true' ''
request object 'GET /api/v1/namespaces/demo/pods/a' 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
request delete 'DELETE /api/v1/namespaces/demo/pods/a' 'application/json'
request schema 'GET /openapi/v3/apis/apps/v1' 'application/json'
for form in json protobuf; do request "review_$form" 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews' 'application/json'; done
printf '{"spec":{"resourceAttributes":{"verb":"list","resource":"pods"}}}' >> "$corpus/api_request/review_json"
printf 'k8s\000\022\020\022\016\012\014\022\004list\052\004pods' >> "$corpus/api_request/review_protobuf"

# A sample in each container.
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$list"' EXIT
# What names the collector, a dump and a log.
for file in metadata.yaml $(cd samples/healthy && few 1 yamls -name '*.yaml') $(cd samples/healthy && few 1 logs -name '*.log'); do
    mkdir -p "$folder/bundle/$(dirname "$file")"
    cp "samples/healthy/$file" "$folder/bundle/$file"
done
find "$folder/bundle" -exec touch -d 2024-01-01T00:00:00Z {} +
cd "$folder"
out="$OLDPWD/$corpus/archive"
tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -b 1 -cf "$out/tar" bundle
gzip -n -c "$out/tar" > "$out/tar.gz"
for packer in xz bzip2 zstd; do
    if command -v "$packer" > /dev/null; then "$packer" -q -c < "$out/tar" > "$out/tar.$packer"; fi
done
(cd bundle && python3 -c "import shutil; shutil.make_archive('inner', 'zip', 'yamls')" && touch -d 2024-01-01T00:00:00Z inner.zip .)
python3 -c "import shutil; shutil.make_archive('outer', 'zip', '.', 'bundle')"
mv outer.zip "$out/zip"

# Members that Deflate64, LZMA and bzip2 pack, and packed files that are no archives.
python3 - "$out" <<'END'
import bz2, gzip, lzma, struct, sys, zipfile, zlib

out, dump = sys.argv[1], b"items:\n- {kind: Node, metadata: {name: a}}\n"
name = b"yamls/cluster/v1/nodes.yaml"


def path(file):
    return f"{out}/{file}"


def member(name):
    return zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))


# Nothing in so short a text repeats over 258 bytes, so its Deflate stream is one of Deflate64, too.
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
data = packer.compress(dump) + packer.flush()
fields = struct.pack("<HHHHHIIIHH", 21, 0, 9, 0, 33, zlib.crc32(dump), len(data), len(dump), len(name), 0)
local = b"PK\3\4" + fields + name + data
central = b"PK\1\2" + struct.pack("<H", 21) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
open(path("zip-deflate64"), "wb").write(local + central + end)

for word, method in ("lzma", zipfile.ZIP_LZMA), ("bzip2", zipfile.ZIP_BZIP2):
    with zipfile.ZipFile(path(f"zip-{word}"), "w", method) as made:
        made.writestr(member(name.decode()), dump * 3)
with zipfile.ZipFile(path("zip-of-packed"), "w", zipfile.ZIP_DEFLATED) as made:
    made.writestr(member("logs/syslog.2.gz"), gzip.compress(b"Jan  1 00:00:01 a kernel: x\n", mtime=0))
    made.writestr(member("logs/a.1.xz"), lzma.compress(b"line\n"))
    made.writestr(member("logs/old"), bz2.compress(b"line\n"))
    made.writestr(member("yamls/cluster/v1/nodes.yaml.gz"), gzip.compress(dump, mtime=0))
open(path("gz-of-text"), "wb").write(gzip.compress(dump, mtime=0))
END
