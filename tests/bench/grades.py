#!/usr/bin/env python3
"""grades.py TRUTH ANSWERS [NAME...]: how often an edge of each grade is right, by language.

TRUTH holds NAME.jsonl.gz (see the README above it), ANSWERS what `floorplan dump` printed as NAME.dump.jsonl. Judged is every
call, construction and decoration whose caller's file and target the truth knows, unless the checker behind the truth could not
resolve a reference of that name on that line. It is right if the truth has a reference to that very definition on the line, or in the same
function (a call by another name is on another line than what gave the name). A constructor and its class count as one; what is
overridden and what overrides do not. Prints tab separated: language, grade, edges that are right, edges that are judged.
"""

import collections
import gzip
import json
import pathlib
import sys

CALLS = ("call", "construct", "decorate")


def truth_of(path):
    """Language, files, definitions by (file, line), their references as (file, line), and what could not be resolved."""
    language, files, at, unresolved, classes = "", set(), {}, set(), {}
    for row in map(json.loads, gzip.open(path, "rt", encoding="utf8")):
        if row["t"] == "meta":
            language, files = row["lang"], set(row["files"])
        elif row["t"] == "unres":
            unresolved.add((row["file"], row["line"], row["name"]))
        else:
            at.setdefault((row["file"], row["line"]), []).append(row)
            classes[row["id"]] = row
    for rows in at.values():
        for row in rows:
            row["sites"] = {(ref[0], place) for ref in row["refs"] for place in (ref[1], ref[3]) if place}
    for row in list(classes.values()):
        parent = classes.get(row["parent"])
        is_constructor = "ctor" in row["flags"] or row["name"] in ("__init__", "__new__", "constructor")
        if parent and (is_constructor or row["name"] == parent["name"]):
            row["sites"] |= parent["sites"]
            parent["sites"] |= row["sites"]
    return language, files, at, unresolved


def grade(truth, dump, counts):
    language, files, at, unresolved = truth
    for edge in map(json.loads, open(dump, encoding="utf8")):
        if edge["t"] != "edge" or edge["kind"] not in CALLS or edge["caller_file"] not in files:
            continue
        name = edge["callee_qualname"].rsplit(".", 1)[-1]
        constructor = name in ("<init>", "__init__")
        found = at.get((edge["callee_file"], edge["callee_line"]), [])
        targets = [row for row in found if row["name"] == name or constructor]
        site = (edge["caller_file"], edge["caller_line"])
        if not targets or (*site, name) in unresolved:
            continue
        function = (edge["caller_file"], edge["caller_qualname"])
        right = any(site in row["sites"] or function in row["sites"] for row in targets)
        counts[language, edge["resolution"]] += collections.Counter(right=int(right), judged=1)


def main():
    truth, answers, names = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    counts = collections.defaultdict(collections.Counter)
    for dump in sorted(answers.glob("*.dump.jsonl")):
        name = dump.name.removesuffix(".dump.jsonl")
        if not names or name in names:
            grade(truth_of(truth / f"{name}.jsonl.gz"), dump, counts)
    order = ["same_scope", "imported", "typed_receiver", "inherited", "override", "unique_name", "ambiguous"]
    for (language, resolution), count in sorted(counts.items(), key=lambda item: (item[0][0], order.index(item[0][1]))):
        print(language, resolution, count["right"], count["judged"], sep="\t")


main()
