#!/usr/bin/env bash
# Measures `gleaner triage` on archives of generated bundles of mixed kinds (3 % damaged, 5 % copies), and how it grows: bundles a
# minute, MB/s, peak memory, size of the store, a second run, a run after one rule changed. Then it kills runs at random moments
# ten times, and merges 1, 3 and 7 shards; each store must equal that of the undisturbed run, row for row.
#
# Usage: benches/triage.sh [TICKETS...]      GLEANER names the program, target/release/gleaner by default; TICKETS are 30 and 300
set -euo pipefail
cd "$(dirname "$0")/.."
gleaner=$(realpath "${GLEANER:-target/release/gleaner}")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gleaner-triage.XXXXXX")
trap 'rm -rf "$folder"' EXIT
[ $# -gt 0 ] || set -- 30 300
cargo build --quiet --release -p gleaner-fixtures
python3 benches/triage.py "$gleaner" "${CARGO_TARGET_DIR:-target}/release/gleaner-fixtures" "$folder" "$@"
