#!/usr/bin/env python3
"""Every scenario shows a picture of itself, and it is the one that the program draws.

    pictures_test.py PROGRAM SCENARIOS_DIRECTORY

Numbers may differ in the last digit: sines do, from one C library to another.
"""

import re
import subprocess
import sys
from pathlib import Path

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
LAST_DIGIT = 0.011  # of the two decimals that are written


def same(drawn, kept):
    if NUMBER.sub("#", drawn) != NUMBER.sub("#", kept):
        return False
    pairs = zip(map(float, NUMBER.findall(drawn)), map(float, NUMBER.findall(kept)))
    return all(abs(a - b) < LAST_DIGIT for a, b in pairs)


def complaints(program, folder):
    picture = folder / "picture.svg"
    if not picture.exists():
        return [f"{folder.name} has no picture.svg: run tools/draw_pictures.sh"]
    found = []
    readme = (folder / "README.md").read_text(encoding="utf-8")
    if not re.search(r"!\[[^]]+\]\(picture\.svg\)", readme):
        found.append(f"{folder.name}/README.md does not show picture.svg")
    drawn = subprocess.run([program, "picture", folder], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    if not same(drawn, picture.read_text(encoding="utf-8")):
        found.append(f"{folder.name}/picture.svg is out of date: run tools/draw_pictures.sh")
    return found


def main():
    program, scenarios = sys.argv[1], Path(sys.argv[2])
    folders = sorted(path.parent for path in scenarios.glob("*/model.yaml"))
    found = [line for folder in folders for line in complaints(program, folder)]
    sys.exit("\n".join(found) if found or not folders else 0)


if __name__ == "__main__":
    main()
