"""Run frozen encoders on a part of all texts, as one task of the outer loop."""

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus
from spacy.util import minibatch

from ..encoders.frozen import frozen_encoders
from ..shards.checkpoint import write_json
from .blueprint import Blueprint
from .logs import logging_to
from .progress_file import ProgressFile

# The files which say that texts are encoded, as a pattern.
ENCODED_FILES = "encoded-*.json"
# How many texts are encoded between two reports of progress. They are dealt out in
# blocks as large, so that the same texts are encoded together for any number of
# parts.
_BLOCK = 256


class EncodingTask(NamedTuple):
    """What a worker needs to know to encode a part of the texts. Data goes by path.

    A text that is encoded already is not encoded again, so a task that was killed goes
    on where it was.

    blueprint (Blueprint): Of a pipeline that has the encoders.
    files (tuple[Path, ...]): `.spacy` files with the texts.
    part (int): Which of the parts that the texts are dealt out to.
    parts (int): How many there are.
    """

    blueprint: Blueprint
    files: tuple[Path, ...]
    part: int
    parts: int

    @property
    def name(self) -> str:
        """RETURNS (str): For messages."""
        return f"texts, part {self.part + 1} of {self.parts}"

    @property
    def output(self) -> Path:
        """RETURNS (Path): Written last, so everything is complete if it exists."""
        name = f"encoded-{self.part + 1}-of-{self.parts}.json"
        return self.blueprint.frozen / name

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where an error is written down."""
        return self.output.with_suffix(".log")

    @property
    def progress_path(self) -> Path:
        """RETURNS (Path): Where the task says how far it is."""
        return self.output.with_suffix(".progress")

    def is_done(self) -> bool:
        """RETURNS (bool): Whether all texts are encoded."""
        return self.output.exists()

    def run(self) -> None:
        """Encode the texts, unless that is done already."""
        if self.is_done():
            return
        with self.log_path.open("w", encoding="utf8") as log, logging_to(log):
            nlp = self.blueprint.make_pipeline()
        docs = list(self._docs(nlp))
        encoders = list(frozen_encoders(nlp))
        progress = ProgressFile(self.progress_path, total=len(docs))
        for batch in minibatch(docs, size=_BLOCK):
            for encoder in encoders:
                encoder.share_rows(batch)
            progress.advance(len(batch))
        write_json(self.output, {"texts": len(docs)})

    def _docs(self, nlp: Language) -> Iterator[Doc]:
        """The texts as trainings see them."""
        examples = chain.from_iterable(Corpus(path)(nlp) for path in self.files)
        blocks = minibatch(examples, size=_BLOCK)
        for block in islice(blocks, self.part, None, self.parts):
            for example in block:
                yield example.predicted
