import json
import random
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.scorer import get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_adak.data.complete_types import COMPLETE_KEY, state_complete
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.sample_marks import SAMPLE_KEY
from spacy_adak.report.entity_scores import Score
from spacy_adak.report.evaluation import evaluate, score_entities

WORDS = ["Acme", "hired", "Ann", "Lee", "in", "York"]


def make_doc(
    nlp: Language, *spans: tuple[int, int, str], missing: tuple[int, ...] = ()
) -> Doc:
    doc = Doc(nlp.vocab, words=WORDS)
    doc.set_ents(
        [Span(doc, *span) for span in spans],
        missing=[doc[i : i + 1] for i in missing],
        default="outside",
    )
    return doc


def random_doc(rng: random.Random, nlp: Language, text: str, missing: bool) -> Doc:
    """A document with random tokens, entities and, if asked for, missing tokens."""
    words: list[str] = []
    for char in text:
        if words and rng.random() < 0.6:
            words[-1] += char
        else:
            words.append(char)
    doc = Doc(nlp.vocab, words=words, spaces=[False] * len(words))
    ents, unknown, i = [], [], 0
    while i < len(doc):
        end = min(len(doc), i + rng.randint(1, 3))
        if rng.random() < 0.5:
            ents.append(Span(doc, i, end, rng.choice(["PER", "ORG", "LOC"])))
        elif missing and rng.random() < 0.5:
            unknown.append(doc[i:end])
        i = end
    doc.set_ents(ents, missing=unknown, default="outside")
    return doc


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A pipeline that knows two names of the texts by heart, and one of others."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    patterns = [("ORG", "Acme"), ("PER", "York"), ("LOC", "Paris")]
    ruler.add_patterns([{"label": k, "pattern": v} for k, v in patterns])
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def data_path(nlp: Language, tmp_path: Path) -> Path:
    doc = make_doc(nlp, (0, 1, "ORG"), (2, 4, "PER"), (5, 6, "LOC"))
    write_docbin(tmp_path / "gold.spacy", [doc])
    return tmp_path / "gold.spacy"


@pytest.mark.parametrize("missing", [False, True])
def test_scores_are_those_of_spacy(nlp: Language, missing: bool) -> None:
    rng = random.Random(1)
    texts = ["".join(rng.choices("abcdefgh", k=rng.randint(1, 20))) for _ in range(60)]
    examples = [
        Example(random_doc(rng, nlp, text, False), random_doc(rng, nlp, text, missing))
        for text in texts
    ]
    ours = score_entities(examples)
    theirs = get_ner_prf(examples)
    assert (ours.micro.p, ours.micro.r, ours.micro.f) == pytest.approx(
        (theirs["ents_p"], theirs["ents_r"], theirs["ents_f"])
    )
    assert ours.micro.p > 0
    for label, score in ours.per_type.items():
        expected = theirs["ents_per_type"][label]
        assert score[:3] == pytest.approx((expected["p"], expected["r"], expected["f"]))


def test_scores_per_type_and_averages(nlp: Language) -> None:
    gold = make_doc(nlp, (0, 1, "ORG"), (2, 4, "PER"), (5, 6, "LOC"))
    found = make_doc(nlp, (0, 1, "ORG"), (2, 3, "PER"))
    result = score_entities([Example(found, gold)])
    assert result.per_type == {
        "LOC": Score(0.0, 0.0, 0.0, 1),
        "ORG": Score(1.0, 1.0, 1.0, 1),
        "PER": Score(0.0, 0.0, 0.0, 1),
    }
    assert result.micro == pytest.approx(Score(1 / 2, 1 / 3, 2 / 5, 3))
    assert result.macro.f == pytest.approx(1 / 3)


def test_predictions_on_missing_tokens_are_not_scored(nlp: Language) -> None:
    gold = make_doc(nlp, (0, 1, "ORG"), missing=(2, 3))
    found = make_doc(nlp, (0, 1, "ORG"), (2, 3, "PER"), (5, 6, "LOC"))
    result = score_entities([Example(found, gold)])
    assert (result.missing_tokens, result.ignored_predictions) == (2, 1)
    assert result.micro.p == 1 / 2


