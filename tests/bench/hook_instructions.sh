#!/usr/bin/env bash
# User-mode instructions of one hook call, by callgrind: repeatable where milliseconds are not. Fails above the budget.
# With FILES=50000 the repository is that much larger; the numbers must not be.
set -euo pipefail
# shellcheck source=tests/bench/scratch.sh
. "$(dirname "$0")/scratch.sh"
bad=0
measure() { # name, limit, what
    valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind.out" "$FLOORPLAN_BIN" \
        <"$scratch/$1.json" >"$scratch/now" 2>"$scratch/valgrind.log" || { cat "$scratch/valgrind.log"; exit 1; }
    cmp "$scratch/now" "$scratch/$1.said" || { echo "$3: another answer under callgrind"; exit 1; }
    local count
    count=$(sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$scratch/valgrind.log")
    echo "$3: $count instructions (at most $2)"
    [ "$count" -le "$2" ] || bad=1
}
measure read 500000 "Read with annotation"
measure search 600000 "Bash search with annotation"
measure other 250000 "Bash command that is no search"
measure session 1500000 "SessionStart with briefing"
[ "$bad" = 0 ]
