#!/usr/bin/env python3
"""Does `review` name the call sites that a change breaks? Real commits of the co-change benchmark.

usage: review.py FLOORPLAN CASES.jsonl CLONES WORK [COMMITS [LANGUAGE...]]
Each case is a file whose exported symbols a commit changed. Twice the graph is that of the parent:
- half done: only that file is as the commit made it. Call sites named as broken that the commit changed too are right, others false; call
  sites of the changed symbols that the commit changed and the review does not name are listed, for they may have been changed for another reason.
- whole: all files are as the commit made them. What is named as broken is a false alarm, or a bug that was committed.
CLONES is as for cochange.py. Prints what it found, then the sums; exits 1 when less than 95 % of the named sites are right.
"""
import json, os, pathlib, re, sys

from commits import parent_tree, run, spread

def changed_lines(tree, parent, commit):
    """Old line ranges that the commit replaced, by path; all lines of a file that it removed."""
    lines, path = {}, None
    for line in run(["git", "-C", str(tree), "diff", "-U0", "--no-renames", parent, commit]).stdout.splitlines():
        if line.startswith("--- "):
            path = line[6:]
        elif hunk := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(path, set()).update(range(first, first + max(count, 1)))
    return lines

def main():
    binary, cases, clones, work = sys.argv[1:5]
    commits = int(sys.argv[5]) if len(sys.argv) > 5 else 40
    languages = sys.argv[6:] or ["py", "java"]
    binary, clones, work = os.path.abspath(binary), pathlib.Path(clones).resolve(), pathlib.Path(work).resolve()
    is_loud = lambda row: any(symbol["change"] != "body" for symbol in row["symbols"])
    rows = spread(cases, clones, languages, commits, is_loud)
    environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"))
    right = false = alarms = missed = 0
    for row in rows:
        tree, parent, commit = parent_tree(row, clones, work), row["parent"], row["commit"]
        if tree is None:
            continue
        git = lambda *words: run(["git", "-C", str(tree), *words]).check_returncode()
        ask = lambda *words: run([binary, "-C", str(tree), *words], env=environment)
        git("clean", "-qfd")
        ask("index", "--quiet").check_returncode()
        touched = changed_lines(tree, parent, commit)
        print("%s %s %s: %s" % (row["repo"], commit[:10], row["file"], ", ".join("%s %s" % (s["name"], s["change"]) for s in row["symbols"])), flush=True)
        removed = run(["git", "-C", str(tree), "cat-file", "-e", commit + ":" + row["file"]]).returncode
        git(*(["rm", "-q", row["file"]] if removed else ["checkout", "-q", commit, "--", row["file"]]))
        answer = ask("review", "--json")
        half = json.loads(answer.stdout)
        named = set()
        for site in half["broken"]:
            lines = touched.get(site["file"], set())
            # A class that lacks a method is named by its head, and what has moved comes back by an import.
            good = site["file"] != row["file"] and (site["problem"] in ("lacks", "gone") and bool(lines) or any(near in lines for near in range(site["line"], site["line"] + 3)))
            named.add((site["file"], site["line"]))
            right, false = right + good, false + (not good)
            print("   %s %s:%d %s %s" % ("right" if good else "FALSE", site["file"], site["line"], site["symbol"], {k: v for k, v in site.items() if k not in ("file", "line", "symbol", "caller", "test")}))
        # What calls the changed symbols, at lines that the commit changed.
        for symbol in half["symbols"]:
            if symbol["change"] not in ("signature", "removed"):
                continue
            callers = ask("callers", symbol["file"] + "::" + symbol["qualname"], "--json")
            if callers.returncode:
                continue
            callers = json.loads(callers.stdout)
            for place in [(caller["file"], site["line"]) for caller in callers["callers"] + callers["tests"] for site in caller["sites"]]:
                if place not in named and place[0] != row["file"] and place[1] in touched.get(place[0], ()):
                    missed += 1
                    print("   not named: %s:%s calls %s (%s -> %s)" % (*place, symbol["qualname"], symbol["before"], symbol["after"]))
        git("checkout", "-q", "-f", parent)
        for site in json.loads(ask("review", parent + ".." + commit, "--json").stdout)["broken"]:
            alarms += 1
            print("   ALARM %s:%d %s %s" % (site["file"], site["line"], site["symbol"], {k: v for k, v in site.items() if k not in ("file", "line", "symbol", "caller", "test")}))
    print("%d commits: %d sites named, %d right (%.0f %%); %d sites that the commit changed were not named; whole commits: %d alarms"
          % (len(rows), right + false, right, 100 * right / max(1, right + false), missed, alarms))
    sys.exit(right < 0.95 * (right + false))

if __name__ == "__main__":
    main()
