"""A class that is held: students' pages follow, predictions come back, and the run is drawn over them."""

import asyncio
import csv
import math
import threading

import pytest

from book.publish.classroom import Room, hold
from tests import HTML, LAPTOP, PHONE
from tests.browser.reading import SETTLED, settled, turn_to

FIRST = "book/recall/saddle.html"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.fixture
def loop():
    """The event loop of the room's thread: what concerns a connection is asked of it alone."""
    return asyncio.new_event_loop()


@pytest.fixture
def room(loop):
    """A room that is held as the command holds it, and its address."""
    ready, said, rooms = threading.Event(), [], []

    def say(line):
        said.append(line)
        if len(said) == 3:
            ready.set()

    async def serve():
        rooms.append(Room())
        await hold(rooms[0], HTML, FIRST, "127.0.0.1", 0, say)

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(30)
    home = said[0].split()[-1].rpartition("/")[0]
    yield rooms[0], home, said
    loop.call_soon_threadsafe(rooms[0].end)
    thread.join(30)


@pytest.fixture
def pages(room, open_page):
    """The lecturer's page, and two students', who came by the room's code."""
    held, home, _ = room
    lecturer = open_page(f"{home}/{held.code}?key={held.key}", viewport=LAPTOP)
    settled(lecturer)
    students = [open_page(f"{home}/{held.code.lower()}", viewport=PHONE) for _ in range(2)]
    for page in students:
        settled(page)
    says(lecturer, "2 students")
    return lecturer, students


def says(page, words):
    page.wait_for_function(
        "(words) => document.querySelector('.fim-meeting [role=status]')?.textContent.includes(words)",
        arg=words,
    )


def press(lecturer, name):
    lecturer.locator(".fim-meeting").get_by_role("button", name=name, exact=True).click()


