import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from scripts.experiments import figures, tables
from scripts.experiments.cells import Cell, Task
from scripts.experiments.results import (
    Row,
    add_result,
    find_rows,
    read_reported,
    read_results,
)

Result = Callable[..., Row]
ADAK = Cell("youku", "cpu", "random", 0.2, "adak", 0)


def test_results_are_added_one_by_one(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.jsonl"
    rows = [result(ADAK, 0.4, 0.4), result(ADAK._replace(seed=1), 0.6, 0.6)]
    assert read_results(path) == []
    for row in rows:
        add_result(path, row)
    assert read_results(path) == rows
    assert rows[0]["versions"]["spacy"]


def test_no_result_is_lost_when_others_are_added(
    result: Result, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    rows = [result(ADAK._replace(seed=seed), 0.5, 0.5) for seed in range(40)]
    # The lock keeps threads apart as it does processes.
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(partial(add_result, path), rows))
    assert sorted(read_results(path), key=lambda row: row["seed"]) == rows


def test_cell_has_one_result(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first = result(ADAK, 0.5, 0.5)
    add_result(path, first)
    add_result(path, result(ADAK, 0.6, 0.6))
    assert read_results(path) == [first]


def test_results_of_a_config_are_told_from_others(
    result: Result, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    for config in ("cpu", "bert"):
        add_result(path, result(ADAK._replace(config=config), 0.5, 0.5))
    (row,) = read_results(path, "bert")
    assert row["config"] == "bert"


def test_all_seeds_of_a_task_are_found(result: Result) -> None:
    rows = [result(ADAK._replace(seed=seed), 0.5, 0.5) for seed in range(3)]
    others = [result(ADAK._replace(model="crf"), 0.5, 0.5)]
    found = find_rows([*rows, *others], "youku", Task("random", 0.2, "adak"))
    assert found == rows


def test_blank_lines_are_no_results(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    add_result(path, result(ADAK, 0.5, 0.5))
    path.write_text("\n" + path.read_text() + " \n")
    assert len(read_results(path)) == 1


def test_damaged_line_is_named_with_its_file(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    add_result(path, result(ADAK, 0.5, 0.5))
    path.write_text(path.read_text() + '{"cell": "youku_')
    with pytest.raises(ValueError, match=r"results\.jsonl', line 2, .*remove the line"):
        read_results(path)


def test_report_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"results\.jsonl' is not there"):
        read_reported(tmp_path / "results.jsonl")


def test_report_needs_results(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.touch()
    with pytest.raises(ValueError, match=r"results\.jsonl' has no results\."):
        read_reported(path)
    add_result(path, result(ADAK, 0.5, 0.5))
    with pytest.raises(ValueError, match=r"no results of the config 'bert'.*: cpu\."):
        read_reported(path, "bert")
    assert read_reported(path, "cpu") == read_reported(path) == read_results(path)


@pytest.mark.parametrize("report", [figures, tables])
@pytest.mark.parametrize(
    ("text", "told"),
    [(None, "is not there"), ("", "has no results"), ("{\n", "line 1, is no JSON")],
)
def test_results_that_can_not_be_read_are_told_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    report: ModuleType,
    text: str | None,
    told: str,
) -> None:
    results, output = tmp_path / "results.jsonl", tmp_path / "output"
    if text is not None:
        results.write_text(text)
    monkeypatch.setattr(sys, "argv", ["report", str(results), str(output)])
    with pytest.raises(SystemExit) as exit_:
        report.main()
    assert exit_.value.code == 1
    assert told in " ".join(capsys.readouterr().out.split())
    assert not output.exists()
