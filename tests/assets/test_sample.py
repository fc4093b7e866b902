"""The embedded sample is what its script makes, and as varied as it says."""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from spacy_adak.data.convert import convert

ROOT = Path(__file__).parents[2]
SIZES = {"train": 1400, "dev": 300, "test": 300}


def read(split: str) -> list[dict[str, Any]]:
    path = ROOT / "assets" / f"{split}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def entities(split: str) -> list[tuple[str, str]]:
    return [
        (record["text"][span["start"] : span["end"]], span["label"])
        for record in read(split)
        for span in record["spans"]
    ]


def test_script_makes_the_files_byte_for_byte(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.make_sample", "-o", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    for split in SIZES:
        name = f"{split}.jsonl"
        assert (tmp_path / name).read_bytes() == (ROOT / "assets" / name).read_bytes()


@pytest.mark.parametrize("split", SIZES)
def test_annotations_fall_on_tokens(split: str, tmp_path: Path) -> None:
    path = ROOT / "assets" / f"{split}.jsonl"
    summary = convert(
        path, tmp_path / "a.spacy", unlabelled="outside", lang="en", strict=True
    )
    assert summary.documents == SIZES[split]
    assert summary.unknown_tokens == 0
    assert set(summary.entities) == {"COMPANY", "PERSON", "PLACE", "MONEY"}
    assert min(summary.entities.values()) >= 50


def test_no_text_comes_twice() -> None:
    texts = [record["text"] for split in SIZES for record in read(split)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_half_of_the_names_never_occur_in_train(split: str) -> None:
    train = "\n".join(record["text"] for record in read("train"))
    names = [name for name, label in entities(split) if label != "MONEY"]
    unseen = [name for name in names if name not in train]
    assert len(unseen) > len(names) / 2


def test_names_of_more_than_one_type_are_common() -> None:
    labels = defaultdict(set)
    for name, label in entities("train"):
        labels[name].add(label)
    assert sum(len(found) > 1 for found in labels.values()) > 50


def test_names_of_companies_are_also_ordinary_words() -> None:
    companies = {name for name, label in entities("train") if label == "COMPANY"}
    plain = [record["text"] for record in read("train") if not record["spans"]]
    assert len(companies & {text.split()[0] for text in plain}) > 10


@pytest.mark.parametrize("split", SIZES)
def test_some_sentences_have_no_entities(split: str) -> None:
    records = read(split)
    plain = [record for record in records if not record["spans"]]
    assert 0.08 < len(plain) / len(records) < 0.2


def test_entities_of_several_tokens_and_next_to_punctuation_are_common() -> None:
    names = entities("train")
    assert sum(" " in name for name, _ in names) > len(names) / 4
    touching = [
        span
        for record in read("train")
        for span in record["spans"]
        if record["text"][span["end"] : span["end"] + 1] in set(",.;:'\")-")
    ]
    assert len(touching) > len(names) / 4
