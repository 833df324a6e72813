#!/usr/bin/env bash
# hook_ratio.py on the scratch repository, and the most memory that a Read takes.
set -euo pipefail
# shellcheck source=tests/bench/scratch.sh
. "$(dirname "$0")/scratch.sh"
# A copy, as install.sh makes one: the pages of a file that the linker wrote are mapped more slowly (by a fifth).
cp "$FLOORPLAN_BIN" "$scratch/floorplan"
FLOORPLAN_BIN=$scratch/floorplan
LIMIT_CPU=1.7 python3 "$here/hook_ratio.py" "$FLOORPLAN_BIN" "$scratch/read.json" "$scratch/first.json" "$@"
LIMIT=1.3 LIMIT_CPU=1.1 python3 "$here/hook_ratio.py" "$FLOORPLAN_BIN" "$scratch/other.json" "$scratch/first.json" "$@"
LIMIT=15 python3 "$here/hook_ratio.py" "$FLOORPLAN_BIN" "$scratch/prompt.json" "$scratch/first.json" "$@"
kib=$(/usr/bin/time -f %M "$FLOORPLAN_BIN" <"$scratch/read.json" 2>&1 >/dev/null)
echo "read: at most $kib KiB resident (limit 8192)"
[ "$kib" -le 8192 ]
