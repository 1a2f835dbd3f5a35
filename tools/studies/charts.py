"""Line charts as small SVG pictures, for the studies. Nothing but the standard library is needed.

The pictures have a light ground of their own, so they can be read on light and dark pages alike.
"""

import bisect
import math
from dataclasses import dataclass

INK, FAINT, GRID, PAPER = "#33312e", "#6b675f", "#e4e0d6", "#fbfaf7"
COLORS = ["#d1603d", "#1f6f8b", "#6a994e", "#8e5572", "#c9a227", "#33312e"]
WIDTH, LEFT, RIGHT, BOTTOM = 720, 84, 20, 52
HEADING, LEGEND, GAP = 26, 30, 22  # heights: of the title, of a line of names, between panels
LEGEND_LINE = 20  # of each further line of names
BUCKETS = 160  # a curve keeps its least and greatest value in each


@dataclass
class Curve:
    name: str
    x: list
    y: list
    color: str = ""  # by its place in the panel where empty
    dots: bool = False  # a dot at each point instead of a line


@dataclass
class Panel:
    label: str  # of the vertical axis, with its unit
    curves: list
    log: bool = False
    height: int = 150
    floor: float = 1e-18  # what a logarithm shows for zero


def decimate(x, y, buckets=BUCKETS, log=False):
    """The points that a curve needs on paper: per bucket its least and its greatest, in order.
    `log`: buckets as wide as x is on a logarithmic axis."""
    if len(x) <= 2 * buckets:
        return list(zip(x, y))
    kept = {0, len(x) - 1}
    edges = [b * len(x) // buckets for b in range(buckets + 1)]
    if log:
        edges = [bisect.bisect_left(x, x[0] * (x[-1] / x[0]) ** (b / buckets))
                 for b in range(buckets)] + [len(x)]
    for run in (range(a, b) for a, b in zip(edges, edges[1:]) if a < b):
        kept |= {min(run, key=y.__getitem__), max(run, key=y.__getitem__)}
    return [(x[i], y[i]) for i in sorted(kept)]


def ticks(low, high, most=6):
    """Round numbers from low to high: 1, 2 or 5 times a power of ten apart."""
    rough = (high - low) / most or 1
    power = 10 ** math.floor(math.log10(rough))
    step = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def decades(low, high, most=6):
    """Powers of ten, as exponents, on whole decades around [low, high]."""
    a, b = math.floor(math.log10(low)), math.ceil(math.log10(high))
    b = max(b, a + 1)
    return a, b, range(a, b + 1, max(1, math.ceil((b - a) / most)))


def tick_text(value, step):
    if not value:
        return "0"
    if abs(value) < 1e-3 or abs(value) >= 1e5:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{float(mantissa):g}e{int(exponent)}".replace("-", "−")
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{digits}f}".replace("-", "−")


class Axis:
    """Numbers to places on the page; `marks` are (place, text)."""

    def __init__(self, low, high, start, end, log=False):
        if log:
            a, b, exponents = decades(low, high)
            self.at = lambda v: start + (math.log10(v) - a) / (b - a) * (end - start)
            self.marks = [(self.at(10.0**e), f"1e{e}".replace("-", "−")) for e in exponents]
            return
        margin = 0.04 * (high - low) or 1e-9
        low, high = low - margin, high + margin
        self.at = lambda v: start + (v - low) / (high - low) * (end - start)
        places = ticks(low, high, 8 if end > start else 5)
        step = places[1] - places[0] if len(places) > 1 else 1
        self.marks = [(self.at(v), tick_text(v if abs(v) > step / 1e6 else 0, step))
                      for v in places]


def legend_rows(names):
    """Names on as many lines as they need: per line (name, place)."""
    rows, x = [[]], LEFT
    for name in names:
        wide = 26 + 7.2 * len(name) + 18
        if rows[-1] and x + wide > WIDTH:
            rows.append([])
            x = LEFT
        rows[-1].append((name, x))
        x += wide
    return rows


def legend(curves, y):
    """Lines of names, the last one at the height y."""
    svg, sign = [], {c.name: c for c in curves}
    rows = legend_rows(sign)
    for up, row in zip(range(len(rows) - 1, -1, -1), rows):
        for name, x in row:
            at, color = y - LEGEND_LINE * up, sign[name].color
            mark = (f'<circle cx="{x + 10:g}" cy="{at}" r="3" fill="{color}"/>' if sign[name].dots
                    else f'<path d="M{x:g} {at} h20" stroke="{color}" stroke-width="3"/>')
            svg.append(f'{mark}<text x="{x + 26:g}" y="{at + 4}" fill="{INK}">{name}</text>')
    return svg


