"""project.yml names what is there."""

import re
from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.util import load_config
from weasel.schemas import ProjectConfigSchema, validate
from weasel.util import load_project_config

from scripts.datasets import config_path
from scripts.make_configs import make_configs
from spacy_adak.q.adak_block import read_settings
from spacy_adak.run.preflight import adak_components

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = srsly.read_yaml(ROOT / "project.yml")
COMMANDS = {command["name"]: command for command in PROJECT["commands"]}
DATASETS = ("sample", "conll2003", "taobao", "youku")
# What no command makes has to be there from the start.
MADE = ("corpus/", "training/", "metrics/", "experiments/")
RESULTS = "experiments/full/results.jsonl"


def test_weasel_finds_no_fault() -> None:
    assert validate(ProjectConfigSchema, PROJECT) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_help_and_files_it_depends_on(name: str) -> None:
    assert COMMANDS[name]["help"]
    assert COMMANDS[name]["deps"]


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_script_and_config_exists(dataset: str) -> None:
    config = load_project_config(ROOT, overrides={"vars.dataset": dataset})
    for command in config["commands"]:
        for line in command["script"]:
            for module in re.findall(r"-m (scripts\.[\w.]+)", line):
                assert (ROOT / f"{module.replace('.', '/')}.py").exists()
            for path in re.findall(r"\b(?:scripts|configs)/\S+", line):
                assert (ROOT / path).exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_what_no_command_makes_is_there(name: str) -> None:
    (command,) = (c for c in load_project_config(ROOT)["commands"] if c["name"] == name)
    for path in command["deps"]:
        assert path.startswith(MADE) or (ROOT / path).is_file()


def test_what_a_workflow_needs_is_made_before() -> None:
    config = load_project_config(ROOT)
    commands = {command["name"]: command for command in config["commands"]}
    for steps in config["workflows"].values():
        made: set[str] = set()
        for step in steps:
            command = commands[step]
            needed = {path for path in command["deps"] if path.startswith(MADE)}
            assert needed <= made
            made |= {*command.get("outputs", []), *command.get("outputs_no_cache", [])}
            if step.startswith("run-"):
                made.add(RESULTS)


def test_dvc_does_not_remove_results_of_experiments() -> None:
    for command in load_project_config(ROOT)["commands"]:
        outputs = [*command.get("outputs", []), *command.get("outputs_no_cache", [])]
        assert RESULTS not in outputs


@pytest.mark.parametrize("name", ["package", "write-tables", "write-figures"])
def test_command_that_can_not_name_all_its_files_is_never_skipped(name: str) -> None:
    assert COMMANDS[name]["no_skip"]


def test_every_variable_is_used() -> None:
    text = (ROOT / "project.yml").read_text(encoding="utf8")
    for name in PROJECT["vars"]:
        assert f"${{vars.{name}}}" in text


def test_assets_have_checksums() -> None:
    assert len(PROJECT["assets"]) == 9
    assert all(re.fullmatch("[0-9a-f]{32}", a["checksum"]) for a in PROJECT["assets"])


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.cfg")), ids=str)
def test_config_is_what_init_config_makes(path: Path) -> None:
    made = make_configs()
    assert path.read_text(encoding="utf8") == made[path.stem], (
        "`python -m scripts.make_configs` writes it"
    )


def test_there_is_a_config_and_a_meta_for_every_dataset() -> None:
    for dataset in DATASETS:
        assert config_path(dataset, "cpu", ROOT).exists()
        meta = srsly.read_json(ROOT / "configs" / "meta" / f"{dataset}.json")
        assert meta["name"].startswith("adak_")
        assert meta["license"]


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.cfg")), ids=str)
def test_config_can_be_trained(path: Path) -> None:
    config = load_config(path, interpolate=True)
    assert adak_components(config) == ["adak_ner"]
    assert read_settings(config).folds == config["adak"]["folds"]


@pytest.mark.parametrize(
    ("name", "encoder", "learn_rate", "window"),
    [
        ("conll2003", "bert-base-cased", 0.0002, 256),
        ("taobao", "hfl/chinese-bert-wwm", 0.0001, 180),
        ("youku", "hfl/chinese-bert-wwm", 0.0001, 180),
    ],
)
def test_bert_configs_have_the_settings_of_the_paper(
    name: str, encoder: str, learn_rate: float, window: int
) -> None:
    path = config_path(name, "bert", ROOT, recipe="paper")
    config = load_config(path, interpolate=True)
    transformer = config["components"]["transformer"]["model"]
    assert transformer["name"] == encoder
    assert transformer["get_spans"]["window"] == window
    assert config["training"]["optimizer"]["learn_rate"] == learn_rate
    assert config["training"]["batcher"]["size"] == 32
    assert config["training"]["max_epochs"] == 10
    loss = config["components"]["adak_ner"]["loss"]
    assert (loss["k"], loss["gamma"]) == (5, 3.0)
    settings = read_settings(config)
    assert (settings.rounds, settings.folds, settings.q.mode) == (10, 2, "hard")