def test_no_entities_anywhere_score_zero(nlp: Language) -> None:
    result = score_entities([Example(make_doc(nlp), make_doc(nlp))])
    assert result.micro == Score(0.0, 0.0, 0.0, 0)
    assert result.per_type == {}


def test_evaluate_writes_what_it_returns(model: Path, data_path: Path) -> None:
    output = data_path.with_name("scores.json")
    result = evaluate(model, data_path, output=output)
    written = json.loads(output.read_text())
    assert written == result.to_dict()
    assert written["ents_p"] == 1 / 2
    assert written["ents_r"] == pytest.approx(1 / 3)
    assert written["ents_per_type"]["ORG"] == {"p": 1, "r": 1, "f": 1, "support": 1}


def test_table_has_a_row_per_type_and_average(model: Path, data_path: Path) -> None:
    table = evaluate(model, data_path).to_table()
    rows = {line[:9].strip(): line.split()[-4:] for line in table.splitlines()}
    assert rows["ORG"] == ["100.00", "100.00", "100.00", "1"]
    assert rows["micro avg"] == ["50.00", "33.33", "40.00", "3"]
    assert "macro avg" in rows


def test_incomplete_gold_is_warned_of(
    nlp: Language, model: Path, tmp_path: Path
) -> None:
    doc = make_doc(nlp, (0, 1, "ORG"), missing=(4, 5))
    write_docbin(tmp_path / "gold.spacy", [doc])
    with pytest.warns(UserWarning, match=r"W401.*2 of 6 gold tokens.*adak sample"):
        result = evaluate(model, tmp_path / "gold.spacy")
    scores = result.to_dict()
    assert (scores["ents_p"], scores["ents_r"], scores["ents_f"]) == (None, 1.0, None)
    assert scores["annotation_recall"] is None
    naive = scores["scored_as_complete"]
    assert naive["ents_p"] == 1
    assert "look better than they are" in naive["warning"]


def test_incomplete_gold_is_corrected_by_a_given_recall(
    nlp: Language, model: Path, tmp_path: Path
) -> None:
    doc = make_doc(nlp, (0, 1, "ORG"), missing=(1, 6))
    unmarked = make_doc(nlp, missing=(0, 6))
    write_docbin(tmp_path / "gold.spacy", [doc, unmarked])
    with pytest.warns(UserWarning, match=r"W401.*suppose.*at random"):
        result = evaluate(model, tmp_path / "gold.spacy", annotation_recall=0.5)
    scores = result.to_dict()
    # Four predictions, one of them annotated, which stands for two.
    assert scores["ents_p"] == 0.5
    assert scores["ents_r"] == 1.0
    assert scores["ents_f"] == pytest.approx(2 / 3)
    assert scores["ents_p_interval"][0] <= 0.5 <= scores["ents_p_interval"][1]
    assert scores["ents_per_type"]["ORG"]["p"] == 1.0
    assert scores["annotation_recall"]["methods"] == ["given"]
    assert "at random" in scores["note"]


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"annotation_recall": 0.5}, "--annotation-recall"),
        ({"sample": Path("s"), "decisions": Path("d")}, "--sample"),
    ],
)
def test_correction_of_complete_gold_is_warned_of(
    model: Path, data_path: Path, given: dict[str, Any], option: str
) -> None:
    with pytest.warns(UserWarning, match=rf"W405.*{option}.*--unlabelled missing"):
        result = evaluate(model, data_path, **given)
    assert result.corrected is None


def test_type_that_the_pipeline_does_not_have_is_warned_of(
    nlp: Language, model: Path, tmp_path: Path
) -> None:
    doc = make_doc(nlp, (0, 1, "ORG"), (2, 4, "PERSON"))
    write_docbin(tmp_path / "gold.spacy", [doc])
    with pytest.warns(UserWarning, match=r"W404.*gold\.spacy.* PERSON,"):
        evaluate(model, tmp_path / "gold.spacy")


