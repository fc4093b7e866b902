import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.experiments.cells import FULL, TABLE_MODELS, Cell
from scripts.experiments.data_statistics import check_statistics, describe_statistics
from scripts.experiments.models import ABLATIONS
from scripts.experiments.paper_values import PRINTED, STATISTICS
from scripts.experiments.results import Row, add_result
from scripts.experiments.tables import main, write_tables
from spacy_adak.data.docbin import write_docbin

Result = Callable[..., Row]
ADAK = Cell("youku", "cpu", "random", 0.2, "adak", 0)
YOUKU_FULL = Cell("youku", "cpu", *FULL, 0)


def find_line(text: str, title: str, start: str) -> list[str]:
    """The cells of the first row that starts so, in the table of a title."""
    table = text.split(f"## {title}")[1].split("\n## ")[0]
    (line, *_) = (row for row in table.splitlines() if row.startswith(start))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_value_of_the_paper_stands_beside_ours(result: Result) -> None:
    text = write_tables([result(ADAK, 0.5, 0.5)])
    cells = find_line(text, "Table 2", "| 0.2 | AdaK-NER")
    assert cells[2:5] == ["50.00 / 78.21", "50.00 / 79.96", "50.00 / 79.08"]


def test_recovery_is_relative_to_all_annotations(result: Result) -> None:
    rows = [result(ADAK, 0.4, 0.4), result(YOUKU_FULL, 0.8, 0.8)]
    cells = find_line(write_tables(rows), "Table 2", "| 0.2 | AdaK-NER")
    assert cells[5] == "50.0 / 94.3"  # 79.08 of 83.85


def test_seeds_are_averaged_with_their_spread(result: Result) -> None:
    rows = [result(ADAK, 0.4, 0.4), result(ADAK._replace(seed=1), 0.6, 0.6)]
    cells = find_line(write_tables(rows), "Table 2", "| 0.2 | AdaK-NER")
    assert cells[4].startswith("50.00 ± 14.14")


def test_nothing_found_is_no_recovery(result: Result) -> None:
    nothing = result(ADAK, 0.4, 0.4, test={"p": 0.0, "r": 0.0, "f": 0.0})
    rows = [nothing, result(YOUKU_FULL, 0.8, 0.8)]
    cells = find_line(write_tables(rows), "Table 2", "| 0.2 | AdaK-NER")
    assert cells[5] == "0.0 / 94.3"


def test_encoder_is_named(result: Result) -> None:
    text = write_tables([result(ADAK, 0.5, 0.5, encoder="small-bert", frozen=True)])
    assert "- Youku: small-bert, frozen (`zh_cpu.cfg`)" in text


@pytest.mark.parametrize("other", [{"encoder": "other"}, {"frozen": True}])
def test_results_with_other_encoders_have_columns_of_their_own(
    result: Result, other: dict[str, object]
) -> None:
    rows = [result(ADAK, 0.4, 0.4), result(YOUKU_FULL, 0.8, 0.8, **other)]
    text = write_tables(rows)
    header = find_line(text, "Table 2", "| ρ")
    assert len(set(header)) == 2 + 2 * 4
    cells = find_line(text, "Table 2", "| 0.2 | AdaK-NER")
    assert all(recovery == "– / 94.3" for recovery in cells[5::4])


def test_what_is_not_trained_is_left_open(result: Result) -> None:
    cells = find_line(write_tables([result(ADAK, 1, 1)]), "Table 3", "| 0.4 | CRF")
    assert cells[2] == "– / 62.16"


def test_rounds_that_differ_between_datasets_are_all_named(result: Result) -> None:
    rows = [
        result(ADAK, 0.4, 0.4, settings={"adak.rounds": 2}),
        result(ADAK._replace(dataset="taobao"), 0.4, 0.4),
    ]
    cells = find_line(write_tables(rows), "Table 2", "| 0.2 | AdaK-NER")
    assert cells[1] == "AdaK-NER, 2 or 10 of 10 rounds"


def test_ablation_has_a_row_for_every_strategy(result: Result) -> None:
    cell = ADAK._replace(model="without-mask")
    text = write_tables([result(cell, 0.5, 0.5)])
    table = text.split("## Table 4")[1]
    assert table.count("| w/o ") == len(ABLATIONS)
    cells = find_line(text, "Table 4", "| 0.2 | w/o candidate mask")
    assert cells[2] == "50.00 / 73.40"


def test_inconsistent_values_of_the_paper_are_named(result: Result) -> None:
    text = write_tables([result(ADAK, 0.5, 0.5)])
    assert "printed 78.09, but P 78.21 and R 79.96 make 79.08" in text
    assert "printed 76.20, but P 78.86 and R 75.54 make 77.16" in text


def test_paper_has_a_value_for_every_cell_of_its_tables() -> None:
    per_dataset = 2 * 2 * len(TABLE_MODELS) + 1 + len(ABLATIONS)
    assert len(PRINTED) == 3 * per_dataset


def test_values_of_the_paper_are_consistent_but_for_three() -> None:
    assert sum(not printed.is_consistent for printed in PRINTED.values()) == 3


@pytest.mark.parametrize("dataset", STATISTICS)
def test_statistics_of_the_paper_alone_are_accepted(dataset: str) -> None:
    entities, sentences = STATISTICS[dataset]["train"]
    check_statistics(dataset, "train", (entities, sentences))
    for other in ((entities + 1, sentences), (entities, sentences - 1)):
        with pytest.raises(ValueError, match=f"{other[0]} entities"):
            check_statistics(dataset, "train", other)


def test_youku_dev_is_accepted_as_the_file_has_it_not_as_it_is_printed() -> None:
    check_statistics("youku", "dev", (1581, 1000))
    with pytest.raises(ValueError, match="1580 entities"):
        check_statistics("youku", "dev", (1580, 1000))


def test_statistics_are_of_datasets_that_are_there(tmp_path: Path) -> None:
    assert "None of the datasets" in describe_statistics(tmp_path)


def write_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: Result) -> Path:
    """Write the tables of one result, with corpora in the same folder."""
    results, page = tmp_path / "results.jsonl", tmp_path / "new" / "tables.md"
    add_result(results, result(ADAK, 0.5, 0.5))
    arguments = [str(results), str(page), "--corpora", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["tables", *arguments])
    main()
    return page


def test_page_is_printed_as_it_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    result: Result,
) -> None:
    page = write_page(tmp_path, monkeypatch, result)
    text = page.read_text(encoding="utf8")
    assert all(f"## Table {number}" in text for number in (1, 2, 3, 4))
    assert capsys.readouterr().out == text


def test_other_data_is_told_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    result: Result,
) -> None:
    for split in ("train", "dev", "test"):
        write_docbin(tmp_path / "youku" / f"{split}.spacy", [])
    with pytest.raises(SystemExit):
        write_page(tmp_path, monkeypatch, result)
    assert "youku, train: 0 entities" in capsys.readouterr().out


def test_page_is_replaced_as_a_whole(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    result: Result,
    request: pytest.FixtureRequest,
) -> None:
    page = write_page(tmp_path, monkeypatch, result)
    page.write_text("old")
    request.getfixturevalue("no_swapping")
    with pytest.raises(OSError, match="stopped"):
        write_page(tmp_path, monkeypatch, result)
    assert page.read_text() == "old"
