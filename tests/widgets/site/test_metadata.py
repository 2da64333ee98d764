"""What a published site says of itself: its pages' addresses, titles and pictures, and a sitemap."""

from pathlib import Path

from widgets.site import policy

PAGE = "<html><head><title>A page</title></head><body></body></html>"
MOVED = (
    '<html><head><title>Moved</title><meta http-equiv="refresh" content="1; url=page.html" /></head></html>'
)


def published(root: Path, address: str = "") -> str:
    """The page of a site that is published at this address, once it is rewritten."""
    page = root / "book" / "page.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists():
        page.write_text(PAGE)
    policy.post_process(root, root / "cache", address, ["book/page.html"])
    return page.read_text()


def test_a_published_page_says_where_it_is(tmp_path):
    text = published(tmp_path, "https://example.org/facts/")
    place = "https://example.org/facts/book/page.html"
    assert f'<link rel="canonical" href="{place}" />' in text
    assert '<meta property="og:title" content="A page" />' in text
    assert f"<loc>{place}</loc>" in (tmp_path / "sitemap.xml").read_text()
    assert 'href="https://example.org/facts/book/page.html"' in (tmp_path / "404.html").read_text()
    picture = "_static/pictures/book/page.png"
    assert f'<meta property="og:image" content="https://example.org/facts/{picture}" />' in text
    assert (tmp_path / picture).is_file()
    assert published(tmp_path, "https://example.org/facts/") == text
    plain = published(tmp_path / "plain")
    assert "canonical" not in plain
    assert not (tmp_path / "plain" / "sitemap.xml").exists()


def test_an_address_that_leads_on_is_not_in_the_sitemap(tmp_path):
    published(tmp_path)
    (tmp_path / "book" / "old.html").write_text(MOVED)
    published(tmp_path, "https://example.org")
    sitemap = (tmp_path / "sitemap.xml").read_text()
    assert "page.html" in sitemap
    assert "old.html" not in sitemap
