#!/usr/bin/env bash
# How far each stage is from what the machine allows, and from other programs: three Markdown tables, with the versions of all.
#
# Usage: benches/limits.sh BUNDLE.zip [ROUNDS]
# The first table needs this repository only; the others are those of `cargo bench --bench references` and compare.sh. docs/performance.md has
# what it printed once.
set -euo pipefail
bundle=$(realpath "${1:?which bundle?}")
cd "$(dirname "$0")/.."
export GLEANER_BUNDLE=$bundle

version() { cargo pkgid "$1" | sed 's/.*[#@]//'; }
echo "$(rustc --version), $(nproc) processors, libdeflater $(version libdeflater), yaml_serde $(version yaml_serde), serde_json $(version serde_json), regex $(version regex)"
unzip -v | head -n 1
echo
cargo bench --quiet --bench limits
echo
cargo bench --quiet --bench references -- --output-format bencher
echo
cargo build --quiet --release
benches/compare.sh "$bundle" "${2:-25}"
target/compare/bin/pip list 2>/dev/null | grep -E '^(ripgrep|searchkit) ' || true
