"""What the studies share: runs of the program, tables, and pages that carry them between marks."""

import argparse
import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


# --- runs -----------------------------------------------------------------------------------------

@dataclass
class Results:
    """What a run wrote: times, columns by name, the summary."""
    times: list
    energy: dict
    norms: dict
    bodies: dict  # body → column → numbers
    joints: dict  # "joint.coordinate" → column → numbers
    summary: dict

    def energy_error(self):
        left = [t - s for t, s in zip(self.energy["total"], self.energy["supplied"])]
        return [v - left[0] for v in left]

    def at(self, time):
        """Place of a time among the samples."""
        return min(range(len(self.times)), key=lambda i: abs(self.times[i] - time))


def columns(path):
    """Column → list; numbers where they are some. Lines that begin with # are remarks."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    number = lambda text: float(text) if re.match(r"[-+]?[\d.]|nan|[-+]?inf", text) else text
    return {name: [number(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def by_name(table, names):
    """Splits a table in which several things take turns: name → column → numbers."""
    found = {}
    for i, name in enumerate(names):
        for column, values in table.items():
            found.setdefault(name, {}).setdefault(column, []).append(values[i])
    return found


def read_results(folder):
    folder = Path(folder)
    bodies, joints = columns(folder / "bodies.csv"), columns(folder / "joints.csv")
    names = [f"{j}.{c}" for j, c in zip(joints.pop("joint"), joints.pop("coordinate"))]
    energy = columns(folder / "energy.csv")
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return Results(energy["time"], energy, columns(folder / "constraints.csv"),
                   by_name(bodies, bodies.pop("body")), by_name(joints, names), summary)


class Laboratory:
    """Runs the program, each run once."""

    def __init__(self, program, folder):
        self.program, self.folder, self.done = program, Path(folder), {}

    def simulate(self, model, method, options, until, every=0.01):
        key = (str(model), method, *map(str, options), until, every)
        if key not in self.done:
            out = self.folder / f"run{len(self.done)}"
            # Studies show wrong motion on purpose, too.
            subprocess.run([self.program, "simulate", model, "--method", method, "--guard", "off",
                            "--until", f"{until:g}", "--every", f"{every:g}", "--quiet",
                            "--out", out, *options], check=True)
            self.done[key] = read_results(out)
        return self.done[key]

    def time(self, model, method, *options):
        """The least CPU time of an evaluation [µs]."""
        told = subprocess.run([self.program, "time", model, "--method", method, "--json", *options],
                              check=True, capture_output=True, text=True).stdout
        return json.loads(told)["cpu_min_us"]


def turned(body):
    """The angle of a body in the plane, followed over turns [rad]."""
    angle, last = [], 0.0
    for z, w in zip(body["qz"], body["qw"]):
        now = 2 * math.atan2(z, w)
        last = now + 2 * math.pi * round((last - now) / (2 * math.pi)) if angle else now
        angle.append(last)
    return angle


# --- tables ---------------------------------------------------------------------------------------

def brief(value, digits=1):
    """2.6e-7: short, and the same on every machine."""
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def marked(name, text):
    return f"<!-- {name} -->\n{text}\n<!-- end of {name} -->"


def block(name):
    return re.compile(rf"<!-- {name} -->\n(.*?)\n<!-- end of {name} -->", re.DOTALL)


def refresh(page, tables):
    for name, text in tables.items():
        page, found = block(name).subn(lambda _: marked(name, text), page)
        if found != 1:
            sys.exit(f"the page has no marks for the table '{name}'")
    return page


NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
ROUNDING = 1e-11  # below this, and on both sides, a number is rounding


def differences(name, kept, fresh, factor, allowed=lambda name, line, factor: factor):
    """Sentences about the lines in which two states of a table differ by more than is allowed."""
    found = []
    old, new = kept.splitlines(), fresh.splitlines()
    if len(old) != len(new):
        return [f"{name}: {len(old)} lines on the page, {len(new)} now"]
    for a, b in zip(old, new):
        most = allowed(name, a, factor)
        pairs = list(zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b))))
        same = NUMBER.sub("#", a) == NUMBER.sub("#", b) and all(
            max(p) <= ROUNDING or max(p) <= most * min(p) for p in pairs)
        if not same:
            found.append(f"{name}:\n  page {a}\n  now  {b}")
    return found


# --- the command ----------------------------------------------------------------------------------

def run_study(study):
    """Command line of a study: a module with PAGE, IMAGES, TABLES, figures, Laboratory and, where
    some lines may differ more than others, factor_allowed."""
    parser = argparse.ArgumentParser(description=study.__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "sarrus"), help="default: ./sarrus")
    parser.add_argument("--check", action="store_true", help="compare with the page, write nothing")
    parser.add_argument("--out", type=Path, default=DOCS, help="for page and figures; default docs")
    parser.add_argument("--factor", type=float, default=3, help="by which numbers may differ there")
    o = parser.parse_args()
    page = study.PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        lab = study.Laboratory(o.program, folder)
        tables = {name: make(lab) for name, make in study.TABLES.items()}
        if o.check:
            found = [d for name, text in tables.items() for d in
                     differences(name, block(name).search(page)[1], text, o.factor,
                                 study.factor_allowed)]
            sys.exit("\n".join(found) if found else 0)
        images, written = (o.out / path.relative_to(DOCS) for path in (study.IMAGES, study.PAGE))
        for folder in (images, written.parent):
            folder.mkdir(parents=True, exist_ok=True)
        for name, picture in study.figures(lab).items():
            (images / f"{name}.svg").write_text(picture, encoding="utf-8")
    print("\n\n".join(marked(name, text) for name, text in tables.items()))
    written.write_text(refresh(page, tables), encoding="utf-8")
