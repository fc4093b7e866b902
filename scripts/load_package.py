"""Load a packaged pipeline by its name, without installing it, and let it read.

    python scripts/load_package.py packages/sample corpus/sample/test.spacy out.jsonl

Unpacks the wheel to where Python looks for packages, which is all that pip would do
with it, and writes the entities of some sentences with their probabilities.
"""

import argparse
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.vocab import Vocab
from wasabi import msg

from spacy_adak.atomic import write_bytes
from spacy_adak.data.docbin import read_docbin
from spacy_adak.data.files import to_jsonl

SENTENCES = 8


def find_entities(nlp: Language, texts: list[str]) -> Iterator[dict[str, Any]]:
    """YIELDS (dict): A text, and its entities with labels and probabilities."""
    for doc in nlp.pipe(texts):
        group = doc.spans["adak_ner"]
        yield {
            "text": doc.text,
            "entities": [
                {
                    "text": span.text,
                    "label": span.label_,
                    "probability": round(float(score), 3),
                }
                for span, score in zip(group, group.attrs["scores"], strict=True)
            ],
        }


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", type=Path, help="What the package was built in")
    parser.add_argument("data", type=Path, help="A .spacy file with texts to read")
    parser.add_argument("output", type=Path, help="The .jsonl file to write")
    arguments = parser.parse_args()
    wheels = list(arguments.packages.glob("*/dist/*.whl"))
    if not wheels:
        msg.fail(
            f"No wheel in '{arguments.packages}'",
            "`python -m spacy adak package` builds one",
            exits=1,
        )
    wheel = max(wheels, key=lambda path: path.stat().st_mtime)
    docs = read_docbin(arguments.data, Vocab())
    texts = [doc.text for doc in docs if doc.ents][:SENTENCES]
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        sys.path.insert(0, folder)
        nlp = spacy.load(wheel.name.split("-")[0])
        entities = to_jsonl(find_entities(nlp, texts))
        write_bytes(arguments.output, entities.encode())


if __name__ == "__main__":
    main()
