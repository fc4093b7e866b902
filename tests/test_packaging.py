"""A packaged pipeline is loaded by the name it was given."""

import json
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab

import spacy_adak
from spacy_adak.data.convert import convert
from spacy_adak.data.corruption import corrupt
from spacy_adak.data.docbin import write_docbin
from spacy_adak.estimation.init_config import init_config
from spacy_adak.estimation.train import train
from spacy_adak.packaging import package

ROOT = Path(spacy_adak.__file__).parents[1]
# spaCy's own `package` leaves it to Python to close the files it writes.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline of very little training on the sample."""
    folder = tmp_path_factory.mktemp("model")
    convert(
        ROOT / "assets" / "train.jsonl", folder / "full.spacy", unlabelled="outside"
    )
    docs = list(DocBin().from_disk(folder / "full.spacy").get_docs(Vocab()))
    write_docbin(folder / "full.spacy", docs[:60])
    write_docbin(folder / "dev.spacy", docs[60:80])
    corrupt(folder / "full.spacy", folder / "train.spacy", keep_ratio=0.5)
    (folder / "config.cfg").write_text(init_config("en"), encoding="utf8")
    train(
        folder / "config.cfg",
        folder / "output",
        overrides={
            "paths.train": str(folder / "train.spacy"),
            "paths.dev": str(folder / "dev.spacy"),
            "training.max_epochs": 1,
            "components.adak_ner.model.tok2vec.width": 16,
            "components.adak_ner.model.tok2vec.embed_size": 100,
            "adak.rounds": 1,
        },
    )
    return folder / "output" / "model-best"


@pytest.fixture(scope="module")
def packaged(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    meta = {"name": "adak_tiny", "version": "0.2.1", "license": "CC0, as the sample is"}
    scores = {"ents_f": 0.5, "ents_p": 0.5, "ents_r": 0.5, "documents": 3}
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "scores.json").write_text(json.dumps(scores))
    return package(
        model,
        folder / "packages",
        meta_path=folder / "meta.json",
        scores_path=folder / "scores.json",
        build=["sdist", "wheel"],
    )


def read_meta(packaged: Path) -> dict:
    return json.loads((packaged / "adak_tiny" / "meta.json").read_text())


def test_installed_wheel_is_loaded_by_its_name(packaged: Path, tmp_path: Path) -> None:
    environment = tmp_path / "env"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    # What spacy-adak requires is there already; installing it would take minutes.
    paths = [str(ROOT), *(path for path in sys.path if path.endswith("-packages"))]
    (installed,) = (environment / "lib").glob("python*/site-packages")
    (installed / "requirements.pth").write_text("\n".join(paths))
    (wheel,) = (packaged / "dist").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True, cwd=tmp_path)
    code = (
        'import spacy; nlp = spacy.load("adak_tiny"); doc = nlp("Granite fell 4%"); '
        'assert "adak_ner" in doc.spans; print(nlp.meta["name"])'
    )
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.strip() == "adak_tiny", done.stderr


def test_sdist_has_all_of_the_pipeline(packaged: Path, model: Path) -> None:
    (sdist,) = (packaged / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("en_adak_tiny-0.2.1/")[-1] for name in archive.getnames()}
    for path in model.rglob("*"):
        if path.is_file():
            assert str(path.relative_to(model)) in names


def test_meta_has_what_was_given(packaged: Path) -> None:
    meta = read_meta(packaged)
    assert meta["version"] == "0.2.1"
    assert meta["license"] == "CC0, as the sample is"
    assert meta["performance"] == {"ents_f": 0.5, "ents_p": 0.5, "ents_r": 0.5}


def test_meta_has_labels_settings_and_requirements(packaged: Path) -> None:
    meta = read_meta(packaged)
    assert "COMPANY" in meta["labels"]["adak_ner"]
    assert meta["training"]["components.adak_ner.loss"] == "adak"
    assert meta["training"]["adak.rounds"] == 1
    assert any(r.startswith("spacy-adak>=") for r in meta["requirements"])


def test_readme_has_the_name_to_load(packaged: Path) -> None:
    readme = (packaged / "README.md").read_text()
    assert "| **Name** | `adak_tiny` |" in readme
    assert "`components.adak_ner.loss`" in readme


def test_name_may_have_the_language_in_front(model: Path, tmp_path: Path) -> None:
    folder = package(model, tmp_path, name="en_adak", version="1.0", build=["none"])
    assert (folder / "en_adak" / "en_adak-1.0" / "config.cfg").exists()
    meta = json.loads((folder / "en_adak" / "meta.json").read_text())
    assert meta["name"] == "adak"


def test_name_that_is_no_module_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\[A501\] 'adak-conll'"):
        package(model, tmp_path, name="adak-conll")


def test_folder_without_pipeline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\[A500\]"):
        package(tmp_path, tmp_path / "packages", name="adak_tiny")


def test_failed_build_leaves_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(ValueError, match=r"\[A503\]"):
        package(model, tmp_path / "packages", name="adak_x")
    assert list((tmp_path / "packages").iterdir()) == []
