"""The typeface of the book: in three small files, and with lines no higher than those of other fonts."""

import re

from widgets.site import fonts

MOST_BYTES = 60_000


def test_a_style_sheet_and_its_files_are_written(tmp_path):
    fonts.write(tmp_path)
    style = (tmp_path / "fonts.css").read_text()
    files = re.findall(r'url\("([^"]+)"\)', style)
    assert len(files) == len(fonts.FILES)
    assert sum((tmp_path / file).stat().st_size for file in files) <= MOST_BYTES
    assert style.count("unicode-range: U+") == len(files)
    assert "font-style: italic" in style
    assert f'--pst-font-family-base: "{fonts.NAME}"' in style
