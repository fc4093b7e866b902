"""Runs with guesses: in the data, or of guessers that the config names."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_adak.data.guesses import Guess, guesses_of, set_guesses
from spacy_adak.pipeline.losses import WeightedLoss
from spacy_adak.q.guess_evidence import read_evidence
from spacy_adak.q.guess_trust import Trust
from spacy_adak.run.preflight import check_run
from spacy_adak.run.train import train
from spacy_adak.shards.layout import list_shards
from spacy_adak.shards.with_q import ShardEstimates, estimates_path
from spacy_adak.tasks import ask_guesser
from spacy_adak.tasks.ask_guesser import GuessingTask
from spacy_adak.tasks.train_model import TrainingTask
from tests.made_corpus import forms_config, make_docs, model_bytes
from tests.run.test_algorithm import run

# One file for each fold, few enough for tests and enough to tell what they are worth.
TRAIN, DEV = 60, 40


def ruler(folder: Path) -> Path:
    """A pipeline that knows some names."""
    nlp = spacy.blank("xx")
    patterns = [
        *({"label": "PERSON", "pattern": f"{a} Lee"} for a in ("Ann", "Ben", "Eva")),
        *({"label": "FIRM", "pattern": f"{a} Bank"} for a in ("Alpha", "Beta")),
    ]
    nlp.add_pipe("entity_ruler").add_patterns(patterns)  # type: ignore[attr-defined]
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guesses")
    ruler(folder / "ruler")
    DocBin(docs=make_docs(TRAIN, keep=0.5)).to_disk(folder / "train.spacy")
    DocBin(docs=make_docs(DEV, seed=99)).to_disk(folder / "dev.spacy")
    return folder


def with_guesses(
    folder: Path, name: str, guess: Callable[[Doc], list[Guess]]
) -> dict[str, Any]:
    """The same data with a span group of guesses."""
    paths = {}
    for split in ("train", "dev"):
        docs = list(DocBin().from_disk(folder / f"{split}.spacy").get_docs(Vocab()))
        for doc in docs:
            set_guesses(doc, name, guess(doc))
        path = folder / f"{split}-{name}.spacy"
        DocBin(docs=docs).to_disk(path)
        paths[f"paths.{split}"] = str(path)
    return paths


def by_ruler(folder: Path) -> Callable[[Doc], list[Guess]]:
    nlp = spacy.load(folder / "ruler")

    def guess(doc: Doc) -> list[Guess]:
        found = nlp(Doc(nlp.vocab, words=[token.text for token in doc])).ents
        return [Guess(ent.start, ent.end, ent.label_) for ent in found]

    return guess


def asking(folder: Path, name: str = "ruler") -> dict[str, Any]:
    return {
        f"adak.guessers.{name}.@misc": "spacy-adak.PipelineGuesser.v1",
        f"adak.guessers.{name}.pipeline": str(folder / "ruler"),
    }


def nodes(run_folder: Path, name: str = "likelihood") -> numpy.ndarray:
    return numpy.concatenate(
        [
            chain.nodes
            for shard in list_shards(run_folder / "corpus")
            for chain in ShardEstimates.from_disk(
                estimates_path(run_folder / name, shard.path)
            ).chains
        ]
    )


def log_ratios(run_folder: Path) -> list[float]:
    return [
        guess.log_ratio
        for shard in list_shards(run_folder / "corpus")
        for said in read_evidence(run_folder / "likelihood", shard.path)
        for guess in said.spans
    ]


@pytest.fixture(scope="module")
def asked(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has asked the ruler."""
    output = tmp_path_factory.mktemp("asked")
    train(forms_config(folder, **asking(folder)), output)
    return output


