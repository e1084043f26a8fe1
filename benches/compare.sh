#!/usr/bin/env bash
# Compares whole runs on one bundle, side by side: gleaner, `unzip -tq`, ripgrep and hotsos's search engine (searchkit), the
# latter two looking for the same literals in the extracted files. Prints medians and ratios to gleaner as a Markdown table.
#
# Usage: benches/compare.sh BUNDLE.zip [ROUNDS]      GLEANER names the program, target/release/gleaner by default
# ripgrep and searchkit come from PyPI into target/compare, once; what cannot be had is told and left out. Runs alternate, so
# that whatever else the machine does meets all of them alike. Extraction for ripgrep and searchkit is not counted.
set -euo pipefail
bundle=$(realpath "${1:?which bundle?}")
rounds=${2:-7}
cd "$(dirname "$0")/.."
gleaner=$(realpath "${GLEANER:-target/release/gleaner}")
tools=$PWD/target/compare
folder=$(mktemp -d "${TMPDIR:-/tmp}/gleaner-compare.XXXXXX")
trap 'rm -rf "$folder"' EXIT

unzip -qo "$bundle" -d "$folder/tree" || [ $? -le 1 ]
# Nested zips are read by gleaner too.
find "$folder/tree" -name '*.zip' -execdir sh -c 'unzip -qo "$1" -d "$1.d" && rm "$1"' sh {} \;

if [ ! -e "$tools/complete" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" -q install ripgrep searchkit && touch "$tools/complete"
fi || echo "ripgrep and searchkit cannot be installed; what is missing is left out" >&2
# Built with the profile of the tests: it only prints.
cargo bench --quiet --profile dev --bench literals >"$folder/literals"
echo "$(wc -l <"$folder/literals") literals of all rules, $(du -sh --apparent-size "$folder/tree" | cut -f1) in $(find "$folder/tree" -type f | wc -l) files"
echo

"$tools/bin/python" benches/compare.py "$rounds" "$folder" "$bundle" "$gleaner"
