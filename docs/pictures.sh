#!/usr/bin/env bash
# Takes pictures of the page of a sample with chromium: docs/pictures.sh GLEANER FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
gleaner="$(realpath "$1")"
folder="$2"
sample="${SAMPLE:-samples/stale-managed-chart}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
"$gleaner" analyze "$sample" -o "$work/report.html" --quiet
"$gleaner" analyze "$sample" -o "$work/zh.html" --lang zh --quiet

shot() { # PAGE HEIGHT NAME
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size="1200,$2" --screenshot="$work/$3.png" "file://$work/$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  cp "$work/$3.png" "$folder/$3.png"
}
shot report.html 560 report
shot report.html 2600 report-long
shot zh.html 900 report-zh