@pytest.fixture(scope="module")
def told(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose data has the same guesses."""
    output = tmp_path_factory.mktemp("told")
    paths = with_guesses(folder, "ruler", by_ruler(folder))
    trusts: list[Trust] = []
    train(forms_config(folder, **paths), output, on_trust=trusts.append)
    assert trusts == [Trust.from_disk(output / "guesses" / "trust.json")]
    return output


def test_guesses_in_the_data_and_those_of_a_pipeline_are_the_same(
    asked: Path, told: Path
) -> None:
    trusts = [Trust.from_disk(run / "guesses" / "trust.json") for run in (asked, told)]
    assert trusts[0] == trusts[1]
    assert {row.guesser for row in trusts[0].guessers} == {"ruler"}
    assert model_bytes(told / "model-best") == model_bytes(asked / "model-best")


def test_groups_of_guesses_are_kept_in_what_a_run_leaves_behind(
    folder: Path, told: Path
) -> None:
    completed = DocBin().from_disk(told / "train-completed.spacy")
    given = DocBin().from_disk(folder / "train-ruler.spacy")
    assert [guesses_of(doc) for doc in completed.get_docs(Vocab())] == [
        guesses_of(doc) for doc in given.get_docs(Vocab())
    ]


def test_what_a_good_guesser_says_is_evidence(folder: Path, asked: Path) -> None:
    trust = Trust.from_disk(asked / "guesses" / "trust.json")
    assert {row.label for row in trust.guessers} == {"PERSON", "FIRM"}
    assert all(weight > 1 for weight, _ in trust.precision.values())
    # Without guesses no tag weighs more than O does.
    assert nodes(asked).max() <= 0
    assert max(log_ratios(asked)) > 1


def test_errors_of_a_guesser_are_not_learnt(folder: Path, tmp_path: Path) -> None:
    """Far more of its guesses are right than by chance, and most are wrong: they are
    the same word each time."""

    def guess(doc: Doc) -> list[Guess]:
        ends = ("dorf", "ville", "mouth", ".", ",")
        tokens = [token for token in doc if token.text.endswith(ends)]
        return [Guess(token.i, token.i + 1, "PLACE") for token in tokens]

    paths = with_guesses(folder, "clumsy", guess)
    settings = {**paths, "training.max_epochs": 10}
    train(forms_config(folder, **settings), tmp_path)
    (trust,) = Trust.from_disk(tmp_path / "guesses" / "trust.json").guessers
    assert 3 * trust.by_chance < trust.precision.value < 0.5
    completed = DocBin().from_disk(tmp_path / "train-completed.spacy")
    found = [ent.text for doc in completed.get_docs(Vocab()) for ent in doc.ents]
    assert found
    assert not {".", ","} & set(found)


def test_error_that_is_repeated_does_not_spoil_the_rest(
    folder: Path, tmp_path: Path
) -> None:
    by_name = by_ruler(folder)

    def guess(doc: Doc) -> list[Guess]:
        stops = [token.i for token in doc if token.text in {".", "on"}]
        return [*by_name(doc), *(Guess(i, i + 1, "PERSON") for i in stops)]

    paths = with_guesses(folder, "mixed", guess)
    train(forms_config(folder, **paths), tmp_path)
    trust = Trust.from_disk(tmp_path / "guesses" / "trust.json")
    whole = {row.label: row.precision.value for row in trust.guessers}
    assert whole["PERSON"] < 0.5
    by_form = {form: value for (*_, form), (_, value) in trust.forms.items()}
    assert by_form["AnnLee"] > 0.7
    assert by_form["."] < 0.05
    # What is found of forms and lengths is what guesses of them weigh.
    assert {*log_ratios(tmp_path)} <= {
        weight for weight, _ in [*trust.forms.values(), *trust.precision.values()]
    }


def test_useless_guesser_does_no_harm(folder: Path, tmp_path: Path) -> None:
    rng = random.Random(0)

    def guess(doc: Doc) -> list[Guess]:
        starts = [i for i in range(len(doc) - 1) if rng.random() < 0.2]
        labels = ("FIRM", "PERSON", "PLACE")
        return [Guess(i, i + rng.choice([1, 2]), rng.choice(labels)) for i in starts]

    paths = with_guesses(folder, "random", guess)
    train(forms_config(folder, **paths), tmp_path)
    weights = numpy.abs(log_ratios(tmp_path))
    # Hardly any weight, where what is worth something has several nats.
    assert len(weights) > 100
    assert weights.mean() < 0.1
    assert weights.max() < 1.0
    # Nothing of it is learnt.
    assert (nodes(tmp_path, "first-q") == nodes(tmp_path)).all()


@pytest.mark.slow
def test_executors_do_not_matter(folder: Path, asked: Path, tmp_path: Path) -> None:
    settings = {**asking(folder), "adak.executor": "joblib", "adak.n_jobs": 2}
    train(forms_config(folder, **settings), tmp_path)
    assert model_bytes(tmp_path / "model-best") == model_bytes(asked / "model-best")
    names = {path.name for path in (asked / "guesses" / "ruler").iterdir()}
    assert {path.name for path in (tmp_path / "guesses" / "ruler").iterdir()} == names


def test_run_that_was_stopped_asks_about_nothing_twice(
    folder: Path, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = forms_config(folder, **asking(folder))
    asked_about: list[int] = []
    original = ask_guesser.ask

    def stop_after_first(name: str, guesser: Any, docs: list[Doc]) -> Any:
        if asked_about:
            raise KeyboardInterrupt
        asked_about.append(len(docs))
        return original(name, guesser, docs)

    monkeypatch.setattr(ask_guesser, "ask", stop_after_first)
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path)

    def note(name: str, guesser: Any, docs: list[Doc]) -> Any:
        asked_about.append(len(docs))
        return original(name, guesser, docs)

    monkeypatch.setattr(ask_guesser, "ask", note)
    train(config, tmp_path, resume=True)
    assert sum(asked_about) == TRAIN + DEV
    assert model_bytes(tmp_path / "model-best") == model_bytes(asked / "model-best")


def test_run_may_start_from_guesses(folder: Path, tmp_path: Path) -> None:
    settings = {
        **asking(folder),
        "adak.start.learn_from": "guesses",
        "adak.q": {"mode": "interpolated", "temperature": 1.0},
    }
    config = forms_config(folder)
    history, tasks = run(config, tmp_path, **settings)
    assert history
    trainings = [task for task in tasks if isinstance(task, TrainingTask)]
    assert [task.loss for task in trainings] == [None, None, None]
    assert [str(task.blueprint.estimates) for task in trainings[:2]] == [
        str(tmp_path / "first-q")
    ] * 2
    # Where nobody guesses, nothing but O is left.
    first, likelihood = nodes(tmp_path, "first-q"), nodes(tmp_path)
    assert (first > -numpy.inf).sum() < (likelihood > -numpy.inf).sum()


def test_random_forgetting_and_guesses_make_one_likelihood(
    folder: Path, tmp_path: Path
) -> None:
    settings = {**asking(folder), "adak.start.learn_from": "missing"}
    _, tasks = run(forms_config(folder), tmp_path, **settings)
    first = next(task for task in tasks if isinstance(task, TrainingTask))
    assert first.loss == WeightedLoss()
    assert first.blueprint.estimates == tmp_path / "first-q"


def test_guesses_are_candidates(folder: Path, tmp_path: Path) -> None:
    settings = {**asking(folder), "adak.mask": {"kbest": 0, "dictionary": False}}
    _, (round_,) = train(forms_config(folder, **settings), tmp_path)
    # There are no others.
    assert round_.estimated_entities > 0


# What is wrong is told before the first step


def problems(config: Config) -> str:
    with pytest.raises(ValueError, match=r"\[A207\]") as error:
        check_run(config, -1, strict=False)
    return str(error.value)


def test_pipeline_that_is_not_there(folder: Path) -> None:
    settings = {**asking(folder), "adak.guessers.ruler.pipeline": "no_such_pipeline"}
    listed = problems(forms_config(folder, **settings))
    assert "[A240] The guesser 'ruler' can't be used" in listed
    assert "no_such_pipeline" in listed


def test_labels_that_nobody_knows(folder: Path) -> None:
    names = {"PERSON": "PER", "FIRM": "ORG"}
    settings = {**asking(folder), "adak.guessers.ruler.labels": names}
    listed = problems(forms_config(folder, **settings))
    assert "[A241] The guesser 'ruler' has the labels ORG, PER" in listed
    assert "FIRM, PERSON, PLACE" in listed


def test_start_that_looks_at_no_guesses(folder: Path) -> None:
    settings = {**asking(folder), "adak.start.learn_from": "outside"}
    assert "[A243]" in problems(forms_config(folder, **settings))


def test_guesser_that_is_called_as_a_group(folder: Path) -> None:
    paths = with_guesses(folder, "twice", lambda doc: [])
    settings = {**asking(folder, "twice"), **paths}
    assert "[A245] The guesser 'twice'" in problems(forms_config(folder, **settings))


def test_name_that_is_no_name_of_a_folder(folder: Path) -> None:
    assert "[A240]" in problems(forms_config(folder, **asking(folder, "a b")))


def test_guesses_that_nothing_looks_at(folder: Path) -> None:
    paths = with_guesses(folder, "unused", lambda doc: [])
    settings = {**paths, "adak.start.learn_from": "ratio"}
    with pytest.warns(UserWarning, match=r"\[W216\].*unused"):
        check_run(forms_config(folder, **settings), -1, strict=False)


def test_pipeline_that_the_run_would_replace(asked: Path, folder: Path) -> None:
    own = str(asked / "model-best")
    settings = {**asking(folder), "adak.guessers.ruler.pipeline": own}
    with pytest.raises(ValueError, match=r"\[A242\].*model-best"):
        train(forms_config(folder, **settings), asked)
    assert (asked / "model-best").exists()


def test_task_says_how_far_it_is(asked: Path) -> None:
    task = GuessingTask(
        "ruler", asked / "config.cfg", (), asked / "guesses", 0, 1, -1, None
    )
    assert task.is_done()
    assert task.progress_path.name == "ruler-1-of-1.progress"
    assert task.name == "guesses of ruler, part 1 of 1"
