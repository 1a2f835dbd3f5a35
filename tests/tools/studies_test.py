#!/usr/bin/env python3
"""The studies read results, draw them and compare tables as they should, on short runs.

Usage: studies_test.py PROGRAM [unittest options]
"""

import math
import re
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/studies"))
import augmented_dca as study  # noqa: E402
import charts  # noqa: E402
import common  # noqa: E402
import coordinate_reduction as reduction  # noqa: E402
import trust  # noqa: E402
from floating_loop import base_accelerations  # noqa: E402

PROGRAM = ""
STUDIES = [study, reduction]
LARGEST_PICTURE = 60000  # bytes


class Trust(unittest.TestCase):
    @staticmethod
    def turned(angle, sign=1):
        half = 0.5 * angle
        return {0.0: {"rod": [0, 0, 0, sign * math.cos(half), 0, 0, sign * math.sin(half)]}}

    def test_turns_keep_their_digits_whatever_the_sign_of_a_quaternion(self):
        for angle in [1e-12, 1e-6, 0.3, 3.0]:
            for sign in [1, -1]:
                found = trust.distances(self.turned(0.4), self.turned(0.4 + angle, sign), 1)[0]
                self.assertAlmostEqual(found, angle, delta=1e-3 * angle)

    def test_a_cell_says_for_how_long_it_was_judged(self):
        self.assertEqual(trust.verdict({trust.UNTIL: (3, 3e-8)}), "3.0")
        self.assertEqual(trust.verdict({1.0: (2, 2e-8), 2.5: (3, 3e-8)}), "3.0 to 2.5 s")
        self.assertEqual(trust.verdict({trust.UNTIL: (20, 2e-7)}), "**silent: 2.0e-7, 20 times**")
        self.assertEqual(trust.verdict({1.5: (20, 2e-7), trust.UNTIL: (1, 3e-2)}),
                         "1.0 (20 at 1.5 s, 2.0e-7)")

    def test_errors_and_what_is_allowed_are_the_largest_so_far(self):
        told = trust.ratios({0: 0, 1: 4e-8, 2: 2e-8, 3: 1}, [{1: 2e-8}, {2: 8e-8}], 1e-8, 2)
        self.assertEqual(told, {0: (0, 0), 1: (2, 4e-8), 2: (0.5, 4e-8)})

    def test_kept_runs_are_read_and_not_run_again(self):
        with tempfile.TemporaryDirectory() as kept:
            run = Path(kept) / "five-bar-auto-1e-4"
            run.mkdir()
            (run / "end.json").write_text('{"status": 3, "reason": "singular"}')
            (run / "bodies.csv").write_text("time,body,px,py,pz,qw,qx,qy,qz\n0.5,rod,1,2,3,1,0,0,0\n")
            with unittest.mock.patch.object(trust, "KEEP", kept):
                cell = trust.Laboratory("no program", kept).cell("five-bar", "auto", "1e-4")
            self.assertEqual(cell, {"status": 3, "reason": "singular", "reached": 0.5,
                                    "poses": {0.5: {"rod": [1, 2, 3, 1, 0, 0, 0]}}})


class Charts(unittest.TestCase):
    def test_decimation_keeps_ends_and_peaks(self):
        x = list(range(5000))
        y = [0.0] * 5000
        y[1234] = 7.0
        points = charts.decimate(x, y, 50)
        self.assertLessEqual(len(points), 102)
        self.assertEqual((points[0], points[-1]), ((0, 0.0), (4999, 0.0)))
        self.assertIn((1234, 7.0), points)

    def test_decimation_for_a_logarithmic_axis_keeps_the_beginning(self):
        x = [0.01 * i for i in range(1, 1001)]
        points = charts.decimate(x, [0.0] * len(x), 50, log=True)
        self.assertEqual((points[0][0], points[-1][0]), (x[0], x[-1]))
        self.assertGreater(sum(p[0] < 0.1 for p in points), 5)

    def test_many_names_take_several_lines_inside_the_picture(self):
        rows = charts.legend_rows([f"a name of some length {i}" for i in range(8)])
        self.assertGreater(len(rows), 1)
        for row in rows:
            self.assertLess(row[-1][1] + 7.2 * len(row[-1][0]), charts.WIDTH)

    def test_dots_are_drawn_instead_of_a_line(self):
        curve = charts.Curve("table", [1, 10, 100], [1, 2, 3], dots=True)
        picture = charts.chart("title", [charts.Panel("y", [curve])], log_x=True)
        self.assertEqual(picture.count("<circle"), 4)  # one of the legend
        self.assertNotIn("<polyline", picture)

    def test_ticks_are_round_and_inside(self):
        found = charts.ticks(-0.45, 0.45)
        self.assertEqual(len(found), 5)
        for expected, tick in zip([-0.4, -0.2, 0, 0.2, 0.4], found):
            self.assertAlmostEqual(expected, tick)

    def test_zero_has_a_place_on_a_logarithmic_axis(self):
        panel = charts.Panel("‖φ‖", [charts.Curve("a", [0, 1, 2], [0, 1e-9, 1e-3])], log=True)
        picture = charts.chart("title", [panel])
        xml.etree.ElementTree.fromstring(picture)
        self.assertNotIn("nan", picture)

    def test_a_constant_can_be_drawn(self):
        curve = charts.Curve("a", [0, 1], [3, 3])
        xml.etree.ElementTree.fromstring(charts.chart("title", [charts.Panel("y", [curve])]))


