"""Every page of the built book in a real Chromium, other hosts blocked: its figures live and right."""

import functools
import gzip
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe

from tests import DESKTOP, HTML, PHONE
from tests.browser.book import demos_of, go, live_pages, pages, shown
from tests.browser.reading import (
    CLOSE,
    CUT,
    HIDING,
    OUT_OF_REACH,
    SETTLED,
    THIRDS,
    TOUCHING,
    open_settings,
    settled,
    unfold,
)
from tests.figures import defaults, few, shortened
from tests.widgets.program import in_the_page
from widgets.figure.agreement import distance

CONTROLS = """.ctl-root :is(.ctl-range, input[type=checkbox], input[type=radio]:checked, .ctl-toggle,
  select:not(.fim-which))"""
KEYS = {
    "range": ("ArrowRight", "ArrowLeft", "End", "Home"),
    "checkbox": ("Space",),
    "radio": ("ArrowRight", "ArrowLeft"),
    "select-one": ("ArrowDown", "ArrowUp", "End", "Home"),
    "button": ("Enter",),
}
MOST_BYTES = 640_000
MOST_SHEETS = 3
ENLARGED = {"width": 320, "height": 256}
"""What a laptop of 1280 by 1024 shows at 400 %: nothing may need two directions of scrolling."""
PRESSES = 3
"""Presses of an arrow key: a single step may be too small to see."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.mark.parametrize("path", pages())
def test_a_page_opens_as_a_file_and_fits_a_desktop_and_three_sheets(stand_at, path):
    page = stand_at(path)
    if path in live_pages():
        settled(page)
        assert sheets(page) <= MOST_SHEETS
    assert_opened(page, path)
    assert_fits(page)
    assert_accessible(page, path)


def sheets(page) -> int:
    """On how many sheets of paper the page is printed."""
    page.evaluate("factsRuntime.paper")
    margins = dict.fromkeys(("top", "bottom", "left", "right"), "12mm")
    return page.pdf(format="A4", margin=margins).count(b"/Type /Page\n")


@pytest.mark.parametrize("path", pages())
def test_a_page_fits_a_phone_and_a_tap_moves_its_first_slider(open_page, home, path):
    page = open_page(f"{home}/{path}", viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="dark")
    if path in live_pages():
        settled(page)
    assert weight(page) <= MOST_BYTES
    assert_opened(page, path)
    assert_fits(page)
    assert page.evaluate(OUT_OF_SIGHT) == []
    assert page.evaluate(OUT_OF_REACH) == []
    if path in live_pages():
        assert_accessible(page, path)
        assert_tap_moves_the_first_slider(page)
        page.set_viewport_size(ENLARGED)
        page.wait_for_function(f"() => {SIDEWAYS} <= 1")  # drawings take their new width one by one
        page.set_viewport_size(PHONE)


def weight(page) -> int:
    """The bytes of the page and of all that it has loaded, compressed as a server sends them.

    But for the fonts of formulas, which the whole book shares: how many have come by now is a matter of chance.
    """
    places = page.evaluate(
        "() => [location, ...performance.getEntriesByType('resource')].map((e) => e.name ?? e.href)"
    )
    own = {place for place in places if "/formulas/MathJax_" not in place}
    return sum(compressed(HTML / unquote(urlsplit(place).path.lstrip("/"))) for place in own)


@functools.cache
def compressed(path) -> int:
    data = path.read_bytes()
    return min(len(data), len(gzip.compress(data)))


REMEMBER = """(() => {
  const { prototype } = axe.commons.color.Color, { parseString } = prototype, known = new Map();
  prototype.parseString = function (text) {
    if (known.has(text)) [this.r, this.g, this.b, this.alpha] = known.get(text);
    else parseString.call(this, text);
    known.set(text, [this.r, this.g, this.b, this.alpha]);
    return this;
  };
})();"""
"""Each colour is read once: axe reads the same few for every text, which takes a quarter of its time."""
AXE = Axe(AXE_SCRIPT + REMEMBER)
LEVELS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
    "preload": False,  # axe would ask for style sheets by addresses of its own
}
SHORTEN = """(most) => {
  const signs = new Map(), times = new Map(), repeated = new Set();
  const compared = ['class', 'style', 'role', 'dir', 'tabindex'];
  const repeats = (node) => {
    const attributes = [...node.attributes].map(({ name, value }) => (
      compared.includes(name) ? `${name}=${value}` : name));
    const kind = `${node.localName} ${attributes} ${node.textContent.trim() !== ''}`;
    const sign = `${signs.get(node.parentElement)} > ${kind}`;
    signs.set(node, sign);
    times.set(sign, (times.get(sign) ?? 0) + 1);
    const below = node.localName === 'mjx-container' || [...node.children].map(repeats).every(Boolean);
    if (below && times.get(sign) > most) repeated.add(node);
    return repeated.has(node);
  };
  repeats(document.body);
  const outermost = [...repeated].filter((node) => !repeated.has(node.parentElement));
  window.rest = outermost.map((node) => {
    const place = document.createComment('');
    node.replaceWith(place);
    return [place, node];
  });
}"""
"""Leave out more of the same: elements of one kind, with the same attributes, in the same place of the same ones, with
text or without; and with nothing in them that is not the same, too."""
ALIKE = 3
"""Elements of each kind that axe sees."""
WHOLE = "() => window.rest.forEach(([place, node]) => place.replaceWith(node))"


def assert_accessible(page, path):
    """Whether axe finds nothing against WCAG 2.2, level AA: first with much left out, and if that is wrong, in all."""
    page.evaluate(SHORTEN, ALIKE)
    shortened = violations(page)
    page.evaluate(WHOLE)
    if shortened:
        page.reload()
        assert_opened(page, path)
        assert violations(page) == []


def violations(page) -> list[tuple[str, list[str]]]:
    """What axe finds at the page's end: there no bar lies over a button, once the header scrolls with the page."""
    page.evaluate("document.querySelector('.bd-header-article').style.position = 'static'")
    page.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
    page.wait_for_function(AT_REST)  # the source of a cell that was just unfolded fades in
    broken_rules = AXE.run(page, options=LEVELS).response["violations"]
    page.evaluate("document.querySelector('.bd-header-article').style.position = ''")
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in broken_rules]


