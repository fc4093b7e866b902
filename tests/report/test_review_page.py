"""The review page in a browser."""

import json
from pathlib import Path
from typing import Any

import pytest
import srsly
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.keys import Keys

from spacy_adak.data.decisions import read_decisions
from spacy_adak.data.summary import Summary
from spacy_adak.report.review import write_review
from spacy_adak.review.merge import merge

from .browser import Browser, wait_for
from .samples import SUGGESTIONS, TEXTS, suggest, write_jsonl

ACME = {"form": "Acme", "label": "ORG", "kind": "missed"}
BOB = {"form": "Bob", "label": "PER", "kind": "missed"}
FORM_NAMES = ["Acme", "Bob", "云桥科技", "شركة النخيل", "Ann Lee"]


def write(tmp_path: Path, rows: list[Any], **settings: Any) -> Path:
    output = tmp_path / "review.html"
    write_review(write_jsonl(tmp_path / "suggestions.jsonl", rows), output, **settings)
    return output


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Path:
    path = write(tmp_path, SUGGESTIONS)
    browser.open(path)
    return path


def shown(browser: Browser) -> str:
    return browser.text("#question bdi")


def rows(browser: Browser) -> list[str]:
    script = (
        "return [...document.querySelectorAll('#list .form')].map(e => e.innerText)"
    )
    return browser.run(script)


def label(browser: Browser) -> str:
    return browser.text("#question .label")


def test_forms_are_ranked_by_value(browser: Browser, page: Path) -> None:
    assert rows(browser) == FORM_NAMES
    assert shown(browser) == "Acme"
    assert browser.text("#text .suggestion bdi") == "Acme"
    assert browser.text("#text .annotated bdi") == "Ann Lee"
    facts = browser.text("#facts")
    assert "90 % probable" in facts
    assert "found 3× · marked 1× · stated to be no entity 2×" in facts


@pytest.mark.parametrize(
    ("key", "answer"), [("a", "accept"), ("x", "reject"), (" ", "ignore")]
)
def test_answers_are_for_the_form_and_go_on_to_the_next(
    browser: Browser, page: Path, key: str, answer: str
) -> None:
    browser.press(key)
    assert shown(browser) == "Bob"
    assert browser.text("#progress").startswith("1 of 5 forms")
    assert browser.decisions() == [{"scope": "form", "answer": answer, **ACME}]


def test_backspace_takes_back_the_last_decision(browser: Browser, page: Path) -> None:
    browser.press("a", "x", Keys.BACKSPACE)
    assert shown(browser) == "Bob"
    assert browser.decisions() == [{"scope": "form", "answer": "accept", **ACME}]
    browser.press(Keys.BACKSPACE, Keys.BACKSPACE)
    assert shown(browser) == "Acme"
    assert browser.decisions() == []


def test_a_later_decision_replaces_an_earlier_one(browser: Browser, page: Path) -> None:
    browser.press("a", Keys.ARROW_UP, "x")
    assert browser.decisions() == [{"scope": "form", "answer": "reject", **ACME}]
    browser.press(Keys.BACKSPACE)
    assert browser.decisions() == [{"scope": "form", "answer": "accept", **ACME}]


@pytest.mark.parametrize("key", ["a", "x"])
def test_shift_decides_the_form_in_the_view_by_place(
    browser: Browser, page: Path, key: str
) -> None:
    answer = {"a": "accept", "x": "reject"}[key]
    browser.press("v")
    browser.press(key, shift=True)
    assert shown(browser) == "Bob"
    assert browser.text("#progress").startswith("3 of 7 places")
    assert browser.decisions() == [{"scope": "form", "answer": answer, **ACME}]


def test_predictions_that_were_drawn_are_judged_one_by_one(
    browser: Browser, tmp_path: Path
) -> None:
    mark = {"stratum": "ORG, 0.5 to 0.8", "size": 40, "weight": 10.0}
    drawn = [{**row, "draw": mark} for row in (SUGGESTIONS[2], SUGGESTIONS[0])]
    browser.open(write(tmp_path, drawn))
    # In the order of the draw, not of values; nothing was counted for them.
    assert shown(browser) == "Bob"
    pressed = "return document.getElementById('by-place').ariaPressed"
    assert browser.run(pressed) == "true"
    assert "found" not in browser.text("#facts")
    browser.press("x")
    assert shown(browser) == "Acme"
    first = {"scope": "place", "text": TEXTS[1], "start": 12, "end": 15, **BOB}
    assert browser.decisions() == [{**first, "answer": "reject"}]


