from collections.abc import Callable

from scripts.experiments.cells import FULL, Cell
from scripts.experiments.recovery import write_recovery
from scripts.experiments.results import Row
from scripts.experiments.trained_encoders import describe_fine_tuning

Result = Callable[..., Row]
DEFAULT = Cell("youku", "bert", "entity", 0.2, "adak-default", 0)
CRF = Cell("youku", "bert", *FULL, 0)


def cells_of(text: str, start: str) -> dict[str, str]:
    """The row of a table that starts so, by the titles of its columns."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if "|" in line]
    header, row = (
        lines[0],
        next(row for row in lines if "|".join(row).startswith(start)),
    )
    return {
        title.strip(): cell.strip() for title, cell in zip(header, row, strict=True)
    }


def test_trained_encoder_is_put_next_to_the_frozen_one(result: Result) -> None:
    rows = [
        result(CRF, 0.8, 0.8),
        result(DEFAULT, 0.6, 0.6, settings={"training.max_epochs": 3}),
        result(CRF._replace(config="frozen"), 0.5, 0.5),
        result(DEFAULT._replace(config="frozen"), 0.3, 0.3),
        # Another encoder is no base for a comparison.
        result(CRF._replace(config="frozen"), 0.9, 0.9, encoder="another"),
    ]
    cells = cells_of(describe_fine_tuning(rows), " Youku | entity | our default")
    assert cells["F1"] == "60.00"
    assert cells["F1, frozen"] == "30.00"
    assert cells["rec."] == "75.0"
    assert cells["rec., frozen"] == "60.0"
    assert cells["Epochs"] == "3"


def test_what_was_not_run_is_said(result: Result) -> None:
    text = describe_fine_tuning([result(DEFAULT, 0.6, 0.6)])
    *_, missing = text.splitlines()
    assert "Youku: CRF on all annotations; our default (random); AdaK-NER (" in missing
    assert "Taobao: CRF on all annotations; our default (random, entity); " in missing
    assert cells_of(text, " Youku | entity | our default")["rec."] == "–"


def test_what_was_measured_is_in_one_section(result: Result) -> None:
    frozen = result(DEFAULT._replace(config="frozen"), 0.3, 0.3)
    text = write_recovery([frozen])
    section = text.split("## Fine-tuned transformers")[1].split("\n## ")[0]
    assert "|" not in section
    assert "our default (random, entity)" in section
    text = write_recovery([frozen, result(DEFAULT, 0.6, 0.6)])
    section = text.split("## Fine-tuned transformers")[1].split("\n## ")[0]
    assert "60.00" in section
    # They have no tables of their own.
    assert text.count("\n## Youku: ") == 1


def test_rounds_that_are_not_those_of_the_paper_are_said(result: Result) -> None:
    cell = DEFAULT._replace(model="adak")
    text = describe_fine_tuning([result(cell, 0.6, 0.6, settings={"adak.rounds": 5})])
    assert "| AdaK-NER, 5 of 10 rounds |" in text


def test_what_models_are_chosen_by_is_shown(result: Result) -> None:
    dev = {"p": 0.7, "r": 0.7, "f": 0.7}
    text = describe_fine_tuning([result(DEFAULT, 0.6, 0.6, dev=dev)])
    assert cells_of(text, " Youku | entity | our default")["F1, dev"] == "70.00"


def test_goals_are_met_or_missed(result: Result) -> None:
    rows = [
        result(CRF, 0.8, 0.8),
        result(DEFAULT, 0.6, 0.6),
        result(DEFAULT._replace(config="frozen"), 0.5, 0.5),
        result(DEFAULT._replace(scheme="random"), 0.6, 0.6),
        result(DEFAULT._replace(scheme="random", config="frozen"), 0.7, 0.7),
    ]
    text = describe_fine_tuning(rows)
    assert "Youku (random) missed, -10.00; Youku (entity) met, +10.00." in text
    # 60 of 80, and the paper's 77.16 of 83.85.
    assert "above the paper's 92.0: missed, 75.0." in text
    assert "To reach" not in describe_fine_tuning(rows[:2])
