#!/usr/bin/env python3
"""Reports as the program writes them, opened in a real browser.

    run_tests.py PROGRAM MODULES FOLDER

MODULES: a folder whose node_modules hold playwright-core. FOLDER: for reports and screenshots.
Status 77: skipped, there is no Node, no Chromium or no playwright-core.
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

    worst = 0
    for name, words in RUNS.items():
        print(f"-- {name}", flush=True)
        report, results = folder / f"{name}.html", folder / name
        subprocess.run([program, "simulate", *words, "--quiet", "--out", results, "--report", report],
                       check=True)
        status = use("report_test.mjs", report, results, folder / "screenshots" / name)
        if status == SKIPPED:
            return SKIPPED
        worst = max(worst, abs(status))
    print("-- made-up data", flush=True)
    return max(worst, abs(use("page_test.mjs", folder / "screenshots" / "made-up")))


if __name__ == "__main__":
    sys.exit(main())
