#!/usr/bin/env python3
"""The program as scripts see it: exit statuses, files, streams, signals.

Usage: cli_test.py PROGRAM [unittest options]
"""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import ENVIRONMENT, HEADERS, HERE, CliTest, read, run  # noqa: E402


class CommandLine(CliTest):
    def test_help_goes_to_stdout_and_gives_an_example(self):
        for command in ["simulate", "check", "scenarios", "methods", "expand", "picture", "time",
                        "report", "compare", "reproduce"]:
            result = run(command, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(f"Example: sarrus {command}", result.stdout)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^sarrus \d+\.\d+\.\d+\n$")

    def test_command_missing_or_unknown(self):
        self.assert_refused(run(), 2, "a command is missing", "simulate")
        self.assert_refused(run("simulte", "five-bar"), 2, "did you mean 'simulate'?")

    def test_unknown_option(self):
        self.assert_refused(run("simulate", "five-bar", "--metod", "reference"), 2,
                            "did you mean '--method'?")

    def test_bad_values(self):
        for words, complaint in [
            (["--step", "1e-3", "--tolerance", "1e-6"], "exclude each other"),
            (["--step", "-1"], "--step must be a positive number"),
            (["--every", "0"], "--every must be a positive number"),
            (["--until", "soon"], "--until must be a number, not 'soon'"),
            (["--until", "inf"], "--until"),
            (["--until"], "--until needs a value"),
            (["--until", "1", "--until", "2"], "--until is given more than once"),
            (["--every", "1e-12"], "take a larger --every"),
            (["--threads", "0"], "--threads must be from 1"),
            (["--threads", "100000"], "--threads must be from 1 to 256"),
            (["--projection", "stag"], "did you mean 'stage'?"),
            (["--method", "refrence"], "did you mean 'reference'?"),
            (["--integrator", "dopri"], "did you mean 'dopri5'?"),
            (["--format", "hdf"], "did you mean 'hdf5'?"),
            (["--set", "arm"], "--set needs PATH=VALUE"),
            (["--set", "arn=1"], "did you mean 'arm'?"),
            (["--set", "arm=abc"], "is a number"),
            (["--set", "integrator.stp=1"], "did you mean 'integrator.step'?"),
            (["--set", "integrator.step=1e-3", "--step", "1e-3"], "given already"),
            (["another"], "one word too many"),
        ]:
            with self.subTest(words):
                self.assert_refused(run("simulate", "five-bar", *words), 2, complaint)

    def test_unknown_scenario_and_file(self):
        self.assert_refused(run("check"), 2, "needs a MODEL")
        self.assert_refused(run("check", "five_bar"), 2, "did you mean 'five-bar'?", "file")
        self.assert_refused(run("check", "no/such.yaml"), 2, "there is no file 'no/such.yaml'")
        self.assert_refused(run("check", self.folder), 2, "there is no 'model.yaml'")

    def test_model_by_file_and_by_folder(self):
        folder = HERE / "scenarios" / "five-bar"
        by_name = run("check", "five-bar").stdout
        self.assertEqual(run("check", folder / "model.yaml").stdout, by_name)
        self.assertEqual(run("check", folder).stdout, by_name)

    def test_wrong_model_is_told_as_it_is(self):
        path = self.write_model("sarrus: 1\nbodies:\n  - {name: a, mass: -1}\nsimulation:\n"
                                "  method: refrence\n")
        for command in ["check", "simulate"]:
            result = run(command, path)
            self.assert_refused(result, 1, "did you mean 'reference'?")
            self.assertRegex(result.stderr, rf"^{re.escape(str(path))}:3:\d+: error: body 'a'")

    def test_set_values_before_the_model(self):
        after = run("expand", "five-bar", "--set", "arm=0.6", "density=3*2")
        before = run("expand", "--set", "arm=0.6", "density=3*2", "five-bar")
        self.assertEqual(before.returncode, 0, before.stderr)
        self.assertEqual(before.stdout, after.stdout)
        self.assertNotEqual(before.stdout, run("expand", "five-bar").stdout)


class Reports(CliTest):
    def test_check_json(self):
        report = json.loads(run("check", "five-bar", "--json").stdout)
        expected = {"bodies": 4, "joints": 5, "loops": 1, "components": 1, "freedoms": 2,
                    "redundant": 3, "freedoms_without_motions": 2, "redundant_without_motions": 3,
                    "instantaneous_freedoms": 2, "instantaneous_redundant": 3, "singular": False,
                    "rows": 25, "rank": 22, "redundant_joints": list("ABCDE"),
                    "nonunique_reactions": list("ABCDE")}
        self.assertEqual({key: report[key] for key in expected}, expected)
        self.assertEqual(len(report["cut_joints"]), 1)
        assembly = report["assembly"]
        self.assertGreater(assembly.pop("cost_us"), 0)
        self.assertEqual(assembly, {"parts": 2, "joins": 1, "height": 2, "width": 1})

    def test_large_assembly_tree_is_cut_off(self):
        path = self.write_model(
            "sarrus: 1\nbodies:\n"
            "  - {repeat: {index: i, from: 1, to: 80000}, name: 'b{i}', mass: 1, inertia: 1}\n"
            "joints:\n  - {name: J1, type: revolute, bodies: [ground, b1], at: [0, 0, 0]}\n"
            "  - {repeat: {index: i, from: 2, to: 80000}, name: 'J{i}', type: revolute,"
            " bodies: ['b{i-1}', 'b{i}'], at: [0, 0, 0]}\n")
        text = run("check", path, "--tree").stdout
        nodes = text[text.index("assembly tree: "):].splitlines()
        self.assertRegex(nodes[0], "^assembly tree: 157 parts, 156 joins; height 9, width 2; ")
        self.assertEqual(nodes[-1], "… and 250 nodes below")
        self.assertEqual(len(nodes), 2 + 313 - 250)

    def test_singular_pose_is_told(self):
        report = json.loads(run("check", "flat", "--json").stdout)
        self.assertTrue(report["singular"])
        self.assertEqual((report["freedoms"], report["instantaneous_freedoms"]), (1, 2))
        self.assertIn("This pose is singular", run("check", "flat").stdout)

    def test_check_text_and_tree(self):
        text = run("check", "five-bar").stdout
        for words in ["5 revolute", "shared by A, B, C, D, E", "not unique at",
                      "assembly tree 2 parts, 1 join; height 2, width 1; about "]:
            self.assertIn(words, text)
        tree = run("check", "five-bar", "--tree").stdout
        self.assertTrue(tree.startswith("ground\n  left_arm  (A, revolute)\n"))
        self.assertIn("(cut C, revolute)", tree)
        self.assertIn("\njoin over C\n  part left_arm, left_rod on ground, shows left_rod\n", tree)
        both = json.loads(run("check", "five-bar", "--json", "--tree").stdout)
        self.assertEqual(both["tree"][0], {"body": "left_arm", "parent": "ground", "joint": "A"})
        self.assertEqual(len(both["tree"]), both["bodies"])

    def test_scenarios_methods_expand(self):
        self.assertIn("A five-bar linkage falling from rest\n", run("scenarios").stdout)
        self.assertIn("A rod of 1 m, let go\n", run("scenarios").stdout)
        self.assertTrue(run("methods").stdout.startswith("auto "))
        self.assertIn("\nreference ", run("methods").stdout)
        again = self.write_model(run("expand", "five-bar").stdout)
        self.assertEqual(run("expand", again).stdout, run("expand", "five-bar").stdout)

    def test_report_on_stdout_and_silence_on_stderr(self):
        result = run("simulate", "five-bar", "--until", "0.1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for words in ["2 freedoms, 3 redundant constraints", "coordinate-reduction, ", "taken by auto", "dopri5",
                      "after every step (auto)"]:
            self.assertIn(words, result.stdout)
        quiet = run("simulate", "five-bar", "--until", "0.1", "--quiet")
        self.assertEqual((quiet.returncode, quiet.stdout, quiet.stderr), (0, "", ""))


class Files(CliTest):
    def test_headers_and_rows(self):
        self.simulate("five-bar", "--until", "0.05")
        names = {path.name for path in self.out.iterdir()}
        self.assertEqual(names, {*HEADERS, "scene.json", "summary.json"})
        for name, header in HEADERS.items():
            self.assertTrue((self.out / name).read_bytes().startswith(header), name)
        rows = {name: len(read(self.out / name)) for name in HEADERS}
        self.assertEqual(rows, {"bodies.csv": 6 * 4, "joints.csv": 6 * 5, "reactions.csv": 6 * 5,
                                "energy.csv": 6, "constraints.csv": 6})

    def test_sample_times_are_exact(self):
        for until, every, expected in [
            (0.3, 0.1, [0, 0.1, 0.2, 0.3]),       # 3 · 0.1 > 0.3 in binary
            (0.7, 0.1, [k * 0.1 for k in range(7)] + [0.7]),
            (0.25, 0.1, [0, 0.1, 0.2, 0.25]),
            (0.05, 0.1, [0, 0.05]),
            (0, 0.1, [0]),
        ]:
            with self.subTest(until=until):
                self.simulate("spinner", "--until", until, "--every", every)
                for name in ["energy.csv", "constraints.csv"]:
                    times = [float(row["time"]) for row in read(self.out / name)]
                    self.assertEqual(times, expected)

    def test_numbers_have_17_digits(self):
        self.simulate("five-bar", "--until", "0.1", "--every", "0.1")
        self.assertEqual(read(self.out / "energy.csv")[1]["time"], "0.10000000000000001")

    def test_quaternion_starts_positive_and_keeps_continuous(self):
        self.simulate("spinner", "--every", "0.02")
        rows = read(self.out / "bodies.csv")
        self.assertEqual(rows[0]["body"], "wheel, big")
        turns = [tuple(float(row[q]) for q in ["qw", "qx", "qy", "qz"]) for row in rows]
        self.assertGreaterEqual(turns[0][0], 0)
        self.assertLess(min(q[0] for q in turns), -0.9)
        for before, after in zip(turns, turns[1:]):
            self.assertGreater(sum(a * b for a, b in zip(before, after)), 0.9)

    def test_angle_counts_turns(self):
        self.simulate("spinner")
        last = read(self.out / "joints.csv")[-1]
        # A free wheel at 4π rad/s for 2 s; integrated to 1e-8 a step.
        self.assertAlmostEqual(float(last["position"]), 8 * math.pi, delta=1e-6)
        self.assertAlmostEqual(float(last["speed"]), 4 * math.pi, delta=1e-6)
        self.assertAlmostEqual(float(last["acceleration"]), 0, delta=1e-6)

    def test_columns_obey_the_laws(self):
        self.simulate("drop", "--until", "0")
        body = read(self.out / "bodies.csv")[0]
        joint = read(self.out / "joints.csv")[0]
        reaction = read(self.out / "reactions.csv")[0]
        # A thin rod (m = 2, l = 1) about its end: α = 3 g / (2 l), hinge carries m g / 4.
        self.assertEqual((joint["coordinate"], reaction["unique"]), ("angle", "1"))
        self.assertAlmostEqual(float(joint["acceleration"]), 1.5 * 9.81, places=9)
        self.assertAlmostEqual(float(body["dwy"]), 1.5 * 9.81, places=9)
        self.assertAlmostEqual(float(body["az"]), -0.75 * 9.81, places=9)
        self.assertAlmostEqual(float(reaction["fz"]), 2 * 9.81 / 4, places=9)

    def test_guard_ends_a_run_that_breaks_a_law(self):
        # A rod that swings in steps of 0.4 s: a tenth of its energy is soon gone.
        coarse = ["drop", "--integrator", "rk4", "--step", "0.4", "--until", "10"]
        stopped = self.simulate(*coarse, status=4)
        self.assertIn("the energy is off by", stopped.stderr)
        summary = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual(summary["status"], "not to be trusted")
        self.assertLess(summary["doubt"]["time"], 10)
        self.assertGreater(len(read(self.out / "bodies.csv")), 1)  # what was reached is kept
        told = run("simulate", *coarse, "--guard", "tell")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("not to be trusted", told.stdout)
        self.assertEqual(run("simulate", *coarse, "--guard", "off").returncode, 0)
        self.assertEqual(run("simulate", *coarse, "--guard", "maybe").returncode, 2)

    def test_verify_asks_another_method(self):
        self.simulate("five-bar", "--until", "0.5", "--verify")
        verification = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))[
            "verification"]
        self.assertEqual((verification["method"], verification["agrees"]), ("augmented-dca", True))
        self.assertGreater(verification["pose_digits"], 6)  # of a tolerance of 1e-8
        # Steps far too long for a spinning rod: another motion, and nobody to stop it.
        wrong = run("simulate", "drop", "--integrator", "rk4", "--step", "0.5", "--until", "10",
                    "--guard", "off", "--verify")
        self.assertEqual(wrong.returncode, 4, wrong.stdout)
        self.assertIn("tells another motion", wrong.stderr)

    def test_summary(self):
        self.simulate("five-bar", "--until", "0.1", "--set", "arm=0.6", "--step", "0.01",
                      "--projection", "step", "--threads", "2")
        summary = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual(
            {key: summary[key] for key in ["model", "method", "status", "time", "steps", "rejected",
                                           "freedoms", "redundant", "notes"]},
            {"model": "five-bar", "method": "coordinate-reduction", "status": "done", "time": 0.1, "steps": 10,
             "rejected": 0, "freedoms": 2, "redundant": 3, "notes": []})
        self.assertEqual(
            summary["options"],
            {"method": "auto", "integrator": "dopri5", "step": 0.01, "tolerance": None,
             "projection": "step", "projection_used": "step", "until": 0.1, "every": 0.01,
             "threads": 2, "set": {"arm": "0.6"}})
        self.assertEqual(set(summary["largest_constraint_norms"]),
                         {"position", "velocity", "acceleration"})
        for key in ["evaluations", "iterations", "factorizations", "wall_seconds", "cpu_seconds",
                    "energy_drift"]:
            self.assertGreaterEqual(summary[key], 0)
        self.assertEqual(set(summary["versions"]), {"sarrus", "compiler"})

    def test_notes_are_events(self):
        report = self.simulate("flat", "--set", "g=0", "--until", "0.1").stdout
        self.assertIn("singular position", report)
        self.assertTrue((self.out / "events.csv").read_bytes().startswith(b"time,what\n"))
        events = read(self.out / "events.csv")
        summary = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual([event["what"] for event in events],
                         [note["what"] for note in summary["notes"]])

    def test_earlier_run_is_overwritten(self):
        self.simulate("five-bar", "--until", "0.1")
        (self.out / "events.csv").write_text("old", encoding="utf-8")
        self.simulate("spinner", "--until", "0.1")
        self.assertFalse((self.out / "events.csv").exists())
        self.assertEqual({row["body"] for row in read(self.out / "bodies.csv")}, {"wheel, big"})

    def test_format_decides_what_is_written(self):
        for form, names in [("hdf5", {"results.h5"}), ("csv", set(HEADERS)),
                            ("both", {*HEADERS, "results.h5"})]:
            with self.subTest(form):
                report = self.simulate("five-bar", "--until", "0.1", "--format", form).stdout
                self.assertEqual({path.name for path in self.out.iterdir()},
                                 {*names, "scene.json", "summary.json"})
                for name in names:
                    self.assertIn(name, report)
        self.assertTrue((self.out / "results.h5").read_bytes().startswith(b"\x89HDF\r\n"))

    def test_memory_does_not_grow_with_the_number_of_samples(self):
        if b"__asan_init" in Path(support.PROGRAM).read_bytes():
            self.skipTest("the sanitizer keeps what is freed")
        most = {}
        for every in ["0.1", "2e-5"]:  # 100 000 samples are 30 MB of numbers
            arguments = ["simulate", "drop", "--until", "2", "--every", every, "--quiet",
                         "--format", "both", "--out", str(self.out)]
            process = subprocess.Popen([support.PROGRAM, *arguments], env=ENVIRONMENT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            most[every] = usage.ru_maxrss / 1024
        self.assertLess(most["2e-5"] - most["0.1"], 20)  # [MB]; blocks are 5

    def test_folder_that_cannot_be_made(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        for place in ["file", "file/below"]:
            self.assert_refused(run("simulate", "five-bar", "--out", self.folder / place), 2,
                                "cannot make the folder", "Not a directory")


class Pictures(CliTest):
    def groups(self, text):
        """(class, title) of every group of a picture."""
        svg = "{http://www.w3.org/2000/svg}"
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(root.tag, f"{svg}svg")
        return [(group.get("class"), group.find(f"{svg}title").text)
                for group in root.iter(f"{svg}g")]

    def test_shows_every_body_and_joint_once(self):
        result = run("picture", "five-bar")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        groups = self.groups(result.stdout)
        self.assertEqual(len([g for g in groups if g[0] == "body"]), 4)
        joints = [title for name, title in groups if name == "joint revolute"]
        self.assertEqual(sorted(title[0] for title in joints), list("ABCDE"))
        self.assertEqual(groups.count(("ground", "ground")), 2)
        self.assertIn(("gravity", "gravity"), groups)

    def test_file_and_streams_get_the_same(self):
        path = self.folder / "five-bar.svg"
        written = run("picture", "five-bar", path)
        self.assertEqual((written.returncode, written.stdout, written.stderr), (0, "", ""))
        text = path.read_text(encoding="utf-8")
        self.assertEqual(run("picture", "five-bar").stdout, text)
        self.assertEqual(run("picture", "five-bar", "-").stdout, text)

    def test_views_and_labels(self):
        pictures = {view: run("picture", "five-bar", f"--view={view}").stdout
                    for view in ["auto", "iso", "x", "y", "z", "-1,2,3"]}
        for view, text in pictures.items():
            with self.subTest(view):
                self.assertEqual(len([g for g in self.groups(text)
                                      if g[0] == "joint revolute"]), 5)
        self.assertEqual(len(set(pictures.values()) - {pictures["auto"]}), 4)
        self.assertIn(">left_arm</text>", pictures["auto"])
        self.assertNotIn("left_arm</text>",
                         run("picture", "five-bar", "--labels", "none").stdout)
        self.assertIn(">A</text>", run("picture", "five-bar", "--labels", "all").stdout)

    def test_mistakes(self):
        self.assert_refused(run("picture"), 2, "needs a MODEL")
        self.assert_refused(run("picture", "five-bar", "--view", "w"), 2, "there is no view 'w'")
        self.assert_refused(run("picture", "five-bar", "--labels", "non"), 2,
                            "did you mean 'none'?")
        self.assert_refused(run("picture", "five-bar", self.folder / "no" / "such.svg"), 2,
                            "cannot write", "No such file")
        self.assert_refused(run("picture", self.write_model("sarrus: 1\nbodies: 3\n")), 1, "error:")


class Timing(CliTest):
    COSTS = ["wall_median_us", "wall_min_us", "cpu_median_us", "cpu_min_us"]

    def test_json(self):
        result = run("time", "five-bar", "--json", "--repeat", "3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual({key: report[key] for key in ["bodies", "method", "threads", "samples"]},
                         {"bodies": 4, "method": "coordinate-reduction", "threads": 1, "samples": 3})
        for key in self.COSTS:
            self.assertGreater(report[key], 0, key)
        self.assertGreaterEqual(report["bytes_per_body"], 0)  # sanitizers do not tell
        self.assertLessEqual(report["wall_min_us"], report["wall_median_us"])
        self.assertNotIn("phases", report)

    def test_profile(self):
        result = run("time", "five-bar", "--json", "--repeat", "3", "--profile",
                     "--method", "reference")
        phases = json.loads(result.stdout)["phases"]
        self.assertEqual([phase["name"] for phase in phases],
                         ["decode", "project and factor", "loads", "solve"])
        self.assertTrue(all(phase[key] > 0 for phase in phases for key in self.COSTS))

    def test_text(self):
        text = run("time", "drop", "--repeat", "1", "--profile").stdout
        for words in ["1 body, method order-n", "wall median", "kinematics", "ns a body", "bytes"]:
            self.assertIn(words, text)

    def test_threads_that_a_method_cannot_use_are_told(self):
        result = run("time", "five-bar", "--json", "--repeat", "1", "--threads", "4",
                     "--method", "reference")
        self.assertEqual(result.returncode, 0)
        self.assertIn("runs on one thread", result.stderr)
        self.assertEqual(json.loads(result.stdout)["threads"], 1)

    def test_mistakes(self):
        self.assert_refused(run("time"), 2, "needs a MODEL")
        self.assert_refused(run("time", "five-bar", "--method", "refrence"), 2,
                            "did you mean 'reference'?")
        self.assert_refused(run("time", "five-bar", "--repeat", "0"), 2, "--repeat must be")
        self.assert_refused(run("time", "five-bar", "--threads", "0"), 2, "--threads must be")
        self.assert_refused(run("time", "five-bar", "--set", "arn=1"), 2, "did you mean 'arm'?")

    def test_interrupt_reports_what_was_measured(self):
        command = [support.PROGRAM, "time", "five-bar", "--repeat", "100000000"]
        for patience in [1, 4, 16]:  # [s] until it is surely measuring
            with subprocess.Popen(command, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                time.sleep(patience)
                process.send_signal(signal.SIGINT)
                report, errors = process.communicate(timeout=60)
            if process.returncode != -signal.SIGINT:
                break
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted", errors)
        self.assertIn("wall median", report)


class EarlyEnds(CliTest):
    def interrupted(self, how):
        self.out = self.folder / how.name
        command = [support.PROGRAM, "simulate", "five-bar", "--until", "10000", "--every", "0.001",
                   "--out", str(self.out)]
        with subprocess.Popen(command, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            self.wait_for(self.out / "energy.csv.part", process, 1000)
            process.send_signal(how)
            report, errors = process.communicate(timeout=60)
        return process.returncode, report, errors

    def test_interrupt_leaves_complete_files(self):
        for how in [signal.SIGINT, signal.SIGTERM, signal.SIGXCPU]:
            with self.subTest(how):
                status, report, errors = self.interrupted(how)
                self.assertEqual(status, 130, errors)
                self.assertIn("interrupted at t = ", errors)
                self.assertIn("largest", report)
                counts = {name: len(read(self.out / name)) for name in HEADERS}
                samples = counts["energy.csv"]
                self.assertGreater(samples, 10)
                self.assertEqual(counts, {"bodies.csv": 4 * samples, "joints.csv": 5 * samples,
                                          "reactions.csv": 5 * samples, "energy.csv": samples,
                                          "constraints.csv": samples})
                for name in HEADERS:
                    self.assertTrue((self.out / name).read_bytes().endswith(b"\n"), name)
                summary = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))
                self.assertEqual(summary["status"], "interrupted")
                last = float(read(self.out / "energy.csv")[-1]["time"])
                self.assertLess(summary["time"] - last, 0.001)

    def test_failed_numbers_keep_what_was_reached(self):
        result = run("simulate", "out-of-reach", "--step", "0.01", "--out", self.out)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("the numbers failed", result.stderr)
        self.assertIn("what was reached is kept", result.stderr)
        self.assertGreater(len(read(self.out / "energy.csv")), 5)
        summary = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))
        self.assertNotEqual(summary["status"], "done")
        self.assertNotEqual(summary["reason"], "")


if __name__ == "__main__":
    support.main()
