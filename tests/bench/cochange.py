#!/usr/bin/env python3
"""Annotations for the co-change benchmark: what a Read of each case's file says at the parent commit.

usage: cochange.py FLOORPLAN CASES.jsonl CLONES OUT.jsonl [LANGUAGE...]
CASES is the benchmark's cochange or silent file, CLONES a folder with one clone with history a repository, named as in
the cases (or a bare one, `NAME.git`). Writes {"id", "text"} lines for its scorer, and one work tree a repository
beside OUT. Prints how many cases were answered and which parents a clone lacks.
"""
import json, os, pathlib, subprocess, sys

def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **options)

def main():
    binary, cases, clones, out, *languages = sys.argv[1:]
    binary, clones, out = os.path.abspath(binary), pathlib.Path(clones).resolve(), pathlib.Path(out).resolve()
    rows = [json.loads(line) for line in open(cases)]
    rows = [row for row in rows if not languages or row["lang"] in languages]
    # Neighbouring commits together: little to check out.
    rows.sort(key=lambda row: (row["repo"], row.get("date", 0), row["parent"]))
    environment = dict(os.environ, XDG_CACHE_HOME=str(out.parent / "cache"))
    answered, lacking, current = 0, [], None
    with open(out, "w") as answers:
        for row in rows:
            tree = out.parent / "trees" / row["repo"]
            if not tree.exists():
                source = next((p for p in (clones / row["repo"], clones / (row["repo"] + ".git")) if p.exists()), None)
                if source is None or run(["git", "clone", "-q", "-s", "-n", str(source), str(tree)]).returncode:
                    continue
            if current != (row["repo"], row["parent"]):
                checked_out = run(["git", "-C", str(tree), "checkout", "-q", "-f", row["parent"]])
                indexed = checked_out.returncode or run([binary, "index"], cwd=tree, env=environment).returncode
                if indexed:
                    lacking.append(row["repo"] + "@" + row["parent"][:10])
                    continue
                current = (row["repo"], row["parent"])
            event = {"hook_event_name": "PreToolUse", "session_id": row["id"], "cwd": str(tree), "tool_name": "Read",
                     "tool_input": {"file_path": str(tree / row["file"])}}
            reply = run([binary], input=json.dumps(event) + "\n", cwd=tree, env=environment).stdout
            text = json.loads(reply)["hookSpecificOutput"]["additionalContext"] if reply.strip() else ""
            answers.write(json.dumps({"id": row["id"], "text": text}) + "\n")
            answered += 1
    print(f"{answered} of {len(rows)} cases answered", *(["; absent:"] + sorted(set(lacking)) if lacking else []))

if __name__ == "__main__":
    main()
