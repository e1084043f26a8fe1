"""Does what the Jobs of deploy/kubernetes do, Pod by Pod, with their own scripts: each index, one of them twice, then the merge.

    python indexed_job.py MANIFESTS GLEANER TICKETS FOLDER

The manifests are checked against the schemas of Kubernetes first. FOLDER takes the place of /stores and of the Pods' /scratch.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import kubernetes_validate
import yaml

SHARDS = 3
# The oldest one in which Jobs retry indexes by themselves without a feature gate, and the newest one with a schema.
VERSIONS = ["1.29", "1.36"]


def job(path):
    """A manifest that every version takes, without a field that it does not know."""
    manifest = yaml.safe_load(path.read_text())
    for version in VERSIONS:
        kubernetes_validate.validate(manifest, version, strict=True)
    return manifest


def run(manifest, gleaner, tickets, folder, **environment):
    """Runs the script of a Pod, with a /scratch of its own."""
    [container] = manifest["spec"]["template"]["spec"]["containers"]
    scratch = folder / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    [script] = container["args"]
    for place, here in [("/tickets", tickets), ("/stores", folder / "stores"), ("/scratch", scratch)]:
        script = script.replace(place + " ", f"{here} ").replace(place + "/", f"{here}/")
    env = {one["name"]: one["value"] for one in container.get("env", [])} | environment
    path = f"{pathlib.Path(gleaner).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([*container["command"], script], env={**env, "PATH": path}, check=True)


def main(manifests, gleaner, tickets, folder):
    folder = pathlib.Path(folder)
    (folder / "stores").mkdir(parents=True)
    triage, merge = (job(pathlib.Path(manifests, name)) for name in ("triage.yaml", "merge.yaml"))
    assert triage["spec"]["completions"] == int(triage["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"])
    for index in [0, 1, 2, 1]:
        run(triage, gleaner, tickets, folder, JOB_COMPLETION_INDEX=str(index), GLEANER_SHARDS=str(SHARDS))
    run(merge, gleaner, tickets, folder)
    run(merge, gleaner, tickets, folder)
    print(sorted(path.name for path in (folder / "stores").iterdir()))


if __name__ == "__main__":
    main(*sys.argv[1:])
