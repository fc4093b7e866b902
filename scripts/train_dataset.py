"""Do what `python -m spacy adak train` does with the config for a dataset, and resume a
training that was stopped.

python scripts/train_dataset.py youku cpu --output training --paths.train train.spacy
"""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

# Python puts the folder of the script in front, and not that of the project.
sys.path.insert(0, str(Path(__file__).parent.parent))

from scripts.datasets import config_path
from spacy_adak.run.train import is_stopped


def main() -> None:
    """Read the command line."""
    parser = ArgumentParser(
        usage="%(prog)s DATASET CONFIG --output OUTPUT [what `adak train` takes]",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("dataset", help="sample, conll2003, taobao or youku")
    parser.add_argument("config", help="cpu, frozen or bert")
    parser.add_argument("--recipe", default="best", help="best or paper")
    parser.add_argument(
        "--output", type=Path, required=True, help="the folder of the training"
    )
    arguments, others = parser.parse_known_args()
    try:
        config = config_path(
            arguments.dataset, arguments.config, recipe=arguments.recipe
        )
    except ValueError as error:
        parser.error(str(error))
    output = ["--output", str(arguments.output)]
    command = [sys.executable, "-m", "spacy", "adak", "train", str(config), *output]
    command += others
    if is_stopped(arguments.output):
        command.append("--resume")
    # In the place of this process, so that Ctrl-C reaches it alone.
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
