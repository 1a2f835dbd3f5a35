#!/usr/bin/env python3
"""`sarrus reproduce`: finds studies in a source tree and runs them.

Usage: reproduce_test.py PROGRAM [unittest options]
"""

import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import ENVIRONMENT, HERE, CliTest  # noqa: E402

SOURCE = HERE.parents[1]
SCRIPT = """
import sys
print("called with", " ".join(sys.argv[1:]))
sys.exit({status})
"""


class Studies(CliTest):
    def reproduce(self, *arguments, source=None, **environment):
        return subprocess.run(
            [support.PROGRAM, "reproduce", *map(str, arguments)], text=True, capture_output=True,
            env=ENVIRONMENT | {"SARRUS_SOURCE": str(source or self.folder)} | environment,
            check=False)

    def write_study(self, name, status=0, page=True):
        for folder in ["tools/studies", "docs/studies"]:
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        script = self.folder / "tools/studies" / f"{name}.py"
        script.write_text(SCRIPT.format(status=status), encoding="utf-8")
        if page:
            (self.folder / "docs/studies" / f"{name}.md").write_text(f"# About {name}\n",
                                                                    encoding="utf-8")

    def test_studies_of_this_tree_are_listed(self):
        result = self.reproduce(source=SOURCE)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^augmented-dca +The examples of Malczyk and Frączek$")
        self.assertRegex(result.stdout,
                         r"(?m)^coordinate-reduction +The examples of Anderson and Critchley$")
        pages = {path.stem for path in (SOURCE / "docs/studies").glob("*.md")}
        self.assertEqual(len(result.stdout.splitlines()), len(pages))

    def test_script_runs_with_this_program(self):
        self.write_study("a_quick_one")
        self.write_study("helper", page=False)
        self.assertEqual(self.reproduce().stdout, "a-quick-one       About a_quick_one\n")
        program = Path(support.PROGRAM).resolve()
        for options in [[], ["--check"], ["--out", "some where"]]:
            result = self.reproduce("a-quick-one", *options)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout,
                             " ".join(["called with --program", str(program), *options]) + "\n")

    def test_failure_is_told(self):
        self.write_study("bad", status=1)
        result = self.reproduce("bad")
        self.assertEqual(result.returncode, 3)
        self.assertIn("the study 'bad' failed", result.stderr)

    def test_mistakes(self):
        self.assert_refused(self.reproduce(), 2, "no studies", "come with the source tree",
                            "SARRUS_SOURCE")
        self.write_study("quick")
        self.assert_refused(self.reproduce("quik"), 2, "did you mean 'quick'?")
        self.assert_refused(self.reproduce("quick", PATH="/nowhere"), 2, "cannot run python3",
                            os.strerror(2))


if __name__ == "__main__":
    support.main()
