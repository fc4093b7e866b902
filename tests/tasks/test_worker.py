"""Models stay loaded from one task to the next."""

from pathlib import Path

import pytest
import spacy

from spacy_adak.tasks.worker import load_models


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    for name in ("fold-0", "fold-1", "fold-2"):
        nlp = spacy.blank("xx", meta={"name": name.replace("-", "_")})
        nlp.to_disk(tmp_path / name)
    return sorted(tmp_path.iterdir())


def test_models_come_in_the_order_of_their_paths(paths: list[Path]) -> None:
    for wanted in (paths, paths[::-1], [paths[1], paths[1]]):
        names = [nlp.meta["name"] for nlp in load_models(wanted)]
        assert names == [path.name.replace("-", "_") for path in wanted]


def test_models_of_the_last_task_are_kept(paths: list[Path]) -> None:
    first = load_models(paths)
    assert all(a is b for a, b in zip(load_models(paths), first, strict=True))


def test_models_that_a_task_does_without_are_let_go(paths: list[Path]) -> None:
    first, second, _ = load_models(paths)
    (kept,) = load_models(paths[:1])
    assert kept is first
    assert load_models(paths[1:2])[0] is not second


def test_another_model_in_the_same_folder_is_loaded_anew(paths: list[Path]) -> None:
    load_models(paths)
    spacy.blank("xx", meta={"name": "another"}).to_disk(paths[0])
    assert load_models(paths)[0].meta["name"] == "another"
