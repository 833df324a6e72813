#!/bin/sh
# Builds floorplan from this checkout, registers it as a Claude Code hook, indexes a repository and shows a first annotation.
# Everything is done as you, inside your home; missing tools are named, never installed; nothing is fetched but cargo's crates.
set -eu

usage() {
    cat <<'END'
Usage: ./install.sh [OPTIONS] [REPOSITORY]

Builds floorplan from this checkout, puts it into ~/.local/bin, adds its hook to ~/.claude/settings.json, indexes
REPOSITORY (default: this checkout) and shows a first annotation. Running it again brings everything up to date.

  --binary PATH   take this floorplan binary instead of building one
  --bin-dir DIR   put the binary there [default: ~/.local/bin]
  --project       register the hook in REPOSITORY/.claude/settings.json, not in your own settings
  --dry-run       say what would be done and change nothing
  --uninstall     take the hook out again (with --project: out of REPOSITORY only) and remove the binary
  --help          show this text
END
}

say() { printf '%s\n' "$@"; }
fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
given='' bin_dir='' repository='' project=no dry_run=no action=install
while [ $# -gt 0 ]; do
    case $1 in
        --binary) [ $# -ge 2 ] || fail "--binary needs a path"; given=$2; shift ;;
        --bin-dir) [ $# -ge 2 ] || fail "--bin-dir needs a folder"; bin_dir=$2; shift ;;
        --project) project=yes ;;
        --dry-run) dry_run=yes ;;
        --uninstall) action=uninstall ;;
        --help | -h) usage; exit 0 ;;
        -*) usage >&2; fail "unknown option $1" ;;
        *) [ -z "$repository" ] || fail "more than one repository given"; repository=$1 ;;
    esac
    shift
done
[ -n "${HOME:-}" ] || fail "HOME is not set"
[ -n "$repository" ] || repository=$checkout
[ -d "$repository" ] || fail "$repository is not a folder"
repository=$(CDPATH='' cd -- "$repository" && pwd -P)
[ -n "$bin_dir" ] || bin_dir=$HOME/.local/bin
case $bin_dir in /*) ;; *) bin_dir=$PWD/$bin_dir ;; esac
installed=$bin_dir/floorplan

# --- pieces -----------------------------------------------------------------------------------------------------------

# `floorplan install` or `uninstall` by the binary $1, for the binary at $installed.
settings() {
    program=$1
    shift
    [ "$project" = no ] || set -- "$@" --project "$repository"
    [ "$dry_run" = no ] || set -- "$@" --dry-run
    "$program" "$@" --binary "$installed"
}

is_floorplan() {
    [ -x "$1" ] && case $("$1" --version 2>/dev/null </dev/null) in "floorplan "*) true ;; *) false ;; esac
}

need_build_tools() {
    missing=''
    command -v cargo >/dev/null 2>&1 || missing="
  cargo 1.91 or later: https://rustup.rs, or your package manager"
    command -v cc >/dev/null 2>&1 || missing="$missing
  a C compiler (cc): apt install build-essential, dnf install gcc, or xcode-select --install"
    [ -z "$missing" ] || fail "to build floorplan these are needed, and then this command again:$missing"
}

# Sets $host and $flags. A hook starts a process for every read, and most of what a small process costs is loading it: a
# static, non-relocated program needs no loader and a quarter of the instructions, and with what a hook runs side by side
# (hook.ld) it is mapped by half as many page faults.
choose_target() {
    host=$(rustc -vV | sed -n 's/^host: //p')
    flags=''
    case $host in
        *-linux-gnu)
            # The bare name comes back if the compiler has no such file.
            if [ "$(cc -print-file-name=libc.a)" != libc.a ]; then
                flags='-C target-feature=+crt-static -C relocation-model=static'
                # Rust's own linker there. The path is that of the checkout, where cargo runs it.
                [ "$host" != x86_64-unknown-linux-gnu ] || flags="$flags -C link-arg=-Wl,-T,hook.ld"
            else
                say "note: no static C library here (libc6-dev, glibc-static), so the hook will start a little slower"
            fi
            ;;
        *-linux-musl) flags='-C target-feature=+crt-static -C relocation-model=static' ;;
    esac
}

# Sets $built. --target is named even though it is the host: only then are the flags kept from build scripts and procedural
# macros, which must stay dynamic. zlib is built from its crate: the system's is not everywhere to be had as a static library.
build() {
    need_build_tools
    choose_target
    say "Building floorplan (a few minutes the first time)"
    (cd -- "$checkout" && RUSTFLAGS="$flags" LIBZ_SYS_STATIC=1 cargo build --release --locked --target "$host" --target-dir target)
    built=$checkout/target/$host/release/floorplan
}

# Copies beside the target and renames: a hook that runs right now keeps its file.
place() {
    [ ! -e "$installed" ] || is_floorplan "$installed" || fail "$installed is some other program: choose a --bin-dir"
    mkdir -p -- "$bin_dir"
    cp -- "$1" "$installed.new.$$"
    chmod 755 "$installed.new.$$"
    mv -f -- "$installed.new.$$" "$installed"
    say "Installed $installed"
    case :${PATH:-}: in
        *:"$bin_dir":*) ;;
        *) say "note: $bin_dir is not on your PATH; the hook works all the same, the commands need the full path" ;;
    esac
}

# Files of the repository that others refer to, most dependents first, from the graph itself.
most_used_files() {
    "$installed" dump "$repository" 2>/dev/null |
        sed -n 's/.*"caller_file":"\([^"]*\)".*"callee_file":"\([^"]*\)".*"resolved":true.*/\2	\1/p' |
        awk -F '	' '$1 != $2' | sort -u | cut -f 1 | uniq -c | sort -k 1,1nr -k 2 |
        sed 's/^ *[0-9]* //' | head -n 20
}

