"""A new type for a trained pipeline, which is a guesser of the types that it knows."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_adak.run.preflight import check_run
from spacy_adak.run.train import train
from spacy_adak.shards.recall_file import read_recall
from tests.made_corpus import forms_config, make_docs

OLD = ["FIRM", "PERSON"]


def only(doc: Doc, label: str) -> Doc:
    """The text with the entities of a type, about which alone something is known."""
    copy = doc.copy()
    kept = [ent for ent in doc.ents if ent.label_ == label]
    copy.set_ents(kept, default="missing")
    return copy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts annotated for PLACE alone, complete dev texts, and a pipeline that knows
    most of the other names of both."""
    folder = tmp_path_factory.mktemp("new_type")
    texts, dev = make_docs(80), make_docs(60, seed=99)
    DocBin(docs=[only(doc, "PLACE") for doc in texts]).to_disk(folder / "train.spacy")
    DocBin(docs=dev).to_disk(folder / "dev.spacy")
    forms = {(e.label_, e.text) for doc in (*texts, *dev) for e in doc.ents}
    known = sorted(form for form in forms if form[0] in OLD)[::3]
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns(  # type: ignore[attr-defined]
        [{"label": label, "pattern": text} for label, text in known]
    )
    nlp.to_disk(folder / "old")
    return folder


def asking(folder: Path) -> dict[str, Any]:
    return {
        "adak.guessers.old.@misc": "spacy-adak.PipelineGuesser.v1",
        "adak.guessers.old.pipeline": str(folder / "old"),
    }


def test_types_that_only_a_guesser_knows_are_learnt(folder: Path) -> None:
    checked = check_run(forms_config(folder, **asking(folder)), -1, strict=True)
    assert checked.labels == ["FIRM", "PERSON", "PLACE"]


def test_types_that_nobody_knows_are_still_a_problem(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"A212.*FIRM, PERSON"):
        check_run(forms_config(folder), -1, strict=True)


def test_guesses_in_the_data_count_as_well(folder: Path, tmp_path: Path) -> None:
    docs = [only(doc, "PLACE") for doc in make_docs(80)]
    for doc in docs:
        doc.spans["guessed:llm"] = [
            Span(doc, 0, 1, label="FIRM"),
            Span(doc, 1, 2, label="PERSON"),
        ]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    path = {"paths.train": str(tmp_path / "train.spacy")}
    checked = check_run(forms_config(folder, **path), -1, strict=False)
    assert checked.labels == ["FIRM", "PERSON", "PLACE"]


@pytest.mark.filterwarnings("ignore:.*W2")
def test_what_nobody_was_asked_to_annotate_is_not_held_to_be_outside(
    folder: Path, tmp_path: Path
) -> None:
    nlp, _ = train(forms_config(folder, **asking(folder)), tmp_path / "output")
    assert nlp.get_pipe("adak_ner").labels == ("FIRM", "PERSON", "PLACE")
    recall = read_recall(tmp_path / "output")
    assert recall is not None
    # None of the old types is annotated in the texts, and all of PLACE.
    assert recall.per_type["PERSON"] == recall.per_type["FIRM"] == 0.01
    assert recall.per_type["PLACE"] > 0.7
    path = tmp_path / "output" / "train-completed.spacy"
    completed = list(DocBin().from_disk(path).get_docs(nlp.vocab))
    estimated = {s.label_ for doc in completed for s in doc.spans["estimated"]}
    assert estimated & set(OLD)
