import pytest
from book.recall.saddle.figure import figure
from tests.browser.test_pages import UNSOUND
from tests.widgets.pages import provide, write
from tests.browser.book import settled
pytestmark = pytest.mark.browser
def test_it(tmp_path, serve, open_page):
    provide(tmp_path); write(tmp_path / "index.html", [figure()])
    a = serve(tmp_path)
    page = open_page(f"{a}/index.html"); settled(page)
    assert page.evaluate(UNSOUND) == []
    assert page.locator(".fim-verdict").get_attribute("data-tone") == "good"
    page.locator(".url-perturbation_radius input[type=range]").focus(); page.keyboard.press("Home"); settled(page)
    light = page.locator("[data-light]").filter(has_text="the perturbation does not keep the two examples equal")
    assert light.get_attribute("data-state") == "violated"
    page.wait_for_selector('[data-light][data-state="violated"]:has-text("perturbation")', timeout=2000)
    assert page.locator("[data-chip=concluded]").get_attribute("data-state") == "fails"
    assert page.locator(".fim-statement").get_attribute("data-verdict") == "outside"
    assert "conclusion fails" in page.locator(".fim-verdict").inner_text()
    page = open_page(f"{a}/index.html#~temperature=0")
    page.wait_for_selector('.fim[data-state="error"]')
    assert page.locator(".fim-verdict").inner_text() == ""
