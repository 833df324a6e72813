#!/usr/bin/env python3
"""How long one hook call takes as a multiple of /bin/true: `hook_ratio.py BINARY EVENT_FILE [PAIRS]`.

The two are started in turn, so that the load of the machine falls on both; the median of the pairs' ratios is printed. The
budget is 1.2; on a shared machine only more than 1.5 (or LIMIT) fails.
"""
import glob
import os
import shutil
import statistics
import sys
import time


def forget():
    """Nothing is said twice in a session: without its journal each call is the first."""
    for folder in glob.glob(os.path.join(os.environ.get("XDG_CACHE_HOME", "/nonexistent"), "floorplan", "*", "sessions")):
        shutil.rmtree(folder)


def seconds(program, event, null):
    forget()
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


def main():
    binary, event = os.path.abspath(sys.argv[1]), sys.argv[2]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    limit = float(os.environ.get("LIMIT", "1.5"))
    null = os.open(os.devnull, os.O_WRONLY)
    for _ in range(20):
        seconds("/bin/true", event, null), seconds(binary, event, null)
    ratios = []
    for number in range(pairs):
        # Whoever comes second finds warmer caches: they take turns.
        if number % 2:
            base, hook = seconds("/bin/true", event, null), seconds(binary, event, null)
        else:
            hook, base = seconds(binary, event, null), seconds("/bin/true", event, null)
        ratios.append(hook / base)
    median = statistics.median(ratios)
    name = os.path.basename(event).split(".")[0]
    print("%s: %.2f times /bin/true (median of %d pairs, limit %.2f)" % (name, median, pairs, limit))
    sys.exit(median > limit)


if __name__ == "__main__":
    main()
