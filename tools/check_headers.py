#!/usr/bin/env python3
"""Checks that the installed headers, cmake/public_headers.txt, include no others of ours.

Says nothing and exits 0 when all is well; otherwise one `file:line: ...` a mistake, and exit status 1.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "cmake" / "public_headers.txt"
GENERATED = {"sarrus/base/version.h"}
INCLUDE = re.compile(r'\s*#\s*include\s*["<](sarrus/[^">]+)[">]')


def problems_of(header, number, public):
    file = ROOT / "src" / header
    if header in GENERATED:
        return
    if not file.exists():
        yield f"{LIST.relative_to(ROOT)}:{number}: there is no {header}"
        return
    for line, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        used = INCLUDE.match(text)
        if used and used[1] not in public:
            yield (f"{file.relative_to(ROOT)}:{line}: this header is installed and includes {used[1]}, "
                   "which is not; declare what it needs, or put that into cmake/public_headers.txt")


def main():
    lines = LIST.read_text(encoding="utf-8").splitlines()
    public = {line for line in lines if line.startswith("sarrus/")}
    problems = [problem for number, line in enumerate(lines, start=1) if line in public
                for problem in problems_of(line, number, public)]
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
