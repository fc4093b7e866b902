from pathlib import Path

from spacy_adak.data.summary import Place, Problem, Summary


def test_problem_that_quotes_half_a_character_can_be_printed() -> None:
    summary = Summary()
    summary.add_problem(Place(Path("a.jsonl"), 2), "skipped", "answer '\ud83d' ü")
    assert str(summary.problems[0]) == r"a.jsonl, line 2: answer '\ud83d' ü"


def test_problem_is_shown_without_control_characters_and_at_a_sane_length() -> None:
    text = "\x1b[31m" + "a" * 300_000 + "\ud83d"
    problem = Problem(Place(Path("a.jsonl"), 1), 1, "skipped", f"{text}: left out")
    shown = str(problem)
    assert shown.startswith("a.jsonl, line 1: \\x1b[31maaa")
    assert shown.endswith("\\ud83d: left out")
    assert len(shown) < 1100
