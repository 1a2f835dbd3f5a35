#!/usr/bin/env python3
"""`sarrus compare`: tables, statuses, pages.

Usage: compare_test.py PROGRAM [unittest options]
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import CliTest, column, report_data, run  # noqa: E402

SHORT = ["--until", "0.2"]

# [m]  hamiltonian-dca corrects positions where more than 1e-9 of the typical length is left, and none
# of the mechanisms here is longer than a metre or so where it has loops.
LEFT_OPEN = 2e-9


class Comparisons(CliTest):
    def test_table(self):
        result = run("compare", "five-bar", *SHORT)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for words in ["A five-bar linkage falling from rest", "0.2 s of motion, tolerance 1e-08",
                      "\n  augmented-dca ", "\n  reference ", "µs/eval", "largest constraint norms",
                      "from reference at tolerance 1e-11", "21 instants",
                      "left out: order-n: order-n has no projection: ask for it by name"]:
            self.assertIn(words, result.stdout)

    def test_json(self):
        report = json.loads(run("compare", "five-bar", "--json", "--tolerance", "1e-6",
                                *SHORT).stdout)
        self.assertEqual([entry["method"] for entry in report["methods"]],
                         ["coordinate-reduction", "augmented-dca", "hamiltonian-dca", "branches", "mass-matrix", "reference"])
        self.assertEqual([entry["method"] for entry in report["left_out"]],
                         ["order-n", "uzawa", "baumgarte", "augmented-lagrangian"])
        self.assertEqual((report["until"], report["tolerance"], report["judge"]["method"]),
                         (0.2, 1e-6, "reference"))
        for entry in report["methods"]:
            self.assertEqual((entry["status"], entry["time"]), ("done", 0.2))
            self.assertGreater(entry["evaluation_us"], 0)
            self.assertGreater(entry["evaluations"], 0)
            self.assertLess(entry["largest_constraint_norms"]["position"],
                            LEFT_OPEN if entry["method"] == "hamiltonian-dca" else 1e-12)
            self.assertLess(entry["energy_drift"], 1e-3)
            # The tolerance of a step, over some steps.
            self.assertLess(entry["distance"]["pose"], 1e-4)
            self.assertLess(entry["distance"]["velocity"], 1e-4)

    def test_methods_agree_on_mechanisms_that_come_along(self):
        scenarios = Path(__file__).resolve().parents[2] / "scenarios"
        for name, more in [("five-bar", []), ("bricard", []), ("chain", ["--set", "links=64"])]:
            with self.subTest(name):
                result = run("compare", scenarios / name / "model.yaml", *more, "--json")
                self.assertEqual(result.returncode, 0)
                report = json.loads(result.stdout)
                self.assertGreaterEqual(len(report["methods"]), 2)
                for entry in report["methods"]:
                    self.assertEqual((entry["status"], entry["time"]), ("done", report["until"]))
                    # Errors of some hundred steps of 1e-8 each, amplified a little by the motion.
                    self.assertLess(entry["distance"]["pose"], 1e-6)
                    self.assertLess(entry["distance"]["velocity"], 1e-6)
                    # Rounding, over lengths of up to 13 m.
                    self.assertLess(entry["largest_constraint_norms"]["position"],
                                    LEFT_OPEN if entry["method"] == "hamiltonian-dca" else 1e-13)
                    # Where a redundant loop is open by that, velocities cannot meet all its rows.
                    self.assertLess(entry["largest_constraint_norms"]["velocity"],
                                    LEFT_OPEN if entry["method"] == "hamiltonian-dca" else 1e-12)

    def test_duration_comes_from_the_model(self):
        self.assertEqual(json.loads(run("compare", "five-bar", "--json").stdout)["until"], 1)
        self.assertEqual(json.loads(run("compare", "drop", "--json").stdout)["until"], 2)

    def test_named_methods_only(self):
        report = json.loads(run("compare", "drop", "--json", "--methods", "reference,order-n",
                                *SHORT).stdout)
        self.assertEqual({entry["method"] for entry in report["methods"]},
                         {"order-n", "reference"})
        self.assertEqual(report["left_out"], [])

    def test_method_without_projection_runs_when_it_is_named(self):
        report = json.loads(run("compare", "five-bar", "--json", "--methods", "order-n,reference",
                                *SHORT).stdout)
        self.assertEqual([entry["method"] for entry in report["methods"]],
                         ["order-n", "reference"])
        drifting, kept = [entry["largest_constraint_norms"]["position"]
                          for entry in report["methods"]]
        self.assertGreater(drifting, 10 * kept)
        # Steps of 1e-8 each.
        self.assertLess(drifting, 1e-6)

    def unable(self):
        """A model whose projection order-n cannot give."""
        model = self.folder / "model.yaml"
        text = (support.HERE / "scenarios" / "five-bar" / "model.yaml").read_text(encoding="utf-8")
        self.assertEqual(text.count("simulation:\n"), 1)
        model.write_text(text.replace("simulation:\n", "simulation:\n  projection: step\n"),
                         encoding="utf-8")
        return model

    def test_named_method_that_cannot_is_a_failure(self):
        result = run("compare", self.unable(), "--methods", "order-n,reference", *SHORT)
        self.assertEqual(result.returncode, 3)
        self.assertIn("left out: order-n: order-n has no projection, and", result.stdout)
        self.assertIn("\n  reference ", result.stdout)

    def test_nothing_that_can_run_is_told_with_the_reason(self):
        page = self.folder / "page.html"
        result = run("compare", self.unable(), "--methods", "order-n", "--report", page, *SHORT)
        self.assertEqual(result.returncode, 3)
        for words in ["no method ran", "left out: order-n: order-n has no projection, and"]:
            self.assertIn(words, result.stdout)
        self.assertNotIn("far above", result.stdout)
        self.assertFalse(page.exists())

    def test_failed_methods_show_their_reason(self):
        result = run("compare", "out-of-reach", "--tolerance", "1e-4")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout.count(": diverged"), 6)
        self.assertGreaterEqual(result.stdout.count("at t = 0.5235"), 2)

    def test_page_overlays_all_methods(self):
        page = self.folder / "a page.html"
        result = run("compare", "drop", "--report", page, *SHORT)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = report_data(page)
        self.assertEqual(report["kind"], "comparison")
        names = [run_["name"] for run_ in report["runs"]]
        self.assertEqual(names, ["order-n", "coordinate-reduction", "augmented-dca", "hamiltonian-dca",
                                 "branches", "mass-matrix", "reference"])
        table = report["table"]
        self.assertEqual([row[0] for row in table["rows"]], names)
        for row in table["rows"]:
            self.assertEqual(len(row), len(table["columns"]))
        self.assertIn({"name": "time per evaluation", "unit": "us"}, table["columns"])
        for run_ in report["runs"]:
            self.assertEqual(len(column(run_["times"])), 21)
            self.assertEqual(run_["summary"]["method"], run_["name"])
            self.assertEqual(len(column(run_["poses"])), 21 * 7)

    def test_mistakes(self):
        self.assert_refused(run("compare"), 2, "needs a MODEL")
        self.assert_refused(run("compare", "drop", "--methods", "refrence"), 2,
                            "did you mean 'reference'?")
        self.assert_refused(run("compare", "drop", "--until", "0"), 2, "--until must be")
        self.assert_refused(run("compare", "drop", "--tolerance", "-1"), 2, "--tolerance must be")
        self.assert_refused(run("compare", "drop", "--set", "method.alpha=1"), 2,
                            "runs all methods as they are")
        self.assert_refused(run("compare", "drop", "--report", self.folder / "no" / "x.html"), 2,
                            "cannot write", "No such file")


if __name__ == "__main__":
    support.main()
