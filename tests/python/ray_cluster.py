"""Runs deploy/ray/triage.py on a cluster of a head and two workers, and kills one of these in the middle of the run.

    python ray_cluster.py TRIAGE_PY GLEANER INPUT STORE
"""

import subprocess
import sys

from ray.cluster_utils import Cluster

SHARDS = 8


def main(script, gleaner, tickets, store):
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    workers = [cluster.add_node(num_cpus=1, memory=4 << 30) for _ in range(2)]
    command = [sys.executable, script, tickets, "--store", store, "--gleaner", gleaner, "--address", cluster.address,
               "--shards", str(SHARDS), "--memory", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        # Both work when the first shard is in.
        print(run.stdout.readline().strip())
        cluster.remove_node(workers[0], allow_graceful=False)
        print("killed a worker")
        rest = run.stdout.read()
    print(rest.strip())
    cluster.shutdown()
    sys.exit(run.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
