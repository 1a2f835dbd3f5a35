#!/usr/bin/env python3
"""Times all engines that were built, in turns, and prints nanoseconds a body.

    bench/peers/run.py BUILD_DIRECTORY [--bodies 1 4 16 64] [--shapes chain tree] [--rounds 3]

The least over the rounds counts. The engines must agree on the accelerations; where one does not, or
cannot do a size, that is told.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

AGREE = 1e-6  # relative; condition numbers grow with the length of a chain
TIMEOUT = 300  # [s]


def measure(program, shape, bodies):
    try:
        result = subprocess.run([program, shape, str(bodies)], text=True, capture_output=True,
                                timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, f"{program.name} takes too long"
    if result.returncode != 0:
        return None, result.stderr.strip() or f"{program.name} ended with {result.returncode}"
    return json.loads(result.stdout), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--bodies", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--shapes", nargs="+", default=["chain", "tree"])
    parser.add_argument("--rounds", type=int, default=3)
    o = parser.parse_args()
    programs = sorted((o.build / "bench").glob("peer_*"))
    if not programs:
        sys.exit(f"there is nothing in {o.build}/bench: configure with -D SARRUS_BENCH=ON and build")
    print(f"{'shape':<7}{'bodies':>7}  {'engine':<26}{'ns a body':>11}")
    for shape in o.shapes:
        for bodies in o.bodies:
            best, complaints = {}, set()
            for _ in range(o.rounds):
                for program in programs:
                    report, complaint = measure(program, shape, bodies)
                    if complaint:
                        complaints.add(complaint)
                    elif (report["ns_per_body"] <
                          best.get(report["engine"], {}).get("ns_per_body", float("inf"))):
                        best[report["engine"]] = report
            judge = next((r["acceleration"] for e, r in best.items() if e.startswith("Sarrus")), None)
            for engine, report in sorted(best.items(), key=lambda item: item[1]["ns_per_body"]):
                print(f"{shape:<7}{bodies:>7}  {engine:<26}{report['ns_per_body']:>11.1f}")
                if judge and abs(report["acceleration"] - judge) > AGREE * max(1, abs(judge)):
                    complaints.add(f"{engine} has other accelerations: "
                                   f"{report['acceleration']:.6g}, not {judge:.6g}")
            for complaint in sorted(complaints):
                print(f"  {complaint}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
