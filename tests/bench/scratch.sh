# shellcheck shell=bash
# Sourced by the scripts here: a HOME, a repository (examples/shop and FILES generated files) with its graph, and events,
# all in one scratch folder that goes away at exit. Needs FLOORPLAN_BIN. Checks first that the events are answered as they
# should be, so that nobody measures a no-op.
: "${FLOORPLAN_BIN:?the floorplan binary to measure}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch/home XDG_CACHE_HOME=$scratch/home/.cache
mkdir -p "$HOME"
cp -r "$here/../../examples/shop" "$scratch/repo"
[ "${FILES:-0}" = 0 ] || python3 "$here/generate.py" "$scratch/repo" "$FILES"
git -C "$scratch/repo" init -q -b main
git -C "$scratch/repo" add -A
git -C "$scratch/repo" -c user.name=bench -c user.email=bench@localhost -c gc.auto=0 commit -qm shop
"$FLOORPLAN_BIN" index "$scratch/repo" >"$scratch/index.log" 2>&1 || { cat "$scratch/index.log"; exit 1; }

# Nothing is said twice in a session: before each call its journal is cut to what it was before the first. There is one
# from the start, of a session that has read another file: all calls of a session but one find a journal.
began=0
forget() { truncate -s "$began" "$XDG_CACHE_HOME"/floorplan/*/*.journal; }

event() { # name, event, fields...
    printf '{"session_id":"bench","cwd":"%s","hook_event_name":"%s",%s}\n' "$scratch/repo" "$2" "$3" >"$scratch/$1.json"
    [ "$began" = 0 ] || forget
    "$FLOORPLAN_BIN" <"$scratch/$1.json" >"$scratch/$1.said"
}
event first PreToolUse '"tool_name":"Read","tool_input":{"file_path":"'"$scratch"'/repo/api/routes.py"},"tool_use_id":"toolu_0"'
began=$(stat -c %s "$XDG_CACHE_HOME"/floorplan/*/*.journal)
event read PreToolUse '"tool_name":"Read","tool_input":{"file_path":"'"$scratch"'/repo/billing/invoice.py"},"tool_use_id":"toolu_1"'
event search PreToolUse '"tool_name":"Bash","tool_input":{"command":"grep -rn finalize --include=*.py ."},"tool_use_id":"toolu_1"'
event other PreToolUse '"tool_name":"Bash","tool_input":{"command":"cargo build --release && ./run.sh"},"tool_use_id":"toolu_1"'
# Words that all of the generated files have, so that all of them are looked at.
event prompt UserPromptSubmit '"prompt":"finalize an invoice, report its total with tax of a country"'
event session SessionStart '"source":"startup","model":"any"'
for name in read search prompt session; do
    grep -q additionalContext "$scratch/$name.said" || { echo "the $name event is not answered"; exit 1; }
done
grep -q billing/invoice.py "$scratch/read.said" "$scratch/search.said" || { echo "invoice.py is not named"; exit 1; }
[ ! -s "$scratch/other.said" ] || { echo "a command that reads nothing is answered"; exit 1; }
