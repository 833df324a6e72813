#!/usr/bin/env python3
"""Is floorplan's partition as good as an independent one? Modularity against networkx's Louvain and, where it is
installed, python-igraph's Louvain and Leiden, on the same graph at the same resolution.

usage: modularity.py FLOORPLAN OUT WORKTREE...      a row a repository and resolution; exit 1 where ours is more than 1 % worse
       modularity.py --graph FILE GAMMA             prints the best that the oracles find on the edges of FILE
       modularity.py --write FLOORPLAN OUT WORKTREE writes such a file from a repository to standard output
Ours comes from `floorplan index`, by uses alone; the graph is put together here anew from what the database says of
edges and imports, so the weights are checked as well. OUT takes cache and settings. Oracles run with several seeds, the
best counts.
"""
import collections, math, os, pathlib, sqlite3, subprocess, sys

GAMMAS, SEEDS, TOLERANCE = [1, 2, 4], range(5), 0.01

def modularity(edges, groups, gamma):
    """Reichardt and Bornholdt 2006: sum over groups of w_in / m - gamma (K / 2m)^2."""
    total = sum(edges.values())
    inside, degrees = 0.0, collections.Counter()
    for (a, b), weight in edges.items():
        degrees[groups[a]] += weight
        degrees[groups[b]] += weight
        inside += weight * (groups[a] == groups[b])
    return inside / total - gamma * sum((degree / (2 * total)) ** 2 for degree in degrees.values())

def oracles(edges, gamma):
    """Name -> best modularity."""
    found, nodes = {}, max(b for _, b in edges) + 1
    def best(name, groups):
        found[name] = max(found.get(name, -1.0), modularity(edges, groups, gamma))
    try:
        import networkx
        graph = networkx.Graph()
        graph.add_weighted_edges_from((a, b, weight) for (a, b), weight in edges.items())
        for seed in SEEDS:
            sets = networkx.community.louvain_communities(graph, resolution=gamma, seed=seed)
            best("networkx Louvain", {node: number for number, nodes in enumerate(sets) for node in nodes})
    except ImportError:
        pass
    try:
        import igraph, random
        graph = igraph.Graph(n=nodes, edges=list(edges))
        weights = list(edges.values())
        for seed in SEEDS:
            random.seed(seed)
            best("igraph Louvain", graph.community_multilevel(weights=weights, resolution=gamma).membership)
            best("igraph Leiden", graph.community_leiden(
                objective_function="modularity", weights=weights, resolution=gamma, n_iterations=4).membership)
    except ImportError:
        pass
    if not found:
        sys.exit("neither networkx nor igraph is installed")
    return found

def uses(database):
    """The graph of DESIGN.md section 6 without history and directories, and path -> node."""
    ask = database.execute
    nodes = {file: number for number, (file,) in enumerate(ask(
        "SELECT id FROM file WHERE test = 0 AND language <> 'text' AND status IN ('parsed', 'partial', 'fallback') ORDER BY path"))}
    counts = collections.Counter()
    # 5 is an import, 4 and more are possible edges.
    for user, used in ask("SELECT e.caller_file, s.file FROM edge e JOIN symbol s ON s.id = e.callee WHERE e.kind <> 5 AND e.resolution < 4"):
        if user != used and user in nodes and used in nodes:
            counts[nodes[user], nodes[used]] += 1
    for user, used in ask("SELECT importer, imported FROM import"):
        if user != used and user in nodes and used in nodes:
            counts.setdefault((nodes[user], nodes[used]), 1)
    in_degree = collections.Counter(used for _, used in counts)
    edges = collections.Counter()
    for (user, used), count in sorted(counts.items()):
        edges[min(user, used), max(user, used)] += math.log2(1 + count) / math.sqrt(in_degree[used])
    return edges, nodes

def indexed(binary, out, tree, gamma):
    settings = out / "config" / "floorplan"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "config.toml").write_text(
        f"[neighborhoods]\ngamma = {gamma}\nco_change = 0\ndirectory = 0\nmin_files = 0\n")
    environment = dict(os.environ, XDG_CACHE_HOME=str(out / "cache"), XDG_CONFIG_HOME=str(out / "config"))
    run = lambda *command: subprocess.run(
        [binary, *command], cwd=tree, env=environment, check=True, capture_output=True, text=True, timeout=600).stdout
    run("index", "--quiet")
    for path in (out / "cache" / "floorplan").glob("*/graph.db"):
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        if database.execute("SELECT value FROM meta WHERE key = 'root'").fetchone() == (str(tree.resolve()),):
            return database
    sys.exit(f"no graph of {tree}")

def compare(binary, out, trees):
    worse = False
    for tree in trees:
        for gamma in GAMMAS:
            database = indexed(binary, out, tree, gamma)
            edges, nodes = uses(database)
            groups = {node: -1 - node for node in nodes.values()}
            groups.update((nodes[file], group) for file, group in database.execute("SELECT file, community FROM member"))
            ours, others = modularity(edges, groups, gamma), oracles(edges, gamma)
            shown = "  ".join(f"{name} {value:.4f}" for name, value in others.items())
            print(f"{tree.name:14} {len(nodes):5} files  gamma {gamma}  ours {ours:.4f}  {shown}", flush=True)
            worse |= ours < max(value for name, value in others.items() if "Louvain" in name) * (1 - TOLERANCE)
    sys.exit(worse)

def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--graph":
        rows = [line.split() for line in open(arguments[1]) if not line.startswith("#")]
        edges = {(int(a), int(b)): float(weight) for a, b, weight in rows}
        print(max(oracles(edges, float(arguments[2])).values()))
        return
    write = arguments[0] == "--write"
    binary, out, *trees = arguments[write:]
    binary, out, trees = os.path.abspath(binary), pathlib.Path(out).resolve(), [pathlib.Path(tree) for tree in trees]
    if not write:
        compare(binary, out, trees)
    edges, _ = uses(indexed(binary, out, trees[0], 1))
    edges = {pair: round(weight, 3) for pair, weight in edges.items()}
    for gamma in GAMMAS[:2]:
        print(f"# {gamma} {max(oracles(edges, gamma).values()):.6f}")
    for (a, b), weight in sorted(edges.items()):
        print(a, b, weight)

if __name__ == "__main__":
    main()
