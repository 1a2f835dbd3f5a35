#!/usr/bin/env python3
"""Makes docs/gallery.md: every scenario with its picture, a sentence and the command that runs it.

    tools/make_gallery.py            # PROGRAM=build/release/bin/sarrus to take that one
    tools/make_gallery.py --check    # 1 if the page is not up to date

The sentences are the titles in the model files, as `sarrus scenarios` lists them. Nothing but the
standard library is needed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/gallery.md"

HEAD = """# Gallery

Every [scenario](reference/command_line.md#model) that comes along. `./sarrus simulate NAME` moves one, with `--report page.html` so that it can be looked at; `./sarrus compare NAME` moves it by all methods. A picture leads to parameters, formulas and sources.

"""


def scenarios(program):
    """(name, title) of every one, by name."""
    environment = {**os.environ, "SARRUS_SCENARIOS": str(ROOT / "scenarios")}
    lines = subprocess.run([program, "scenarios"], check=True, text=True, env=environment,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return [re.match(r"(\S+)\s*(.*)", line).groups() for line in lines]


def page(program):
    rows = ["| | | |", "|---|---|---|"]
    for name, title in scenarios(program):
        picture = (f'<a href="../scenarios/{name}/README.md"><img '
                   f'src="../scenarios/{name}/picture.svg" width="260" alt="{name}"></a>')
        rows.append(f"| {picture} | **{name}**<br>{title}. | "
                    f"`./sarrus simulate {name} --report {name}.html` |")
    return HEAD + "\n".join(rows) + "\n"


def main():
    made = page(os.environ.get("PROGRAM", str(ROOT / "sarrus")))
    if "--check" in sys.argv[1:]:
        kept = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        sys.exit(0 if kept == made else "docs/gallery.md is out of date: run tools/make_gallery.py")
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
