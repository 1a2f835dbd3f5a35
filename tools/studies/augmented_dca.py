#!/usr/bin/env python3
"""Repeats the numerical examples of Malczyk and Frączek (2012) and draws their figures.

    ./sarrus reproduce augmented-dca            # runs, draws, refreshes docs/studies/augmented_dca.md
    ./sarrus reproduce augmented-dca --check    # runs; fails if the page's numbers are not found

The figures go to docs/images/augmented_dca/. With --out DIR, DIR stands for docs. The tables are printed, and put into the page between
the marks that carry their names. Nothing but the standard library is needed.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common  # noqa: E402
from charts import COLORS, Curve, Panel, chart, plane_chart  # noqa: E402
from common import DOCS, brief, table, turned  # noqa: E402

PAGE = DOCS / "studies/augmented_dca.md"
IMAGES = DOCS / "images/augmented_dca"
RODS = Path(__file__).resolve().parent / "rods.yaml"

NORMS = ["position", "velocity", "acceleration"]
PENALTY = ["method.penalty=uniform", "method.alpha=1e6"]
VARIANTS = {  # name → options of `simulate`
    "off": ["--projection", "off", "--set", *PENALTY],
    "step": ["--projection", "step", "--set", *PENALTY],
    "default": [],
}
MODELS = ["five-bar", "double-loop", "rhombus"]
CALLED = {"off": "uniform, off", "step": "uniform, step", "default": "default"}

# An independent program of the same method with MATLAB's step control, at the same tolerance:
# norms, energy [J], evaluations, iterations, error of ω [rad/s] after 1, 5 and 10 s.
PROTOTYPE = {
    ("five-bar", "off"): ["2.4e-7", "2.6e-7", "6.2e-7", "4.8e-6", "985", "4.0 an evaluation",
                          "9e-7 / 1e-6 / 4e-6"],
    ("five-bar", "step"): ["1.3e-16", "1.3e-16", "7.3e-15", "1.05e-5", "910",
                           "4.0; 2.9 + 2.3 a projection", "7e-7 / 2e-6 / 5e-6"],
    ("double-loop", "off"): ["1.3e-7", "9.7e-8", "2.9e-7", "7.7e-6", "1989", "4.1 an evaluation",
                             "4e-7 / 2e-6 / 2e-5"],
    ("double-loop", "step"): ["2.7e-16", "2.6e-16", "3.2e-14", "4.3e-6", "1908",
                              "4.1; 3.0 + 2.8 a projection", "4e-7 / 2e-6 / 3e-5"],
    ("rhombus", "off"): ["1.1e-5", "3.4e-5", "4.6e-2", "9.1e-2", "2633", "6.8 an evaluation", "–"],
    ("rhombus", "step"): ["1.3e-16", "2.5e-16", "1.4e-14", "1.8e-5", "916",
                          "3.0; 2.7 + 2.0 a projection", "1e-6 / 9e-6 / 3e-5"],
}
SCATTER = ["1.1e-6", "1.01e-6", "1e-6", "0.99e-6", "0.9e-6", "1e-7", "1e-8", "1e-9"]
BENNETT = {  # row → options of `simulate`
    f"uniform 1e{power}, {projection}":
        ["--projection", projection, "--set", "method.penalty=uniform", f"method.alpha=1e{power}"]
    for power in (4, 6, 8) for projection in ("off", "step", "stage")
} | {"default (stage)": []}
CHAINS = [8, 32, 64, 128, 256]


# --- runs -----------------------------------------------------------------------------------------

class Laboratory(common.Laboratory):
    def run(self, model, options, until=10, method="augmented-dca", tolerance="1e-6"):
        precision = ["--step", "1e-9"] if until < 1e-6 else ["--tolerance", tolerance]
        return self.simulate(model, method, [*precision, *options], until)

    def judge(self, model, until=10):
        """The same motion by the dense method, far more exact."""
        return self.run(model, [], until, "reference", "1e-11")


def velocity_error(results, judge):
    """Time by time, the largest error of any body's angular velocity [rad/s]."""
    error = [0.0] * len(results.times)
    for body, exact in judge.bodies.items():
        for axis in ("wx", "wy", "wz"):
            pairs = zip(results.bodies[body][axis], exact[axis])
            error = [max(e, abs(a - b)) for e, (a, b) in zip(error, pairs)]
    return error


