#!/usr/bin/env python3
"""The studies read results, draw them and compare tables as they should, on short runs.

Usage: studies_test.py PROGRAM [unittest options]
"""

import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/studies"))
import augmented_dca as study  # noqa: E402
import charts  # noqa: E402

PROGRAM = ""
LARGEST_PICTURE = 60000  # bytes


class Charts(unittest.TestCase):
    def test_decimation_keeps_ends_and_peaks(self):
        x = list(range(5000))
        y = [0.0] * 5000
        y[1234] = 7.0
        points = charts.decimate(x, y, 50)
        self.assertLessEqual(len(points), 102)
        self.assertEqual((points[0], points[-1]), ((0, 0.0), (4999, 0.0)))
        self.assertIn((1234, 7.0), points)

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
    KEPT = study.table(["name", "φ", "evaluations"], [["five-bar", "2.6e-7", 728]])

    def test_the_same_numbers_are_found_again(self):
        self.assertEqual(study.differences("runs", self.KEPT, self.KEPT, 3), [])

    def test_a_factor_is_allowed_and_no_more(self):
        near, far = self.KEPT.replace("2.6e-7", "5.0e-7"), self.KEPT.replace("2.6e-7", "2.6e-6")
        self.assertEqual(study.differences("runs", self.KEPT, near, 3), [])
        self.assertEqual(len(study.differences("runs", self.KEPT, far, 3)), 1)

    def test_rounding_differs_freely_but_stays_rounding(self):
        kept = self.KEPT.replace("2.6e-7", "1.0e-16")
        for value, expected in (("9.0e-15", 0), ("9.0e-9", 1)):
            fresh = self.KEPT.replace("2.6e-7", value)
            self.assertEqual(len(study.differences("runs", kept, fresh, 3)), expected)

    def test_other_words_or_rows_differ(self):
        self.assertTrue(study.differences("runs", self.KEPT, self.KEPT.replace("five", "six"), 3))
        self.assertTrue(study.differences("runs", self.KEPT, self.KEPT + "\n| more |", 3))

    def test_the_page_has_a_place_for_every_table_and_shows_every_figure(self):
        page = study.PAGE.read_text(encoding="utf-8")
        filled = study.refresh(page, {name: f"table {name}" for name in study.TABLES})
        for name in study.TABLES:
            self.assertEqual(study.block(name).search(filled)[1], f"table {name}")
        shown = set(re.findall(r"\(\.\./images/augmented_dca/(\w+)\.svg\)", page))
        self.assertEqual(shown, {path.stem for path in study.IMAGES.glob("*.svg")})


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
        self.assertAlmostEqual(study.turned(self.runs["off"].bodies["link1"])[0], -1.8849555921539)

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

    def test_figures_on_the_page_are_small(self):
        for path in study.IMAGES.glob("*.svg"):
            self.assertLess(path.stat().st_size, LARGEST_PICTURE, path.name)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
