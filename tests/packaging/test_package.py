"""A packaged pipeline is loaded by the name it was given."""

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.vocab import Vocab

import spacy_adak
from spacy_adak.data.convert import convert
from spacy_adak.data.corruption import corrupt
from spacy_adak.data.docbin import write_docbin
from spacy_adak.packaging.meta import collect_meta
from spacy_adak.packaging.package import package
from spacy_adak.run.init_config import init_config
from spacy_adak.run.train import train

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


@pytest.fixture
def blank(tmp_path: Path) -> Path:
    """A pipeline without components."""
    spacy.blank("en").to_disk(tmp_path / "blank")
    return tmp_path / "blank"


def package_with_meta(pipeline: Path, meta: dict[str, Any]) -> Path:
    meta_path = pipeline.parent / "more_meta.json"
    meta_path.write_text(json.dumps(meta))
    packages = pipeline.parent / "packages"
    return package(pipeline, packages, name="adak_tiny", meta_path=meta_path)


def read_wheel_metadata(packaged: Path) -> Message:
    (wheel,) = (packaged / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith("/METADATA"))
        return message_from_string(archive.read(name).decode("utf8"))


def read_meta(packaged: Path) -> dict:
    return json.loads((packaged / "adak_tiny" / "meta.json").read_text())


def test_note_of_scores_on_incomplete_gold_is_kept(blank: Path) -> None:
    scores = {"ents_f": 0.5, "note": "Corrected for what nobody marked."}
    scores_path = blank.parent / "scores.json"
    scores_path.write_text(json.dumps(scores))
    meta = collect_meta(blank, "adak_tiny", None, None, scores_path)
    assert "Corrected for what nobody marked." in meta["notes"]


@pytest.mark.slow
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
    files = {str(p.relative_to(model)) for p in model.rglob("*") if p.is_file()}
    assert "config.cfg" in files
    assert files <= names


def test_meta_has_what_was_given(packaged: Path) -> None:
    meta = read_meta(packaged)
    assert meta["version"] == "0.2.1"
    assert meta["license"] == "CC0, as the sample is"
    assert meta["performance"] == {"ents_f": 0.5, "ents_p": 0.5, "ents_r": 0.5}


def test_meta_has_labels_settings_and_requirements(packaged: Path) -> None:
    meta = read_meta(packaged)
    assert "COMPANY" in meta["labels"]["adak_ner"]
    loss = meta["training"]["components.adak_ner.loss.@losses"]
    assert loss == "spacy-adak.WeightedLoss.v1"
    assert meta["training"]["adak.rounds"] == 1
    assert any(r.startswith("spacy-adak>=") for r in meta["requirements"])


def test_readme_has_the_name_to_load(packaged: Path) -> None:
    readme = (packaged / "README.md").read_text()
    assert "| **Name** | `adak_tiny` |" in readme
    assert "`adak.q.temperature`" in readme


def test_readme_of_the_pipeline_is_kept(blank: Path, tmp_path: Path) -> None:
    (blank / "README.md").write_text("Mine")
    folder = package(blank, tmp_path, name="en_adak", version="1.0", build=["none"])
    for path in (folder, folder / "en_adak" / "en_adak-1.0"):
        assert (path / "README.md").read_text() == "Mine"


def test_licences_of_the_pipeline_are_those_of_the_package(blank: Path) -> None:
    for name in ("LICENSE", "LICENSES_SOURCES"):
        (blank / name).write_text(f"The {name}")
    folder = package_with_meta(blank, {})
    for name in ("LICENSE", "LICENSES_SOURCES"):
        assert (folder / name).read_text() == f"The {name}"
    files = read_wheel_metadata(folder).get_all("License-File")
    assert files == ["LICENSE", "LICENSES_SOURCES"]


def test_description_may_have_any_character(blank: Path) -> None:
    description = 'Names 🎉 in "news" \\ 新闻'
    folder = package_with_meta(blank, {"description": description})
    assert read_wheel_metadata(folder)["Summary"] == description


def test_wheel_has_author_licence_and_address(blank: Path) -> None:
    meta = {
        "author": "Ada Kay",
        "email": "ada@example.org",
        "url": "https://example.org",
        "license": "for research; see the notes",
    }
    metadata = read_wheel_metadata(package_with_meta(blank, meta))
    assert metadata["Author-email"] == "Ada Kay <ada@example.org>"
    assert metadata["Project-URL"] == "Homepage, https://example.org"
    assert metadata["License"] == "for research; see the notes"


@pytest.mark.parametrize(
    ("key", "value", "header"),
    [("author", "Ada Kay", "Author"), ("email", "a@example.org", "Author-email")],
)
def test_author_may_have_a_name_or_an_address_only(
    blank: Path, key: str, value: str, header: str
) -> None:
    metadata = read_wheel_metadata(package_with_meta(blank, {key: value}))
    assert metadata[header] == value


def test_text_that_is_no_address_is_left_out_of_the_wheel(blank: Path) -> None:
    meta = {"author": "Ada Kay", "email": "ada at example"}
    metadata = read_wheel_metadata(package_with_meta(blank, meta))
    assert (metadata["Author"], metadata["Author-email"]) == ("Ada Kay", None)


def test_name_may_have_the_language_in_front(model: Path, tmp_path: Path) -> None:
    folder = package(model, tmp_path, name="en_adak", version="1.0", build=["none"])
    assert (folder / "en_adak" / "en_adak-1.0" / "config.cfg").exists()
    meta = json.loads((folder / "en_adak" / "meta.json").read_text())
    assert meta["name"] == "adak"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", 5),
        ("notes", 5),
        ("requirements", "spacy-adak"),
        ("requirements", ["spacy adak"]),
        ("version", 5),
        ("version", "../1.0"),
        ("description", None),
    ],
)
def test_wrong_entry_is_refused_and_named_with_its_file(
    blank: Path, key: str, value: Any
) -> None:
    path = blank.parent / "wrong.json"
    path.write_text(json.dumps({"name": "adak_tiny", key: value}))
    with pytest.raises(ValueError, match=rf"\[A506\].*/wrong\.json'.*\[{key}"):
        package(blank, blank.parent / "packages", meta_path=path)
    assert not (blank.parent / "packages").exists()


@pytest.mark.parametrize("option", ["meta_path", "scores_path"])
@pytest.mark.parametrize("text", ["", "text", "[1]"])
def test_file_without_entries_is_refused(blank: Path, option: str, text: str) -> None:
    path = blank.parent / "wrong.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"\[A505\].*/wrong\.json'"):
        package(blank, blank.parent, name="adak_tiny", **{option: path})


def test_pipeline_whose_meta_has_no_entries_is_refused(blank: Path) -> None:
    (blank / "meta.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"\[A500\].*/blank'.*meta\.json"):
        package(blank, blank.parent, name="adak_tiny")


def test_name_that_is_no_module_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\[A501\] 'adak-conll'"):
        package(model, tmp_path, name="adak-conll")


@pytest.mark.parametrize("folder", ["", "packages"])
def test_output_within_the_pipeline_is_refused(blank: Path, folder: str) -> None:
    before = sorted(blank.rglob("*"))
    with pytest.raises(ValueError, match=r"\[A507\].*/blank"):
        package(blank, blank / folder, name="adak_tiny")
    assert sorted(blank.rglob("*")) == before


def test_folder_without_pipeline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\[A500\]"):
        package(tmp_path / "none", tmp_path / "packages", name="adak_tiny")


def test_failed_build_leaves_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(ValueError, match=r"\[A503\]"):
        package(model, tmp_path / "packages", name="adak_x")
    assert list((tmp_path / "packages").iterdir()) == []
