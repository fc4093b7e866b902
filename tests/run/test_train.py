"""Whole runs: what they leave behind, how they stop, and how they go on."""

import errno
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.util import load_config
from thinc.api import Config

import spacy_adak
from spacy_adak.data.origins import without_estimates
from spacy_adak.q.adak_block import read_settings
from spacy_adak.run.folder import Round, Run, find_best, read_history
from spacy_adak.run.overrides import read_config
from spacy_adak.run.publish import add_estimates
from spacy_adak.run.train import is_stopped, train
from spacy_adak.tasks import train_model as training
from tests.finished_run import FinishedRun
from tests.losses import loss_override
from tests.made_corpus import TINY, make_config, make_docs, model_bytes, write_data


def completed_docs(folder: Path) -> list[Doc]:
    path = folder / "train-completed.spacy"
    return list(DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab))


def copy_of(run: FinishedRun, folder: Path) -> Path:
    return Path(shutil.copytree(run.folder, folder / "copy"))


def assert_same_results(folder: Path, other: Path) -> None:
    for name in ("model-best", "model-last"):
        assert model_bytes(folder / name) == model_bytes(other / name)
    for name in ("train-completed.spacy", "dictionary.jsonl"):
        assert (folder / name).read_bytes() == (other / name).read_bytes()


def stop_in_fold_model(config: Config, folder: Path) -> None:
    """Begin or resume a run, and stop it in the first model that it trains."""

    def stop(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    is_begun = (folder / "corpus").exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "train_nlp", stop)
        with pytest.raises(KeyboardInterrupt):
            train(config, folder, resume=is_begun)


def with_settings(config: Config, **settings: Any) -> Config:
    return read_config(config, settings)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tarin'"):
        _ = spacy_adak.tarin


# What a run leaves behind


@pytest.mark.parametrize("name", ["model-best", "model-last"])
def test_models_are_ordinary_pipelines(finished: FinishedRun, name: str) -> None:
    nlp = spacy.load(finished.folder / name)
    assert nlp.pipe_names == ["adak_ner"]
    assert nlp.get_pipe("adak_ner").labels == ("FIRM", "PERSON", "PLACE")


def test_best_model_is_that_of_the_best_round(finished: FinishedRun) -> None:
    best = max(finished.history, key=lambda round_: round_.score).round
    source = finished.folder / f"round-{best:02d}" / "final" / "model-best"
    assert model_bytes(finished.folder / "model-best") == model_bytes(source)


def test_config_of_a_model_is_that_of_the_run(finished: FinishedRun) -> None:
    model = load_config(finished.folder / "model-best" / "config.cfg")
    run = load_config(finished.folder / "config.cfg")
    assert model["corpora"] == run["corpora"]
    assert model["training"] == run["training"]
    assert model["adak"] == run["adak"]
    assert "ProgressLogger" not in (finished.folder / "config.cfg").read_text()


def test_config_that_is_left_can_be_trained_with_by_spacy_alone(
    finished: FinishedRun, tmp_path: Path
) -> None:
    from spacy.cli.train import train as spacy_train

    spacy_train(finished.folder / "model-best" / "config.cfg", tmp_path)
    assert spacy.load(tmp_path / "model-best").pipe_names == ["adak_ner"]


def test_completed_data_has_annotated_and_estimated_entities_apart(
    finished: FinishedRun,
) -> None:
    path = finished.config.interpolate()["paths"]["train"]
    before = {
        doc.text: doc
        for doc in DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab)
    }
    docs = completed_docs(finished.folder)
    assert [doc.text for doc in docs] == list(before)
    n_estimated = 0
    for doc in docs:
        annotated, estimated = doc.spans["annotated"], doc.spans["estimated"]
        assert [(s.start, s.end, s.label_) for s in annotated] == [
            (s.start, s.end, s.label_) for s in before[doc.text].ents
        ]
        assert {*annotated, *estimated} == set(doc.ents)
        assert len(estimated.attrs["scores"]) == len(estimated)
        assert all(0 <= score <= 1 for score in estimated.attrs["scores"])
        assert all(token.ent_iob != 0 for token in doc)
        assert "adak_q" not in doc.spans
        n_estimated += len(estimated)
    best = max(finished.history, key=lambda round_: round_.score)
    assert n_estimated == best.estimated_entities


