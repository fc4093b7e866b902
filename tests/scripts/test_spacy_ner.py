from pathlib import Path

import pytest

from scripts.experiments.spacy_ner import ner_config

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("sample_cpu", ["ner"]),
        ("zh_frozen", ["ner"]),
        ("zh_bert", ["transformer", "ner"]),
    ],
)
def test_ner_takes_the_place_of_adak_ner_alone(name: str, pipeline: list[str]) -> None:
    config = ner_config(CONFIGS / f"{name}.cfg", {})
    assert config["nlp"]["pipeline"] == pipeline == list(config["components"])
    assert config["components"]["ner"]["factory"] == "ner"
    assert "adak" not in config
