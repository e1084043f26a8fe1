#!/usr/bin/env bash
# Analyses hostile bundles in full size with the release build and prints two Markdown tables: what each cost, and how the
# time and memory for very many objects of one kind grow with their number.
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
    "$gleaner" analyze "$bundle" -o "$folder/$name.json" -o "$folder/$name.html" --quiet 2>"$folder/$name.err" &
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

# Time in ms and peak in MiB of one bundle.
cost() {
    local begin pid peak
    begin=$(date +%s%N)
    "$gleaner" analyze "$1" -o "$folder/crowd.json" -o "$folder/crowd.html" --quiet 2>/dev/null &
    pid=$!
    peak=$(watch_memory "$pid")
    wait "$pid" || true
    echo "$((($(date +%s%N) - begin) / 1000000)) $((peak / 1024))"
    rm -f "$1"
}

# With 20 times as many objects, n log n takes 28 times as long.
cargo build --quiet --example crowds
echo
echo "| very many | 1,000 | 5,000 | 20,000 | peak memory | 20,000 to 1,000 |"
echo "|---|---|---|---|---|---|"
target/debug/examples/crowds "$folder" 1000 5000 20000 | while IFS=$'\t' read -r _ size bundle what; do
    read -r ms peak < <(cost "$bundle")
    case $size in
        1000) first=$ms && row="| $what | $ms ms" ;;
        5000) row="$row | $ms ms" ;;
        20000) awk -v row="$row" -v ms="$ms" -v peak="$peak" -v first="$first" \
            'BEGIN {printf "%s | %s ms | %s MB | %.1f x |\n", row, ms, peak, ms / first}' ;;
    esac
done
