#!/usr/bin/env python3
"""Repeats the numerical examples of Anderson and Critchley (2003) and draws their figures.

    ./sarrus reproduce coordinate-reduction          # refreshes docs/studies/coordinate_reduction.md
    ./sarrus reproduce coordinate-reduction --check  # fails if the page's numbers are not found

The figures go to docs/images/coordinate_reduction/. With --out DIR, DIR stands for docs. The tables
are printed, and put into the page between the marks that carry their names. Times differ from
machine to machine: --check compares only how they grow. Nothing but the standard library is needed.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common  # noqa: E402
from charts import COLORS, Curve, Panel, chart  # noqa: E402
from common import DOCS, ROOT, brief, columns, table, turned  # noqa: E402
from floating_loop import base_accelerations  # noqa: E402

PAGE = DOCS / "studies/coordinate_reduction.md"
IMAGES = DOCS / "images/coordinate_reduction"
OPEN_LADDER = Path(__file__).resolve().parent / "open_ladder.yaml"

REDUCTION = "coordinate-reduction"
PAPER = ["--projection", "off", "--set", "method.variant=paper"]  # as published
PAPER_PROJECTED = ["--set", "method.variant=paper"]
OTHER = "independent"  # program; its figures are fixed here


class Laboratory(common.Laboratory):
    def run(self, model, method, options, until, step, every=0.01):
        fixed = ["--integrator", "rk4", "--step", f"{step:g}"]
        return self.simulate(model, method, [*fixed, *options], until, every)


def reference(scenario):
    """The scenario's table: time → column → number."""
    found = columns(ROOT / "scenarios" / scenario / "reference.csv")
    return {t: {name: values[i] for name, values in found.items()}
            for i, t in enumerate(found["t"])}


def joint_error(results, exact, joints, time):
    """Largest error of a coordinate [rad]; joints: number in the table → name."""
    i = results.at(time)
    return max(abs(results.joints[name]["position"][i] - exact[time][f"q{number}"])
               for number, name in joints.items())


# --- drift ----------------------------------------------------------------------------------------

FOUR_BAR = {1: "J1.angle", 2: "J2.angle", 3: "J3.angle", 4: "J4.angle"}
DRIFT = {  # row → method and options
    "`order-n`, accelerations": ("order-n", []),
    "fronts, accelerations": (REDUCTION, ["--set", "method.level=acceleration"]),
    "fronts, velocities": (REDUCTION, ["--set", "method.level=velocity"]),
    "paper's recursion, velocities": (REDUCTION, PAPER),
    "fronts, positions (default)": (REDUCTION, []),
}
DRIFT_TIMES = [0.1, 1, 2, 5, 10]
DRIFT_ELSEWHERE = [
    ["classical, accelerations", OTHER, "5.2e-9", "3.0e-7", "3.9e-6", "3.1e-5", "1.3e-4", "t^2.3",
     "–", "1.3e-5"],
    ["paper's recursion, velocities", OTHER, "4.6e-9", "4.0e-7", "4.1e-7", "4.2e-7", "1.8e-7",
     "none", "rounding", "9.0e-6"],
    ["fronts, positions", OTHER, "rounding", "rounding", "rounding", "rounding", "rounding", "none",
     "rounding", "5.5e-6"],
]


def drift_run(lab, name, until=10):
    method, options = DRIFT[name]
    return lab.run("four-bar", method, options, until, 0.01)


def growth(results, first=1):
    """Exponent p of the best t^p through the position norms from the time `first` on."""
    points = [(math.log(t), math.log(max(v, 1e-18)))
              for t, v in zip(results.times, results.norms["position"]) if t >= first]
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def said(value):
    return brief(value) if value > common.ROUNDING else "rounding"


def drift_table(lab):
    exact, rows = reference("four-bar"), []
    for name in DRIFT:
        r = drift_run(lab, name)
        power = growth(r)
        rows.append([name, "Sarrus", *(said(r.norms["position"][r.at(t)]) for t in DRIFT_TIMES),
                     f"t^{power:.1f}" if power > 0.5 else "none",
                     said(r.summary["largest_constraint_norms"]["velocity"]),
                     brief(joint_error(r, exact, FOUR_BAR, 5))])
    return table(["what is enforced", "program", *(f"φ at {t:g} s" for t in DRIFT_TIMES), "growth",
                  "largest φ̇", "error at 5 s [rad]"], rows + DRIFT_ELSEWHERE)


