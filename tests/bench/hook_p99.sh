#!/usr/bin/env bash
# The slowest of many: 2,000 interleaved Read events on graphs of 100, 10,000 and 50,000 files (or those named), against
# /bin/true. Takes some minutes; asks for a machine that does little else.
set -euo pipefail
[ $# -gt 0 ] || set -- 100 10000 50000
for count in "$@"; do
    echo "$count files"
    # A subshell each: the scratch folder goes away with it.
    (
        export FILES=$count LIMIT_P99=${LIMIT_P99:-2}
        # shellcheck source=tests/bench/scratch.sh
        . "$(dirname "$0")/scratch.sh"
        cp "$FLOORPLAN_BIN" "$scratch/floorplan"
        python3 "$here/hook_ratio.py" "$scratch/floorplan" "$scratch/read.json" "$scratch/first.json" "${PAIRS:-2000}"
    )
done
