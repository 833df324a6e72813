#!/usr/bin/env python3
"""Makes hook.ld, which keeps what a hook call runs together in the binary: `hook_order.py MAP CALLGRIND_OUT... >hook.ld`

A hook call is so short that a third of its time went to page faults of code: it ran some 600 functions, spread over all of the
program by the linker. Each fault maps 64 KiB around it; side by side the functions fit into four of these.

MAP is what the linker says of where it put things, CALLGRIND_OUT what valgrind saw run:

    cargo rustc --release --bin floorplan ... -- -C strip=none -C link-arg=-Wl,-Map=MAP
    valgrind --tool=callgrind --demangle=no --compress-strings=no --callgrind-out-file=CALLGRIND_OUT floorplan <EVENT

Names are written without the compiler's hashes, so that the list outlives a new compiler; what it names
and no longer exists is passed over by the linker, and what is new is only as far away as it was before.
"""

import fnmatch
import re
import sys

HASH = re.compile(r"17h[0-9a-f]{16}E(\.llvm\.[0-9]+)?$")
CRATE = re.compile(r"Cs[0-9A-Za-z]{8,13}_")
SECTION = re.compile(r"^ *[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) +[0-9]+ {9}(\S.*):\((\.text[^)]*)\)$")
SYMBOL = re.compile(r"^ *[0-9a-f]+ +[0-9a-f]+ +[0-9a-f]+ +[0-9]+ {17}(\S+)$")


# What a pattern may match beside the function that it is there for, in bytes: instances of one generic function differ in
# their hashes only, and hundreds of them would fill more pages than they save.
MOST_BESIDE = 2048


def sections(path):
    """By function: its section as (object, section), and by that its size."""
    found, sizes, at = {}, {}, None
    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        if section := SECTION.match(line):
            at = section.groups()[1:]
            sizes[at] = int(section.group(1), 16)
            # Symbols are written for readers; a section of one function bears its real name.
            found.setdefault(re.sub(r"^\.text(\.unlikely)?\.?", "", at[1]), at)
        elif (symbol := SYMBOL.match(line)) and at:
            found.setdefault(symbol.group(1), at)
        else:
            at = None
    return found, sizes


def functions(paths):
    """What ran, in the order of first being named; callers stand before what they call."""
    seen = {}
    for path in paths:
        for line in open(path, errors="replace"):
            if line.startswith(("fn=", "cfn=")):
                seen.setdefault(re.sub(r"'[0-9]+$", "", line.split("=", 1)[1].strip()))
    return seen


def pattern(place):
    """Of objects and of sections, without what another build calls otherwise."""
    objects, section = place
    archive = re.search(r"/(lib[^/]*\.a)\((.*)\)$", objects)
    if archive:
        # The C library's objects are small, and its sections have no names of their own.
        return "*%s:%s" % archive.groups(), section
    if section == ".text":
        return "*" + objects.rsplit("/", 1)[-1], section
    # A crate's mark is of one compiler.
    return "*", CRATE.sub("Cs*_", HASH.sub("17h*", section))


def main():
    found, sizes = sections(sys.argv[1])
    of_rust = [(name, size) for (objects, name), size in sizes.items() if ".a(" not in objects]
    patterns = {}
    for function in functions(sys.argv[2:]):
        if function not in found:
            continue
        place = found[function]
        objects, names = pattern(place)
        if objects == "*":
            matches = re.compile(fnmatch.translate(names)).match
            beside = sum(size for name, size in of_rust if matches(name)) - sizes[place]
            if beside > MOST_BESIDE:
                continue
        patterns.setdefault("%s(%s)" % (objects, names))
    assert len(patterns) > 200, len(patterns)
    print("/* Made by tests/bench/hook_order.py: what a hook call runs, in one place. For the linker (-T). */")
    print("SECTIONS\n{\n  .text.hook :\n  {")
    for line in patterns:
        print("    %s" % line)
    print("  }\n}\nINSERT BEFORE .text;")


main()
