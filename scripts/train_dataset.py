"""Do what `python -m spacy adak train` does, and resume a training that was stopped.

python scripts/train_dataset.py config.cfg --output training --paths.train train.spacy
"""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

from spacy_adak.run.train import is_stopped


def main() -> None:
    """Read the command line."""
    parser = ArgumentParser(
        usage="%(prog)s config.cfg --output OUTPUT [what `adak train` takes]",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="the folder of the training"
    )
    arguments, _ = parser.parse_known_args()
    command = [sys.executable, "-m", "spacy", "adak", "train", *sys.argv[1:]]
    if is_stopped(arguments.output):
        command.append("--resume")
    # In the place of this process, so that Ctrl-C reaches it alone.
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