def test_places_are_decided_one_by_one(browser: Browser, page: Path) -> None:
    browser.press("v", "a", "x")
    first = {"scope": "place", "text": TEXTS[0], "start": 0, "end": 4, **ACME}
    second = {"scope": "place", "text": TEXTS[1], "start": 19, "end": 23, **ACME}
    assert browser.decisions() == [
        {**first, "answer": "accept"},
        {**second, "answer": "reject"},
    ]


def test_offsets_are_code_points(browser: Browser, page: Path) -> None:
    browser.press("v", Keys.ARROW_UP, *6 * [Keys.ARROW_DOWN], "a")
    (decision,) = browser.decisions()
    assert (decision["text"], decision["start"], decision["end"]) == (TEXTS[4], 2, 6)


def test_digits_change_the_type(browser: Browser, page: Path) -> None:
    browser.press("1")
    assert label(browser) == "LOC"
    browser.press("a")
    suggested = {"suggested": {"label": "ORG"}}
    expected = {"scope": "form", "answer": "accept", **ACME, **suggested}
    assert browser.decisions() == [{**expected, "label": "LOC"}]


def test_t_finds_a_type_or_makes_a_new_one(browser: Browser, page: Path) -> None:
    browser.press("t")
    assert browser.shows("#type-dialog")
    browser.press("p", "e", Keys.ENTER)
    assert not browser.shows("#type-dialog")
    assert label(browser) == "PER"
    browser.press("t", *"Firm", Keys.ENTER, "a")
    assert browser.decisions()[0]["label"] == "Firm"


def test_arrows_move_the_bounds_by_words(browser: Browser, page: Path) -> None:
    browser.press(Keys.ARROW_RIGHT, shift=True)
    assert shown(browser) == "Acme Bank"
    browser.press(Keys.ARROW_RIGHT)
    assert shown(browser) == "Bank"
    browser.press(Keys.ARROW_LEFT)
    browser.press("a")
    assert shown(browser) == "Acme"  # the form's other places are still open
    assert browser.decisions() == [
        {
            "scope": "place",
            "answer": "accept",
            "text": TEXTS[0],
            **ACME,
            "start": 0,
            "end": 9,
            "form": "Acme Bank",
            "suggested": {"start": 0, "end": 4, "label": "ORG"},
        }
    ]


def test_moved_bounds_are_accepted_wherever_the_text_reads_the_same(
    browser: Browser, tmp_path: Path
) -> None:
    texts = [
        "Acme Bank opens.",
        "😀 The Acme Bank falls.",
        "Acme",
        "New Acme Bank",
        "Acme opens.",
    ]
    made = [suggest(i, "Acme", "ORG", text=text) for i, text in enumerate(texts)]
    browser.open(write(tmp_path, made))
    browser.press(Keys.ARROW_RIGHT, shift=True)
    assert "2 other places that read the same" in browser.text("#change")
    browser.press("a", shift=True)
    decisions = browser.decisions()
    assert [(d["text"], d["start"], d["end"]) for d in decisions] == [
        (texts[0], 0, 9),
        (texts[1], 6, 15),
        (texts[3], 4, 13),
    ]
    assert {d["form"] for d in decisions} == {"Acme Bank"}
    assert decisions[1]["suggested"] == {"start": 6, "end": 10, "label": "ORG"}
    # The other places are open, and one step takes all of it back.
    assert shown(browser) == "Acme"
    browser.press(Keys.BACKSPACE)
    assert browser.decisions() == []


def test_arrows_move_the_end_back(browser: Browser, page: Path) -> None:
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, shift=True)
    browser.press(Keys.ARROW_LEFT, shift=True)
    assert shown(browser) == "Acme Bank"


def test_bounds_in_chinese_move_by_characters(browser: Browser, page: Path) -> None:
    browser.press("j", "j", Keys.ARROW_LEFT)
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, shift=True)
    assert shown(browser) == "了云桥科技公司"


