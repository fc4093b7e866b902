"""What libraries print past Python does not reach the terminal, and warnings of this
package are messages."""

import os
import subprocess
import sys
import warnings

import pytest

from spacy_adak.cli.notices import without_notices

SCRIPT = """
import subprocess
import sys
from contextlib import nullcontext
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from spacy_adak.cli.notices import without_notices

if sys.argv[2] == "early":
    import transformers
with without_notices() if sys.argv[1] == "without" else nullcontext():
    print("before")
    Tokenizer(WordLevel({"a": 0, "b": 2}, "a")).to_str()
    import transformers
    transformers.utils.logging.get_logger("transformers").warning("newly initialized")
    subprocess.run([sys.executable, "-c", "print('worker')"], check=True)
    print("within")
print("after")
"""


def run(how: str, when: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, how, when]
    environment = {k: v for k, v in os.environ.items() if "VERBOSITY" not in k}
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    )


@pytest.mark.parametrize("when", ["early", "late"])
def test_only_what_python_prints_is_left(when: str) -> None:
    """Also if another package has imported transformers before."""
    with_notices = run("with", when)
    assert "contains holes" in with_notices.stdout
    assert "newly initialized" in with_notices.stderr
    without = run("without", when)
    assert without.stdout.split() == ["before", "within", "after"]
    assert "newly initialized" not in without.stderr


def test_all_is_restored_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    stdout = sys.stdout
    environment = dict(os.environ)
    with pytest.raises(KeyError), without_notices():
        raise KeyError
    assert sys.stdout is stdout
    assert os.environ == environment
    subprocess.run([sys.executable, "-c", "print('again')"], check=True)
    assert capfd.readouterr().out == "again\n"


def test_process_without_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with without_notices():
        assert sys.stdout is None
    assert sys.stdout is None


def test_warnings_are_messages_without_a_line_of_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with without_notices():
        warnings.warn("[W210] There is no dev data.", UserWarning, stacklevel=2)
    output = capsys.readouterr()
    assert "[W210] There is no dev data." in output.out
    assert "UserWarning" not in output.out + output.err
