import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_adak.data.complete_types import COMPLETE_KEY
from spacy_adak.data.origins import DECIDED_KEY, complete, set_annotators
from spacy_adak.data.sample_marks import SAMPLE_KEY
from spacy_adak.report.data_checks import RARE
from spacy_adak.report.debug_data import debug_data
from spacy_adak.report.finding import Finding
from tests.made_texts import make_doc

NLP = spacy.blank("en")


def doc(text: str, *entities: tuple[int, int, str], default: str = "missing") -> Doc:
    return make_doc(NLP.vocab, text, entities, default)


ENOUGH = [doc(f"Ann slept {i}", (0, 1, "PER")) for i in range(RARE)]
DEV = [doc("Ben and Cleo ran", (0, 1, "PER"), (2, 3, "PER"), default="outside")]


def check(train: list[Doc], dev: list[Doc] = DEV) -> dict[str, Finding]:
    return {finding.name: finding for finding in debug_data(train, dev)}


def test_sound_data_has_no_warning() -> None:
    assert {finding.level for finding in check(ENOUGH).values()} == {"info"}


def test_tokens_are_counted_by_what_is_known_of_them() -> None:
    text = doc("Ann met Ben in May", (0, 1, "PER"))
    text.set_ents(
        [Span(text, 0, 1, "PER")],
        outside=[text[1:2]],
        blocked=[text[3:4]],
        default="missing",
    )
    text.spans["incorrect_spans"] = [Span(text, 2, 3, "ORG")]
    found = check([text, doc("Nothing here")])["training_contents"]
    assert found.numbers == {
        "texts": 2,
        "tokens": 7,
        "entities": {"PER": 1},
        "unknown_tokens": 4,
        "outside_tokens": 1,
        "blocked_tokens": 1,
        "ruled_out_spans": 1,
        "touched_texts": 1,
    }
    assert "50.0% of the texts and 42.9% of the tokens" in found.message


def test_recall_compares_with_complete_texts() -> None:
    # One entity in three tokens, and two in four.
    found = check(ENOUGH)["recall"]
    assert found.numbers["recall"] == pytest.approx((1 / 3) / (1 / 2))
    assert found.numbers["methods"] == ["complete texts"]
    assert found.numbers["interval"][0] <= found.numbers["recall"]
    assert "67 % (95 % interval" in found.message
    assert "20 incomplete texts" in found.message


def test_recall_can_not_be_told_without_complete_texts() -> None:
    found = check(ENOUGH, [])["recall"]
    assert found.level == "warning"
    assert "adak sample" in found.message


def test_recall_without_complete_texts_is_that_of_forms_and_an_upper_bound() -> None:
    names = [f"Name{i}" for i in range(20)]
    marked = [doc(f"{name} slept", (0, 1, "PER")) for name in names] * 2
    found = check([*marked, *[doc(f"so {name}") for name in names] * 2], [])["recall"]
    assert found.level == "warning"
    assert found.numbers["methods"] == ["forms"]
    assert found.numbers["recall"] == pytest.approx(1 / 3)
    assert "only completely annotated texts can tell" in found.message
    assert "adak sample" in found.message


def test_recall_of_two_annotators_is_told() -> None:
    texts = []
    for i in range(40):
        text = doc(f"Ann met Ben {i}", (0, 1, "PER"), (2, 3, "PER"))
        first, second = Span(text, 0, 1, "PER"), Span(text, 2, 3, "PER")
        # One marks all, the other every second one.
        set_annotators(text, {"x": [first, second], "y": [first]})
        texts.append(text)
    found = check(texts, [])["recall"]
    assert found.numbers["methods"][0] == "two annotators"
    assert (found.level, found.numbers["is_identifiable"]) == ("info", True)


def test_decisions_are_not_found_by_annotators() -> None:
    text = doc("Ann met Ben", (0, 1, "PER"), (2, 3, "PER"))
    text.spans[DECIDED_KEY] = [Span(text, 2, 3, "PER")]
    found = check([*ENOUGH, text])
    assert found["decided"].numbers == {"decided": 1}
    assert found["recall"].numbers["recall"] == pytest.approx((1 / 3) / (1 / 2))


def test_forms_marked_here_and_not_there() -> None:
    found = check([*ENOUGH, doc("So Ann met Ann")])["marked_here_and_not_there"]
    assert found.numbers == {"forms": 1, "places": 2}
    assert f"'Ann' ({RARE} marked, 2 not)" in found.message