AT_REST = "() => document.getAnimations().every(({ playState }) => playState !== 'running')"


def assert_opened(page, path):
    """Whether the page is whole, formulas and figures; the fixture hears complaints and foreign requests."""
    assert page.locator("h1").first.inner_text().strip()
    if path in live_pages():
        settled(page)
        unfold(page)
    if page.locator(".math").count():
        formulas = page.locator("mjx-container >> visible=true")
        if not formulas.count():
            page.locator(".bd-article :is(details, .toggle-hidden)").evaluate_all(
                "(folds) => folds.forEach((fold) => { fold.open = true; fold.classList.remove('toggle-hidden'); })"
            )
        assert formulas.count()


def assert_fits(page):
    """Whether nothing needs scrolling sideways, no two texts of an axis overlap and none is cut off."""
    assert page.evaluate(SIDEWAYS) <= 1
    assert page.evaluate(TOUCHING) == []
    assert page.evaluate(HIDING) == []
    assert page.evaluate(CUT) == []


SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
OUT_OF_SIGHT = """() => [...document.querySelectorAll('.tag_stacked td')]
  .filter((cell) => cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.textContent)"""


def first_slider(page):
    """The first slider that is shown; on a phone a list chooses which control is."""
    sliders, which = page.locator(".ctl-range:visible"), page.locator(".fim-which").first
    for place in range(page.locator(".fim-which option").count()):
        if sliders.count():
            break
        which.select_option(index=place)
    return sliders.first


