#!/usr/bin/env python3
"""How long one hook call takes as a multiple of /bin/true: `hook_ratio.py BINARY EVENT_FILE FIRST_EVENT_FILE [PAIRS]`.

The two are started in turn, so that the load of the machine falls on both; printed are the median of the pairs' ratios and the
ratio of the two 99th percentiles. The budgets are 1.1 and 2; on a shared machine only a median of more than 1.5 (or LIMIT) fails,
and a 99th percentile only where LIMIT_P99 is set (`hook_p99.sh`). Load adds to the ratio and never takes away: what is
above the limit is measured again, three times in all.

Nothing is said twice in a session, so each call belongs to a session of its own, which has had the first event before: as
all calls of a session but one, it finds a journal and adds to it.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

WARM, ROUNDS = 20, 3


def seconds(program, event, null):
    source = os.open(event, os.O_RDONLY)
    actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
    start = time.perf_counter()
    child = os.posix_spawn(program, [program], os.environ, file_actions=actions)
    _, status = os.waitpid(child, 0)
    took = time.perf_counter() - start
    os.close(source)
    if status != 0:
        sys.exit("%s ended with status %d" % (program, status))
    return took


def sessions(binary, event, first, count, folder):
    """The event once for each of `count` sessions that have begun."""
    event, first = json.load(open(event)), json.load(open(first))
    for number in range(count):
        session = {"session_id": "%s-%d" % (folder, number)}
        subprocess.run([binary], input=json.dumps({**first, **session}).encode(), stdout=subprocess.DEVNULL, check=True)
        path = os.path.join(folder, "%d.json" % number)
        with open(path, "w") as file:
            file.write(json.dumps({**event, **session}, separators=(",", ":")) + "\n")
        yield path


def main():
    binary, event, first = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    pairs = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    limit = float(os.environ.get("LIMIT", "1.5"))
    name = os.path.basename(event).split(".")[0]
    limit_p99 = float(os.environ.get("LIMIT_P99", "inf"))
    for _ in range(ROUNDS):
        base, hook = round_of(binary, event, first, pairs)
        median = statistics.median(b / a for a, b in zip(base, hook))
        p99 = percentile(hook, 99) / percentile(base, 99)
        print(
            "%s: %.2f times /bin/true (median of %d pairs, limit %.2f), 99th percentiles %.2f (limit %.2f)"
            % (name, median, pairs, limit, p99, limit_p99)
        )
        if median <= limit and p99 <= limit_p99:
            return
    sys.exit(1)


def percentile(values, percent):
    return sorted(values)[len(values) * percent // 100]


def round_of(binary, event, first, pairs):
    """Seconds of /bin/true and of the hook, pair by pair."""
    null = os.open(os.devnull, os.O_WRONLY)
    bases, hooks = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(list(sessions(binary, event, first, WARM + pairs, folder))):
            # Whoever comes second finds warmer caches: they take turns.
            if number % 2:
                base, hook = seconds("/bin/true", path, null), seconds(binary, path, null)
            else:
                hook, base = seconds(binary, path, null), seconds("/bin/true", path, null)
            if number >= WARM:
                bases.append(base)
                hooks.append(hook)
    os.close(null)
    return bases, hooks


if __name__ == "__main__":
    main()
