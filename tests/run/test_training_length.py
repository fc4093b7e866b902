"""Trainings that are too short for the texts there are."""

from pathlib import Path

import pytest
from spacy.tokens import Doc
from thinc.api import Config

from spacy_adak.data.complete_types import state_complete
from spacy_adak.run.filled_config import fill_config
from spacy_adak.run.train import train
from spacy_adak.run.training_length import share_of_types, warn_of_short_trainings
from tests.made_corpus import TINY, make_config, make_docs, write_data

LABELS = ["FIRM", "PERSON", "PLACE"]


def config(**settings: object) -> Config:
    given = {**TINY, "training.max_epochs": 10, **settings}
    return fill_config(make_config(**given)).resolved


def complete_for(count: int, *labels: str) -> list[Doc]:
    docs = make_docs(count, keep=0.0)
    for doc in docs:
        state_complete(doc, labels)
    return docs


def _labels(doc: Doc) -> set[str]:
    return {ent.label_ for ent in doc.ents}


@pytest.mark.filterwarnings("error:.*W22[34]")
def test_enough_steps_are_not_warned_of() -> None:
    # 15 batches of 8 texts.
    warn_of_short_trainings(config(), make_docs(120), LABELS)


def test_few_texts_make_few_steps() -> None:
    with pytest.warns(UserWarning, match=r"W223.* 100 steps.*few texts.* 15$"):
        warn_of_short_trainings(config(), make_docs(80), LABELS)


def test_steps_count_by_the_types_that_texts_are_annotated_for() -> None:
    docs = complete_for(120, "FIRM")
    with pytest.warns(UserWarning, match=r"W224.* 150 steps.* 50 % .*max_epochs 20$"):
        warn_of_short_trainings(config(), docs, LABELS[:2])


@pytest.mark.filterwarnings("error:.*W22[34]")
@pytest.mark.parametrize(
    "settings",
    [
        {"training.max_epochs": 0, "training.max_steps": 5},
        {"training.max_steps": 5},
        {
            "training.batcher": {
                "@batchers": "spacy.batch_by_padded.v1",
                "size": 100,
                "buffer": 8,
                "discard_oversize": False,
                "get_length": {"@misc": "spacy-adak.WordPieces.v1", "name": "none"},
            }
        },
    ],
)
def test_length_that_is_not_one_of_epochs_over_texts_is_not_judged(
    settings: dict[str, object],
) -> None:
    warn_of_short_trainings(config(**settings), make_docs(8), LABELS)


def test_text_is_annotated_for_what_it_has_and_what_it_is_complete_for() -> None:
    of_one, of_two = complete_for(1, "FIRM"), complete_for(1, "FIRM", "PLACE", "OTHER")
    assert share_of_types(of_one, LABELS) == pytest.approx(1 / 3)
    assert share_of_types([*of_one, *of_two], LABELS) == pytest.approx(1 / 2)
    doc = next(doc for doc in make_docs(20) if {"PLACE"} < _labels(doc))
    places = [ent for ent in doc.ents if ent.label_ == "PLACE"]
    doc.set_ents(places, default="missing")
    state_complete(doc, ["FIRM"])
    assert share_of_types([doc], LABELS) == pytest.approx(2 / 3)


def test_text_that_states_nothing_of_the_types_is_annotated_for_all() -> None:
    silent, complete = make_docs(1, keep=0.5), make_docs(1)
    of_others = complete_for(1, "OTHER")
    assert share_of_types([*silent, *complete, *of_others], LABELS) == 1.0


def test_a_run_warns_when_it_begins(tmp_path: Path) -> None:
    settings = {**TINY, **write_data(tmp_path), "adak.rounds": 1}
    with pytest.warns(UserWarning, match="W223"):
        train(make_config(**settings), tmp_path / "output")


@pytest.mark.filterwarnings("error:.*W22[34]")
def test_a_quick_run_is_meant_to_be_short(tmp_path: Path) -> None:
    settings = {**TINY, **write_data(tmp_path)}
    train(make_config(**settings), tmp_path / "output", quick=True)