# What the hook answers when the agent reads the file $1, as the agent would see it.
annotation() {
    folder=$(printf '%s' "$repository" | sed 's/\\/\\\\/g; s/"/\\"/g')
    path=$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')
    printf '{"hook_event_name":"PreToolUse","cwd":"%s","tool_name":"Read","tool_input":{"file_path":"%s"}}\n' \
        "$folder" "$folder/$path" |
        "$installed" | sed -n 's/.*"additionalContext":"\(.*\)"}}.*/\1/p' | sed 's/\\n/\
/g; s/\\"/"/g; s/\\\\/\\/g'
}

show_annotation() {
    most_used_files | {
        while IFS= read -r file; do
            text=$(annotation "$file")
            if [ -n "$text" ]; then
                say "" "When Claude Code reads $file, it is now told:" ""
                say "$text"
                exit 0
            fi
        done
        exit 1
    } || say "No file there has callers in another file (Python and Java are read today), so there is nothing to show yet."
}

# --- what was asked -----------------------------------------------------------------------------------------------------

if [ "$action" = uninstall ]; then
    program=$installed
    [ -z "$given" ] || program=$given
    is_floorplan "$program" || fail "$program is no floorplan binary; name one with --binary, or its folder with --bin-dir"
    settings "$program" uninstall
    # Other settings may still name the binary when only a project's were asked for.
    if [ "$project" = no ] && [ -e "$installed" ]; then
        if [ "$dry_run" = yes ]; then
            say "would remove $installed"
        else
            rm -f -- "$installed"
            say "Removed $installed"
        fi
    fi
    say "The graphs are a cache; remove them with: rm -r \"${XDG_CACHE_HOME:-$HOME/.cache}/floorplan\""
    exit 0
fi

if [ "$dry_run" = yes ]; then
    if [ -n "$given" ]; then
        say "would copy $given to $installed"
        program=$given
    else
        say "would build floorplan in $checkout/target and put it at $installed"
        program=$installed
    fi
    if is_floorplan "$program"; then
        settings "$program" install
    else
        say "would run: $installed install (what it changes can be said once it is built)"
    fi
    say "would index $repository and show an annotation"
    exit 0
fi

if [ -n "$given" ]; then
    is_floorplan "$given" || fail "$given is no floorplan binary"
    built=$given
else
    build
fi
place "$built"
settings "$installed" install
say "" "Indexing $repository"
"$installed" index "$repository"
show_annotation