class Tables(unittest.TestCase):
    KEPT = common.table(["name", "φ", "evaluations"], [["five-bar", "2.6e-7", 728]])

    def test_the_same_numbers_are_found_again(self):
        self.assertEqual(common.differences("runs", self.KEPT, self.KEPT, 3), [])

    def test_a_factor_is_allowed_and_no_more(self):
        near, far = self.KEPT.replace("2.6e-7", "5.0e-7"), self.KEPT.replace("2.6e-7", "2.6e-6")
        self.assertEqual(common.differences("runs", self.KEPT, near, 3), [])
        self.assertEqual(len(common.differences("runs", self.KEPT, far, 3)), 1)

    def test_rounding_differs_freely_but_stays_rounding(self):
        kept = self.KEPT.replace("2.6e-7", "1.0e-16")
        for value, expected in (("9.0e-15", 0), ("9.0e-9", 1)):
            fresh = self.KEPT.replace("2.6e-7", value)
            self.assertEqual(len(common.differences("runs", kept, fresh, 3)), expected)

    def test_other_words_or_rows_differ(self):
        self.assertTrue(common.differences("runs", self.KEPT, self.KEPT.replace("five", "six"), 3))
        self.assertTrue(common.differences("runs", self.KEPT, self.KEPT + "\n| more |", 3))

    def test_times_are_free_and_their_growth_is_not(self):
        allowed = reduction.factor_allowed
        for name, value, expected in (("costs", "728", 0), ("costs", "7", 0), ("slopes", "900", 0),
                                      ("slopes", "1500", 1)):
            fresh = self.KEPT.replace("728", value)
            found = common.differences(name, self.KEPT, fresh, 3, allowed)
            self.assertEqual(len(found), expected, (name, value))

    def test_the_page_has_a_place_for_every_table_and_shows_every_figure(self):
        for each in STUDIES:
            page = each.PAGE.read_text(encoding="utf-8")
            filled = common.refresh(page, {name: f"table {name}" for name in each.TABLES})
            for name in each.TABLES:
                self.assertEqual(common.block(name).search(filled)[1], f"table {name}")
            shown = set(re.findall(rf"\(\.\./images/{each.IMAGES.name}/(\w+)\.svg\)", page))
            self.assertEqual(shown, {path.stem for path in each.IMAGES.glob("*.svg")})
            self.assertTrue(shown)

    def test_figures_on_the_pages_are_small(self):
        for each in STUDIES:
            for path in each.IMAGES.glob("*.svg"):
                self.assertLess(path.stat().st_size, LARGEST_PICTURE, path.name)


class ShortRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        lab = study.Laboratory(PROGRAM, cls.folder.name)
        cls.runs = {v: lab.run("five-bar", o, 0.2) for v, o in study.VARIANTS.items()}
        cls.judge = lab.judge("five-bar", 0.2)

    def test_results_are_read(self):
        run = self.runs["off"]
        self.assertEqual(len(run.times), 21)
        self.assertEqual(list(run.bodies), ["link1", "link2", "link3", "link4"])
        self.assertEqual({len(c) for b in run.bodies.values() for c in b.values()}, {21})
        self.assertEqual(run.summary["status"], "done")

    def test_links_start_as_a_pentagon(self):
        self.assertAlmostEqual(common.turned(self.runs["off"].bodies["link1"])[0], -1.8849555921539)

    def test_errors_are_those_of_the_tolerance(self):
        for run in self.runs.values():
            self.assertLess(max(study.velocity_error(run, self.judge)), 1e-4)
            self.assertLess(max(map(abs, run.energy_error())), 1e-4)
        self.assertGreater(max(self.runs["off"].norms["position"]), 1e-13)
        self.assertLess(max(self.runs["step"].norms["position"]), 1e-13)

    def test_figures_are_small_and_well_formed(self):
        both = {v: self.runs[v] for v in ("off", "step")}
        bodies = ["link1", "link2", "link3", "link4"]
        for picture in (study.norms_figure("five-bar", both),
                        study.energy_figure("five-bar", self.runs),
                        study.motion_figure("five-bar", both["off"], bodies),
                        study.path_figure("five-bar", both["off"], [("J2", "link1", 0.1)])):
            xml.etree.ElementTree.fromstring(picture)
            self.assertIn("<polyline", picture)
            self.assertLess(len(picture.encode()), LARGEST_PICTURE)


class ShortReduction(unittest.TestCase):
    """Quick parts of the study of coordinate reduction."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.lab = reduction.Laboratory(PROGRAM, cls.folder.name)

    def test_drift_of_a_four_bar(self):
        drift = {name: reduction.drift_run(self.lab, name) for name in reduction.DRIFT}
        grown = {name: reduction.growth(run) for name, run in drift.items()}
        for name, run in drift.items():
            lasting = "accelerations" in name
            # quadratic, and noise on it; else no trend
            self.assertAlmostEqual(grown[name], 2 if lasting else 0, delta=0.5, msg=name)
            self.assertEqual(run.norms["position"][-1] > 1e-5, lasting, name)
        self.assertLess(max(drift["fronts, positions (default)"].norms["position"]), 1e-13)

    def test_growth_is_an_exponent(self):
        times = [0.5 * i for i in range(1, 21)]
        run = common.Results(times, {}, {"position": [3 * t**2.5 for t in times]}, {}, {}, {})
        self.assertAlmostEqual(reduction.growth(run), 2.5)

    def test_quick_tables_are_those_of_the_page(self):
        page = reduction.PAGE.read_text(encoding="utf-8")
        for name in ("five-bar", "dead-point", "floating"):
            kept = common.block(name).search(page)[1]
            fresh = reduction.TABLES[name](self.lab)
            self.assertEqual(
                common.differences(name, kept, fresh, 3, reduction.factor_allowed), [])

    def test_ladders_of_any_length_move_alike(self):
        one, eight = (reduction.ladder_run(self.lab, cells) for cells in (1, 8))
        self.assertLess(max(reduction.ladder_distance(one, eight)), 1e-12)
        exact = reduction.reference("ladder")
        # of the fourth order with a step of 0.01 s
        self.assertLess(reduction.joint_error(eight, exact, reduction.LADDER, 5), 1e-6)

    def test_the_base_needs_the_closing_force(self):
        state = reduction.reference("floating-four-bar")[0]
        exact = [state[c] for c in ("al1", "ax1", "ay1")]
        for a, b in zip(base_accelerations(state), exact):
            self.assertAlmostEqual(a, b, delta=1e-13)
        without = base_accelerations(state, closing=False)
        self.assertGreater(max(abs(a - b) for a, b in zip(without, exact)), 0.5)

    def test_costs_are_measured(self):
        times = reduction.measured(self.lab, cells=(1, 4), more=("--repeat", "2"))
        self.assertEqual(list(times), list(reduction.COSTS))
        for own in times.values():
            self.assertEqual(list(own), [1, 4])
            self.assertGreater(min(own.values()), 0)
        self.lab.done.pop("costs")
        self.assertAlmostEqual(reduction.slope({32: 1.0, 64: 3.0, 128: 16.0}, 128), 2)
        self.assertEqual([reduction.short(v) for v in (0.3834, 14.26, 2897.0)],
                         ["0.383", "14.3", "2900"])

    def test_figures_are_small_and_well_formed(self):
        for make in (reduction.drift_figure, reduction.five_bar_figure,
                     reduction.dead_point_figure):
            picture = make(self.lab)
            xml.etree.ElementTree.fromstring(picture)
            self.assertLess(len(picture.encode()), LARGEST_PICTURE)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
