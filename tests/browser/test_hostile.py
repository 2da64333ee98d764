"""What pages survive: any address, a zip on a disk, a frame, words from right to left and twice as long."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from tests import DESKTOP, HTML, PHONE
from tests.browser.book import demos_of, live_pages
from tests.browser.reading import HIDING, open_settings, settled

SADDLE = "book/recall/saddle.html"
ODD = [
    "",
    "=",
    "%",
    "a=%E0%A4%A",
    "&&&",
    "constructor=1&__proto__=2",
    "lock=",
    "hide=nothing",
    "embed=99",
    "embed=x",
]
ODD += ["goal=", "goal=%3D", "goal=verdict%3Dxyz", "goal=constructor%3E1"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]

VISIT = """async (hash) => {
  location.hash = hash;
  await new Promise((done) => setTimeout(done, 30));
  return [...document.querySelectorAll('.fim')].map((fim) => ({
    state: fim.dataset.state,
    said: fim.querySelector('.fim-error').hidden ? '' : fim.querySelector('.fim-error').textContent,
    drawn: fim.querySelectorAll('.fim-scene svg').length,
    bad: [...fim.querySelectorAll('svg, svg *')].flatMap((node) => [...node.attributes])
      .filter(({ name, value }) => !name.startsWith('data-') && /NaN|Infinity|undefined/.test(value))
      .map(({ name }) => name),
  }));
}"""


@pytest.mark.parametrize("path", live_pages())
def test_no_address_leaves_a_page_without_its_figures_and_reset_works(stand_at, path):
    """Those with values that are none are in test_hands.py."""
    page = stand_at(path)
    settled(page)
    for hash in ODD:
        for figure in page.evaluate(VISIT, f"#~{hash}"):
            assert figure["state"] in ("done", "running"), hash
            assert not figure["said"], (hash, figure)
            assert figure["drawn"], hash
            assert not figure["bad"], hash
    for button in page.locator(".fim").get_by_role("button", name="reset", exact=True).all():
        button.click()
    settled(page)
    assert len(demos_of(page)) == page.locator(".fim").count()


@pytest.mark.parametrize("path", live_pages())
def test_every_slider_reaches_both_ends_and_there_its_domain(stand_at, path):
    page = stand_at(path)
    settled(page)
    assert page.evaluate(ENDS) == []
    page.evaluate("location.hash = '#~'")
    settled(page)


ENDS = """() => [...document.querySelectorAll('.ctl-range')].flatMap((range) => {
  const name = [...range.closest('.ctl').classList].find((one) => one.startsWith('url-')).slice(4);
  return ['min', 'max'].flatMap((end) => {
    range.value = range[end];
    range.dispatchEvent(new Event('input'));
    const said = [...document.querySelectorAll('.fim-error:not([hidden])')].map((error) => error.textContent);
    const wrong = Number(range.value) === Number(range[end]) ? [] : [`${name} stops at ${range.value}`];
    for (const { live } of document.querySelectorAll('.fim')) {
      const { track, integer } = live.spec.parameters.find((one) => one.name === name) ?? {};
      const value = track && live.values()[live.spec.parameters.findIndex((one) => one.name === name)];
      const wanted = track?.base ? track.base ** track[end] : track?.[end];
      const off = Math.abs(value / wanted - 1);
      if (track && off > (integer ? 0.5 / wanted : 1e-9)) wrong.push(`${name} = ${value}, not ${wanted}`);
    }
    return [...said, ...wrong];
  });
})"""


def test_a_run_that_fails_says_so_and_reset_works(open_page, home, complaints):
    page = open_page(f"{home}/{SADDLE}")
    settled(page)
    page.evaluate(BROKEN)
    page.locator(".fim-front input[type=range]").first.press("Home")
    page.wait_for_selector('.fim[data-state="error"]')
    assert page.locator(".fim-error").inner_text() == "This run failed: out of memory"
    assert "out of memory" in complaints.pop()
    page.get_by_role("button", name="reset", exact=True).click()
    settled(page)
    assert page.locator(".fim-error").is_hidden()
    assert page.locator(".fim-verdict .fim-said").inner_text().startswith("At a low temperature")


BROKEN = """() => {
  const kernel = document.querySelector('.fim').live.kernels.report;
  const { call } = kernel;
  kernel.call = () => {
    kernel.call = call;
    throw new Error('out of memory');
  };
}"""


FULL = """() => {
  let letters = 2 ** 22;
  for (let i = 0; letters >= 1; i += 1) {
    try { localStorage[`filled ${i}`] = "x".repeat(letters); } catch { letters /= 2; }
  }
}"""
"""Fills all that a browser stores for a page's host, to the last letter."""


