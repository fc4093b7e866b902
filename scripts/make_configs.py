"""Write the configs of the project: what `adak init-config` makes, for each language.

    python scripts/make_configs.py               # writes configs/*.cfg
    python scripts/make_configs.py -o elsewhere

`<language>_cpu.cfg` trains a small network. `<language>_frozen.cfg` trains one on the
BERT of the paper, which stays as it is. `<language>_bert.cfg` fine-tunes that BERT and
needs a GPU. Each is the recipe "best"; with `_paper` behind its name it is the recipe
"paper", AdaK-NER with the paper's settings. The sample has configs of its own, made to
be finished in minutes on two cores. `datasets.py` says which dataset has which
language.
"""

import argparse
import sys
from pathlib import Path

# Python puts the folder of the script in front, and not that of the project.
sys.path.insert(0, str(Path(__file__).parent.parent))

from scripts.datasets import config_name
from spacy_adak.atomic import write_bytes
from spacy_adak.run.init_config import RECIPES, init_config, with_settings

ENCODERS = {"en": "bert-base-cased", "zh": "hfl/chinese-bert-wwm"}
# Shorter trainings than the default, and fewer of them.
SAMPLE_SETTINGS = {
    "max_epochs = 10": "max_epochs = 8",
    "eval_frequency = 200": "eval_frequency = 50",
}
SAMPLE_ROUNDS = {"rounds = 10": "rounds = 3"}


def make_configs() -> dict[str, str]:
    """RETURNS (dict[str, str]): The text of each config by its name."""
    configs = {}
    for recipe in RECIPES:
        configs[config_name("sample", "cpu", recipe)] = sample_config(recipe)
        for lang, encoder in ENCODERS.items():
            for kind, text in (
                ("cpu", init_config(lang, recipe=recipe)),
                ("frozen", init_config(lang, encoder=encoder, recipe=recipe)),
                ("bert", init_config(lang, gpu=True, recipe=recipe)),
            ):
                configs[config_name(lang, kind, recipe)] = text
    return configs


def sample_config(recipe: str) -> str:
    """RETURNS (str): The config of a recipe with the settings of the sample."""
    rounds = SAMPLE_ROUNDS if recipe == "paper" else {}
    text = init_config("en", recipe=recipe)
    return with_settings(text, {**SAMPLE_SETTINGS, **rounds})


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("configs"))
    folder = parser.parse_args().output
    for name, text in make_configs().items():
        write_bytes(folder / f"{name}.cfg", text.encode())


if __name__ == "__main__":
    main()
