"""``python -m book class``: the built book for a room of students, whose predictions and answers come back.

The server runs on the lecturer's laptop and serves the book in the local network. Students open ``/CODE``, the
lecturer ``/CODE?key=KEY``: that leads to the page which is shown, and gives the browser a cookie without which no file
of the book is served either. The page then keeps a WebSocket open to ``/room/CODE``. All that a room knows is in
memory: which page, settings and slide the lecturer shows, every question of the meeting with one answer a student, who
has met which challenge, and how many are there. Nothing is written to disk, no route reads any file but the book's own,
and when the room ends all of it is gone.

What a page sends (JSON, at most :data:`LONGEST` bytes a message):

- ``{"kind": "join", "id": …, "key": …}`` first, and once; ``id`` is random, chosen by the browser and kept while it is
  open, so that who reloads is the same student; ``key`` is the lecturer's.
- ``{"kind": "answer", "question": 2, "value": …}``: a curve as base64 of one byte a place, or the number of a drawn
  answer. Another answer to the same question takes the place of the first; one to an earlier question is too late.
- ``{"kind": "met", "goal": …}``: the page has graded the student's setting, and the challenge is met.
- of the lecturer alone: ``{"kind": "show", …}`` with some of :class:`Shown`; ``{"kind": "ask", …}`` with the form,
  page, text, domain, curves, sentences and right answer of a :class:`Question`; ``close``, after which that takes no
  answers; ``save``; and ``end``.

What the server sends: ``room``, the state with the numbers of those who are there and have answered; ``answers``, the
anonymous answers that this page has not seen: to the lecturer, to all once the run is shown, and to who has answered
once the lecturer shows them; ``record``, what was asked for by ``save``; ``problem``, a sentence.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import html
import json
import logging
import math
import re
import secrets
import socket
import time
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import tornado.httpserver
import tornado.netutil
import tornado.web
import tornado.websocket

from book.errors import BadInput
from widgets.site.policy import POLICY

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters of a room's code: without I and O, which look like digits."""
CODE_LENGTH = 5
MOST_STUDENTS = 1000
LONGEST = 4096
"""Bytes of a message."""
PLACES = 61
"""Heights of a drawn curve, from the run's start to its end."""
CHOICES = 3
"""Drawn answers to choose from."""
MOST_QUESTIONS = 100
"""Questions, and challenges, whose answers a room keeps."""
LONGEST_TEXT = 300
"""Letters of a question or a challenge."""
BURST, REFILL = 20, 4.0
"""Messages that a client may send at once, and how many more each second."""
FLUSH = 0.25
"""Seconds in which changes are gathered before all pages are told of them."""
BEAT = 10.0
"""Seconds after which a page is told of the room even if nothing has changed: one that hears nothing connects anew."""
JOIN_WITHIN = 10.0
"""Seconds that a connection has to say who it is."""
PAGE = re.compile(r"[\w/-]{1,200}\.html(#[^\s\"'<>\\]{0,1500})?")
"""What the lecturer may show: a page of the book and its settings."""
MOST_SLIDES = 99
STUDENT = re.compile(r"[0-9a-f]{32}")
COOKIE = "class"
"""What a browser shows instead of the code once it has come in."""
FORMS = ("draw", "choose")
REFUSAL = (
    '<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<title>A class</title><p style="font: 1.5rem/1.4 system-ui, sans-serif; margin: 2rem">{}</p></html>'
)
"""A page that says why nothing else is shown, to be read on a phone."""
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def is_same(given: str, wanted: str) -> bool:
    """Whether a code or a key is right; how long it takes does not say how near it comes."""
    return secrets.compare_digest(given.encode(errors="replace"), wanted.encode())


class Refused(ValueError):
    """A message that the room does not take, with a sentence that says why."""


class Question(NamedTuple):
    """What the lecturer has asked: all pages show it at the same settings, and the same curves."""

    number: int
    form: str
    """"draw" a curve, or "choose" one of :data:`CHOICES`."""
    at: str
    """The page and its settings."""
    text: str
    domain: tuple[float, float]
    """The range of the chart's axis."""
    curves: tuple[str, ...]
    """The drawn answers, or the run alone: base64 of one byte a place."""
    says: tuple[str, ...]
    """What who draws each of the answers thinks: of the run nothing."""
    right: int
    """Which of the curves is the run's."""
    asked_at: str
    """When, by the laptop's clock."""

    def for_page(self, all_of_it: bool) -> dict[str, Any]:
        """What a page is told of it; students learn which curve is the run's when the run is shown."""
        hidden: dict[str, Any] = {} if all_of_it else {"right": -1, "says": ()}
        if not all_of_it and self.form == "draw":
            hidden["curves"] = ()
        return self._asdict() | hidden


