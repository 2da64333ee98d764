"""A figure that was exported or saved, in pages of all kinds: their paper, keys, settings and frames."""

import pytest

from tests.widgets import showcase
from widgets.figure import one_file
from widgets.site.policy import POLICY

pytestmark = pytest.mark.browser

PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>a host</title><body>
<script type="module" src="host.js"></script></body></html>"""

HOST = """
import hooks, { show } from "./figure.mjs";
window.show = show;
/** Put markup into the page and a figure where `[data-here]` is, into its shadow tree if it is to have one. */
window.put = async (markup, styles = {}) => {
  document.body.innerHTML = markup;
  for (const node of [document.documentElement, document.body]) node.style.cssText = "";
  document.documentElement.style.cssText = styles.html ?? "";
  document.body.style.cssText = styles.body ?? "";
  const place = document.querySelector("[data-here]");
  await show(place.dataset.here === "shadow" ? place.attachShadow({ mode: "open" }) : place);
};
/** The same in an element that is in no page yet. */
window.make = async () => {
  const place = document.createElement("div");
  await show(place);
  return (window.place = place);
};
/** What a figure looks like: its theme, its paper, and the contrast of its text to what is behind it. */
window.look = () => {
  const trees = [document, ...[...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])];
  const box = trees.map((tree) => tree.querySelector(".fim-host")).find(Boolean);
  const [ink, paper] = [[".fim", "color"], [".fim-stage", "backgroundColor"]].map(([part, name]) =>
    getComputedStyle(box.querySelector(part))[name]);
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((n) => n / 255).map((n) =>
      n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const [a, b] = [light(ink), light(paper)];
  return { theme: box.dataset.theme, paper, contrast: Math.max(a / b, b / a),
    scheme: getComputedStyle(box).colorScheme };
};
/** A host's model that counts who listens to it. */
window.counting = async (settings) => {
  const listeners = new Map();
  const set = (event) => listeners.get(event) ?? listeners.set(event, new Set()).get(event);
  const model = { get: (key) => settings[key], set() {}, save_changes() {},
    on: (event, act) => set(event).add(act), off: (event, act) => set(event).delete(act) };
  const count = () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0);
  document.body.innerHTML = "<div></div>";
  const el = document.body.firstChild;
  const end = await hooks.render({ model, el });
  const during = count();
  end();
  return [during, count(), el.childElementCount];
};
window.ready = true;
"""

PLAIN = "<div data-here></div>"
PAPERS = {
    "a plain page": (PLAIN, {}, "light", "rgb(255, 255, 255)"),
    "a dark page that leaves its text black, as JupyterLab": (
        PLAIN,
        {"body": "background: #111"},
        "dark",
        "rgb(17, 17, 17)",
    ),
    "a dark page that says so by its root": (
        PLAIN,
        {"html": "background: #102030; color: #eee"},
        "dark",
        "rgb(16, 32, 48)",
    ),
    "a frame without paper on a dark page": (PLAIN, {"body": "color: #ccc"}, "dark", "rgb(18, 18, 18)"),
    "the same where the host names its paper, as VS Code": (
        PLAIN,
        {"html": "--vscode-editor-background: #1e1e2e", "body": "color: #ccc"},
        "dark",
        "rgb(30, 30, 46)",
    ),
    "a white card on a dark page, its text light": (
        f'<div style="background: #fff">{PLAIN}</div>',
        {"body": "background: #111; color: #eee"},
        "light",
        "rgb(255, 255, 255)",
    ),
    "a dark card on a light page": (
        f'<div style="background: #222a">{PLAIN}</div>',
        {"body": "background: #000"},
        "dark",
        "rgb(23, 23, 23)",
    ),
    "a shade on white paper": (
        f'<div style="background: rgb(0 0 0 / 10%)">{PLAIN}</div>',
        {},
        "light",
        None,
    ),
    "a shadow tree": (
        '<div data-here="shadow"></div>',
        {"body": "background: oklch(0.2 0.05 250)"},
        "dark",
        None,
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "figure.mjs").write_text(one_file.module(showcase.descends()))
    (folder / "host.js").write_text(HOST)
    (folder / "index.html").write_text(PAGE)
    return folder


@pytest.fixture
def page(folder, serve, open_page):
    page = open_page(f"{serve(folder, POLICY)}/index.html")
    page.wait_for_function("() => window.ready")
    return page


def finished(page):
    page.locator(".fim[data-state=done]").wait_for()


def value_of(page, name):
    """What a parameter of the page's figure stands at."""
    return page.locator(".fim").evaluate(
        "({ live }, name) => live.values()[live.spec.parameters.findIndex((one) => one.name === name)]", name
    )