def test_left_is_on_where_text_runs_from_right_to_left(
    browser: Browser, page: Path
) -> None:
    browser.press("j", "j", "j")
    browser.press(Keys.ARROW_LEFT, shift=True)
    assert shown(browser) == "شركة النخيل عن"


def test_r_takes_the_next_reading(browser: Browser, page: Path) -> None:
    browser.press("r")
    assert (shown(browser), label(browser)) == ("Acme Bank", "LOC")
    browser.press("r")
    assert (shown(browser), label(browser)) == ("Acme", "ORG")


def test_next_previous_and_next_open(browser: Browser, page: Path) -> None:
    browser.press("j")
    assert shown(browser) == "Bob"
    browser.press("k")
    assert shown(browser) == "Acme"
    browser.press(Keys.ARROW_DOWN, "a", Keys.ARROW_UP, Keys.ARROW_UP, "n")
    assert shown(browser) == "云桥科技"


def test_o_shows_the_other_places(browser: Browser, tmp_path: Path) -> None:
    rows = [
        suggest(i, "Acme", "ORG", text=f"Acme opens shop {i}", found=9)
        for i in range(9)
    ]
    browser.open(write(tmp_path, rows))
    count = "return document.querySelectorAll('#occurrences li').length"
    assert browser.run(count) == 3
    assert browser.text("#others-title") == "8 other places with this form"
    browser.press("o")
    assert browser.run(count) == 8
    browser.press("o")
    assert browser.run(count) == 3


def test_another_place_is_decided_beside_its_form(browser: Browser, page: Path) -> None:
    browser.click("#occurrences li:first-child [aria-label='Reject here']")
    browser.press("a")
    place, form = browser.decisions()
    assert (place["scope"], place["answer"]) == ("place", "reject")
    assert (place["text"], place["start"]) == (TEXTS[1], 19)
    assert (form["scope"], form["answer"]) == ("form", "accept")


def test_slash_filters_by_form(browser: Browser, page: Path) -> None:
    browser.press("/", *"ann", Keys.ESCAPE)
    assert rows(browser) == ["Ann Lee"]
    assert browser.run("return document.getElementById('find').value") == "ann"
    browser.press("a")
    assert len(browser.decisions()) == 1
    browser.click("#clear")
    assert rows(browser) == FORM_NAMES


def test_filters_by_kind_type_probability_and_decision(
    browser: Browser, page: Path
) -> None:
    browser.press("a")
    change = """
        const [id, value] = arguments, field = document.getElementById(id);
        field.value = value;
        field.dispatchEvent(new Event("input", {bubbles: true}));
    """
    browser.run(change, "state", "open")
    assert rows(browser) == FORM_NAMES[1:]
    browser.run(change, "state", "accept")
    assert rows(browser) == ["Acme"]
    browser.run(change, "state", "")
    browser.run(change, "kind", "doubtful")
    assert rows(browser) == ["Ann Lee"]
    browser.run(change, "kind", "")
    browser.run(change, "lowest", "50")
    browser.run(change, "highest", "60")
    assert rows(browser) == ["Bob", "云桥科技"]
    browser.click("#types label:last-child input")
    assert rows(browser) == ["云桥科技"]
    browser.run(change, "find", "none of them")
    assert browser.shows("#empty")
    browser.press("a")
    browser.click("#clear")
    assert rows(browser) == FORM_NAMES


def test_d_chooses_dark_or_light_and_keeps_it(browser: Browser, page: Path) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(background)
    browser.press("d")
    dark = browser.run(background)
    assert dark != light
    browser.reload()
    assert browser.run(background) == dark
    browser.press("d")
    assert browser.run(background) == light


def test_question_mark_lists_all_keys(browser: Browser, page: Path) -> None:
    browser.press("?")
    keys = browser.run(
        "return [...document.querySelectorAll('#key-list dt')].map(e => e.textContent)"
    )
    # Each of these has a test here.
    assert keys == [
        *("a", "x", "space", "⌫", "A", "X", "t", "1…9", "←", "→", "⇧←", "⇧→"),
        *("r", "↓j", "↑k", "n", "o", "v", "/", "s", "l", "d", "?"),
    ]
    browser.press(Keys.ESCAPE)
    assert not browser.shows("#help-dialog")


