#!/usr/bin/env bash
# Analyses hostile bundles in full size with the release build and prints a Markdown table of what it cost.
#
# Usage: benches/hostile.sh [GLEANER]      default: target/release/gleaner, which must have been built
# Linux only: the peak of memory is read from /proc while the program runs.
set -euo pipefail
cd "$(dirname "$0")/.."
gleaner=$(realpath "${1:-target/release/gleaner}")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gleaner-hostile.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# Peak of resident memory in KiB of a process, until it ends.
watch_memory() {
    local peak=0 now
    while now=$(awk '/^VmHWM:/ {print $2}' "/proc/$1/status" 2>/dev/null) && [ -n "$now" ]; do
        peak=$now
        sleep 0.01
    done
    echo "$peak"
}

measure() {
    local name=$1 bundle=$2 what=$3 begin end pid peak code=0
    begin=$(date +%s%N)
    "$gleaner" analyze "$bundle" -o "$folder/$name.json" --quiet 2>"$folder/$name.err" &
    pid=$!
    peak=$(watch_memory "$pid")
    wait "$pid" || code=$?
    end=$(date +%s%N)
    local told
    if [ "$code" = 0 ]; then
        told=$(tr -d '\n' <"$folder/$name.json" | grep -o '"issues": *\[[^]]*\]' | grep -o '"message": *"[^"]*"' | head -2 | sed 's/"message": *//' | cut -c -160 | paste -sd ';' || true)
    else
        told=$(head -1 "$folder/$name.err" | cut -c -160)
    fi
    awk -v what="$what" -v code="$code" -v ns=$((end - begin)) -v kib="$peak" -v told="${told//|//}" \
        'BEGIN {printf "| %s | %s | %.1f s | %d MB | %s |\n", what, code, ns / 1e9, kib / 1024, told}'
    rm -f "$bundle"
}

cargo build --quiet --example hostile
echo "| hostile input | exit code | time | peak memory | what the user is told |"
echo "|---|---|---|---|---|"
target/debug/examples/hostile "$folder" | while IFS=$'\t' read -r name bundle what; do
    measure "$name" "$bundle" "$what"
done
