#!/usr/bin/env bash
# What the hook asks of the kernel for one Read event with a fresh graph: no program started, no network, nothing written
# but the session's journal.
# The number of system calls is printed and bounded by the budget (LIMIT overrides it).
set -euo pipefail
# shellcheck source=tests/bench/scratch.sh
. "$(dirname "$0")/scratch.sh"
limit=${LIMIT:-56}
trace=$scratch/trace
forget
strace -f -o "$trace" "$FLOORPLAN_BIN" <"$scratch/read.json" >/dev/null
calls() { grep -cE "^[0-9]+ +($1)\(" "$trace" || true; }
bad=0
check() { # what, found, allowed
    echo "$1: $2 (at most $3)"
    [ "$2" -le "$3" ] || bad=1
}
check "programs started, itself included" "$(calls 'execve|execveat')" 1
check "network calls" "$(calls 'socket|connect|bind|sendto|sendmsg|socketpair')" 0
writing=$(grep -E 'open(at)?\(.*(O_WRONLY|O_RDWR|O_CREAT)' "$trace" | grep -vc '/[0-9a-f]*\.journal' || true)
check "files opened for writing, but for the journal" "$writing" 0
check "system calls" "$(grep -cE '^[0-9]+ +[a-z]' "$trace")" "$limit"
[ "$bad" = 0 ] || { cat "$trace"; exit 1; }
