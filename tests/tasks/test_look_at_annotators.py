"""The first q, from what annotators do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_adak.annotation.known import Known, allowed_tags, entity_starting_tags
from spacy_adak.crf.losses import missing_q
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.data.corruption import drop_entities
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.run.train import train
from spacy_adak.shards.with_q import ScoredSpan
from spacy_adak.tasks.estimate_shard import EstimationTask
from spacy_adak.tasks.executors import Task
from spacy_adak.tasks.look_at_annotators import (
    RecallTask,
    Text,
    first_q,
    recall_by_strings,
)
from spacy_adak.tasks.train_model import TrainingTask
from tests.made_corpus import TINY, make_config, make_docs, model_bytes
from tests.run.test_algorithm import run

TAGS = TagSet(["PER", "ORG"], "BILUO")


def make_text(words: str, entities: list[tuple[int, int]] | None = None) -> Text:
    split = words.split()
    known = Known(
        [LabelledSpan(*span, "PER") for span in entities or []],
        numpy.zeros(len(split), dtype=bool),
        [],
    )
    return Text(split, known, [])


def test_with_one_recall_it_is_the_q_of_the_loss_missing() -> None:
    outside = numpy.array([True, False, False, False, False])
    known = Known([LabelledSpan(2, 4, "ORG")], outside, [])
    weights = torch.zeros(len(TAGS))
    weights[entity_starting_tags(TAGS)] = numpy.log(0.7)
    allowed = torch.from_numpy(allowed_tags(known, TAGS)).unsqueeze(0)
    expected = missing_q(allowed, torch.tensor([5]), weights).chain
    q = first_q(known, numpy.full(5, 0.3), TAGS)
    assert torch.allclose(torch.from_numpy(q.nodes), expected.emissions[0].float())
    assert not any(array.any() for array in q[1:])


def test_each_token_has_a_recall_of_its_own() -> None:
    known = Known([], numpy.zeros(2, dtype=bool), [])
    q = first_q(known, numpy.array([0.5, 0.0]), TAGS)
    starts = entity_starting_tags(TAGS)
    assert q.nodes[0, starts].tolist() == pytest.approx([numpy.log(0.5)] * len(starts))
    assert not q.nodes[1].any()


def test_consistent_annotators_do_not_know_what_they_never_mark() -> None:
    texts = [make_text("Ann and Ben", [(0, 1)]) for _ in range(20)]
    annotators, recalls = recall_by_strings(texts, 0.4)
    assert annotators.form_recall > 0.9
    # Strings that come up so often may be entities all the same.
    assert all((recall < 0.3).all() for recall in recalls)


def test_strings_that_are_marked_now_and_then_are_known() -> None:
    marked = [make_text("Ann and Ben", [(0, 1)]) for _ in range(6)]
    unmarked = [make_text("Ann and Ben") for _ in range(14)]
    annotators, recalls = recall_by_strings([*marked, *unmarked], 0.3)
    assert annotators.know_all_forms()
    assert all(recall == pytest.approx(0.3) for recall in recalls)


def test_strings_are_as_long_as_half_an_entity() -> None:
    # "x y" comes up twice, and "x" alone in all texts.
    texts = [
        make_text("a b c d", [(0, 4)]),
        make_text("a b c d", [(0, 4)]),
        *(make_text(f"x {word}") for word in "yyz"),
    ]
    _, recalls = recall_by_strings(texts, 0.3)
    *_, first, second, last = (recall[0] for recall in recalls)
    assert first == second < last == pytest.approx(0.3)


def test_annotators_who_mark_everything_leave_no_other_entity() -> None:
    known = Known([LabelledSpan(1, 2, "PER")], numpy.zeros(3, dtype=bool), [])
    q = first_q(known, numpy.ones(3), TAGS)
    starts = entity_starting_tags(TAGS)
    assert (q.nodes[[0, 2]][:, starts] == -numpy.inf).all()
    assert q.nodes[1, TAGS.index["U-PER"]] == 0.0


def test_marked_entities_are_in_tokens_of_the_reference() -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("adak_ner")
    assert isinstance(component, AdaKRecognizer)
    component.add_label("PER")
    words = ['(("Hm', "said", "Ann", "Lee"]
    reference = Doc(nlp.vocab, words=words)
    reference.set_ents([Span(reference, 2, 4, "PER")], default="missing")
    example = Example(nlp.make_doc(reference.text), reference)
    assert len(example.predicted) > len(reference)
    text = Text.read(example, component)
    assert text.marked == [ScoredSpan(2, 4, "PER", 1.0)]


@pytest.fixture(scope="module")
def forms_config(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Config]:
    folder = tmp_path_factory.mktemp("forms")
    docs = make_docs(150, vocab=Vocab())
    for scheme in ("random", "entity"):
        kept = drop_entities(docs, 0.4, scheme)
        DocBin(docs=kept).to_disk(folder / f"{scheme}.spacy")
    DocBin(docs=make_docs(20, seed=99)).to_disk(folder / "dev.spacy")

    def make(scheme: str, **settings: Any) -> Config:
        paths = {"paths.train": scheme, "paths.dev": "dev"}
        data = {name: str(folder / f"{file}.spacy") for name, file in paths.items()}
        own = {"adak.start": "forms", "adak.rounds": 1}
        return make_config(**{**TINY, **data, **own, **settings})

    return make


def trainings(folder: Path, tasks: list[Task]) -> list[tuple[Any, ...]]:
    """What tells the trainings of a run from each other."""
    return [
        (
            str(task.output.relative_to(folder)),
            task.loss,
            task.estimates and str(task.estimates.relative_to(folder)),
            task.has_word_features,
        )
        for task in tasks
        if isinstance(task, TrainingTask)
    ]


def test_fold_models_know_no_words_where_forms_are_unknown(
    forms_config: Callable[..., Config], tmp_path: Path
) -> None:
    _, tasks = run(
        forms_config("entity", **{"adak.rounds": 2, "adak.convergence": 0.0}), tmp_path
    )
    assert trainings(tmp_path, tasks) == [
        ("round-01/fold-0", "ratio", "annotation", False),
        ("round-01/fold-1", "ratio", "annotation", False),
        ("round-01/final", None, "round-01/estimates", True),
        ("round-02/fold-0", None, "round-01/estimates", True),
        ("round-02/fold-1", None, "round-01/estimates", True),
        ("round-02/final", None, "round-02/estimates", True),
    ]


@pytest.mark.parametrize(
    ("scheme", "start"),
    [("random", "forms"), ("random", "missing"), ("entity", "missing")],
)
def test_fold_models_suppose_that_annotators_forget_at_random(
    forms_config: Callable[..., Config], tmp_path: Path, scheme: str, start: str
) -> None:
    _, tasks = run(forms_config(scheme, **{"adak.start": start}), tmp_path)
    assert trainings(tmp_path, tasks) == [
        ("round-01/fold-0", "missing", None, True),
        ("round-01/fold-1", "missing", None, True),
        ("round-01/final", None, "round-01/estimates", True),
    ]


@pytest.mark.parametrize(
    ("start", "annotation"),
    [
        ("forms", "annotation"),
        ("missing", "annotation"),
        ("ratio", None),
        ("outside", None),
    ],
)
def test_q_is_estimated_with_what_is_known_of_annotators(
    forms_config: Callable[..., Config],
    tmp_path: Path,
    start: str,
    annotation: str | None,
) -> None:
    settings = {"adak.start": start, "adak.rounds": 2}
    _, tasks = run(forms_config("random", **settings), tmp_path)
    expected = tmp_path / annotation if annotation else None
    estimations = [task for task in tasks if isinstance(task, EstimationTask)]
    assert {task.annotation for task in estimations} == {expected}


@pytest.fixture(scope="module")
def weights(
    forms_config: Callable[..., Config], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """Of a run that was never stopped."""
    folder = tmp_path_factory.mktemp("forms") / "output"
    train(forms_config("entity"), folder)
    return model_bytes(folder / "model-best")


@pytest.mark.parametrize("kind", [RecallTask, EstimationTask, TrainingTask])
def test_stopped_while_forms_are_sought_ends_with_the_same_weights(
    kind: type[Any],
    forms_config: Callable[..., Config],
    weights: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = forms_config("entity")

    def stop(task: Any, original: Any = kind.run) -> None:
        if "fold-1" in str(task.output) or "annotation" in task.output.parts:
            raise KeyboardInterrupt
        original(task)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "run", stop)
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path / "output")
    train(config, tmp_path / "output", resume=True)
    assert model_bytes(tmp_path / "output" / "model-best") == weights


def test_processes_make_no_difference(
    forms_config: Callable[..., Config], weights: dict[str, bytes], tmp_path: Path
) -> None:
    config = forms_config("entity", **{"adak.executor": "joblib"})
    train(config, tmp_path / "output")
    assert model_bytes(tmp_path / "output" / "model-best") == weights
