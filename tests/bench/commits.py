"""Real commits of the co-change benchmark, for the scripts beside this one: which there are, and their work trees."""
import json
import subprocess


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, errors="replace", **options)


def spread(cases, clones, languages, count, wanted=lambda row: True):
    """The first case of each commit that its clone has with its parent, `count` of them, spread over all."""
    def has(row):
        found = lambda name: not run(["git", "-C", str(clones / row["repo"]), "cat-file", "-e", name + "^{tree}"]).returncode
        return (clones / row["repo"]).exists() and found(row["parent"]) and found(row["commit"])

    rows = {}
    for line in open(cases):
        row = json.loads(line)
        if row["lang"] in languages and wanted(row) and has(row):
            rows.setdefault((row["repo"], row["commit"]), row)
    rows = [rows[key] for key in sorted(rows)]
    return rows[:: max(1, len(rows) // count)][:count]


def parent_tree(row, clones, work):
    """A work tree at the parent of the commit; None where the clone does not reach so far."""
    tree = work / "trees" / row["repo"]
    if not tree.exists():
        run(["git", "clone", "-q", "-s", "-n", str(clones / row["repo"]), str(tree)]).check_returncode()
    if run(["git", "-C", str(tree), "checkout", "-q", "-f", row["parent"]]).returncode:
        print("%s has no %s" % (row["repo"], row["parent"][:10]))
        return None
    return tree
