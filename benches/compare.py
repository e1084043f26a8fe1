"""Runs the commands of compare.sh in turn and prints medians and ratios."""

import pathlib
import shutil
import statistics
import subprocess
import sys
import time

SEARCHKIT = """
import re, sys
from searchkit import FileSearcher, SearchDef
literals = open(sys.argv[1]).read().splitlines()
searcher = FileSearcher()
for literal in literals:
    searcher.add(SearchDef(".*" + re.escape(literal)), sys.argv[2] + "/**/*")
print(len(searcher.run()))
"""


def commands(folder, bundle, gleaner):
    tree, literals = folder / "tree", folder / "literals"
    yield "gleaner, HTML written", [gleaner, "analyze", bundle, "-o", folder / "report.html", "--quiet"]
    yield "gleaner, one thread", [gleaner, "analyze", bundle, "-o", folder / "report.html", "--quiet", "--threads", "1"]
    yield "unzip -tq", ["unzip", "-tq", bundle]
    ripgrep = folder / "venv/bin/rg"
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
    begin = time.perf_counter()
    run = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # ripgrep says 1 when nothing is found, unzip 1 for warnings.
    if run.returncode > 1:
        sys.exit(f"{command[0]} failed: {run.stderr.decode(errors='replace')[-500:]}")
    return time.perf_counter() - begin


def main():
    rounds, folder, bundle, gleaner = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    compared = list(commands(folder, bundle, gleaner))
    times = {name: [] for name, _ in compared}
    for _ in range(rounds):
        for name, command in compared:
            # One slow run of a slow command is enough to tell.
            if len(times[name]) < 2 or times[name][-1] < 20:
                times[name].append(seconds(command))
    own = statistics.median(times[compared[0][0]])
    print("| command | runs | median | fastest | times gleaner |")
    print("|---|---|---|---|---|")
    for name, found in times.items():
        median = statistics.median(found)
        print(f"| {name} | {len(found)} | {median:.3f} s | {min(found):.3f} s | {median / own:.2f} |")


main()
