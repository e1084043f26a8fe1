#!/usr/bin/env bash
# run.sh MINUTES [TARGET...]: fuzzes all targets (or those) for so long each, as many at a time as there are cores (or JOBS).
# New inputs go to fuzz/corpus/<target>, crashes and slow inputs to fuzz/artifacts/<target>, logs to fuzz/artifacts/<target>.log.
# Prints a table; exit code 1 if any target failed on an input. TOOLCHAIN and SANITIZER choose another compiler or `none`.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:?usage: fuzz/run.sh MINUTES [TARGET...]}
shift
toolchain=${TOOLCHAIN:-nightly} sanitizer=${SANITIZER:-address} jobs=${JOBS:-$(nproc)}
# SQLite's amalgamation defines some tables twice, which ends every target before its first input.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_odr_violation=0}
[ $# -gt 0 ] || set -- $(cd fuzz/fuzz_targets && ls | sed 's/\.rs$//')

cargo "+$toolchain" fuzz build --sanitizer "$sanitizer"
host=$(rustc "+$toolchain" -vV | sed -n 's/^host: //p')
program="${CARGO_TARGET_DIR:-fuzz/target}/$host/release"

fuzz() {
    local target=$1 made="fuzz/artifacts/$1"
    mkdir -p "$made" "fuzz/corpus/$target"
    # -fork=1 goes on after a crash, a timeout or too much memory, and keeps each.
    "$program/$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 \
        -max_total_time=$((minutes * 60)) -rss_limit_mb=3000 -timeout=25 -artifact_prefix="$made/" > "$made.log" 2>&1 || true
}
# Neither folder needs to be there.
before() { { find "fuzz/$1/$2" -type f 2> /dev/null || true; } | wc -l; }

declare -A units crashes
for target in "$@"; do
    units[$target]=$(before corpus "$target") crashes[$target]=$(before artifacts "$target")
done
for target in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    fuzz "$target" &
done
wait

failed=0
printf '| %-16s | %12s | %9s | %7s |\n' target runs 'new units' crashes
printf '|%s|%s:|%s:|%s:|\n' ------------------ ------------- ---------- --------
for target in "$@"; do
    # Each report of the parent begins with the number of runs: `#12345: cov: ...`.
    runs=$(sed -n 's/^#\([0-9]*\): cov.*/\1/p' "fuzz/artifacts/$target.log" | tail -1)
    found=$(($(before artifacts "$target") - crashes[$target]))
    printf '| %-16s | %12s | %9s | %7s |\n' "$target" "${runs:-0}" $(($(before corpus "$target") - units[$target])) "$found"
    [ "$found" -eq 0 ] && [ -n "$runs" ] || failed=1
done
exit $failed
