"""Convert a dataset of the project to spaCy's binary format, with complete annotations.

    python scripts/prepare_data.py sample
    python scripts/prepare_data.py youku --local-data ../datasets

The sample is part of the project (`assets/`). The files of the other datasets are
looked for in `data/<dataset>`, where `python -m spacy project assets` puts them, or
copied there from a folder with a subfolder for each dataset. Their checksums are those
in `project.yml`.

The two Chinese datasets name their entity types otherwise than the paper does. They get
the names of the paper, by the table in `DATASETS`.
"""

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import srsly
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from wasabi import msg
from weasel.util import get_checksum

from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin, write_docbin

SPLITS = ("train", "dev", "test")


class Dataset(NamedTuple):
    """A dataset, the folder that it has where it comes from, and the names that the
    paper gives to its entity types."""

    lang: str
    folder: str
    labels: dict[str, str]


DATASETS = {
    "conll2003": Dataset("en", "conll2003", {}),
    "taobao": Dataset(
        "zh", "ecommerce", {"HCCX": "PRODUCT", "HPPX": "BRAND", "XH": "PATTERN"}
    ),
    "youku": Dataset("zh", "youku", {"TELEVISION": "PROGRAM", "PER": "FIGURE"}),
}


def prepare_data(
    name: str, output: Path, *, root: Path = Path(), local_data: Path | None = None
) -> None:
    """Write `train.spacy`, `dev.spacy` and `test.spacy`.

    name (str): "sample", or a key of `DATASETS`.
    output (Path): The folder to write to.
    root (Path): The folder of the project.
    local_data (Path | None): A folder to copy the files of the dataset from.
    """
    if name == "sample":
        for split in SPLITS:
            convert(
                source_path(name, split, root),
                output / f"{split}.spacy",
                unlabelled="outside",
            )
        return
    if name not in DATASETS:
        names = ", ".join(["sample", *DATASETS])
        raise ValueError(f"There is no dataset '{name}'. Choose one of: {names}.")
    dataset = DATASETS[name]
    if local_data is not None:
        copy_local_data(name, local_data, root)
    for split in SPLITS:
        source = source_path(name, split, root)
        check_asset(source, name, split, root)
        # Who finds the file must not find it with other labels.
        with TemporaryDirectory() as folder:
            converted = Path(folder) / f"{split}.spacy"
            convert(
                source, converted, unlabelled="outside", lang=dataset.lang, strict=True
            )
            docs = list(read_docbin(converted, Vocab()))
        renamed = [rename_labels(doc, dataset.labels) for doc in docs]
        write_docbin(output / f"{split}.spacy", renamed)


def source_path(name: str, split: str, root: Path) -> Path:
    """RETURNS (Path): The file that a split of a dataset is made from."""
    if name == "sample":
        return root / "assets" / f"{split}.jsonl"
    return root / "data" / name / f"{split}.txt"


def copy_local_data(name: str, folder: Path, root: Path) -> None:
    """Copy the files of a dataset to where `spacy project assets` would put them.

    name (str): The dataset.
    folder (Path): Has a subfolder of the dataset's name, here or where it comes from.
    root (Path): The folder of the project.
    """
    # Their names may be the same.
    subfolders = dict.fromkeys([folder / name, folder / DATASETS[name].folder])
    found = next((path for path in subfolders if path.is_dir()), None)
    if found is None:
        tried = " or ".join(f"'{path}'" for path in subfolders)
        raise ValueError(f"No data of '{name}': there is no folder {tried}.")
    for split in SPLITS:
        source, target = found / f"{split}.txt", source_path(name, split, root)
        check_asset(source, name, split, root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def check_asset(path: Path, name: str, split: str, root: Path) -> None:
    """Refuse a file that is not there, or is not the one that `project.yml` asks for.

    path (Path): The file.
    name (str): The dataset it should be of.
    split (str): The part it should be.
    root (Path): The folder of the project.
    """
    if not path.exists():
        raise ValueError(
            f"'{path}' is not there. `python -m spacy project assets` fetches what may "
            "be fetched; --vars.local_data FOLDER copies what you have."
        )
    dest = f"data/{name}/{split}.txt"
    for asset in srsly.read_yaml(root / "project.yml")["assets"]:
        if asset["dest"] == dest and asset["checksum"] != get_checksum(path):
            raise ValueError(
                f"'{path}' is not the file that the paper's numbers belong to: its "
                f"checksum is {get_checksum(path)}, not {asset['checksum']}. Remove it "
                "and fetch it with `python -m spacy project assets`, or put the right "
                "file there."
            )


def rename_labels(doc: Doc, labels: dict[str, str]) -> Doc:
    """RETURNS (Doc): The document, its entity types renamed where a name is given."""
    spans = [
        Span(doc, ent.start, ent.end, labels.get(ent.label_, ent.label_))
        for ent in doc.ents
    ]
    doc.set_ents(spans, default="outside")
    return doc


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", help=f"sample, {', '.join(DATASETS)}")
    parser.add_argument("-o", "--output", type=Path, help="corpus/<dataset>")
    # An empty name is what an unset variable of the project leaves.
    parser.add_argument("--local-data", default="", metavar="FOLDER")
    arguments = parser.parse_args()
    output = arguments.output or Path("corpus") / arguments.dataset
    local_data = Path(arguments.local_data) if arguments.local_data else None
    try:
        prepare_data(arguments.dataset, output, local_data=local_data)
    except ValueError as error:
        msg.fail(str(error))
        sys.exit(1)
    msg.good(f"Prepared {output}")


if __name__ == "__main__":
    main()
