#!/usr/bin/env python3
"""A crew module on an asteroid by branches: times of phases, both solutions, and a mass matrix.

    ./sarrus reproduce branches          # refreshes docs/studies/branches.md
    ./sarrus reproduce branches --check  # fails if the page's numbers are not found

With --out DIR, DIR stands for docs. The tables are printed, and put into the page between the marks
that carry their names. Nothing but the standard library is needed.
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common  # noqa: E402
from charts import Curve, Panel, chart  # noqa: E402
from common import DOCS, brief, table  # noqa: E402

PAGE = DOCS / "studies/branches.md"
IMAGES = DOCS / "images/branches"
CUTS = "method.cuts=leg1_base,leg2_base,arm3_base,arm4_base"
ROOTS = ["asteroid", "leg1_base", "leg2_base", "arm3_base", "arm4_base"]
KINDS = ["0", "1"]  # rigid, flexible


class Laboratory(common.Laboratory):
    def timed(self, flexible, method, *options):
        """What `sarrus time --profile` tells, each once."""
        key = ("time", flexible, method, *options)
        if key not in self.done:
            told = subprocess.run([self.program, "time", "mmsev", "--set", f"flexible={flexible}",
                                   "--method", method, "--profile", "--json", *options],
                                  check=True, capture_output=True, text=True).stdout
            self.done[key] = json.loads(told)
        return self.done[key]

    def paper(self, flexible, connections, threads=1):
        return self.timed(flexible, "branches", "--set", CUTS, "--set",
                          f"method.connections={connections}", "--set", "method.grain=0",
                          "--threads", str(threads))


def phase(told, name):
    return next(p["cpu_min_us"] for p in told["phases"] if p["name"] == name)


def beside(ours, paper):
    return f"{ours:.1f} ({paper:g})"


# --- the paper's tables, its figures in brackets --------------------------------------------------

BRANCHES = {"0": [111.5, 257.9, 94.34, 86.16, 84.21], "1": [187.3, 434.3, 172.7, 124.9, 123.7]}


def branches_table(lab):
    told = {kind: lab.paper(kind, "simultaneous") for kind in KINDS}
    rows = [[f"branch {i} (`{root}`)"] + [beside(phase(told[k], f"branch '{root}'"), BRANCHES[k][i])
                                          for k in KINDS] for i, root in enumerate(ROOTS)]
    for name in ("joints and paths", "roots of branches", "connections", "accelerations",
                 "rates of the state"):
        rows.append([name] + [f"{phase(told[k], name):.1f}" for k in KINDS])
    return table(["CPU time [µs]", "rigid", "flexible"], rows)


CYCLE = {"serial": {"0": 853.7, "1": 1291.3}, "parallel": {"0": 520.0, "1": 750.0}}


def cycle_table(lab):
    serial = {k: lab.paper(k, "simultaneous")["wall_min_us"] for k in KINDS}
    parallel = {k: lab.paper(k, "simultaneous", 5)["wall_min_us"] for k in KINDS}
    return table(["one evaluation, wall time [µs]", "rigid", "flexible"], [
        ["one thread"] + [beside(serial[k], CYCLE["serial"][k]) for k in KINDS],
        ["five threads"] + [beside(parallel[k], CYCLE["parallel"][k]) for k in KINDS],
        ["one over five"] + [f"{serial[k] / parallel[k]:.2f} "
                             f"({CYCLE['serial'][k] / CYCLE['parallel'][k]:.2f})" for k in KINDS]])


SOLUTIONS = {"simultaneous": {"0": 137.8, "1": 138.0}, "sequential": {"0": 165.0, "1": 164.0}}


def solutions_table(lab):
    return table(["connections, CPU time [µs]", "rigid", "flexible"],
                 [[f"`{name}`"] + [beside(phase(lab.paper(k, name), "connections"), paper[k])
                                   for k in KINDS] for name, paper in SOLUTIONS.items()])


def methods_table(lab):
    def row(what, paper, timed):
        return [what] + [beside(timed(k)["wall_min_us"], paper[i]) if paper else
                         f"{timed(k)['wall_min_us']:.1f}" for i, k in enumerate(KINDS)]
    return table(["one evaluation, wall time [µs]", "rigid", "flexible"], [
        row("`mass-matrix`", (574.0, 4063), lambda k: lab.timed(k, "mass-matrix")),
        row("five branches, simultaneous, one thread", (853.7, 1291),
            lambda k: lab.paper(k, "simultaneous")),
        row("the same, five threads", (520.0, 750.0), lambda k: lab.paper(k, "simultaneous", 5)),
        row("five branches, sequential, one thread", None, lambda k: lab.paper(k, "sequential")),
        row("the same, five threads", (536.0, 765.4), lambda k: lab.paper(k, "sequential", 5)),
        row("one branch, as `branches` chooses", None, lambda k: lab.timed(k, "branches"))])


# --- motion ---------------------------------------------------------------------------------------

UNTIL = 2.5
WAYS = {"projected": [], "Baumgarte, ω = 5/s": ["--set", "method.baumgarte=5"]}


def run(lab, kind, options):
    return lab.simulate("mmsev", "branches", ["--set", f"flexible={kind}", "--integrator", "rk4",
                                              "--step", "0.001", *options], UNTIL, 0.01)


def motion_table(lab):
    rows = []
    for name, options in WAYS.items():
        for kind in KINDS:
            found = run(lab, kind, options)
            largest = lambda values: brief(max(map(abs, values)))
            rows.append([name, "flexible" if kind == "1" else "rigid",
                         largest(found.norms["position"]), largest(found.norms["velocity"]),
                         largest(found.energy_error())])
    return table(["loops", "booms", "‖φ‖", "‖φ̇‖", "energy error [J]"], rows)


TABLES = {"branches": branches_table, "cycle": cycle_table, "solutions": solutions_table,
          "methods": methods_table, "motion": motion_table}


def factor_allowed(name, _line, factor):
    return factor if name == "motion" else 10 * factor


def figures(lab):
    """File name → picture."""
    runs = {name: run(lab, "1", options) for name, options in WAYS.items()}
    angles = runs["projected"].joints
    bent = [Curve(f"leg {k}, knee", runs["projected"].times,
                  angles[f"leg{k}_boom2.angle"]["position"]) for k in range(3)]
    return {"motion": chart("mmsev with flexible booms, rk4, steps of 1 ms", [
        Panel("angle of the knee [rad]", bent),
        Panel("‖φ‖", [Curve(name, r.times[1:], r.norms["position"][1:])
                      for name, r in runs.items()], log=True, floor=1e-16)])}


if __name__ == "__main__":
    common.run_study(sys.modules[__name__])
