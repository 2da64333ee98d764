"""Formulas typeset at build time: whole, read aloud, cached, and refused where they cannot be read."""

import pytest

from widgets.site import typeset
from widgets.site.typeset import Formula

INLINE = r'<span class="math notranslate nohighlight">\(a &lt; b\)</span>'
DISPLAY = r'<div class="math notranslate nohighlight amsmath" id="x"><span class="eqno">(1)</span>\[\sum_i x_i\]</div>'


def test_a_pages_formulas_are_shown_and_read_aloud(tmp_path):
    (page,) = typeset.typeset_pages([f"<p>{INLINE}</p>{DISPLAY}"], tmp_path)
    assert page.startswith('<p><span class="math notranslate nohighlight"><mjx-container')
    assert '<span class="eqno">(1)</span><mjx-container' in page
    assert page.count("<math ") == 2
    assert 'display="true"' in page
    assert "\\(" not in page
    assert typeset.typeset_pages([page], tmp_path) == [page]


def test_a_formula_is_typeset_once(tmp_path, monkeypatch):
    first = typeset.typeset([Formula("x"), Formula("x", display=True)], tmp_path)
    assert first[Formula("x")] != first[Formula("x", display=True)]
    monkeypatch.setattr(typeset, "_run_mathjax", lambda _: pytest.fail("typeset again"))
    assert typeset.typeset([Formula("x")], tmp_path) == {Formula("x"): first[Formula("x")]}


@pytest.mark.parametrize(
    ("tex", "wrong"), [(r"\frac{1}", "Missing"), (r"\nonsense", "Undefined"), ("{", "brace")]
)
def test_a_formula_that_mathjax_cannot_read_is_refused(tmp_path, tex, wrong):
    with pytest.raises(ValueError, match=f"formula .*: .*{wrong}"):
        typeset.typeset([Formula(tex)], tmp_path)


def test_the_style_sheet_has_its_fonts_beside_it(tmp_path):
    typeset.copy_fonts(tmp_path)
    style = (tmp_path / "formulas.css").read_text()
    assert 'url("./MathJax_Math-Italic.woff")' in style
    assert (tmp_path / "MathJax_Math-Italic.woff").stat().st_size > 1000
