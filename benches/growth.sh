#!/usr/bin/env bash
# How time and memory grow with the bundle: one of the size of a real one (9 MB of dumps, 42 MB of logs) and one ten times as large, both
# generated, so everybody measures the same. Prints medians against `unzip -tq`, how often the larger one takes the time of the smaller one, and
# the peak of memory against its goal of 1.5 x the bytes of the dumps + 200 MB.
#
# Usage: benches/growth.sh [ROUNDS]      GLEANER names the program, target/release/gleaner by default
# Runs alternate, so that whatever else the machine does meets all of them alike. Takes about 150 MB below TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
gleaner=$(realpath "${GLEANER:-target/release/gleaner}")
folder=$(mktemp -d "${TMPDIR:-/tmp}/gleaner-growth.XXXXXX")
trap 'rm -rf "$folder"' EXIT

synthetic() { cargo run --quiet --release -p gleaner-fixtures -- --nodes 3 --seed 7 "$@"; }
synthetic --objects 3700 --log-bytes 41500000 -o "$folder/one.zip"
synthetic --objects 37000 --log-bytes 415000000 -o "$folder/ten.zip"

exec python3 benches/growth.py "${1:-5}" "$folder" "$gleaner"