def test_one_form_with_several_types() -> None:
    found = check([*ENOUGH, doc("Ann Ltd", (0, 1, "ORG"))])["several_types"]
    assert found.numbers == {"forms": {"Ann": {"PER": RARE, "ORG": 1}}}


def test_form_marked_and_stated_outside() -> None:
    found = check([*ENOUGH, doc("So Ann", default="outside")])["marked_and_outside"]
    assert (found.level, found.numbers) == ("warning", {"forms": {"Ann": 1}})


def test_equal_texts_in_train_and_dev() -> None:
    found = check([*ENOUGH, doc("Ben and Cleo ran", (0, 1, "PER"))])["equal_texts"]
    assert (found.level, found.numbers) == ("warning", {"texts": 1})


def test_texts_that_were_drawn_for_dev_may_be_training_texts() -> None:
    drawn = doc("Ben and Cleo ran", (0, 1, "PER"), default="outside")
    drawn.user_data[SAMPLE_KEY] = {"weight": 1.0}
    train = [*ENOUGH, doc("Ben and Cleo ran", (0, 1, "PER"))]
    assert "equal_texts" not in check(train, [drawn])


@pytest.mark.parametrize("part", ["training", "dev"])
def test_entities_that_do_not_fall_on_tokens(part: str) -> None:
    text = Doc(NLP.vocab, words=["New", "Yorkers"], spaces=[True, False])
    other = Doc(NLP.vocab, words=["New York", "ers"], spaces=[False, False])
    other.set_ents([Span(other, 0, 1, "LOC")], default="missing")
    assert text.text == other.text
    docs = {"training": list(ENOUGH), "dev": list(DEV)}
    docs[part].append(other)
    findings = debug_data(docs["training"], docs["dev"], nlp=NLP)
    (found,) = (f for f in findings if "misaligned" in f.name)
    assert found.name == f"{part}_misaligned"
    assert found.numbers == {"entities": 1}
    assert "'New York'" in found.message


def test_labels_that_differ_in_case_or_space() -> None:
    train = [*ENOUGH, doc("Ben ran", (0, 1, "per ")), doc("Bo ran", (0, 1, "PE R"))]
    found = check(train)["similar_labels"]
    assert (found.level, found.numbers) == (
        "error",
        {"labels": ["PE R", "PER", "per "]},
    )


def test_types_too_rare_to_learn() -> None:
    assert check([*ENOUGH, doc("Rome", (0, 1, "LOC"))])["rare_types"].numbers == {
        "entities": {"LOC": 1}
    }


def test_types_of_dev_that_are_not_in_train() -> None:
    dev = [*DEV, doc("in Rome", (1, 2, "LOC"), default="outside")]
    assert check(ENOUGH, dev)["unseen_types"].numbers == {"labels": ["LOC"]}


@pytest.mark.parametrize("complete", [DEV, []])
def test_incomplete_dev_data(complete: list[Doc]) -> None:
    dev = [doc("Ben ran", (0, 1, "PER")), *complete]
    found = check(ENOUGH, dev)["incomplete_dev"]
    assert (found.level, found.numbers) == ("warning", {"texts": 1})
    assert "adak sample" in found.message


def test_nothing_unknown_and_nothing_annotated() -> None:
    assert "nothing_unknown" in check([doc("Ann", (0, 1, "PER"))])
    assert check([doc("Ann")])["training_contents"].level == "error"


def test_estimates_are_no_annotation() -> None:
    text = doc("Ann met Ben", (0, 1, "PER"))
    complete(text, [Span(text, 2, 3, "PER")], [0.9])
    numbers = check([text])["training_contents"].numbers
    assert (numbers["entities"], numbers["unknown_tokens"]) == ({"PER": 1}, 2)


def test_types_that_texts_are_complete_for_are_told() -> None:
    texts = [doc("Ann ran", (0, 1, "PER")), doc("Ann ate")]
    texts[1].spans[COMPLETE_KEY] = [Span(texts[1], 0, 1, label="PER")]
    findings = check(texts, [texts[1]])
    numbers = findings["complete_types"].numbers
    assert numbers == {"texts": {"PER": 1}, "whole_texts": {}}
    # What is known to be no entity was not forgotten.
    assert "marked_here_and_not_there" not in findings
    assert "marked_and_outside" in findings
    assert "incomplete_dev" not in findings
