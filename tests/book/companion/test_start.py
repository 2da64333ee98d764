"""A companion to another paper: laid out by the installed packages, it builds, passes its tests and is live."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from book.companion import build, start
from book.errors import BadInput
from book.ledger.web import exports
from tests import DESKTOP
from widgets.release import press

PAGE = "book/linear/curves"
COMPANION = press.COMPANION
MOST_BYTES = 1_000_000
SAID = ".fim-verdict .fim-said"


@pytest.fixture(scope="session")
def wheel(installed) -> Path:
    """The package for companions, installed beside that of the figures."""
    return installed.add(COMPANION.name)


@pytest.fixture(scope="session")
def companion(installed, wheel) -> Path:
    """A companion as ``start`` lays it out."""
    installed.run("-m", "livetorch", "start", "my-companion")
    return installed.folder / "my-companion"


@pytest.fixture(scope="session")
def built(installed, companion) -> Path:
    """The pages of the companion."""
    installed.make(companion, "book")
    return companion / "_build" / "html"


def test_the_wheel_has_one_name_and_nothing_that_the_figures_bring(installed, wheel):
    with ZipFile(wheel) as ours, ZipFile(installed.wheel) as below:
        names = {name for name in ours.namelist() if name.startswith(f"{press.NAME}/")}
        texts = {name: ours.read(name).decode() for name in names if name.endswith(".py")}
        assert not names & set(below.namelist())
    assert wheel.stat().st_size <= MOST_BYTES
    found = {
        name: re.findall(r"(?:from|import|python -m) (?:widgets|lib|book)\b", text)
        for name, text in texts.items()
        if "/companion/templates/" not in name
    }
    assert {name: words for name, words in found.items() if words} == {}


def test_it_has_one_theorem_that_is_confirmed_and_hunted_in(companion):
    (entry,) = json.loads((companion / "book" / "data" / "statements.json").read_text())
    (hunt,) = json.loads((companion / "book" / "data" / "hunt.json").read_text())
    assert (entry["verdict"], entry["page"]) == ("confirmed", PAGE)
    assert [check["passes"] for check in entry["checked"]] == [True] * 3
    assert hunt["drawn"].count("h") >= build.TRIES
    assert all(hunt["reached"].values()), "no hypothesis whose border was not reached"
    assert "My companion" in (companion / "_config.yml").read_text()


def test_a_run_at_the_command_line_says_which_hypothesis_fails(installed, companion):
    said = installed.run("-m", "livetorch", "at", "linear.learning-curve", "imbalance=1", folder=companion)
    assert "Does not apply here: the layers start out of balance" in said


def test_what_is_missing_is_said(installed, companion):
    said = missing(installed, companion)
    for file in (
        "CITATION.cff",
        "_config.yml",
        "book/index.md",
        "book/linear/index.ipynb",
        "book/linear/paper.toml",
    ):
        assert f"{file}\n  still speaks of what the companion began with" in said
    assert "1 statement\n    5  still" in said, "nothing else is missing"


def missing(installed, companion) -> str:
    with pytest.raises(RuntimeError) as refused:
        installed.run("-m", "livetorch", "missing", folder=companion)
    return str(refused.value)


def test_a_misspelt_name_in_a_box_is_said(installed, companion):
    page = companion / f"{PAGE}.ipynb"
    before = page.read_text()
    page.write_text(before.replace("{by}`balanced`", "{by}`balancd`", 1))
    try:
        said = missing(installed, companion)
        assert (
            "has a fault in its box: {by}`balancd`: must be setting, proved, not tested: why, or one of"
            in said
        )
        with pytest.raises(RuntimeError, match=r"\{by\}`balancd`"):
            installed.run("-m", "livetorch", "at", "linear.learning-curve", folder=companion)
    finally:
        page.write_text(before)


def test_the_blocks_of_a_page_are_listed(installed, companion):
    said = installed.run("-m", "livetorch", "blocks", folder=companion)
    words = json.loads((companion / f"{PAGE}.ipynb").read_text())["cells"][-1]["source"]
    kinds = set(re.findall(r"```\{(\w+)\}", "".join(words)))
    assert kinds
    assert all(f"```{{{kind}}}" in said for kind in kinds)


def test_its_chapter_gets_another_name_by_the_commands_of_its_readme(installed, companion, tmp_path):
    renamed = tmp_path / "renamed"
    shutil.copytree(companion, renamed, ignore=shutil.ignore_patterns("_build", ".git"))
    commands = re.search(r"by\n\n((?:    .+\n)+)\nand `make book`", (renamed / "README.md").read_text())
    assert commands
    subprocess.run(["bash", "-ec", commands[1]], cwd=renamed, check=True)
    left = subprocess.run(
        ["grep", "-rlIE", r"linear[./][a-z]|[./]linear\b", *SOURCES], cwd=renamed, capture_output=True
    )
    assert left.stdout == b""
    said = installed.run("-m", "livetorch", "at", "attention.learning-curve", "imbalance=1", folder=renamed)
    assert "Does not apply here: the layers start out of balance" in said


SOURCES = ("book", "lib", "tests", "_toc.yml")


def test_it_builds_and_passes_its_tests(installed, companion, built):
    assert " passed" in installed.make(companion, "test")


def test_a_badge_and_a_card_say_how_many_statements_hold(built):
    assert "1 of 1 hold" in (built / "s" / "badge.svg").read_text()
    card = (built / "s" / "card.svg").read_text()
    assert "My companion" in card
    assert "1 confirmed" in card


def test_a_badge_says_how_many_hold_only_once_amended_and_how_many_do_not():
    verdicts = ["confirmed", "confirmed after correction", "not reproduced", "in use", "not testable here"]
    drawn = exports.drawn("A book", verdicts)
    assert "statements: 1 of 3 hold, 1 hold once amended, 1 do not" in drawn["badge"]
    assert "5 statements, 3 of them run and measured, with a verdict that can fail" in drawn["card"]


def test_its_archive_has_the_sources_and_the_book(installed, companion, built):
    for command in (
        "init",
        "add .",
        "-c user.name=author -c user.email=author@localhost commit --message all",
    ):
        subprocess.run(["git", *command.split()], cwd=companion, check=True, capture_output=True)
    installed.make(companion, "archive")
    with ZipFile(companion / "_build" / "my-companion-sources.zip") as sources:
        assert {"Makefile", "CITATION.cff", f"{PAGE}.ipynb"} <= set(sources.namelist())
    with ZipFile(companion / "_build" / "my-companion-book.zip") as book:
        assert f"{PAGE}.html" in book.namelist()


def test_a_changed_word_is_in_the_served_page(installed, companion, built):
    page = companion / f"{PAGE}.ipynb"
    before = page.read_text()
    with installed.running("-m", "livetorch", "serve", "0", folder=companion) as lines:
        (address,) = re.findall(r"http://[\d.:]+", next(line for line in lines if "http://" in line))
        page.write_text(
            before.replace("When is each mode learned?", "When is each mode learned, once more?", 1)
        )
        assert next(line for line in lines if "built in" in line).startswith("built in")
        with urlopen(f"{address}/{PAGE}.html") as answer:
            assert "once more" in answer.read().decode()
    page.write_text(before)


@pytest.mark.browser
def test_its_page_is_live_offline_and_the_verdict_fails_with_the_hypothesis(built, browser):
    context = browser.new_context(viewport=DESKTOP, offline=True, reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((built / f"{PAGE}.html").as_uri())
    page.locator(".fim[data-state=done]").wait_for()
    page.evaluate("() => document.querySelector('.fim').live.scene.goTo(1)")
    page.locator(SAID, has_text="✓").wait_for()
    page.locator(".url-imbalance input[type=range]").press("End")
    page.locator(SAID, has_text="Does not apply here: the layers start out of balance").wait_for()
    assert page.locator(".math mjx-container, mjx-container").count(), (
        "formulas are typeset without a network"
    )
    assert errors == []
    context.close()


def test_it_declares_what_it_imports():
    """What the package of the figures declares comes with it."""
    ours = {
        normal(name) for name in (*COMPANION.project["dependencies"], *press.FIGURES.project["dependencies"])
    }
    owners = packages_distributions()
    for path in press.modules_of(COMPANION):
        for name in imported(path) - {"book", "lib", "widgets"} - sys.stdlib_module_names:
            if name != "distributed":  # asked for by name, with the way to install it
                assert {normal(owner) for owner in owners[name]} & ours, f"{path.name}: {name}"


def imported(path: Path) -> set[str]:
    """The packages that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


