from pathlib import Path

import pytest
import srsly
from spacy.vocab import Vocab
from weasel.util import get_checksum

from scripts.prepare_data import SPLITS, prepare_data
from spacy_adak.data.docbin import read_docbin

TEXT = "\r\n".join(["酒 B-TELEVISION", "店 I-TELEVISION", "的 O", "王 B-PER", "", ""])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one small dataset."""
    folder = tmp_path / "elsewhere" / "youku"
    folder.mkdir(parents=True)
    for split in SPLITS:
        (folder / f"{split}.txt").write_bytes(TEXT.encode())
    checksum = get_checksum(folder / "train.txt")
    assets = [
        {"dest": f"data/youku/{split}.txt", "checksum": checksum} for split in SPLITS
    ]
    (tmp_path / "project.yml").write_text(srsly.yaml_dumps({"assets": assets}))
    return tmp_path


def test_entity_types_get_the_names_of_the_paper(root: Path) -> None:
    prepare_data("youku", root / "out", root=root, local_data=root / "elsewhere")
    (doc,) = read_docbin(root / "out" / "dev.spacy", Vocab())
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        ("酒店", "PROGRAM"),
        ("王", "FIGURE"),
    ]
    assert doc[2].ent_iob_ == "O"


def test_other_data_does_not_take_the_place_of_the_right_one(root: Path) -> None:
    prepare_data("youku", root / "out", root=root, local_data=root / "elsewhere")
    path = root / "elsewhere" / "youku" / "train.txt"
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(ValueError, match=r"elsewhere.*checksum"):
        prepare_data("youku", root / "out", root=root, local_data=root / "elsewhere")
    assert (root / "data" / "youku" / "train.txt").read_bytes() == TEXT.encode()


def test_missing_part_of_local_data_is_named(root: Path) -> None:
    (root / "elsewhere" / "youku" / "test.txt").unlink()
    with pytest.raises(ValueError, match=r"elsewhere/youku/test\.txt' is not there"):
        prepare_data("youku", root / "out", root=root, local_data=root / "elsewhere")


def test_folder_may_have_the_name_it_comes_with(root: Path) -> None:
    (root / "elsewhere" / "youku").rename(root / "elsewhere" / "ecommerce")
    prepare_data("taobao", root / "out", root=root, local_data=root / "elsewhere")
    assert (root / "out" / "test.spacy").exists()


def test_missing_data_is_an_error_with_the_remedy(root: Path) -> None:
    with pytest.raises(ValueError, match="spacy project assets"):
        prepare_data("youku", root / "out", root=root)


def test_other_data_is_refused(root: Path) -> None:
    path = root / "elsewhere" / "youku" / "dev.txt"
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(ValueError, match=r"checksum.*spacy project assets"):
        prepare_data("youku", root / "out", root=root, local_data=root / "elsewhere")


def test_local_folder_without_the_dataset_is_an_error(root: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no folder '[^']*/conll2003'\.$"):
        prepare_data("conll2003", root / "out", root=root, local_data=root)


def test_unknown_dataset_is_an_error_with_the_known_ones(root: Path) -> None:
    with pytest.raises(ValueError, match="sample, conll2003, taobao, youku"):
        prepare_data("yuku", root / "out", root=root)