def drift_figure(lab):
    """order-n and the fronts draw one line where both enforce accelerations."""
    names = {"accelerations": "fronts, accelerations", "velocities": "fronts, velocities",
             "velocities, paper's recursion": "paper's recursion, velocities",
             "positions": "fronts, positions (default)"}
    runs = {label: drift_run(lab, name) for label, name in names.items()}
    curves = [Curve(label, r.times[1:], r.norms["position"][1:]) for label, r in runs.items()]
    curves.append(Curve("~ t²", [1, 10], [3e-6, 3e-4], COLORS[5]))
    return chart("four-bar: violation of the loop, by what is enforced",
                 [Panel("‖φ‖ [m, rad]", curves, log=True, height=280)], log_x=True)


# --- parallel five-bar ----------------------------------------------------------------------------

FIVE_BAR = {1: "F1.angle", 2: "E1.angle"}
FIVE_BAR_RUNS = {"fronts": [], "paper's recursion": PAPER_PROJECTED,
                 "paper's recursion, as published": PAPER}
FIVE_BAR_ELSEWHERE = [["paper's recursion, as published", 0.01, OTHER, "–", "2.9e-7", "–", "1.6e-9"],
                      ["paper's recursion, as published", 0.005, OTHER, "–", "1.7e-8", "–",
                       "9.3e-11"]]


def five_bar_table(lab):
    exact, rows = reference("parallel-five-bar"), []
    for name, options in FIVE_BAR_RUNS.items():
        for step in (0.01, 0.005):
            r = lab.run("parallel-five-bar", REDUCTION, options, 5, step)
            rows.append([name, step, "Sarrus",
                         *(brief(joint_error(r, exact, FIVE_BAR, t)) for t in (1, 2, 5)),
                         said(r.norms["position"][r.at(2)])])
    return table(["variant", "step [s]", "program", "error at 1 s [rad]", "at 2 s", "at 5 s",
                  "φ at 2 s"], rows + FIVE_BAR_ELSEWHERE)


def five_bar_figure(lab):
    r = lab.run("parallel-five-bar", REDUCTION, [], 5, 0.01)
    exact = reference("parallel-five-bar")
    panels = []
    for label, column, sign in (("angle [rad]", "position", "q"), ("rate [rad/s]", "speed", "u")):
        lines = [Curve(name, r.times, r.joints[joint][column]) for name, joint in
                 (("F1, the foot", "F1.angle"), ("E1, the elbow", "E1.angle"))]
        dots = [Curve("table", list(exact), [row[f"{sign}{k}"] for row in exact.values()],
                      COLORS[5], dots=True) for k in FIVE_BAR]
        panels.append(Panel(label, lines + dots))
    return chart("parallel five-bar: the first leg", panels)


# --- ladder ---------------------------------------------------------------------------------------

LADDER = {1: "H0.angle1", 2: "H0.angle2"}
LADDERS = [1, 3, 8, 32, 128]
LADDER_ELSEWHERE = [[cells, "paper's recursion", OTHER, "8.8e-8", "–", "rounding", "–"]
                    for cells in (1, 3, 8)]


def ladder_run(lab, cells, variant="fronts"):
    settings = ["--set", f"cells={cells}", f"method.variant={variant}"]
    return lab.run("ladder", REDUCTION, settings, 5, 0.01, 0.05)


def ladder_distance(a, b):
    """Time by time, how far two ladders are apart in their coordinates [rad]."""
    return [max(abs(a.joints[j]["position"][i] - b.joints[j]["position"][i])
                for j in LADDER.values()) for i in range(len(a.times))]


def ladder_table(lab):
    exact, rows = reference("ladder"), []
    for variant, called in (("fronts", "fronts"), ("paper", "paper's recursion")):
        first = ladder_run(lab, LADDERS[0], variant)
        for cells in LADDERS:
            r = ladder_run(lab, cells, variant)
            rows.append([cells, called, "Sarrus",
                         *(brief(joint_error(r, exact, LADDER, t)) for t in (2, 5)),
                         said(r.summary["largest_constraint_norms"]["position"]),
                         said(max(ladder_distance(r, first)))])
    return table(["cells", "variant", "program", "error at 2 s [rad]", "at 5 s", "largest φ",
                  "apart from 1 cell"], rows + LADDER_ELSEWHERE)


def ladder_figure(lab):
    runs = {cells: ladder_run(lab, cells) for cells in LADDERS}
    exact = reference("ladder")
    one, many = runs[LADDERS[0]], runs[LADDERS[-1]]
    curves = [Curve(f"{name}, {LADDERS[-1]} cells", many.times, many.joints[joint]["position"])
              for name, joint in (("turn", "H0.angle1"), ("lean", "H0.angle2"))]
    dots = [Curve("table", list(exact), [row[f"q{k}"] for row in exact.values()], COLORS[5],
                  dots=True) for k in LADDER]
    apart = [Curve(f"{cells} cells", r.times[1:], ladder_distance(r, one)[1:])
             for cells, r in runs.items() if cells > 1]
    return chart("ladder: one motion for any number of cells",
                 [Panel("angle [rad]", curves + dots, height=200),
                  Panel("apart from 1 cell [rad]", apart, log=True, floor=1e-17)])


