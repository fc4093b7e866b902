import spacy
from spacy.tokens import Doc, Span, SpanGroup


def docs_of_every_kind(user_data: bool) -> list[Doc]:
    """A document with all that spaCy can write, an empty one, and one whose spaces are
    not known."""
    nlp = spacy.blank("en")
    words = ["Ann", "mét", "Bob", "\n"]
    doc = Doc(
        nlp.vocab,
        words=words,
        spaces=[True, True, False, False],
        tags=["NNP", "VBD", "NNP", "_SP"],
        lemmas=["Ann", "meet", "Bob", "\n"],
        morphs=["Number=Sing", "", "Case=Nom|Number=Sing", ""],
        deps=["nsubj", "ROOT", "dobj", "dep"],
        heads=[1, 1, 1, 2],
    )
    doc.set_ents([Span(doc, 0, 1, "PER", kb_id="Q1", span_id="a")], default="missing")
    doc.spans["estimated"] = SpanGroup(
        doc, spans=[Span(doc, 2, 3, "X", kb_id="Q2")], attrs={"scores": [0.5]}
    )
    doc.spans["annotator:a"] = []
    doc.cats = {"news": 0.5}
    if user_data:
        doc.user_data["source"] = "wire"
    unspaced = Doc(nlp.vocab, words=["a", "b"], spaces=None)
    return [doc, nlp.make_doc(""), unspaced]
