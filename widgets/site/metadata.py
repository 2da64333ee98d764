"""What a published site says of itself: each page's own address and picture, a sitemap, and a page for lost readers."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from widgets import picture

TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
CANONICAL = 'rel="canonical"'
"""A page that has this has been described already, or leads to another page."""
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
NOT_FOUND = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>No such page</title>
<h1>No such page</h1><p>The book begins <a href="{address}/{first}">here</a>.</p></html>
"""
PICTURE_SIZE = {"image:width": "1200", "image:height": "630"}


def describe(pages: Mapping[Path, str], root: Path, site: str, documents: Collection[str]) -> dict[Path, str]:
    """The pages that say their address, title and picture to whoever shares them, by their paths.

    Args:
        pages: the HTML of each page of the site.
        root: the site's folder, in whose ``_static`` the pictures are drawn. ``site``: where it will be published.
        documents: the pages made from the author's documents, which have a picture, as paths from the root.
    """
    fresh = {
        path: text
        for path, text in pages.items()
        if CANONICAL not in text and root / "_static" not in path.parents
    }
    drawn = {path: text for path, text in fresh.items() if path.relative_to(root).as_posix() in documents}
    places = {_picture(root, path.relative_to(root)): text for path, text in drawn.items()}
    jobs = [{"place": str(place), "text": text} for place, text in places.items()]
    words = dict(zip(drawn, picture.draw(jobs), strict=True))
    return {
        path: _with_tags(text, site, path.relative_to(root), words.get(path)) for path, text in fresh.items()
    }


def _picture(root: Path, page: Path) -> Path:
    """Where the picture of a page lies."""
    return (root / "_static" / "pictures" / page).with_suffix(".png")


def _with_tags(text: str, site: str, page: Path, picture_words: str | None) -> str:
    """The page with a canonical link and OpenGraph tags; ``picture_words`` say what its picture shows."""
    title = TITLE.search(text)
    if not title:
        return text
    address = f"{site}/{page.as_posix()}"
    tags = {"type": "article", "url": address, "title": title[1].strip()}
    if picture_words:
        tags |= {
            "image": f"{site}/{_picture(Path(), page).as_posix()}",
            **PICTURE_SIZE,
            "image:alt": html.escape(picture_words),
        }
    lines = [f'<meta property="og:{name}" content="{value}" />' for name, value in tags.items()]
    large = ['<meta name="twitter:card" content="summary_large_image" />'] if picture_words else []
    head = "\n".join(("</title>", f'<link {CANONICAL} href="{address}" />', *lines, *large))
    return text.replace("</title>", head, 1)


def write_sitemap(root: Path, site: str, documents: Collection[str], first: str) -> None:
    """Write the sitemap of these pages, and what a server shows where there is no page: it leads to the first."""
    locations = "".join(f"<url><loc>{site}/{page}</loc></url>" for page in sorted(documents))
    (root / "sitemap.xml").write_text(
        f'<?xml version="1.0" encoding="utf-8"?><urlset xmlns="{SITEMAP}">{locations}</urlset>\n'
    )
    (root / "404.html").write_text(NOT_FOUND.format(address=site, first=first), encoding="utf-8")
