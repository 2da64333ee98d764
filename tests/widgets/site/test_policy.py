"""Pages rewritten for the policy: their scripts and styles in files of the site's own, in the same order."""

import re
from pathlib import Path

import pytest

from widgets.site import fonts, policy
from widgets.site.hashed import write_hashed

PAGE = """<html><head><title>A page</title><script data-x="1">var a = 1 < 2;</script><script src="b.js"></script>
<script src="../_static/vendor/fontawesome/6/js/all.min.js?digest=1"></script>
<link rel="preload" as="font" href="../_static/vendor/fontawesome/6/webfonts/fa-solid-900.woff2" />
<script type="application/json">{"a": "<b>"}</script></head>
<body><summary><span class="toctree-toggle"></span></summary><button class="c" onclick="print(&quot;x&quot;)">p</button>
</body></html>"""


def post_processed(root: Path) -> tuple[str, Path]:
    """The page once it is rewritten, and the folder of its scripts."""
    page = root / "book" / "page.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists():
        page.write_text(PAGE)
    policy.post_process(root, root / "cache")
    return page.read_text(), root / "_static" / "scripts"


def test_scripts_of_the_text_lie_in_files(tmp_path):
    text, scripts = post_processed(tmp_path)
    codes = {path.name: path.read_text() for path in scripts.iterdir()}
    (first,) = [name for name, code in codes.items() if code == "var a = 1 < 2;"]
    assert f'<script data-x="1" src="../_static/scripts/{first}"></script><script src="b.js">' in text
    assert '<script type="application/json">{"a": "<b>"}</script>' in text
    assert "fontawesome" not in text
    assert "onclick" not in text
    (listener,) = [code for code in codes.values() if 'print("x")' in code]
    assert text.split('data-click="')[1].split('"')[0] in listener
    assert '<summary aria-label="its pages"><span' in text


def test_a_page_that_is_rewritten_already_stays(tmp_path):
    first, _ = post_processed(tmp_path)
    assert post_processed(tmp_path)[0] == first


def test_a_script_that_no_page_loads_any_more_goes(tmp_path):
    old = tmp_path / "_static" / write_hashed(tmp_path / "_static" / "kernels", "of an older build")
    theirs = tmp_path / "_static" / "scripts" / "theme.js"
    theirs.parent.mkdir()
    theirs.touch()
    _, scripts = post_processed(tmp_path)
    assert not old.exists()
    assert theirs.exists()
    assert len(list(scripts.iterdir())) == 4


STYLED = """<html><head><script data-cfasync="false">
document.documentElement.dataset.mode = localStorage.getItem("mode") || "auto";
document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";</script>
<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" media="print" href="../_static/print.css" />
<link rel="stylesheet" type="text/css" href="../_static/vendor/icons.css?v=2" />
<title>x</title></head><body><mjx-c class="mjx-c78"></mjx-c></body></html>"""


def styled(root: Path) -> tuple[str, list[Path]]:
    static = root / "_static"
    for folder in ("styles", "vendor"):
        (static / folder).mkdir(parents=True, exist_ok=True)
    (static / "print.css").touch()
    (static / "basic.css").write_text("i { background: url(file.png); }\n")
    (static / "styles" / "theme.css").write_text('@import "../basic.css";\nb { color: red; }\n')
    (static / "vendor" / "icons.css").write_text(
        """a { src: url("./a.woff"), url('data:x'), url(#y); }
\nmjx-c.mjx-c78.TEX-I::before {\n  content: "x";\n}\n
mjx-c.mjx-c79.TEX-I::before {\n  content: "y";\n}\n
mjx-c::before {\n  display: block;\n}\n"""
    )
    page = root / "book" / "page.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists():
        page.write_text(STYLED)
    policy.post_process(root, root / "cache")
    return page.read_text(), sorted((static / "styles").glob("?" * 16 + ".css"))


def test_a_page_loads_one_style_sheet(tmp_path):
    text, (sheet,) = styled(tmp_path)
    assert re.findall(r'href="\.\./_static/([^"]*)"', text) == [f"styles/{sheet.name}", "print.css"]
    style = sheet.read_text()
    assert "@import" not in style
    assert style.index('i { background: url("../file.png"); }') < style.index("b { color: red; }")
    assert style.index("b {") < style.index("a { src: url(\"../vendor/a.woff\"), url('data:x'), url(#y); }")
    assert "mjx-c78" in style
    assert "mjx-c79" not in style, "no formula has it"
    assert "mjx-c::before" in style
    assert styled(tmp_path)[0] == text


def test_a_style_sheet_that_has_changed_is_gathered_anew(tmp_path):
    _, (old,) = styled(tmp_path)
    page = tmp_path / "book" / "page.html"
    (tmp_path / "_static" / "basic.css").unlink()
    (tmp_path / "_static" / "styles" / "theme.css").write_text("b { color: blue; }")
    policy.post_process(tmp_path, tmp_path / "cache")
    (new,) = (tmp_path / "_static" / "styles").glob("?" * 16 + ".css")
    assert new != old
    assert new.name in page.read_text()
    assert "blue" in new.read_text()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("mode", "system", "expected"),
    [("", "dark", "dark"), ("auto", "light", "light"), ("dark", "light", "dark"), ("light", "dark", "light")],
)
def test_a_page_has_its_colours_from_the_start(tmp_path, serve, open_page, mode, system, expected):
    styled(tmp_path)
    fonts.write(tmp_path / "_static" / "fonts")
    page = open_page(f"{serve(tmp_path, policy.POLICY)}/book/page.html")
    assert page.locator('link[rel="preload"][as="font"]').count() == 1, "or lines are broken twice"
    page.emulate_media(color_scheme=system)
    page.evaluate("(mode) => mode && localStorage.setItem('mode', mode)", mode)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == expected


@pytest.mark.parametrize("figure", ['<div class="ctl-still fim-live">', '<div id="gallery">'])
def test_a_page_with_figures_says_so_on_its_body(tmp_path, figure):
    (tmp_path / "book").mkdir()
    for name, inside in (("with", figure), ("without", "<p>")):
        (tmp_path / "book" / f"{name}.html").write_text(f'<html><body data-x="1">{inside}</body></html>')
    for _ in range(2):  # rewritten again, it stays as it is
        policy.post_process(tmp_path, tmp_path / "cache")
        texts = [(tmp_path / "book" / f"{name}.html").read_text() for name in ("with", "without")]
        assert [text.count('<body class="has-figures" data-x="1">') for text in texts] == [1, 0]
