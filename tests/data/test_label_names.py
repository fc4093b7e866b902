from spacy.tokens import Span

from spacy_adak.data.complete_types import COMPLETE_KEY, complete_tokens
from spacy_adak.data.label_names import rename

from .entity_docs import complete, entities, make_doc, stated


def test_labels_that_become_one_are_complete_where_all_are() -> None:
    doc = make_doc("Ann Lee ran home", (0, 2, "PERSON"))
    doc.spans[COMPLETE_KEY] = [
        Span(doc, 0, 3, label="PERSON"),
        Span(doc, 1, 4, label="PER"),
    ]
    names = {"PERSON": "PER", "PER": "PER", "ORG": "ORG"}
    renamed = rename(doc, names)
    assert entities(renamed) == [(0, 2, "PER")]
    assert complete_tokens(renamed)["PER"].tolist() == [False, True, True, False]
    # The type is there, and no text is complete for it.
    assert stated(rename(complete(make_doc("Ann ran"), "PER"), names)) == []
    assert rename(doc, {"PERSON": "PERSON"}) is doc