def test_buttons_name_the_key_that_does_the_same(browser: Browser, page: Path) -> None:
    browser.click("#accept")
    browser.click("#reject")
    browser.press(" ")  # not once more the button that was clicked
    assert [d["answer"] for d in browser.decisions()] == ["accept", "reject", "ignore"]
    browser.click("#undo")
    assert len(browser.decisions()) == 2


def test_letters_work_on_keyboards_of_other_scripts(
    browser: Browser, page: Path
) -> None:
    event = """
        const event = new KeyboardEvent(
            "keydown", {key: "ф", code: "KeyA", bubbles: true});
        document.body.dispatchEvent(event);
    """
    browser.run(event)
    assert shown(browser) == "Bob"


def test_capital_letters_of_caps_lock_decide_no_form(
    browser: Browser, page: Path
) -> None:
    browser.press("v")
    event = 'new KeyboardEvent("keydown", {key: "A", code: "KeyA", bubbles: true})'
    browser.run(f"document.body.dispatchEvent({event})")
    assert browser.decisions()[0]["scope"] == "place"


def test_selected_text_becomes_the_span(browser: Browser, page: Path) -> None:
    browser.run("""
        const text = document.getElementById("text");
        const range = document.createRange();
        range.setStart(text.querySelector(".suggestion bdi").firstChild, 0);
        range.setEnd(text.childNodes[1], 6);
        getSelection().addRange(range);
        text.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
    """)
    assert shown(browser) == "Acme Bank"


def test_reload_keeps_decisions(browser: Browser, page: Path) -> None:
    browser.press("a", "x")
    browser.reload()
    assert shown(browser) == "云桥科技"
    assert browser.text("#progress").startswith("2 of 5 forms")
    browser.press(Keys.BACKSPACE)
    assert browser.decisions() == [{"scope": "form", "answer": "accept", **ACME}]


def test_crash_of_the_page_keeps_decisions(browser: Browser, page: Path) -> None:
    first = browser.chrome.current_window_handle
    browser.chrome.switch_to.new_window("tab")
    try:
        browser.open(page)
        second = browser.chrome.current_window_handle
        browser.press("a", "x")
        # What is stored leaves the page at once, but not before the next line here.
        browser.chrome.switch_to.window(first)
        wait_for(lambda: browser.text("#progress").startswith("2 of 5"))
        browser.chrome.switch_to.window(second)
        with pytest.raises(WebDriverException, match="crash"):
            browser.chrome.execute_cdp_cmd("Page.crash", {})
    finally:
        browser.chrome.close()
        browser.chrome.switch_to.window(first)
    browser.reload()
    assert browser.text("#progress").startswith("2 of 5 forms")


def test_many_decisions_are_kept_and_taken_back(
    browser: Browser, tmp_path: Path
) -> None:
    rows = [suggest(i, f"N{i}", "ORG", text=f"N{i} is here") for i in range(230)]
    browser.open(write(tmp_path, rows))
    press = """
        for (let i = 0; i < arguments[1]; i += 1)
            document.body.dispatchEvent(
                new KeyboardEvent("keydown", {key: arguments[0], bubbles: true}));
    """
    browser.run(press, "a", 210)
    browser.reload()
    assert browser.text("#progress").startswith("210 of 230 forms")
    browser.run(press, "Backspace", 205)
    browser.reload()
    assert browser.text("#progress").startswith("5 of 230 forms")


