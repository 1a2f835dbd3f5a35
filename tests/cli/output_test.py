#!/usr/bin/env python3
"""Where the program cannot write: it says which file and why, and leaves nothing half done.

Usage: output_test.py PROGRAM [unittest options]
"""

import json
import os
import resource
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import ENVIRONMENT, HEADERS, CliTest, read, run  # noqa: E402

NOBODY = 65534  # who may not write everywhere, as root may
LIMIT = 20000  # bytes


def limit_file_size():
    """Of files, not of pipes: a disk that is full, as far as the program can tell."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


def as_nobody(*arguments):
    options = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
    return run(*arguments, **options)


class Streams(CliTest):
    def pipe_to_nobody(self, *arguments, **options):
        """Runs with a stdout whose reader has gone already."""
        reading, writing = os.pipe()
        os.close(reading)
        try:
            return subprocess.run([support.PROGRAM, *map(str, arguments)], env=ENVIRONMENT,
                                  stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=60, **options)
        finally:
            os.close(writing)

    def test_full_stdout_is_told(self):
        for command in [["scenarios"], ["methods"], ["check", "five-bar"], ["expand", "five-bar"],
                        ["picture", "five-bar"], ["--help"], ["simulate", "drop", "--until", "0"]]:
            with self.subTest(command), open("/dev/full", "wb") as full:
                result = subprocess.run([support.PROGRAM, *command], env=ENVIRONMENT, stdout=full,
                                        stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stderr,
                                 "sarrus: cannot write to stdout: No space left on device\n")

    def test_reader_that_goes_away_is_no_failure(self):
        long = self.write_model("sarrus: 1\nbodies:\n  - {repeat: {index: i, from: 1, to: 3000},"
                                " name: 'b{i}', mass: 1, inertia: 1}\n")
        for command in [["scenarios"], ["expand", long], ["check", "five-bar", "--json"],
                        ["simulate", "drop", "--until", "0.1", "--out", self.out]]:
            for ignored in [False, True]:  # the shell's way and that of a service
                with self.subTest(command, ignored=ignored):
                    result = self.pipe_to_nobody(*command, restore_signals=not ignored)
                    self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(len(read(self.out / "energy.csv")), 11)

    def test_failed_numbers_are_told_without_a_reader(self):
        result = self.pipe_to_nobody("simulate", "out-of-reach", "--step", "0.01")
        self.assertEqual(result.returncode, 3)
        self.assertIn("the numbers failed", result.stderr)

    def test_stderr_that_is_full_changes_no_status(self):
        for arguments, status in [(["check", "nothing"], 2),
                                  (["simulate", "out-of-reach", "--step", "0.01"], 3)]:
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = subprocess.run([support.PROGRAM, *arguments], env=ENVIRONMENT,
                                        stdout=subprocess.PIPE, stderr=full, check=False)
                self.assertEqual(result.returncode, status)


class Disks(CliTest):
    """Every kind of output."""

    def commands(self, folder):
        """(arguments, file that is written)"""
        simulate = ["simulate", "five-bar", "--until", "0.5", "--quiet"]
        return [
            ([*simulate, "--out", folder], folder / "bodies.csv"),
            ([*simulate, "--out", folder, "--format", "hdf5"], folder / "results.h5"),
            (["picture", "five-bar", folder / "a picture.svg"], folder / "a picture.svg"),
            ([*simulate, "--report", folder / "a page.html"], folder / "a page.html"),
            (["report", self.stored, "--out", folder / "page.html"], folder / "page.html"),
        ]

    def setUp(self):
        super().setUp()
        self.out = self.folder / "a folder, with spaces"
        self.out.mkdir()
        self.stored = self.folder / "stored"
        run("simulate", "five-bar", "--until", "0.5", "--out", self.stored)

    def whole_files(self):
        return {path.name for path in self.out.iterdir() if path.suffix != ".part"}

    def test_names_with_spaces(self):
        for arguments, path in self.commands(self.out):
            with self.subTest(path.name):
                result = run(*arguments)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertTrue(path.exists())
                self.assertEqual(list(self.out.glob("*.part")), [])

    def test_full_disk_is_told(self):
        for arguments, path in self.commands(self.out):
            if "picture" in arguments:
                arguments[1] = self.write_model(
                    "sarrus: 1\nbodies:\n  - {repeat: {index: i, from: 1, to: 300}, name: 'b{i}',"
                    " mass: 1, inertia: 1, position: [i, 0, 0]}\n")
            with self.subTest(path.name):
                result = run(*arguments, preexec_fn=limit_file_size)
                self.assert_refused(result, 2, f"cannot write '{path}': File too large")
                self.assertEqual(self.whole_files(), set())

    def test_what_a_full_disk_took_is_kept_and_named(self):
        arguments, path = self.commands(self.out)[0]
        result = run(*arguments, preexec_fn=limit_file_size)
        self.assertIn(f"what could be written is in '{path}.part'", result.stderr)
        kept = Path(f"{path}.part").read_bytes()
        self.assertTrue(kept.startswith(HEADERS["bodies.csv"]))
        self.assertEqual(len(kept), LIMIT)
        self.assertEqual(run(*arguments).returncode, 0)
        self.assertEqual(list(self.out.glob("*.part")), [])

    def test_full_disk_keeps_the_old_picture(self):
        path = self.out / "picture.svg"
        path.write_text("old", encoding="utf-8")
        result = run("picture", "five-bar", path,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(result.returncode, 2)
        self.assertEqual(path.read_text(encoding="utf-8"), "old")
        self.assertEqual(list(self.out.iterdir()), [path])

    def test_full_disk_keeps_the_old_results_but_not_as_a_run(self):
        arguments, _ = self.commands(self.out)[0]
        self.assertEqual(run(*arguments).returncode, 0)
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        result = run(*arguments, "--tolerance", "1e-6", preexec_fn=limit_file_size)
        self.assertEqual(result.returncode, 2)
        del before["summary.json"]
        self.assertEqual({name: (self.out / name).read_bytes() for name in before}, before)
        self.assert_refused(run("report", self.out), 2, "was not completed")

    def test_files_of_an_earlier_run_go_when_the_new_one_is_complete(self):
        simulate = ["simulate", "five-bar", "--until", "0.1", "--quiet", "--out", self.out]
        run(*simulate)
        run("report", self.out)
        foreign = self.out / "notes.txt"
        foreign.write_text("mine", encoding="utf-8")
        self.assertEqual(run(*simulate, "--format", "hdf5").returncode, 0)
        self.assertEqual(self.whole_files(),
                         {"notes.txt", "results.h5", "scene.json", "summary.json"})

    def test_page_in_the_folder_of_its_results(self):
        for _ in range(2):
            result = run("simulate", "drop", "--until", "0.1", "--quiet", "--out", self.out,
                         "--report", self.out / "report.html")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue((self.out / "report.html").exists())

    def test_page_does_not_replace_what_is_no_page(self):
        model = self.out / "model.yaml"
        model.write_text("mine", encoding="utf-8")
        for command in [["simulate", "drop", "--until", "0.1", "--report", model],
                        ["compare", "drop", "--report", model],
                        ["report", self.stored, "--out", model]]:
            self.assert_refused(run(*command), 2, "is no page")
        self.assertEqual(model.read_text(encoding="utf-8"), "mine")

    def test_what_is_not_ours_stays(self):
        for name in ["summary.json", "report.html", "results.h5"]:
            (self.out / name).write_text("mine", encoding="utf-8")
        run("simulate", "drop", "--until", "0.1", "--quiet", "--out", self.out)
        for name in ["report.html", "results.h5"]:
            self.assertEqual((self.out / name).read_text(encoding="utf-8"), "mine")

    def test_links_stay_links(self):
        for target in ["there.svg", "not yet there.svg"]:
            with self.subTest(target):
                link = self.out / f"link to {target}"
                link.symlink_to(target)
                if target == "there.svg":
                    (self.out / target).write_text("old", encoding="utf-8")
                self.assertEqual(run("picture", "five-bar", link).returncode, 0)
                self.assertTrue(link.is_symlink())
                self.assertTrue((self.out / target).read_text(encoding="utf-8").endswith("</svg>\n"))
        loop = self.out / "loop.svg"
        loop.symlink_to("loop.svg")
        self.assert_refused(run("picture", "five-bar", loop), 2, f"cannot write '{loop}'")

    def test_two_runs_do_not_share_a_folder(self):
        command = [support.PROGRAM, "simulate", "five-bar", "--until", "10000", "--out",
                   str(self.out)]
        with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
            self.wait_for(self.out / "bodies.csv.part", process)
            self.assert_refused(run("simulate", "five-bar", "--until", "0.1", "--out", self.out), 2,
                                "another run is writing it")
            process.send_signal(signal.SIGKILL)

    def test_read_only_folder_is_told(self):
        self.folder.chmod(0o755)
        self.out.chmod(0o555)
        if as_nobody("--version").returncode != 0:
            self.skipTest("nobody but us may run the program")
        for arguments, path in self.commands(self.out):
            with self.subTest(path.name):
                is_folder = arguments[0] == "simulate" and "--out" in arguments
                first = self.out / "summary.json" if is_folder else path
                self.assert_refused(as_nobody(*arguments), 2,
                                    f"cannot write '{first}': Permission denied")
        self.assert_refused(as_nobody("simulate", "drop", "--out", self.out / "below"), 2,
                            "cannot make the folder", "Permission denied")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_file_that_must_not_be_written_stays(self):
        self.folder.chmod(0o755)
        self.out.chmod(0o777)
        path = self.out / "picture.svg"
        path.write_text("old", encoding="utf-8")
        path.chmod(0o444)
        if as_nobody("--version").returncode != 0:
            self.skipTest("nobody but us may run the program")
        self.assert_refused(as_nobody("picture", "five-bar", path), 2, "Permission denied")
        self.assertEqual(path.read_text(encoding="utf-8"), "old")

    def test_devices_are_written_in_place(self):
        self.assert_refused(run("picture", "five-bar", "/dev/full"), 2,
                            "cannot write '/dev/full': No space left on device")
        self.assertTrue(Path("/dev/full").is_char_device())
        result = run("picture", "five-bar", "/dev/stdout")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.endswith("</svg>\n"))

    def test_killed_program_leaves_no_file_that_looks_whole(self):
        command = [support.PROGRAM, "simulate", "five-bar", "--until", "10000", "--format", "both",
                   "--out", str(self.out)]
        with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
            self.wait_for(self.out / "results.h5.part", process)
            process.send_signal(signal.SIGKILL)
        self.assertEqual(self.whole_files(), set())

    def test_failed_numbers_leave_whole_files_and_say_so(self):
        for form, name in [("csv", "bodies.csv"), ("hdf5", "results.h5")]:
            with self.subTest(form):
                result = run("simulate", "out-of-reach", "--step", "0.01", "--out", self.out,
                             "--format", form)
                self.assertEqual(result.returncode, 3)
                self.assertTrue((self.out / name).exists())
                self.assertEqual(list(self.out.glob("*.part")), [])
                summary = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))
                self.assertNotEqual(summary["status"], "done")


if __name__ == "__main__":
    support.main()
