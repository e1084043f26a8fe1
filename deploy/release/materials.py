"""Writes what a release is made of: a CycloneDX 1.5 bill of materials, and the licences of all that is linked in.

Reads `cargo metadata` (offline), Cargo.lock and the sources in cargo's cache; the same sources give the same bytes.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tomllib
import uuid

LICENCE_NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")


def metadata(target):
    """Returns the packages of a target by id, the graph by id, and the id of the program."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--offline", "--features=parquet", f"--filter-platform={target}"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    graph = {node["id"]: node for node in told["resolve"]["nodes"]}
    return {package["id"]: package for package in told["packages"]}, graph, told["resolve"]["root"]


def linked(graph, root):
    """Returns what the program links, and the edges: normal dependencies only, neither tests nor build scripts nor macros' own."""
    edges, open_ids = {}, [root]
    while open_ids:
        current = open_ids.pop()
        if current in edges:
            continue
        deps = [dep["pkg"] for dep in graph[current]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        edges[current] = sorted(deps)
        open_ids.extend(deps)
    return edges


def checksums():
    lock = tomllib.loads(pathlib.Path("Cargo.lock").read_text())
    return {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksum):
    found = {
        "type": "application" if package["source"] is None else "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
    }
    if package["description"]:
        found["description"] = " ".join(package["description"].split())
    if package["license"]:
        # Older manifests separate alternatives by a slash.
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum:
        found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return found


def sbom(packages, edges, root):
    sums = checksums()
    components = {i: component(packages[i], sums.get((packages[i]["name"], packages[i]["version"]))) for i in edges}
    program = components.pop(root)
    ordered = sorted(components.values(), key=lambda found: found["bom-ref"])
    graph = [{"ref": purl(packages[i]), "dependsOn": sorted({purl(packages[d]) for d in deps})} for i, deps in edges.items()]
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    content = json.dumps([program, ordered])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "version": 1,
        "metadata": {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": program},
        "components": ordered,
        "dependencies": sorted(graph, key=lambda node: node["ref"]),
    }


def licence_files(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(LICENCE_NAMES))


def licences(packages, edges, root):
    """Returns each package with its licence; equal texts stand once, behind all packages that have them."""
    texts = {}
    rows = []
    for package in sorted((packages[i] for i in edges if i != root), key=purl):
        files = licence_files(package)
        rows.append(f"{package['name']} {package['version']}: {package['license'] or 'see its text'}")
        for path in files:
            text = "\n".join(line.rstrip() for line in path.read_text(errors="replace").splitlines()).strip()
            texts.setdefault(text, []).append(f"{package['name']} {package['version']} ({path.name})")
        if not files:
            print(f"note: {package['name']} {package['version']} ships no licence text", file=sys.stderr)
    parts = ["gleaner contains these libraries.\n", "\n".join(rows)]
    parts += [f"{'=' * 80}\n" + "\n".join(users) + f"\n{'-' * 80}\n{text}" for text, users in texts.items()]
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--licences", required=True)
    parser.add_argument("--sbom", required=True)
    parser.add_argument("targets", nargs="+")
    args = parser.parse_args()
    packages, edges, root = {}, {}, None
    for target in args.targets:
        of_target, graph, root = metadata(target)
        packages.update(of_target)
        for node, deps in linked(graph, root).items():
            edges[node] = sorted(set(deps) | set(edges.get(node, [])))
    pathlib.Path(args.sbom).write_text(json.dumps(sbom(packages, edges, root), indent=2, ensure_ascii=False) + "\n")
    pathlib.Path(args.licences).write_text(licences(packages, edges, root))


if __name__ == "__main__":
    main()
