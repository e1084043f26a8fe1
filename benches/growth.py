"""Runs the commands of growth.sh in turn and prints medians, growth and memory."""

import os
import pathlib
import statistics
import subprocess
import sys
import time
import zipfile


def run(command):
    """Seconds, and the peak of memory in MB."""
    begin = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed with status {status}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def sizes(path):
    """MB of dumps and of all entries, and how often the logs are larger than packed; nodes are archives themselves."""
    dumps = everything = logs = packed = 0
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            everything += entry.file_size
            if "/yamls/" in entry.filename:
                dumps += entry.file_size
            elif "/logs/" in entry.filename:
                logs, packed = logs + entry.file_size, packed + entry.compress_size
    return dumps / 1e6, everything / 1e6, logs / packed


def main():
    rounds, folder, gleaner = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    bundles = [folder / "one.zip", folder / "ten.zip"]
    analyze = {path: [gleaner, "analyze", path, "-o", folder / "report.html", "--quiet"] for path in bundles}
    found = {(path, name): [] for path in bundles for name in ("gleaner", "unzip -tq")}
    for _ in range(rounds):
        for path in bundles:
            found[path, "gleaner"].append(run(analyze[path]))
            found[path, "unzip -tq"].append(run(["unzip", "-tq", path]))
    seconds = {key: statistics.median(time for time, _ in runs) for key, runs in found.items()}
    print("| bundle | dumps | outer entries | logs packed | gleaner | unzip -tq | ratio | peak | goal of the peak |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in bundles:
        dumps, everything, packed = sizes(path)
        own, other = seconds[path, "gleaner"], seconds[path, "unzip -tq"]
        peak = max(peak for _, peak in found[path, "gleaner"])
        print(
            f"| {path.stem} | {dumps:.1f} MB | {everything:.1f} MB | {packed:.1f}:1 | {own:.3f} s | {other:.3f} s | {own / other:.2f} "
            f"| {peak:.0f} MB | {1.5 * dumps + 200:.0f} MB |"
        )
    one, ten = (seconds[path, "gleaner"] for path in bundles)
    print(f"\nten times the bundle takes {ten / one:.1f} times the time (goal: at most 10)")


main()
