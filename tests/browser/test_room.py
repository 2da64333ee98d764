"""A class that is held: students' pages follow, predictions come back, and the run is drawn over them."""

import asyncio
import threading

import pytest

from book.publish.classroom import Room, hold
from tests import HTML, LAPTOP, PHONE
from tests.browser.reading import settled, turn_to

FIRST = "book/recall/saddle.html"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.fixture
def room():
    """A room that is held as the command holds it, and its address."""
    ready, said, rooms = threading.Event(), [], []

    def say(line):
        said.append(line)
        if len(said) == 3:
            ready.set()

    async def serve():
        rooms.append(Room())
        await hold(rooms[0], HTML, FIRST, "127.0.0.1", 0, say)

    loop = asyncio.new_event_loop()
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


def draw(page, height):
    """Draw a curve at this share of the chart's height, by hand."""
    box = page.locator(".fim-predict svg").first.bounding_box()
    point = page.locator(".fim-predict [role=slider]").first.bounding_box()
    page.mouse.move(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    page.mouse.down()
    level = box["y"] + box["height"] * (0.85 - 0.7 * height)
    page.mouse.move(box["x"] + 2, level, steps=4)
    page.mouse.move(box["x"] + box["width"] - 2, level, steps=12)
    page.mouse.up()
    page.get_by_role("button", name="show the run").click()


def test_predictions_come_back_and_the_run_is_drawn_over_them(room, pages):
    lecturer, students = pages
    assert room[0].key not in lecturer.url
    press(lecturer, "ask: draw")
    for page, height in zip(students, (0.2, 0.8), strict=True):
        page.wait_for_selector(".fim-predict[open]")
        draw(page, height)
        page.wait_for_function("() => document.querySelector('.fim-predict').textContent.includes('Sent.')")
        assert page.locator(".fim-scene").is_hidden()  # the run waits for the lecturer
    says(lecturer, "2 answered")
    lines = "() => document.querySelectorAll('.fim-predict svg path').length"
    before = [page.evaluate(lines) for page in students]
    press(lecturer, "show the run")
    for page in (lecturer, *students):
        says(page, "of 2 right")
    assert all(page.evaluate(lines) > old for page, old in zip(students, before, strict=True))
    students[0].reload()  # who comes back sees what all see
    settled(students[0])
    says(students[0], "of 2 right")
    assert students[0].evaluate(lines) > before[0]
    with lecturer.expect_download() as download:
        press(lecturer, "save")
    rows = download.value.path().read_text().splitlines()
    assert rows[0] == "question,form,student,answer"
    assert [row.split(",")[:3] for row in rows[1:]] == [["1", "draw", "1"], ["1", "draw", "2"]]


def test_three_drawn_answers_are_counted_and_the_right_one_is_shown(pages):
    lecturer, students = pages
    press(lecturer, "ask: choose")
    for page, choice in zip(students, (0, 2), strict=True):
        page.locator(".fim-choices button").nth(choice).click()
    says(lecturer, "2 answered")
    assert lecturer.locator(".fim-choices [data-right]").count() == 0
    press(lecturer, "show the run")
    says(lecturer, "of 2 right")
    counts = lecturer.locator(".fim-choices button span").all_inner_texts()
    assert [text.split(":")[1].split(",")[0].strip() for text in counts] == ["1", "0", "1"]
    assert sum("the run" in text for text in counts) == 1


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
    shows(student, "run")
    with lecturer.expect_popup() as popup:
        lecturer.keyboard.press("w")
    for frame in popup.value.frames[1:]:  # its small pictures are nobody's pages
        frame.wait_for_selector(".fim[data-state=done]")
        assert frame.locator(".fim-meeting").count() == 0
    popup.value.close()
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
    lecturer.locator(".fim-meeting-code").click()
    lecturer.locator(".fim-bar").get_by_role("button", name="end").click()
    student.wait_for_function("() => !('slide' in document.documentElement.dataset)")


def test_a_challenge_is_graded_in_the_page_and_counted_live(pages):
    lecturer, (student, other) = pages
    lecturer.evaluate("location.hash = '#~goal=verdict%3Doutside%2Ctemperature%3C%3D0.0895'")
    press(lecturer, "lock")
    for page in (student, other):
        page.wait_for_selector(".fim-goal[data-met='0']")
    press(lecturer, "lock")
    says(lecturer, "0 met the challenge")
    student.wait_for_function("() => !document.querySelector('.fim-front').inert")
    student.evaluate("document.querySelector('.fim').live.set({ temperature: 0.0895 })")
    says(lecturer, "1 met the challenge")


def test_who_is_cut_off_is_there_again_and_the_end_deletes_all(room, pages):
    held, home, _ = room
    lecturer, (student, _) = pages
    press(lecturer, "ask: choose")
    student.locator(".fim-choices button").first.click()
    says(lecturer, "1 answered")
    held.clients.copy().pop().close()  # whoever it is connects anew
    says(lecturer, "2 students")
    student.goto(f"{home}/book/recognise/phases.html")  # another page of the same window
    settled(student)
    says(student, "2 students · 1 answered")
    press(lecturer, "end")
    lecturer.locator(".fim-meeting").get_by_role("button", name="end, and delete").click()
    says(student, "all answers are deleted")
    assert student.evaluate("sessionStorage.getItem('fim-class')") is None


def test_a_wrong_code_says_so(room, open_page, page_errors):
    held, home, _ = room
    page = open_page(f"{home}/{held.code}")
    page.goto("about:blank")
    page.goto(f"{home}/{FIRST}#~class=WRONG")
    settled(page)
    says(page, "No class with the code WRONG")
    assert all("/room/WRONG' failed" in error and "404" in error for error in page_errors)
    page_errors.clear()


def test_without_a_server_addresses_are_collected_in_the_page(open_page, home, tmp_path):
    """What a published book can do: students copy an address, and the lecturer's page draws or grades them."""
    student = open_page(f"{home}/{FIRST}#~predict=1", viewport=LAPTOP)
    settled(student)
    draw(student, 0.5)
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