# --- cost -----------------------------------------------------------------------------------------

COSTS = {  # name → model, method, settings, largest number of cells
    "open, plain": (OPEN_LADDER, "order-n", ["method.kernel=plain"], 4096),
    "open, kernels": (OPEN_LADDER, "order-n", [], 4096),
    "traditional, plain": ("ladder", "order-n", [], 256),
    "paper's recursion, plain": ("ladder", REDUCTION, ["method.variant=paper"], 4096),
    "fronts, kernels": ("ladder", REDUCTION, [], 4096),
    "`augmented-dca`, kernels": ("ladder", "augmented-dca", [], 4096),
}
CELLS = [2**k for k in range(13)]
SHOWN = [1, 8, 32, 64, 128, 256, 512, 1024, 2048, 4096]
ROUNDS = 2  # the machine may be busy for a while
SLOPES_ELSEWHERE = {"open, plain": "0.997", "traditional, plain": "2.58",
                    "paper's recursion, plain": "0.999", "fronts, kernels": "0.999"}
FLOPS_ELSEWHERE = [[1, "4.6e3", "6.7e3", "1.2e4", "2.6e4"], [8, "3.0e4", "1.2e5", "8.7e4", "1.9e5"],
                   [32, "1.2e5", "1.9e6", "3.4e5", "7.5e5"],
                   [128, "4.6e5", "5.7e7", "1.4e6", "3.0e6"]]


def measured(lab, cells=tuple(CELLS), more=()):
    """name → cells → least CPU time of one evaluation [µs]; measured once."""
    if "costs" not in lab.done:
        found = {}
        for _ in range(ROUNDS):
            for name, (model, method, settings, most) in COSTS.items():
                for n in (n for n in cells if n <= most):
                    own = found.setdefault(name, {})
                    took = lab.time(model, method, "--set", f"cells={n}", *settings, *more)
                    own[n] = min(took, own.get(n, took))
        lab.done["costs"] = found
    return lab.done["costs"]


def short(value):
    """Three digits, without an exponent."""
    return f"{float(f'{value:.3g}'):.{max(0, 2 - math.floor(math.log10(value)))}f}"


def cost_table(lab):
    times = measured(lab)
    rows = [[n, 2 * n + 1, *(short(own[n]) if n in own else "–" for own in times.values())]
            for n in SHOWN]
    return table(["cells", "bodies", *times], rows)