class Answer(NamedTuple):
    """What a student has answered."""

    version: int
    """The room's version in which it came."""
    value: str | int
    came: str
    """When, by the laptop's clock."""


class Met(NamedTuple):
    """A challenge that a student has met."""

    place: int
    at: str
    """The page and the settings that the lecturer showed."""
    came: str


class Shown(NamedTuple):
    """What the lecturer shows, and what students may do."""

    at: str = ""
    """The page and its settings, such as ``book/recall/saddle.html#~temperature=0.02``."""
    slide: int = 0
    """The page's slide, from 1; 0 while it is no slides."""
    moment: float = 1.0
    """The share of the run that the lecturer's page shows; −1 before it is trained."""
    locked: bool = False
    """Students follow the lecturer's page, settings and slide, and cannot move them."""
    paused: bool = False
    """Students' screens ask them to look up."""
    overlaid: bool = False
    """The answers are drawn over each other, or counted, before the run is shown."""
    revealed: bool = False
    """The run is drawn over the answers."""
    goal: str = ""
    """The challenge, as its address has it."""


class Room:
    """All that is known of a class: nothing of it outlives :meth:`end`."""

    def __init__(self) -> None:
        self.code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
        self.key = secrets.token_urlsafe(16)
        self.shown = Shown()
        self.question: Question | None = None
        """The question that is open."""
        self.questions: list[Question] = []
        """Every question of the meeting, in its order."""
        self.slots: dict[str, int] = {}
        """The place of each student who has answered: it says nothing of who that is."""
        self.answers: dict[int, dict[int, Answer]] = {}
        """By the question's number, and by place."""
        self.met: dict[str, dict[str, Met]] = {}
        """By the challenge, and by the student's id."""
        self.version = 0
        self.clients: set[Client] = set()
        self.ended = asyncio.Event()
        self._flushing: asyncio.TimerHandle | None = None

    def students(self) -> set[str]:
        """The ids of those who are there."""
        return {client.id for client in self.clients if client.id and not client.leads}

    def state(self, leads: bool = False) -> dict[str, Any]:
        """What every page is told; the lecturer's knows which answer is right."""
        return {
            "kind": "room",
            "code": self.code,
            **self.shown._asdict(),
            "question": self.question.for_page(leads or self.shown.revealed) if self.question else None,
            "here": len(self.students()),
            "answered": len(self.open_answers()),
            "met": len(self.met.get(self.shown.goal, ())),
        }

    def open_answers(self) -> dict[int, Answer]:
        """The answers to the question that is open, by place."""
        return self.answers[self.question.number] if self.question else {}

    def show(self, changes: dict[str, Any]) -> None:
        """Take over what the lecturer shows."""
        for name, value in changes.items():
            if name not in Shown._fields:
                raise Refused(f"{name}: must be one of {', '.join(Shown._fields)}")
            kind = type(Shown._field_defaults[name])
            if type(value) is not kind and (kind, type(value)) != (float, int):
                raise Refused(f"{name}: must be {KINDS[kind]}")
        if changes.get("at") and not PAGE.fullmatch(changes["at"]):
            raise Refused("at: must be a page of the book with its settings")
        if not 0 <= changes.get("slide", 0) <= MOST_SLIDES:
            raise Refused(f"slide: must be from 0 to {MOST_SLIDES}")
        if not -1 <= changes.get("moment", 0) <= 1:
            raise Refused("moment: must be from -1 to 1")
        if len(changes.get("goal", "")) > LONGEST_TEXT:
            raise Refused(f"goal: must be at most {LONGEST_TEXT} letters")
        self.shown = self.shown._replace(**changes)

    def ask(self, message: dict[str, Any]) -> None:
        """Put a new question; what was answered to earlier ones is kept."""
        if len(self.questions) >= MOST_QUESTIONS:
            raise Refused(f"{MOST_QUESTIONS} questions are asked: save the answers, and begin another class.")
        self.question = checked_question(len(self.questions) + 1, message)
        self.questions.append(self.question)
        self.answers[self.question.number] = {}
        self.shown = self.shown._replace(revealed=False, overlaid=False)

    def close(self) -> None:
        """Take no more answers to the question that is open."""
        self.question = None
        self.shown = self.shown._replace(revealed=False, overlaid=False)

    def answer(self, student: str, number: Any, value: Any) -> None:
        """Keep a student's answer; another to the same question takes its place."""
        if self.question is None or number != self.question.number:
            raise Refused("This question is closed.")
        if self.shown.revealed:
            raise Refused("The run is shown already.")
        checked = checked_answer(self.question.form, value)
        place = self._place(student)
        self.version += 1
        self.open_answers()[place] = Answer(self.version, checked, now())

    def meet(self, student: str, goal: Any) -> None:
        """Count a student who has met the challenge that is shown."""
        if not goal or goal != self.shown.goal or (goal not in self.met and len(self.met) >= MOST_QUESTIONS):
            return
        met = self.met.setdefault(goal, {})
        if student not in met:
            met[student] = Met(self._place(student), self.shown.at, now())

    def _place(self, student: str) -> int:
        """A student's place, in all questions of the meeting."""
        if student not in self.slots and len(self.slots) >= MOST_STUDENTS:
            raise Refused(f"{MOST_STUDENTS} have answered: no more can.")
        return self.slots.setdefault(student, len(self.slots))

    def has_answered(self, student: str) -> bool:
        """Whether a student has answered the question that is open."""
        return self.slots.get(student, -1) in self.open_answers()

    def record(self) -> dict[str, Any]:
        """Every question of the meeting with its answers, and who has met which challenge."""
        return {
            "kind": "record",
            "questions": [
                question._asdict()
                | {"answers": [(place, value, came) for place, (_, value, came) in self.answers[n].items()]}
                for n, question in enumerate(self.questions, start=1)
            ],
            "met": [(goal, *met) for goal, students in self.met.items() for met in students.values()],
        }

    def answers_since(self, version: int) -> list[tuple[int, str | int]]:
        """Places and answers that came after a version."""
        return [(place, value) for place, (came, value, _) in self.open_answers().items() if came > version]

    def change(self) -> None:
        """Tell all pages soon."""
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().call_later(FLUSH, self._flush)

    def _flush(self) -> None:
        self._flushing = None
        states = [json.dumps(self.state(leads)) for leads in (False, True)]
        texts: dict[int, str] = {}
        for client in list(self.clients):
            if not client.id:
                continue
            client.tell(states[client.leads])
            may_see = client.leads or self.shown.revealed
            may_see |= self.shown.overlaid and self.has_answered(client.id)
            if self.question and may_see:
                seen = client.seen if client.question == self.question.number else 0
                if seen not in texts:
                    texts[seen] = json.dumps(
                        {
                            "kind": "answers",
                            "question": self.question.number,
                            "values": self.answers_since(seen),
                        }
                    )
                if seen < self.version:
                    client.tell(texts[seen])
                client.seen, client.question = self.version, self.question.number

    def end(self) -> None:
        """Tell everybody, close every connection and forget everything."""
        for client in list(self.clients):
            client.tell(json.dumps({"kind": "ended"}))
            client.close(1000, "the class has ended")
        if self._flushing:
            self._flushing.cancel()
        self.shown, self.question = Shown(), None
        self.questions.clear()
        self.slots.clear()
        self.answers.clear()
        self.met.clear()
        self.ended.set()


