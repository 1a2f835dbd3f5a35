"""What the tests of the program share.

A test file is called with the program to test: FILE PROGRAM [unittest options]
"""

import base64
import csv
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = ""
ENVIRONMENT = {**os.environ, "SARRUS_SCENARIOS": str(HERE / "scenarios")}

HEADERS = {
    "bodies.csv": b"time,body,px,py,pz,qw,qx,qy,qz,wx,wy,wz,vx,vy,vz,dwx,dwy,dwz,ax,ay,az\n",
    "joints.csv": b"time,joint,coordinate,position,speed,acceleration\n",
    "reactions.csv": b"time,joint,fx,fy,fz,tx,ty,tz,unique\n",
    "energy.csv": b"time,kinetic,potential,total,supplied\n",
    "constraints.csv": b"time,position,velocity,acceleration\n",
}


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], env=ENVIRONMENT, text=True,
                          capture_output=True, timeout=120, check=False, **options)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def column(data):
    """The numbers of a column of a report."""
    (kind, text), = data.items()
    letter = {"f64": "d", "f32": "f", "u32": "I"}[kind]
    raw = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw)


def report_data(path):
    """What the program put into a page."""
    pages = re.findall(r'<script type="application/json" id="sarrus-report">(.*?)</script>',
                       Path(path).read_text(encoding="utf-8"), re.DOTALL)
    assert len(pages) == 1, len(pages)
    return json.loads(pages[0])


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def write_model(self, text):
        path = self.folder / "model.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def simulate(self, model, *arguments, status=0):
        result = run("simulate", model, "--out", self.out, *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def wait_for(self, path, process, size=0):
        """Until the program has written something there."""
        deadline = time.monotonic() + 60
        while not (path.exists() and path.stat().st_size > size):
            if time.monotonic() > deadline or process.poll() is not None:
                process.kill()
                self.fail("nothing was written")
            time.sleep(0.05)

    def assert_refused(self, result, status, *words):
        """Everything on stderr, nothing on stdout."""
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)


def main():
    global PROGRAM
    PROGRAM = sys.argv.pop(1)
    unittest.main(module="__main__")
