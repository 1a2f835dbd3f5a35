#!/usr/bin/env python3
"""The line that follows a long run: on a terminal only, and no longer than that is wide.

Usage: progress_test.py PROGRAM [unittest options]
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import ENVIRONMENT, CliTest  # noqa: E402

WIPE = "\r\x1b[K"
LONG = ["--until", "20", "--every", "1e-4"]  # takes about half a second


def on_terminal(*arguments, columns=120):
    """(status, what came to a terminal as stderr, stdout)"""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([support.PROGRAM, *map(str, arguments)], env=ENVIRONMENT,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
                               text=True)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    report, _ = process.communicate(timeout=60)
    return process.returncode, shown.decode(), report


class Progress(CliTest):
    def test_terminal_sees_time_speed_and_what_is_left(self):
        status, shown, report = on_terminal("simulate", "drop", *LONG)
        self.assertEqual(status, 0)
        lines = [line for line in shown.split(WIPE) if line]
        self.assertGreater(len(lines), 0)
        times = []
        for line in lines:
            found = re.fullmatch(r"\[#*-*\] +\d+ %  t = (\S+) of 20 s  \S+x real time  "
                                 r"\d+:\d\d left", line)
            self.assertTrue(found, line)
            times.append(float(found[1]))
        self.assertEqual(times, sorted(times))
        self.assertTrue(shown.endswith(WIPE))
        self.assertIn("times real time", report)

    def test_line_fits_into_the_terminal(self):
        for columns in [60, 20]:
            with self.subTest(columns):
                _, shown, _ = on_terminal("simulate", "drop", *LONG, columns=columns)
                lines = [line for line in shown.split(WIPE) if line]
                self.assertGreater(len(lines), 0)
                self.assertLess(max(map(len, lines)), columns)

    def test_quiet_is_quiet(self):
        status, shown, report = on_terminal("simulate", "drop", *LONG, "--quiet")
        self.assertEqual((status, shown, report), (0, "", ""))

    def test_pipe_sees_nothing(self):
        result = support.run("simulate", "drop", *LONG)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_comparison_says_which_method_runs(self):
        _, shown, _ = on_terminal("compare", "drop", "--methods", "reference",
                                  "--until", "1", "--every", "5e-5")
        self.assertRegex(shown, r"reference  \[#*-*\] ")
        self.assertRegex(shown, r"reference, the judge  \[#*-*\] ")
        self.assertTrue(shown.endswith(WIPE))

    def test_failure_is_told_on_a_line_of_its_own(self):
        status, shown, _ = on_terminal("simulate", "out-of-reach")
        self.assertEqual(status, 3)
        self.assertRegex(shown, r"(^|\x1b\[K)sarrus: the numbers failed")


if __name__ == "__main__":
    support.main()