def open_page(height, title):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" font-family="sans-serif" font-size="13">',
            f'<title>{title}</title>'
            f'<rect width="{WIDTH}" height="{height}" rx="12" fill="{PAPER}"/>',
            f'<text x="{LEFT}" y="22" font-size="15" fill="{INK}">{title}</text>']


def close_page(across, bottom, label):
    """What stands below the last panel."""
    svg = [f'<text x="{p:.1f}" y="{bottom + 18}" text-anchor="middle" fill="{FAINT}">{text}</text>'
           for p, text in across.marks]
    return [*svg, f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{bottom + 38}" text-anchor="middle" '
                  f'fill="{INK}">{label}</text>', "</svg>\n"]


def frame(x, y, left, top, right, bottom, label):
    """The box of a panel, its grid, its marks on the vertical axis and its label."""
    svg = [f'<path d="M{left} {p:.1f} H{right}" stroke="{GRID}"/>'
           f'<text x="{left - 8}" y="{p + 4:.1f}" text-anchor="end" fill="{FAINT}">{text}</text>'
           for p, text in y.marks]
    svg += [f'<path d="M{p:.1f} {top} V{bottom}" stroke="{GRID}"/>' for p, _ in x.marks]
    svg.append(f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" '
               f'fill="none" stroke="{FAINT}"/>')
    middle = (top + bottom) / 2
    svg.append(f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle" '
               f'fill="{INK}">{label}</text>')
    return svg


def drawn(curve, points):
    if curve.dots:
        return "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.2" fill="{curve.color}"/>'
                       for a, b in points)
    return polyline(points, curve.color)


def polyline(points, color):
    text = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    return (f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="1.4" '
            'stroke-linejoin="round"/>')


def chart(title, panels, x_label="time [s]", log_x=False):
    """Panels below each other over a common horizontal axis; a legend where curves change."""
    for panel in panels:
        for curve, color in zip(panel.curves, COLORS):
            curve.color = curve.color or color
    names = [{c.name: c.color for c in p.curves} for p in panels]
    gaps = [LEGEND + LEGEND_LINE * (len(legend_rows(a)) - 1) if a != b else GAP
            for a, b in zip(names, [None, *names])]
    height = HEADING + sum(gaps) + sum(p.height for p in panels) + BOTTOM
    svg = open_page(height, title)
    ends = [v for p in panels for c in p.curves for v in (c.x[0], c.x[-1])]
    across = Axis(min(ends), max(ends), LEFT, WIDTH - RIGHT, log_x)
    bottom = HEADING
    for panel, gap in zip(panels, gaps):
        top = bottom + gap
        bottom = top + panel.height
        if gap >= LEGEND:
            svg += legend(panel.curves, top - 14)
        shown = [[max(v, panel.floor) for v in c.y] if panel.log else c.y for c in panel.curves]
        up = Axis(min(map(min, shown)), max(map(max, shown)), bottom, top, panel.log)
        svg += frame(across, up, LEFT, top, WIDTH - RIGHT, bottom, panel.label)
        for curve, values in zip(panel.curves, shown):
            points = [(across.at(a), up.at(b)) for a, b in decimate(curve.x, values, log=log_x)]
            svg.append(drawn(curve, points))
    return "\n".join(svg + close_page(across, bottom, x_label))


def plane_chart(title, curves, labels):
    """Paths in a plane, to the same scale both ways."""
    xs, ys = [v for c in curves for v in c.x], [v for c in curves for v in c.y]
    centre = [(min(v) + max(v)) / 2 for v in (xs, ys)]
    scale = (WIDTH - LEFT - RIGHT) / max(max(xs) - min(xs), 1.6 * (max(ys) - min(ys))) / 1.08
    half = [(WIDTH - LEFT - RIGHT) / 2 / scale, 0.54 * (max(ys) - min(ys))]
    top = HEADING + LEGEND
    bottom = top + round(2 * half[1] * scale)
    height = bottom + BOTTOM
    shrink = 1 / 1.08  # an axis adds 4 % at both ends by itself
    x = Axis(*(centre[0] + s * half[0] * shrink for s in (-1, 1)), LEFT, WIDTH - RIGHT)
    y = Axis(*(centre[1] + s * half[1] * shrink for s in (-1, 1)), bottom, top)
    svg = open_page(height, title)
    for curve, color in zip(curves, COLORS):
        curve.color = curve.color or color
    svg += legend(curves, top - 14)
    svg += frame(x, y, LEFT, top, WIDTH - RIGHT, bottom, labels[1])
    for curve in curves:
        svg.append(polyline([(x.at(a), y.at(b)) for a, b in zip(curve.x, curve.y)], curve.color))
    return "\n".join(svg + close_page(x, bottom, labels[0]))
