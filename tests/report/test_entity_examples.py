import spacy
from spacy.tokens import Doc, Span, SpanGroup

from spacy_adak.report.entity_examples import PER_KIND, choose_examples

VOCAB = spacy.blank("xx").vocab


def completed(words: list[str], *estimated: tuple[int, int, str, float]) -> Doc:
    """A document with estimated entities and the last word annotated."""
    doc = Doc(VOCAB, words=words)
    annotated = Span(doc, len(words) - 1, len(words), "PLACE")
    spans = [Span(doc, start, end, label) for start, end, label, _ in estimated]
    doc.set_ents([*spans, annotated], default="outside")
    doc.spans["annotated"] = [annotated]
    scores = [score for *_, score in estimated]
    doc.spans["estimated"] = SpanGroup(doc, spans=spans, attrs={"scores": scores})
    return doc


def test_sure_and_doubtful_are_told_apart() -> None:
    doc = completed(
        ["Ann", "met", "Bob", "in", "Rome"], (0, 1, "PER", 0.97), (2, 3, "PER", 0.4)
    )
    found = choose_examples([doc])
    assert (found.sure, found.doubtful) == (1, 1)
    (sure,), (doubtful,) = found.found_examples, found.doubtful_examples
    assert (sure.form, sure.label, sure.probability) == ("Ann", "PER", 0.97)
    assert doubtful.form == "Bob"
    assert "".join(piece.text for piece in sure.pieces) == doc.text
    marked = [(p.text, p.origin) for p in doubtful.pieces if p.label]
    assert marked == [("Ann", "estimated"), ("Bob", "example"), ("Rome", "annotated")]


def test_doubtful_ones_nearest_to_one_half_come_first_and_forms_once() -> None:
    docs = [
        completed([form, "is", "Rome"], (0, 1, "PER", score))
        for form, score in [("Ann", 0.2), ("Bob", 0.52), ("Ann", 0.45), ("Bob", 0.8)]
    ]
    found = choose_examples(docs)
    assert [(e.form, e.probability) for e in found.doubtful_examples] == [
        ("Bob", 0.52),
        ("Ann", 0.45),
    ]
    assert found.doubtful == 4


def test_types_have_as_many_examples_as_there_are() -> None:
    docs = [
        completed([f"N{i}", "is", "Rome"], (0, 1, "ORG" if i % 40 else "RARE", 0.95))
        for i in range(400)
    ]
    examples = choose_examples(docs).found_examples
    labels = [example.label for example in examples]
    assert len(examples) == PER_KIND
    assert labels.count("RARE") == labels.count("ORG")


def test_long_texts_are_cut_around_the_example() -> None:
    words = [*["word"] * 500, "Ann", *["word"] * 500]
    (example,) = choose_examples(
        [completed(words, (500, 501, "PER", 0.99))]
    ).found_examples
    text = "".join(piece.text for piece in example.pieces)
    assert text.startswith("… ")
    assert text.endswith(" …")
    assert "Ann" in text
    assert len(text) < 400


def test_estimates_without_scores_are_left_out() -> None:
    doc = completed(["Ann", "Rome"], (0, 1, "PER", 0.9))
    doc.spans["estimated"].attrs.clear()
    assert choose_examples([doc]).sure == 0
