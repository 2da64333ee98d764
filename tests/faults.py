"""``python -m tests.faults [NAME …]``: plant faults, each in a copy of the tree, and count those that the tests find.

A fault is one change of one file. Only the tests that stand where the fault is are run. ``--suite COMMIT`` takes the
tests from another commit, to compare two suites; ``--list`` prints the faults, and whether each can still be planted.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests import ROOT

LINKED = (".venv", "_build", "widgets/node_modules")
"""What a copy shares with the tree: it is large, and no fault changes it."""
FOUND, MISSED = 1, 0
"""The exit status of pytest where a test fails, and where all pass."""


class Fault(NamedTuple):
    """A change that tests should find."""

    file: str
    old: str
    new: str
    tests: str
    """What pytest is given, but for the root."""


ESCAPE = "book/recall/escape"
AGREEMENT = "tests/book/test_agreement.py -k recall.escape"
STATEMENTS = "tests/book/ledger/test_statements.py"
FAULTS = {
    "a wrong sign in a loss": Fault(
        "lib/recall/escape.py",
        "-2 * (v1 - v3) * (v2 - v4)",
        "2 * (v1 - v3) * (v2 - v4)",
        "tests/lib/recall/test_escape.py",
    ),
    "a domain without its upper end": Fault(
        "lib/domain.py", "number <= self.high", "number < self.high", "tests/lib/test_domain.py"
    ),
    "seeds that share numbers": Fault(
        "lib/noise.py", "seed * STRIDE", "seed * (STRIDE - 1)", "tests/lib/test_noise.py"
    ),
    "a stage one step short": Fault(
        "lib/program.py", "range(1, limit + 1)", "range(1, limit)", "tests/lib/test_program.py"
    ),
    "runs side by side one step long": Fault(
        "lib/program.py", "(limits <= taken)", "(limits < taken)", "tests/lib/test_program.py"
    ),
    "a rare operation mistranslated": Fault(
        "widgets/translate/aten.py",
        "1 / (1 + Math.exp(-{0:6}))",
        "1 / (1 + Math.exp({0:6}))",
        "tests/widgets/translate/test_trace.py -k unary",
    ),
    "a special function off in the seventh digit": Fault(
        "widgets/translate/aten.py",
        "1.1283791670955126",
        "1.1283792670955126",
        "tests/widgets/translate/test_trace.py -k special",
    ),
    "two outcomes exchanged": Fault(
        "book/ledger/decide.py",
        'torch.where(concluded, number("beyond"), number("outside"))',
        'torch.where(concluded, number("outside"), number("beyond"))',
        f"{STATEMENTS} -k five_things",
    ),
    "a hypothesis that says nothing counts as broken": Fault(
        "book/ledger/decide.py",
        "(lights > 0.25).all(), (holds",
        "(lights > 0.75).all(), (holds",
        f"{STATEMENTS} tests/widgets/figure/test_verdict.py -k 'not holds_where'",
    ),
    "a contradiction in green": Fault(
        "widgets/src/run/verdict.js",
        'return exists ? "warn" : "bad"',
        'return "good"',
        "tests/widgets/figure/test_verdict.py",
    ),
    "a run that is not judged by all its lights": Fault(
        "widgets/src/run/verdict.js",
        "(light) => light !== 0 && light !== 1",
        "(light) => light !== 0 && light === 1",
        AGREEMENT,
    ),
    "two cases of a caption exchanged": Fault(
        f"{ESCAPE}/figure.py",
        '"not perturbed": lambda r, p: ~is_perturbed(r, p),',
        '"not perturbed": lambda r, p: ~has_left(r, p) & r.undecided,',
        "tests/book/recall/test_escape.py -k no_push",
    ),
    "a typed number in a caption": Fault(
        f"{ESCAPE}.ipynb",
        "the loss is below log 2, and it ends at {end_loss}.",
        "the loss is below log 2, and it ends at 0.567.",
        "tests/book/test_prose.py",
    ),
    "a card beyond its slider": Fault(
        f"{ESCAPE}.ipynb",
        ":set: temperature=0.087",
        ":set: temperature=87",
        "tests/widgets/figure/test_figures.py -k recall.escape",
    ),
    "a number without a place in a caption": Fault(
        "widgets/src/view/captions.js",
        "record[field]?.[component ?? 0]",
        "record[field]?.[component ?? 1]",
        "tests/widgets/figure/test_captions.py",
    ),
    "a thousand with its comma one digit off": Fault(
        "widgets/src/run/format.js",
        r"(?:\d{3})+$",
        r"(?:\d{2})+$",
        "tests/widgets/figure/test_captions.py",
    ),
    "a map off by one cell": Fault(
        "widgets/src/run/map_axis.js",
        "next - 0.5 + share",
        "next + 0.5 + share",
        "tests/widgets/figure/test_map.py",
    ),
    "a map whose logarithmic axis is not": Fault(
        "widgets/src/run/map_axis.js",
        "(isLog ? Math.log(value) : value)",
        "(isLog ? value : value)",
        "tests/widgets/figure/test_map.py",
    ),
    "a policy that leaves scripts in the text": Fault(
        "widgets/site/policy.py",
        r"(?:src|type)=)[^>]*)>(.*?)</script>",
        r"(?:src|type|async)=)[^>]*)>(.*?)</scripts>",
        "tests/widgets/site/test_policy.py",
    ),
    "a clause of a verdict without plain words": Fault(
        f"{ESCAPE}.ipynb",
        r'"loss L₁ at the end: the loss ends at {measured[0]}, not below log 2\n",',
        "",
        AGREEMENT,
    ),
    "a bound the wrong way round": Fault(
        f"{ESCAPE}/statements.py",
        "below(math.log(2), r.end_loss",
        "above(math.log(2), r.end_loss",
        f"{STATEMENTS} -k recall.lemma-6",
    ),
    "a check that cannot fail": Fault(
        f"{ESCAPE}/statements.py",
        'fails_at={"temperature": 0.087},',
        'fails_at={"temperature": 0.05},',
        f"{STATEMENTS} -k recall.lemma-6",
    ),
    "a hypothesis left out": Fault(
        f"{ESCAPE}/statements.py",
        '"small_steps": SMALL_STEPS,\n    },\n    settled={"settled": ("steps enough for stage 2',
        '},\n    settled={"settled": ("steps enough for stage 2',
        f"{STATEMENTS} tests/book/ledger/test_clauses.py -k recall.lemma-6",
    ),
    "a rounded number in the table of statements": Fault(
        "book/data/statements.json",
        '"measured": 0.9767018916940524',
        '"measured": 0.98',
        f"{STATEMENTS} -k recall.more-steps",
    ),
    "a finding edited by hand": Fault(
        "book/data/statements.json",
        "nothing is lost: the least probability of $r^*$",
        "nothing is lost: the greatest probability of $r^*$",
        f"{STATEMENTS} -k 'recall.more-steps or stale or code'",
    ),
    "a proof that does not hold": Fault(
        f"{ESCAPE}/proofs/curvature.py",
        "sp.simplify(curvature - ours) == 0",
        "sp.simplify(curvature - ours) == 1",
        f"{STATEMENTS} -k recall.lemma-6",
    ),
    "a lower floor that imports an upper one": Fault(
        "lib/noise.py", "import torch\n", "import torch\n\nimport widgets\n", "tests/test_house.py"
    ),
    "two modules that import each other": Fault(
        "widgets/figure/registry.py",
        "from lib.program import Program\n",
        "from lib.program import Program\nfrom widgets.figure import live\n",
        "tests/test_house.py -k circle",
    ),
    "a result that does not rest on what it imports": Fault(
        "book/code_hash.py",
        "queue.append(names.imported[place[1]])",
        "pass",
        "tests/book/test_code_hash.py",
    ),
    "a challenge that is met on the wrong side": Fault(
        "widgets/goals.py", '"<=": operator.le', '"<=": operator.ge', "tests/book/ledger/test_grade.py"
    ),
}


def plant(fault: Fault, root: Path) -> None:
    """Make the change in a copy of the tree.

    Raises:
        ValueError: the file does not have the text.
    """
    path = root / fault.file
    text = path.read_text()
    if fault.old not in text:
        raise ValueError(f"{fault.file} has no {fault.old!r}: must be a text that it has")
    path.write_text(text.replace(fault.old, fault.new, 1))


def copy(root: Path, suite: str) -> None:
    """The tree as it stands, in an empty folder, with the tests of a commit if one is named."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\0"
    ):
        if name and (ROOT / name).is_file() and not (suite and name.startswith("tests/")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    if suite:
        archive = subprocess.run(
            ["git", "archive", suite, "tests"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x"], cwd=root, input=archive.stdout, check=True)
    for name in LINKED:
        if (ROOT / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to((ROOT / name).resolve())


def status(fault: Fault, suite: str) -> int:
    """The exit status of the tests with the fault planted."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy(root, suite)
        plant(fault, root)
        command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {fault.tests}"
        environment = {**os.environ, "PYTHONPATH": folder}
        return subprocess.run(
            command,
            shell=True,
            cwd=root,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        ).returncode


def main() -> int:
    """Plant each fault and say whether it was found; 1 if one was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all, if none is named")
    parser.add_argument("--suite", default="", metavar="COMMIT", help="whose tests, if not those of the tree")
    parser.add_argument("--list", action="store_true", help="only say what can be planted")
    given = parser.parse_args()
    if unknown := set(given.names) - set(FAULTS):
        parser.error(f"NAME = {', '.join(sorted(unknown))}: must be among {', '.join(FAULTS)}")
    missed = 0
    for name in given.names or FAULTS:
        if given.list:
            there = FAULTS[name].old in (ROOT / FAULTS[name].file).read_text()
            print(f"{'can be planted' if there else 'is out of date':<16}{name}")
            missed += not there
            continue
        outcome = status(FAULTS[name], given.suite)
        print(
            {FOUND: "found", MISSED: "missed"}.get(outcome, f"status {outcome}").ljust(16) + name, flush=True
        )
        missed += outcome != FOUND
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
