#!/usr/bin/env python3
"""Makes fields.txt.zst from a table of the API fields of products.

usage: python3 src/api_fields/fields.py FIELDS.TSV       (needs the program zstd)

The table has four columns, separated by tabs: `group/Kind`, `field.path`, `type`, `versions`. The row with an empty path stands for the
kind, and its type is the plural. `[]` is the element of a list, `{}` the value of a map, `*/ObjectMeta` the `metadata` of every kind.
`string{a|b}` are values that the API enforces, `string(a|b)` those that the source defines.

What is written are three parts, separated by empty lines (`zstd -dc src/api_fields/fields.txt.zst` shows it):

    TYPE[|TYPE]\t[enforced|defined]\t[VALUE|VALUE]     one line a type; lines refer to it by its number from 0
    VERSIONS                                           one line a text of versions; the same
    GROUP/KIND\tPLURAL\tVERSIONS                       a kind, then its fields, indented by a blank for each level:
     NAME\tTYPE[\tVERSIONS]                            a field; without versions it has those of what it is part of
"""

import re
import subprocess
import sys
from pathlib import Path

OUTPUT = Path(__file__).with_name("fields.txt.zst")
# Nothing is known of what is below these.
OPEN = {"object()": "open", "object(recursive)": "open"}
BASES = ["string", "integer", "number", "boolean", "list", "map", "object", "open", "time", "quantity", "duration", "ObjectMeta", "any", "null"]


def parse_type(text):
    """Bases, what the values are, values."""
    values, mark = "", ""
    if text not in OPEN and not text.startswith("?"):
        if match := re.fullmatch(r"(.*?)([({])(.*)[)}]", text):
            text, mark, values = match[1], {"(": "defined", "{": "enforced"}[match[2]], match[3]
    if text.startswith("?"):
        return "any", "", ""
    bases = [OPEN.get(base, "integer" if base == "int" else base) for base in ([text] if text in OPEN else text.split("|"))]
    for base in bases:
        if base not in BASES:
            sys.exit(f"unknown type {base} in {text}")
    return "|".join(dict.fromkeys(bases)), mark, values


class Numbers(dict):
    """Numbers in the order of first use."""

    def __missing__(self, key):
        self[key] = len(self)
        return self[key]


def insert(tree, path, row):
    for name in re.findall(r"[^.\[\]{}]+|\[\]|\{\}", path):
        tree = tree.setdefault(name, [None, {}])
        place, tree = tree, tree[1]
    place[0] = row


def write(tree, depth, around, types, versions, lines):
    for name, (row, inner) in sorted(tree.items()):
        if row is None:
            sys.exit(f"{name} has fields and no row of its own")
        line = f"{' ' * depth}{name}\t{types[parse_type(row[0])]}"
        lines.append(line if row[1] == around else f"{line}\t{versions[row[1]]}")
        write(inner, depth + 1, row[1], types, versions, lines)


def main():
    kinds = {}
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        kind, path, type_, versions = line.split("\t")
        known = kinds.setdefault(kind, [None, {}])
        if path:
            insert(known[1], path, (type_, versions))
        else:
            known[0] = (type_, versions)
    types, versions, lines = Numbers(), Numbers(), []
    for kind, (row, tree) in sorted(kinds.items()):
        plural, all_versions = row or ("", "kubernetes")
        lines.append(f"{kind}\t{plural}\t{versions[all_versions]}")
        write(tree, 1, all_versions, types, versions, lines)
    parts = ["\t".join(one) for one in types], versions, lines
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    subprocess.run(["zstd", "-q", "-f", "-19", "-o", OUTPUT], input=text.encode(), check=True)
    print(f"{len(kinds)} kinds, {len(lines) - len(kinds)} fields, {len(text)} bytes, compressed {OUTPUT.stat().st_size}")


main()
