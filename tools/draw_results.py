#!/usr/bin/env python3
"""Draws a planar mechanism and a strobe of its motion, from real results, as an SVG picture.

    ./sarrus simulate five-bar --out results/five-bar
    tools/draw_results.py five-bar results/five-bar --until 1.2 > docs/images/five_bar.svg

The joints' places in their bodies come from `./sarrus expand MODEL`, the motion from bodies.csv. A
body is drawn as the line or polygon through its joints (through its origin, too, where it has only
one). Nothing but the standard library is needed.
"""

import argparse
import csv
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLORS = ["#1f6f8b", "#d1603d", "#6a994e", "#8e5572", "#c9a227", "#4f6d9a", "#7a6c5d", "#3d9a8b"]
WIDTH, MARGIN, STROKE = 640, 48, 7


def rotate(q, v):
    """v turned by the unit quaternion q = (w, x, y, z): v + 2 u×(u×v + w v)."""
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    t = cross(u, [c + w * x for c, x in zip(cross(u, v), v)])
    return [x + 2 * y for x, y in zip(v, t)]


def place(pose, v):
    return [p + r for p, r in zip(pose[0], rotate(pose[1], v))]


def joints_of(expanded):
    """Name → [(body, point in its frame)] of every joint, from an expanded model file."""
    numbers = lambda text: [float(n) for n in text.split(",")]
    find = lambda pattern, text: [numbers(n) for n in re.findall(pattern + r": \[([^]]*)\]", text)]
    poses, joints = {"ground": ([0, 0, 0], [1, 0, 0, 0])}, {}
    section = ""
    for element in re.split(r"\n(?=\w|  - name: )", expanded):
        if not element.startswith("  - "):
            section = element.split(":")[0]
            continue
        name = re.search(r'name: "?([^"\n]*)', element)[1]
        if section == "bodies":
            poses[name] = ((find("position", element) or [[0, 0, 0]])[0],
                           (find("quaternion", element) or [[1, 0, 0, 0]])[0])
        elif section == "joints":
            pair = [b.strip(' "') for b in re.search(r"bodies: \[(.*)\]", element)[1].split(",")]
            at = find(r"\bat", element)
            if "frames:" not in element:  # one place in the world: into both bodies' frames
                inverse = [(p, [q[0], *(-c for c in q[1:])]) for p, q in map(poses.get, pair)]
                at = [rotate(q, [a - b for a, b in zip(at[0], p)]) for p, q in inverse]
            joints[name] = list(zip(pair, at))
    return joints


def read_motion(folder, until):
    """[(time, {body: pose})], rising in time."""
    instants = {}
    with open(Path(folder) / "bodies.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            pose = ([float(row["p" + c]) for c in "xyz"], [float(row["q" + c]) for c in "wxyz"])
            instants.setdefault(float(row["time"]), {"ground": ([0, 0, 0], [1, 0, 0, 0])})
            instants[float(row["time"])][row["body"]] = pose
    return [(t, poses) for t, poses in sorted(instants.items()) if t <= until]


def draw(joints, motion, poses, plane):
    axes = ["xyz".index(c) for c in plane]
    flat = lambda point: [point[a] for a in axes]
    bodies = {}  # body → its points, in its own frame
    for ends in joints.values():
        for body, point in ends:
            bodies.setdefault(body, []).append(point)
    bodies.pop("ground", None)
    for points in bodies.values():
        if len(points) == 1:
            points.append([0, 0, 0])
    pins = lambda poses: {n: flat(place(poses[ends[1][0]], ends[1][1]))
                          for n, ends in joints.items()}
    everything = [flat(place(p[b], v)) for _, p in motion for b, vs in bodies.items() for v in vs]
    low = [min(p[i] for p in everything) for i in (0, 1)]
    high = [max(p[i] for p in everything) for i in (0, 1)]
    scale = (WIDTH - 2 * MARGIN) / max(high[0] - low[0], 0.75 * (high[1] - low[1]))
    left = (WIDTH - scale * (high[0] - low[0])) / 2
    height = scale * (high[1] - low[1]) + 2 * MARGIN + 16
    to_page = lambda p: (left + scale * (p[0] - low[0]), MARGIN + scale * (high[1] - p[1]))
    path = lambda points: " ".join(f"{x:.1f},{y:.1f}" for x, y in map(to_page, points))

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
           f'width="{WIDTH}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{height:.0f}" rx="12" fill="#fbfaf7"/>']
    grounded = [n for n, ends in joints.items() if "ground" in (ends[0][0], ends[1][0])]
    for name in joints:  # the paths of the pins that move
        if name not in grounded:
            points = path([pins(p)[name] for _, p in motion])
            svg.append(f'<polyline points="{points}" fill="none" stroke="#33312e" '
                       'stroke-width="1" stroke-dasharray="1 4" stroke-linecap="round"/>')
    picked = [motion[round(i * (len(motion) - 1) / max(poses - 1, 1))] for i in range(poses)]
    for i, (_, instant) in reversed(list(enumerate(picked))):  # the start lies on top
        opacity = 1 if i == 0 else 0.38 - 0.28 * i / poses
        svg.append(f'<g opacity="{opacity:.2f}" stroke-linecap="round" stroke-linejoin="round">')
        for (body, points), color in zip(bodies.items(), COLORS * (1 + len(bodies) // 8)):
            corners = path([flat(place(instant[body], v)) for v in points])
            svg.append(f'<polygon points="{corners}" fill="{color}" fill-opacity="0.25" '
                       f'stroke="{color}" stroke-width="{STROKE if i == 0 else STROKE - 2}"/>')
        svg.append("</g>")
    for name, point in pins(picked[0][1]).items():
        x, y = to_page(point)
        if name in grounded:
            svg.append(f'<path d="M{x:.1f} {y:.1f} l-13 -20 h26 z" fill="#dcd8cf" '
                       'stroke="#33312e" stroke-width="1.5"/>'
                       f'<path d="M{x - 20:.1f} {y - 20:.1f} h40" stroke="#33312e" '
                       'stroke-width="2.5" stroke-linecap="round"/>')
        svg.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="#fbfaf7" stroke="#33312e" '
                   'stroke-width="2"/>')
    svg.append(f'<text x="{WIDTH / 2}" y="{height - 16:.0f}" text-anchor="middle" font-size="14" '
               f'fill="#6b675f">{picked[0][0]:g} s to {picked[-1][0]:g} s, the start in full '
               "colour</text>\n</svg>")
    return "\n".join(svg)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="as given to ./sarrus")
    parser.add_argument("results", help="folder that `./sarrus simulate --out` wrote")
    parser.add_argument("--until", type=float, default=float("inf"), help="end of the strobe [s]")
    parser.add_argument("--poses", type=int, default=9, help="how many are drawn")
    parser.add_argument("--plane", default="xy", help="xy, xz, yz, …: to the right, then upwards")
    parser.add_argument("--program", default=ROOT / "sarrus", help="the program to ask for joints")
    o = parser.parse_args()
    expanded = subprocess.run([o.program, "expand", o.model], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    print(draw(joints_of(expanded), read_motion(o.results, o.until), o.poses, o.plane))


if __name__ == "__main__":
    main()
