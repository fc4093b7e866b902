"""Other components beside `adak_ner`, with the standard settings for them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import DocBin
from thinc.api import Config

from spacy_adak.run.train import train
from tests.made_corpus import TINY, make_config, make_docs, write_data

ENCODER = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 16,
    "depth": 1,
    "embed_size": 200,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
}
LISTENER = {
    "@architectures": "spacy.Tok2VecListener.v1",
    "width": 16,
    "upstream": "*",
}


def with_components(
    folder: Path, pipeline: list[str], components: dict[str, Any], **training: Any
) -> Config:
    settings = {**TINY, **write_data(folder / "data"), "adak.rounds": 1}
    config = make_config(**settings)
    config["nlp"]["pipeline"] = pipeline
    for name, block in components.items():
        if name == "adak_ner":
            config["components"][name]["model"]["tok2vec"] = block
        else:
            config["components"][name] = block
    config["training"].update(training)
    return Config().from_str(config.to_str(), interpolate=False)


def tag_words(folder: Path) -> None:
    """Give all data tags: whether a word starts with a capital letter."""
    vocab = spacy.blank("xx").vocab
    for name in ("train.spacy", "dev.spacy"):
        docs = list(DocBin().from_disk(folder / "data" / name).get_docs(vocab))
        for doc in docs:
            for token in doc:
                token.tag_ = "NAME" if token.is_title else "WORD"
        DocBin(docs=docs).to_disk(folder / "data" / name)


def test_encoder_shared_with_a_tagger(tmp_path: Path) -> None:
    config = with_components(
        tmp_path,
        ["tok2vec", "tagger", "adak_ner"],
        {
            "tok2vec": {"factory": "tok2vec", "model": ENCODER},
            "tagger": {
                "factory": "tagger",
                "model": {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER},
            },
            "adak_ner": LISTENER,
        },
        score_weights={"tag_acc": 0.5, "ents_f": 0.5},
        max_epochs=4,
    )
    tag_words(tmp_path)
    nlp, (first,) = train(config, tmp_path / "output")
    scores = nlp.evaluate(
        [
            spacy.training.Example(nlp.make_doc(doc.text), doc)
            for doc in DocBin()
            .from_disk(tmp_path / "data" / "dev.spacy")
            .get_docs(nlp.vocab)
        ]
    )
    assert scores["tag_acc"] > 0.8
    assert first.score == pytest.approx(
        0.5 * scores["tag_acc"] + 0.5 * scores["ents_f"]
    )


def test_sourced_component_that_is_frozen_stays_as_it_is(tmp_path: Path) -> None:
    source = spacy.blank("xx")
    textcat = source.add_pipe("textcat")
    textcat.add_label("A")
    textcat.add_label("B")
    source.initialize()
    source.to_disk(tmp_path / "source")
    config = with_components(
        tmp_path,
        ["textcat", "adak_ner"],
        {"textcat": {"source": str(tmp_path / "source")}},
        frozen_components=["textcat"],
    )
    nlp, _ = train(config, tmp_path / "output")
    assert nlp.get_pipe("textcat").model.to_bytes() == textcat.model.to_bytes()
    assert nlp("Ann Lee flew to Nordorf .").cats.keys() == {"A", "B"}


def test_sourced_adak_ner_goes_on_from_its_weights(tmp_path: Path) -> None:
    train(with_components(tmp_path, ["adak_ner"], {}), tmp_path / "first")
    config = with_components(tmp_path, ["adak_ner"], {})
    config["components"] = {"adak_ner": {"source": str(tmp_path / "first/model-best")}}
    config["training"]["optimizer"]["learn_rate"] = 0.0
    config["training"]["optimizer"]["L2"] = 0.0
    train(config, tmp_path / "second")
    first, second = (
        spacy.load(tmp_path / name / "model-best").get_pipe("adak_ner").model.to_bytes()
        for name in ("first", "second")
    )
    assert first == second


def test_sourced_adak_ner_learns_labels_that_it_did_not_have(tmp_path: Path) -> None:
    config = with_components(tmp_path, ["adak_ner"], {})
    source = spacy.blank("xx")
    source.add_pipe(
        "adak_ner", config={"model": config["components"]["adak_ner"]["model"]}
    )
    source.get_pipe("adak_ner").add_label("PERSON")
    examples = [
        spacy.training.Example(source.make_doc("Ann came"), source.make_doc("Ann came"))
    ]
    source.initialize(lambda: examples)
    source.to_disk(tmp_path / "source")
    config["components"] = {"adak_ner": {"source": str(tmp_path / "source")}}
    nlp, _ = train(config, tmp_path / "output")
    assert nlp.get_pipe("adak_ner").labels == ("PERSON", "FIRM", "PLACE")


def test_sentences_of_another_component_are_used(tmp_path: Path) -> None:
    config = with_components(
        tmp_path,
        ["sentencizer", "adak_ner"],
        {"sentencizer": {"factory": "sentencizer"}},
        annotating_components=["sentencizer"],
    )
    nlp, _ = train(config, tmp_path / "output")
    assert nlp.pipe_names == ["sentencizer", "adak_ner"]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_listener_to_a_transformer(tmp_path: Path, tiny_bert: Path) -> None:
    config = with_components(
        tmp_path,
        ["transformer", "adak_ner"],
        {
            "transformer": {
                "factory": "transformer",
                "model": {
                    "@architectures": "spacy-transformers.TransformerModel.v3",
                    "name": str(tiny_bert),
                    "get_spans": {
                        "@span_getters": "spacy-transformers.strided_spans.v1",
                        "window": 24,
                        "stride": 18,
                    },
                    "tokenizer_config": {"use_fast": True},
                },
            },
            "adak_ner": {
                "@architectures": "spacy-transformers.TransformerListener.v1",
                "grad_factor": 1.0,
                "pooling": {"@layers": "reduce_mean.v1"},
            },
        },
    )
    nlp, _ = train(config, tmp_path / "output")
    docs = list(nlp.pipe(doc.text for doc in make_docs(3)))
    assert all(doc.has_annotation("ENT_IOB") for doc in docs)


def test_code_with_registered_functions_is_imported_in_every_process(
    tmp_path: Path,
) -> None:
    (tmp_path / "code.py").write_text(
        "import spacy\n"
        "@spacy.registry.callbacks('note_update.v1')\n"
        "def make():\n"
        "    return lambda nlp, args: None\n"
    )
    config = with_components(
        tmp_path,
        ["adak_ner"],
        {},
        before_update={"@callbacks": "note_update.v1"},
    )
    config["adak"].update({"executor": "joblib", "n_jobs": 2})
    nlp, _ = train(config, tmp_path / "output", code_path=tmp_path / "code.py")
    assert nlp.pipe_names == ["adak_ner"]


def test_standard_callbacks_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = tmp_path / "steps.jsonl"
    monkeypatch.setenv("STEPS_FILE", str(steps))

    @spacy.registry.callbacks("note_steps.v1")
    def make() -> Any:
        def note(nlp: Any, args: dict[str, int]) -> None:
            with open(os.environ["STEPS_FILE"], "a") as file:
                file.write(json.dumps(args) + "\n")

        return note

    config = with_components(
        tmp_path, ["adak_ner"], {}, before_update={"@callbacks": "note_steps.v1"}
    )
    train(config, tmp_path / "output")
    # Two folds of three batches, and five batches of all data.
    assert len(steps.read_text().splitlines()) == 11
