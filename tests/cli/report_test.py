#!/usr/bin/env python3
"""Pages of runs: what is in them, whichever way they were made.

Usage: report_test.py PROGRAM [unittest options]
"""

import json
import struct
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import CliTest, column, read, report_data, run  # noqa: E402

TABLES = ["bodies", "joints", "reactions", "energy", "constraints"]
KEYS = {"time", "body", "joint", "coordinate"}


class Reports(CliTest):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "page.html"

    def table(self, name):
        """(element, column) → numbers, out of a CSV file."""
        series = {}
        for row in read(self.out / f"{name}.csv"):
            element = row.get("body") or row.get("joint") or ""
            for key in row.keys() - KEYS:
                column_name = f"{row['coordinate']} {key}" if "coordinate" in row else key
                series.setdefault((element, column_name), []).append(float(row[key]))
        return series

    def test_series_are_the_numbers_of_the_results(self):
        self.simulate("five-bar", "--until", "0.3", "--report", self.page)
        (data,) = report_data(self.page)["runs"]
        self.assertEqual(list(column(data["times"])),
                         [float(row["time"]) for row in read(self.out / "energy.csv")])
        for name in TABLES:
            told = {(s["element"], s["name"]): list(column(s["values"]))
                    for s in data["series"] if s["group"] == name}
            self.assertEqual(told, self.table(name), name)
        units = {(s["group"], s["name"]): s["unit"] for s in data["series"]}
        self.assertEqual(units["joints", "angle speed"], "rad/s")
        self.assertEqual(units["energy", "total"], "J")

    def test_poses_are_those_of_the_bodies(self):
        self.simulate("five-bar", "--until", "0.1", "--report", self.page)
        (data,) = report_data(self.page)["runs"]
        single = lambda text: struct.unpack("f", struct.pack("f", float(text)))[0]
        self.assertEqual(list(column(data["poses"])),
                         [single(row[key]) for row in read(self.out / "bodies.csv")
                          for key in ["px", "py", "pz", "qw", "qx", "qy", "qz"]])

    def test_scene_shows_the_mechanism(self):
        self.simulate("five-bar", "--until", "0", "--report", self.page)
        report = report_data(self.page)
        self.assertEqual((report["format"], report["kind"], report["title"], report["thinned"]),
                         (1, "run", "five-bar", 1))
        scene = report["scene"]
        self.assertEqual([body["name"] for body in scene["bodies"]],
                         ["left_arm", "left_rod", "right_rod", "right_arm"])
        for body in scene["bodies"]:
            self.assertEqual([shape["kind"] for shape in body["shapes"]], ["bar"])
        self.assertEqual([joint["name"] for joint in scene["joints"]], list("ABCDE"))
        self.assertEqual({joint["type"] for joint in scene["joints"]}, {"revolute"})
        self.assertEqual(min(joint["parent"] for joint in scene["joints"]), -1)
        # Both ends of a joint are at one place.
        poses = column(report["runs"][0]["poses"])
        for joint in scene["joints"]:
            ends = [self.placed(poses, joint[body], joint[frame]["position"])
                    for body, frame in [("parent", "on_parent"), ("child", "on_child")]]
            for a, b in zip(*ends):
                self.assertAlmostEqual(a, b, places=6)

    def placed(self, poses, body, point):
        if body < 0:
            return point
        p, (w, *u) = poses[7 * body:7 * body + 3], poses[7 * body + 3:7 * body + 7]
        cross = lambda a, b: [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
        turn = cross(u, [c + w * x for c, x in zip(cross(u, point), point)])
        return [a + b + 2 * c for a, b, c in zip(p, point, turn)]

    def test_shapes_come_before_sticks(self):
        model = self.write_model(
            "sarrus: 1\nbodies:\n  - name: brick\n    mass: 1\n    inertia: 1\n"
            "    shapes: [{type: box, size: [1, 2, 3], color: '#123456'},"
            " {type: cylinder, radius: 0.1, length: 2, position: [0, 0, 1]}]\n"
            "  - {name: dust, mass: 1}\n")
        run("simulate", model, "--until", "0", "--report", self.page)
        brick, dust = report_data(self.page)["scene"]["bodies"]
        self.assertEqual([shape["kind"] for shape in brick["shapes"]], ["box", "cylinder"])
        self.assertEqual(brick["shapes"][0]["size"], [1, 2, 3])
        self.assertEqual(brick["shapes"][0]["color"], "#123456")
        self.assertEqual((brick["shapes"][1]["size"], brick["shapes"][1]["position"]),
                         ([0.1, 2], [0, 0, 1]))
        self.assertEqual([shape["kind"] for shape in dust["shapes"]], ["sphere"])

    def test_page_made_afterwards_is_the_same(self):
        pages = []
        for form in ["csv", "hdf5"]:
            self.simulate("flat", "--until", "0.2", "--format", form, "--report", self.page)
            result = run("report", self.out)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout, f"{self.out}/report.html\n")
            self.assertEqual((self.out / "report.html").read_bytes(), self.page.read_bytes())
            self.assertGreater(len(report_data(self.page)["runs"][0]["events"]), 0)
            pages.append(report_data(self.page)["runs"][0]["series"])
        self.assertEqual(pages[0], pages[1])
        again = run("report", self.out, "--out", self.folder / "other.html")
        self.assertEqual((again.returncode, again.stdout), (0, ""))

    def test_names_cannot_end_the_script(self):
        name = "</script><b>, \\\"x\\\"\\n"
        model = self.write_model(f'sarrus: 1\nbodies:\n  - {{name: "{name}", mass: 1, inertia: 1}}\n')
        self.simulate(model, "--until", "0.02", "--report", self.page)
        report = report_data(self.page)
        self.assertEqual(report["scene"]["bodies"][0]["name"], '</script><b>, "x"\n')
        self.assertEqual(run("report", self.out).returncode, 0)
        self.assertEqual((self.out / "report.html").read_bytes(), self.page.read_bytes())

    def test_long_runs_are_thinned(self):
        # 100 000 samples of 330 bytes do not fit into 24 MB.
        self.simulate("drop", "--until", "2", "--every", "2e-5", "--report", self.page,
                      "--format", "hdf5")
        report = report_data(self.page)
        self.assertEqual(report["thinned"], 2)
        times = column(report["runs"][0]["times"])
        self.assertEqual(times[:3], (0, 2 * 2e-5, 4 * 2e-5))
        self.assertEqual(len(times), 50001)

    def test_failed_numbers_have_a_page_too(self):
        result = run("simulate", "out-of-reach", "--step", "0.01", "--report", self.page)
        self.assertEqual(result.returncode, 3)
        summary = report_data(self.page)["runs"][0]["summary"]
        self.assertNotEqual(summary["status"], "done")

    def test_folders_that_are_none(self):
        self.assert_refused(run("report"), 2, "needs a DIR")
        self.assert_refused(run("report", self.folder / "no"), 2, "there is no folder")
        self.assert_refused(run("report", self.folder), 2, "is no folder of results",
                            "no summary.json", "simulate MODEL --out")
        self.simulate("drop", "--until", "0.1")
        for name, complaint in [("bodies.csv", "bodies.csv': No such file"),
                                ("scene.json", "has no scene.json"),
                                ("summary.json", "is no folder of results")]:
            with self.subTest(name):
                kept = (self.out / name).read_bytes()
                (self.out / name).unlink()
                self.assert_refused(run("report", self.out), 2, complaint)
                (self.out / name).write_bytes(kept)
        (self.out / "summary.json").rename(self.out / "summary.json.part")
        self.assert_refused(run("report", self.out), 2, "was not completed")
        self.assertFalse((self.out / "report.html").exists())

    def test_results_that_do_not_fit_are_told_with_their_place(self):
        for name, change, complaint in [
            ("energy.csv", lambda text: text.replace("kinetic", "cinetic"), "energy.csv:1: has other"),
            ("bodies.csv", lambda text: text.replace(",rod,", ",pole,"), "bodies.csv:2: names"),
            ("joints.csv", lambda text: text[:text.rindex(",")] + "\n", "too few numbers"),
            ("joints.csv", lambda text: text.replace("angle,", "angle,x", 1), "no number where"),
            ("energy.csv", lambda text: text[:text[:-1].rindex("\n") + 1], "other instants"),
            ("scene.json", lambda text: text[:100], "the scene cannot be read"),
            ("summary.json", lambda text: "{}", "summary.json"),
            ("summary.json", lambda text: "[1", "summary.json"),
        ]:
            with self.subTest(name, complaint=complaint):
                self.simulate("drop", "--until", "0.1")
                path = self.out / name
                path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
                self.assert_refused(run("report", self.out), 2, complaint)
        # A strange interval is nothing that a page needs.
        self.simulate("drop", "--until", "0.1")
        path = self.out / "summary.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"every": 0.01', '"every": 0'),
                        encoding="utf-8")
        self.assertEqual(run("report", self.out).returncode, 0)
        self.simulate("drop", "--until", "0.1", "--format", "hdf5")
        (self.out / "results.h5").write_bytes(b"no such thing")
        self.assert_refused(run("report", self.out), 2, "cannot read", "results.h5")


if __name__ == "__main__":
    support.main()
