"""A room of students: predictions come back, nobody's message harms another's, and at its end nothing is left."""

import asyncio
import base64
import contextlib
import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import tornado.httpclient
import tornado.httpserver
import tornado.netutil
import tornado.websocket

from book.__main__ import main
from book.publish import classroom
from book.publish.classroom import LONGEST, PLACES, Room
from widgets.site.policy import POLICY

STUDENTS = 300
PATIENCE = 60.0
"""Seconds after which what has not come does not come; how fast it comes is a matter of `make bench`."""
FIRST = "book/recall/saddle.html"


def curve(height=7):
    return base64.b64encode(bytes([height] * PLACES)).decode()


class Page:
    """A page that takes part: it keeps what it is told."""

    def __init__(self, port, code, **how):
        self.address, self.id = f"ws://127.0.0.1:{port}/room/{code}", secrets.token_hex(16)
        self.how, self.state, self.answers, self.problems, self.ended = how, {}, {}, [], False

    async def __aenter__(self):
        await self.connect()
        return self

    async def __aexit__(self, *_):
        self.close()

    async def connect(self):
        self.socket = await tornado.websocket.websocket_connect(self.address)
        self.listening = asyncio.ensure_future(self._listen())
        await self.send(kind="join", id=self.id, **self.how)

    def close(self):
        self.socket.close()

    async def _listen(self):
        while (text := await self.socket.read_message()) is not None:
            message = json.loads(text)
            if message["kind"] == "room":
                self.state = message
            elif message["kind"] == "answers":
                self.answers.update(dict(message["values"]))
            elif message["kind"] == "problem":
                self.problems.append(message["message"])
            elif message["kind"] == "ended":
                self.ended = True

    async def send(self, **message):
        await self.socket.write_message(json.dumps(message))

    async def until(self, holds):
        limit = time.monotonic() + PATIENCE
        while not holds(self):
            assert time.monotonic() < limit, (self.state, len(self.answers), self.problems)
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def held(tmp_path):
    """A room that is held on a free port, and the port."""
    (tmp_path / "index.html").write_text("<title>the book</title>")
    (tmp_path.parent / "secret.txt").write_text("not of the book")
    room = Room()
    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
    server = tornado.httpserver.HTTPServer(classroom.application(room, tmp_path, FIRST))
    server.add_sockets(sockets)
    try:
        yield room, sockets[0].getsockname()[1]
    finally:
        server.stop()
        await server.close_all_connections()


