#!/usr/bin/env python3
"""Do files that change together later lie in one neighborhood? Neighborhoods against plain directories.

usage: neighborhoods.py FLOORPLAN OUT CLONE...
Each CLONE is a repository with history. At several past commits it is indexed (with the history up to there only), and
the pairs of production files that the next 150 commits of 2 to 8 such files change together are counted: the share
inside one neighborhood, at several resolutions, against the share inside one directory, at the directories' own
granularity (the share of all pairs that lie in one group; linear interpolation between resolutions, none beyond them).
Prints a row a snapshot and a mean of the differences, small repositories apart. OUT takes the work trees and the cache.
"""
import collections, itertools, json, os, pathlib, subprocess, sys

# Where on the first-parent history, 0 its beginning: repositories are small early, and late commits are often bumps.
SNAPSHOTS = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8]
# Commits without two known files (dependencies, documents, tests) do not count: they would leave few pairs.
NEXT, MIN_FILES, MAX_FILES = 150, 2, 8
# Fewer pairs say nothing of a snapshot.
MIN_PAIRS = 100
# Folding undoes what larger ones split.
GAMMAS = [0.5, 1, 1.4, 2, 2.8, 4, 5.6, 8, 16]
# co_change, directory
VARIANTS = {"uses": (0, 0), "+ directories": (0, 0.25), "+ past changes": (4, 0), "+ both": (4, 0.25), "+ both, directory 1": (4, 1)}
SMALL = 100

def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=True, **options).stdout

def neighborhoods(binary, tree, out, gamma, co_change, directory):
    """Production file -> group; one in no neighborhood is a group of its own."""
    settings = out / "config" / "floorplan"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "config.toml").write_text(
        f"[neighborhoods]\ngamma = {float(gamma)}\nco_change = {float(co_change)}\ndirectory = {float(directory)}\n")
    environment = dict(os.environ, XDG_CACHE_HOME=str(out / "cache"), XDG_CONFIG_HOME=str(out / "config"))
    run(binary, "index", "--quiet", cwd=tree, env=environment)
    groups, labels = {}, {}
    for line in run(binary, "dump", cwd=tree, env=environment).splitlines():
        if line.startswith('{"t":"member"'):
            row = json.loads(line)
            labels[row["file"]] = "neighborhood " + row["label"]
        elif line.startswith('{"t":"file"'):
            row = json.loads(line)
            # A key that is missing must not pass for false: tests would be groups of one.
            if row["language"] != "text" and row["status"] in ("parsed", "partial", "fallback") and not row["test"]:
                groups[row["file"]] = "file " + row["file"]
    return groups | labels

def granularity(groups):
    sizes = collections.Counter(groups.values())
    return sum(n * (n - 1) for n in sizes.values()) / max(1, len(groups) * (len(groups) - 1))

def together(groups, pairs):
    return sum(groups[a] == groups[b] for a, b in pairs) / len(pairs)

def interpolate(points, x):
    """None where no resolution is as fine or as coarse."""
    points = sorted(points)
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * ((x - x0) / (x1 - x0) if x1 > x0 else 0)
    return None

def later_pairs(git, snapshot, known):
    """Of the commits that are no ancestors of the snapshot, oldest first."""
    log = git("log", "--reverse", "--topo-order", "--no-merges", "--no-renames", "--format=%x00", "--name-only", f"{snapshot}..origin/HEAD")
    commits = ([file for file in commit.split("\n") if file in known] for commit in log.split("\0"))
    commits = (files for files in commits if MIN_FILES <= len(files) <= MAX_FILES)
    return [pair for files in itertools.islice(commits, NEXT) for pair in itertools.combinations(files, 2)]

def main():
    binary, out, *clones = sys.argv[1:]
    binary, out = os.path.abspath(binary), pathlib.Path(out).resolve()
    differences = collections.defaultdict(list)
    for clone in clones:
        name = pathlib.Path(clone).resolve().name
        tree = out / "trees" / name
        if not tree.exists():
            run("git", "clone", "-q", "-s", "-n", clone, str(tree))
        git = lambda *arguments: run("git", "-C", str(tree), *arguments)
        history = git("rev-list", "--reverse", "--first-parent", "origin/HEAD").split()
        for share in SNAPSHOTS:
            snapshot = history[int(share * (len(history) - 1))]
            git("checkout", "-q", "-f", snapshot)
            known = neighborhoods(binary, tree, out, GAMMAS[0], *VARIANTS["uses"])
            pairs = later_pairs(git, snapshot, known)
            if len(pairs) < MIN_PAIRS:
                print(f"{name:12} {snapshot[:9]} {len(known):5} files: {len(pairs)} pairs are too few")
                continue
            by_directory = {file: file.rpartition("/")[0] for file in known}
            at, base = granularity(by_directory), together(by_directory, pairs)
            print(f"{name:12} {snapshot[:9]} {len(known):5} files, {len(pairs)} pairs: directories {base:.3f} at {at:.3f}")
            for variant, weights in VARIANTS.items():
                found = [neighborhoods(binary, tree, out, gamma, *weights) for gamma in GAMMAS]
                points = [(granularity(groups), together(groups, pairs)) for groups in found]
                value = interpolate(points, at)
                shown = " ".join(f"{gamma}:{inside:.2f}@{fine:.3f}" for gamma, (fine, inside) in zip(GAMMAS, points))
                print(f"    {variant:20} {'none' if value is None else format(value, '.3f')}  ({shown})", flush=True)
                if value is not None:
                    differences[len(known) < SMALL, variant].append(value - base)
    for (small, variant), found in sorted(differences.items()):
        size = f"under {SMALL} files" if small else f"{SMALL} files and more"
        better = sum(difference > 0 for difference in found)
        print(f"{size:20} {variant:20} {sum(found) / len(found):+.3f} against directories, better in {better} of {len(found)}")

if __name__ == "__main__":
    main()