def slope(own, end):
    """Exponent of the growth over the two doublings up to `end`."""
    return math.log(own[end] / own[end // 4], 4)


def slope_table(lab):
    rows = []
    for name, own in measured(lab).items():
        end = max(own)
        rows.append([name, f"{slope(own, 128):.2f}", f"{slope(own, end):.2f}",
                     f"{end // 4} to {end}", SLOPES_ELSEWHERE.get(name, "–")])
    return table(["", "32 to 128 cells", "last two doublings", "which", "flops of the independent "
                  "program, 64 to 128"], rows)


def flops_table(_):
    return table(["cells", "open", "traditional", "paper's recursion", "fronts"], FLOPS_ELSEWHERE)


def cost_figure(lab):
    return chart("ladder: one evaluation, over the number of cells",
                 [Panel("least CPU time [µs]", [Curve(name.replace("`", ""), list(own),
                                                      list(own.values()))
                                                for name, own in measured(lab).items()],
                        log=True, height=320)], "cells", log_x=True)


# --- dead points ----------------------------------------------------------------------------------

DEAD_POINT = {  # row → options
    "fronts (default)": [],
    "fronts, `method.state=independent`": ["--set", "method.state=independent"],
    "fronts, `method.independent=A`": ["--set", "method.independent=A"],
    "paper's recursion": PAPER_PROJECTED,
    "paper's recursion, as published": PAPER,
}
DEAD_POINT_ELSEWHERE = [
    ["fronts", OTHER, "5.0e-10", "3.7e-7", "3.0e-6", "–"],
    ["recursion with switching", OTHER, "1.2e-9", "1.8e-6", "4.3e-5",
     "0.625: A to C, 0.84: C to B, 1.075: B to C, 1.865: C to B"],
    ["paper's recursion, as published", OTHER, "1.2e-9", "1.3e-1", "8.9e-1", "–"],
]
RODS = ["crank", "coupler", "rocker"]


def dead_point_run(lab, name):
    return lab.run("four-bar-dead-point", REDUCTION, DEAD_POINT[name], 2, 0.005)


def angle_error(results, exact, time):
    """Largest error of a rod's direction [rad], whole turns apart."""
    i = results.at(time)
    off = [turned(results.bodies[rod])[i] - exact[time][f"th{k}"] for k, rod in enumerate(RODS, 1)]
    return max(abs(math.remainder(v, 2 * math.pi)) for v in off)


def switches(results):
    found = [(note["time"], note["what"].partition("switched from ")[2])
             for note in results.summary["notes"]]
    return ", ".join(f"{time:.4g}: {what}" for time, what in found if what) or "–"


def dead_point_table(lab):
    exact, rows = reference("four-bar-dead-point"), []
    for name in DEAD_POINT:
        r = dead_point_run(lab, name)
        rows.append([name, "Sarrus", *(brief(angle_error(r, exact, t)) for t in (0.5, 1, 2)),
                     switches(r), brief(r.summary["energy_drift"])])
    rows += [[*row, "–"] for row in DEAD_POINT_ELSEWHERE]
    return table(["variant", "program", "error at 0.5 s [rad]", "at 1 s", "at 2 s",
                  "switches [s]", "energy [J]"], rows)


def dead_point_figure(lab):
    names = {"default": "fronts (default)", "independent coordinates":
             "fronts, `method.state=independent`", "as published": "paper's recursion, as published"}
    runs = {label: dead_point_run(lab, name) for label, name in names.items()}
    exact = {t: row for t, row in reference("four-bar-dead-point").items() if t <= 2}
    crank = [Curve(label, r.times, turned(r.bodies["crank"])) for label, r in runs.items()]
    crank.append(Curve("table", list(exact), [row["th1"] for row in exact.values()], COLORS[5],
                       dots=True))
    error = [Curve(label, r.times[1:], [abs(v) for v in r.energy_error()][1:])
             for label, r in runs.items()]
    return chart("four-bar through dead points at 0.655 s and, of the rocker, at 0.78 s",
                 [Panel("crank [rad]", crank, height=190),
                  Panel("energy error [J]", error, log=True, floor=1e-12)])


# --- a floating base ------------------------------------------------------------------------------

FLOATING = {"fronts": [], "paper's recursion, corrected": PAPER_PROJECTED}


def floating_table(lab):
    exact = reference("floating-four-bar")
    start = [exact[0][c] for c in ("al1", "ax1", "ay1")]
    distance = lambda found: said(max(abs(a - b) for a, b in zip(found, start)))
    rows = []
    for name, options in FLOATING.items():
        r = lab.run("floating-four-bar", REDUCTION, options, 2, 0.01)
        base, i = r.bodies["base"], r.at(2)
        place = [turned(base)[i] - exact[2]["th1"], base["px"][i] - exact[2]["x1"],
                 base["py"][i] - exact[2]["y1"]]
        rows.append([name, "Sarrus", distance([base[c][0] for c in ("dwz", "ax", "ay")]),
                     brief(max(map(abs, place)))])
    rows.append(["both reactions on the base", "balance of forces",
                 distance(base_accelerations(exact[0], closing=True)), "–"])
    rows.append(["without that of the closing joint", "balance of forces",
                 distance(base_accelerations(exact[0], closing=False)), "–"])
    rows.append(["paper's recursion, corrected", OTHER, "rounding", "–"])
    rows.append(["paper's recursion, (62) and (64) as printed", OTHER, "7.0e-1", "–"])
    return table(["", "program", "error of the base's acceleration at the start",
                  "of its place at 2 s"], rows)


TABLES = {"drift": drift_table, "five-bar": five_bar_table, "ladder": ladder_table,
          "costs": cost_table, "slopes": slope_table, "flops": flops_table,
          "dead-point": dead_point_table, "floating": floating_table}


def factor_allowed(name, line, factor):
    """Times are free. Slopes are those of noisy times. Past a dead point digits are lost."""
    if name == "dead-point" and "A to B" in line:
        return 10 * factor
    return {"costs": math.inf, "slopes": 1.5}.get(name, factor)


def figures(lab):
    """File name → picture."""
    return {"drift": drift_figure(lab), "five_bar": five_bar_figure(lab),
            "ladder": ladder_figure(lab), "cost": cost_figure(lab),
            "dead_point": dead_point_figure(lab)}


if __name__ == "__main__":
    common.run_study(sys.modules[__name__])
