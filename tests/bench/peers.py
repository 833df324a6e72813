#!/usr/bin/env python3
"""What an index costs beside other tools, on the same trees in one run.

    peers.py FLOORPLAN [--rounds N] [--only TOOL,...] TREE...

Each tool gets a copy of each tree of its own (a git repository with one commit), and in each round the tools take turns, so that
the machine's load falls on all of them. Printed are medians: CPU time (user and system, of the process and its children), the
most memory of one process, the size of what is left on the disk, and all three as multiples of floorplan's. A tool's result is
asked for after each run: one that found nothing stops the bench.

The parse floor is ast-grep with one pattern that matches calls. Tools that are not there are passed over with a word; they are
looked for on PATH, and under the names AST_GREP, CTAGS, CODEGRAPH and CODE_REVIEW_GRAPH in the environment:
`npm install @ast-grep/cli @colbymchenry/codegraph@1.6.1`, `pip install code-review-graph`, `apt install universal-ctags`.

Asserted are the budgets of issue 10: at most 3 times the parse floor's CPU time, a sixth of codegraph's, a fifth of its index, and
60 MB + 60 bytes a line. LIMITS=no prints only.
"""

import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

LANGUAGES = {".py": "python", ".java": "java", ".ts": "ts", ".tsx": "tsx", ".js": "js", ".go": "go"}
PATTERNS = {"python": "print($A)", "java": "$A.get($B)", "ts": "foo($A)", "tsx": "foo($A)", "js": "foo($A)", "go": "foo($A)"}


def size(*paths):
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file())


class Tree:
    """A tree as one tool sees it, with a HOME of its own."""

    def __init__(self, source, folder):
        self.path = folder / "tree"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        shutil.copytree(source, self.path, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        self.environment = {
            **os.environ,
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "CODEGRAPH_TELEMETRY": "0",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
            subprocess.run([*git, *words], cwd=self.path, env=self.environment, check=True)

    def run(self, *words):
        """CPU seconds, peak MB and the output of a command."""
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen(words, cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            text = out.read().decode(errors="replace")
        # ast-grep and grep end with 1 where they found nothing: asked for below.
        assert child.returncode in (0, 1), (words, text[-2000:])
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


class Floorplan:
    name = "floorplan"

    def __init__(self, program):
        self.program = os.path.abspath(program)

    def index(self, tree):
        shutil.rmtree(tree.home / "cache", ignore_errors=True)
        (tree.home / "cache").mkdir()
        cpu, peak, text = tree.run(self.program, "index", "--json", str(tree.path))
        report = json.loads(text)
        assert report["edges"] > 100, report
        # What questions are answered from. Beside it lies what only the indexer reads: facts of files and what was kept of
        # the last run.
        answers = [file for name in ("graph.db*", "snapshot.bin") for file in (tree.home / "cache").rglob(name)]
        self.in_all = size(tree.home / "cache")
        return cpu, peak, size(*answers)


class Floor:
    name = "ast-grep"

    def __init__(self, program):
        self.program = program

    def index(self, tree):
        languages = sorted({LANGUAGES[file.suffix] for file in tree.path.rglob("*") if file.suffix in LANGUAGES})
        cpu, peak, found = 0, 0, ""
        for language in languages:
            spent, held, text = tree.run(self.program, "run", "-p", PATTERNS[language], "-l", language, str(tree.path))
            cpu, peak, found = cpu + spent, max(peak, held), found + text
        return cpu, peak, 0


class Ctags:
    name = "universal-ctags"

    def __init__(self, program):
        self.program = program

    def index(self, tree):
        tags = tree.home / "tags"
        cpu, peak, _ = tree.run(self.program, "-R", "-f", str(tags), str(tree.path))
        assert tags.stat().st_size > 10_000
        return cpu, peak, size(tags)


class Codegraph:
    name = "codegraph"

    def __init__(self, program):
        self.program = program

    def index(self, tree):
        folder = tree.path / ".codegraph"
        shutil.rmtree(folder, ignore_errors=True)
        cpu, peak, _ = tree.run(self.program, "init", str(tree.path))
        assert rows(folder / "codegraph.db", "edges") > 100
        return cpu, peak, size(folder)


class CodeReviewGraph:
    name = "code-review-graph"

    def __init__(self, program):
        self.program = program

    def index(self, tree):
        folder = tree.path / ".code-review-graph"
        shutil.rmtree(folder, ignore_errors=True)
        cpu, peak, _ = tree.run(self.program, "build")
        assert max(rows(file, "edges") for file in folder.glob("*.db")) > 100
        return cpu, peak, size(folder)


def rows(database, table):
    connection = sqlite3.connect(database)
    try:
        return connection.execute("SELECT count(*) FROM %s" % table).fetchone()[0]
    finally:
        connection.close()


def tools(only):
    kinds = [
        (Floor, "AST_GREP", "ast-grep"),
        (Ctags, "CTAGS", "ctags"),
        (Codegraph, "CODEGRAPH", "codegraph"),
        (CodeReviewGraph, "CODE_REVIEW_GRAPH", "code-review-graph"),
    ]
    for kind, variable, name in kinds:
        if only and kind.name not in only:
            continue
        program = os.environ.get(variable) or shutil.which(name)
        if program:
            yield kind(os.path.abspath(program))
        else:
            print("%s: not there" % kind.name, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("floorplan")
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    arguments = parser.parse_args()
    asked = [Floorplan(arguments.floorplan), *tools(arguments.only)]
    bad = []
    for source in arguments.trees:
        source = pathlib.Path(source)
        with tempfile.TemporaryDirectory() as folder:
            trees = {tool: Tree(source, pathlib.Path(folder) / tool.name) for tool in asked}
            runs = {tool: [] for tool in asked}
            for _ in range(arguments.rounds):
                for tool in asked:
                    runs[tool].append(tool.index(trees[tool]))
            # Of every file that is read as code: budgets go by lines.
            report = trees[asked[0]].run(asked[0].program, "index", "--json", str(trees[asked[0]].path))[2]
            lines = json.loads(report)["lines"]
        medians = {tool.name: [statistics.median(column) for column in zip(*runs[tool])] for tool in asked}
        bad += report_of(source.name, lines, medians)
        print("  floorplan's cache in all: %.2f MB" % (asked[0].in_all / 1e6))
    if bad and os.environ.get("LIMITS") != "no":
        sys.exit("over budget: " + "; ".join(bad))


def report_of(name, lines, medians):
    """Prints the table of a tree, and gives the budgets that were not kept."""
    cpu, peak, index = medians["floorplan"]
    print("%s, %d lines" % (name, lines))
    for tool, (its_cpu, its_peak, its_index) in medians.items():
        of_index = "%6.1fx" % (its_index / index) if its_index else "      -"
        print(
            "  %-18s %8.2f s %6.2fx   %6.0f MB %5.1fx   %8.2f MB %s"
            % (tool, its_cpu, its_cpu / cpu, its_peak, its_peak / peak, its_index / 1e6, of_index)
        )
    bad = []

    def check(what, value, limit):
        print("  %-44s %6.2f (at most %.2f)" % (what, value, limit))
        if value > limit:
            bad.append("%s: %s" % (name, what))

    check("peak MB", peak, 60 + 60 * lines / 1e6)
    if "ast-grep" in medians:
        check("CPU as a multiple of the parse floor", cpu / medians["ast-grep"][0], 3)
    if "codegraph" in medians:
        check("CPU as a share of codegraph's", cpu / medians["codegraph"][0], 1 / 6)
        check("index as a share of codegraph's", index / medians["codegraph"][2], 1 / 5)
    return bad


main()
