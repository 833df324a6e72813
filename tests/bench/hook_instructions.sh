#!/usr/bin/env bash
# User-mode instructions of one Read event with annotation, by callgrind: repeatable where milliseconds are not.
# Fails above the budget (BUDGETS.md; LIMIT overrides it).
set -euo pipefail
# shellcheck source=tests/bench/scratch.sh
. "$(dirname "$0")/scratch.sh"
limit=${LIMIT:-500000}
valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind.out" "$FLOORPLAN_BIN" \
    <"$event" >"$scratch/said" 2>"$scratch/valgrind.log" || { cat "$scratch/valgrind.log"; exit 1; }
grep -q additionalContext "$scratch/said" || { echo "no annotation under callgrind"; exit 1; }
count=$(sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$scratch/valgrind.log")
echo "Read event with annotation: $count instructions (limit $limit)"
[ "$count" -le "$limit" ]
