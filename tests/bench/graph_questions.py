#!/usr/bin/env python3
"""What the questions cost on a graph of a million edges, whole processes: `blast-radius`, `callers`, `path`.

    FLOORPLAN_BIN=.../floorplan tests/bench/graph_questions.py [FILES]

Generates a repository (10,000 files of 50 calls and as many imports each, unless another number is given; callees are drawn so that a few names
are called by tens of thousands), indexes it, and asks about functions drawn at random and about the most called one. Prints
wall and CPU milliseconds; exits 1 when the median blast radius takes more than 20 ms or `callers` more than 6 ms, both of
CPU: that is what a whole process takes on a machine with nothing else to do, and can be measured on any.
"""
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

FUNCTIONS, CALLS, ASKED = 10, 5, 101


def main():
    binary = os.path.abspath(os.environ["FLOORPLAN_BIN"])
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    random.seed(1)
    with tempfile.TemporaryDirectory(prefix="floorplan-graph-") as folder:
        repo = os.path.join(folder, "repo")
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
        generate(repo, files)
        began = time.monotonic()
        subprocess.run([binary, "index", "--quiet", repo], check=True)
        status = subprocess.run([binary, "-C", repo, "status"], check=True, capture_output=True, text=True).stdout
        print("indexed in %.0f s:\n%s" % (time.monotonic() - began, status.rstrip()))
        names = ["f_%d_%d" % (random.randrange(files), random.randrange(FUNCTIONS)) for _ in range(ASKED)]
        pairs = zip(names, names[1:] + names[:1])
        ask = lambda command, *rest: [[binary, "-C", repo, command, name, *rest] for name in names]
        base = measure("--version", [[binary, "--version"]] * ASKED)
        _, radius = measure("blast-radius --depth 2", ask("blast-radius"))
        measure("blast-radius --depth 2 --json", ask("blast-radius", "--json"))
        measure("blast-radius --callees", ask("blast-radius", "--callees"))
        measure("neighbors", ask("neighbors"))
        measure("path", [[binary, "-C", repo, "path", *pair] for pair in pairs])
        _, cpu = measure("callers", ask("callers"))
        measure("the most called: blast-radius", [[binary, "-C", repo, "blast-radius", "f_0_0"]] * 5)
        measure("the most called: path", [[binary, "-C", repo, "path", name, "f_0_0"] for name in names[:5]])
        print("CPU: blast-radius %.1f of 20 ms, callers %.1f of 6 ms (an empty command: %.1f)" % (radius, cpu, base[1]))
        sys.exit(radius > 20 or cpu > 6)


def generate(repo, files):
    """File n holds functions f_n_0 ... that call functions of five other files, low numbers more often than high ones."""
    for number in range(files):
        folder = os.path.join(repo, "p%d" % (number // 100))
        if number % 100 == 0:
            os.makedirs(folder)
        used = [int(files * random.random() ** 3) for _ in range(CALLS)]
        lines = ["from p%d.m%d import %s" % (other // 100, other, ", ".join("f_%d_%d" % (other, f) for f in range(FUNCTIONS)))
                 for other in sorted(set(used))]
        for function in range(FUNCTIONS):
            lines.append("\n\ndef f_%d_%d():" % (number, function))
            lines += ["    f_%d_%d()" % (other, int(FUNCTIONS * random.random() ** 2)) for other in used]
        with open(os.path.join(folder, "m%d.py" % number), "w") as file:
            file.write("\n".join(lines) + "\n")


def measure(title, commands):
    """Median wall and CPU milliseconds of the commands; what they print is thrown away."""
    walls, cpus = [], []
    for command in commands:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        walls.append((time.monotonic() - began) * 1000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
        # 1: nothing found, which a path may well be.
        if done.returncode not in (0, 1):
            sys.exit("%s: %s" % (" ".join(command), done.stderr.decode()))
    wall, cpu = statistics.median(walls), statistics.median(cpus)
    print("%-32s wall %6.1f ms (slowest %.1f), CPU %6.1f ms" % (title, wall, max(walls), cpu), flush=True)
    return wall, cpu


if __name__ == "__main__":
    main()