def now() -> str:
    """The time by this machine's clock, as a file of answers has it."""
    return datetime.now().isoformat(timespec="seconds")


def checked_question(number: int, message: dict[str, Any]) -> Question:
    """A question as the lecturer's page sends it.

    Raises:
        Refused: it is none.
    """
    form, at, text, domain, curves, says, right = (
        message.get(name) for name in ("form", "at", "text", "domain", "curves", "says", "right")
    )
    if form not in FORMS:
        raise Refused(f"form: must be one of {', '.join(FORMS)}")
    if not (isinstance(at, str) and PAGE.fullmatch(at)):
        raise Refused("at: must be a page of the book with its settings")
    if not (isinstance(text, str) and len(text) <= LONGEST_TEXT):
        raise Refused(f"text: must be at most {LONGEST_TEXT} letters")
    ends = domain if isinstance(domain, list) else []
    numbers = [end for end in ends if type(end) in (int, float) and math.isfinite(end)]
    if len(ends) != 2 or numbers != ends or not ends[0] < ends[1]:
        raise Refused("domain: must be two numbers, the lower one first")
    count = CHOICES if form == "choose" else 1
    if not (isinstance(curves, list) and len(curves) == count):
        raise Refused(f"curves: must be {count}")
    sentences = says if isinstance(says, list) else []
    if len(sentences) != count or not all(
        isinstance(each, str) and len(each) <= LONGEST_TEXT for each in sentences
    ):
        raise Refused(f"says: must be {count}, each at most {LONGEST_TEXT} letters")
    if not (type(right) is int and 0 <= right < count):
        raise Refused(f"right: must be a whole number from 0 to {count - 1}")
    checked = tuple(str(checked_answer("draw", drawn)) for drawn in curves)
    return Question(number, form, at, text, (ends[0], ends[1]), checked, tuple(sentences), right, now())


