"""Makes archives of tickets, runs gleaner triage on them, and compares stores; see triage.sh."""

import io
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from pathlib import Path

SCENARIOS = ["healthy", "stale-managed-chart", "tiller-failed-upgrade", "hook-deleted-configmap", "orphans-behind-webhook"]
RULE = """id: bench-pod-is-there
title: Pod {{ pod.metadata.name }} is there
severity: info
confidence: certain
area: workload
find:
  pod: {resource: pods, where: pod.metadata.name.startsWith('%s')}
message: It is.
impact: None.
cause: Somebody made it.
remedy:
  - do: Leave it.
"""


def generated(fixtures, folder, seed):
    """The files of a bundle of Harvester, without its top folder, and the name of that."""
    path = folder / f"{seed}.zip"
    size = ["200KiB", "1MiB", "4MiB"][seed % 3]
    options = ["--seed", str(seed), "--objects", str(700 + seed % 5 * 300), "--log-bytes", size]
    subprocess.run([fixtures, *options, "--scenario", SCENARIOS[seed % 5], "-o", path], check=True)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    path.unlink()
    top = next(iter(files)).split("/")[0]
    return top, {name.split("/", 1)[1]: data for name, data in files.items()}


def must_gather(files):
    out = {"version": b"openshift/must-gather\n4.14.9\n"}
    for name, data in files.items():
        if match := re.fullmatch(r"yamls/namespaced/([^/]+)/(?:v1|[^/]+/v1)/([^/]+)\.yaml", name):
            out[f"namespaces/{match[1]}/core/{match[2]}.yaml"] = data
        elif match := re.fullmatch(r"yamls/cluster/v1/([^/]+)\.yaml", name):
            out[f"cluster-scoped-resources/core/{match[1]}.yaml"] = data
        elif match := re.fullmatch(r"logs/([^/]+)/([^/]+)/([^/]+)\.log", name):
            out[f"namespaces/{match[1]}/pods/{match[2]}/{match[3]}/{match[3]}/logs/current.log"] = data
    return "must-gather.local.1", out


def troubleshoot(files):
    out = {"version.yaml": b"apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec:\n  versionNumber: v0.95.1\n"}
    for name, data in files.items():
        if match := re.fullmatch(r"yamls/namespaced/([^/]+)/(?:v1|apps/v1)/([^/]+)\.yaml", name):
            out[f"cluster-resources/{match[2]}/{match[1]}.yaml"] = data
        elif match := re.fullmatch(r"yamls/cluster/v1/([^/]+)\.yaml", name):
            out[f"cluster-resources/{match[1]}.yaml"] = data
        elif match := re.fullmatch(r"logs/([^/]+)/([^/]+)/([^/]+)\.log", name):
            out[f"cluster-resources/pods/logs/{match[1]}/{match[2]}/{match[3]}.log"] = data
    return "support-bundle-2025-03-06T10_15_30", out


def longhorn(files):
    keep = re.compile(r"(yamls/namespaced/longhorn-system/|logs/longhorn-system/|yamls/cluster/v1/|metadata\.yaml)")
    return "longhorn-support-bundle_x_2025-03-06T10-15-30Z", {n: d for n, d in files.items() if keep.match(n)}


def by_hand(files):
    return "collected", {name.replace("/", "_"): data for name, data in files.items() if name.startswith("yamls/")}


def zipped(files, top):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{top}/{name}", content)
    return data.getvalue()