# --- tables ---------------------------------------------------------------------------------------

def figures_of(results):
    summary = results.summary
    return [*(brief(summary["largest_constraint_norms"][n]) for n in NORMS),
            brief(summary["energy_drift"]), str(summary["evaluations"])]


def main_table(lab):
    head = ["mechanism", "penalty, projection", "program", "φ", "φ̇", "φ̈", "energy [J]",
            "evaluations", "iterations", "error of ω after 1 / 5 / 10 s [rad/s]"]
    rows = []
    for model in MODELS:
        judge = lab.judge(model)
        for variant, options in VARIANTS.items():
            results = lab.run(model, options)
            error = velocity_error(results, judge)
            at = [brief(error[results.times.index(t)], 0) for t in (1, 5, 10)]
            count = results.summary["iterations"]
            each = f"{count / results.summary['evaluations']:.1f}"
            rows.append([model, CALLED[variant], "Sarrus", *figures_of(results),
                         f"{count}: {each} an evaluation", " / ".join(at)])
            if (model, variant) in PROTOTYPE:
                rows.append([model, CALLED[variant], "prototype", *PROTOTYPE[model, variant]])
    return table(head, rows)


def scatter_table(lab):
    rows = [[CALLED["off"], t, *figures_of(lab.run("rhombus", VARIANTS["off"], tolerance=t))]
            for t in SCATTER]
    rows.append(["default, off", "1e-6", *figures_of(lab.run("rhombus", ["--projection", "off"]))])
    return table(["penalty, projection", "tolerance", "φ", "φ̇", "φ̈", "energy [J]", "evaluations"],
                 rows)


def bennett_table(lab):
    judge = lab.judge("bennett", 1.5)
    rows = []
    for name, options in BENNETT.items():
        results = lab.run("bennett", options, 1.5)
        error = max(velocity_error(results, judge))
        rows.append([name, *figures_of(results), results.summary["iterations"], brief(error)])
    return table(["penalty, projection", "φ", "φ̇", "φ̈", "energy [J]", "evaluations", "iterations",
                  "largest error of ω [rad/s]"], rows)


def start_accelerations(results):
    return [b[c][0] for b in results.bodies.values()
            for c in ("dwx", "dwy", "dwz", "ax", "ay", "az")]


def chain_table(lab):
    rows = []
    for links in CHAINS:
        def error(push, *settings):
            run = lambda method, *more: start_accelerations(lab.run(
                RODS, ["--set", f"links={links}", f"push={push}", *more], 1e-9, method))
            exact, found = run("order-n"), run("augmented-dca", *settings)
            return brief(max(abs(a - b) for a, b in zip(found, exact)) / max(map(abs, exact)))

        uniform = [error(3, "method.penalty=uniform", f"method.alpha=1e{p}") for p in (4, 6, 8)]
        rows.append([links, *uniform, error(3), error(0, *PENALTY)])
    return table(["rods", "uniform 1e4", "uniform 1e6", "uniform 1e8", "default",
                  "uniform 1e6, no push"], rows)


TABLES = {"runs": main_table, "scatter": scatter_table, "bennett": bennett_table,
          "chains": chain_table}


def factor_allowed(name, line, factor):
    """Without projection the rhombus meets singular positions with an error: chance decides."""
    erratic = name == "scatter" or (name == "runs" and "rhombus | uniform, off" in line)
    return 100 * factor if erratic else factor


