"""A room of students: predictions come back, nobody's message harms another's, and at its end nothing is left."""

import asyncio
import base64
import contextlib
import itertools
import json
import re
import secrets
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest
import tornado.httpclient
import tornado.httpserver
import tornado.netutil
import tornado.websocket

from book.__main__ import main
from book.publish import classroom
from book.publish.classroom import LONGEST, PLACES, REFILL, Room
from widgets.site.policy import POLICY

STUDENTS = 300
PATIENCE = 60.0
"""Seconds after which what has not come does not come."""
BEAT = 0.5
"""Seconds of a beat where a laptop sleeps for several."""
FIRST = "book/recall/saddle.html"


def question(form="draw", **others):
    """What the lecturer's page sends to ask."""
    asked = {"kind": "ask", "form": form, "at": FIRST, "text": "How will it grow?", "domain": [0, 2]}
    curves = [curve(k) for k in range(3 if form == "choose" else 1)]
    says = [*["Who draws this is mistaken."] * (len(curves) - 1), ""]
    return asked | {"curves": curves, "says": says, "right": len(curves) - 1} | others


def curve(height=7):
    return base64.b64encode(bytes([height] * PLACES)).decode()


class Page:
    """A page that takes part: it keeps what it is told."""

    def __init__(self, port, code, **how):
        self.address, self.id = f"ws://127.0.0.1:{port}/room/{code}", secrets.token_hex(16)
        self.how, self.state, self.answers, self.problems, self.ended = how, {}, {}, [], False
        self.record = None

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
            elif message["kind"] == "record":
                self.record = message
            elif message["kind"] == "problem":
                self.problems.append(message["message"])
            elif message["kind"] == "ended":
                self.ended = True

    async def send(self, **message):
        await self.socket.write_message(json.dumps(message))

    async def send_again(self, **message):
        """As a phone does: it connects anew if its connection was cut while it slept."""
        try:
            await self.send(**message)
        except tornado.websocket.WebSocketClosedError:
            await self.connect()
            await self.send(**message)

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
    await lecturer.send(**question(form))
    await lecturer.until(lambda page: page.state.get("question"))
    return room.question.number


class Rush(NamedTuple):
    """Seconds that a whole class takes by a clock: to come in, to send a curve each, and to see each other's."""

    joined: float
    sent: float
    seen: float


async def rush(port, code, key, students=STUDENTS):
    """What it takes for all to join at once, to send a curve at once, and to see every curve."""
    times = [time.perf_counter()]
    async with contextlib.AsyncExitStack() as stack:
        lecturer = await stack.enter_async_context(Page(port, code, key=key))
        pages = await asyncio.gather(*(stack.enter_async_context(Page(port, code)) for _ in range(students)))
        await lecturer.until(lambda page: page.state.get("here") == students)
        times.append(time.perf_counter())
        await lecturer.send(**question())
        await lecturer.send(kind="show", overlaid=True)
        await lecturer.until(lambda page: page.state["question"])
        number = lecturer.state["question"]["number"]
        await asyncio.gather(
            *(page.send(kind="answer", question=number, value=curve(k % 256)) for k, page in enumerate(pages))
        )
        times.append(time.perf_counter())
        for page in (lecturer, *pages):
            await page.until(lambda page: len(page.answers) == students)
        times.append(time.perf_counter())
        expected = sorted(curve(k % 256) for k in range(students))
        assert all(sorted(page.answers.values()) == expected for page in pages)
    return Rush(*(after - before for before, after in itertools.pairwise(times)))


@in_a_room
async def test_three_hundred_send_a_curve_and_see_each_other_s(room, port):
    """Each has the curves of all in the end; ``make bench`` says how long it takes."""
    await rush(port, room.code, room.key)


HOLD = """
import asyncio, functools, sys
from pathlib import Path
from book.publish import classroom
classroom.BEAT = float(sys.argv[2])
say = functools.partial(print, flush=True)
asyncio.run(classroom.hold(classroom.Room(), Path(sys.argv[1]), "book/recall/saddle.html", "127.0.0.1", 0, say))
"""
"""A room in a process of its own; its arguments are the book's folder and the seconds of a beat."""


