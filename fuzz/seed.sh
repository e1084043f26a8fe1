#!/bin/sh
# Makes seeds of our own samples and tests: fuzz/corpus/<target>/.
set -eu
cd "$(dirname "$0")/.."
corpus=fuzz/corpus

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

# small FOLDER... -name GLOB: files that are not large, because large ones only slow a fuzzer down.
small() {
    find "$@" -type f -size -32k
}

for target in fuzz/fuzz_targets/*.rs; do mkdir -p "$corpus/$(basename "$target" .rs)"; done

seed rule_file $(small rules tests/language -name '*.yaml')
seed yaml_documents $(small samples tests -name '*.yaml')
seed yaml_readers $(small samples tests -name '*.yaml')
seed json_documents $(small src docs -name '*.json')

logs=$(small samples tests -name '*.log')
behind log_times file '\000' $logs
behind log_times unit '\017' $logs
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

# One line of each format, from the table of the unit test.
sed -n 's/^ *"\(.*\)",$/\1/p; s/^ *("[^"]*", "\(.*\)", Some(.*$/\1/p' src/log/tests/formats.rs | sed 's/\\"/"/g; s/\\t/\t/g' > "$corpus/log_times/formats"
grep -n . "$corpus/log_times/formats" | while IFS=: read -r number line; do
    printf '\014%s\nnext\n%s\n' "$line" "$line" > "$corpus/log_times/format-$number"
done

printf 'yamls/cluster/v1/nodes.yaml\nb/../../etc/passwd\n/abs\nC:\\x\\y\n./a//b\n' > "$corpus/entry_path/names"

# A sample in each container.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r samples/healthy "$folder/bundle"
find "$folder/bundle" -type f -size +4k -delete
find "$folder/bundle" -type f | sort | awk 'NR % 12' | tr '\n' '\0' | xargs -0 rm
find "$folder/bundle" -type d -empty -delete
cd "$folder"
out="$OLDPWD/$corpus/archive"
tar -cf "$out/tar" bundle
tar -czf "$out/tar.gz" bundle
for packer in xz bzip2 zstd; do
    if command -v "$packer" > /dev/null; then "$packer" -q -c < "$out/tar" > "$out/tar.$packer"; fi
done
(cd bundle && python3 -c "import shutil; shutil.make_archive('inner', 'zip', 'yamls')")
python3 -c "import shutil; shutil.make_archive('outer', 'zip', '.', 'bundle')"
mv outer.zip "$out/zip"
