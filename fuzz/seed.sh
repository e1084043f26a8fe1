#!/bin/sh
# Makes seeds of our own samples and tests: fuzz/corpus/<target>/.
set -eu
cd "$(dirname "$0")/.."
corpus=fuzz/corpus

# seed TARGET FILE...: copies of files, named by their paths; small ones, because large ones only slow a fuzzer down.
seed() {
    target=$1
    shift
    mkdir -p "$corpus/$target"
    for file in "$@"; do
        if [ "$(wc -c < "$file")" -le 65536 ]; then
            cp "$file" "$corpus/$target/$(echo "$file" | tr '/ ' '__')"
        fi
    done
}

# behind TARGET LINE FILE...: the same with a line before each.
behind() {
    target=$1 line=$2
    shift 2
    mkdir -p "$corpus/$target"
    for file in "$@"; do
        { printf '%b' "$line"; head -c 65536 "$file"; } > "$corpus/$target/$(echo "$file" | tr '/ ' '__')"
    done
}

seed rule_file $(find rules tests/language -name '*.yaml')
seed yaml_documents $(find samples rules tests -name '*.yaml')
seed json_documents $(find tests docs samples -name '*.json')
for rule in $(find tests -path '*cre*' -name '*.yaml'); do seed cre_file "$rule"; done

logs=$(find samples tests -name '*.log')
behind log_times '\000' $logs
behind log_times '\017' $logs
behind log_scan 'error|fail\nlost (?<x>\\w+)\n\n' $logs

mkdir -p "$corpus/kubectl_table" "$corpus/log_times" "$corpus/entry_path" "$corpus/archive" "$corpus/cre_file"
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
find "$folder/bundle" -type f -size +8k -delete
cd "$folder"
out="$OLDPWD/$corpus/archive"
tar -cf "$out/tar" bundle
tar -czf "$out/tar.gz" bundle
for packer in xz bzip2 zstd; do
    if command -v "$packer" > /dev/null; then "$packer" -q -c < "$out/tar" > "$out/tar.$packer"; fi
done
if command -v zip > /dev/null; then
    zip -qr inner.zip bundle/logs && cp inner.zip bundle/inner.zip && zip -qr "$out/zip" bundle && mv "$out/zip.zip" "$out/zip" 2> /dev/null || true
else
    python3 -c "import shutil; shutil.make_archive('$out/zip', 'zip', '.', 'bundle')"
fi