# --- figures --------------------------------------------------------------------------------------

WORDS = {"off": "without projection", "step": "projected every step", "default": "default settings"}


def motion_figure(model, results, bodies):
    rows = [("angle [rad]", turned), ("ω [rad/s]", lambda b: b["wz"]),
            ("ω̇ [rad/s²]", lambda b: b["dwz"])]
    return chart(f"{model}: how its links turn (uniform penalty, without projection)",
                 [Panel(label, [Curve(name, results.times, values(results.bodies[name]))
                                for name in bodies]) for label, values in rows])


def path_figure(model, results, points):
    """Paths of the ends of links: their centre and half a side along x."""
    curves = []
    for name, body, reach in points:
        b, angle = results.bodies[body], turned(results.bodies[body])
        curves.append(Curve(name, [p + reach * math.cos(a) for p, a in zip(b["px"], angle)],
                            [p + reach * math.sin(a) for p, a in zip(b["py"], angle)]))
    return plane_chart(f"{model}: paths of two joints in the plane, 10 s", curves,
                       ["x [m]", "y [m]"])


def norms_figure(model, runs):
    signs = {"position": "‖φ‖", "velocity": "‖φ̇‖", "acceleration": "‖φ̈‖"}
    units = {"position": "m, rad", "velocity": "m/s, rad/s", "acceleration": "m/s², rad/s²"}
    return chart(f"{model}: violation of the constraints (uniform penalty, α = 1e6)",
                 [Panel(f"{signs[n]} [{units[n]}]",
                        [Curve(WORDS[v], r.times, r.norms[n]) for v, r in runs.items()], log=True)
                  for n in NORMS])


def energy_figure(model, runs):
    shown = runs["step"]
    dark = ["#c9a227", "#8e5572", "#33312e"]
    energies = [Curve(name, shown.times, shown.energy[name], color)
                for name, color in zip(("kinetic", "potential", "total"), dark)]
    errors = [Curve(WORDS[v], r.times, r.energy_error(), color)
              for (v, r), color in zip(runs.items(), COLORS)]
    return chart(f"{model}: energy, and its error",
                 [Panel("energy [J]", energies, height=200), Panel("error [J]", errors)])


def bennett_figure(lab):
    judge = lab.judge("bennett", 1.5)
    names = ["uniform 1e6, step", "uniform 1e6, stage", "default (stage)"]
    runs = {name: lab.run("bennett", BENNETT[name], 1.5) for name in names}
    errors = [Curve(n, r.times, velocity_error(r, judge)) for n, r in runs.items()]
    return chart("bennett: the constraints look alike, the motions are not",
                 [Panel("‖φ‖ [m, rad]", [Curve(n, r.times, r.norms["position"])
                                         for n, r in runs.items()], log=True),
                  Panel("error of ω [rad/s]", errors, log=True, floor=1e-10, height=190)])


def figures(lab):
    """File name → picture."""
    made = {}
    runs = {m: {v: lab.run(m, o) for v, o in VARIANTS.items()} for m in MODELS}
    made["five_bar_motion"] = motion_figure("five-bar", runs["five-bar"]["off"],
                                            ["link1", "link2"])
    made["double_loop_motion"] = motion_figure("double-loop", runs["double-loop"]["off"],
                                               ["link1", "link3", "link5", "link7"])
    made["double_loop_path"] = path_figure("double-loop", runs["double-loop"]["off"],
                                           [("J3", "link2", 0.1), ("J8", "link6", 0.1)])
    for model in MODELS:
        name = model.replace("-", "_")
        both = {v: runs[model][v] for v in ("off", "step")}
        made[f"{name}_norms"] = norms_figure(model, both)
        made[f"{name}_energy"] = energy_figure(model, runs[model] if model != "rhombus" else both)
    made["bennett"] = bennett_figure(lab)
    return made


if __name__ == "__main__":
    common.run_study(sys.modules[__name__])
