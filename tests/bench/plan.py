#!/usr/bin/env python3
"""Does a plan hold what a real change touched? Real commits of the co-change benchmark, asked at their parents.

usage: plan.py FLOORPLAN CASES.jsonl CLONES WORK [TASKS [LANGUAGE...]]
For each of TASKS commits (30, spread over the cases of the languages, Python and Java), the parent is checked out into WORK and indexed, and
`plan FILE --budget 60000` is asked for one file of the case. The files that the commit changed and that the graph
connects with it (`path` finds one) should be in the plan. CLONES is as for cochange.py. Prints a line a task and the share; exits 1 when it is below 80 %.
"""
import json, os, pathlib, sys

from commits import parent_tree, run, spread

BUDGET, MOST_FILES, BAR = 60_000, 40, 0.80

def main():
    binary, cases, clones, work = sys.argv[1:5]
    tasks = int(sys.argv[5]) if len(sys.argv) > 5 else 30
    languages = sys.argv[6:] or ["py", "java"]
    binary, clones, work = os.path.abspath(binary), pathlib.Path(clones).resolve(), pathlib.Path(work).resolve()
    rows = spread(cases, clones, languages, tasks)
    environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"))
    found = connected = beyond = met = counted = 0
    for row in rows:
        tree = parent_tree(row, clones, work)
        if tree is None:
            continue
        ask = lambda *words: run([binary, "-C", str(tree), *words], env=environment)
        ask("index", "--quiet").check_returncode()
        changed = run(["git", "-C", str(tree), "diff", "--name-only", "--diff-filter=MD", row["parent"], row["commit"]]).stdout.split()
        changed = [path for path in changed if path.endswith((".py", ".java", ".ts", ".tsx", ".js", ".go")) and path != row["file"]]
        if not changed or len(changed) > MOST_FILES:
            continue
        plan = ask("plan", row["file"], "--budget", str(BUDGET), "--json")
        plan.check_returncode()
        planned = {entry["file"] for entry in json.loads(plan.stdout)["entries"]}
        reached = [path for path in changed if path in planned or ask("path", row["file"], path).returncode == 0]
        held = [path for path in reached if path in planned]
        print("%-10s %s %-60s %2d changed, %2d connected, %2d in the plan %s" % (row["repo"], row["commit"][:8], row["file"][-60:],
              len(changed), len(reached), len(held), " ".join("-" + path.rsplit("/", 1)[-1] for path in reached if path not in planned)[:200]), flush=True)
        found, connected, beyond = found + len(held), connected + len(reached), beyond + len(changed) - len(reached)
        if reached:
            counted, met = counted + 1, met + (len(held) >= BAR * len(reached))
    print("%d of %d connected files in the plans (%.0f %%); %d of %d tasks at %.0f %%; %d changed files not connected"
          % (found, connected, 100 * found / max(1, connected), met, counted, 100 * BAR, beyond))
    sys.exit(found < BAR * connected)

if __name__ == "__main__":
    main()
