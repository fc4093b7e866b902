"""Feed the readers of annotations with whatever breaks them, guided by coverage.

    pip install atheris
    python -m scripts.fuzz_readers --format spans --seconds 60 --found found/spans

A reader has to make documents that can be written and read again, or to raise an error
with a code. Anything else is a find, and belongs into `tests/data/nasty` once mended.
"""

import re
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import get_args

import spacy
from spacy.language import Language

from spacy_adak.data.docbin import read_docbin
from spacy_adak.data.formats import SUFFIXES, Format, detect_format
from spacy_adak.data.readers import Reading, read_docs
from spacy_adak.data.summary import Summary
from spacy_adak.data.writers import Writing, write_docs

SEEDS = Path(__file__).parents[1] / "tests" / "data" / "nasty"
# A file of brat is two.
BETWEEN_ANNOTATIONS_AND_TEXT = b"\n=====\n"
_CODED = re.compile(r"\[A3\d\d\]")


def convert_bytes(
    data: bytes, source_format: Format, folder: Path, nlp: Language
) -> int:
    """Read a file that has some content, write what is in it and read that again.

    data (bytes): The content.
    source_format (str): The format it is read as.
    folder (Path): Where to write the file.
    nlp (Language): Has the tokenizer.
    RETURNS (int): How many documents were in it; -1 if it was refused.
    """
    path = folder / f"input{SUFFIXES[source_format][0]}"
    if source_format == "brat":
        data, _, text = data.partition(BETWEEN_ANNOTATIONS_AND_TEXT)
        path.with_suffix(".txt").write_bytes(text)
    path.write_bytes(data)
    reading = Reading(
        unlabelled=None if source_format == "spacy" else "outside",
        n_sents=1,
        token_column=0,
        tag_column=-1,
        document_column=None,
        tag_scheme=None,
        labels="O,B-PER,I-PER",
        text_key="text",
        alignment_mode="expand",
        incorrect_spans_key="incorrect_spans",
        annotators="union",
    )
    summary = Summary()
    try:
        detect_format(path)
        docs = list(read_docs(path, source_format, nlp, reading, summary))
        for problem in summary.problems:
            str(problem).encode("utf8")
        writing = Writing("BIO", "text", "incorrect_spans")
        for target in ("spacy", "spans", "prodigy", "label-studio", "doccano", "conll"):
            write_docs(docs, folder / "output", target, writing)
            if target == "spacy":
                again = list(read_docbin(folder / "output", nlp.vocab))
                assert [d.text for d in again] == [d.text for d in docs]
    except ValueError as error:
        if _CODED.match(str(error)) is None:
            raise
        return -1
    return len(docs)


def _own_functions() -> Iterator[FunctionType]:
    """The functions of our readers, whose coverage guides the fuzzer."""
    for name, module in list(sys.modules.items()):
        if name.startswith("spacy_adak.data."):
            for value in vars(module).values():
                if isinstance(value, FunctionType) and value.__module__ == name:
                    yield value


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--format", choices=get_args(Format), required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--found", type=Path, required=True, help="folder for finds")
    args = parser.parse_args()
    import atheris

    for function in _own_functions():
        atheris.instrument_func(function)
    warnings.simplefilter("ignore")
    nlp = spacy.blank("en")
    args.found.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:

        def test_one_input(data: bytes) -> None:
            convert_bytes(data, args.format, Path(folder), nlp)

        options = [
            f"-max_total_time={args.seconds}",
            "-max_len=2000",
            "-timeout=20",
            f"-artifact_prefix={args.found}/",
            str(args.found),
            str(SEEDS / args.format),
        ]
        atheris.Setup([sys.argv[0], *options], test_one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
