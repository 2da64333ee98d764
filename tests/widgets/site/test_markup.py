"""What Markdown says besides MyST, in a small project of Sphinx itself."""

import re

from sphinx.cmd.build import build_main

PAGE = """
# Two boxes

```{prf:lemma} Lemma 1: a toy
:label: toy-1
:nonumber:
It is small.
```

```{prf:remark} Another
:label: toy-2
:nonumber:
See {prf:ref}`toy-1`.
```
"""


def test_no_two_elements_have_one_id_and_a_box_keeps_its_own(tmp_path):
    (tmp_path / "conf.py").write_text("extensions = ['myst_parser', 'sphinx_proof', 'widgets.site.markup']\n")
    (tmp_path / "index.md").write_text(PAGE)
    assert build_main(["-q", "-b", "html", str(tmp_path), str(tmp_path / "html")]) == 0
    page = (tmp_path / "html" / "index.html").read_text()
    ids = re.findall(r'<[a-z][^<>]* id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert re.search(r'<div class="proof lemma[^>]* id="toy-1"', page)
    assert 'href="#toy-1"' in page
