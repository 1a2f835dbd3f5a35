#!/usr/bin/env python3
"""Checks that each layer of src/sarrus includes only itself and lower layers.

The layers and their order are in cmake/layers.txt. Says nothing and exits 0 when all is well;
otherwise one `file:line: ...` a mistake, and exit status 1.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}


def read_layers(path):
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def check_include(quote, target, layer, layers):
    """What is wrong with this include in a file of `layer`, or None."""
    if not target.startswith("sarrus/"):
        if quote == '"':
            return f'write the whole path, "sarrus/<layer>/...", not "{target}"'
        return None
    used = target.split("/")[1]
    if used not in layers:
        return f'"{target}" is in no layer of cmake/layers.txt'
    if layers.index(used) > layers.index(layer):
        return f'layer {layer} may not use "{target}": {used} is a higher layer'
    return None


def check_file(path, layer, layers):
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        problem = match and check_include(match[1], match[2], layer, layers)
        if problem:
            problems.append(f"{path.relative_to(ROOT)}:{number}: {problem}")
    return problems


def main():
    layers = read_layers(ROOT / "cmake" / "layers.txt")
    source = ROOT / "src" / "sarrus"
    problems = []
    for path in sorted(path for path in source.rglob("*") if path.suffix in SUFFIXES):
        layer = path.relative_to(source).parts[0]
        if path == source / "sarrus.h":  # above them all
            problems += check_file(path, layers[-1], layers)
        elif layer in layers:
            problems += check_file(path, layer, layers)
        else:
            problems.append(f"{path.relative_to(ROOT)}:1: lies in no layer of cmake/layers.txt")
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
