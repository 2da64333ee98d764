"""A figure as one module, on pages that know nothing of the book, and in hosts that give it little."""

from __future__ import annotations

import math

import pytest
import torch

from tests.widgets import showcase
from widgets import Loop, controls, export, live
from widgets.figure import one_file
from widgets.figure.agreement import CLOSE, unexplained
from widgets.figure.compiled import flatten
from widgets.site.policy import POLICY

HOST = """
import hooks, { show } from "./showcase.mjs";
window.show = (settings) => show(document.getElementById("here"), settings);
/** A host as MyST is: a shadow tree, and a model that gives settings and hears one event at a time. */
window.host = async (settings) => {
  const tree = document.getElementById("here").attachShadow({ mode: "open" });
  const el = tree.appendChild(document.createElement("div"));
  const model = new Proxy({}, { get: (_, name) => {
    if (name === "get") return (key) => settings[key];
    if (name === "on") return (event, act) => addEventListener(event, act);
    throw new Error(`this host has no ${name}`);
  } });
  const stop = await hooks.render({ model, el });
  window.moved = (key, value) => { settings[key] = value; dispatchEvent(new Event(`change:${key}`)); };
  return stop;
};
"""
TWO_WAY = """
/** A host that can be told what a reader moves. */
window.twoWay = async (settings) => {
  window.told = [];
  const model = { get: (key) => settings[key], on() {}, set(key, value) { told.push([key, value]); },
    save_changes() { told.push("saved"); } };
  await hooks.render({ model, el: document.getElementById("here") });
};
"""
STRICT = "default-src 'self'; style-src 'self'"
"""No style in the page's own text."""
PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>a page</title><body><div id="here"></div>
<script type="module" src="host.js"></script></body></html>"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    (folder / "showcase.mjs").write_text(one_file.module(showcase.descends()))
    (folder / "host.js").write_text(HOST + TWO_WAY)
    (folder / "index.html").write_text(PAGE)
    return folder


@pytest.fixture
def page(folder, serve, open_page):
    page = open_page(f"{serve(folder, POLICY)}/index.html")
    page.wait_for_function("!!window.show")
    return page


def finished(page):
    page.wait_for_selector(".fim[data-state=done]")
    return page


def test_a_module_written_by_the_command_is_the_figure_s_own_code(tmp_path, capsys):
    path = tmp_path / "descent.mjs"
    assert export.main(["tests.widgets.showcase:descends", "--out", str(path)]) == 0
    assert one_file.check(path.read_text(), showcase.descends()) == 0.0
    assert "settings: flip, rate, start, steps" in capsys.readouterr().out


@pytest.mark.parametrize(
    "instead", ["return[[[1]],", "return this.ours.map((x) => x + 1)} get ours() {return["]
)
def test_a_module_that_computes_something_else_is_refused(folder, instead):
    begin = "get numbers(){"
    source = (folder / "showcase.mjs").read_text().replace(f"{begin}return[", begin + instead, 1)
    with pytest.raises(RuntimeError, match="from torch at the defaults"):
        one_file.check(source, showcase.descends())


def lorenz(rate=0.1):
    """A chaotic flow of sums and products, which pages round like torch, but for what is reported."""

    def turn(place, p):
        x, y, z = place
        return torch.stack(
            [x + rate * (y - x), y + 0.01 * (x * (p.rho - z) - y), z + 0.01 * (x * y - 2.7 * z)]
        )

    start = torch.ones(3, dtype=torch.float64)
    loop = Loop(lambda p: start, turn, lambda place, p: {"place": place, "wave": torch.cos(place).sum()})
    return live(loop, rho=controls.linear(28, 0, 40, 1, "ρ"), steps=controls.whole(3000, 0, 4000, "steps"))


def logistic(growth=3.9):
    """The logistic map in sin², which pages round unlike torch; nothing but its start has other last digits."""

    def again(angle, p):
        x = torch.sin(angle) ** 2
        return torch.asin(torch.sqrt(growth * x * (1 - x)))

    loop = Loop(lambda p: torch.tensor(0.6, dtype=torch.float64), again, lambda angle, p: {"angle": angle})
    return live(loop, steps=controls.whole(400, 0, 500, "steps"))