def test_completed_data_keeps_what_users_have_noted(tmp_path: Path) -> None:
    paths = write_data(tmp_path / "data")
    docs = make_docs(20, keep=0.5)
    for i, doc in enumerate(docs):
        doc.user_data["id"] = i
    DocBin(docs=docs, store_user_data=True).to_disk(paths["paths.train"])
    train(make_config(**TINY, **paths), tmp_path / "output")
    completed = completed_docs(tmp_path / "output")
    assert [doc.user_data for doc in completed] == [{"id": i} for i in range(20)]


def test_completed_data_has_what_is_annotated_where_tokens_do_not_align() -> None:
    nlp = spacy.blank("en")
    words = ["In", "New", "York", "City", ".", "com"]
    doc = Doc(nlp.vocab, words=words, spaces=[True, True, True, False, False, False])
    doc.set_ents([Span(doc, 1, 5, "PLACE")], default="missing")
    # With the tokens "City.com" of the pipeline it can't be the entity.
    doc.spans["adak_q"] = SpanGroup(
        doc,
        spans=[Span(doc, 0, 1, "X"), Span(doc, 1, 3, "PLACE")],
        attrs={"scores": [0.5, 0.9]},
    )
    completed = add_estimates(doc)
    assert [ent.text for ent in completed.ents] == ["In", "New York City."]
    assert [span.text for span in completed.spans["estimated"]] == ["In"]
    assert [t.ent_iob for t in without_estimates(completed)] == [0, 3, 1, 1, 1, 0]


def test_history_is_a_line_per_round(finished: FinishedRun) -> None:
    rows = list(srsly.read_jsonl(finished.folder / "history.jsonl"))
    assert [row["round"] for row in rows] == [1, 2]
    assert rows == [round_._asdict() for round_ in finished.history]


def test_history_has_what_the_report_shows(finished: FinishedRun) -> None:
    assert len(finished.history) == finished.config["adak"]["rounds"]
    for round_ in finished.history:
        estimated = round_.estimated_per_type
        assert sum(estimated.values()) == round_.estimated_entities > 0
        assert set(round_.dev_per_type) == {"FIRM", "PERSON", "PLACE"}
        assert set(round_.seconds_per_part) == {"folds", "q", "final"}
        assert sum(round_.seconds_per_part.values()) <= round_.seconds + 0.2


def test_scores_of_all_trainings_stay_when_models_go(finished: FinishedRun) -> None:
    for round_ in finished.history:
        files = (finished.folder / f"round-{round_.round:02d}").glob("*.scores.jsonl")
        assert sorted(path.name for path in files) == [
            "final.scores.jsonl",
            "fold-0.scores.jsonl",
            "fold-1.scores.jsonl",
        ]


def test_dictionary_is_that_of_the_best_round(finished: FinishedRun) -> None:
    best = max(finished.history, key=lambda round_: round_.score)
    rows = list(srsly.read_jsonl(finished.folder / "dictionary.jsonl"))
    assert len(rows) == best.dictionary_size
    assert all(set(row) == {"words", "label"} for row in rows)


def test_every_training_leaves_its_log(finished: FinishedRun) -> None:
    for number in (1, 2):
        logs = (finished.folder / f"round-{number:02d}").glob("*.log")
        assert sorted(log.stem for log in logs) == ["final", "fold-0", "fold-1"]


