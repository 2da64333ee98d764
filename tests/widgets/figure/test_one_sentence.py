"""What ``live`` refuses is one sentence at the author's line, in a notebook and in a terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tests import ROOT

REFUSED = {
    "ValueError: line 5 of {}, `live(f, b=slider)`: settings = ['b']: must be exactly ['a']": (
        "import torch\nfrom widgets import controls, live\nslider = controls.linear(1, 0, 2, 0.1, 'a')\n"
        "f = lambda a: a * torch.ones(3)\nlive(f, b=slider)"
    ),
    "UnsupportedOperation: kernel 'report': line 6 of {}, `x.data`: .data of shape": (
        "import torch\nfrom widgets import controls, live\nslider = controls.linear(1, 0, 2, 0.1, 'a')\n"
        "def f(a):\n    x = a * torch.ones(3, dtype=torch.float64)\n    x.data = torch.zeros(2)\n    return x\n"
        "live(f, a=slider)"
    ),
}
AUTHORS = (
    "import torch\nfrom widgets import controls, live\n"
    "def f(a):\n    return a * torch.ones(3) @ torch.ones(4)\n"
    "live(f, a=controls.linear(1, 0, 2, 0.1, 'a'))"
)


def in_a_notebook(code: str) -> list[str]:
    """What a cell with this code prints."""
    shell = InteractiveShell()
    with capture_output() as captured:
        shell.run_cell(code)
    return [line for line in captured.stdout.splitlines() if line.strip()]


def in_a_terminal(code: str, tmp_path) -> list[str]:
    script = tmp_path / "mine.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr.replace("\r", "\n").strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sentence", REFUSED)
def test_a_refusal_is_one_sentence_in_a_notebook_and_in_a_terminal(sentence, tmp_path):
    (line,) = in_a_notebook(REFUSED[sentence])
    assert line.startswith(sentence.format("the cell"))
    line = in_a_terminal(REFUSED[sentence], tmp_path)[-1]
    assert line.startswith(sentence.format("mine.py"))
    assert "Traceback" not in line


@pytest.mark.filterwarnings("ignore")
def test_an_error_of_the_authors_own_keeps_its_traceback(tmp_path):
    assert "return a * torch.ones(3) @ torch.ones(4)" in "\n".join(in_a_terminal(AUTHORS, tmp_path))