@pytest.mark.parametrize(
    ("make", "wrong", "is_chaotic"), [(lorenz, 0.1 * (1 + 1e-7), False), (logistic, 3.9 * (1 + 1e-7), True)]
)
def test_a_chaotic_run_is_not_refused_for_its_last_digits_but_for_a_mistake(make, wrong, is_chaotic):
    figure = make()
    assert (one_file.check(one_file.module(figure), figure) > CLOSE) == is_chaotic
    with pytest.raises(RuntimeError, match="from torch at the defaults"):
        one_file.check(one_file.module(make(wrong)), figure)


def test_a_run_that_is_not_decided_says_so_in_the_figure(tmp_path, serve, open_page):
    def solved(tilt):
        matrix = torch.stack([torch.stack([tilt, 2 * tilt]), torch.tensor([1.0, 2], dtype=torch.float64)])
        matrix = matrix + torch.diag(torch.stack([tilt - 1, 0 * tilt]))
        return {"place": torch.arange(2.0).double(), "x": torch.linalg.solve(matrix, matrix[0])}

    figure = live(solved, tilt=controls.linear(2, 1, 3, 0.5, "tilt"))
    figure.save(tmp_path / "showcase.mjs")
    (tmp_path / "host.js").write_text(HOST + TWO_WAY)
    (tmp_path / "index.html").write_text(PAGE)
    page = open_page(f"{serve(tmp_path, POLICY)}/index.html")
    page.wait_for_function("!!window.show")
    page.evaluate("show({ tilt: 1 })")
    page.wait_for_selector(".fim[data-state=error]")
    assert page.locator(".fim-error").inner_text() == (
        "Not decided here: the matrix is singular, nearly singular or not finite."
    )
    page.locator("input[type=range]").press("End")
    finished(page)
    assert page.locator(".fim-error").is_hidden()


def test_numbers_are_excused_one_by_one():
    figure = logistic().figure
    values = {"steps": 400}
    numbers = flatten(figure.check([400]))
    assert unexplained(numbers, figure.program, values) < CLOSE
    late, early = numbers.clone(), numbers.clone()
    late[-2] += 0.01
    early[3] += 1e-8
    assert unexplained(late, figure.program, values) == 0
    assert unexplained(early, figure.program, values) == pytest.approx(1e-8, rel=0.5)
    assert unexplained(numbers[:-1], figure.program, values) == math.inf


def test_a_module_that_does_not_run_is_refused():
    with pytest.raises(RuntimeError, match="does not run"):
        one_file.check("export default {", showcase.descends())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("widgets.nowhere", "must be a page"),
        ("tests.widgets.showcase:nothing", "must be a page, or module:function"),
        ("tests.widgets.showcase:descent", "makes Program: must be what widgets.live returns"),
    ],
)
def test_what_makes_no_figure_is_named(name, said, capsys):
    with pytest.raises(SystemExit):
        export.main([name])
    assert said in capsys.readouterr().err


def test_formulas_need_no_fonts_and_statements_link_to_the_book():
    assert "<math" in one_file.module(showcase.figure())
    linked = one_file.module(showcase.descends(), "https://example.org/book/")
    assert '"href": "https://example.org/book/' in linked
    assert '"href": "' not in one_file.module(showcase.descends())


def test_it_says_whose_code_it_holds(folder):
    assert "d3-scale" in (folder / "showcase.mjs").read_text().partition("*/")[0]


@pytest.mark.browser
def test_it_is_live_on_any_page_at_the_settings_given(page):
    page.evaluate("show({ steps: 2 })")
    finished(page)
    page.locator(".fim-scrubber").last.fill("1000")
    page.locator(".fim-said", has_text="Too early to judge Lemma 1").wait_for()
    page.get_by_label("steps, at most").first.press("End")
    page.locator(".fim-said", has_text="Lemma 1 holds here.").wait_for()


@pytest.mark.browser
def test_a_host_that_gives_little_moves_it(page):
    page.evaluate("host({ rate: 0.5 })")
    finished(page)
    before = page.locator(".fim").inner_text()
    page.evaluate("moved('steps', 1)")
    page.wait_for_function(
        "before => document.getElementById('here').shadowRoot.querySelector('.fim').innerText !== before",
        arg=before,
    )
    assert (
        page.locator(".fim").evaluate("node => getComputedStyle(node.closest('.fim-live')).display")
        != "block"
    )