def apart(work):
    """What a function returns in a thread of its own: a browser of other tests may have this one's event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def in_a_room(test):
    """Run a test with a room and its port."""

    def run(tmp_path):
        async def whole():
            async with held(tmp_path) as (room, port):
                await test(room, port)

        apart(lambda: asyncio.run(whole()))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def asked(room, lecturer, form="draw"):
    await lecturer.send(kind="ask", form=form)
    await lecturer.until(lambda page: page.state.get("question"))
    return room.question.number


@in_a_room
async def test_three_hundred_send_a_curve_and_see_each_other_s(room, port):
    async with contextlib.AsyncExitStack() as stack:
        lecturer = await stack.enter_async_context(Page(port, room.code, key=room.key))
        pages = await asyncio.gather(
            *(stack.enter_async_context(Page(port, room.code)) for _ in range(STUDENTS))
        )
        number = await asked(room, lecturer)
        await asyncio.gather(
            *(page.send(kind="answer", question=number, value=curve(k % 256)) for k, page in enumerate(pages))
        )
        await lecturer.until(lambda page: page.state["answered"] == STUDENTS)
        for page in (lecturer, *pages):
            await page.until(lambda page: len(page.answers) == STUDENTS)
        assert lecturer.state["here"] == STUDENTS
        expected = sorted(curve(k % 256) for k in range(STUDENTS))
        assert all(sorted(page.answers.values()) == expected for page in pages)


@in_a_room
async def test_who_has_not_answered_sees_nothing_until_the_run_is_shown(room, port):
    async with (
        Page(port, room.code, key=room.key) as lecturer,
        Page(port, room.code) as one,
        Page(port, room.code) as other,
    ):
        number = await asked(room, lecturer)
        await one.send(kind="answer", question=number, value=curve())
        await one.until(lambda page: len(page.answers) == 1)
        await other.until(lambda page: page.state["answered"] == 1)
        assert other.answers == {}
        await lecturer.send(kind="show", revealed=True)
        await other.until(lambda page: len(page.answers) == 1)
        await other.send(kind="answer", question=number, value=curve())
        await other.until(lambda page: page.problems == ["The run is shown already."])
        assert room.state()["answered"] == 1


@in_a_room
async def test_an_answer_counts_once_whoever_reloads_or_answers_twice(room, port):
    async with Page(port, room.code, key=room.key) as lecturer, Page(port, room.code) as student:
        number = await asked(room, lecturer, "choose")
        await student.send(kind="answer", question=number, value=0)
        await lecturer.until(lambda page: page.answers == {0: 0})
        student.close()
        await lecturer.until(lambda page: page.state["here"] == 0)
        assert lecturer.state["answered"] == 1
        await student.connect()
        await student.send(kind="answer", question=number, value=2)
        await lecturer.until(lambda page: page.answers == {0: 2})
        await student.until(lambda page: page.answers == {0: 2})
        assert lecturer.state["answered"] == 1


RUBBISH = (
    b"\xff\xfe",
    "no JSON",
    "[1, 2]",
    "null",
    "[" * 4000,
    json.dumps({"kind": "answer"}),
    json.dumps({"kind": "answer", "question": 1, "value": curve()[:-4]}),
    json.dumps({"kind": "answer", "question": 1, "value": None}),
    json.dumps({"kind": "answer", "question": 1, "value": "é" * PLACES}),
    json.dumps({"kind": "answer", "question": 99, "value": curve()}),
    json.dumps({"kind": "met", "goal": {"a": 1}}),
    json.dumps({"kind": "show", "paused": True}),
    json.dumps({"kind": "ask", "form": "draw"}),
    json.dumps({"kind": "end"}),
    json.dumps({"kind": ["join"]}),
    json.dumps({"kind": "join", "id": 7}),
    json.dumps({"kind": "join", "id": "f" * 32, "key": "guessed"}),
)


@in_a_room
async def test_rubbish_harms_nobody(room, port):
    async with (
        Page(port, room.code, key=room.key) as lecturer,
        Page(port, room.code) as good,
        Page(port, room.code) as bad,
    ):
        number = await asked(room, lecturer)
        await good.send(kind="answer", question=number, value=curve())
        await bad.until(lambda page: page.state["answered"] == 1)
        for text in RUBBISH:
            await bad.socket.write_message(text, binary=isinstance(text, bytes))
        await bad.until(
            lambda page: len(page.problems) == len(RUBBISH) - 1
        )  # the goal that is none is no problem
        await bad.socket.write_message("x" * (LONGEST + 1))
        await lecturer.until(lambda page: page.state["here"] == 1)
        assert (lecturer.state["answered"], lecturer.state["paused"], lecturer.ended) == (1, False, False)
        assert list(lecturer.answers.values()) == [curve()]


@in_a_room
async def test_a_flood_is_cut_off_and_its_answer_stays(room, port):
    async with Page(port, room.code, key=room.key) as lecturer, Page(port, room.code) as flood:
        number = await asked(room, lecturer)
        with contextlib.suppress(tornado.websocket.WebSocketClosedError):
            for height in range(200):
                await flood.send(kind="answer", question=number, value=curve(height))
        await lecturer.until(lambda page: page.state["here"] == 0)
        assert lecturer.state["answered"] == 1


@in_a_room
async def test_the_lecturer_s_pace_reaches_everybody_and_who_comes_back(room, port):
    shown = {"at": f"{FIRST}#~temperature=0.02&card=3", "locked": True, "goal": "verdict=outside"}
    async with Page(port, room.code, key=room.key) as lecturer, Page(port, room.code) as student:
        await lecturer.send(kind="show", **shown)
        await student.until(lambda page: shown.items() <= page.state.items())
        await student.send(kind="met", goal="another")
        await student.send(kind="met", goal="verdict=outside")
        await student.send(kind="met", goal="verdict=outside")
        await lecturer.until(lambda page: page.state["met"] == 1)
        for page in (lecturer, student):  # a laptop that slept
            page.close()
            page.state = {}
            await page.connect()
        await student.until(lambda page: shown.items() <= page.state.items())
        await lecturer.send(kind="show", at="https://elsewhere.example/")
        await lecturer.send(kind="show", paused="yes")
        await lecturer.send(kind="show", colour=1)
        await lecturer.until(lambda page: len(page.problems) == 3)
        assert room.shown.at == shown["at"]


@in_a_room
async def test_at_its_end_all_is_gone(room, port):
    async with Page(port, room.code, key=room.key) as lecturer, Page(port, room.code) as student:
        number = await asked(room, lecturer)
        await student.send(kind="answer", question=number, value=curve())
        await lecturer.until(lambda page: page.answers)
        await lecturer.send(kind="end")
        await student.until(lambda page: page.ended)
        assert (room.answers, room.slots, room.question, room.shown.at) == ({}, {}, None, "")
        with pytest.raises(tornado.httpclient.HTTPClientError):
            await Page(port, room.code).connect()


@in_a_room
async def test_without_the_code_there_is_no_room_and_no_file_but_the_book_s(room, port):
    client, home = tornado.httpclient.AsyncHTTPClient(), f"http://127.0.0.1:{port}"

    async def get(path, **how):
        return await client.fetch(f"{home}/{path}", raise_error=False, follow_redirects=False, **how)

    book = await get("")
    assert (book.code, book.body, book.headers["Content-Security-Policy"]) == (
        200,
        b"<title>the book</title>",
        POLICY,
    )
    for path in ("../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "room/AAAAA", "room/", "AAAAA"):
        assert (await get(path)).code in (400, 403, 404), path
    assert (await get("", method="POST", body="x")).code == 405
    assert (await get("index.html", method="PUT", body="x")).code == 405
    way_in = await get(room.code.lower())
    assert way_in.headers["Location"] == f"/{FIRST}#~class={room.code}"
    for code in ("AAAAA", room.code + "A"):
        with pytest.raises(tornado.httpclient.HTTPClientError):
            await Page(port, code).connect()
    with pytest.raises(tornado.httpclient.HTTPClientError):  # a page of another site
        await tornado.websocket.websocket_connect(
            tornado.httpclient.HTTPRequest(
                f"ws://127.0.0.1:{port}/room/{room.code}", headers={"Origin": "https://elsewhere.example"}
            )
        )


@pytest.mark.parametrize(
    ("arguments", "words"), [(["nowhere"], "PAGE nowhere: must be a page"), (["--port", "1"], "--port 1")]
)
def test_the_command_refuses_what_it_cannot_do(arguments, words, tmp_path, monkeypatch, capsys):
    (tmp_path / "book" / "recall").mkdir(parents=True)
    for page in ("index.html", FIRST):
        (tmp_path / page).write_text("")
    asking = ["--host", "192.0.2.1", *arguments] if "--port" in arguments else arguments
    hold = classroom.main
    monkeypatch.setattr(classroom, "main", lambda _, *rest: hold(tmp_path, *rest))
    assert apart(lambda: main(["class", *asking])) == 2
    assert words in capsys.readouterr().err
