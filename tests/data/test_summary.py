from pathlib import Path

from spacy_adak.data.summary import Place, Summary


def test_problem_that_quotes_half_a_character_can_be_printed() -> None:
    summary = Summary()
    summary.add_problem(Place(Path("a.jsonl"), 2), "skipped", "answer '\ud83d' ü")
    assert str(summary.problems[0]) == r"a.jsonl, line 2: answer '\ud83d' ü"
