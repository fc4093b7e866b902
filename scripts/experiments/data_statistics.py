"""Count sentences and entities, and compare them with the paper's Table 1."""

from pathlib import Path

from spacy.vocab import Vocab
from wasabi import MarkdownRenderer

from scripts.prepare_data import SPLITS
from spacy_adak.data.docbin import read_docbin

from .paper_values import KNOWN_DIFFERENCES, STATISTICS, TITLES


def count(path: Path) -> tuple[int, int]:
    """RETURNS (tuple[int, int]): The entities and the sentences of a `.spacy` file."""
    entities = [len(doc.ents) for doc in read_docbin(path, Vocab())]
    return sum(entities), len(entities)


def check_statistics(dataset: str, split: str, counts: tuple[int, int]) -> None:
    """Refuse data that is not the paper's.

    dataset (str): The dataset.
    split (str): Its part.
    counts (tuple[int, int]): Its entities and sentences.
    """
    expected = KNOWN_DIFFERENCES.get((dataset, split), STATISTICS[dataset][split])
    if counts != expected:
        raise ValueError(
            f"{dataset}, {split}: {counts[0]} entities in {counts[1]} sentences, where "
            f"there should be {expected[0]} in {expected[1]}. Results on other data "
            "can't be compared with the paper's: see `python -m spacy project assets`."
        )


def describe_statistics(corpora: Path) -> str:
    """Make Table 1 of the datasets there are, and refuse those that differ from it.

    corpora (Path): The folder with a folder for each dataset.
    RETURNS (str): A Markdown table.
    """
    md = MarkdownRenderer()
    rows = []
    for dataset, splits in STATISTICS.items():
        paths = [corpora / dataset / f"{split}.spacy" for split in SPLITS]
        if not all(path.exists() for path in paths):
            continue
        cells = [TITLES[dataset]]
        for split, path in zip(SPLITS, paths, strict=True):
            counts = count(path)
            check_statistics(dataset, split, counts)
            pairs = zip(counts, splits[split], strict=True)
            cells += [f"{ours:,} / {theirs:,}" for ours, theirs in pairs]
        rows.append(cells)
    header = ["Dataset"]
    header += [f"{split} {what}" for split in SPLITS for what in ("entities", "sent.")]
    md.add(md.title(2, "Table 1: data, ours / the paper's"))
    md.add(md.table(rows, header) if rows else "None of the datasets is prepared.")
    return md.text
