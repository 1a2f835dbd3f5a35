#!/usr/bin/env python3
"""Does what the documents tell the reader to do, and compares with what they say comes of it.

    docs_test.py BUILD_DIRECTORY PROGRAM WORK_DIRECTORY COMPILER DOCUMENT...

Each document is followed from top to bottom in a folder of its own:
- a fenced block with a file name after the language (```yaml four_bar.yaml) becomes that file;
- a block of C++ is built against the installed package, by the document's own CMakeLists.txt where
  it has shown one, and run; a ```text block right after it is what it prints;
- in a ```console block, lines with a dollar sign are run, the lines between are what they print.

Printed lines must come in the order shown. Whole numbers must agree, except in rows of CSV files;
others may differ. A line with nothing but … stands for any lines. Commands end with status 0, unless
the document shows an error.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FENCE = re.compile(r"^```(\w+)[ ]*(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
DEFAULT_PROJECT = """cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES CXX)
find_package(sarrus REQUIRED)
add_executable(example example.cpp)
target_link_libraries(example PRIVATE sarrus::sarrus)
"""


def plain(line):
    """The line without what may differ from one machine to another."""
    is_row = line.count(",") >= 4  # of a CSV file
    hide = lambda number: "#" if is_row or not number[0].isdigit() else number[0]
    return " ".join(NUMBER.sub(hide, line).split())


class Reader:
    """Someone who does as the document says."""

    def __init__(self, document, folder, prefix, compiler):
        self.document, self.folder, self.prefix, self.compiler = document, folder, prefix, compiler
        self.line = 0

    def fail(self, what):
        sys.exit(f"{self.document}:{self.line}: {what}")

    def run(self, command, expected):
        # Make need not be there; Ninja is, because the project builds with it.
        environment = os.environ | {"CMAKE_GENERATOR": "Ninja"}
        result = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if (result.returncode == 0) == ("error:" in expected):
            self.fail(f"'{command}' ended with status {result.returncode}:\n{result.stdout}")
        self.compare(command, expected, result.stdout)

    def compare(self, command, expected, output):
        left = iter([plain(line) for line in output.splitlines()])
        for line in expected.splitlines():
            if plain(line) not in ("", "…") and plain(line) not in left:
                self.fail(f"'{command}' does not print, or not there:\n{line}\nbut:\n{output}")

    def compile(self, source, expected):
        project = self.folder / "CMakeLists.txt"
        own = project.exists()
        if not own:
            project.write_text(DEFAULT_PROJECT, encoding="utf-8")
        name = re.search(r"add_executable\((\w+) (\S+)\)", project.read_text(encoding="utf-8"))
        (self.folder / name[2]).write_text(source, encoding="utf-8")
        self.run(f"cmake -S . -B build -D CMAKE_PREFIX_PATH={self.prefix} "
                 f"-D CMAKE_CXX_COMPILER={self.compiler} && cmake --build build", "")
        self.run(f"build/{name[1]}", expected)
        if not own:
            project.unlink()

    def follow(self):
        text = Path(self.document).read_text(encoding="utf-8")
        blocks = list(FENCE.finditer(text))
        for block, after in zip(blocks, [*blocks[1:], None]):
            self.line = text.count("\n", 0, block.start()) + 1
            language, name, body = block.groups()
            if name:
                (self.folder / name).write_text(body, encoding="utf-8")
            if language == "cpp":
                close = after and after[1] == "text" and not text[block.end():after.start()].strip()
                self.compile(body, after[3] if close else "")
            elif language == "console":
                for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
                    self.run(command, expected)


def main():
    build, program, work, compiler = sys.argv[1:5]
    shutil.rmtree(work, ignore_errors=True)
    prefix = Path(work) / "prefix"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)
    os.environ.pop("SARRUS_SCENARIOS", None)
    for document in sys.argv[5:]:
        folder = Path(work) / Path(document).stem
        folder.mkdir(parents=True)
        (folder / "sarrus").symlink_to(program)
        Reader(document, folder, prefix, compiler).follow()


if __name__ == "__main__":
    main()