def test_files_that_are_not_of_a_run_are_not_overwritten(
    tiny_config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.cfg").write_text(tiny_config.to_str())
    with pytest.raises(ValueError, match=r"A222.*config\.cfg"):
        train("config.cfg", ".")
    assert os.listdir(tmp_path) == ["config.cfg"]


@pytest.mark.parametrize("name", ["likelihood", "corpus", "frozen", "round-01"])
def test_folders_that_are_not_of_a_run_are_not_removed(
    tiny_config: Config, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match=rf"A222.*{name}"):
        train(tiny_config, tmp_path)
    assert os.listdir(tmp_path) == [name]


def test_run_that_fails_its_checks_has_no_right_to_what_comes_later(
    tiny_config: Config, tmp_path: Path
) -> None:
    other = with_settings(tiny_config, **{"paths.dev": "no_such_file.spacy"})
    with pytest.raises(ValueError, match=r"\[A207\]"):
        train(other, tmp_path)
    (tmp_path / "dictionary.jsonl").write_text("mine")
    with pytest.raises(ValueError, match=r"A222.*dictionary\.jsonl"):
        train(tiny_config, tmp_path)


def test_new_run_takes_the_place_of_a_finished_one(
    tiny_config: Config, tmp_path: Path
) -> None:
    one_round = with_settings(tiny_config, **{"adak.rounds": 1})
    (tmp_path / "round-up").mkdir()
    train(tiny_config, tmp_path)
    train(one_round, tmp_path)
    assert sorted(path.name for path in tmp_path.glob("round-*")) == [
        "round-01",
        "round-up",
    ]


# The same result, wherever it is computed


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(
            {"adak.executor": "joblib", "adak.n_jobs": 1}, marks=pytest.mark.slow
        ),
        {"adak.executor": "joblib", "adak.n_jobs": 2},
        pytest.param({"adak.executor": "ray"}, marks=pytest.mark.slow),
    ],
    ids=["joblib-1", "joblib-2", "ray"],
)
def test_result_does_not_depend_on_the_executor(
    finished: FinishedRun,
    settings: dict[str, Any],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if settings["adak.executor"] == "ray":
        ray = pytest.importorskip("ray")
        monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))
    train(with_settings(finished.config, **settings), tmp_path / "output")
    for name in ("model-best", "model-last"):
        assert model_bytes(tmp_path / "output" / name) == model_bytes(
            finished.folder / name
        )
    if settings["adak.executor"] == "ray":
        assert not ray.is_initialized()


def test_second_run_in_the_same_process_and_folder_is_not_mixed_up_with_the_first(
    finished: FinishedRun, tmp_path: Path
) -> None:
    other = with_settings(finished.config, **{"training.seed": 5})
    train(other, tmp_path)
    train(finished.config, tmp_path)
    assert model_bytes(tmp_path / "model-best") == model_bytes(
        finished.folder / "model-best"
    )


# Stopping and going on


def test_unfinished_run_is_not_overwritten(tiny_config: Config, tmp_path: Path) -> None:
    stop_in_round(tiny_config, tmp_path, 1)
    with pytest.raises(ValueError, match=r"\[A203\].*round 2 of 2.*--resume"):
        train(tiny_config, tmp_path)


def test_finished_run_without_its_best_model_is_not_overwritten(
    tiny_config: Config, finished: FinishedRun, tmp_path: Path
) -> None:
    folder = tmp_path / "output"
    shutil.copytree(finished.folder, folder)
    shutil.rmtree(folder / "model-best")
    with pytest.raises(
        ValueError, match=r"\[A203\].*not all of its results are there.*--resume"
    ):
        train(tiny_config, folder)
    train(tiny_config, folder, resume=True)
    assert model_bytes(folder / "model-best") == model_bytes(
        finished.folder / "model-best"
    )


def stop_in_round(config: Config, folder: Path, number: int) -> None:
    def stop(round_: object, seconds_left: float | None) -> None:
        if getattr(round_, "round", None) == number:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, folder, on_round=stop)


