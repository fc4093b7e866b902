import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from click.testing import Result
from spacy.tokens import DocBin

from tests.made_corpus import TINY, make_config, make_docs, write_data

Adak = Callable[..., Result]


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
    assert "Up to 2 rounds of 2 folds" in result.output
    assert "6 trainings at most" in " ".join(result.output.split())
    rows = re.findall(r"(?m)^ +(\d) +[\d.]+ ", result.output)
    assert rows == ["1", "2"]
    assert "model-best" in result.output
    assert spacy.load(tmp_path / "output" / "model-best").pipe_names == ["adak_ner"]


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
    overrides = ("--components.adak_ner.loss", loss, "--adak.rounds", 1)
    assert adak("train", *arguments, *overrides).exit_code == 0
    nlp = spacy.load(tmp_path / "output" / "model-best")
    assert nlp.config["components"]["adak_ner"]["loss"] == loss


def test_problems_are_listed_without_a_traceback(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    overrides = ("--adak.q", "harder", "--paths.dev", "nowhere.spacy")
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
    docs = [*make_docs(5), *make_docs(3, keep=0.5)]
    DocBin(docs=docs).to_disk(tmp_path / "dev.spacy")
    result = adak("train", *arguments, "--strict")
    assert result.exit_code == 1
    assert "- [A216] 3 of the 8" in result.output
    result = adak("train", *arguments, "--adak.rounds", 1)
    assert result.exit_code == 0
    assert "[W201] 3 of the 8" in result.output


def test_interrupt_ends_cleanly_and_tells_how_to_resume(
    adak: Adak, arguments: list[str], tmp_path: Path
) -> None:
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", "spacy", "adak", "train", *arguments]
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
