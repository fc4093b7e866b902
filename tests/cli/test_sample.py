import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from click.testing import Result

from spacy_adak.data.docbin import write_docbin
from tests.recall.texts import keep, make_text

Run = Callable[..., Result]


@pytest.fixture
def data_path(tmp_path: Path) -> Path:
    rng = random.Random(0)
    docs = [keep(make_text(rng), rng, 0.5) for _ in range(80)]
    write_docbin(tmp_path / "train.spacy", docs)
    return tmp_path / "train.spacy"


def test_tasks_and_what_they_give(adak: Run, data_path: Path) -> None:
    output = data_path.with_name("tasks.jsonl")
    result = adak("sample", data_path, output, "--n-texts", 25)
    assert result.exit_code == 0
    assert "Drew 25 of 80 texts" in result.stdout
    assert "python -m spacy adak convert ANNOTATED dev.spacy" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    assert any(row[:1] == ["25"] and "±" in row for row in rows)
    tasks = [json.loads(line) for line in output.read_text().splitlines()]
    assert len(tasks) == 25
    assert all("spans" not in task for task in tasks)


def test_suggestions_need_a_pipeline(adak: Run, data_path: Path) -> None:
    output = data_path.with_name("tasks.jsonl")
    result = adak("sample", data_path, output, "--with-suggestions")
    assert result.exit_code == 1
    assert "A411" in result.stdout
    assert not output.exists()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A pipeline that takes 300 of 1,000 words for entities."""
    nlp = spacy.blank("xx")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [{"label": "A" if i else "B", "pattern": f"w{i}"} for i in range(300)]
    )
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


def test_drawn_predictions_are_judged_and_tell_the_precision(
    adak: Run, data_path: Path, model: Path
) -> None:
    drawn = data_path.with_name("drawn.jsonl")
    result = adak("sample", data_path, drawn, "--model", model, "--predictions", 30)
    assert result.exit_code == 0, result.stdout
    assert "Drew 3" in result.stdout
    page = drawn.with_suffix(".html")
    assert adak("review", drawn, "--output", page).exit_code == 0
    assert '"isDrawn": true' in page.read_text().replace('":true', '": true')
    rows = [json.loads(line) for line in drawn.read_text().splitlines()]
    keys = ("text", "start", "end", "label", "form", "kind")
    decisions = drawn.with_name("decisions.jsonl")
    decisions.write_text(
        "".join(
            json.dumps(
                {
                    "scope": "place",
                    "answer": "accept" if i % 2 else "reject",
                    **{key: row[key] for key in keys},
                }
            )
            + "\n"
            for i, row in enumerate(rows)
        )
    )
    options = ("--sample", drawn, "--decisions", decisions, "--json")
    result = adak("evaluate", model, data_path, *options)
    assert result.exit_code == 0, result.stdout
    scores = json.loads(result.stdout)
    assert "drawn at random" in scores["note"]
    low, high = scores["ents_p_interval"]
    # Half of those judged are right, and few of those that the annotation decides.
    assert 0.1 < low < scores["ents_p"] < high < 0.7
    assert (
        scores["ents_f_interval"][0] < scores["ents_f"] < scores["ents_f_interval"][1]
    )


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--predictions", 30), "A413"),
        (("--predictions", 30, "--model", "m", "--n-texts", 3), "A414"),
        (("--predictions", 30, "--model", "m", "--to", "spans"), "A414"),
    ],
)
def test_options_for_predictions_and_texts_are_kept_apart(
    adak: Run, data_path: Path, options: tuple[object, ...], code: str
) -> None:
    result = adak("sample", data_path, data_path.with_name("x.jsonl"), *options)
    assert result.exit_code == 1
    assert code in result.stdout


def test_nothing_to_judge_is_an_error(adak: Run, tmp_path: Path, model: Path) -> None:
    complete = tmp_path / "complete.spacy"
    write_docbin(complete, [make_text(random.Random(0)) for _ in range(20)])
    output = tmp_path / "drawn.jsonl"
    result = adak("sample", complete, output, "--model", model, "--predictions", 9)
    assert result.exit_code == 1
    assert "A412" in result.stdout


def test_a_sample_without_decisions_is_an_error(
    adak: Run, data_path: Path, model: Path
) -> None:
    result = adak("evaluate", model, data_path, "--sample", data_path)
    assert result.exit_code == 1
    assert "A418" in result.stdout