def draw(page, height, button="send"):
    """Draw a curve at this share of the chart's height, by hand."""
    box = page.locator(".fim-predict svg").first.bounding_box()
    point = page.locator(".fim-predict [role=slider]").first.bounding_box()
    page.mouse.move(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    page.mouse.down()
    level = box["y"] + box["height"] * (0.85 - 0.7 * height)
    page.mouse.move(box["x"] + 2, level, steps=4)
    page.mouse.move(box["x"] + box["width"] - 2, level, steps=12)
    page.mouse.up()
    page.get_by_role("button", name=button).click()


def in_sight(page, selector):
    """Wait until the top of an element is in sight, below the class's bar and the page's header."""
    page.wait_for_function(
        """(selector) => {
          const { top } = document.querySelector(selector).getBoundingClientRect();
          const bars = [...document.querySelectorAll('.fim-meeting, .bd-header-article, .bd-header')];
          const below = Math.max(...bars.map((bar) => bar.getBoundingClientRect().bottom));
          return top >= below - 1 && top < innerHeight / 2;
        }""",
        arg=selector,
    )


def saved(lecturer):
    """The rows of the file of answers."""
    with lecturer.expect_download() as download:
        press(lecturer, "save")
    with download.value.path().open(newline="") as file:
        return list(csv.DictReader(file))


def test_predictions_come_back_and_the_run_is_drawn_over_them(room, pages):
    lecturer, students = pages
    assert room[0].key not in lecturer.url
    runs = lecturer.get_by_role("button", name="show the run")
    for page in students:  # nobody has seen the end of the run
        page.reload()
        page.wait_for_function(SETTLED)
        page.locator(".fim-train").wait_for()
        assert "61" not in page.locator(".fim").inner_text()
    press(lecturer, "ask: draw")
    for page, height in zip(students, (0.2, 0.8), strict=True):
        page.wait_for_selector(".fim-predict[open]")
        in_sight(page, ".fim-predict > summary")
        draw(page, height)
        page.wait_for_function("() => document.querySelector('.fim-predict').textContent.includes('Sent.')")
        assert page.locator(".fim-scene").is_hidden()  # the run waits for the lecturer
    says(lecturer, "2 answered")
    assert runs.count() == 1
    lines = (
        "() => [...document.querySelectorAll('.fim-predict .fim-lines path')]"
        ".filter((line) => line.getAttribute('d')).length"
    )
    drawn = f"(before) => ({lines})() > before"
    before = [page.evaluate(lines) for page in [*students, lecturer]]
    assert before[0] == before[1]  # the first has not seen the second's
    press(lecturer, "show the answers")
    for page, old in zip([*students, lecturer], before, strict=True):
        page.wait_for_function(drawn, arg=old)
    before = [page.evaluate(lines) for page in students]
    press(lecturer, "show the run")
    for page in (lecturer, *students):
        says(page, "of 2 right")
    for page, old in zip(students, before, strict=True):
        page.wait_for_function(drawn, arg=old)
    students[0].reload()  # who comes back sees what all see
    settled(students[0])
    says(students[0], "of 2 right")
    students[0].wait_for_function(f"(least) => ({lines})() >= least", arg=before[0])
    assert students[0].get_by_text("You drew nothing this time.").is_visible()
    assert not students[0].get_by_text("This run has no such number.").count()


DRAWN = "() => [...document.querySelectorAll('.fim-choices path')].map((path) => path.getAttribute('d'))"


def test_a_question_on_a_card_is_the_same_everywhere_and_kept_until_the_end(room, pages, open_page):
    """Three drawn answers at the card's settings; another slide closes the question, and its answers stay."""
    held, home, _ = room
    lecturer, (student, other) = pages
    lecturer.keyboard.press("p")
    lecturer.locator(".fim-bar").wait_for()
    code = lecturer.locator(".fim-qr").bounding_box()
    for text in lecturer.locator("section > :is(h1, h1 ~ p):visible").all():
        words = text.evaluate(
            "(e) => { const range = document.createRange(); range.selectNodeContents(e);"
            " return Math.max(...[...range.getClientRects()].map(({ right }) => right)) }"
        )
        assert words <= code["x"]
    lecturer.keyboard.press("o")
    lecturer.keyboard.press("o")
    assert not lecturer.locator(".fim-all").count()
    lecturer.keyboard.press("o")
    lecturer.keyboard.press("b")
    lecturer.locator(".fim-black").click()
    lecturer.keyboard.press("o")
    lecturer.locator(".fim-all").get_by_role("button", name="Take the push away").click()
    shows(lecturer, "card")
    settled(lecturer)
    press(lecturer, "ask: choose")
    late = open_page(f"{home}/{held.code}", viewport=PHONE)
    for page in (student, other, late, lecturer):
        page.wait_for_selector(".fim-choices")
        assert page.locator(".fim-choices svg").last.is_visible()
        assert page.locator(".fim-predict > summary").is_visible()
        assert page.evaluate(DRAWN) == lecturer.evaluate(DRAWN)
        assert not page.locator(":is(.fim-story, .fim-statement, .fim-caption):visible").count()
    in_sight(student, ".fim-predict > summary")
    assert "perturbation_radius=0" in student.url
    assert lecturer.locator(".fim-choices button").first.is_disabled()
    for page, choice in ((student, 0), (other, 2)):
        page.locator(".fim-choices button").nth(choice).click()
    says(lecturer, "2 answered")
    assert lecturer.locator(".fim-choices button span").all_inner_texts() == ["A", "B", "C"]
    assert lecturer.locator(".fim-choices small").all_inner_texts() == ["", "", ""]
    press(lecturer, "show the answers")
    lecturer.get_by_text("A: 1", exact=True).wait_for()
    assert lecturer.locator(".fim-choices [data-right]").count() == 0
    press(lecturer, "show the run")
    right = (
        "() => [...document.querySelectorAll('.fim-choices button')].findIndex((one) => one.dataset.right)"
    )
    for page in (lecturer, student, other, late):
        says(page, "of 2 right")
        page.wait_for_selector(".fim-choices [data-right]")
        assert page.evaluate(right) == lecturer.evaluate(right)
        thoughts = page.locator(".fim-choices small").all_inner_texts()
        assert sorted(bool(thought) for thought in thoughts) == [False, True, True]
        assert thoughts.index("") == lecturer.evaluate(right)
    counts = lecturer.locator(".fim-choices button span").all_inner_texts()
    assert [text.split(":")[1].split(",")[0].strip() for text in counts] == ["1", "0", "1"]
    place = lecturer.evaluate(right)
    for page, edge in ((lecturer, LAPTOP["height"] - 60), (student, math.inf)):
        bottom = page.evaluate("document.querySelector('.fim-choices').getBoundingClientRect().bottom")
        assert bottom <= edge
        assert page.locator(".fim-predict > summary").inner_text().startswith("Take the push away. How will")
    lecturer.keyboard.press("PageDown")  # back to the card on which it was asked
    shows(lecturer, "card")
    assert "Take the push away" in lecturer.locator(".fim-story").inner_text()
    for page in (student, lecturer):
        page.wait_for_selector(".fim-choices", state="detached")
    lecturer.goto(f"{home}/book/teaching.html")
    says(lecturer, "3 students")  # the class's bar stands on a page without figures, too
    rows = saved(lecturer)
    assert [(row["form"], row["answer"], row["right"]) for row in rows] == [
        ("choose", letter, "yes" if "ABC"[place] == letter else "no") for letter in "AC"
    ]
    assert rows[0]["text"].endswith("?")
    assert "perturbation_radius=0" in rows[0]["page and settings"]
    press(lecturer, "lock")
    says(student, "locked: this page follows")


def test_a_locked_page_follows_the_lecturer_and_a_paused_one_looks_up(pages):
    lecturer, (student, other) = pages
    press(lecturer, "lock")
    turn_to(lecturer, temperature=0.02)
    student.wait_for_function("() => location.hash.includes('temperature=0.02')")
    assert student.locator(".fim-front").first.evaluate("(front) => front.inert")
    press(lecturer, "pause")
    student.wait_for_selector(".fim-meeting-paused")
    press(lecturer, "pause")
    student.wait_for_selector(".fim-meeting-paused", state="detached")
    other.reload()
    settled(other)
    other.wait_for_function("() => location.hash.includes('temperature=0.02')")
    press(lecturer, "lock")
    student.wait_for_function("() => !document.querySelector('.fim-front').inert")


BEHIND = ":is(.bd-article > section > :is(h1, .proof, .exercise), footer, .bd-header-article):visible"


def shows(page, slide):
    page.wait_for_function("(slide) => document.documentElement.dataset.slide === slide", arg=slide)


def test_students_follow_the_lecturer_s_slides_where_they_are_locked(room, pages):
    held, home, _ = room
    lecturer, (student, _) = pages
    press(lecturer, "lock")
    lecturer.keyboard.press("p")
    lecturer.locator(".fim-bar").wait_for()
    lecturer.keyboard.press("3")
    shows(student, "run")
    student.keyboard.press("4")
    assert student.locator(".fim-bar").evaluate("(bar) => bar.inert")
    assert student.locator(".fim-bar").is_hidden()  # it would cover words
    shows(student, "run")
    lecturer.keyboard.press("ArrowRight")  # the run goes on to its first stop, and so it does on the phone
    for page in (lecturer, student):
        page.wait_for_function("() => document.querySelectorAll('.fim-stop.fim-reached').length === 1")
    lecturer.evaluate("document.querySelector('.fim').live.set({ temperature: 0.02 })")
    student.wait_for_function("() => location.hash.includes('temperature=0.02')")
    settled(student)
    assert student.locator(BEHIND).count() == 0  # other settings do not bring back the page behind the slide
    with lecturer.expect_popup() as popup:
        lecturer.keyboard.press("w")
    for frame in popup.value.frames[1:]:  # its small pictures are nobody's pages
        frame.wait_for_selector(".fim[data-state=done]")
        assert frame.locator(".fim-meeting").count() == 0
    popup.value.close()
    lecturer.keyboard.press("End")
    shows(student, "why")
    assert student.locator(".fim-step:visible").count() > 1  # a phone scrolls from step to step
    assert lecturer.locator(".fim-step:visible").count() == 1
    press(lecturer, "ask: draw")
    for page in (lecturer, student):
        shows(page, "predict")
    press(lecturer, "pause")
    lecturer.keyboard.press("4")
    shows(student, "card")
    assert student.locator(".fim-meeting-paused").is_visible()
    code = lecturer.locator(".fim-meeting").get_attribute("data-address")
    assert code == f"{home}/{held.code}"
    press(lecturer, "code")
    assert lecturer.locator(".fim-meeting-code").inner_text().strip() == code.partition("//")[2]
    assert lecturer.locator(".fim-meeting-code svg").is_visible()
    lecturer.keyboard.press("Escape")  # closes the code, and not the slides
    assert lecturer.locator(".fim-meeting-code").count() == 0
    shows(lecturer, "card")
    lecturer.locator(".fim-bar").get_by_role("button", name="end").click()
    student.wait_for_function("() => !('slide' in document.documentElement.dataset)")


def test_a_challenge_is_graded_in_the_page_and_counted_live(pages):
    lecturer, (student, other) = pages
    lecturer.evaluate("location.hash = '#~goal=verdict%3Doutside%2Ctemperature%3C%3D0.0895'")
    for page in (student, other):
        page.wait_for_selector(".fim-goal[data-met='0']")
        in_sight(page, ".fim-goal")
    says(lecturer, "0 met the challenge")
    student.evaluate("document.querySelector('.fim').live.set({ temperature: 0.0895 })")
    says(lecturer, "1 met the challenge")


def test_who_is_cut_off_is_there_again_and_the_end_deletes_all(room, loop, pages):
    held, home, _ = room
    lecturer, (student, _) = pages
    press(lecturer, "ask: choose")
    student.locator(".fim-choices button").first.click()
    says(lecturer, "1 answered")
    cut_off = next(client for client in held.clients if not client.leads)
    loop.call_soon_threadsafe(cut_off.close)  # connects anew
    says(lecturer, "2 students")
    student.goto(f"{home}/book/recognise/phases.html")  # another page of the same window
    settled(student)
    says(student, "2 students · 1 answered")
    press(lecturer, "end the class")
    lecturer.locator(".fim-meeting").get_by_role("button", name="end, and delete").click()
    says(student, "all answers are deleted")
    assert student.evaluate("sessionStorage.getItem('fim-class')") is None


def test_a_wrong_code_says_so(room, open_page, page_errors):
    held, home, _ = room
    page = open_page(f"{home}/WRONG", viewport=PHONE)
    sentence = page.get_by_text("No class has this code.")
    assert sentence.evaluate("(line) => parseFloat(getComputedStyle(line).fontSize)") >= 20
    assert page.evaluate("innerWidth") == PHONE["width"]
    page.goto(f"{home}/{held.code}")
    page.goto("about:blank")
    page.goto(f"{home}/{FIRST}#~class=WRONG")
    settled(page)
    says(page, "No class with the code WRONG")
    assert any("/room/WRONG' failed" in error for error in page_errors)
    assert all("404" in error for error in page_errors)
    page_errors.clear()


def test_without_a_server_addresses_are_collected_in_the_page(open_page, home, tmp_path):
    """What a published book can do: students copy an address, and the lecturer's page draws or grades them."""
    student = open_page(f"{home}/{FIRST}#~predict=1", viewport=LAPTOP)
    settled(student)
    draw(student, 0.5, "show the run")
    student.get_by_role("button", name="copy your answer").click()
    assert student.get_by_role("img", name="your answer’s address, to scan").is_visible()
    sketch = student.evaluate("() => factsRuntime.addressWith({ sketch: 'AAAA' })").replace(
        "AAAA", "A" * 80 + "AA=="
    )
    goal = "goal=verdict%3Doutside%2Ctemperature%3C%3D0.0895"
    lines = [
        f"Ada {sketch}",
        f"Emmy, {home}/{FIRST}#~temperature=0.0895&{goal}",
        f"{home}/{FIRST}#~temperature=0.02&{goal}",
        f"Alan {home}/book/recognise/phases.html#~{goal}",
        "Nobody",
    ]
    lecturer = open_page(f"{home}/{FIRST}", viewport=LAPTOP)
    settled(lecturer)
    lecturer.get_by_role("button", name="for a class").click()
    dialog = lecturer.get_by_role("dialog")
    (tmp_path / "answers.txt").write_text("\n".join(lines))
    dialog.get_by_label("a file of addresses").set_input_files(tmp_path / "answers.txt")
    dialog.get_by_role("button", name="collect", exact=True).click()
    dialog.get_by_text("have met their challenge").wait_for()
    of_file = dialog.locator("ul[role=status] li").all_inner_texts()
    dialog.get_by_label("addresses of answers").fill("\n".join([*lines, *lines]))
    dialog.get_by_role("button", name="collect", exact=True).click()
    dialog.get_by_text("2 curves are drawn").wait_for()
    dialog.get_by_label("addresses of answers").fill("\n".join(lines))
    dialog.get_by_role("button", name="collect", exact=True).click()
    dialog.get_by_text("1 curve is drawn").wait_for()
    dialog.get_by_text("have met their challenge").wait_for()
    said = dialog.locator("ul[role=status] li").all_inner_texts()
    assert of_file == said
    assert said[0] == "“Nobody” has no address of an answer."
    assert said[1] == "Alan: the answer is to another page, phases.html."
    assert said[2].startswith("1 curve is drawn; ")
    assert said[3:5] == ["1 of 2 have met their challenge.", "Emmy: met"]
    assert said[5].startswith("3: not met: Theorem 2")
    dialog.evaluate("(dialog) => dialog.close()")
    lecturer.get_by_role("button", name="show the run").click()  # over those of others, without one's own
    lecturer.wait_for_function("() => document.querySelector('.fim').live.scene.prediction.drawn === 1")
