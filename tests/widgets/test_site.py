"""The last hand on pages: their scripts in files of the site's own, in the same order."""

import re
from pathlib import Path

import pytest

from widgets import site

PAGE = """<html><head><title>A page</title><script data-x="1">var a = 1 < 2;</script><script src="b.js"></script>
<script src="../_static/vendor/fontawesome/6/js/all.min.js?digest=1"></script>
<link rel="preload" as="font" href="../_static/vendor/fontawesome/6/webfonts/fa-solid-900.woff2" />
<script type="application/json">{"a": "<b>"}</script></head>
<body><summary><span class="toctree-toggle"></span></summary><button class="c" onclick="print(&quot;x&quot;)">p</button>
</body></html>"""


def finished(root: Path, address: str = "") -> tuple[str, Path]:
    page = root / "book" / "page.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists():
        page.write_text(PAGE)
    site.finish(root, root / "kept", address)
    return page.read_text(), root / "_static" / "scripts"


def test_scripts_of_the_text_lie_in_files(tmp_path):
    text, scripts = finished(tmp_path)
    found = {path.name: path.read_text() for path in scripts.iterdir()}
    (first,) = [name for name, code in found.items() if code == "var a = 1 < 2;"]
    assert f'<script data-x="1" src="../_static/scripts/{first}"></script><script src="b.js">' in text
    assert '<script type="application/json">{"a": "<b>"}</script>' in text
    assert "fontawesome" not in text
    assert "onclick" not in text
    (listening,) = [code for code in found.values() if 'print("x")' in code]
    assert text.split('data-click="')[1].split('"')[0] in listening
    assert '<summary aria-label="its pages"><span' in text


def test_a_page_that_has_had_it_stays(tmp_path):
    first, _ = finished(tmp_path)
    assert finished(tmp_path)[0] == first


def test_a_script_that_no_page_loads_any_more_goes(tmp_path):
    old = tmp_path / "_static" / site.filed(tmp_path / "_static" / "kernels", "of an older build")
    theirs = tmp_path / "_static" / "scripts" / "theme.js"
    theirs.parent.mkdir()
    theirs.touch()
    _, scripts = finished(tmp_path)
    assert not old.exists()
    assert theirs.exists()
    assert len(list(scripts.iterdir())) == 4


def test_a_published_page_says_where_it_is(tmp_path):
    text, _ = finished(tmp_path, "https://example.org/facts/")
    place = "https://example.org/facts/book/page.html"
    assert f'<link rel="canonical" href="{place}" />' in text
    assert '<meta property="og:title" content="A page" />' in text
    assert f"<loc>{place}</loc>" in (tmp_path / "sitemap.xml").read_text()
    assert 'href="https://example.org/facts/book/index.html"' in (tmp_path / "404.html").read_text()
    picture = "_static/pictures/book/page.png"
    assert f'<meta property="og:image" content="https://example.org/facts/{picture}" />' in text
    assert (tmp_path / picture).is_file()
    assert finished(tmp_path, "https://example.org/facts/")[0] == text
    plain, _ = finished(tmp_path / "plain")
    assert "canonical" not in plain
    assert not (tmp_path / "plain" / "sitemap.xml").exists()


def moved(root, **pages):
    site.finish(
        root, root / "kept", "https://example.org", {f"book/{old}": new for old, new in pages.items()}
    )
    return (root / "book" / "old.html").read_text()


def test_an_old_address_leads_to_the_new_one(tmp_path):
    finished(tmp_path)
    text = moved(tmp_path, old="book/page")
    assert 'content="1; url=page.html"' in text
    (script,) = re.findall(r'<script src="\.\./(.*?)">', text)
    assert "location.hash" in (tmp_path / script).read_text()
    assert moved(tmp_path, old="book/page") == text
    assert "old.html" not in (tmp_path / "sitemap.xml").read_text()


@pytest.mark.parametrize("pages", [{"page": "book/page"}, {"old": "book/nowhere"}])
def test_a_page_moves_from_where_none_is_to_where_one_is(tmp_path, pages):
    finished(tmp_path)
    with pytest.raises(ValueError, match="moved_pages"):
        moved(tmp_path, **pages)


@pytest.mark.browser
def test_what_an_old_address_sets_goes_along(tmp_path, serve, open_page):
    finished(tmp_path)
    moved(tmp_path, old="book/page")
    (tmp_path / "book" / "b.js").touch()
    page = open_page(f"{serve(tmp_path, site.POLICY)}/book/old.html#~temperature=0.02")
    page.wait_for_url("**/book/page.html#~temperature=0.02")