def test_other_suggestions_have_decisions_of_their_own(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    browser.press("a")
    write(tmp_path, SUGGESTIONS[:3])
    browser.open(page)
    assert browser.text("#progress").startswith("0 of 2 forms")
    write(tmp_path, SUGGESTIONS)
    browser.open(page)
    assert browser.text("#progress").startswith("1 of 5 forms")


def test_another_window_of_the_page_is_followed(browser: Browser, page: Path) -> None:
    first = browser.chrome.current_window_handle
    browser.chrome.switch_to.new_window("tab")
    try:
        browser.open(page)
        browser.press("a", "x")
    finally:
        browser.chrome.close()
        browser.chrome.switch_to.window(first)
    wait_for(lambda: browser.text("#progress").startswith("2 of 5"))
    assert len(browser.decisions()) == 2


def test_full_storage_is_told_and_made_up_for(browser: Browser, page: Path) -> None:
    browser.run("""
        window.kept = Storage.prototype.setItem;
        Storage.prototype.setItem = () => {
            throw new DOMException("full", "QuotaExceededError");
        };
    """)
    browser.press("a")
    assert "QuotaExceededError" in browser.text("#alert")
    assert browser.shows("#alert")
    browser.run("Storage.prototype.setItem = window.kept")
    browser.press("x")
    assert not browser.shows("#alert")
    browser.reload()
    assert browser.text("#progress").startswith("2 of 5 forms")


def test_saved_decisions_can_be_opened_and_read(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    browser.press("1", "a", "x", "v", Keys.ARROW_UP)
    browser.press(Keys.ARROW_RIGHT, shift=True)
    browser.press("a")
    saved = browser.downloaded(lambda: browser.press("s"))
    path = tmp_path / "decisions.jsonl"
    path.write_text(saved, encoding="utf8")
    summary = Summary()
    decisions = read_decisions(path, summary)
    assert not summary.problems
    assert [decision.scope for decision in decisions] == ["form", "form", "place"]
    browser.run("localStorage.clear()")
    browser.reload()
    assert browser.text("#progress").startswith("0 of 5 forms")
    browser.choose("#file", path)
    wait_for(lambda: browser.shows("#alert"))
    assert "3 decisions read" in browser.text("#alert")
    assert browser.downloaded(lambda: browser.press("s")) == saved
    browser.press(Keys.BACKSPACE)  # all of the file at once
    assert browser.decisions() == []


def test_saved_decisions_merge(browser: Browser, page: Path, tmp_path: Path) -> None:
    # Acme everywhere but in the second text, and "Bob" is no entity.
    browser.click("#occurrences li:first-child [aria-label='Reject here']")
    browser.press("a", "x")
    decisions = tmp_path / "decisions.jsonl"
    saved = browser.downloaded(lambda: browser.press("s"))
    decisions.write_text(saved, encoding="utf8")
    data = write_jsonl(tmp_path / "data.jsonl", [{"text": text} for text in TEXTS])
    output = tmp_path / "merged.jsonl"
    merged = merge(data, decisions, output, to="spans", unlabelled="missing")
    assert not merged.problems.problems
    rows = {row["text"]: row for row in srsly.read_jsonl(output)}
    acme = {"label": "ORG"}
    assert rows[TEXTS[0]]["spans"] == [{"start": 0, "end": 4, **acme}]
    assert rows[TEXTS[1]]["spans"] == []
    assert rows[TEXTS[1]]["incorrect_spans"] == [
        {"start": 12, "end": 15, "label": "PER"},
        {"start": 19, "end": 23, **acme},
    ]
    assert rows[TEXTS[4]]["spans"] == [{"start": 2, "end": 6, **acme}]


def test_opened_file_with_bad_lines_and_other_suggestions(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    foreign = {"scope": "form", "answer": "accept", "form": "Else", "label": "ORG"}
    path = tmp_path / "old.jsonl"
    bad = ["not JSON", "[]", json.dumps({"scope": "form", "answer": "yes"})]
    path.write_text("\n".join([*bad, "", json.dumps(foreign)]))
    browser.choose("#file", path)
    wait_for(lambda: browser.shows("#alert"))
    alert = browser.text("#alert")
    assert "3 lines without a decision left out: line 1, 2, 3" in alert
    assert "1 of them are about other suggestions" in alert
    assert browser.decisions() == [foreign]


def test_l_opens_a_file(browser: Browser, page: Path) -> None:
    browser.run("""
        document.getElementById("file").addEventListener("click", (event) => {
            event.preventDefault();
            window.asked = true;
        });
    """)
    browser.press("l")
    assert browser.run("return window.asked")


def test_page_begins_with_given_decisions(browser: Browser, tmp_path: Path) -> None:
    given = [{"scope": "form", "answer": "reject", **ACME}]
    decisions = write_jsonl(tmp_path / "decisions.jsonl", given)
    browser.open(write(tmp_path, SUGGESTIONS, decisions=decisions))
    assert shown(browser) == "Bob"
    browser.press(" ")
    expected = [*given, {"scope": "form", "answer": "ignore", **BOB}]
    assert browser.decisions() == expected


HOSTILE = [
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'>",
    "\"'`${window.pwned = 1}\\",
    "a\u202eb\u2066c\u2028d\u2029e",
    "half \ud83d a character",
    "<!--<script>",
    "&lt;b&gt; &#0; \x00 \x7f",
]


def test_hostile_text_stays_text(browser: Browser, tmp_path: Path) -> None:
    rows = [
        suggest(i, form, "<b>ORG</b>", 10 - i, text=f"x {form} y <script>z")
        for i, form in enumerate(HOSTILE)
    ]
    browser.open(write(tmp_path, rows, title="<script>window.pwned = 1</script>"))
    # The driver can't pass on half a character, so that the page compares.
    same = "return document.querySelector(arguments[0]).textContent === {}"
    for form in HOSTILE:
        text = f"x {form}<b>ORG</b> y <script>z"
        assert browser.run(same.format(json.dumps(form)), "#question bdi"), form
        assert browser.run(same.format(json.dumps(text)), "#text"), form
        browser.press("a")
    assert label(browser) == "<b>ORG</b>"
    assert browser.run("return window.pwned") is None
    assert browser.text("h1") == "<script>window.pwned = 1</script>"
    assert [d["form"] for d in browser.decisions()] == HOSTILE


def test_nothing_is_loaded_or_may_be(browser: Browser, page: Path) -> None:
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    fetched = browser.chrome.execute_async_script(
        "const done = arguments[0]; fetch('data:,x').then(() => done(1), () => done(0))"
    )
    assert not fetched
    assert "Content Security Policy" in browser.console()[0]


def test_20000_suggestions_react_at_once(browser: Browser, tmp_path: Path) -> None:
    rows = [
        suggest(
            i,
            f"Name {i % 7000}",
            "ORG",
            value=i % 13,
            text=f"{i} of the texts with Name {i % 7000} and some more words " * 2,
        )
        for i in range(20_000)
    ]
    browser.open(write(tmp_path, rows))
    assert len(browser.run("return document.querySelectorAll('[role=option]')")) < 60
    script = """
        const times = {};
        for (const [key, code, shiftKey] of [
            ["a"], ["x"], [" "], ["Backspace"], ["j"], ["k"], ["n"], ["o"], ["r"],
            ["1"], ["ArrowRight"], ["ArrowLeft", "", true], ["v"], ["a"],
            ["A", "", true], ["Backspace"], ["j"], ["v"]]) {
            const begun = performance.now();
            document.body.dispatchEvent(new KeyboardEvent(
                "keydown", {key, code, shiftKey, bubbles: true, cancelable: true}));
            document.body.getBoundingClientRect();  // lays the page out
            times[key] = Math.max(times[key] ?? 0, performance.now() - begun);
        }
        return times;
    """
    best = browser.run(script)
    for _ in range(30):
        if max(best.values()) < 100:
            break
        # Another process may have taken the processor meanwhile.
        best = {key: min(best[key], time) for key, time in browser.run(script).items()}
    assert {key for key, time in best.items() if time >= 100} == set()


def test_works_on_the_width_of_a_phone(browser: Browser, page: Path) -> None:
    browser.resize(360, 640)
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    assert browser.shows("#accept")
    assert not browser.shows("#list")
    browser.click("#show-side")
    browser.click("#row-1")
    assert not browser.shows("#list")
    assert shown(browser) == "Bob"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_stands_out(browser: Browser, page: Path, theme: str) -> None:
    browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
    assert browser.faint_texts() == []


def test_roles_labels_and_what_is_said(browser: Browser, page: Path) -> None:
    nameless = browser.run("""
        return [...document.querySelectorAll("button, input:not([hidden]), select")]
            .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
            .map((e) => e.id)
    """)
    assert nameless == []
    assert browser.run("return document.activeElement.id") == "card"
    browser.press("a")
    assert browser.text("#said") == "Accepted everywhere. Bob, PER, missed, 60 %"
    active = browser.run(
        "return document.getElementById(document.getElementById('list')"
        ".getAttribute('aria-activedescendant')).ariaSelected"
    )
    assert active == "true"
