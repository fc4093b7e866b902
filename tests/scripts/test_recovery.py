import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.experiments.cells import FULL, RATIOS, RECOVERY_MODELS, SCHEMES, Cell
from scripts.experiments.findings import describe_findings
from scripts.experiments.recovery import main, write_recovery
from scripts.experiments.results import Row

Result = Callable[..., Row]
ADAK = Cell("youku", "cpu", "random", 0.2, "adak", 0)
YOUKU_FULL = Cell("youku", "cpu", *FULL, 0)


def find_line(text: str, title: str, start: str) -> list[str]:
    """The cells of the first row that starts so, after a title."""
    section = text.split(f"# {title}\n")[1]
    (line, *_) = (row for row in section.splitlines() if row.startswith(f"| {start}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_model_has_scores_recovery_and_cost(result: Result) -> None:
    rows = [
        result(YOUKU_FULL, 0.8, 0.8, seconds=100.0, trainings=1),
        result(ADAK, 0.4, 0.4, seconds=450.0, trainings=9),
    ]
    cells = find_line(write_recovery(rows), "random-based scheme, ρ = 0.2", "AdaK-NER ")
    assert cells[1:5] == [
        "40.00 / 78.21",
        "40.00 / 79.96",
        "40.00 / 79.08",
        "50.0 / 94.3",
    ]
    assert cells[5:] == ["8 min (4.5 ×)", "9", "1"]


def test_table_begins_with_all_annotations(result: Result) -> None:
    rows = [result(YOUKU_FULL, 0.8, 0.8), result(ADAK, 0.4, 0.4)]
    text = write_recovery(rows)
    cells = find_line(text, "random-based scheme, ρ = 0.2", "CRF, all annotations")
    assert cells[4] == "100.0 / 100.0"


def test_every_model_has_a_row(result: Result) -> None:
    text = write_recovery([result(ADAK, 0.4, 0.4)])
    table = text.split("### random-based scheme, ρ = 0.2")[1].split("\n\n")[1]
    # The header, the line below it, and all annotations.
    assert len(table.splitlines()) == 3 + len(RECOVERY_MODELS)


def test_model_that_is_not_in_the_paper_has_no_value_of_it(result: Result) -> None:
    text = write_recovery([result(ADAK._replace(model="ratio"), 0.5, 0.5)])
    cells = find_line(text, "random-based scheme, ρ = 0.2", "expected entity ratio")
    assert cells[1] == "50.00 / –"


def test_scheme_without_results_has_no_table(result: Result) -> None:
    assert "### entity-based" not in write_recovery([result(ADAK, 0.4, 0.4)])


def test_seeds_are_averaged_and_counted(result: Result) -> None:
    rows = [
        result(ADAK, 0.4, 0.4, seconds=60, trainings=6),
        result(ADAK._replace(seed=1), 0.6, 0.6, seconds=180, trainings=9),
    ]
    cells = find_line(write_recovery(rows), "random-based scheme, ρ = 0.2", "AdaK-NER ")
    assert cells[3].startswith("50.00 ± 14.14")
    assert cells[5:] == ["2 min", "7.5", "2"]


def test_time_of_a_resumed_run_may_have_been_longer(result: Result) -> None:
    text = write_recovery([result(ADAK, 0.4, 0.4, resumed=True)])
    cells = find_line(text, "random-based scheme, ρ = 0.2", "AdaK-NER ")
    assert cells[5] == "≥ 60 s"


@pytest.mark.parametrize(
    "other", [{"config": "frozen"}, {"encoder": "other"}, {"frozen": True}]
)
def test_results_with_other_encoders_are_not_compared(
    result: Result, other: dict[str, object]
) -> None:
    rows = [result(YOUKU_FULL, 0.8, 0.8), result(ADAK, 0.4, 0.4, **other)]
    text = write_recovery(rows)
    assert text.count("\n## Youku: ") == 2
    cells = find_line(text, "random-based scheme, ρ = 0.2", "AdaK-NER ")
    assert cells[4] == "– / 94.3"


def test_summary_has_what_our_models_and_the_paper_recover(result: Result) -> None:
    rows = [
        result(YOUKU_FULL, 0.8, 0.8),
        result(ADAK, 0.4, 0.4),
        result(ADAK._replace(model="adak-default"), 0.6, 0.6),
        result(ADAK._replace(model="missing"), 0.2, 0.2),
    ]
    cells = find_line(write_recovery(rows), "Recovery", "Youku")
    assert cells[1:] == ["random", "0.2", "–", "25.0", "50.0", "75.0", "94.3"]


def test_model_has_its_rounds_beside_its_name_if_not_those_of_the_paper(
    result: Result,
) -> None:
    stopped = result(ADAK, 0.4, 0.4, settings={"adak.rounds": 2})
    text = write_recovery([result(YOUKU_FULL, 0.8, 0.8), stopped])
    table, title = "random-based scheme, ρ = 0.2", "AdaK-NER, 2 of 10 rounds"
    assert find_line(text, table, "AdaK-NER")[0] == title
    assert find_line(text, "Recovery", "Dataset")[5] == title


def test_findings_are_told_once_all_results_are_there(result: Result) -> None:
    rows = [result(YOUKU_FULL, 0.8, 0.8, seconds=100.0)]
    for scheme in SCHEMES:
        for ratio in RATIOS:
            cell = ADAK._replace(scheme=scheme, ratio=ratio)
            rows.append(result(cell._replace(model="crf"), 0.1, 0.1))
            rows.append(result(cell, 0.4, 0.4, trainings=30))
            assert describe_findings([rows]) == ""
            default = cell._replace(model="adak-default")
            rows.append(result(default, 0.74, 0.74, seconds=300.0, trainings=4))
    findings = describe_findings([rows])
    # 0.74 / 0.8 of ours against 94.3, 95.3, 92.0 and 95.4 of the paper
    assert "recovers 92.5 % of" in findings
    assert "in 1 of 4 settings" in findings
    assert "1.8 points more on Youku (random, ρ = 0.2)" in findings
    assert "below the paper's in 4 of 4 settings" in findings
    assert "3.0 times" in findings
    assert "in 4 trainings instead of the 30" in findings
    assert findings in write_recovery(rows)


def test_our_default_is_not_called_adak(result: Result) -> None:
    default = ADAK._replace(model="adak-default")
    text = write_recovery([result(default, 0.6, 0.6, settings={"adak.rounds": 1})])
    cells = find_line(text, "random-based scheme, ρ = 0.2", "our default ")
    assert cells[1] == "60.00 / –"


def test_sample_has_no_values_of_the_paper(result: Result) -> None:
    rows = [
        result(YOUKU_FULL._replace(dataset="sample"), 0.8, 0.8),
        result(ADAK._replace(dataset="sample"), 0.4, 0.4),
    ]
    cells = find_line(write_recovery(rows), "Recovery", "Sample")
    assert cells[3:] == ["–", "–", "50.0", "–", "–"]


def run_main(monkeypatch: pytest.MonkeyPatch, profile: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["recovery", profile])
    with pytest.raises(SystemExit) as exit_:
        main()
    return exit_.value.code


def test_profile_that_is_not_there_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, "fast") == 2
    assert "full" in capsys.readouterr().err


def test_no_page_is_made_of_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_main(monkeypatch, "full") == 1
    assert "experiments/full/results.jsonl" in capsys.readouterr().out
    assert not (tmp_path / "RESULTS.md").exists()
