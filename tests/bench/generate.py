#!/usr/bin/env python3
"""Adds Python files that call each other: `generate.py FOLDER COUNT`. Nothing in them refers to anything else.

They let the benchmarks ask the same question of a small and of a large repository. 100 files make a package; each file
imports one of another package and calls it, so that every file has callers and an annotation.
"""
import os
import sys

PER_PACKAGE = 100


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    for number in range(count):
        package = os.path.join(folder, "package_%d" % (number // PER_PACKAGE))
        if number % PER_PACKAGE == 0:
            os.makedirs(package)
            open(os.path.join(package, "__init__.py"), "w").close()
        # Far enough away to lie in another package wherever there are several.
        other = (number * 7 + PER_PACKAGE) % count
        with open(os.path.join(package, "part_%d.py" % number), "w") as file:
            file.write("from package_%d.part_%d import total_%d\n\n\n" % (other // PER_PACKAGE, other, other))
            file.write("def total_%d(amount):\n    return amount + 1\n\n\n" % number)
            file.write("def report_%d(amount):\n    return total_%d(amount)\n" % (number, other))


if __name__ == "__main__":
    main()
