#!/usr/bin/env python3
"""Compares what evaluations cost in two builds, commits or results, and prints ratios.

    bench/compare.py A B [MODEL ...] [--rounds 10] [--save results.json] [-- options of sarrus time]

A and B are each
- a program `sarrus`, or a build folder with bin/sarrus in it;
- a commit, branch or tag: it is checked out and built under build/compare/;
- results that --save wrote (times of another day or machine say little).

Both are run in turns (A B, then B A, …), so that what else the machine does hits both alike. The time
of a round is the least CPU time of an evaluation. Printed are the medians over the rounds, their ratio
B/A, and the middle half of the rounds' own ratios: below 1, B is faster; where the middle half
contains 1, nothing has been shown.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ["five-bar", "bricard", "n-four-bar", "double-pendulum"]


def run(*command, **options):
    result = subprocess.run(list(map(str, command)), text=True, capture_output=True, **options)
    if result.returncode != 0:
        sys.exit(f"'{' '.join(map(str, command))}' ended with status {result.returncode}:\n"
                 f"{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout


def build(revision):
    """The program of a commit."""
    commit = run("git", "-C", ROOT, "rev-parse", "--verify", f"{revision}^{{commit}}").strip()
    source = ROOT / "build" / "compare" / commit[:12]
    if not source.exists():
        run("git", "-C", ROOT, "worktree", "add", "--detach", source, commit)
    print(f"building {revision} in {source}", file=sys.stderr)
    target = source / "build"
    run("cmake", "-S", source, "-B", target, "-G", "Ninja", "-D", "SARRUS_TESTS=OFF")
    run("cmake", "--build", target, "--target", "sarrus_cli")
    return target / "bin" / "sarrus"


class Side:
    """One of the two: a program to ask, or times that were kept."""

    def __init__(self, what, options):
        self.options, self.kept, self.times = options, {}, {}
        path = Path(what)
        if path.suffix == ".json" and path.is_file():
            self.kept = json.loads(path.read_text(encoding="utf-8"))
        elif path.is_dir() and (path / "bin" / "sarrus").is_file():
            self.program = path / "bin" / "sarrus"
        elif path.is_file():
            self.program = path.resolve()
        else:
            self.program = build(what)

    def measure(self, model, turn):
        if self.kept:
            if not self.kept.get(model):
                sys.exit(f"the results have nothing on '{model}'")
            time = self.kept[model][turn % len(self.kept[model])]
        else:
            report = json.loads(run(self.program, "time", model, "--json", *self.options))
            time = report["cpu_min_us"]
        self.times.setdefault(model, []).append(time)


def line(model, a, b):
    ratios = [y / x for x, y in zip(a, b)]
    low, _, high = (statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1
                    else ratios * 3)
    ratio = statistics.median(b) / statistics.median(a)
    return (f"{model:<24}{statistics.median(a):>12.3f}{statistics.median(b):>12.3f}{ratio:>9.3f}"
            f"   {low:.3f} … {high:.3f}")


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"default: {' '.join(MODELS)}")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--save", type=Path, help="keep B's times there")
    o = parser.parse_args(arguments)
    a, b = Side(o.a, options), Side(o.b, options)
    print(f"{'model':<24}{'A [µs]':>12}{'B [µs]':>12}{'B/A':>9}   middle half")
    for model in o.models or MODELS:
        for turn in range(o.rounds):
            for side in (a, b) if turn % 2 == 0 else (b, a):
                side.measure(model, turn)
        print(line(model, a.times[model], b.times[model]), flush=True)
    if o.save:
        o.save.write_text(json.dumps(b.times, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
