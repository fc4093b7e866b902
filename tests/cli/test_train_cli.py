import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
from click.testing import Result
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import DocBin

from spacy_adak.cli.train import _foretold
from spacy_adak.run.train import is_stopped
from spacy_adak.tasks import progress, train_model
from tests.losses import loss_block
from tests.made_corpus import TINY, make_config, make_docs, write_data

Adak = Callable[..., Result]
forks = pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """Of a run of two short rounds."""
    make_config(**TINY).to_disk(tmp_path / "config.cfg")
    paths = write_data(tmp_path)
    return [
        str(tmp_path / "config.cfg"),
        "--output",
        str(tmp_path / "output"),
        *(part for name, path in paths.items() for part in (f"--{name}", path)),
    ]


def test_run_says_what_it_will_do_and_has_a_line_per_round(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    result = adak("train", *arguments)
    assert result.exit_code == 0, result.output
    assert "At most 2 rounds of 2 folds" in result.output
    assert "6 trainings in all" in " ".join(result.output.split())
    rows = re.findall(r"(?m)^ +(\d) +[\d.]+ ", result.output)
    assert rows == ["1", "2"]
    assert "model-best" in result.output
    assert spacy.load(tmp_path / "output" / "model-best").pipe_names == ["adak_ner"]


def test_titles_of_the_table_stand_over_its_first_line(
    adak: Adak, arguments: list[str]
) -> None:
    """The recall of the annotators is known after the run has begun."""
    learning = ["--adak.start.learn_from", "missing"]
    result = adak("train", *arguments, *learning, "--adak.rounds", 1)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    (titles,) = [i for i, line in enumerate(lines) if line.startswith("ROUND")]
    assert any("Annotators have marked" in line for line in lines[:titles])
    assert re.match(r" +1 ", lines[titles + 2])


def test_scores_without_dev_data_are_explained(
    adak: Adak, arguments: list[str]
) -> None:
    explained = "P and F are corrected for entities that nobody has marked"
    loss = ("--components.adak_ner.loss.@losses", "spacy-adak.MissingLoss.v1")
    recall = ("--components.adak_ner.loss.annotation_recall", 0.5)
    result = adak("train", *arguments, "--paths.dev", "null", *loss, *recall)
    assert result.exit_code == 0, result.output
    assert explained in " ".join(result.output.split())
    result = adak("train", *arguments, *loss, *recall)
    assert result.exit_code == 0, result.output
    assert explained not in " ".join(result.output.split())


def test_every_training_is_a_line_where_there_is_no_terminal(
    adak: Adak, arguments: list[str]
) -> None:
    result = adak("train", *arguments, "--adak.rounds", 1)
    lines = [line for line in result.stderr.splitlines() if "trained in" in line]
    assert [line.split(":")[0] for line in lines] == [
        "round 1, fold 1 of 2",
        "round 1, fold 2 of 2",
        "round 1",
    ]
    assert "left" in lines[0]


def test_verbose_shows_the_tables_of_the_standard_logger(
    adak: Adak, arguments: list[str]
) -> None:
    quiet = adak("train", *arguments, "--adak.rounds", 1)
    assert "ENTS_F" not in quiet.stderr
    verbose = adak("train", *arguments, "--adak.rounds", 1, "--verbose")
    assert "round 1, fold 2 of 2: E    #" in verbose.stderr


@pytest.mark.parametrize(
    "loss", ["crf", "fuzzy", "ratio", "missing", "weighted", "adak"]
)
def test_baselines_are_an_override_away(
    adak: Adak, arguments: list[str], loss: str, tmp_path: Path
) -> None:
    name = loss_block(loss)["@losses"]
    overrides = ("--components.adak_ner.loss.@losses", name, "--adak.rounds", 1)
    assert adak("train", *arguments, *overrides).exit_code == 0
    nlp = spacy.load(tmp_path / "output" / "model-best")
    assert nlp.config["components"]["adak_ner"]["loss"]["@losses"] == name
    assert (tmp_path / "output" / "report.html").exists()


def test_report_that_fails_does_not_fail_the_training(
    adak: Adak, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **settings: object) -> None:
        raise RuntimeError("no paper left")

    monkeypatch.setattr("spacy_adak.report.reported_run.write_report", fail)
    result = adak("train", *arguments, "--adak.rounds", 1)
    assert result.exit_code == 0
    output = " ".join(result.output.split())
    assert "[W402] The report of the run can't be written: no paper left" in output
    assert (tmp_path / "output" / "model-best").exists()


def test_resumed_run_tells_how_long_it_may_take() -> None:
    settings = SimpleNamespace(rounds=4)
    run = SimpleNamespace(settings=settings, has_all_rounds=lambda: False)
    history = [SimpleNamespace(seconds=100.0), SimpleNamespace(seconds=140.0)]
    assert "at most about 4 min" in _foretold(run, history)
    run.has_all_rounds = lambda: True
    assert _foretold(run, history) == ""


def test_report_is_written_again_when_a_run_is_resumed(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    adak("train", *arguments, "--adak.rounds", 1)
    report = tmp_path / "output" / "report.html"
    first = report.read_text(encoding="utf8")
    report.unlink()
    result = adak("train", *arguments, "--adak.rounds", 1, "--resume")
    assert result.exit_code == 0, result.output
    assert "report.html" in "".join(result.output.split())
    assert report.read_text(encoding="utf8") == first


def test_problems_are_listed_without_a_traceback(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    overrides = ("--adak.q.mode", "harder", "--paths.dev", "nowhere.spacy")
    result = adak("train", *arguments, *overrides)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert "[A207]" in result.output
    for code in ("A201", "A218"):
        assert f"\n- [{code}]" in result.output
    assert not (tmp_path / "output" / "corpus").exists()


def test_incomplete_dev_data_is_refused_if_strict(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    docs = [*make_docs(20), *make_docs(3, keep=0.5)]
    DocBin(docs=docs).to_disk(tmp_path / "dev.spacy")
    result = adak("train", *arguments, "--strict")
    assert result.exit_code == 1
    assert "- [A216] 3 of the 23" in result.output
    result = adak("train", *arguments, "--adak.rounds", 1)
    assert result.exit_code == 0
    assert "[W201] 3 of the 23" in result.output


@pytest.fixture
def in_terminal(arguments: list[str]) -> Iterator[Callable[..., "Terminal"]]:
    """Start `adak train` in a terminal of its own."""
    terminals: list[Terminal] = []

    def start(*more: str) -> Terminal:
        terminals.append(Terminal(["adak", "train", *arguments, *more]))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


class Terminal:
    """A command in a terminal, in a process that shares what is imported already."""

    def __init__(self, command: list[str]) -> None:
        self.process, self.terminal = pty.fork()
        self.output = ""
        if not self.process:
            code = 1
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                sys.stdin, sys.stdout, sys.stderr = (
                    os.fdopen(number, mode, closefd=False)
                    for number, mode in enumerate(("r", "w", "w"))
                )
                app(command)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            finally:
                sys.stdout.flush()
                os._exit(code)

    def press(self, keys: str) -> None:
        # An interrupt between a question and the wait for its answer would be noticed
        # only with the next one.
        time.sleep(_SECONDS_TO_READ)
        os.write(self.terminal, keys.encode())

    def read_until(self, pattern: str) -> None:
        while not re.search(pattern, self.output) and self._read():
            pass
        assert re.search(pattern, self.output)

    def exit_code(self) -> int:
        while self._read():
            pass
        _, status = os.waitpid(self.process, 0)
        self.process = 0
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> bool:
        assert select.select([self.terminal], [], [], 600)[0], self.output
        try:
            data = os.read(self.terminal, 2**16)
        except OSError:  # the process has ended
            return False
        self.output += data.decode(errors="replace")
        return bool(data)

    def close(self) -> None:
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)


_SECONDS_TO_READ = 0.5
CTRL_C = "\x03"
IN_SECOND_ROUND = "in the second round"


@pytest.fixture
def stays_in_second_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second round never ends."""
    train_nlp = train_model.train_nlp

    def stay(nlp: Language, output: Path, **kwargs: Any) -> None:
        if "round-02" in str(output):
            print(IN_SECOND_ROUND, flush=True)
            time.sleep(600)
        train_nlp(nlp, output, **kwargs)

    monkeypatch.setattr(train_model, "train_nlp", stay)


in_second_round = pytest.mark.usefixtures("stays_in_second_round")


@forks
@in_second_round
def test_first_interrupt_offers_to_finish(
    in_terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    terminal = in_terminal()
    terminal.read_until(IN_SECOND_ROUND)
    terminal.press(CTRL_C)
    terminal.read_until("End the run with its best model so far")
    terminal.press("y\n")
    assert terminal.exit_code() == 0, terminal.output
    assert "Best model: round" in terminal.output
    assert (tmp_path / "output" / "train-completed.spacy").exists()
    assert not is_stopped(tmp_path / "output")


@forks
@in_second_round
@pytest.mark.parametrize("answer", ["n\n", CTRL_C])
def test_run_that_is_not_to_be_finished_stays_stopped(
    in_terminal: Callable[..., Terminal], tmp_path: Path, answer: str
) -> None:
    terminal = in_terminal()
    terminal.read_until(IN_SECOND_ROUND)
    terminal.press(CTRL_C)
    terminal.read_until("End the run with its best model so far")
    terminal.press(answer)
    assert terminal.exit_code() == 130, terminal.output
    assert "--resume" in terminal.output
    assert "--finish" in terminal.output
    assert is_stopped(tmp_path / "output")


@forks
@in_second_round
def test_second_interrupt_stops_at_once(
    in_terminal: Callable[..., Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    end = progress._Watch._look

    def slow(watch: progress._Watch) -> None:
        # What the first interrupt has interrupted takes its time to end.
        if sys.exc_info()[0] is KeyboardInterrupt:
            print("it takes its time", flush=True)
            time.sleep(600)
        end(watch)

    monkeypatch.setattr(progress._Watch, "_look", slow)
    terminal = in_terminal()
    terminal.read_until(IN_SECOND_ROUND)
    terminal.press(CTRL_C)
    terminal.read_until("it takes its time")
    terminal.press(CTRL_C)
    assert terminal.exit_code() == 130, terminal.output
    assert "End the run" not in terminal.output
    assert "--finish" in terminal.output


def test_stopped_run_is_finished_by_an_option(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    assert adak("train", *arguments, "--adak.rounds", 1).exit_code == 0
    (tmp_path / "output" / "model-best" / "meta.json").unlink()
    (tmp_path / "output" / "published.json").unlink()
    result = adak("train", *arguments, "--finish")
    assert result.exit_code == 0, result.output
    assert "Best model: round 1" in result.output
    assert spacy.load(tmp_path / "output" / "model-best").pipe_names == ["adak_ner"]


def test_settings_that_keep_a_run_from_going_on_are_listed(
    adak: Adak, arguments: list[str]
) -> None:
    adak("train", *arguments, "--adak.rounds", 1)
    result = adak("train", *arguments, "--resume", "--adak.folds", 3)
    assert result.exit_code == 1
    assert "\n- adak.folds: 2, now 3\n" in result.output


@pytest.mark.slow
def test_interrupt_ends_cleanly_and_tells_how_to_resume(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", "spacy", "adak", "train", *arguments]
    # So many that it has not ended before.
    command += ["--adak.rounds", "50"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": root},
        # A shell that runs the tests in the background has it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        text=True,
    ) as process:
        log = tmp_path / "output" / "round-01" / "fold-1.log"
        while not log.exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert process.returncode == 130
    assert "--resume" in output
    assert "Traceback" not in output
    assert "A203" in adak("train", *arguments).output
    result = adak("train", *arguments, "--resume")
    assert result.exit_code == 0, result.output
