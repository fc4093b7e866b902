"""The page of benchmarks, and the figures that the documentation takes from it."""

import json
import re
from itertools import islice
from pathlib import Path

import pytest
import spacy
import srsly

from benchmarks.corpora import read_sample, renamed_copies
from benchmarks.page import PAGE, write_page
from benchmarks.result_files import RESULTS

ROOT = Path(__file__).parents[1]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# A benchmark that is named, and the next table of the same section.
TABLE = re.compile(r"benchmarks\.(\w+)(?:(?!\n#|\n\|).|\n(?![#|]))*\n((?:\|.*\n)+)")


def tables() -> list[tuple[str, str, str]]:
    return [
        (path.name, *match.groups())
        for path in DOCS
        for match in TABLE.finditer(path.read_text(encoding="utf8"))
    ]


def numbers_in(value: object) -> list[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in numbers_in(item)]
    return [float(value)] if isinstance(value, (int, float)) else []


@pytest.mark.parametrize(("page", "source", "table"), tables())
def test_figures_of_a_table_are_recorded(page: str, source: str, table: str) -> None:
    recorded = numbers_in(list(srsly.read_jsonl(RESULTS / f"{source}.jsonl")))
    figures = re.findall(r"\| *(\d+\.\d+)(?= *\|)", table.replace("|", "| |"))
    assert figures, f"{page} has a table without figures of {source}"
    for figure in figures:
        step = 0.5 * 10 ** -len(figure.split(".")[1]) + 1e-9
        assert any(abs(float(figure) - x) <= step for x in recorded), figure


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_benchmark_that_is_named_has_results(page: Path) -> None:
    for name in re.findall(r"-m benchmarks\.(\w+)", page.read_text(encoding="utf8")):
        assert (RESULTS / f"{name}.jsonl").exists(), name


def test_documentation_has_tables_of_benchmarks() -> None:
    assert {source for _, source, _ in tables()} >= {
        "calibration",
        "partial_annotation",
    }


def test_page_is_that_of_the_recorded_results(tmp_path: Path) -> None:
    write_page(RESULTS, tmp_path / "page.md")
    assert PAGE.read_text(encoding="utf8") == (tmp_path / "page.md").read_text()


def test_rows_with_the_same_columns_are_one_table(tmp_path: Path) -> None:
    rows = [
        {"settings": {"seconds": 2.0, "torch": "2"}},
        {"what": "nlp.pipe", "words_per_second": 12000},
        {"what": "nlp.update", "words_per_second": 6000},
        {"ratio": 1.5},
    ]
    lines = "\n".join(map(json.dumps, rows))
    (tmp_path / "startup.jsonl").write_text(lines)
    (tmp_path / "quick.crf.jsonl").write_text(lines)
    write_page(tmp_path, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "Settings: seconds 2.0, torch 2.\n\n| what | words per second |\n" in page
    assert "| nlp.pipe | 12,000 |\n| nlp.update | 6,000 |\n\n| ratio |\n" in page
    assert page.count("\n## ") == 1


def test_copies_have_the_entities_of_the_texts_with_other_names() -> None:
    docs = read_sample(spacy.blank("en"), 20)
    copies = list(islice(renamed_copies(docs), 40))
    assert copies[:20] == docs
    for doc, copy in zip(docs, copies[20:], strict=True):
        places = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
        assert [(ent.start, ent.end, ent.label_) for ent in copy.ents] == places
        inside = {token.i for ent in doc.ents for token in ent}
        for token, renamed in zip(doc, copy, strict=True):
            assert token.i in inside or renamed.text == token.text
    assert any(a.text != b.text for a, b in zip(docs, copies[20:], strict=True))
