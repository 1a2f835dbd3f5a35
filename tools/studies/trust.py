#!/usr/bin/env python3
"""Every scenario under every method at every tolerance: right, or with a status that says why not.

    ./sarrus reproduce trust            # refreshes docs/studies/trust.md; hours of processor time
    ./sarrus reproduce trust --check    # fails if a cell has become silent about an error

With --out DIR, DIR stands for docs. Runs go side by side on all processors. Nothing but the standard library
is needed. Settings of the environment: SARRUS_PATIENCE, processor seconds that a run is given (60), after
which it is judged as far as it has come; SARRUS_ONLY and SARRUS_METHODS, names of scenarios and of methods
between commas, to look at a few;
SARRUS_KEEP, a folder for the runs, where those that are there already are not run again, unless they were
given less patience and did not get to the end.
"""

import json
import math
import os
import shutil
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
OTHERS = ["augmented-dca", "mass-matrix"]  # of converged runs, where one of them fails or is slow
UNTIL, EVERY = 10, 0.1  # [s]
HORIZONS = [1, 3, UNTIL]  # [s]
PATIENCE = int(os.environ.get("SARRUS_PATIENCE", "60"))  # for one run [s of a processor]
KEEP = os.environ.get("SARRUS_KEEP")
PATIENCE_OF_JUDGES = 4 * PATIENCE  # for a converged one
# A scenario twice: with other numbers where dense methods would take days, and as it is without them.
SETTINGS = {"falling-chain of 12": ["--set", "links=12"]}
TWICE = {"falling-chain": ["falling-chain of 12", "falling-chain"]}
LEFT_OUT = {"falling-chain": ["reference", "baumgarte"]}
INTERRUPTED = 130  # exit status
ALLOWED = 10  # times what the judges' own runs at a tolerance are off


def positions(folder):
    """time → body → numbers of its pose; of an instant with an edit, those after it."""
    data, poses = columns(folder / "bodies.csv"), {}
    names = ["px", "py", "pz", "qw", "qx", "qy", "qz"]
    for i, (time, body) in enumerate(zip(data["time"], data["body"])):
        poses.setdefault(time, {})[body] = [data[name][i] for name in names]
    return poses


def distances(one, other, size):
    """time → largest over bodies, positions over the mechanism's size, turns in radians."""
    apart = {}
    for time in one.keys() & other.keys():
        most = 0.0
        for body in one[time].keys() & other[time].keys():
            a, b = one[time][body], other[time][body]
            # Both signs of a quaternion are one orientation; chords keep the digits of small turns.
            chord = min(math.dist(a[3:], b[3:]), math.dist(a[3:], [-q for q in b[3:]]))
            turn = 4 * math.asin(min(1, chord / 2))
            most = max(most, math.hypot(math.dist(a[:3], b[:3]) / size, turn))
        apart[time] = most
    return apart


def ratios(errors, allowances, tolerance, end):
    """For each time up to the end: the largest error so far over what was allowed so far, and that error."""
    error, told = 0.0, {}
    # A tolerance is kept where the error is no larger than it, however exact the judges are.
    allowance = tolerance
    for time in sorted(time for time in errors if time <= end):
        error = max(error, errors[time])
        allowance = max([allowance] + [each[time] for each in allowances if time in each])
        told[time] = (error / allowance, error)
    return told


class Laboratory(common.Laboratory):
    """Runs cells side by side and keeps what they came to."""

    def known(self, what):
        """Names of scenarios or methods: the first words of lines that are not indented."""
        told = subprocess.run([self.program, what], check=True, capture_output=True, text=True)
        return [line.split()[0] for line in told.stdout.splitlines() if line[:1].strip()]

    def methods_for(self, scenario):
        return [method for method in self.methods if method not in LEFT_OUT.get(scenario, [])]

    def judges_for(self, scenario):
        """Of converged runs."""
        return [judge for judge in [*JUDGES, *OTHERS] if judge not in LEFT_OUT.get(scenario, [])]

    def cell(self, scenario, method, tolerance, again=True):
        """Status and poses of one run; one that is kept and was cut short is run again, with more patience."""
        name = f"{scenario}-{method}-{tolerance}".replace(" ", "-")
        out, kept = self.folder / name, KEEP and Path(KEEP) / name
        patience = PATIENCE_OF_JUDGES if tolerance == CONVERGED else PATIENCE
        if kept and (kept / "end.json").exists():
            known = ended(kept)
            if known["status"] != INTERRUPTED or known["patience"] >= patience or not again:
                return known
            shutil.rmtree(kept)
        model = scenario.split()[0]
        command = [self.program, "simulate", model, "--method", method, "--tolerance", tolerance,
                   "--integrator", "dopri5", "--until", str(UNTIL), "--every", str(EVERY), "--quiet",
                   "--out", str(out), *SETTINGS.get(scenario, [])]
        # Past its time a run ends in good order, with what it has reached.
        limited = ["sh", "-c", 'ulimit -S -t "$1"; ulimit -H -t "$2"; shift 2; exec "$@"', "sh",
                   str(patience), str(2 * patience + 60), *command]
        done = subprocess.run(limited, capture_output=True, text=True, check=False)
        reason = (done.stderr.strip().splitlines() or [""])[0].removeprefix("sarrus: ")
        out.mkdir(exist_ok=True)
        (out / "end.json").write_text(
            json.dumps({"status": done.returncode, "reason": reason, "patience": patience}))
        result = ended(out)
        if kept:
            # Whole or not at all: a study may be cut short.
            part = Path(f"{kept}.part")
            part.mkdir(parents=True, exist_ok=True)
            for file in ["bodies.csv", "end.json"]:
                if (out / file).exists():
                    shutil.copy(out / file, part)
            part.rename(kept)
        shutil.rmtree(out)
        return result