def test_nothing_to_resume(tiny_config: Config, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\[A204\].*no run"):
        train(tiny_config, tmp_path / "output", resume=True)
    assert not (tmp_path / "output").exists()


def test_config_may_start_with_a_byte_order_mark(
    tiny_config: Config, tmp_path: Path
) -> None:
    path = tmp_path / "config.cfg"
    path.write_text(tiny_config.to_str(), encoding="utf-8-sig")
    # It is read, and refused for what is wrong with it.
    with pytest.raises(ValueError, match=r"\[A102\].*'runds'"):
        train(path, tmp_path / "output", overrides={"adak.runds": 2})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.cfg", ""),
        ("history.jsonl", "{"),
        ("history.jsonl", ""),
        ("published.json", "[]"),
        ("sources.json", ""),
    ],
)
def test_damaged_file_of_a_run_is_named(
    finished: FinishedRun, tmp_path: Path, name: str, content: str
) -> None:
    folder = copy_of(finished, tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(ValueError, match=rf"\[A229\].*{re.escape(name)}"):
        train(finished.config, folder, resume=True)


def test_output_that_is_no_folder_is_refused(
    tiny_config: Config, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    for name in ("link", "pipe", "file"):
        with pytest.raises(ValueError, match=rf"\[A237\].*{name}.*no folder"):
            train(tiny_config, tmp_path / name)


def test_folder_with_a_corpus_of_ones_own_is_no_run(
    tiny_config: Config, tmp_path: Path
) -> None:
    (tmp_path / "corpus").mkdir()
    with pytest.raises(ValueError, match=r"\[A204\].*no run"):
        train(tiny_config, tmp_path, resume=True)


def test_run_is_not_resumed_with_other_settings(finished: FinishedRun) -> None:
    changed = {"adak.folds": 3, "training.dropout": 0.3, "paths.dev": "other.spacy"}
    other = with_settings(finished.config, **changed)
    with pytest.raises(ValueError, match=r"\[A226\]") as error:
        train(other, finished.folder, resume=True)
    dev = finished.config.interpolate()["paths"]["dev"]
    assert [
        line for line in str(error.value).splitlines() if line.startswith("- ")
    ] == [
        f"- paths.dev: {dev!r}, now 'other.spacy'",
        "- training.dropout: 0.1, now 0.3",
        "- adak.folds: 2, now 3",
    ]


def test_data_that_has_changed_since_the_run_began_is_warned_of(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = copy_of(finished, tmp_path)
    sources = srsly.read_json(folder / "sources.json")
    train_path = finished.config.interpolate()["paths"]["train"]
    assert train_path in sources
    srsly.write_json(folder / "sources.json", {**sources, train_path: "another"})
    with pytest.warns(UserWarning, match=rf"W220.*{train_path} has changed"):
        train(finished.config, folder, resume=True)
    assert_same_results(folder, finished.folder)


def test_run_that_is_resumed_may_have_more_rounds(
    one_round: FinishedRun, finished: FinishedRun, tmp_path: Path
) -> None:
    folder = copy_of(one_round, tmp_path)
    _, history = train(finished.config, folder, resume=True)
    assert len(history) == 2
    assert_same_results(folder, finished.folder)


def test_run_that_is_resumed_may_have_fewer_rounds(
    one_round: FinishedRun, finished: FinishedRun, tmp_path: Path
) -> None:
    folder = copy_of(one_round, tmp_path)
    stop_in_fold_model(finished.config, folder)
    assert is_stopped(folder)
    _, history = train(one_round.config, folder, resume=True)
    assert [round_.round for round_ in history] == [1]
    assert_same_results(folder, one_round.folder)


# Results before the end


def test_best_model_is_there_after_every_round(
    tiny_config: Config, tmp_path: Path
) -> None:
    best: list[bool] = []

    def look(round_: Round, seconds_left: float | None) -> None:
        number = (find_best(read_history(tmp_path)) or round_).round
        source = tmp_path / f"round-{number:02d}" / "final" / "model-best"
        assert model_bytes(tmp_path / "model-best") == model_bytes(source)
        assert is_stopped(tmp_path)
        best.append(round_.is_best)

    train(tiny_config, tmp_path, on_round=look)
    assert len(best) == 2
    assert not is_stopped(tmp_path)


def test_stopped_run_can_be_finished_with_what_it_has(
    one_round: FinishedRun, finished: FinishedRun, tmp_path: Path
) -> None:
    folder = copy_of(one_round, tmp_path)
    stop_in_fold_model(finished.config, folder)
    for left_by_first_run in ("train-completed.spacy", "dictionary.jsonl"):
        (folder / left_by_first_run).unlink()
    _, history = train(finished.config, folder, finish=True)
    assert [round_.round for round_ in history] == [1]
    assert not is_stopped(folder)
    assert_same_results(folder, one_round.folder)


def test_run_without_a_finished_round_cannot_be_finished(
    tiny_config: Config, tmp_path: Path
) -> None:
    stop_in_fold_model(tiny_config, tmp_path)
    with pytest.raises(ValueError, match=r"\[A225\].*--resume"):
        train(tiny_config, tmp_path, finish=True)
    assert is_stopped(tmp_path)


def test_finished_run_can_be_finished_again(finished: FinishedRun) -> None:
    before = (finished.folder / "model-best" / "meta.json").stat()
    _, history = train(finished.config, finished.folder, finish=True)
    assert history == finished.history
    assert (finished.folder / "model-best" / "meta.json").stat() == before


def test_run_may_be_resumed_elsewhere_and_with_another_logger(
    tiny_config: Config, finished: FinishedRun, tmp_path: Path
) -> None:
    stop_in_round(tiny_config, tmp_path, 1)
    executed = {"adak.executor": "joblib", "adak.n_jobs": 1}
    other = with_settings(tiny_config, **executed)
    other["training"]["logger"] = {
        "@loggers": "spacy.ConsoleLogger.v3",
        "progress_bar": None,
        "console_output": False,
        "output_file": str(tmp_path / "log.jsonl"),
    }
    train(other, tmp_path, resume=True)
    assert (tmp_path / "log.jsonl").exists()
    assert load_config(tmp_path / "config.cfg")["adak"]["executor"] == "joblib"
    assert model_bytes(tmp_path / "model-best") == model_bytes(
        finished.folder / "model-best"
    )


@pytest.mark.parametrize(
    "labels",
    [
        None,
        {"@readers": "spacy.read_labels.v1", "path": "no_such_file", "require": False},
    ],
)
def test_labels_of_the_config_may_be_none(
    tiny_config: Config, finished: FinishedRun, tmp_path: Path, labels: object
) -> None:
    settings = {"adak.rounds": 1, "training.max_steps": 1}
    config = with_settings(tiny_config, **settings)
    config["initialize"] = {"components": {"adak_ner": {"labels": labels}}}
    nlp, _ = train(config, tmp_path)
    assert nlp.pipe_labels["adak_ner"] == finished.nlp.pipe_labels["adak_ner"]


def test_finished_run_that_is_resumed_stays_as_it_is(finished: FinishedRun) -> None:
    before = (finished.folder / "model-best" / "meta.json").stat()
    nlp, history = train(finished.config, finished.folder, resume=True)
    assert history == finished.history
    assert nlp.pipe_names == ["adak_ner"]
    assert (finished.folder / "model-best" / "meta.json").stat() == before


def test_run_stops_when_q_has_converged(tiny_config: Config, tmp_path: Path) -> None:
    settings = {"adak.convergence": 1.0, "adak.rounds": 5}
    _, history = train(with_settings(tiny_config, **settings), tmp_path)
    # The first round has nothing to be compared with.
    assert len(history) == 2


def test_run_stops_when_dev_no_longer_improves(
    tiny_config: Config, tmp_path: Path
) -> None:
    settings = {
        "adak.patience": 1,
        "adak.rounds": 5,
        # Nothing is learnt, so that all rounds have the same score.
        "training.optimizer.learn_rate": 0.0,
    }
    _, history = train(with_settings(tiny_config, **settings), tmp_path)
    assert [round_.is_best for round_ in history] == [True, False]


def test_patience_of_none_goes_on(one_round: FinishedRun, tmp_path: Path) -> None:
    config = make_config(**{**TINY, "adak.patience": 0, "adak.rounds": 5})
    (first,) = one_round.history
    rounds = [
        first._replace(round=number, changed=0.1, is_best=number == 1)
        for number in range(1, 5)
    ]
    srsly.write_jsonl(tmp_path / "history.jsonl", [r._asdict() for r in rounds])
    assert not run_in(tmp_path, config).has_all_rounds()
    config["adak"]["patience"] = 3
    assert run_in(tmp_path, config).has_all_rounds()
    config["adak"]["patience"] = 4
    assert not run_in(tmp_path, config).has_all_rounds()


def run_in(folder: Path, config: Config) -> Run:
    interpolated = config.interpolate()
    return Run(
        folder=folder,
        config_path=folder / "config.cfg",
        config=interpolated,
        settings=read_settings(interpolated),
        component="adak_ner",
        use_gpu=-1,
        code_path=None,
    )


def test_quick_run_has_one_round(tiny_config: Config, tmp_path: Path) -> None:
    _, history = train(tiny_config, tmp_path, quick=True)
    assert len(history) == 1
    # Trainings that are shorter already stay so.
    assert load_config(tmp_path / "config.cfg")["training"]["max_epochs"] == 1


# Disks


def test_full_disk_leaves_what_was_finished(
    finished: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = spacy.Language.to_disk

    def fill_disk(nlp: spacy.Language, path: Path, **kwargs: Any) -> None:
        if "fold-1" in str(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        save(nlp, path, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(spacy.Language, "to_disk", fill_disk)
        with pytest.raises(OSError, match=r"\[A205\].*No space left.*--resume"):
            train(finished.config, tmp_path)
    round_folder = tmp_path / "round-01"
    assert (round_folder / "fold-0" / "model-best").is_dir()
    assert not list(tmp_path.rglob("*.tmp"))
    train(finished.config, tmp_path, resume=True)
    assert model_bytes(tmp_path / "model-best") == model_bytes(
        finished.folder / "model-best"
    )


def test_folder_that_cannot_be_made(tiny_config: Config, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"\[A227\]"):
        train(tiny_config, tmp_path / "file" / "output")


def test_folder_that_is_read_only(
    tiny_config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(tmp_path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OSError, match=r"\[A227\].*Read-only"):
        train(tiny_config, tmp_path / "output")


def test_error_in_a_training_names_it_and_its_log(
    tiny_config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("diverged")

    monkeypatch.setattr(training, "train_nlp", fail)
    with pytest.raises(
        ValueError, match=r"(?s)\[A206\].*'round 1, fold 1 of 2'.*fold-0.log.*diverged"
    ):
        train(tiny_config, tmp_path)


# Baselines


@pytest.mark.parametrize("loss", ["crf", "fuzzy", "ratio", "missing"])
def test_losses_without_q_are_one_training(
    tiny_config: Config, tmp_path: Path, loss: str
) -> None:
    config = with_settings(tiny_config, **loss_override(loss))
    _, history = train(config, tmp_path)
    assert len(history) == 1
    assert spacy.load(tmp_path / "model-best").pipe_names == ["adak_ner"]
    assert not (tmp_path / "train-completed.spacy").exists()


def test_weighted_estimates_q(tiny_config: Config, tmp_path: Path) -> None:
    config = with_settings(tiny_config, **loss_override("weighted"))
    _, history = train(config, tmp_path)
    assert len(history) == 2
    assert (tmp_path / "train-completed.spacy").exists()


@pytest.mark.parametrize("folds", [3])
def test_more_folds(tiny_config: Config, tmp_path: Path, folds: int) -> None:
    config = with_settings(tiny_config, **{"adak.folds": folds, "adak.rounds": 1})
    train(config, tmp_path)
    assert len(completed_docs(tmp_path)) == 40


@pytest.mark.parametrize("q", ["soft", "interpolated"])
def test_other_kinds_of_q(tiny_config: Config, tmp_path: Path, q: str) -> None:
    train(with_settings(tiny_config, **{"adak.q.mode": q}), tmp_path)
    assert len(completed_docs(tmp_path)) == 40


def test_paths_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_data(Path("data"))
    paths = {"paths.train": "data/train.spacy", "paths.dev": "data/dev.spacy"}
    config = make_config(**{**TINY, **paths, "adak.rounds": 1})
    config.to_disk("config.cfg")
    train("config.cfg", "output")
    assert spacy.load("output/model-best").pipe_names == ["adak_ner"]


def test_overrides_may_be_given_apart(tmp_path: Path) -> None:
    overrides = {**TINY, **write_data(tmp_path), "adak.rounds": 1}
    _, history = train(make_config(), tmp_path / "output", overrides=overrides)
    assert len(history) == 1


def test_override_that_does_not_exist_is_refused(
    tiny_config: Config, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"\[A219\]"):
        train(tiny_config, tmp_path, overrides={"trainin.dropout": 0.3})


@pytest.mark.parametrize("resume", [False, True])
def test_override_that_nothing_reads_is_refused(
    finished: FinishedRun, resume: bool
) -> None:
    overrides = {"paths.trian": "train.spacy"}
    with pytest.raises(ValueError, match=r"\[A102\].*Did you mean 'train'"):
        train(finished.config, finished.folder, overrides=overrides, resume=resume)
