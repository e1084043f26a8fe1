"""Runs the commands of compare.sh in turn and prints medians and ratios."""

import math
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

# A definition for each literal with the literal as its hint, as hotsos writes them: lines without it are told apart before the
# pattern is tried.
SEARCHKIT = """
import pathlib, re, sys
from searchkit import FileSearcher, SearchDef
literals = open(sys.argv[1]).read().splitlines()
searcher = FileSearcher()
files = [str(path) for path in pathlib.Path(sys.argv[2]).rglob("*") if path.is_file()]
for literal in literals:
    definition = SearchDef(".*" + re.escape(literal), hint=re.escape(literal))
    for path in files:
        searcher.add(definition, path)
print(len(searcher.run()))
"""

# Seconds after which a run is stopped and counted as that long.
LONGEST = 120
# One run of a command that takes longer than so many seconds is enough to tell.
SLOW = 10


def commands(folder, bundle, gleaner):
    tree, literals = folder / "tree", folder / "literals"
    yield "gleaner, HTML written", [gleaner, "analyze", bundle, "-o", folder / "report.html", "--quiet"]
    yield "gleaner, one thread", [gleaner, "analyze", bundle, "-o", folder / "report.html", "--quiet", "--threads", "1"]
    yield "unzip -tq", ["unzip", "-tq", bundle]
    ripgrep = pathlib.Path(sys.executable).parent / "rg"
    if ripgrep.exists():
        yield "ripgrep, same literals", [ripgrep, "-cF", "-f", literals, tree]
    elif shutil.which("rg"):
        yield "ripgrep, same literals", ["rg", "-cF", "-f", literals, tree]
    else:
        print("skipped: no ripgrep (see pip's messages)", file=sys.stderr)
    try:
        import searchkit  # noqa: F401
    except ImportError:
        print("skipped: no searchkit (see pip's messages)", file=sys.stderr)
        return
    script = folder / "searchkit_run.py"
    script.write_text(SEARCHKIT)
    yield "searchkit, same literals", [sys.executable, script, literals, tree]


def seconds(command):
    """How long a command runs; endless if it is stopped, with all that it started."""
    begin = time.perf_counter()
    words = [str(word) for word in command]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        _, errors = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return math.inf
    # ripgrep says 1 when nothing is found, unzip 1 for warnings.
    if process.returncode > 1:
        sys.exit(f"{command[0]} failed: {errors.decode(errors='replace')[-500:]}")
    return time.perf_counter() - begin


def shown(value):
    return f"more than {LONGEST} s" if math.isinf(value) else f"{value:.3f} s"


def main():
    rounds, folder, bundle, gleaner = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    compared = list(commands(folder, bundle, gleaner))
    times = {name: [] for name, _ in compared}
    for _ in range(rounds):
        for name, command in compared:
            if not times[name] or times[name][-1] < SLOW:
                times[name].append(seconds(command))
    own = statistics.median(times[compared[0][0]])
    print("| command | runs | median | fastest | times gleaner |")
    print("|---|---|---|---|---|")
    for name, found in times.items():
        median = statistics.median(found)
        ratio = f"more than {LONGEST / own:.0f}" if math.isinf(median) else f"{median / own:.2f}"
        print(f"| {name} | {len(found)} | {shown(median)} | {shown(min(found))} | {ratio} |")


main()
