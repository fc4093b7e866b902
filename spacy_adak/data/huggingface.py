"""Hugging Face rows: tokens of a sentence and their tags, in JSONL, JSON or Parquet.

{"tokens": ["Acme", "hired", "Ann"], "ner_tags": [3, 0, 1]}
{"tokens": ["Acme", "hired", "Ann"], "ner_tags": ["B-ORG", "O", "B-PER"]}

Numbers are indices of a list of labels: the one that is given, or that of the features
which the file itself (Parquet, or the answer of the datasets server) or a
`dataset_info.json` next to it has.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, Warnings
from .annotated_text import Unlabelled
from .files import read_lines
from .records import note_wrong_type, read_records
from .sentences import UNKNOWN, Row, Sentence, TagScheme, docs_of_sentences
from .summary import Place, Summary

TOKENS = ("tokens", "words")
TAGS = ("ner_tags", "tags", "ner", "labels", "entities")
INFO_FILES = ("dataset_info.json", "dataset_infos.json")
# What tokenizers of transformers give to tokens that have no label.
_IGNORED = -100
_BATCH = 1000


def read_huggingface(
    path: Path,
    vocab: Vocab,
    *,
    unlabelled: Unlabelled,
    summary: Summary,
    labels: str | None = None,
    tag_scheme: TagScheme | None = None,
    n_sents: int = 1,
) -> Iterator[Doc]:
    """Read rows of tokens and tags, twice: first to see how they are made.

    path (Path): The file.
    vocab (Vocab): The vocabulary of the documents; its language decides whether
        there are spaces between tokens.
    unlabelled (str): What an O says: "outside" (not an entity) or "missing" (nobody
        looked). The tags -, ? and _ and the number -100 are always missing.
    summary (Summary): Where problems are noted.
    labels (str | None): The names of tags that are numbers, in order and with commas
        between them, or a file that has them as a JSON list or one a line.
    tag_scheme (str | None): "IOB1", "BIO", "BILUO" or "BIOES"; None finds out.
    n_sents (int): How many rows make a document, 0 for all of the file.
    YIELDS (Doc): The documents, with the file's own tokens.
    """
    names = _given_names(labels) if labels is not None else None
    yield from docs_of_sentences(
        partial(_read_sentences, path, names),
        vocab,
        unlabelled=unlabelled,
        summary=summary,
        tag_scheme=tag_scheme,
        n_sents=n_sents,
    )


def tokens_and_tags(row: Any) -> tuple[Any, Any, str] | None:
    """RETURNS (tuple[Any, Any, str] | None): The tokens of a row, its tags and the key
    of these; None if it has none."""
    if not isinstance(row, dict):
        return None
    tokens_key = next((key for key in TOKENS if isinstance(row.get(key), list)), None)
    tags_key = next((key for key in TAGS if isinstance(row.get(key), list)), None)
    if tokens_key is None or tags_key is None:
        return None
    return row[tokens_key], row[tags_key], tags_key


def _read_sentences(
    path: Path, names: list[str] | None, summary: Summary
) -> Iterator[Sentence]:
    rows, features = (
        _read_parquet(path)
        if path.suffix.lower() == ".parquet"
        else _read_json(path, summary)
    )
    found_names: dict[str, list[str] | None] = {}
    for place, row in rows:
        found = tokens_and_tags(row)
        if found is None:
            if not isinstance(row, dict):
                note_wrong_type(row, place, summary)
                continue
            message = Warnings.W335.format(keys=", ".join(row))
            summary.add_problem(place, "skipped", message)
            continue
        tokens, tags, key = found
        is_sound = all(isinstance(token, str) for token in tokens)
        if not is_sound or len(tokens) != len(tags):
            message = Warnings.W336.format(tokens=len(tokens), tags=len(tags))
            summary.add_problem(place, "skipped", message)
            continue
        if key not in found_names:
            found_names[key] = names or _find_names(path, features, key)
        sentence = Sentence(place, [], starts_document=False)
        for token, tag in zip(tokens, tags, strict=True):
            if token.strip():
                name = _name(tag, found_names[key], path)
                sentence.rows.append(Row(token, name, place.line))
            else:
                summary.add_problem(place, "repaired", Warnings.W304.format())
        if sentence.rows:
            yield sentence


def _name(tag: Any, names: Sequence[str] | None, path: Path) -> str:
    """The name of a tag. Anything but a name or a number becomes an illegal name."""
    if tag is None or tag == _IGNORED:
        return UNKNOWN[0]
    if isinstance(tag, bool) or not isinstance(tag, int):
        return str(tag)
    if names is None:
        raise ValueError(Errors.A318.format(path=path, tag=tag))
    if not 0 <= tag < len(names):
        raise ValueError(
            Errors.A319.format(
                path=path, tag=tag, count=len(names), names=", ".join(names)
            )
        )
    return names[tag]


def _given_names(labels: str) -> list[str]:
    path = Path(labels)
    if "," in labels or not path.is_file():
        return [name.strip() for name in labels.split(",")]
    text = "\n".join(read_lines(path))
    try:
        names = json.loads(text)
    except ValueError:
        names = [line.strip() for line in text.splitlines() if line.strip()]
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ValueError(Errors.A320.format(path=path))
    return names


def _read_json(path: Path, summary: Summary) -> tuple[Iterator[tuple[Place, Any]], Any]:
    """Rows and features. What the datasets server answers has both in one object."""
    records = read_records(path, summary)
    first = next(records, None)
    if first is None:
        return iter(()), None
    place, record = first
    if isinstance(record, dict) and isinstance(record.get("rows"), list):
        rows = (
            (
                place._replace(name=f"row {number}"),
                row.get("row", row) if isinstance(row, dict) else row,
            )
            for number, row in enumerate(record["rows"], start=1)
        )
        return rows, record.get("features")
    return chain([first], records), None


def _read_parquet(path: Path) -> tuple[Iterator[tuple[Place, Any]], Any]:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ValueError(Errors.A321.format(path=path)) from error
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (OSError, ValueError) as error:  # pyarrow's own errors are among these
        raise ValueError(Errors.A322.format(path=path, error=error)) from error
    described = (file.schema_arrow.metadata or {}).get(b"huggingface")
    try:
        features = json.loads(described)["info"]["features"] if described else None
    except (ValueError, KeyError, TypeError):
        features = None
    columns = [n for n in file.schema_arrow.names if n in (*TOKENS, *TAGS)]

    def rows() -> Iterator[tuple[Place, Any]]:
        number = 0
        for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield Place(path, number, f"row {number}"), row

    return rows(), features


def _find_names(path: Path, features: Any, key: str) -> list[str] | None:
    """The names of the tags under a key, by the features of the file or, failing that,
    of the dataset it is of."""
    names = _names_in(_feature(features, key))
    for name in INFO_FILES:
        beside = path.with_name(name)
        if names is None and beside.is_file():
            try:
                info = json.loads(beside.read_bytes())
            except ValueError:
                continue
            # One file is of one dataset, the other of all its configurations.
            infos = [info, *info.values()] if isinstance(info, dict) else []
            for described in infos:
                if names is None and isinstance(described, dict):
                    names = _names_in(_feature(described.get("features"), key))
    return names


def _feature(features: Any, key: str) -> Any:
    """The feature of a name; the datasets server has a list of them."""
    if isinstance(features, dict):
        return features.get(key)
    for feature in features if isinstance(features, list) else []:
        if isinstance(feature, dict) and feature.get("name") == key:
            return feature.get("type")
    return None


def _names_in(feature: Any) -> list[str] | None:
    """The names of a class label, within the sequences it may be in."""
    if isinstance(feature, list) and feature:
        feature = feature[0]
    if not isinstance(feature, dict):
        return None
    names = feature.get("names")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    return _names_in(feature.get("feature"))