def assert_tap_moves_the_first_slider(page):
    settled(page)
    open_settings(page)
    slider = first_slider(page)
    slider.scroll_into_view_if_needed()
    box, before = slider.bounding_box(), settings(page)
    share = 0.1 if slider.evaluate("(s) => (s.value - s.min) / (s.max - s.min)") > 0.5 else 0.9
    page.touchscreen.tap(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    settled(page)
    assert settings(page) != before
    assert_sound(page)


@pytest.mark.parametrize("path", live_pages())
def test_every_control_has_a_name_and_answers_and_the_numbers_are_right(stand_at, path):
    page = stand_at(path)
    settled(page)
    assert_right(page)
    demos = demos_of(page)
    go(page, demos, [shortened(demo, defaults(demo), few(demo), by_hand=True) for demo in demos])
    unfold(page)
    assert page.evaluate(NAMELESS) == []
    controls = page.locator(CONTROLS)
    assert controls.count() >= 1
    for i in range(controls.count()):
        assert_answers(page, controls.nth(i))
        assert_sound(page)
    assert_right(page)


NAMELESS = """() => [...document.querySelectorAll('.bd-article :is(input, button, select, [role=slider])')]
  .filter((node) => !(node.labels?.length || node.getAttribute('aria-label')))
  .filter((node) => !(node.textContent.trim() || node.title))
  .map((node) => node.outerHTML)"""


def assert_answers(page, control):
    """Whether a key moves the control, and with it a figure."""
    name, kind = control.evaluate(
        "(node) => [node.getAttribute('aria-label') || node.labels?.[0]?.textContent, node.type]"
    )
    page.evaluate(BEFORE)
    moved = redrawn = False
    for key in KEYS[kind]:
        for _ in range(PRESSES if key.startswith("Arrow") else 1):
            control.press(key)
            settled(page)
            moved, redrawn = page.evaluate(CHANGED)
            if moved and redrawn:
                return
    assert moved, f"{name} is tied to no parameter"
    raise AssertionError(f"{name} moves nothing that is drawn or written")


BEFORE = """() => { window.showing = () => {
  const figures = [...document.querySelectorAll('.fim')];
  return [figures.map(({ live }) => live.values()).join(), figures.map((fim) => fim.innerHTML).join()];
}; window.shown = window.showing(); }"""
CHANGED = "() => window.showing().map((now, i) => now !== window.shown[i])"
"""Whether the figures' settings have changed, and whether anything that they show."""


def settings(page) -> list[list[float]]:
    return page.evaluate("() => [...document.querySelectorAll('.fim')].map(({ live }) => live.values())")


def assert_right(page):
    """Whether every number of every figure is what its kernels give in Node: ``test_figures.py`` has torch."""
    for figure, demo in zip(shown(page), demos_of(page), strict=True):
        place = dict(zip(defaults(demo), figure.values, strict=True))
        ((_, theirs),) = in_the_page(demo.figure, [place])
        assert len(figure.numbers) == len(theirs)
        assert distance(figure.numbers, theirs) < CLOSE, (demo.figure.spec["name"], figure.values)


def assert_sound(page):
    """Whether the figures are whole: no NaN in a drawing, words for each, labels apart, a verdict and lights if any."""
    assert page.evaluate(UNSOUND) == []
    assert page.evaluate(HIDING) == []


UNSOUND = r"""() => [...document.querySelectorAll('.fim')].flatMap((fim) => {
  const { spec } = fim.live;
  const bad = /NaN|undefined|Infinity/;
  const inside = [...fim.querySelectorAll('svg, svg *')].flatMap((node) => [...node.attributes])
    .filter(({ value }) => bad.test(value)).map(({ name, value }) => `${name}="${value.slice(0, 80)}"`);
  const silent = [...fim.querySelectorAll('svg')].filter((svg) => !/\d/.test(svg.getAttribute('aria-label') ?? ''))
    .map((svg) => `a drawing without numbers in words: ${svg.getAttribute('aria-label')}`);
  const saying = spec.caption.length ? ':is(.fim-verdict, .fim-caption)' : '.fim-verdict';
  const empty = [...fim.querySelectorAll(`${saying} .fim-said`)]
    .filter((node) => !node.innerText.trim()).map((node) => `${node.parentNode.className} says nothing`);
  const lights = [...fim.querySelectorAll('[data-light]')].filter((light) => !light.dataset.state);
  const hypotheses = spec.statements.flatMap(({ assumes }) => assumes);
  const missing = hypotheses.length === fim.querySelectorAll('[data-light]').length ? [] : ['lights are missing'];
  const tables = [...fim.querySelectorAll('.fim-below tbody')].filter((body) => /\d/.test(body.textContent));
  const text = bad.test(fim.innerText) ? [fim.innerText.match(/.*(?:NaN|undefined|Infinity).*/)[0]] : [];
  return [...inside, ...silent, ...empty, ...lights.map((light) => light.dataset.light), ...missing, ...text,
    ...(tables.length ? [] : ['no table of its numbers'])];
})"""


@pytest.mark.parametrize("path", live_pages())
def test_no_label_touches_another_or_hides_a_curve_wherever_sliders_stand(stand_at, path):
    page = stand_at(path)
    settled(page)
    demos = demos_of(page)
    go(page, demos, [shortened(demo, defaults(demo), few(demo), by_hand=True) for demo in demos])
    unfold(page)
    assert page.evaluate(THIRDS) == []


@pytest.mark.parametrize("path", live_pages())
def test_every_card_sets_its_sliders_and_moves_no_line_of_the_page(stand_at, path):
    page = stand_at(path)
    settled(page)
    unfold(page)  # what is folded is not drawn
    assert_sound(page)
    assert "…" not in page.locator("[data-live]").all_inner_texts()
    for figure in page.locator(".fim").all():
        figure.evaluate(BEFORE_THE_FIRST_CARD)  # another test of this page may have turned them
        for card in figure.evaluate("(fim) => fim.live.spec.story"):
            before = tops(figure)
            figure.evaluate("(fim) => fim.live.story.next.click()")
            page.wait_for_function(SETTLED)
            assert figure.evaluate("(fim) => fim.live.story.shown.children[0].textContent") == card["title"]
            now = figure.evaluate(NAMED)
            wanted = {**figure.evaluate("(fim) => fim.live.defaults()"), **card["values"]}
            assert {name: now[name] for name in wanted} == pytest.approx(wanted, rel=1e-9)
            assert_sound(page)
            assert tops(figure) == before, card["title"]
        figure.get_by_role("button", name="reset").click()
        settled(page)
        assert figure.evaluate("(fim) => fim.live.defaults()").items() <= figure.evaluate(NAMED).items()


BEFORE_THE_FIRST_CARD = (
    "({ live: { story } }) => story && Object.assign(story, { place: -1 }).next.removeAttribute('disabled')"
)
NAMED = """({ live }) => Object.fromEntries([
  ...live.spec.parameters.map((p, i) => [p.name, live.values()[i]]),
  ...live.own.map(({ name }) => [name, live.model.get(name)]),
])"""


def tops(figure) -> list[float]:
    """Where the figure's parts begin."""
    return figure.evaluate(
        "(fim) => [...fim.querySelectorAll('.fim-panel, .fim-caption, .fim-below')].map((part) => part.offsetTop)"
    )


def test_a_newcomer_sees_sliders_and_figure_on_the_first_screen(open_page, home):
    page = open_page(f"{home}/book/index.html", viewport=DESKTOP)
    settled(page)
    for selector in (".url-temperature input[type=range]", ".fim-scene svg"):
        box = page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= DESKTOP["height"]
    page = open_page(f"{home}/book/index.html", viewport=PHONE, has_touch=True, is_mobile=True)
    settled(page)
    box = page.locator(".fim-scene svg").first.bounding_box()
    assert box["y"] + box["height"] / 2 <= PHONE["height"]  # enough of it to see it move


@pytest.mark.whole
def test_no_page_names_a_script_of_another_host():
    for path in HTML.rglob("*.html"):
        for source in re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"', path.read_text()):
            assert not source.startswith(("http:", "https:", "//")), (path.name, source)


class Links(HTMLParser):
    """A page's links, and the places in it that links can name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, _tag, attributes):
        given = dict(attributes)
        self.places.add(given.get("id"))
        self.links |= {urlsplit(given[name]) for name in ("href", "src") if given.get(name)}


@pytest.mark.whole
def test_every_link_inside_the_book_leads_somewhere():
    pages = {path: Links(path) for path in HTML.rglob("*.html") if "_static" not in path.parts}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            target = (path.parent / unquote(link.path)).resolve() if link.path else path
            place = unquote(link.fragment)
            if link.netloc or (target in pages and (not place or place.startswith(("~", "?")))):
                continue  # other hosts are not asked; what follows ~ is for figures, and ? for lists
            if not (place in pages[target].places if target in pages else target.is_file()):
                dead.append(f"{path.relative_to(HTML)}: {link.geturl()}")
    assert not dead


@pytest.mark.whole
def test_the_pages_scripts_are_small():
    """A page loads one module, with no drawing that other pages alone show."""
    runtime, *modules = [
        len(gzip.compress(path.read_bytes()))
        for path in (HTML / "_static" / "runtime.js", *(HTML / "_static" / "esm").glob("*.js"))
    ]
    assert runtime + max(modules) < 75_000
    pages = [path.read_text() for path in HTML.rglob("*.html")]
    assert max(len(set(re.findall(r"_static/esm/\w+\.js", page))) for page in pages) == 1