def tarred(files, top):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def make(fixtures, folder, tickets):
    """One ticket after the other; the same number gives the same archive."""
    folder.mkdir()
    made = []
    for number in range(tickets):
        ticket = folder / f"{2020 + number % 6}" / f"T-{number:04}"
        ticket.mkdir(parents=True)
        if number % 20 == 19:
            original = made[number * 7 % len(made)]
            shutil.copy(original, ticket / original.name)
            continue
        top, files = generated(fixtures, folder, number)
        shape = number % 10
        if shape in (3, 4, 5, 6):
            top, files = (must_gather, troubleshoot, longhorn, by_hand)[shape - 3](files)
        if shape == 7:
            for name, content in files.items():
                path = ticket / top / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            continue
        if shape == 8:
            nodes = sorted(name for name in files if name.startswith("nodes/"))
            data, name = (files[nodes[0]], nodes[0].split("/")[1]) if nodes else (zipped(files, top), f"{top}.zip")
        elif shape == 9:
            data = zipped({f"{top}.zip": zipped(files, top), "mail.txt": b"It does not work."}, f"T-{number}")
            name = f"T-{number}.zip"
        elif shape in (1, 4):
            data, name = tarred(files, top), f"{top}.tar.gz"
        else:
            data, name = zipped(files, top), f"{top}.zip"
        if number % 33 == 16:
            data = data[: len(data) * 2 // 3]
        (ticket / name).write_bytes(data)
        (ticket / "mail.eml").write_text("Dear support,\n")
        made.append(ticket / name)


def memory(pid, peak, stop):
    """The most that a process and its children held together, in MiB, looked at 20 times a second."""

    def resident(process):
        try:
            status = Path(f"/proc/{process}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
        except (OSError, TypeError):
            return 0

    while not stop.wait(0.05):
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            return
        each = [resident(pid)] + [resident(child) for child in children]
        peak[0] = max(peak[0], sum(each))
        peak[1] = max([peak[1], *each[1:]])
        peak[2] = max(peak[2], each[0])


def triage(gleaner, tickets, store, *more):
    begin = time.monotonic()
    command = [gleaner, "triage", tickets, "--store", store, *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak, stop = [0, 0, 0], threading.Event()
    watcher = threading.Thread(target=memory, args=(process.pid, peak, stop))
    watcher.start()
    said = process.communicate()[0]
    took = time.monotonic() - begin
    stop.set()
    watcher.join()
    assert process.returncode == 0, said
    return took, peak, said


def rows(store):
    """Every row of every table, but for runs and what they took."""
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'runs'")]
    found = set()
    for table in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] not in ("run", "seconds")]
        found |= {(table, *row) for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}")}
    return found


def same(store, other, what):
    one, two = rows(store), rows(other)
    assert one == two, f"{what}: {len(one - two)} rows more, {len(two - one)} less, such as {list((one ^ two))[:2]}"
    print(f"{what}: equal, {len(one)} rows", flush=True)


def bundles(store):
    """Rows of bundles; none while the tables are not made yet."""
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
        made = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'bundles'").fetchone()[0]
        return connection.execute("SELECT count(*) FROM bundles").fetchone()[0] if made else 0
    finally:
        connection.close()


def kill_ten_times(gleaner, tickets, folder, whole):
    chance, kept = random.Random(4711), []
    store = folder / "killed.db"
    for _ in range(10):
        process = subprocess.Popen([gleaner, "triage", tickets, "--store", store, "--quiet"])
        try:
            process.wait(chance.uniform(0.02, whole / 6))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        kept.append(bundles(store) if store.exists() else 0)
    assert kept == sorted(kept), kept
    triage(gleaner, tickets, store)
    same(store, folder / "one.db", f"killed 10 times, with {kept} rows of bundles after each")


def shards(gleaner, tickets, folder):
    for count in (1, 3, 7):
        stores = [folder / f"{count}-{index}.db" for index in range(count)]
        for index, store in enumerate(stores):
            triage(gleaner, tickets, store, "--shard", f"{index}/{count}")
        merged = folder / f"merged-{count}.db"
        begin = time.monotonic()
        subprocess.run([gleaner, "triage", "merge", "--store", merged, *stores, "--quiet"], check=True)
        took = time.monotonic() - begin
        same(merged, folder / "one.db", f"{count} shards merged")
    return took


def measure(gleaner, fixtures, folder, count):
    tickets, rules = folder / "tickets", folder / "rules"
    make(fixtures, tickets, count)
    size = sum(path.stat().st_size for path in tickets.rglob("*") if path.is_file())
    rules.mkdir()
    (rules / "bench-pod-is-there.yaml").write_text(RULE % "web")
    first, peak, said = triage(gleaner, tickets, folder / "ruled.db", "--rules", rules)
    print(said, flush=True)
    second, *_ = triage(gleaner, tickets, folder / "ruled.db", "--rules", rules)
    (rules / "bench-pod-is-there.yaml").write_text(RULE % "api")
    changed, _, again = triage(gleaner, tickets, folder / "ruled.db", "--rules", rules)
    gone, *_ = triage(gleaner, tickets, folder / "ruled.db")
    whole, *_ = triage(gleaner, tickets, folder / "one.db")
    same(folder / "ruled.db", folder / "one.db", "after a rule was changed and taken away")
    kill_ten_times(gleaner, tickets, folder, whole)
    merge = shards(gleaner, tickets, folder)
    store = (folder / "one.db").stat().st_size
    return [
        count, f"{size / 1e6:.0f}", f"{first:.1f}", f"{count * 60 / first:.0f}", f"{size / 1e6 / first:.1f}",
        f"{peak[0]:.0f} ({peak[1]:.0f}, {peak[2]:.0f})", f"{second:.2f}", f"{changed:.1f}", f"{gone:.2f}",
        f"{store / 1024 / count:.0f}", f"{merge:.2f} ({store / 1e6 / merge:.0f})",
    ]  # fmt: skip


def main():
    gleaner, fixtures, folder, *counts = sys.argv[1:]
    table = [
        ["tickets", "MB", "s", "tickets/min", "MB/s", "peak MiB (worker, parent)", "second run s", "one rule changed s",
         "one rule gone s", "store KiB/ticket", "7 shards merged s (MB/s)"],
    ]  # fmt: skip
    for count in map(int, counts):
        place = Path(folder) / str(count)
        place.mkdir()
        table.append(measure(gleaner, fixtures, place, count))
        shutil.rmtree(place)
    print(f"\n{os.cpu_count()} processors\n")
    for number, row in enumerate(table):
        print("| " + " | ".join(map(str, row)) + " |")
        if number == 0:
            print("|" + "---|" * len(row))


main()