@pytest.mark.parametrize("path", [SADDLE, "book/atlas.html", "s/recall.lemma-6.html"])
def test_a_full_storage_is_said_in_one_sentence_and_the_page_goes_on(open_page, home, path):
    page = open_page(f"{home}/{path}")
    page.wait_for_load_state()
    assert not page.locator(".storage-full").count()
    page.evaluate("localStorage.clear()")
    page.evaluate(FULL)
    page.reload()
    page.get_by_text("Your browser's storage is full: this page works").wait_for()
    page.evaluate("localStorage.clear()")  # the next test may have this page
    if path != SADDLE:
        return
    settled(page)
    page.locator(".fim-front input[type=range]").first.press("End")
    settled(page)
    page.get_by_role("button", name="reset", exact=True).click()
    settled(page)
    assert page.locator(".storage-full").count() == 1


def test_one_zip_of_the_book_opens_wherever_it_is_unpacked(open_page, tmp_path):
    folder = tmp_path / "a folder, déjà vu"
    with ZipFile(tmp_path / "book.zip", "w") as packed:
        for path in HTML.rglob("*"):
            packed.write(path, path.relative_to(HTML))
    with ZipFile(tmp_path / "book.zip") as packed:
        packed.extractall(folder)
    page = open_page(f"{(folder / SADDLE).as_uri()}#~temperature=0.02")
    settled(page)
    assert page.locator(".url-temperature .ctl-readout").input_value() == "0.02"
    page.locator(".next-page, a.right-next").first.click()
    settled(page)
    # Spelt out, its name would have every test of this module rest on that page.
    assert unpacked(page.url, folder) == SADDLE.replace("saddle", "escape")
    page.keyboard.press("p")
    assert page.locator(".fim-bar").is_visible()


def unpacked(url: str, folder: Path) -> str:
    return url.removeprefix(f"{folder.as_uri()}/").partition("#")[0]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_a_page_from_right_to_left_fits_and_is_live(open_page, home, viewport):
    page = open_page(f"{home}/{SADDLE}", viewport=viewport)
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert_whole(page)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_words_twice_as_long_fit(open_page, home, viewport):
    page = open_page(f"{home}/{SADDLE}", viewport=viewport)
    settled(page)
    page.evaluate(DOUBLED)
    assert_whole(page)


DOUBLED = """() => {
  const words = document.createTreeWalker(document.querySelector('.ctl-root'), NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { currentNode: node } = words;
    if (!node.parentNode.closest('svg') && /[a-z]{2}/i.test(node.data)) node.data += ` ${node.data}`;
  }
}"""
"""Every sentence and name around the drawings, as other languages may have it."""


def assert_whole(page):
    """Whether nothing is wider than the page, labels are where they were, and a slider moves the figure."""
    settled(page)
    assert page.evaluate(HIDING) == []
    assert page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth") <= 1
    before = page.locator(".fim-verdict .fim-said").first.inner_text()
    open_settings(page)
    page.locator(".fim-front input[type=range]").first.press("End")
    settled(page)
    assert page.locator(".fim-verdict .fim-said").first.inner_text() != before


def test_a_figure_lives_in_a_frame_of_another_page(open_page, serve, home, tmp_path):
    address = f"{home}/{SADDLE}#~embed=1&temperature=0.02"
    (tmp_path / "frame.html").write_text(
        f'<title>frame</title><iframe src="{address}" width="700" height="600">'
    )
    page = open_page(f"{serve(tmp_path)}/frame.html")
    frame = page.frame_locator("iframe")
    frame.locator(".fim[data-state=done]").wait_for()
    assert frame.locator(".url-temperature .ctl-readout").input_value() == "0.02"
    frame.locator(".fim-front input[type=range]").first.press("End")
    frame.locator(".fim-verdict", has_text="Does not apply here").wait_for()
