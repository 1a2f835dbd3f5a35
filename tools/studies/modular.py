#!/usr/bin/env python3
"""Repeats the numerical examples of Joli, Séguy and Feng (2008).

    ./sarrus reproduce modular          # refreshes docs/studies/modular.md
    ./sarrus reproduce modular --check  # fails if the page's numbers are not found

With --out DIR, DIR stands for docs. The tables are printed, and put into the page between the marks
that carry their names. Nothing but the standard library is needed.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common  # noqa: E402
from charts import Curve, Panel, chart  # noqa: E402
from common import DOCS, brief, table  # noqa: E402

PAGE = DOCS / "studies/modular.md"
IMAGES = DOCS / "images/modular"


def settings(**values):
    return [part for name, value in values.items()
            for part in ("--set", f"method.{name}={value}")]


class Laboratory(common.Laboratory):
    def modular(self, model, step, options, integrator="newmark-paper"):
        fixed = ["--integrator", integrator, "--step", f"{step:g}"]
        return self.simulate(model, "uzawa", [*fixed, *options], 10, 0.01)

    def exact(self):
        return self.simulate("double-pendulum", "order-n", ["--tolerance", "1e-12"], 10, 0.01)


def paper(tolerance, start="cold", rho="1.5,0.4"):
    return settings(iteration="richardson", rho=rho, stopping="increment", tolerance=tolerance,
                    start=start)


def per_step(results):
    return results.summary["iterations"] / results.summary["evaluations"]


def tip_errors(lab, run):
    """Largest distance of the tip from the exact motion up to each sample [m]."""
    here, there = run.bodies["n22"], lab.exact().bodies["link2"]
    most, errors = 0.0, []
    for i in range(len(run.times)):
        most = max(most, math.hypot(here["px"][i] - there["px"][i], here["py"][i] - there["py"][i]))
        errors.append(most)
    return errors


# --- double pendulum ------------------------------------------------------------------------------

PENDULUM = [  # step, what, options, integrator, what the independent program has
    (0.01, "increment 1 %", paper("0.01"), "newmark-paper", ("11.0", "2.1e-2", "1.7e-1", "8.6e-1")),
    (0.01, "increment 10 %", paper("0.1"), "newmark-paper", ("5.8", "9.0e-3", "1.0e-1", "1.0e-1")),
    (0.01, "elimination", settings(iteration="tree"), "newmark-paper",
     ("1.0", "2.3e-2", "2.0e-1", "9.2e-1")),
    (0.01, "elimination, Taylor predictor", settings(iteration="tree"), "newmark",
     ("1.0", "1.2e-2", "7.5e-2", "2.5e-1")),
    (0.001, "increment 1 %", paper("0.01"), "newmark-paper", ("11.0", "2.7e-5", "1.5e-4", "4.6e-4")),
    (0.001, "increment 10 %", paper("0.1"), "newmark-paper", ("5.8", "8.3e-5", "2.8e-4", "1.5e-3")),
    (0.001, "increment 1 %, warm", paper("0.01", "warm"), "newmark-paper",
     ("3.6", "5.0e-5", "3.9e-4", "6.5e-4")),
]


def pendulum_table(lab):
    rows = []
    for step, what, options, integrator, other in PENDULUM:
        run = lab.modular("modular-double-pendulum", step, options, integrator)
        errors = tip_errors(lab, run)
        rows.append([f"{step:g}", what, f"{per_step(run):.1f} ({other[0]})",
                     *(f"{brief(errors[run.at(t)])} ({said})"
                       for t, said in zip((2, 5, 10), other[1:]))])
    return table(["h [s]", "iteration", "rounds a step", "error at 2 s [m]", "at 5 s", "at 10 s"],
                 rows)


# --- slider-crank ---------------------------------------------------------------------------------

SLIDER = [  # step, tolerance, rho of the guide, independent program, paper
    (0.001, "0.01", "1", "2.8e-7", "2.3e-7"),
    (0.01, "0.01", "1", "1.8e-5", "–"),
    (0.01, "0.1", "0.7", "5.7e-4", "5.1e-4"),
]


def slider_table(lab):
    rows = []
    for step, tolerance, rho, other, printed in SLIDER:
        run = lab.modular("modular-slider-crank", step, paper(tolerance, rho=f"1.5,0.4,{rho}"))
        most = max(map(abs, run.bodies["n22"]["py"]))
        rows.append([f"{step:g}", f"{100 * float(tolerance):g} %", rho, f"{per_step(run):.1f}",
                     brief(most), other, printed])
    return table(["h [s]", "increment", "ρ of the guide", "rounds a step", "largest y22 [m]",
                  "independent program", "paper"], rows)


TABLES = {"double-pendulum": pendulum_table, "slider-crank": slider_table}


def factor_allowed(_name, _line, factor):
    return factor


def figures(lab):
    """File name → picture."""
    curves = []
    for step, what, options, integrator, _ in PENDULUM:
        if "warm" in what or "10 %" in what:
            continue
        run = lab.modular("modular-double-pendulum", step, options, integrator)
        curves.append(Curve(f"{step:g} s, {what}", run.times[1:], tip_errors(lab, run)[1:]))
    return {"tip": chart("how far the tip of the double pendulum is from the exact motion",
                         [Panel("error [m]", curves, log=True, floor=1e-8)])}


if __name__ == "__main__":
    common.run_study(sys.modules[__name__])
