"""What it costs to follow a change, as a share of a full pass over the same tree.

    update_cost.py FLOORPLAN REPO [ROUNDS]

REPO is copied; nothing is written to it. Each round measures a full pass and then, one after the other, a run with nothing to do, a
changed body, a changed signature of a function with about 100 users, a switch to a commit with 200 changed files and back. Numbers
are CPU time (user and system) of the whole process; single ones mean little, their ratio within a round is what counts.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "safe.directory=*"]


class Bench:
    def __init__(self, floorplan, source, folder):
        self.floorplan = os.path.abspath(floorplan)
        self.repo = folder / "repo"
        self.environment = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "PATH": os.environ["PATH"]}
        shutil.copytree(source, self.repo, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "one")

    def git(self, *words):
        subprocess.run([*GIT, *words], cwd=self.repo, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def cpu(self, *words):
        """Milliseconds of CPU time."""
        child = subprocess.Popen([self.floorplan, *words, str(self.repo)], env=self.environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, words
        return (usage.ru_utime + usage.ru_stime) * 1000

    def json(self, *words):
        out = subprocess.run([self.floorplan, *words], env=self.environment, cwd=self.repo, check=True, stdout=subprocess.PIPE)
        return out.stdout.decode()

    def definitions(self):
        """Functions of production code by how many files call them: (files, path, line)."""
        callers, functions = {}, {}
        for line in self.json("dump").splitlines():
            row = json.loads(line)
            if row["t"] == "definition" and row["kind"] in ("function", "method") and not row["test"]:
                functions[row["file"], row["line"]] = row["qualname"]
            elif row["t"] == "edge" and row["resolved"] and row["kind"] == "call":
                callers.setdefault((row["callee_file"], row["callee_line"]), set()).add(row["caller_file"])
        return [(len(files), *place) for place, files in callers.items() if place in functions]

    def lines(self, path):
        return (self.repo / path).read_text(errors="surrogateescape").split("\n")

    def write(self, path, lines):
        (self.repo / path).write_text("\n".join(lines), errors="surrogateescape")


def body(bench, path, line, turn):
    """One more statement in a body, and a line more for all that follows."""
    lines = bench.lines(path)
    returns = [at for at in range(line, len(lines)) if re.match(r"\s+return\b", lines[at])]
    if not returns:
        return False
    indent = re.match(r"\s+", lines[returns[0]]).group()
    statement = f'len("{turn}")' if path.endswith(".py") else f"String.valueOf({turn});"
    lines.insert(returns[0], indent + statement)
    bench.write(path, lines)
    return True


def signature(bench, path, line, turn):
    lines = bench.lines(path)
    text = lines[line - 1]
    if not path.endswith(".py") or "(" not in text or not text.rstrip().endswith(":"):
        return False
    comma = "" if "()" in text else ", "
    lines[line - 1] = re.sub(r"\)(?=[^)]*:\s*$)", f"{comma}_added{turn}=None)", text, count=1)
    bench.write(path, lines)
    return True


def main():
    floorplan, source = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(floorplan, source, pathlib.Path(folder))
        bench.cpu("index", "-q")
        functions = sorted(bench.definitions(), key=lambda row: abs(row[0] - 100))
        rows = {}
        for turn in range(rounds):
            full = bench.cpu("index", "--full", "-q")
            bench.cpu("index", "-q")
            bench.cpu("index", "--background")
            row = {"full pass": full, "nothing to do": bench.cpu("index", "--background")}
            # Ordinary functions for bodies: used by two files or so.
            ordinary = [f for f in functions if 1 <= f[0] <= 3][turn * 7 :]
            next(f for f in ordinary if body(bench, f[1], f[2], turn))
            row["a body"] = bench.cpu("index", "--background")
            next(f for f in functions[turn % 3 :] if signature(bench, f[1], f[2], turn))
            row["a signature with about 100 users"] = bench.cpu("index", "--background")
            bench.git("add", "-A")
            bench.git("commit", "-qm", "here")
            bench.cpu("index", "--background")
            bench.git("checkout", "-qb", f"other{turn}")
            paths = sorted(p for p in bench.repo.rglob("*") if p.suffix in (".py", ".java"))[turn :: 3][:200]
            for path in paths:
                path.write_bytes(path.read_bytes() + b"\n\n")
            bench.git("commit", "-qam", "there")
            row["200 files"] = bench.cpu("index", "--background")
            bench.git("checkout", "-q", "-")
            report = json.loads(bench.json("index", "--json"))
            assert report["parsed"] == 0, report
            for name, value in row.items():
                rows.setdefault(name, []).append((value, value / full))
        for name, values in rows.items():
            time, ratio = (statistics.median(column) for column in zip(*values))
            print(f"{name:36} {time:8.0f} ms  {ratio * 100:6.1f} %")


main()
