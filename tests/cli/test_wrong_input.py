"""Whatever is wrong with what a command is given, it says so without a traceback."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from click.testing import Result
from spacy.training import Example

from spacy_adak.data.docbin import write_docbin
from tests.made_corpus import TINY, make_config, make_docs

Adak = Callable[..., Result]
# spaCy's own `package` leaves it to Python to close the files it writes.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

TRAIN = "train config.cfg --output output --paths.dev gold.spacy --paths.train"
WRONG_INPUT = [
    (f"{TRAIN} gold.spacy --bogus", 2, "No such option.*--bogus"),
    (f"{TRAIN} gold.spacy --resum", 2, "No such option.*--resum"),
    (f"{TRAIN} gold.spacy --paths.trian x", 1, "A102.*'trian'.*'train'"),
    (f"{TRAIN} gold.spacy --training.max_epoch 1", 1, "A102.*'max_epochs'"),
    (f"{TRAIN} gold.spacy --paths.vectors ${{no.such}}", 1, "A219.*no.such"),
    (f"{TRAIN} file", 1, "A218.*'file'.*no .spacy file"),
    (f"{TRAIN} broken.spacy", 1, "A220.* broken.spacy"),
    (f"{TRAIN} data", 1, "A220.* data/broken.spacy"),
    ("train latin1.cfg --output output", 1, "A234.*latin1.cfg.*utf-8"),
    ("train twice.cfg --output output", 1, "A234.*twice.cfg.*'nlp' already exists"),
    ("debug-data latin1.cfg", 1, "A234.*latin1.cfg"),
    ("debug-data twice.cfg", 1, "A234.*twice.cfg"),
    ("debug-data no_sections.cfg", 1, r"A217.*\[nlp\], \[corpora\], \[training\]"),
    ("debug-data config.cfg --paths.trian x", 1, "A102.*'trian'.*'train'"),
    ("debug-data gold.spacy --dev no_docs.spacy", 1, "The dev data has 0 texts"),
    ("init-config file/config.cfg", 1, "A504.*'file'"),
    ("evaluate ruler broken.spacy", 1, "A308.*broken.spacy"),
    ("evaluate ruler data", 1, "A308.*data/broken.spacy"),
    ("evaluate empty gold.spacy", 1, "A402.*'empty'.*E053"),
    ("evaluate no_such gold.spacy", 1, "A402.*'no_such'.*E050"),
    ("evaluate ruler gold.spacy --gpu-id 0", 1, "A215.*--gpu-id 0"),
    ("evaluate damaged gold.spacy", 1, "A402.*'damaged/adak_ner/model'"),
    ("evaluate no_meta gold.spacy", 1, "A402.*'no_meta'.*ValueError"),
    ("suggest no_meta gold.spacy out.jsonl", 1, "A402.*'no_meta'.*ValueError"),
    ("evaluate no_vectors gold.spacy", 1, "A402.*'no_vectors'.*EOFError"),
    ("evaluate misspelt gold.spacy", 1, "entity_ruler -> bogus"),
    ("evaluate ruler gold.spacy --output file/scores.json", 1, "A504.*'file'"),
    ("evaluate ruler gold.spacy --output gold.spacy", 1, "A315.*gold.spacy"),
    ("evaluate ruler data --output data/a.spacy", 1, "A315.*data/a.spacy"),
    ("sample gold.spacy gold.spacy", 1, "A315.*gold.spacy"),
    ("sample gold.spacy gold.spacy -m ruler -p 5", 1, "A315.*gold.spacy"),
    ("suggest ruler data data/a.spacy", 1, "A315.*data/a.spacy"),
    ("review file --output file", 1, "A315.*file"),
    ("review gold.spacy --decisions file --output file", 1, "A315.*file"),
    ("package ruler packages --name json", 1, "A508.*'json'.*module of Python"),
    ("package ruler packages --name spacy", 1, "A508.*'spacy'.*no pipeline"),
    ("package misspelt packages", 1, "entity_ruler -> bogus"),
    ("package ruler file/packages", 1, "A504.*'file/packages'"),
    ("package ruler packages --meta-path file", 1, "A505.*'file'.*--meta-path"),
    ("package ruler packages --meta-path list.json", 1, "A505.*'list.json'"),
    ("package ruler packages --scores file", 1, "A505.*'file'.*--scores"),
    ("package ruler packages --scores list.json", 1, "A505.*'list.json'"),
    ("corrupt gold.spacy file/out.spacy --keep-ratio 1", 1, "A504.*'file'"),
    ("corrupt gold.spacy pipe -r 1", 1, "A509.*'pipe'"),
    ("combine gold.spacy --output pipe", 1, "A509.*'pipe'"),
    ("evaluate ruler gold.spacy --output pipe", 1, "A509.*'pipe'"),
    ("sample gold.spacy pipe", 1, "A509.*'pipe'"),
    ("review file --output pipe", 1, "A509.*'pipe'"),
    ("convert pipe out.spacy --converter spans -u missing", 1, "A509.*'pipe'"),
    ("convert gold.spacy circle.spacy", 1, "A504.*'circle.spacy'.*links"),
    ("convert gold.spacy file/out.spacy", 1, "A504.*'file'"),
    ("convert gold.spacy file/folder/out.spacy", 1, "A504.*'file/folder'"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with input of all kinds, right and wrong."""
    folder = tmp_path_factory.mktemp("input")
    (folder / "file").write_text("text")
    (folder / "list.json").write_text("[1]")
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "circle.spacy").symlink_to("circle.spacy")
    (folder / "data").mkdir()
    docs = make_docs(20)
    write_docbin(folder / "gold.spacy", docs)
    write_docbin(folder / "data" / "a.spacy", docs)
    for path in (folder / "broken.spacy", folder / "data" / "broken.spacy"):
        path.write_text("text")
    config = make_config(**TINY)
    config.to_disk(folder / "config.cfg")
    (folder / "latin1.cfg").write_text("[nlp]\nlang = é", encoding="latin1")
    (folder / "twice.cfg").write_text("[nlp]\n\n[nlp]\n")
    (folder / "no_sections.cfg").write_text("[paths]\ntrain = null\n")
    write_docbin(folder / "no_docs.spacy", [])
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Ann"}])
    for name in ("ruler", "misspelt", "no_meta", "no_vectors"):
        nlp.to_disk(folder / name)
    (folder / "no_meta" / "meta.json").write_text("{")
    (folder / "no_vectors" / "vocab" / "vectors").write_bytes(b"")
    with (folder / "misspelt" / "config.cfg").open("a") as file:
        file.write("\n[components.entity_ruler.bogus]\n")
    nlp = spacy.blank("xx")
    model = config["components"]["adak_ner"]["model"]
    nlp.add_pipe("adak_ner", config={"model": model})
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    nlp.to_disk(folder / "damaged")
    (folder / "damaged" / "adak_ner" / "model").unlink()
    return folder


@pytest.mark.parametrize(("command", "exit_code", "message"), WRONG_INPUT)
def test_wrong_input_is_named_without_a_traceback(
    adak: Adak,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    exit_code: int,
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    result = adak(*command.split())
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == exit_code
    assert re.search(message, " ".join(result.output.split()))
    assert "object at" not in result.output


@pytest.mark.parametrize("error", [KeyError("k"), TypeError("t"), ValueError("v")])
def test_bug_keeps_its_traceback(
    adak: Adak, folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr("spacy_adak.data.corruption.corrupt", fail)
    gold = folder / "gold.spacy"
    assert adak("corrupt", gold, folder / "out.spacy", "-r", 1).exception is error
