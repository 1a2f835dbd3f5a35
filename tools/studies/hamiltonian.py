#!/usr/bin/env python3
"""Drift of a closed loop, a falling chain, and cost, with canonical momenta of joints.

    ./sarrus reproduce hamiltonian          # refreshes docs/studies/hamiltonian.md
    ./sarrus reproduce hamiltonian --check  # fails if the page's numbers are not found

With --out DIR, DIR stands for docs. The tables are printed, and put into the page between the marks
that carry their names. Nothing but the standard library is needed.
"""

import json
import math
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common  # noqa: E402
from charts import Curve, Panel, chart, plane_chart  # noqa: E402
from common import DOCS, brief, table  # noqa: E402

PAGE = DOCS / "studies/hamiltonian.md"
IMAGES = DOCS / "images/hamiltonian"
METHOD = "hamiltonian-dca"
GRAVITY = 9.81


class Laboratory(common.Laboratory):
    def phases(self, links):
        """Name of a phase → least CPU time [µs]."""
        told = subprocess.run([self.program, "time", "chain", "--set", f"links={links}", "--method",
                               METHOD, "--profile", "--json"],
                              check=True, capture_output=True, text=True).stdout
        told = json.loads(told)
        return told["cpu_min_us"], {p["name"]: p["cpu_min_us"] for p in told["phases"]}


# --- drift ----------------------------------------------------------------------------------------

FIXED = ["--integrator", "rk4", "--step", "0.004"]
OFF = ["--projection", "off"]
DRIFT = [  # what, method, options
    ("momenta, re-gauged", METHOD, [*FIXED, *OFF]),
    ("momenta, not re-gauged", METHOD, [*FIXED, *OFF, "--set", "method.regauge=off"]),
    ("momenta, `gauss4`", METHOD, ["--integrator", "gauss4", "--step", "0.004", *OFF]),
    ("accelerations", "order-n", FIXED),
    ("accelerations, Baumgarte ω = 5/s", "order-n", [*FIXED, "--set", "method.baumgarte=5"]),
    ("accelerations, Baumgarte ω = 20/s", "order-n", [*FIXED, "--set", "method.baumgarte=20"]),
    ("accelerations, Baumgarte ω = 100/s", "order-n", [*FIXED, "--set", "method.baumgarte=100"]),
]


def five_bar(lab, method, options):
    return lab.simulate("five-bar", method, ["--set", "base_angle=90", *options], 100, 0.1)


def largest(values):
    return max(map(abs, values))


def drift_table(lab):
    rows = []
    for what, method, options in DRIFT:
        run = five_bar(lab, method, options)
        rows.append([what, brief(largest(run.norms["position"])),
                     brief(largest(run.norms["velocity"])), brief(largest(run.energy_error())),
                     run.summary["evaluations"]])
    return table(["five-bar, 100 s, 4 ms", "‖φ‖", "‖φ̇‖", "energy error [J]", "evaluations"], rows)


# --- falling chain --------------------------------------------------------------------------------

# Separation of the ends → peak speed of the tip [m/s] and its time [s] by other code.
PEAKS = {"0.51": (14.2932, 0.36423), "0.765": (8.10989, 0.36012)}


def fall(lab, separation, every, until):
    options = ["--set", f"separation={separation}", "--tolerance", "1e-9"]
    return lab.simulate("falling-chain", METHOD, options, until, every)


def tip(run):
    """Positions and speeds of the free end."""
    rod = run.bodies["rod229"]
    half = 0.5 * 1.02 / 229
    angles = common.turned(rod)
    return [(x + half * math.cos(a), y + half * math.sin(a),
             math.hypot(vx - half * w * math.sin(a), vy + half * w * math.cos(a)))
            for x, y, vx, vy, w, a in zip(rod["px"], rod["py"], rod["vx"], rod["vy"], rod["wz"],
                                          angles)]


def chain_table(lab):
    rows = []
    for separation, (speed, time) in PEAKS.items():
        run = fall(lab, separation, 0.001, 0.38)
        path = tip(run)
        peak = max(range(len(path)), key=lambda i: path[i][2])
        at = run.at(0.3)
        rows.append([separation, f"{path[peak][2]:.2f} ({speed:.2f})",
                     f"{run.times[peak]:.3f} ({time:.3f})", f"{path[at][1]:.4f}",
                     f"{-GRAVITY / 2 * 0.3 ** 2:.4f}"])
    return table(["separation [m]", "peak speed of the tip [m/s]", "at [s]", "height at 0.3 s [m]",
                  "of a stone [m]"], rows)


# --- cost -----------------------------------------------------------------------------------------

LINKS = [16, 64, 256, 1024, 4096]


def cost_table(lab):
    rows = []
    for links in LINKS:
        whole, phases = lab.phases(links)
        second = sum(us for name, us in phases.items() if "stage 2" in name)
        other = lab.time("chain", "augmented-dca", "--set", f"links={links}")
        rows.append([links, *(f"{1000 * us / links:.0f}" for us in (whole, second, other))])
    return table(["links", "evaluation [ns a link]", "of it stage 2", "`augmented-dca`"], rows)


TABLES = {"drift": drift_table, "falling-chain": chain_table, "cost": cost_table}


def factor_allowed(name, _line, factor):
    return 10 * factor if name == "cost" else factor


def figures(lab):
    """File name → picture."""
    runs = [(what, five_bar(lab, method, options)) for what, method, options in DRIFT
            if "20/s" not in what]
    panels = [Panel("‖φ‖", [Curve(w, r.times[1:], r.norms["position"][1:]) for w, r in runs],
                    log=True, floor=1e-17),
              Panel("|energy error| [J]",
                    [Curve(w, r.times[1:], [abs(e) for e in r.energy_error()[1:]])
                     for w, r in runs], log=True, floor=1e-14)]
    falls = [(s, fall(lab, s, 0.001, 0.38)) for s in PEAKS]
    times = falls[0][1].times
    heights = [Curve(f"{s} m apart", r.times, [y for _, y, _ in tip(r)]) for s, r in falls]
    heights.append(Curve("a stone", times, [-GRAVITY / 2 * t * t for t in times]))
    speeds = [Curve(f"{s} m apart", r.times, [v for *_, v in tip(r)]) for s, r in falls]
    shapes = []
    run = falls[0][1]
    for t in (0, 0.1, 0.2, 0.3, 0.34, 0.364):
        i = run.at(t)
        rods = [run.bodies[f"rod{k}"] for k in range(1, 230)]
        shapes.append(Curve(f"{t:g} s", [r["px"][i] for r in rods], [r["py"][i] for r in rods]))
    return {"drift": chart("five-bar on an upright base, rk4, steps of 4 ms", panels),
            "tip": chart("the free end of the falling chain",
                         [Panel("height [m]", heights), Panel("speed [m/s]", speeds)]),
            "fall": plane_chart("the chain, its ends 0.51 m apart, as it falls", shapes,
                                ("x [m]", "y [m]"))}


if __name__ == "__main__":
    common.run_study(sys.modules[__name__])
