# shellcheck shell=bash
# Sourced by the scripts here: a HOME, a repository (examples/shop) with its graph, and a Read event, all in one scratch
# folder that goes away at exit. Needs FLOORPLAN_BIN. Checks first that the event is annotated, so that nobody measures a no-op.
: "${FLOORPLAN_BIN:?the floorplan binary to measure}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch/home XDG_CACHE_HOME=$scratch/home/.cache
mkdir -p "$HOME"
cp -r "$(dirname "${BASH_SOURCE[0]}")/../../examples/shop" "$scratch/repo"
git -C "$scratch/repo" init -q -b main
git -C "$scratch/repo" add -A
git -C "$scratch/repo" -c user.name=bench -c user.email=bench@localhost commit -qm shop
"$FLOORPLAN_BIN" index "$scratch/repo" >"$scratch/index.log" 2>&1 || { cat "$scratch/index.log"; exit 1; }
event=$scratch/event.json
printf '{"session_id":"bench","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"%s"},"tool_use_id":"toolu_1"}\n' \
    "$scratch/repo" "$scratch/repo/billing/invoice.py" >"$event"
said=$("$FLOORPLAN_BIN" <"$event")
case $said in
    *additionalContext*billing/invoice.py*) ;;
    *) echo "the Read event is not annotated: ${said:-nothing}"; exit 1 ;;
esac