def wait_for_theme(page, theme):
    page.wait_for_function("(theme) => look().theme === theme", arg=theme)
    look = page.evaluate("look()")
    assert look["contrast"] > 7
    assert look["scheme"] == theme


def test_a_figure_is_as_light_or_dark_as_the_paper_it_stands_on(page):
    looks = {}
    for name, (markup, styles, _, _) in PAPERS.items():
        page.evaluate("([markup, styles]) => put(markup, styles)", [markup, styles])
        looks[name] = page.evaluate("look()")
    expected = {name: (theme, paper or looks[name]["paper"]) for name, (_, _, theme, paper) in PAPERS.items()}
    assert {name: (look["theme"], look["paper"]) for name, look in looks.items()} == expected
    assert [name for name, look in looks.items() if look["contrast"] < 7] == []


def test_it_follows_a_paper_that_changes_in_any_way(page):
    page.evaluate("put('<main><div data-here></div></main>')")
    wait_for_theme(page, "light")
    page.evaluate("document.body.style.background = '#111'")
    wait_for_theme(page, "dark")
    page.evaluate("document.querySelector('main').style.background = 'white'")
    wait_for_theme(page, "light")
    page.evaluate(
        """() => {
          document.body.style.background = document.querySelector("main").style.background = "";
          document.head.append(Object.assign(document.createElement("style"), {
            textContent: "body[data-jp-theme-light=false] { background: #111 }" }));
          document.body.dataset.jpThemeLight = "false";
        }"""
    )
    wait_for_theme(page, "dark")
    page.evaluate("document.querySelector('style:last-of-type').textContent = ''")
    wait_for_theme(page, "light")
    page.evaluate("document.body.style.cssText = 'transition: background-color 0.2s; background: #111'")
    wait_for_theme(page, "dark")


def test_it_follows_where_it_is_attached_later_or_moved(page):
    page.evaluate("make()")
    page.evaluate("document.body.style.background = '#111'")
    page.evaluate("document.body.append(place)")
    wait_for_theme(page, "dark")
    page.evaluate(
        """() => {
          const card = document.body.appendChild(document.createElement("div"));
          card.style.background = "white";
          card.append(place);
        }"""
    )
    wait_for_theme(page, "light")
    page.evaluate("place.remove()")
    page.evaluate("document.body.append(place)")
    wait_for_theme(page, "dark")
    page.evaluate("document.body.style.background = 'white'")
    wait_for_theme(page, "light")


def test_a_host_hears_none_of_the_keys_that_a_figure_s_parts_are_given(page):
    page.evaluate(f"put({PLAIN!r})")
    finished(page)
    page.evaluate("window.heard = []; document.addEventListener('keydown', ({ key }) => heard.push(key))")
    parts = (
        ".fim-train",
        ".fim-curves > summary",
        ".fim-toolbar button",
        ".ctl-range",
        ".ctl-readout",
        ".fim-scrubber",
    )
    for part in parts:
        place = page.locator(f"{part}:visible").first
        place.focus()
        for key in ("b", "ArrowDown", "j"):
            page.keyboard.press(key)
    assert page.evaluate("heard") == []
    page.keyboard.press("Escape")
    page.keyboard.press("Control+e")
    assert page.evaluate("heard") == ["Escape", "Control", "e"]


def test_a_host_is_left_as_it_was(page):
    during, after, children = page.evaluate("counting({ rate: 0.5 })")
    assert during >= 4
    assert (after, children) == (0, 0)
    assert page.evaluate("counting({ rate: 0.5 })") == [during, 0, 0]


