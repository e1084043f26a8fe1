#!/usr/bin/env bash
# Builds the documentation site in target/book: every page of docs/, a page for each rule, and pictures of the pages of a sample.
#
#   docs/book.sh [GLEANER]        GLEANER: the program that makes the sample's page (default: target/release/gleaner)
#
# Needs mdBook 0.4 or newer, and chromium for the pictures. GATHER=1 stops before mdBook.
set -euo pipefail
cd "$(dirname "$0")/.."
gleaner="${1:-target/release/gleaner}"
book=target/book-source
rm -rf "$book"
mkdir -p "$book/src"
cp docs/book.toml "$book/"
cp -r docs/*.md docs/rules docs/pictures "$book/src/"

# Pages of the root stand beside the others in the site; README.md is for the checkout only.
cp ARCHITECTURE.md CONTRIBUTING.md SECURITY.md CHANGELOG.md "$book/src/"
sed -i -E 's#\]\(docs/#](#g; s#\]\(\.\./(ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG)\.md#](\1.md#g; s#\]\(\.\./README\.md#](start.md#g' "$book"/src/*.md
# Files of the source are named, not linked.
sed -i -E 's#\[([^]]*)\]\(\.\./(src|deploy)/[^)]*\)#\1#g' "$book"/src/*.md

# mdBook shows, and searches, what the summary names.
(cd "$book/src" && find rules -mindepth 2 -name '*.md' | sort | sed -E 's#(.*/)([^/]*)\.md$#  - [\2](\1\2.md)#') >>"$book/src/SUMMARY.md"

docs/pictures.sh "$gleaner" "$book/src/pictures"
[ "${GATHER:-}" = 1 ] || mdbook build "$book" --dest-dir "$PWD/target/book"
