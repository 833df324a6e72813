#!/usr/bin/env bash
# accuracy.sh TRUTH REPOS [NAME...]: precision and recall of callers against what compilers and type checkers say.
#
# TRUTH holds NAME.jsonl.gz and, above it, score.py; REPOS holds the sources as NAME/. FLOORPLAN_BIN names the binary
# [target/release/floorplan]. Prints score.py's tables, with FULL=1 recall by kind of construct and the worst examples too, and
# how often an edge of each grade is right (grades.py): the rows of src/query/measured.tsv. What TRUTH speaks of and REPOS
# lacks is passed over with a word. tests/bench/gotruth makes such truth of a Go repository.
set -euo pipefail
truth=${1:?usage: accuracy.sh TRUTH REPOS [NAME...]} repos=${2:?usage: accuracy.sh TRUTH REPOS [NAME...]}
shift 2
bin=${FLOORPLAN_BIN:-$(cd "$(dirname "$0")/../.." && pwd)/target/release/floorplan}
detail=(--brief)
if [ -n "${FULL:-}" ]; then detail=(--top 10); fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export XDG_CACHE_HOME=$out/cache
mkdir "$out/cache" "$out/answers" "$out/dumps"
for file in "$truth"/*.jsonl.gz; do
    name=$(basename "$file" .jsonl.gz)
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    if [ ! -d "$repos/$name" ]; then
        echo "$name: no sources" >&2
        continue
    fi
    "$bin" index --quiet "$repos/$name"
    "$bin" dump "$repos/$name" >"$out/dumps/$name.dump.jsonl"
    python3 -c '
import json, sys
edges, dead = (open(sys.argv[1] + end, "w") for end in (".edges.jsonl", ".dead.jsonl"))
for line in sys.stdin:
    row = json.loads(line)
    if row["t"] == "unreferenced":
        dead.write(line)
    elif row["t"] == "edge" and row["resolved"] and row["kind"] in ("call", "construct", "decorate"):
        edges.write(line)
' "$out/answers/$name" <"$out/dumps/$name.dump.jsonl"
done
python3 "$truth/../score.py" --truth "$truth" --edges "$out/answers" --dead "$out/answers" --repo-root "$repos" \
    "${detail[@]}"
printf '\nlanguage\tgrade\tright\tjudged\n'
python3 "$(dirname "$0")/grades.py" "$truth" "$out/dumps"
