#!/usr/bin/env python3
"""What ./sarrus and ./test show while they install and build, with a cmake and an apt that pretend.

Usage: setup_test.py [unittest options]
"""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIPE = "\r\x1b[K"
AT_ONCE = "quiet_for=0"
STEPS = 6
FIRST = "sarrus: the first build takes "

# What each pretends to be, as scripts that are found before the real ones. $PACE is the time [s]
# between two lines.
PRETENDERS = {
    "cmake": f"""
        if [[ $1 == --build ]]; then
          echo '[0/2] Re-checking globbed directories...'
          echo '[1/2] Re-running CMake...'
          sleep $PACE
          echo "-- Looking around again"
          for ((i = 1; i <= {STEPS}; ++i)); do
            sleep $PACE
            printf "${{NINJA_STATUS/'%f/%t'/$i/{STEPS}}}Building CXX object number_$i.o\\n"
            if [[ ${{BROKEN:-}} == $i ]]; then
              echo "error: no such thing" >&2
              exit 7
            fi
          done
        else
          echo "-- Looking around"
          sleep $PACE
          mkdir -p $root/build/release && touch $root/build/release/build.ninja
        fi""",
    "dpkg-query": """
        [[ ${MISSING:-} ]] || echo 'installed thing'""",
    "apt-get": """
        echo "apt-get $*"
        for percent in 0 12.5 50.0001 100; do
          sleep $PACE
          printf "dlstatus:1:$percent:Retrieving file 2 of 3 (1s remaining)\\n"
        done
        [[ " $* " == *" install "* ]] || exit 0
        for percent in 0 33.3333 99; do
          sleep $PACE
          echo "Unpacking thing ..."
          printf "pmstatus:thing:$percent:Unpacking thing (amd64)\\n"
        done
        [[ ! ${BROKEN:-} ]] || { echo "E: no room left"; exit 100; }""",
    "sudo": """
        exec "$@\"""",
}


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in PRETENDERS.items():
            program = self.root / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(f"#!/usr/bin/env bash\n{text}\n")
            program.chmod(0o755)
        (self.root / "tools").mkdir()
        (self.root / "tools/packages.txt").write_text("# needed\nthing\n")

    def start(self, command, stderr, settings, **more):
        script = f'set -euo pipefail; source "$1"; {command}; echo done'
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}",
                           root=str(self.root), PACE="0.15", TERM="xterm") | settings
        return subprocess.Popen(["bash", "-c", script, "bash", str(ROOT / "tools/setup.sh")],
                                env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=stderr, text=True, **more)

    def on_terminal(self, command, columns=120, controlled=False, meanwhile=None, **settings):
        """(status, what came to a terminal as stderr, stdout)

        Where it is controlled by the terminal, keys interrupt it. meanwhile is (text, what to do
        with the process and our end of the terminal when the text is there).
        """
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = self.start(
            command, theirs, settings, start_new_session=True,
            preexec_fn=lambda: controlled and fcntl.ioctl(2, termios.TIOCSCTTY, 0))
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
            if meanwhile and meanwhile[0] in shown:
                meanwhile[1](process, ours)
                meanwhile = None
        os.close(ours)
        output, _ = process.communicate(timeout=60)
        return process.returncode, shown.decode().replace("\r\n", "\n"), output

    def on_pipe(self, command, **settings):
        process = self.start(command, subprocess.PIPE, settings)
        output, shown = process.communicate(timeout=60)
        self.assertNotIn("\r", shown)
        self.assertNotIn("\x1b", shown)
        return process.returncode, shown, output

    def built_before(self):
        (self.root / "build/release").mkdir(parents=True)
        (self.root / "build/release/build.ninja").touch()
        (self.root / "build/release/.ninja_log").touch()

    def left_running(self):
        """Processes that were started here and still run."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"root={self.root}\0".encode() in entry.read_bytes():
                    found.append(entry)
            except OSError:  # not ours, or gone
                pass
        return found

    def frames(self, shown):
        """The states of the line that moves."""
        found = [frame for frame in shown.split(WIPE)[1:] if frame]
        self.assertTrue(all("\n" not in frame for frame in found[:-1]), found)
        return found


class Terminal(Setup):
    def test_line_counts_what_is_built_and_is_gone_in_the_end(self):
        self.built_before()
        status, shown, output = self.on_terminal(f"{AT_ONCE}; set_up release 6")
        self.assertEqual((status, output), (0, "done\n"))
        counts = []
        for frame in self.frames(shown):
            found = re.fullmatch(rf"sarrus: building( (\d) of {STEPS}, (\d+) %)?, 0:0\d", frame)
            self.assertTrue(found, frame)
            if found[1]:
                counts.append(int(found[2]))
                self.assertEqual(int(found[3]), 100 * counts[-1] // STEPS)
        self.assertEqual(counts, sorted(counts))
        self.assertGreaterEqual(len(set(counts)), STEPS // 2)
        self.assertTrue(shown.startswith(WIPE) and shown.endswith(WIPE), shown)

    def test_clock_runs_where_nothing_comes(self):
        status, shown, _ = self.on_terminal(
            f"{AT_ONCE}; follow $root/log waiting bash -c 'printf [1/; sleep 2.3; printf 2]'")
        self.assertEqual(status, 0)
        self.assertEqual((self.root / "log").read_text(), "[1/2]\n")
        times = re.findall(rf"{re.escape(WIPE)}sarrus: waiting, 0:0(\d)(?=\r)", shown)
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual(len(set(times)), 2)

    def test_first_run_says_how_long_it_takes_and_configures(self):
        cores = len(os.sched_getaffinity(0))
        status, shown, _ = self.on_terminal(f"{AT_ONCE}; set_up release {3 * cores}")
        self.assertEqual(status, 0)
        first, rest = shown.split("\n", 1)
        self.assertRegex(first, FIRST + "about 3 minutes on all cores; later runs start at once")
        self.assertRegex(rest, f"^{re.escape(WIPE)}sarrus: configuring, 0:0\\d")
        self.assertTrue(rest.endswith(WIPE))
        for minutes, words in [(1, "about a minute"), (0, "some minutes")]:
            _, shown, _ = self.on_terminal(f"set_up release {minutes}", PACE="0")
            self.assertIn(FIRST + words, shown)

    def test_line_fits_into_the_terminal(self):
        for columns in [24, 10]:
            with self.subTest(columns):
                _, shown, _ = self.on_terminal(f"{AT_ONCE}; set_up release 6", columns=columns)
                moving = self.frames(shown.split("\n", 1)[1])
                self.assertEqual(max(map(len, moving)), columns - 1)

    def test_little_to_do_is_done_in_silence(self):
        self.built_before()
        status, shown, output = self.on_terminal("quiet_for=30; set_up release 6", PACE="0.05")
        self.assertEqual((status, shown, output), (0, "", "done\n"))

    def test_failed_build_shows_its_log_on_clean_lines(self):
        status, shown, output = self.on_terminal(f"{AT_ONCE}; set_up release 6", BROKEN="3")
        self.assertEqual((status, output), (125, ""))
        moving, log = shown.rsplit(WIPE, 1)
        self.assertRegex(moving, "sarrus: building [12] of 6, ")
        kept = (self.root / "build/release.log").read_text()
        self.assertEqual(log, kept + "sarrus: the build failed\n")
        self.assertTrue(kept.startswith("-- Looking around\n"), kept)
        self.assertTrue(kept.endswith("number_3.o\nerror: no such thing\n"), kept)

    def test_packages_are_counted_in_percent(self):
        self.built_before()
        status, shown, _ = self.on_terminal(f"{AT_ONCE}; set_up release 6", MISSING="yes")
        self.assertEqual(status, 0)
        self.assertTrue(shown.startswith(f"sarrus: installing thing\n{WIPE}"), shown)
        self.assertRegex(shown, r"getting package lists \d+ %, 0:0\d, Retrieving file 2 of 3")
        self.assertRegex(shown, r"installing packages \d+ %, 0:0\d, Retrieving file 2 of 3")
        self.assertRegex(shown, r"installing packages \d+ %, 0:0\d, Unpacking thing \(amd64\)\r")
        self.assertTrue(shown.endswith(WIPE))
        log = (self.root / "build/packages.log").read_text()
        self.assertIn("install -y --no-install-recommends thing\n", log)
        self.assertNotIn("status:", log)

    def test_failed_installation_shows_its_log(self):
        status, shown, _ = self.on_terminal(f"{AT_ONCE}; set_up release 6", MISSING="yes",
                                            BROKEN="yes")
        self.assertEqual(status, 125)
        log = shown.rsplit(WIPE, 1)[1]
        self.assertRegex(log, r"^apt-get (.*\n)*E: no room left\nsarrus: could not install the "
                              r"missing packages; .*: apt-get install thing\n$")

    def test_interrupt_ends_all_of_it(self):
        self.built_before()
        status, shown, output = self.on_terminal(
            f"{AT_ONCE}; set_up release 6", PACE="1", controlled=True,
            meanwhile=(b"building 1 of", lambda _, terminal: os.write(terminal, b"\x03")))
        self.assertEqual((status, output), (-signal.SIGINT, ""))
        self.assertTrue(shown.endswith(WIPE), shown)
        self.assertNotIn("\n", shown)
        with open(self.root / "build/.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.assertEqual(self.left_running(), [])

    def test_line_does_not_outlive_a_script_that_is_killed(self):
        self.built_before()
        status, shown, _ = self.on_terminal(
            f"{AT_ONCE}; set_up release 6", PACE="1",
            meanwhile=(b"building 1 of", lambda process, _: (process.terminate(), process.wait())))
        self.assertEqual(status, -signal.SIGTERM)
        self.assertTrue(shown.endswith(WIPE), shown)
        self.assertNotIn("building 3 of", shown)


class NoTerminal(Setup):
    def test_plain_lines_now_and_then(self):
        for settings in [{}, {"TERM": "dumb"}]:
            with self.subTest(settings):
                where = self.on_terminal if settings else self.on_pipe
                status, shown, output = where("quiet_for=0 plain_every=1; set_up release 6",
                                              PACE="0.4", **settings)
                self.assertEqual((status, output), (0, "done\n"))
                lines = shown.splitlines()
                self.assertIn(FIRST, lines[0])
                self.assertEqual(lines[1], "sarrus: configuring…")
                self.assertEqual(lines[2], "sarrus: building…")
                self.assertGreaterEqual(len(lines), 4)
                for line in lines[3:]:
                    self.assertRegex(line, r"^sarrus: building \d of 6, \d+ %, 0:0\d$")
                (self.root / "build/release/build.ninja").unlink()

    def test_little_to_do_is_done_in_silence(self):
        self.built_before()
        self.assertEqual(self.on_pipe("quiet_for=30; set_up release 6", PACE="0.05"),
                         (0, "", "done\n"))

    def test_failed_build_shows_its_log(self):
        self.built_before()
        status, shown, output = self.on_pipe("set_up release 6", BROKEN="2", PACE="0")
        self.assertEqual((status, output), (125, ""))
        kept = (self.root / "build/release.log").read_text()
        self.assertEqual(shown, kept + "sarrus: the build failed\n")
        self.assertIn("error: no such thing\n", kept)

    def test_command_that_stays_does_not_keep_the_lock(self):
        status, _, output = self.on_pipe(
            "exec 9>$root/lock; follow $root/log looking test ! -e /dev/fd/9")
        self.assertEqual((status, output), (0, "done\n"))

    def test_reader_who_leaves_does_not_end_the_build(self):
        self.built_before()
        process = self.start(f"{AT_ONCE}; set_up release 6", subprocess.PIPE, {})
        process.stderr.close()
        self.assertEqual(process.stdout.read(), "done\n")
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
