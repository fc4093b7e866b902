import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.made_corpus import write_data

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return write_data(tmp_path_factory.mktemp("data"))


def test_files_are_checked(adak: Run, data: dict[str, str]) -> None:
    paths = (data["paths.train"], "--dev", data["paths.dev"])
    result = adak("debug-data", *paths)
    assert result.exit_code == 0, result.stdout
    assert "The training data has" in result.stdout
    found = json.loads(adak("debug-data", *paths, "--json").stdout)["findings"]
    assert {"training_contents", "dev_contents", "recall"} <= {f["name"] for f in found}


def test_data_of_a_config_is_checked(
    adak: Run, data: dict[str, str], tmp_path: Path
) -> None:
    config = tmp_path / "config.cfg"
    assert adak("init-config", config).exit_code == 0
    overrides = [x for name, path in data.items() for x in (f"--{name}", path)]
    result = adak("debug-data", config, *overrides, "--json")
    assert result.exit_code == 0, result.stdout
    assert json.loads(result.stdout)["findings"]
    without_dev = adak("debug-data", config, *overrides[:2], "--json")
    assert without_dev.exit_code == 0, without_dev.stdout
    names = {f["name"] for f in json.loads(without_dev.stdout)["findings"]}
    assert "training_contents" in names
    assert "dev_contents" not in names
    missing = adak("debug-data", config)
    assert missing.exit_code == 1
    assert "[A218]" in missing.stdout


def test_exit_code_tells_the_level(adak: Run, tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    record = {"text": "Ann slept", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    path.write_text(json.dumps(record) + "\n")
    command = ("debug-data", path, "-u", "missing")
    assert adak(*command).exit_code == 0
    assert adak(*command, "--fail-on", "warning").exit_code == 1
    other = record | {
        "text": "Ben slept",
        "spans": [{**record["spans"][0], "label": "per"}],
    }
    path.write_text(f"{json.dumps(record)}\n{json.dumps(other)}\n")
    assert adak(*command).exit_code == 1
    assert adak(*command, "--fail-on", "never").exit_code == 0


def test_wrong_options_are_refused(adak: Run, data: dict[str, str]) -> None:
    train = data["paths.train"]
    assert adak("debug-data", train, "--fail-on", "maybe").exit_code == 2
    assert adak("debug-data", train, "--no.such", "1").exit_code == 2