@contextlib.contextmanager
def held_elsewhere(book, beat=classroom.BEAT):
    """A room in a process of its own: the process, the port, the code and the key."""
    command = [sys.executable, "-c", HOLD, str(book), str(beat)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        [(port, code, key)] = re.findall(
            r":(\d+)/(\w+)\?key=(\S+)", process.stdout.readline() + process.stdout.readline()
        )
        try:
            yield process, int(port), code, key
        finally:
            process.kill()


def test_after_the_laptop_has_slept_all_are_there_again(tmp_path):
    async def whole(process, port, code, key):
        async with contextlib.AsyncExitStack() as stack:
            lecturer = await stack.enter_async_context(Page(port, code, key=key))
            pages = [await stack.enter_async_context(Page(port, code)) for _ in range(20)]
            await lecturer.send(**question("choose"))
            await lecturer.until(lambda page: page.state.get("question"))
            for page in pages:
                await page.send(kind="answer", question=1, value=1)
            await lecturer.until(lambda page: page.state["answered"] == len(pages))
            process.send_signal(signal.SIGSTOP)
            for page in pages[::2]:  # half of the phones sleep, too, and knock before the laptop wakes
                page.close()
            knocking = [asyncio.ensure_future(page.connect()) for page in pages[::2]]
            await asyncio.sleep(8 * BEAT)
            process.send_signal(signal.SIGCONT)
            await asyncio.gather(*knocking)
            await asyncio.sleep(2 * BEAT)
            for page in (lecturer, *pages):
                if page.socket.close_code or page.listening.done():
                    await page.connect()
            await lecturer.until(lambda page: page.state["here"] == page.state["answered"] == len(pages))
            await lecturer.send_again(**question("choose"))
            await lecturer.until(lambda page: page.state["question"]["number"] == 2)
            for page in pages:
                await page.send_again(kind="answer", question=2, value=2)
            await lecturer.until(lambda page: page.state["answered"] == len(pages))

    with held_elsewhere(tmp_path, BEAT) as held:
        apart(lambda: asyncio.run(whole(*held)))


@in_a_room
async def test_who_has_not_answered_sees_nothing_until_the_run_is_shown(room, port):
    async with (
        Page(port, room.code, key=room.key) as lecturer,
        Page(port, room.code) as one,
        Page(port, room.code) as other,
    ):
        number = await asked(room, lecturer)
        await one.send(kind="answer", question=number, value=curve())
        await lecturer.until(lambda page: len(page.answers) == 1)
        await one.until(lambda page: page.state["answered"] == 1)
        assert one.answers == {}  # nor does who has, until the lecturer shows the answers
        await lecturer.send(kind="show", overlaid=True)
        await one.until(lambda page: len(page.answers) == 1)
        await other.until(lambda page: page.state["overlaid"])
        assert other.answers == {}
        hidden = other.state["question"]
        assert (hidden["curves"], hidden["says"], hidden["right"]) == ([], [], -1)
        assert lecturer.state["question"]["curves"] == question()["curves"]
        await lecturer.send(kind="show", revealed=True)
        await other.until(lambda page: len(page.answers) == 1)
        assert other.state["question"] == lecturer.state["question"]
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
        await lecturer.send(kind="show", overlaid=True)
        await lecturer.send(kind="answer", question=number, value=1)
        await lecturer.until(lambda page: page.problems == ["Only students answer."])
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
    json.dumps({"kind": "join", "id": "f" * 32, "key": "é\ud800"}),
    json.dumps({"kind": "join", "id": "f" * 32}),  # a second student of one connection
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
        for count, text in enumerate(RUBBISH, start=1):
            await bad.socket.write_message(text, binary=isinstance(text, bytes))
            if count % 10 == 0:
                await asyncio.sleep(10 / REFILL)  # slower than a flood
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
    at = f"{FIRST}#~temperature=0.02&card=3"
    shown = {"at": at, "locked": True, "moment": 0.5, "goal": "verdict=outside"}
    async with Page(port, room.code, key=room.key) as lecturer, Page(port, room.code) as student:
        await lecturer.send(kind="show", **shown)
        await student.until(lambda page: shown.items() <= page.state.items())
        for moment in (-1, 0.5):  # a number, with or without decimals
            await lecturer.send(kind="show", moment=moment)
            await student.until(lambda page, moment=moment: page.state["moment"] == moment)
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
        await lecturer.send(kind="show", moment=2)
        await lecturer.send(kind="show", moment=True)
        await lecturer.until(lambda page: len(page.problems) == 5)
        assert room.shown.at == shown["at"]


@in_a_room
async def test_every_question_of_the_meeting_is_kept_until_its_end(room, port):
    async with (
        Page(port, room.code, key=room.key) as lecturer,
        Page(port, room.code) as one,
        Page(port, room.code) as other,
    ):
        number = await asked(room, lecturer)
        await other.send(kind="answer", question=number, value=curve(3))
        await lecturer.until(lambda page: page.state["answered"] == 1)
        await lecturer.send(kind="close")
        await lecturer.until(lambda page: page.state["question"] is None)
        await other.send(kind="answer", question=number, value=curve(4))
        await other.until(lambda page: page.problems == ["This question is closed."])
        number = await asked(room, lecturer, "choose")
        await one.until(lambda page: page.state["question"])
        assert (one.state["question"]["curves"], one.state["question"]["right"]) == (
            question("choose")["curves"],
            -1,
        )
        for page, value in ((other, 2), (one, 0)):
            await page.send(kind="answer", question=number, value=value)
            await lecturer.until(lambda page, value=value: value in page.answers.values())
        await lecturer.send(kind="show", goal="loss<=1", at=FIRST)
        await one.until(lambda page: page.state["goal"])
        await one.send(kind="met", goal="loss<=1")
        await lecturer.until(lambda page: page.state["met"] == 1)
        lecturer.close()
        await one.until(lambda page: page.state["here"] == 2)
        await lecturer.connect()
        await one.send(kind="save")
        await one.until(lambda page: page.problems == ["Only the lecturer may do that."])
        await lecturer.send(kind="save")
        await lecturer.until(lambda page: page.record)
        kept = [
            {**asked, "answers": [answer[:2] for answer in asked["answers"]]}
            for asked in lecturer.record["questions"]
        ]
        for n, (form, answers) in enumerate((("draw", [[0, curve(3)]]), ("choose", [[0, 2], [1, 0]]))):
            expected = question(form) | {"number": n + 1, "answers": answers}
            del expected["kind"]
            assert expected.items() <= kept[n].items()
        assert [met[:3] for met in lecturer.record["met"]] == [["loss<=1", 1, FIRST]]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"form": "guess"}, "form: must be one of draw, choose"),
        ({"at": "https://elsewhere.example/"}, "at: must be a page of the book"),
        ({"text": "?" * 301}, "text: must be at most 300 letters"),
        ({"domain": [1, float("nan")]}, "domain: must be two numbers"),
        ({"domain": [1, 1]}, "domain: must be two numbers"),
        ({"curves": [curve()] * 3}, "curves: must be 1"),
        ({"curves": ["AAAA"]}, f"A curve must be {PLACES} bytes"),
        ({"says": []}, "says: must be 1, each at most 300 letters"),
        ({"says": ["?" * 301]}, "says: must be 1, each at most 300 letters"),
        ({"says": [1]}, "says: must be 1, each at most 300 letters"),
        ({"right": 1}, "right: must be a whole number from 0 to 0"),
    ],
)
def test_a_question_that_is_none_is_not_asked(wrong, words):
    room = Room()
    with pytest.raises(classroom.Refused, match=words):
        room.ask(question(**wrong))
    assert (room.question, room.questions) == (None, [])


