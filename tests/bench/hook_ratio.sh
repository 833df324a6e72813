#!/usr/bin/env bash
# hook_ratio.py on the scratch repository.
set -euo pipefail
# shellcheck source=tests/bench/scratch.sh
. "$(dirname "$0")/scratch.sh"
python3 "$(dirname "$0")/hook_ratio.py" "$FLOORPLAN_BIN" "$scratch/read.json" "$@"