def checked_answer(form: str, value: Any) -> str | int:
    """An answer of this form: a curve as base64, or a choice.

    Raises:
        Refused: it is not one.
    """
    if form == "choose":
        if type(value) is int and 0 <= value < CHOICES:
            return value
        raise Refused(f"An answer must be a whole number from 0 to {CHOICES - 1}.")
    try:
        length = len(base64.b64decode(value, validate=True)) if isinstance(value, str) else 0
    except (binascii.Error, ValueError):
        length = 0
    if length != PLACES:
        raise Refused(f"A curve must be {PLACES} bytes in base64.")
    return str(value)


class Client(tornado.websocket.WebSocketHandler):
    """The connection of one page."""

    room: Room
    id = ""
    leads = False
    seen = 0
    question = 0

    def initialize(self, room: Room) -> None:
        self.room = room
        self.tokens, self.refilled = float(BURST), time.monotonic()

    def prepare(self) -> None:
        if not is_same(self.path_args[0], self.room.code) or self.room.ended.is_set():
            raise tornado.web.HTTPError(404)
        if len(self.room.clients) >= MOST_STUDENTS:
            raise tornado.web.HTTPError(503)

    def open(self, *_arguments: str, **_named: str) -> None:
        self.room.clients.add(self)
        asyncio.get_running_loop().call_later(JOIN_WITHIN, self._leave_unless_joined)

    def _leave_unless_joined(self) -> None:
        if not self.id:
            self.close(1008, "nobody joined")

    def on_message(self, message: str | bytes) -> None:
        if not self._may_speak():
            self.close(1008, "too many messages")
            return
        try:
            self._take(_parsed(message))
        except Refused as refusal:
            self.tell(json.dumps({"kind": "problem", "message": str(refusal)}))

    def _may_speak(self) -> bool:
        """Whether this message is within the rate that a client is allowed."""
        now = time.monotonic()
        self.tokens = min(float(BURST), self.tokens + REFILL * (now - self.refilled))
        self.refilled = now
        self.tokens -= 1
        return self.tokens >= 0

    def _take(self, message: dict[str, Any]) -> None:
        kind, room = message.pop("kind", None), self.room
        if kind == "join":
            self._join(message.get("id"), message.get("key"))
        elif not self.id:
            raise Refused("Join first.")
        elif kind == "answer":
            if self.leads:
                raise Refused("Only students answer.")
            room.answer(self.id, message.get("question"), message.get("value"))
        elif kind == "met":
            if not self.leads:
                room.meet(self.id, message.get("goal"))
        elif not self.leads:
            raise Refused("Only the lecturer may do that.")
        elif kind == "show":
            room.show(message)
        elif kind == "ask":
            room.ask(message)
        elif kind == "close":
            room.close()
        elif kind == "save":
            self.tell(json.dumps(room.record()))
            return
        elif kind == "end":
            room.end()
            return
        else:
            raise Refused(f"{kind}: must be join, answer, met, show, ask, close, save or end")
        room.change()

    def _join(self, id: Any, key: Any) -> None:
        if not (isinstance(id, str) and STUDENT.fullmatch(id)):
            raise Refused("id: must be 32 hexadecimal digits")
        if key is not None and not (isinstance(key, str) and is_same(key, self.room.key)):
            raise Refused("key: is not the lecturer's")
        if self.id:
            raise Refused("This page has joined already.")
        self.id, self.leads = id, key is not None
        self.seen = 0

    def tell(self, text: str) -> None:
        """Send a message; a connection that is gone meanwhile is no matter."""
        try:
            self.write_message(text).add_done_callback(lambda sent: sent.exception())
        except tornado.websocket.WebSocketClosedError:
            self.room.clients.discard(self)

    def on_close(self) -> None:
        self.room.clients.discard(self)
        if self.id and not self.room.ended.is_set():
            self.room.change()


def _parsed(message: str | bytes) -> dict[str, Any]:
    try:
        content = json.loads(message)
    except (ValueError, RecursionError):
        raise Refused("A message must be JSON.") from None
    if not isinstance(content, dict):
        raise Refused("A message must be a JSON object.")
    return content


