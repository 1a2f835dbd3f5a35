#!/usr/bin/env python3
"""Counts the instructions of one evaluation, a body, with valgrind: a figure that repeats.

    bench/instructions.py BUILD_DIRECTORY [--shape chain] [--method order-n] [--bodies 64 256 1024 4096]

Two runs with different numbers of calls are subtracted, so that what comes before them drops out.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

FEW, MANY = 10, 60


def count(program, shape, method, bodies, calls):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--shape", shape,
         "--method", method, "--most", str(bodies), "--calls", str(calls)],
        text=True, capture_output=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--shape", default="chain")
    parser.add_argument("--method", default="order-n")
    parser.add_argument("--bodies", type=int, nargs="+", default=[64, 256, 1024, 4096])
    arguments = parser.parse_args()
    program = arguments.build / "bench" / "evaluations"
    if not program.exists():
        sys.exit(f"{program} is not there: build with -D SARRUS_BENCH=ON")
    for bodies in arguments.bodies:
        calls = [count(program, arguments.shape, arguments.method, bodies, n) for n in (FEW, MANY)]
        each = (calls[1] - calls[0]) / (MANY - FEW) / bodies
        print(f"{arguments.method} {arguments.shape} {bodies:>7} bodies  {each:8.1f}")


if __name__ == "__main__":
    main()
