"""What two runs have left behind, compared."""

from pathlib import Path

from tests.made_corpus import model_bytes

LEFT_BEHIND = ("train-completed.spacy", "dictionary.jsonl")


def assert_same(folder: Path, other: Path) -> None:
    """A run has ended as one that was never stopped."""
    for name in ("model-best", "model-last"):
        assert model_bytes(folder / name) == model_bytes(other / name)
    for name in LEFT_BEHIND:
        assert (folder / name).read_bytes() == (other / name).read_bytes()
    assert not list(folder.rglob("*.tmp"))
    assert not list(folder.rglob("*.old"))
