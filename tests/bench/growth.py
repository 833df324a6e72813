#!/usr/bin/env python3
"""Does every stage of an index run grow with the project and no faster? `growth.py FLOORPLAN [FILES]`

Projects of FILES, twice and four times as many files [800] in four languages: packages that use each other, classes of a few
levels, a hub that every file uses, a name that every file defines. For each stage the CPU time (`index --timings`, one thread,
the least of some runs: load adds to it and never takes away) and the memory that the whole run held may grow by a factor of 2.3
for each doubling, the mean of both (neighborhoods take a step where a project gets big enough for a finer resolution). What is above is measured again, three times in all.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

LIMIT = float(os.environ.get("LIMIT", "2.3"))
ROUNDS, RUNS = 3, 3
# Stages of less than this many CPU seconds are not told from the clock's own steps.
LEAST = 0.02

PYTHON = """from project.hub import hub, Root
from project.package_{folder}.part_{other} import Part_{other}, total_{other}


class Part_{this}({base}):
    def __init__(self, amount):
        self.amount = amount
        self.other = Part_{other}(amount)

    def report(self, rows):
        return hub(total_{other}(self.amount)) + self.other.report(rows)

    def helper_{this}(self):
        return self.amount


def total_{this}(amount):
    part = Part_{this}(amount)
    return part.report([part.helper_{this}()])
"""
PYTHON_HUB = """class Root:
    def report(self, rows):
        return rows


def hub(amount):
    return amount
"""
JAVA = """package project.package_{mine};

import project.Hub;
import project.package_{folder}.Part{other};

public class Part{this} extends {base} {{
    private Part{other} other;

    public int report(int amount) {{
        return Hub.hub(other.helper{other}() + other.report(amount));
    }}

    public int helper{this}() {{
        return report(1);
    }}
}}
"""
JAVA_HUB = "package project;\n\npublic class Hub {\n    public static int hub(int amount) { return amount; }\n    public int report(int amount) { return amount; }\n}\n"
TYPESCRIPT = """import {{ hub, Root }} from '../hub';
import {{ Part{other} }} from '../package_{folder}/part_{other}';

export class Part{this} extends {base} {{
  private other: Part{other} = new Part{other}();

  report(amount: number): number {{
    return hub(this.other.helper{other}() + this.other.report(amount));
  }}

  helper{this}(): number {{
    return this.report(1);
  }}
}}
"""
TYPESCRIPT_HUB = "export class Root {\n  report(amount: number): number { return amount; }\n}\n\nexport function hub(amount: number): number {\n  return amount;\n}\n"
GO = """package package_{mine}

import (
	"project/hub"
	other "project/package_{folder}"
)

type Part{this} struct {{
	part *other.Part{other}
}}

func (p *Part{this}) Report(amount int) int {{
	return hub.Hub(p.part.Helper{other}()) + p.part.Report(amount)
}}

func (p *Part{this}) Helper{this}() int {{
	return p.Report(1)
}}
"""
GO_HUB = "package hub\n\nfunc Hub(amount int) int {\n\treturn amount\n}\n"

PACKAGE = 20


def write(root, files):
    """`files` files in all, the same of each language."""
    of_each = files // 4
    (root / "python/project").mkdir(parents=True)
    (root / "python/project/__init__.py").write_text("")
    (root / "python/project/hub.py").write_text(PYTHON_HUB)
    (root / "java/project").mkdir(parents=True)
    (root / "java/project/Hub.java").write_text(JAVA_HUB)
    (root / "web").mkdir()
    (root / "web/hub.ts").write_text(TYPESCRIPT_HUB)
    (root / "go/hub").mkdir(parents=True)
    (root / "go/go.mod").write_text("module project\n\ngo 1.22\n")
    (root / "go/hub/hub.go").write_text(GO_HUB)
    for this in range(of_each):
        # Far away, but never in a ring of packages longer than the project; every fifth class has another one as its base.
        other = (this * 7 + 3) % of_each
        mine, folder = this // PACKAGE, other // PACKAGE
        names = {"this": this, "other": other, "mine": mine, "folder": folder}
        base = other if this % 5 == 0 and other % 5 else None
        for place, ending, text, root_class, one in [
            ("python/project", "py", PYTHON, "Root", "Part_%s"),
            ("java/project", "java", JAVA, "Hub", "Part%s"),
            ("web", "ts", TYPESCRIPT, "Root", "Part%s"),
            ("go", "go", GO, "", ""),
        ]:
            package = root / place / ("package_%d" % mine)
            if not package.exists():
                package.mkdir()
                if ending == "py":
                    (package / "__init__.py").write_text("")
            name = "Part%d" % this if ending == "java" else "part_%d" % this
            of = root_class if base is None or not one else one % base
            (package / ("%s.%s" % (name, ending))).write_text(text.format(base=of, **names))


def run(binary, tree, cache):
    """Stages with their CPU seconds, and the peak KiB of the run."""
    environment = {"HOME": str(cache), "XDG_CACHE_HOME": str(cache), "PATH": os.environ["PATH"]}
    words = [binary, "index", "--full", "--json", "--timings", "--jobs", "1", str(tree)]
    out = subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE).stdout
    report = json.loads(out)
    assert report["resolved"] > 3 * report["files"], report
    stages = {row["stage"]: row["cpu_seconds"] for row in report["stages"]}
    return stages, max(row["peak_kib"] for row in report["stages"])


def measured(binary, trees, cache):
    """The least of some runs: for each tree its stages and its memory."""
    least = [({}, float("inf")) for _ in trees]
    for _ in range(RUNS):
        for at, tree in enumerate(trees):
            stages, peak = run(binary, tree, cache)
            before, held = least[at]
            least[at] = ({name: min(spent, before.get(name, spent)) for name, spent in stages.items()}, min(peak, held))
    return least


def growths(values):
    """Of each doubling, and their mean."""
    steps = [b / a for a, b in zip(values, values[1:])]
    return [*steps, (values[-1] / values[0]) ** (1 / len(steps))]


def main():
    binary = os.path.abspath(sys.argv[1])
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 800
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        trees = [folder / str(times) for times in (1, 2, 4)]
        for tree, times in zip(trees, (1, 2, 4)):
            write(tree, files * times)
        for _ in range(ROUNDS):
            bad = 0
            least = measured(binary, trees, folder / "cache")
            for name in least[0][0]:
                spent = [stages[name] for stages, _ in least]
                growth = growths([max(one, LEAST) for one in spent])
                bad += growth[-1] > LIMIT
                row = "  ".join("%7.3f s" % one for one in spent)
                print("%-14s %s   grows %.2fx, %.2fx, mean %.2fx (limit %.1f)" % (name, row, *growth, LIMIT))
            held = [peak for _, peak in least]
            growth = growths(held)
            bad += growth[-1] > LIMIT
            row = "  ".join("%6d MB" % (one // 1024) for one in held)
            print("%-14s %s   grows %.2fx, %.2fx, mean %.2fx (limit %.1f)" % ("memory", row, *growth, LIMIT))
            if not bad:
                return
    sys.exit(1)


main()
