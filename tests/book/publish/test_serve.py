"""``make serve``: pages as built, which wait for the next build; and which files are watched."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import ThreadingHTTPServer
from urllib.request import urlopen

import pytest

from book.publish import serve
from book.publish.serve import NEXT_BUILD, Builds, Handler
from tests import ROOT


@pytest.fixture
def site(tmp_path):
    """A site of one page, served: its address, and the builds that it waits for."""
    (tmp_path / "index.html").write_text("<html><head><title>t</title></head><body>words</body></html>")
    (tmp_path / "figure.css").write_text("a {}")
    builds = Builds()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, builds, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", builds
    server.shutdown()
    server.server_close()


def read(address):
    with urlopen(address, timeout=30) as answer:
        assert answer.headers["Cache-Control"] == "no-cache"
        return answer.read().decode()


def test_a_page_shows_itself_anew_once_the_book_is_built_again(site):
    address, builds = site
    for page in ("/", "/index.html"):
        text = read(address + page)
        assert f'fetch("{NEXT_BUILD}0")' in text
        assert text.replace(text[text.index("<script>") : text.index("</head>")], "") == (
            "<html><head><title>t</title></head><body>words</body></html>"
        )
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(read, f"{address}{NEXT_BUILD}0")
        assert not waiting.done()
        builds.add()
        assert waiting.result() == "built"
    assert f"{NEXT_BUILD}1" in read(address)


def test_who_waits_in_vain_asks_again(site, monkeypatch):
    monkeypatch.setattr(serve, "LONGEST_WAIT", 0.1)
    address, _ = site
    assert read(f"{address}{NEXT_BUILD}0") == ""


def test_other_files_are_as_they_are(site):
    assert read(f"{site[0]}/figure.css") == "a {}"


def test_what_the_book_is_built_from_is_watched():
    files = {str(path.relative_to(ROOT)) for path in serve.times()}
    assert {"_toc.yml", "book/recall/escape.ipynb", "lib/program.py", "widgets/src/view/figure.css"} <= files
    assert not [name for name in files if "/dist/" in name or "node_modules" in name]