def test_an_element_that_is_none_and_a_setting_that_there_is_not_are_named(page, complaints):
    refused = "show({}).catch(({{ message }}) => message)"
    for wrong in ("null", "undefined", "'#here'"):
        said = page.evaluate(refused.format(wrong))
        assert f"element = {wrong.strip(chr(39))}: must be an element of the page" in said
    page.evaluate(f"document.body.innerHTML = {PLAIN!r}")
    page.evaluate("show(document.querySelector('[data-here]'), { tempo: 3, rate: 0.7 })")
    finished(page)
    said = page.get_by_role("alert").first.inner_text()
    assert said == "tempo: no such setting: must be among rate, start, steps, flip"
    assert value_of(page, "rate") == 0.7
    assert [complaint for complaint in complaints if "tempo" not in complaint] == []
    complaints.clear()


FRAME = """<!DOCTYPE html><html lang="en"><title>a host</title><script>
window.heights = [];
addEventListener("message", ({ data }) => {
  heights.push(data.height);
  document.querySelector("iframe").style.height = `${data.height}px`;
});
</script><iframe sandbox="allow-scripts" src="figure.html" title="a figure" style="border: 0; width: 100%"></iframe>"""


FITS = """() => {
  const parts = [...document.querySelectorAll(".ctl")].filter((part) => part.checkVisibility());
  const left = innerHeight - Math.max(...parts.map((part) => part.getBoundingClientRect().bottom));
  return innerHeight === document.documentElement.scrollHeight && left >= 0 && left <= 40;
}"""
"""Whether a frame shows all of its page, and little more."""


@pytest.mark.parametrize("width", [1280, 700, 390])
def test_a_frame_as_high_as_it_is_told_cuts_nothing_and_shrinks_again(tmp_path, open_page, width):
    source = one_file.module(showcase.descends())
    (tmp_path / "figure.html").write_text(one_file.page(source, "A figure"))
    (tmp_path / "host.html").write_text(FRAME)
    page = open_page((tmp_path / "host.html").as_uri(), viewport={"width": width, "height": 900})
    inside = page.frame_locator("iframe")
    inside.locator(".fim[data-state=done]").wait_for()
    (frame,) = page.main_frame.child_frames
    frame.wait_for_function(FITS)
    before = page.evaluate("heights.at(-1)")
    fold = inside.locator(".fim-check > summary")
    fold.click()
    page.wait_for_function("(before) => heights.at(-1) > before", arg=before)
    frame.wait_for_function(FITS)
    fold.click()
    page.wait_for_function("(before) => heights.at(-1) === before", arg=before)
    frame.wait_for_function(FITS)


def test_a_saved_page_has_a_title_of_its_own_and_one_figure_however_often_it_is_saved(tmp_path, open_page):
    figure = showcase.descends()
    assert figure.save(tmp_path / "down-the_slope.html") == tmp_path / "down-the_slope.html"
    figure.save(str(tmp_path / "named.html"), title="Steps & <slopes>")
    for name, title in (("down-the_slope", "Down the slope"), ("named", "Steps & <slopes>")):
        page = open_page((tmp_path / f"{name}.html").as_uri())
        finished(page)
        assert page.title() == title
    (tmp_path / "again.html").write_text(page.content())
    page.goto((tmp_path / "again.html").as_uri())
    finished(page)
    assert page.locator(".fim").count() == 1
    ids = page.locator("[id]").evaluate_all("(nodes) => nodes.map(({ id }) => id)")
    assert len(ids) == len(set(ids))


def test_a_figure_is_saved_where_its_controls_stand_and_as_a_kind_that_there_is(tmp_path, open_page):
    figure = showcase.descends()
    figure.controls["rate"].value = 1.5
    page = open_page(figure.save(tmp_path / "here.html").as_uri())
    finished(page)
    assert value_of(page, "rate") == 1.5
    assert figure.save(tmp_path / "here.mjs").read_text().endswith(one_file.EXPORTS)
    with pytest.raises(ValueError, match=r"here\.pdf: must end in \.html, \.mjs or \.js"):
        figure.save(tmp_path / "here.pdf")
    assert not (tmp_path / "here.pdf").exists()