def ended(folder):
    """What a run came to: its exit status, reason, poses, and how far it came."""
    result = json.loads((folder / "end.json").read_text())
    bodies = folder / "bodies.csv"
    poses = positions(folder) if bodies.exists() else {}
    return {**result, "poses": poses, "reached": max(poses, default=0.0)}


def moved(run):
    """Has it anything to be judged by?"""
    return run["status"] in (0, INTERRUPTED) and run["reached"] > 0


def converged(scenario, results):
    """The two best converged runs of a scenario, with their methods."""
    runs = [(judge, run) for (model, judge, tolerance), run in results.items()
            if model == scenario and tolerance == CONVERGED]
    return sorted(filter(lambda run: moved(run[1]), runs), key=lambda run: -run[1]["reached"])[:2]


def size_of(poses):
    """Extent of a mechanism where it starts [m]."""
    places = [pose[:3] for pose in poses[min(poses)].values()]
    return max(max(max(p[k] for p in places) - min(p[k] for p in places) for k in range(3)), 0.1)


def judged(lab, scenario, results):
    """Rows of one scenario."""
    best = [run for _, run in converged(scenario, results)]
    if len(best) < 2:
        return [[scenario, "all", *["no converged run"] * len(TOLERANCES)]]
    exact, until = best[0]["poses"], min(run["reached"] for run in best)
    size = size_of(exact)
    doubt = distances(exact, best[1]["poses"], size)
    rows = []
    for method in lab.methods_for(scenario):
        runs = [results[scenario, method, tolerance] for tolerance in TOLERANCES]
        if all(run["status"] == 2 for run in runs):
            rows.append([scenario, method, "refused: " + runs[0]["reason"].split("\n")[0][:80],
                         *[""] * (len(TOLERANCES) - 1)])
            continue
        row = [scenario, method]
        for tolerance, run in zip(TOLERANCES, runs):
            if not moved(run):
                row.append("too slow for a sample" if run["status"] == INTERRUPTED
                           else f"exit {run['status']}")
                continue
            end = min(run["reached"], until)
            own = filter(moved, (results[scenario, judge, tolerance] for judge in JUDGES
                                 if judge in lab.methods_for(scenario)))
            allowances = [doubt, *(distances(exact, judge["poses"], size) for judge in own)]
            errors = distances(exact, run["poses"], size)
            row.append(verdict(ratios(errors, allowances, float(tolerance), end)))
        rows.append(row)
    return rows


def verdict(told):
    """A cell: of the whole run; and of a part where it was worse than allowed, or where no more was judged."""
    end = max(told)
    ratio, error = told[end]
    if ratio > ALLOWED:
        cell = f"**silent: {brief(error)}, {ratio:.0f} times**"
    else:
        cell = f"{ratio:.1f}" if ratio >= 0.05 else "0.0"
        worst, at = max((ratio, time) for time, (ratio, _) in told.items())
        if worst > ALLOWED:
            cell += f" ({worst:.0f} at {at:g} s, {brief(told[at][1])})"
    return cell if end >= UNTIL else f"{cell} to {end:g} s"


def all_cells(lab):
    """(scenario, method, tolerance) → what it came to; run once."""
    if hasattr(lab, "results"):
        return lab.results
    known = lab.known("methods")
    lab.methods = [name for name in known
                   if name in os.environ.get("SARRUS_METHODS", name).split(",") or name in JUDGES]
    lab.scenarios = [each for name in lab.known("scenarios")
                     for each in TWICE.get(name, [name])
                     if each in os.environ.get("SARRUS_ONLY", each).split(",")]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        def run_all(keys, again=True):
            return dict(zip(keys, pool.map(lambda key: lab.cell(*key, again), keys)))

        results = run_all([(s, judge, CONVERGED) for s in lab.scenarios for judge in lab.judges_for(s)],
                          again=False)
        # Two that come to the end are enough.
        done = [s for (s, _, _), run in results.items() if moved(run) and run["reached"] >= UNTIL]
        results |= run_all([key for key in results if done.count(key[0]) < 2])
        # The longest first, or all processors but one wait for it at the end.
        results |= run_all([(s, m, t) for t in TOLERANCES[::-1] for m in lab.methods[::-1]
                            for s in lab.scenarios if m in lab.methods_for(s)])
    lab.results = results
    return results


def converged_table(lab):
    """How far apart the two converged runs are: where that is much, no method can be told right from wrong."""
    results, rows = all_cells(lab), []
    for scenario in lab.scenarios:
        best = converged(scenario, results)
        if len(best) < 2:
            continue
        exact = best[0][1]["poses"]
        apart = distances(exact, best[1][1]["poses"], size_of(exact))
        until = [max(d for time, d in apart.items() if time <= end) for end in HORIZONS]
        rows.append([scenario, " and ".join(name for name, _ in best), *map(brief, until)])
    return table(["scenario", "by", *(f"{end} s" for end in HORIZONS)], rows)


def cells_table(lab):
    results = all_cells(lab)
    rows = [row for s in lab.scenarios for row in judged(lab, s, results)]
    return table(["scenario", "method", *TOLERANCES], rows)


TABLES = {"converged": converged_table, "cells": cells_table}


def factor_allowed(_name, _line, _factor):
    return math.inf  # figures may differ; words, the silent ones among them, may not


def figures(_lab):
    return {}


if __name__ == "__main__":
    common.run_study(sys.modules[__name__])
