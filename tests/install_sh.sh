#!/usr/bin/env bash
# install.sh from end to end in a HOME of its own: dry run, install, again, another settings file, uninstall.
# Uses the binary in FLOORPLAN_BIN instead of building one.
set -euo pipefail
: "${FLOORPLAN_BIN:?the floorplan binary to install}"
here=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home with 'blank" XDG_CACHE_HOME=$scratch/cache
settings=$HOME/.claude/settings.json
mkdir -p "$HOME/.claude"
cp -r "$here/examples/shop" "$scratch/repo"
git -C "$scratch/repo" init -q -b main
git -C "$scratch/repo" add -A
git -C "$scratch/repo" -c user.name=test -c user.email=test@localhost commit -qm shop
original='{"permissions": {"deny": ["Read(.env)"]}, "hooks": {}}'
printf '%s\n' "$original" >"$settings"

run() { "$here/install.sh" --binary "$FLOORPLAN_BIN" "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out"; exit 1; }; }
expect() { # what, command...
    local what=$1
    shift
    if "$@"; then echo "  ok   $what"; else echo "  FAIL $what"; cat "$scratch/out"; exit 1; fi
}
count() { [ "$(grep -o "$1" "$2" | wc -l)" = "$3" ]; } # pattern, file, how often: a settings file may be one line

run --dry-run "$scratch/repo"
expect "a dry run changes nothing" test "$(cat "$settings")" = "$original" -a ! -e "$HOME/.local"
expect "a dry run says what it would add" grep -q '+ hooks.PreToolUse' "$scratch/out"
run "$scratch/repo"
expect "the binary is there" test -x "$HOME/.local/bin/floorplan"
expect "the hook is registered once for each event" count '/floorplan"' "$settings" 5
expect "the deny rule is kept" grep -q 'Read(.env)' "$settings"
expect "a first annotation is shown" grep -q '^billing/invoice.py: ' "$scratch/out"
grep -A 3 '^When Claude Code' "$scratch/out" | sed 's/^/         /'
cp "$settings" "$scratch/once"
run "$scratch/repo"
expect "a second run changes nothing in the settings" cmp -s "$settings" "$scratch/once"
run --project "$scratch/repo"
expect "--project writes into the repository" count '/floorplan"' "$scratch/repo/.claude/settings.json" 5
"$here/install.sh" --uninstall --project "$scratch/repo" >"$scratch/out"
expect "--uninstall --project takes it out and leaves nothing" test ! -e "$scratch/repo/.claude"
expect "the binary is still there" test -x "$HOME/.local/bin/floorplan"
"$here/install.sh" --uninstall >"$scratch/out"
expect "--uninstall gives back the settings to the byte" test "$(cat "$settings")" = "$original"
expect "--uninstall leaves nothing beside them" test "$(ls -A "$HOME/.claude")" = settings.json
expect "--uninstall removes the binary" test ! -e "$HOME/.local/bin/floorplan"
printf '{"permissions": {},}\n' >"$settings"
if "$here/install.sh" --binary "$FLOORPLAN_BIN" "$scratch/repo" >"$scratch/out" 2>&1; then
    expect "settings that are no JSON are refused" false
fi
expect "settings that are no JSON are refused with their place" grep -q 'trailing comma at line 1' "$scratch/out"
expect "and are not touched" count ',}' "$settings" 1
printf '#!/bin/sh\necho other 1.0\n' >"$HOME/.local/bin/floorplan"
chmod +x "$HOME/.local/bin/floorplan"
if "$here/install.sh" --binary "$FLOORPLAN_BIN" "$scratch/repo" >"$scratch/out" 2>&1; then
    expect "a foreign program of that name is not overwritten" false
fi
expect "a foreign program of that name is not overwritten" grep -q 'some other program' "$scratch/out"
