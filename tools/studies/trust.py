#!/usr/bin/env python3
"""Every scenario under every method at every tolerance: right, or with a status that says why not.

    ./sarrus reproduce trust            # refreshes docs/studies/trust.md; hours of processor time
    ./sarrus reproduce trust --check    # fails if a cell has become silent about an error

With --out DIR, DIR stands for docs. Runs go side by side on all processors. Nothing but the standard library
is needed.
"""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common  # noqa: E402
from common import DOCS, brief, columns, table  # noqa: E402

PAGE = DOCS / "studies/trust.md"
IMAGES = DOCS / "images/trust"

TOLERANCES = ["1e-4", "1e-6", "1e-8", "1e-10", "1e-12"]
CONVERGED = "1e-13"
JUDGES = ["auto", "reference"]
SECOND = "augmented-dca"  # where one of them fails
UNTIL, EVERY = 10, 0.25  # [s]
PATIENCE = float(os.environ.get("SARRUS_PATIENCE", "60"))  # for one run [s]
ALLOWED = 10  # times what the judges' own runs at a tolerance are off


def positions(folder):
    """time → body → numbers of its pose; of an instant with an edit, those after it."""
    data, poses = columns(folder / "bodies.csv"), {}
    names = ["px", "py", "pz", "qw", "qx", "qy", "qz"]
    for i, (time, body) in enumerate(zip(data["time"], data["body"])):
        poses.setdefault(time, {})[body] = [data[name][i] for name in names]
    return poses


def distance(one, other, size):
    """Largest over instants and bodies, positions over the mechanism's size, turns in radians."""
    most = 0.0
    for time in one.keys() & other.keys():
        for body in one[time].keys() & other[time].keys():
            a, b = one[time][body], other[time][body]
            turn = math.sqrt(max(0, 1 - min(1, abs(sum(p * q for p, q in zip(a[3:], b[3:])))) ** 2))
            # The sine of half the angle loses digits by way of the cosine; small turns by difference.
            near = math.dist(a[3:], b[3:])
            turn = min(2 * math.asin(turn), 2 * near) if near < 0.1 else 2 * math.asin(turn)
            most = max(most, math.hypot(math.dist(a[:3], b[:3]) / size, turn))
    return most


class Laboratory(common.Laboratory):
    """Runs cells side by side and keeps what they came to."""

    def known(self, what):
        """Names of scenarios or methods: the first words of lines that are not indented."""
        told = subprocess.run([self.program, what], check=True, capture_output=True, text=True)
        return [line.split()[0] for line in told.stdout.splitlines() if line[:1].strip()]

    def cell(self, scenario, method, tolerance):
        """Status and poses of one run."""
        out = self.folder / f"{scenario}-{method}-{tolerance}"
        command = [self.program, "simulate", scenario, "--method", method, "--tolerance", tolerance,
                   "--integrator", "dopri5", "--until", str(UNTIL), "--every", str(EVERY), "--quiet",
                   "--out", str(out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return {"status": "slow"}
        reason = (done.stderr.strip().splitlines() or [""])[0].removeprefix("sarrus: ")
        result = {"status": done.returncode, "reason": reason}
        if done.returncode in (0, 3, 4) and (out / "bodies.csv").exists():
            result["poses"] = positions(out)
        return result


def judged(lab, scenario, results):
    """Rows of one scenario."""
    best = [results[scenario, judge, CONVERGED] for judge in [*JUDGES, SECOND]]
    best = [run["poses"] for run in best if run["status"] == 0]
    if not best:
        return [[scenario, "all", *["no converged run"] * len(TOLERANCES)]]
    exact = best[0]
    places = [pose[:3] for pose in exact[min(exact)].values()]
    size = max(max(max(p[k] for p in places) - min(p[k] for p in places) for k in range(3)), 0.1)
    floor = max([distance(exact, other, size) for other in best[1:2]] + [1e-13])
    rows = []
    for method in lab.methods:
        runs = [results[scenario, method, tolerance] for tolerance in TOLERANCES]
        if all(run["status"] == 2 for run in runs):
            rows.append([scenario, method, "refused: " + runs[0]["reason"].split("\n")[0][:80],
                         *[""] * (len(TOLERANCES) - 1)])
            continue
        row = [scenario, method]
        for tolerance, run in zip(TOLERANCES, runs):
            own = [results[scenario, judge, tolerance] for judge in JUDGES]
            # A tolerance is kept where the error is no larger than it, however exact the judges are.
            spread = max([floor, float(tolerance)] + [distance(exact, judge["poses"], size) for judge in own
                                    if judge["status"] == 0])
            row.append(verdict(run, exact, size, spread))
        rows.append(row)
    return rows


def verdict(run, exact, size, spread):
    if run["status"] == "slow":
        return f"over {PATIENCE:.0f} s"
    if run["status"] != 0:
        return f"exit {run['status']}"
    ratio = distance(exact, run["poses"], size) / spread
    if ratio > ALLOWED:
        return f"**silent: {brief(ratio * spread)}, {ratio:.0f} times**"
    return f"{ratio:.1f}" if ratio >= 0.05 else "0.0"


def cells_table(lab):
    lab.methods = lab.known("methods")
    scenarios = [name for name in lab.known("scenarios")
                 if name in os.environ.get("SARRUS_ONLY", name).split(",")]
    keys = [(s, m, t) for s in scenarios for m in lab.methods for t in TOLERANCES]
    keys += [(s, j, t) for s in scenarios for j in [*JUDGES, SECOND]
             for t in [CONVERGED, *TOLERANCES] if (s, j, t) not in keys]
    keys = list(dict.fromkeys(keys))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(keys, pool.map(lambda key: lab.cell(*key), keys)))
    rows = [row for s in scenarios for row in judged(lab, s, results)]
    return table(["scenario", "method", *TOLERANCES], rows)


TABLES = {"cells": cells_table}


def factor_allowed(_name, _line, _factor):
    return math.inf  # figures may differ; words, the silent ones among them, may not


def figures(_lab):
    return {}


if __name__ == "__main__":
    common.run_study(sys.modules[__name__])
