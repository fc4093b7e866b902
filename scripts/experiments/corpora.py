"""The data of cells: made when a cell asks for it, and kept for the next."""

from pathlib import Path

from spacy.vocab import Vocab

from scripts.prepare_data import SPLITS, prepare_data, source_path
from spacy_adak.data.corruption import corrupt
from spacy_adak.data.docbin import read_docbin, write_docbin

from .cells import FULL, Cell


def prepare_corpus(
    dataset: str, documents: int | None, *, root: Path, local_data: Path | None
) -> Path:
    """Make the splits of a dataset, with all of their annotations.

    dataset (str): The dataset.
    documents (int | None): How many documents to take of each split, or all.
    root (Path): The folder of the project.
    local_data (Path | None): A folder to copy the files of the dataset from.
    RETURNS (Path): The folder they are in.
    """
    folder = root / "corpus" / dataset
    if any(
        is_outdated(folder / f"{split}.spacy", source_path(dataset, split, root))
        for split in SPLITS
    ):
        prepare_data(dataset, folder, root=root, local_data=local_data)
    if documents is None:
        return folder
    part = folder / f"first-{documents}"
    for split in SPLITS:
        if is_outdated(part / f"{split}.spacy", folder / f"{split}.spacy"):
            docs = list(read_docbin(folder / f"{split}.spacy", Vocab()))
            write_docbin(part / f"{split}.spacy", docs[:documents])
    return part


def training_data(corpus: Path, cell: Cell) -> Path:
    """Make the training data of a cell.

    corpus (Path): The folder with the splits.
    cell (Cell): The cell.
    RETURNS (Path): The file with what is left of the annotations.
    """
    if cell.scheme == FULL.scheme:
        return corpus / "train.spacy"
    source = corpus / "train.spacy"
    return kept_entities(source, corpus, cell.scheme, cell.ratio, cell.seed)


def kept_entities(
    source: Path, folder: Path, scheme: str, ratio: float, seed: int
) -> Path:
    """Keep a share of the entities of a file.

    source (Path): The file, annotated completely.
    folder (Path): Where to put what is made.
    scheme (str): How entities are removed.
    ratio (float): The share that is kept.
    seed (int): Chooses what is removed.
    RETURNS (Path): The file with what is left.
    """
    path = folder / f"{source.stem}_{scheme}_{ratio:g}_{seed}.spacy"
    if is_outdated(path, source):
        folder.mkdir(parents=True, exist_ok=True)
        corrupt(source, path, keep_ratio=ratio, scheme=scheme, seed=seed)
    return path


def is_outdated(path: Path, source: Path) -> bool:
    """RETURNS (bool): Whether a file is not there, or older than its source."""
    if not path.exists():
        return True
    # What is made is kept where the source is gone.
    return source.exists() and path.stat().st_mtime_ns < source.stat().st_mtime_ns
