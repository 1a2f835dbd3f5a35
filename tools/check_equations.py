#!/usr/bin/env python3
"""Checks that equation tags in the source and anchors in the theory pages match.

A tag such as [kkt-nullspace] in a // comment under src/ names the anchor {#kkt-nullspace} in
docs/theory/*.md. Every tag must have its anchor, every anchor must be cited by some source file,
and no anchor may stand twice. Tags and anchors have at least one hyphen; an anchor without one
({#notation}) is an ordinary link target and is left alone.

Says nothing and exits 0 when all is well; otherwise one `file:line: ...` a mistake, exit status 1.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"
TAG = re.compile(rf"\[({NAME})\](?!\()")  # not a Markdown link's text
ANCHOR = re.compile(rf"\{{#({NAME})\}}")
# Literals first, so that "//" inside one starts no comment.
COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//(.*)')
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}


def find_tags():
    """Tag → places that cite it."""
    tags = {}
    for path in sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in SUFFIXES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for comment in COMMENT.finditer(line):
                for tag in TAG.findall(comment[1] or ""):
                    tags.setdefault(tag, []).append(f"{path.relative_to(ROOT)}:{number}")
    return tags


def find_anchors():
    """Anchor → places that define it."""
    anchors = {}
    for path in sorted((ROOT / "docs" / "theory").glob("*.md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for anchor in ANCHOR.findall(line):
                anchors.setdefault(anchor, []).append(f"{path.relative_to(ROOT)}:{number}")
    return anchors


def main():
    tags, anchors = find_tags(), find_anchors()
    problems = []
    for tag, places in tags.items():
        if tag not in anchors:
            problems += [f"{place}: [{tag}] has no {{#{tag}}} in docs/theory" for place in places]
    for anchor, places in anchors.items():
        if anchor not in tags:
            problems.append(f"{places[0]}: {{#{anchor}}} is cited by no comment under src")
        problems += [f"{place}: {{#{anchor}}} stands at {places[0]} too" for place in places[1:]]
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
