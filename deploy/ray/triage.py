#!/usr/bin/env python3
"""Analyses an archive of support bundles on a Ray cluster, with gleaner.

Each task analyses one shard of the archive into a store of its own on the local disk of its node and returns the store;
the driver merges what comes back. Tasks of nodes that die run again elsewhere. Inputs must be readable by every node
under the same path (a shared folder), or lie in an object store (s3://bucket/prefix, with a gleaner built with `s3`).

    ray job submit --working-dir deploy/ray -- python triage.py /mnt/tickets --store /mnt/results/tickets.db
    python triage.py tickets/ --store tickets.db        # a cluster of this machine's processors

Options of `gleaner triage` follow after `--`:

    python triage.py tickets/ --store tickets.db -- --bundle-time 5m --rules my-rules
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import ray

# Exit code of gleaner for an invalid rule: trying again is of no use.
INVALID_RULE = 4


class Failed(Exception):
    """gleaner ended with an error that another attempt may not meet, such as a disk without room or a share that is not there."""


def analyse(gleaner, inputs, shard, options):
    """Analyses one shard, `K/N`, and returns its store as bytes and what gleaner told.

    Invalid rules give None and the error, since Ray would only repeat it.
    """
    with tempfile.TemporaryDirectory(prefix="gleaner-") as folder:
        store = pathlib.Path(folder, "shard.db")
        command = [gleaner, "triage", *inputs, "--store", str(store), "--shard", shard, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        told = done.stdout + done.stderr
        if done.returncode == INVALID_RULE:
            return None, told
        if done.returncode != 0:
            raise Failed(f"shard {shard} ended with code {done.returncode}: {told}")
        return store.read_bytes(), told


def merge(gleaner, store, shard, content):
    """Takes the store of a shard into the one of all; doing it twice changes nothing."""
    with tempfile.NamedTemporaryFile(prefix="gleaner-", suffix=".db") as part:
        part.write(content)
        part.flush()
        done = subprocess.run([gleaner, "triage", "merge", "--store", store, "--quiet", part.name],
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"error: shard {shard} cannot be merged: {done.stderr.strip()}")


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", metavar="DIR|BUNDLE|LIST|s3://...")
    parser.add_argument("--store", required=True, help="the store that takes in all shards; made if it is not there")
    parser.add_argument("--shards", type=int, help="tasks; by default four for each processor of the cluster")
    parser.add_argument("--cpus", type=int, default=1, help="processors of a task")
    parser.add_argument("--memory", type=int, default=2, help="GiB of a task; tasks wait for room")
    parser.add_argument("--retries", type=int, default=3, help="how often a shard is tried again")
    parser.add_argument("--gleaner", default="gleaner", help="the program, as the nodes find it")
    parser.add_argument("--address", help="the cluster; by default the one this runs on, else this machine alone")
    # What follows after `--` is for gleaner.
    at = given.index("--") if "--" in given else len(given)
    return parser.parse_args(given[:at]), given[at + 1:]


def main(given):
    args, options = arguments(given)
    ray.init(address=args.address, log_to_driver=False, logging_level="warning")
    shards = args.shards or max(1, 4 * int(ray.cluster_resources().get("CPU", 1) / args.cpus))
    task = ray.remote(num_cpus=args.cpus, memory=args.memory << 30, max_retries=args.retries,
                      retry_exceptions=[Failed])(analyse)
    options = ["--threads", str(args.cpus), *options]
    waiting = {task.remote(args.gleaner, args.inputs, f"{k}/{shards}", options): f"{k}/{shards}" for k in range(shards)}
    failed = []
    while waiting:
        # One at a time: stores need room while they are merged.
        [done], _ = ray.wait(list(waiting), num_returns=1)
        shard = waiting.pop(done)
        try:
            content, told = ray.get(done)
        except (Failed, ray.exceptions.RayError) as error:
            failed.append(shard)
            print(f"error: shard {shard}: {error}", file=sys.stderr)
            continue
        if content is None:
            for other in waiting:
                ray.cancel(other)
            sys.exit(told.strip())
        merge(args.gleaner, args.store, shard, content)
        print(f"{shards - len(waiting)} of {shards} shards", flush=True)
    if failed:
        sys.exit(f"error: {len(failed)} of {shards} shards failed: {', '.join(sorted(failed))}; the others are in "
                 f"{args.store}, run it again")


if __name__ == "__main__":
    main(sys.argv[1:])