class WithPolicy(tornado.web.RequestHandler):
    """What every answer of the server carries: the policy that the book keeps everywhere."""

    def set_default_headers(self) -> None:
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Server", "book")


class Book(WithPolicy, tornado.web.StaticFileHandler):
    """The files of the built book, for whoever has come in by the room's code."""

    def prepare(self) -> None:
        if not is_same(self.get_cookie(COOKIE, ""), self.settings["room"].code):
            refuse(self, "Type the code of the class behind this address, as on the slide.")


def refuse(handler: tornado.web.RequestHandler, sentence: str) -> None:
    """Answer a request for what is not there without the code."""
    handler.set_status(404)
    handler.set_header("Content-Type", "text/html; charset=utf-8")
    handler.finish(REFUSAL.format(html.escape(sentence)))


class Join(WithPolicy):
    """``/CODE``: leads a student, and with the key the lecturer, to the page that is shown."""

    def initialize(self, room: Room, first: str) -> None:
        self.room, self.first = room, first

    def get(self, code: str) -> None:
        key = self.get_query_argument("key", "")
        if not is_same(code.upper(), self.room.code):
            refuse(self, "No class has this code. Look at the slide once more.")
        elif key and not is_same(key, self.room.key):
            refuse(self, "This is not the lecturer's key.")
        else:
            self.set_cookie(COOKIE, self.room.code, httponly=True, samesite="Strict")
            at = self.room.shown.at or self.first
            self.redirect(with_class(at, self.room.code, **({"key": key} if key else {})))


def with_class(at: str, code: str, **others: str) -> str:
    """The address, from the server's root, of a page whose reader takes part in the class with this code."""
    page, _, settings = at.partition("#~")
    options = "&".join([*filter(None, [settings]), f"class={code}", *(f"{k}={v}" for k, v in others.items())])
    return f"/{page.partition('#')[0]}#~{options}"


def application(room: Room, book: Path, first: str) -> tornado.web.Application:
    """The server's routes: the room, the way into it, and the book."""
    return tornado.web.Application(
        [
            (r"/room/([A-Za-z]{1,20})", Client, {"room": room}),
            (r"/([A-Za-z]{5})", Join, {"room": room, "first": first}),
            (r"/(.*)", Book, {"path": str(book), "default_filename": "index.html"}),
        ],
        room=room,
        websocket_max_message_size=LONGEST,
        websocket_ping_interval=BEAT,
        websocket_ping_timeout=BEAT,
        log_function=lambda _handler: None,  # who asked for what is nobody's business
    )


def local_address() -> str:
    """This machine's address in its local network; nothing is sent to find it out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


async def hold(room: Room, book: Path, first: str, host: str, port: int, say: Any = print) -> None:
    """Serve a room until it ends.

    Args:
        book: the folder of the built book.
        first: the page that is shown first, such as ``book/recall/saddle.html``.
        host: the address to listen at; "" for all of this machine's.
        port: 0 for one that is free.

    Raises:
        BadInput: the port is taken.
    """
    try:
        sockets = tornado.netutil.bind_sockets(port, host or None, family=socket.AF_INET)
    except OSError as error:
        raise BadInput(f"--port {port}: {error.strerror or error}") from error
    logging.getLogger("tornado.access").disabled = True
    server = tornado.httpserver.HTTPServer(application(room, book, first), max_body_size=LONGEST)
    server.add_sockets(sockets)
    home = f"http://{host or local_address()}:{sockets[0].getsockname()[1]}"
    say(f"Students open   {home}/{room.code}")
    say(f"You open        {home}/{room.code}?key={room.key}")
    say("The room ends with your button “end the class”, or with Ctrl+C; then all answers are gone.")
    beat = asyncio.ensure_future(_beat(room))
    try:
        await room.ended.wait()
    finally:
        beat.cancel()
        room.end()
        server.stop()
        await server.close_all_connections()


async def _beat(room: Room) -> None:
    while True:
        await asyncio.sleep(BEAT)
        room.change()


def main(book: Path, page: str, host: str, port: int) -> int:
    """Hold a class with the built book until it ends.

    Raises:
        BadInput: the book is not built, or has no such page.
    """
    first = f"book/{page}.html"
    if not (book / "index.html").exists():
        raise BadInput(f"{book}: the book is not built: make book")
    if not (book / first).exists():
        raise BadInput(f"PAGE {page}: must be a page of the book, such as recall/saddle")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(hold(Room(), book, first, host, port))
    return 0