def test_a_room_keeps_a_hundred_questions():
    room = Room()
    for _ in range(classroom.MOST_QUESTIONS):
        room.ask(question())
    with pytest.raises(classroom.Refused, match="100 questions are asked: save the answers"):
        room.ask(question())


@in_a_room
async def test_at_its_end_all_is_gone(room, port):
    async with Page(port, room.code, key=room.key) as lecturer, Page(port, room.code) as student:
        number = await asked(room, lecturer)
        await student.send(kind="answer", question=number, value=curve())
        await lecturer.until(lambda page: page.answers)
        await lecturer.send(kind="end")
        await student.until(lambda page: page.ended)
        assert (room.answers, room.slots, room.question, room.questions, room.shown.at) == (
            {},
            {},
            None,
            [],
            "",
        )
        with pytest.raises(tornado.httpclient.HTTPClientError):
            await Page(port, room.code).connect()


@in_a_room
async def test_without_the_code_there_is_no_room_and_no_file_but_the_book_s(room, port):
    client, home = tornado.httpclient.AsyncHTTPClient(), f"http://127.0.0.1:{port}"

    async def get(path, cookie="", **how):
        headers = {"Cookie": cookie}
        return await client.fetch(
            f"{home}/{path}", raise_error=False, follow_redirects=False, headers=headers, **how
        )

    for path in ("", "index.html", FIRST, "AAAAA", f"{room.code}?key=guessed"):
        for cookie in ("", "class=AAAAA", "class=é"):
            answer = await get(path, cookie)
            assert (answer.code, "Set-Cookie" in answer.headers) == (404, False), (path, cookie)
            assert b"the book" not in answer.body
    for way, key in ((room.code.lower(), ""), (f"{room.code}?key={room.key}", f"&key={room.key}")):
        way_in = await get(way)
        assert way_in.headers["Location"] == f"/{FIRST}#~class={room.code}{key}"
    cookie, *how = way_in.headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict"} < {*how}
    book = await get("", cookie)
    assert (book.code, book.body, book.headers["Content-Security-Policy"]) == (
        200,
        b"<title>the book</title>",
        POLICY,
    )
    for path in ("../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "room/AAAAA", "room/", "AAAAA"):
        assert (await get(path, cookie)).code in (400, 403, 404), path
    assert (await get("", cookie, method="POST", body="x")).code == 405
    assert (await get("index.html", cookie, method="PUT", body="x")).code == 405
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