def test_texts_that_were_drawn_count_by_their_weights(
    nlp: Language, model: Path, tmp_path: Path
) -> None:
    found = make_doc(nlp, (0, 1, "ORG"), (5, 6, "PER"))
    missed = make_doc(nlp, (2, 4, "PER"))
    for doc, weight in ((found, 3.0), (missed, 1.0)):
        doc.user_data[SAMPLE_KEY] = {"stratum": "some", "weight": weight}
    write_docbin(tmp_path / "gold.spacy", [found, missed])
    result = evaluate(model, tmp_path / "gold.spacy")
    scores = result.to_dict()
    # Both entities of a text that counts for three, none of another.
    assert scores["ents_r"] == pytest.approx(6 / 7)
    assert scores["ents_p"] == pytest.approx(6 / 8)
    assert scores["without_weights"]["ents_r"] == pytest.approx(2 / 3)
    assert "weights" in scores["note"]


def test_weights_of_some_texts_alone_do_not_count(
    nlp: Language, model: Path, tmp_path: Path
) -> None:
    docs = [make_doc(nlp, (0, 1, "ORG")), make_doc(nlp, (2, 4, "PER"))]
    docs[0].user_data[SAMPLE_KEY] = {"stratum": "some", "weight": 3.0}
    write_docbin(tmp_path / "gold.spacy", docs)
    assert evaluate(model, tmp_path / "gold.spacy").corrected is None


def test_gold_without_annotation_is_an_error(
    nlp: Language, model: Path, tmp_path: Path
) -> None:
    write_docbin(tmp_path / "gold.spacy", [Doc(nlp.vocab, words=WORDS)])
    with pytest.raises(ValueError, match=r"A401.*gold\.spacy"):
        evaluate(model, tmp_path / "gold.spacy")


def test_data_in_another_format_is_an_error(model: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("a O\n")
    with pytest.raises(ValueError, match=r"A400.*gold\.conll.*adak convert"):
        evaluate(model, tmp_path / "gold.conll")


def test_each_type_is_scored_where_gold_is_complete_for_it(
    nlp: Language, model: Path, tmp_path: Path
) -> None:
    everything = (0, 1, 2, 3, 4, 5)
    docs = [make_doc(nlp, missing=everything) for _ in range(3)]
    # "Acme" is found as ORG, and "York" as PER.
    docs[0].set_ents([Span(docs[0], 0, 1, label="ORG")], default="missing")
    state_complete(docs[0], ["ORG"])
    docs[1].set_ents([Span(docs[1], 2, 4, label="PER")], default="missing")
    state_complete(docs[1], ["PER"])
    docs[2].set_ents([Span(docs[2], 5, 6, label="LOC")], default="missing")
    write_docbin(tmp_path / "gold.spacy", docs)
    with pytest.warns(UserWarning, match=r"W403.*Not scored: LOC"):
        found = evaluate(model, tmp_path / "gold.spacy")
    assert found.per_type == {
        "ORG": Score(1.0, 1.0, 1.0, 1),
        "PER": Score(0.0, 0.0, 0.0, 1),
    }
    assert found.micro == Score(0.5, 0.5, 0.5, 2)
    # PER of the first text, ORG of the second, both of the third.
    assert found.ignored_predictions == 4
    values = found.to_dict()
    assert values["complete_texts"] == {"ORG": 1, "PER": 1}
    assert values["not_scored"] == ["LOC"]
    assert found.corrected is None


def test_all_types_complete_are_scored_as_complete_gold(
    nlp: Language, model: Path, data_path: Path, tmp_path: Path
) -> None:
    (doc,) = read_docbin(data_path, nlp.vocab)
    doc.set_ents(list(doc.ents), default="missing")
    state_complete(doc, ["LOC", "ORG", "PER"])
    write_docbin(tmp_path / "stated.spacy", [doc])
    found = evaluate(model, tmp_path / "stated.spacy")
    expected = evaluate(model, data_path)
    assert (found.micro, found.per_type) == (expected.micro, expected.per_type)
    assert found.missing_tokens == 0


def test_an_entity_at_the_edge_of_a_stretch_is_judged(nlp: Language) -> None:
    gold = make_doc(nlp, (2, 4, "PER"), missing=(0, 1, 4, 5))
    gold.spans[COMPLETE_KEY] = [Span(gold, 3, 5, label="PER")]
    predicted = make_doc(nlp, (2, 4, "PER"), (4, 6, "PER"), (0, 1, "PER"))
    found = score_entities([Example(predicted, gold)])
    assert found.per_type == {"PER": Score(0.5, 1.0, pytest.approx(2 / 3), 1)}
    assert found.ignored_predictions == 1
