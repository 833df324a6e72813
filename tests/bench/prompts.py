#!/usr/bin/env python3
"""Files and neighborhoods for the prompts of the retrieval benchmark, and how often chat and foreign tasks are let through.

usage: prompts.py FLOORPLAN CASES.jsonl QUERIES.json CLONES OUT [--chat LINES.txt] [--language LANG]...
CASES and QUERIES are the benchmark's files, CLONES a folder with one clone with history a repository, named as in the cases
(or a bare one: `NAME.git`, `OWNER+NAME/repo`). Writes OUT.easy.jsonl and OUT.hard.jsonl for score_prompts.py, one work tree a
repository beside OUT, and prints the gate: the share of easy and hard prompts, of prompts of the other repositories and of
the lines of LINES.txt (one a line, `#` begins a comment) that the answer calls convincing, as macro-averages.
"""
import argparse, json, os, pathlib, random, subprocess, sys
from collections import defaultdict

FOREIGN = 40  # prompts of other repositories asked of each snapshot

def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=1200, **options)

def clone_of(clones, repo):
    places = [clones / repo, clones / (repo + ".git")] + sorted(clones.glob(f"*+{repo}/repo"))
    return next((place for place in places if place.exists()), None)

class Tree:
    """The work tree of a repository at a snapshot, indexed."""
    def __init__(self, binary, clones, folder, repo):
        self.binary, self.path, self.repo = binary, folder / "trees" / repo, repo
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))
        source = clone_of(clones, repo)
        self.there = self.path.exists() or source and not run(["git", "clone", "-q", "-s", "-n", str(source), str(self.path)]).returncode

    def at(self, commit):
        # By hand and not by `git checkout`, which gives up where a clone lacks one big picture.
        for command in (["update-ref", "--no-deref", "HEAD", commit], ["read-tree", "--reset", commit], ["clean", "-fdqx"]):
            if run(["git", "-C", str(self.path), *command]).returncode:
                return False
        run(["git", "-C", str(self.path), "checkout-index", "-afq"])
        if run([self.binary, "index"], cwd=self.path, env=self.environment).returncode:
            return False
        self.members = defaultdict(list)
        for line in run([self.binary, "dump"], cwd=self.path, env=self.environment).stdout.splitlines():
            if '"member"' in line[:20]:
                row = json.loads(line)
                self.members[row["label"]].append(row["file"])
        return True

    def ask(self, text):
        out = run([self.binary, "seed", "--json", "--limit", "20", "--", text], cwd=self.path, env=self.environment)
        return json.loads(out.stdout) if out.stdout.strip() else {"files": [], "neighborhoods": [], "convincing": False}

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("binary", "cases", "queries", "clones", "out"):
        parser.add_argument(name)
    parser.add_argument("--chat")
    parser.add_argument("--language", action="append")
    args = parser.parse_args()
    binary, clones, out = os.path.abspath(args.binary), pathlib.Path(args.clones).resolve(), pathlib.Path(args.out).resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    queries = json.load(open(args.queries))
    cases = [json.loads(line) for line in open(args.cases)]
    cases = [case for case in cases if not args.language or case["lang"] in args.language]
    chat = [line.strip() for line in open(args.chat)] if args.chat else []
    chat = [line for line in chat if line and not line.startswith("#")]
    foreign = [(repo, query["q"]) for repo, of_repo in sorted(queries.items()) for _, query in sorted(of_repo.items())]
    said = defaultdict(lambda: defaultdict(list))
    answered, lacking = 0, []
    with open(f"{out}.easy.jsonl", "w") as easy, open(f"{out}.hard.jsonl", "w") as hard:
        for repo in sorted({case["repo"] for case in cases}):
            tree = Tree(binary, clones, out.parent, repo)
            for snapshot in sorted({case["snapshot"] for case in cases if case["repo"] == repo}):
                if not tree.there or not tree.at(snapshot):
                    lacking.append(f"{repo}@{snapshot[:10]}")
                    continue
                for case in cases:
                    if case["snapshot"] != snapshot:
                        continue
                    query = queries[repo][case["id"]]
                    for kind, text, file in (("easy", query["q"], easy), ("hard", query["hard"], hard)):
                        if not text:
                            continue
                        answer = tree.ask(text)
                        said[kind][repo].append(answer["convincing"])
                        groups = [tree.members[group["label"]] for group in answer["neighborhoods"]]
                        row = {"id": case["id"], "files": [found["path"] for found in answer["files"]], "neighborhoods": groups}
                        file.write(json.dumps(row) + "\n")
                    answered += 1
                some = random.Random(snapshot)
                others = [text for of, text in foreign if of != repo]
                for kind, texts in (("foreign", some.sample(others, min(FOREIGN, len(others)))), ("chat", chat)):
                    said[kind][repo].extend(tree.ask(text)["convincing"] for text in texts)
    print(f"{answered} of {len(cases)} prompts answered", *(["; absent:"] + lacking if lacking else []))
    for kind, repos in said.items():
        shares = [sum(rows) / len(rows) for rows in repos.values() if rows]
        if shares:
            print(f"{kind:8} convincing {sum(shares) / len(shares):.3f}", {repo: round(sum(rows) / len(rows), 2) for repo, rows in repos.items() if rows})

if __name__ == "__main__":
    main()
