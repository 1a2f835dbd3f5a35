#!/usr/bin/env python3
"""Counts the instructions of one evaluation with valgrind, a body or a unit: a figure that repeats.

    bench/instructions.py BUILD_DIRECTORY [--shape chain] [--method order-n] [--bodies 64 256 1024 4096]
    bench/instructions.py BUILD_DIRECTORY --model ladder --parameter cells [--bodies 64 …]

With --model the numbers are values of that parameter, and the count is divided by them. Two runs with
different numbers of calls are subtracted, so that what comes before them drops out.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

FEW, MANY = 10, 60


def count(program, arguments, number, calls):
    words = (["--model", arguments.model, "--set", f"{arguments.parameter}={number}"]
             if arguments.model else ["--shape", arguments.shape, "--most", str(number)])
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *words,
         "--method", arguments.method, "--calls", str(calls)],
        text=True, capture_output=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--shape", default="chain")
    parser.add_argument("--model")
    parser.add_argument("--parameter", default="cells")
    parser.add_argument("--method", default="order-n")
    parser.add_argument("--bodies", type=int, nargs="+", default=[64, 256, 1024, 4096])
    arguments = parser.parse_args()
    program = arguments.build / "bench" / "evaluations"
    if not program.exists():
        sys.exit(f"{program} is not there: build with -D SARRUS_BENCH=ON")
    for number in arguments.bodies:
        calls = [count(program, arguments, number, n) for n in (FEW, MANY)]
        each = (calls[1] - calls[0]) / (MANY - FEW) / number
        what = f"{arguments.model} {arguments.parameter}" if arguments.model else arguments.shape
        print(f"{arguments.method} {what} {number:>7}  {each:8.1f}")


if __name__ == "__main__":
    main()