@cache
def normal(requirement: str) -> str:
    return re.split(r"[<>=\[ ;]", requirement)[0].lower().replace("_", "-")


@pytest.mark.parametrize("name", ["My-Companion", "my_companion", "1st", "-a", "a--b", "a b", "a."])
def test_a_name_that_cannot_be_used_is_refused(name, tmp_path):
    with pytest.raises(BadInput, match="its name must be small letters and digits, with hyphens"):
        start.check(str(tmp_path / name))


def test_a_folder_that_is_there_or_has_no_place_is_refused(tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(BadInput, match="must be new, and is there already"):
        start.check(str(tmp_path / "there"))
    with pytest.raises(BadInput, match="must lie in a folder that is there"):
        start.check(str(tmp_path / "nowhere" / "there"))


def test_nothing_is_left_where_its_statement_does_not_come_out(installed, wheel, tmp_path):
    page = installed.libraries / press.NAME / "companion" / "templates" / PAGE / "statements.py"
    text = page.read_text()
    page.write_text(text.replace("at_most(0.05", "at_most(0.001"))
    try:
        with pytest.raises(RuntimeError, match="the companion is not made, nothing of it is left"):
            installed.run("-m", press.NAME, "start", str(tmp_path / "my-companion"))
    finally:
        page.write_text(text)
    assert list(tmp_path.iterdir()) == []


def test_the_repository_itself_starts_none(tmp_path):
    """Its commands would examine its own statements."""
    with pytest.raises(BadInput, match="must be that of the installed packages"):
        start.main(str(tmp_path / "my-companion"))
    assert list(tmp_path.iterdir()) == []


def test_the_template_names_no_module_of_the_repository():
    for path in start.TEMPLATE.rglob("*"):
        if path.is_file() and path.suffix in start.TEXTS:
            assert not re.search(r"\bwidgets\.\w|book\.ledger|python -m book", path.read_text()), path
