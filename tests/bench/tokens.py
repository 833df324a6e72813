#!/usr/bin/env python3
"""What annotations cost, by a real tokenizer: the Read of every source file of some repositories.

usage: tokens.py FLOORPLAN TOKENIZER REPOSITORY...
TOKENIZER is a folder into which `npm install @anthropic-ai/tokenizer` was done (the last of Claude's tokenizers that was published). Indexes
each repository into a scratch cache, asks the hook about each file in a session of its own, and prints median and maximum, and how far the
hook's own estimate is from the count. Exits 1 when the median is above 100, an annotation above 130, or the estimate of all of them more than 10 % off.
"""
import json, os, statistics, subprocess, sys, tempfile

COUNT = """
const { countTokens } = require('@anthropic-ai/tokenizer');
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map(countTokens)));
"""

def main():
    binary, tokenizer, *repositories = sys.argv[1:]
    binary = os.path.abspath(binary)
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, XDG_CACHE_HOME=scratch)
        environment.pop("FLOORPLAN_EPHEMERAL", None)
        run = lambda *words, **options: subprocess.run([binary, *words], env=environment, capture_output=True, text=True, **options)
        for repository in map(os.path.abspath, repositories):
            run("index", "--quiet", repository).check_returncode()
            rows = [json.loads(line) for line in run("dump", repository).stdout.splitlines()]
            files = sorted({row["file"] for row in rows if row["t"] == "definition"})
            texts = []
            for number, path in enumerate(files):
                event = {"hook_event_name": "PreToolUse", "session_id": "tokens-%d" % number, "cwd": repository, "tool_name": "Read",
                         "tool_input": {"file_path": os.path.join(repository, path)}}
                said = run(input=json.dumps(event) + "\n").stdout
                if said:
                    texts.append(json.loads(said)["hookSpecificOutput"]["additionalContext"])
            counts = json.loads(subprocess.run(["node", "-e", COUNT], cwd=tokenizer, input=json.dumps(texts), capture_output=True, text=True, check=True).stdout)
            told = json.loads(run("-C", repository, "status", "--json").stdout)["told"]
            off = told["tokens"] / sum(counts) - 1
            median, worst = statistics.median(counts), max(counts)
            print("%-16s %5d files, %5d annotated: median %3d, 90 %% %3d, maximum %3d tokens; estimate %+.1f %%"
                  % (os.path.basename(repository), len(files), len(texts), median, statistics.quantiles(counts, n=10)[8], worst, 100 * off), flush=True)
            failed |= median > 100 or worst > 130 or abs(off) > 0.10
    sys.exit(failed)

if __name__ == "__main__":
    main()
