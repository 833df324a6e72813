#!/usr/bin/env python3
"""Do files that change together later lie in one neighborhood? Neighborhoods against plain directories.

usage: neighborhoods.py FLOORPLAN OUT CLONE...
Each CLONE is a repository with history. At several past commits it is indexed (with history up to there only), and the
pairs of files that the next 150 commits change together are counted: the share inside one neighborhood, at several
resolutions, against the share inside one directory, at the directories' own granularity (the share of all pairs that lie
in one group; linear interpolation). Prints a row a repository and settings. OUT takes the work trees and the cache.
"""
import collections, itertools, json, os, pathlib, subprocess, sys

SNAPSHOTS, NEXT, MAX_FILES = 3, 150, 8
GAMMAS = [0.5, 1, 2, 4, 8]
VARIANTS = {"uses": (0, 0), "+ directories": (0, 0.25), "+ past changes": (4, 0), "+ both": (4, 0.25)}

def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True, **options).stdout

def neighborhoods(binary, tree, out, gamma, co_change, directory):
    settings = out / "config" / "floorplan"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "config.toml").write_text(
        f"[neighborhoods]\ngamma = {float(gamma)}\nco_change = {float(co_change)}\ndirectory = {float(directory)}\n")
    environment = dict(os.environ, XDG_CACHE_HOME=str(out / "cache"), XDG_CONFIG_HOME=str(out / "config"))
    run(binary, "index", "--quiet", cwd=tree, env=environment)
    groups = {}
    for line in run(binary, "dump", cwd=tree, env=environment).splitlines():
        if line.startswith('{"t":"member"'):
            row = json.loads(line)
            groups[row["file"]] = row["label"]
        elif line.startswith('{"t":"file"'):
            row = json.loads(line)
            if row["status"] in ("parsed", "partial", "fallback") and not row.get("test"):
                groups.setdefault(row["file"], row["file"])
    return groups

def granularity(groups):
    sizes = collections.Counter(groups.values())
    all_pairs = len(groups) * (len(groups) - 1) / 2
    return sum(n * (n - 1) / 2 for n in sizes.values()) / all_pairs

def together(groups, commits):
    inside = total = 0
    for files in commits:
        known = [f for f in files if f in groups]
        for a, b in itertools.combinations(known, 2):
            total += 1
            inside += groups[a] == groups[b]
    return inside, total

def interpolate(points, x):
    points = sorted(points)
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * ((x - x0) / (x1 - x0) if x1 > x0 else 0)
    return points[0][1] if x < points[0][0] else points[-1][1]

def main():
    binary, out, *clones = sys.argv[1:]
    binary, out = os.path.abspath(binary), pathlib.Path(out).resolve()
    means = collections.defaultdict(list)
    for clone in clones:
        name = pathlib.Path(clone).name
        tree = out / "trees" / name
        if not tree.exists():
            run("git", "clone", "-q", "-s", "-n", clone, str(tree))
        git = lambda *arguments: run("git", "-C", str(tree), *arguments)
        history = git("rev-list", "--no-merges", "--first-parent", "origin/HEAD").split()
        rows = collections.defaultdict(list)
        for number in range(1, SNAPSHOTS + 1):
            if len(history) <= number * NEXT:
                break
            git("checkout", "-q", "-f", history[number * NEXT])
            later = []
            for commit in history[(number - 1) * NEXT:number * NEXT]:
                files = git("diff-tree", "--no-commit-id", "--name-only", "-r", commit).split("\n")
                files = [f for f in files if f]
                later.append(files)
            for variant, (co_change, directory) in VARIANTS.items():
                points = []
                for gamma in GAMMAS:
                    groups = neighborhoods(binary, tree, out, gamma, co_change, directory)
                    code = [[f for f in files if f in groups] for files in later]
                    code = [files for files in code if 2 <= len(files) <= MAX_FILES]
                    inside, total = together(groups, code)
                    if total == 0:
                        continue
                    points.append((granularity(groups), inside / total))
                    rows[variant, gamma].append((granularity(groups), inside / total, len(set(groups.values()))))
                by_directory = {f: f.rpartition("/")[0] for f in groups}
                inside, total = together(by_directory, code)
                if total:
                    at = granularity(by_directory)
                    rows[variant, "at directories'"].append((at, interpolate(points, at), 0))
                    rows["directories", ""].append((at, inside / total, len(set(by_directory.values()))))
        for (variant, gamma), found in rows.items():
            mean = [sum(values) / len(values) for values in zip(*found)]
            print(f"{name:12} {variant:16} gamma {gamma!s:16} one group {mean[0]:.3f}  together {mean[1]:.3f}  groups {mean[2]:.0f}")
            means[variant, gamma].append(mean)
    for (variant, gamma), found in means.items():
        mean = [sum(values) / len(values) for values in zip(*found)]
        print(f"{'mean':12} {variant:16} gamma {gamma!s:16} one group {mean[0]:.3f}  together {mean[1]:.3f}")

if __name__ == "__main__":
    main()