@pytest.mark.browser
def test_a_host_is_told_what_a_reader_moves(page):
    page.evaluate("twoWay({ steps: 3 })")
    finished(page)
    assert page.evaluate("told") == [], "what the host has set itself is no news to it"
    page.get_by_label("steps, at most").first.press("Home")
    page.wait_for_function("told.length")
    assert page.evaluate("told")[:2] == [["steps", 0], "saved"]


@pytest.mark.browser
@pytest.mark.parametrize("begin", ["show({})", "host({})"], ids=["page", "shadow"])
def test_it_is_styled_under_a_policy_without_inline_styles(folder, serve, open_page, begin):
    page = open_page(f"{serve(folder, STRICT)}/index.html")
    page.wait_for_function("!!window.show")
    page.evaluate(begin)
    finished(page)
    line = page.locator(".fim-live").evaluate("node => getComputedStyle(node).getPropertyValue('--fim-line')")
    assert line.strip() == "#e3e3e3"
    assert page.locator(".ctl-range").first.evaluate("node => getComputedStyle(node).touchAction") == "pan-y"


@pytest.mark.browser
@pytest.mark.parametrize("begin", ["show({})", "host({})"], ids=["page", "shadow"])
def test_it_is_as_dark_as_its_host(page, begin):
    page.evaluate(begin)
    finished(page)

    def theme():
        return page.locator(".fim-host").evaluate(
            "node => [node.dataset.theme, getComputedStyle(node).getPropertyValue('--fim-ink')]"
        )

    assert theme() == ["light", "#222222"]
    page.evaluate("document.body.style.cssText = 'color: #eee; background: #102030'")
    page.wait_for_function(
        "[document, document.getElementById('here').shadowRoot].some("
        "(tree) => tree?.querySelector('.fim-host[data-theme=dark]'))"
    )
    assert theme() == ["dark", "#f0f0f0"]
    paper = page.locator(".fim-stage").first.evaluate("node => getComputedStyle(node).backgroundColor")
    assert paper == "rgb(16, 32, 48)"
    page.evaluate("document.body.style.cssText = ''")
    page.wait_for_function(
        "[document, document.getElementById('here').shadowRoot].some("
        "(tree) => tree?.querySelector('.fim-host[data-theme=light]'))"
    )


@pytest.mark.browser
def test_a_setting_out_of_its_range_is_refused_at_its_control(page):
    page.evaluate("show({ rate: -7 })")
    page.locator(".ctl-problem", has_text="please.").first.wait_for()
    assert page.locator(".ctl-problem:visible").all_inner_texts() == ["Learning rate η: 0.01 to 3, please."]


def test_a_page_of_one_file_works_from_a_disk_and_in_a_sandboxed_frame(tmp_path, open_page, capsys):
    path = tmp_path / "descent.mjs"
    export.main(["tests.widgets.showcase:descends", "--out", str(path), "--html"])
    _, snippet = capsys.readouterr().out.split("without a script: ")
    assert (tmp_path / "descent.js").read_text() == path.read_text()
    alone = open_page((tmp_path / "descent.html").as_uri())
    finished(alone)
    (tmp_path / "bare.html").write_text(f'<!DOCTYPE html><html lang="en"><title>a host</title>{snippet}')
    bare = open_page((tmp_path / "bare.html").as_uri())
    bare.frame_locator("iframe").locator(".fim[data-state=done]").wait_for()
    (tmp_path / "host.html").write_text(
        '<!DOCTYPE html><html lang="en"><title>a host</title>'
        "<script>window.heights = []; addEventListener('message', ({ data }) => heights.push(data))</script>"
        '<iframe sandbox="allow-scripts" src="descent.html" title="descent" width="900" height="700"></iframe>'
    )
    host = open_page((tmp_path / "host.html").as_uri())
    host.frame_locator("iframe").locator(".fim[data-state=done]").wait_for()
    host.wait_for_function(
        "heights.some(({ subject, height }) => subject === 'lti.frameResize' && height > 300)"
    )
    assert host.evaluate("heights.some(({ from }) => from === 'facts-in-motion')")
