"""The main path in a second engine: every page is live there, and a reader moves what is to be moved."""

import pytest

from tests import HTML, PHONE
from tests.browser.book import live_pages, shown
from tests.figures import figure_named
from tests.firefox import Firefox, find_firefox
from tests.widgets.program import in_the_page
from widgets.figure.agreement import CLOSE, distance

SADDLE = "book/recall/saddle.html"
SLOW = "book/acquire/extract.html"
FIGURES = "[...document.querySelectorAll('.fim')]"
DONE = f"{FIGURES}.length > 0 && {FIGURES}.every(({{ dataset }}) => dataset.state === 'done')"
FAILED = ".ctl-failure, .fim-error:not(:empty)"
OF_TWO = "math :is(msub, msup, mfrac, munder, mover)"
END, HOME = "\ue010", "\ue011"
"""WebDriver's code points of keys."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
    pytest.mark.skipif(not find_firefox(), reason="Firefox is not installed: apt-get install firefox-esr"),
]


@pytest.fixture(scope="module")
def started():
    """One for the module: its tests are named so that one worker gets them all, and not page by page."""
    path = find_firefox()
    assert path
    with Firefox(path) as firefox:
        yield firefox


@pytest.fixture
def firefox(started):
    """Fails the test whose pages log an error."""
    resize(started, 1280)
    started.open("about:blank")  # leaving a page while it loads is logged, too
    started.page_errors.clear()
    yield started
    assert started.page_errors == []


def resize(firefox, width):
    viewport = {"width": width, "height": 720}
    firefox.call("browsingContext.setViewport", context=firefox.tab, viewport=viewport)


def verdict(firefox):
    return firefox.evaluate("() => document.querySelector('.fim-verdict .fim-said').innerText")


def until(firefox, part):
    firefox.wait(f"{DONE} && document.querySelector('.fim-verdict .fim-said').innerText.includes('{part}')")


@pytest.mark.parametrize("path", live_pages(), ids=lambda path: f"Firefox at {path}")
def test_every_page_is_live(firefox, home, path):
    firefox.open(f"{home}/{path}")
    firefox.wait(DONE)
    assert firefox.evaluate(f"() => document.querySelectorAll('{FAILED}').length") == 0
    assert firefox.evaluate(
        f"() => [...document.querySelectorAll('{OF_TWO}')].every(({{ children }}) => children.length === 2)"
    )


def test_its_numbers_are_those_of_the_kernels(firefox, home):
    firefox.open(f"{home}/{SADDLE}")
    firefox.wait(DONE)
    (figure,) = shown(firefox)
    ours = figure_named("recall.saddle").figure
    values = {
        parameter["name"]: value
        for parameter, value in zip(ours.spec["parameters"], figure.values, strict=True)
    }
    ((_, numbers),) = in_the_page(ours, [values])
    assert distance(figure.numbers, numbers) < CLOSE


@pytest.mark.parametrize("width", [1280, PHONE["width"]])
def test_a_reader_moves_a_slider_follows_a_link_and_goes_back(firefox, home, width):
    resize(firefox, width)
    firefox.open(f"{home}/{SADDLE}")
    firefox.wait(DONE)
    firefox.evaluate("() => document.querySelector('.fim').live.scene.goTo(1)")
    until(firefox, "At a low temperature")
    if width == PHONE["width"]:
        firefox.evaluate("() => document.querySelector('.fim-switch').click()")
    firefox.evaluate("() => document.querySelector('.fim-front input[type=range]').focus()")
    firefox.press(END)
    until(firefox, "Does not apply here: temperature 10")
    firefox.wait("location.hash === '#~temperature=10'")
    firefox.press(HOME)
    firefox.wait(DONE)
    firefox.evaluate("() => document.querySelector('.fim-toolbar button').click()")
    until(firefox, "At a low temperature")
    firefox.evaluate("() => document.querySelector('.fim').live.story.goTo(3)")
    firefox.wait("location.hash === '#~temperature=0.02&card=4'")
    until(firefox, "At a low temperature")
    assert firefox.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_hidden_tab_neither_plays_nor_runs_and_goes_on_once_it_is_seen(firefox, home):
    firefox.open(f"{home}/{SLOW}")
    firefox.wait(DONE)
    firefox.evaluate(COUNTING)
    firefox.evaluate("() => document.querySelector('.fim-time button').click()")
    firefox.wait("window.frames_requested > 3")
    other = firefox.call("browsingContext.create", type="tab")["context"]
    try:
        firefox.wait("document.hidden")
        assert firefox.evaluate(f"() => {PLAY}") == "play"
        firefox.evaluate(f"() => {{ delete {LIVE}.run; window.frames_requested = 0; {LIVE}.rerun(); }}")
        begun = firefox.evaluate(AT)
        assert begun.startswith("running,0.")
        assert begun.endswith("play,0")
        assert (
            firefox.evaluate(f"() => new Promise((done) => setTimeout(() => done(({AT})()), 1500))") == begun
        )
    finally:
        firefox.call("browsingContext.close", context=other)
        firefox.call("browsingContext.activate", context=firefox.tab)
    firefox.wait(DONE)


COUNTING = """() => {
  const frame = window.requestAnimationFrame.bind(window);
  window.frames_requested = 0;
  window.requestAnimationFrame = (next) => {
    window.frames_requested += 1;
    return frame(next);
  };
}"""
LIVE = "document.querySelector('.fim').live"
PLAY = "document.querySelector('.fim-time button').textContent.slice(-4)"
AT = f"() => [{LIVE}.root.dataset.state, {LIVE}.run.progress, {PLAY}, window.frames_requested].join()"
"""How far the run is, what the button would do, and how many frames were asked for."""


def test_an_address_and_a_file_are_opened_at_their_settings(firefox):
    firefox.open(f"{(HTML / SADDLE).as_uri()}#~temperature=10")
    until(firefox, "Does not apply here: temperature 10")


@pytest.mark.parametrize("scheduler", ["object", "undefined"])
def test_a_map_fills_from_a_disk_whether_or_not_the_browser_tells_when_it_is_idle(firefox, scheduler):
    firefox.open((HTML / SADDLE).as_uri())
    firefox.wait(DONE)
    if scheduler == "undefined":
        firefox.evaluate("() => delete globalThis.scheduler")
    assert firefox.evaluate("() => typeof globalThis.scheduler") == scheduler
    firefox.evaluate("() => document.querySelector('.fim-tabs button:last-child').click()")
    firefox.wait("document.querySelector('.fim-map-cells')?.dataset.state === 'done'")
