"""Store what the pipeline of the demo finds in a sentence of its training data, for the
picture in the README.

python -m scripts.docs.example   # after `make demo`
"""

import json
from pathlib import Path

import spacy

from spacy_adak.atomic import write_bytes
from spacy_adak.data.docbin import read_docbin

EXAMPLE = Path("docs/images/example.json")
MODEL = Path("training/sample/adak/model-best")
TRAIN = Path("corpus/sample/train_random_0.2.spacy")
# "Mrs Sarrton joined Kynetek Capital from Fenwold Insurance in 2022."
NUMBER = 222


def main() -> None:
    """Write the file."""
    nlp = spacy.load(MODEL)
    annotated = list(read_docbin(TRAIN, nlp.vocab))[NUMBER]
    doc = nlp(annotated.text)
    spans = doc.spans["adak_ner"]
    example = {
        "text": annotated.text,
        "marked": [[e.start_char, e.end_char, e.label_] for e in annotated.ents],
        "found": [
            [span.start_char, span.end_char, span.label_, round(float(probability), 2)]
            for span, probability in zip(spans, spans.attrs["scores"], strict=True)
        ],
    }
    write_bytes(EXAMPLE, f"{json.dumps(example, ensure_ascii=False)}\n".encode())


if __name__ == "__main__":
    main()
