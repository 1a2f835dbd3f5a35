#!/usr/bin/env python3
"""Reports as the program writes them, opened in a real browser.

    run_tests.py PROGRAM MODULES FOLDER

MODULES: a folder whose node_modules hold playwright-core. FOLDER: for reports and screenshots.
Status 1: something failed. 77: skipped, nothing could run without Node, Chromium or playwright-core.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77

# Name, and what `sarrus simulate` is told.
RUNS = {
    "five-bar": ["five-bar", "--until", "10", "--every", "0.016666666666666666"],
    "chain of 1000": ["chain", "--set", "links=1000", "--until", "1", "--every", "0.02"],
}


def overall(statuses):
    """One status for all: what failed is never hidden behind what was skipped."""
    if any(status not in (0, SKIPPED) for status in statuses):
        return 1
    return SKIPPED if all(status == SKIPPED for status in statuses) else 0


def main():
    program, modules, folder = (Path(word).resolve() for word in sys.argv[1:4])
    if not shutil.which("node"):
        print("skipped: Node is not installed")
        return SKIPPED
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = dict(os.environ, SARRUS_WEB_MODULES=str(modules))

    def use(script, *words):
        return subprocess.run(["node", HERE / script, *map(str, words)], env=environment).returncode

    def try_run(name, words):
        report, results = folder / f"{name}.html", folder / name
        written = subprocess.run([program, "simulate", *words, "--quiet", "--out", results,
                                  "--report", report])
        if written.returncode != 0:
            print(f"FAIL  sarrus simulate ended with status {written.returncode}")
            return 1
        return use("report_test.mjs", report, results, folder / "screenshots" / name)

    statuses = []
    for name, words in RUNS.items():
        print(f"-- {name}", flush=True)
        statuses.append(try_run(name, words))
    print("-- made-up data", flush=True)
    statuses.append(use("page_test.mjs", folder / "screenshots" / "made-up"))
    return overall(statuses)


if __name__ == "__main__":
    sys.exit(main())
