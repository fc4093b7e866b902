import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from spacy_adak.tasks import progress
from spacy_adak.tasks.blueprint import Blueprint
from spacy_adak.tasks.encode_texts import EncodingTask
from spacy_adak.tasks.executors import Executor, Task
from spacy_adak.tasks.progress import (
    Stopwatch,
    describe_seconds,
    watched,
    work_of_training,
)
from spacy_adak.tasks.train_model import TrainingTask


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is, to be changed by tests."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("folds", "at_once", "expected"),
    [(1, 1, 1.0), (2, 1, 0.5), (2, 2, 0.25), (5, 1, 0.8), (5, 2, 0.48)],
)
def test_work_of_a_training(folds: int, at_once: int, expected: float) -> None:
    assert work_of_training(folds, at_once) == pytest.approx(expected)


def test_nothing_is_foretold_before_the_first_training(clock: list[float]) -> None:
    watch = Stopwatch(rounds=3, folds=2, at_once=1)
    assert watch.seconds_left() is None


def test_estimate_after_the_first_fold(clock: list[float]) -> None:
    watch = Stopwatch(rounds=3, folds=2, at_once=1)
    clock[0] = 10.0
    watch.count(0.5)
    # Six units of work in all, of which half a unit took ten seconds.
    assert watch.seconds_left() == pytest.approx(5.5 * 20)


def test_estimate_from_a_part_of_the_first_training(clock: list[float]) -> None:
    watch = Stopwatch(rounds=3, folds=2, at_once=1)
    clock[0] = 3.0
    assert watch.seconds_left(begun=0.1) == pytest.approx(5.9 * 30)


def test_estimate_is_corrected_as_it_goes(clock: list[float]) -> None:
    watch = Stopwatch(rounds=3, folds=2, at_once=1)
    watch.count(0.5)
    clock[0] = 60.0
    watch.count(0.5)
    assert watch.seconds_left() == pytest.approx(5 * 60)


def test_what_was_done_before_a_stop_says_nothing_about_speed(
    clock: list[float],
) -> None:
    watch = Stopwatch(rounds=1, folds=2, at_once=1)
    watch.skip(0.5)
    assert watch.seconds_left() is None
    clock[0] = 10.0
    watch.count(0.5)
    assert watch.seconds_left() == pytest.approx(20)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (89, "89 s"), (120, "2 min"), (4800, "1 h 20 min")],
)
def test_seconds_are_described(seconds: float, text: str) -> None:
    assert describe_seconds(seconds) == text


def make_blueprint(folder: Path) -> Blueprint:
    return Blueprint(
        config_path=folder / "config.cfg",
        corpus=folder / "corpus",
        dev_path=folder / "dev.spacy",
        seed=0,
        use_gpu=-1,
        code_path=None,
        without_fold=0,
    )


def make_task(folder: Path, name: str = "fold 1") -> TrainingTask:
    return TrainingTask(
        name=name,
        blueprint=make_blueprint(folder),
        loss=None,
        has_word_features=True,
        output=folder / name,
    )


@pytest.fixture
def wait_for_look(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Wait until a watch has looked at what there is now."""
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LOOKS", 0.001)
    look, looks, has_looked = progress._Watch._look, [0], threading.Condition()

    def count(watch: progress._Watch) -> None:
        look(watch)
        with has_looked:
            looks[0] += 1
            has_looked.notify_all()

    monkeypatch.setattr(progress._Watch, "_look", count)

    def wait() -> None:
        with has_looked:
            # One look may have begun before.
            enough = looks[0] + 2
            assert has_looked.wait_for(lambda: looks[0] >= enough, timeout=120)

    return wait


@pytest.fixture
def train(clock: list[float], wait_for_look: Callable[[], None]) -> Executor:
    """Pretend to train, each time for ten seconds."""

    def pretend(tasks: Sequence[Task]) -> None:
        for task in tasks:
            assert isinstance(task, TrainingTask)
            task.log_path.write_text("E    #\n")
            task.progress_path.write_text(json.dumps({"step": 0, "total": 40}))
            wait_for_look()
            clock[0] += 10.0
            task.progress_path.write_text(json.dumps({"step": 20, "total": 40}))
            wait_for_look()
            task.output.mkdir()
            wait_for_look()

    return pretend


def test_without_a_terminal_there_is_one_line_per_training(
    train: Executor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [make_task(tmp_path, f"fold {i}") for i in (1, 2)]
    watch = Stopwatch(rounds=1, folds=2, at_once=1)
    watched(train, watch, show=True, follow_logs=False)(tasks)
    _, *lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "fold 1: trained in 10 s; at most 30 s left",
        "fold 2: trained in 10 s; at most 20 s left",
    ]


def test_time_of_the_run_is_told_once_after_some_steps(
    train: Executor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [make_task(tmp_path, f"fold {i}") for i in (1, 2)]
    watch = Stopwatch(rounds=6, folds=2, at_once=1)
    watched(train, watch, show=True, follow_logs=False)(tasks)
    first, *rest = capsys.readouterr().err.splitlines()
    # Half of the first of its trainings, with half of the data, took ten seconds.
    assert first == "At this speed the run takes at most 8 min"
    assert not [line for line in rest if "At this speed" in line]


@pytest.mark.usefixtures("wait_for_look")
def test_encoding_of_texts_is_no_part_of_the_time_foretold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "frozen").mkdir()
    task = EncodingTask(make_blueprint(tmp_path), files=(), part=0, parts=2)

    def pretend_to_encode(tasks: Sequence[Task]) -> None:
        task.log_path.touch()
        task.output.touch()

    watch = Stopwatch(rounds=1, folds=2, at_once=1)
    started = watch.started
    watched(pretend_to_encode, watch, show=True, follow_logs=False)([task])
    assert capsys.readouterr().err == "texts, part 1 of 2: encoded in 0 s\n"
    assert watch.started > started
    assert watch.seconds_left() is None


def test_on_a_terminal_there_are_bars(
    train: Executor,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    watch = Stopwatch(rounds=1, folds=2, at_once=1)
    watch.is_announced = True
    watched(train, watch, show=True, follow_logs=False)([make_task(tmp_path)])
    shown = capsys.readouterr().err
    assert "20/40" in shown
    assert "\n" not in shown.strip()


def test_logs_are_followed_if_asked_for(
    train: Executor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watch = Stopwatch(rounds=1, folds=2, at_once=1)
    watched(train, watch, show=False, follow_logs=True)([make_task(tmp_path)])
    assert capsys.readouterr().err.splitlines() == ["fold 1: E    #"]


def test_log_that_is_cut_within_a_character_is_followed_when_it_is_whole(
    wait_for_look: Callable[[], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = "✔ first\n✔ second\n".encode()
    cut = log.rindex("✔".encode()) + 1

    def write_in_two_parts(tasks: Sequence[Task]) -> None:
        (task,) = tasks
        assert isinstance(task, TrainingTask)
        task.log_path.write_bytes(log[:cut])
        wait_for_look()
        task.log_path.write_bytes(log)

    watch = Stopwatch(rounds=1, folds=2, at_once=1)
    watched(write_in_two_parts, watch, show=False, follow_logs=True)(
        [make_task(tmp_path)]
    )
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["fold 1: ✔ first", "fold 1: ✔ second"]


def test_nothing_is_shown_unless_asked_for(
    train: Executor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watch = Stopwatch(rounds=1, folds=2, at_once=1)
    watched(train, watch, show=False, follow_logs=False)([make_task(tmp_path)])
    assert capsys.readouterr().err == ""
