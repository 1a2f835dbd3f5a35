"""The scenario floating-four-bar by nothing but Newton's and Euler's equations in the plane.

One linear system for the accelerations of all bodies and the forces in the pins; the closing pin's
force on the base can be left out, which is what the recursion as printed does.
"""

import math

# mass, inertia, half length; the table's bodies 1 to 4 lie in this order along the loop
BODIES = [(4, 1.1, 1.75), (1, 1 / 12, 0.5), (3, 3 * 3**2 / 12, 1.5), (2.5, 2.5 * 2.5**2 / 12, 1.25)]
# pins: body and its end (−1 the first, +1 the second) on either side; the last one closes the loop
PINS = [((0, -1), (1, -1)), ((1, 1), (2, -1)), ((2, 1), (3, -1)), ((0, 1), (3, 1))]


def solve(rows):
    """Gauss' elimination of rows [A | b] with pivots."""
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(n):
            if i != k:
                f = rows[i][k] / rows[k][k]
                rows[i] = [a - f * b for a, b in zip(rows[i], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def base_accelerations(state, closing=True):
    """[α, ax, ay] of the base in a state of the table, without gravity; `closing`: with the force
    of the closing pin on the base."""
    bodies, unknowns = len(BODIES), 3 * len(BODIES) + 2 * len(PINS)
    rows = []
    for b, (mass, inertia, _) in enumerate(BODIES):
        for k, resistance in enumerate((inertia, mass, mass)):
            row = [0.0] * (unknowns + 1)
            row[3 * b + k] = resistance
            rows.append(row)
    for p, pin in enumerate(PINS):
        equal = [[0.0] * (unknowns + 1) for _ in range(2)]  # accelerations of both sides
        force = 3 * bodies + 2 * p
        for sign, (b, end) in zip((1, -1), pin):
            th, w = state[f"th{b + 1}"], state[f"w{b + 1}"]
            x, y = (end * BODIES[b][2] * f(th) for f in (math.cos, math.sin))
            for axis, (by_turning, reach) in enumerate(((-y, x), (x, y))):
                equal[axis][3 * b] += sign * by_turning
                equal[axis][3 * b + 1 + axis] += sign
                equal[axis][-1] += sign * w * w * reach
                if closing or (p, b) != (len(PINS) - 1, 0):
                    rows[3 * b][force + axis] -= sign * by_turning
                    rows[3 * b + 1 + axis][force + axis] -= sign
        rows += equal
    return solve(rows)[:3]
