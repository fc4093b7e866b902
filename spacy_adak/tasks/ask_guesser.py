"""Ask a guesser about a part of all texts, as one task of the outer loop."""

from pathlib import Path
from typing import NamedTuple

from spacy.cli._util import import_code
from spacy.util import load_config, minibatch
from spacy.vocab import Vocab
from thinc.api import require_gpu

from ..data.docbin import read_docbin
from ..data.guesses import Guess
from ..q.adak_block import read_settings
from ..q.guessers import ask, make_guesser
from ..shards.checkpoint import write_json
from ..shards.guess_files import answers_path, write_answers
from .logs import logging_to
from .progress_file import ProgressFile

# How many texts are asked about between two reports of progress.
_DOCS_AT_A_TIME = 32


class GuessingTask(NamedTuple):
    """What a worker needs to know to ask a guesser. Data goes by path.

    A file with answers is not asked about again, so a task that was killed
    goes on where it was.

    guesser (str): The name of the guesser in the config.
    config_path (Path): The config of the run.
    files (tuple[Path, ...]): `.spacy` files with the texts.
    folder (Path): The folder for the answers.
    part (int): Which of the parts that the files are dealt out to.
    parts (int): How many there are.
    use_gpu (int): The id of a GPU, or -1.
    code_path (Path | None): Python code to import first.
    """

    guesser: str
    config_path: Path
    files: tuple[Path, ...]
    folder: Path
    part: int
    parts: int
    use_gpu: int
    code_path: Path | None

    @property
    def name(self) -> str:
        """RETURNS (str): For messages."""
        return f"guesses of {self.guesser}, part {self.part + 1} of {self.parts}"

    @property
    def output(self) -> Path:
        """RETURNS (Path): Written last, so everything is complete if it exists."""
        name = f"{self.guesser}-{self.part + 1}-of-{self.parts}.json"
        return self.folder / name

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where an error is written down."""
        return self.output.with_suffix(".log")

    @property
    def progress_path(self) -> Path:
        """RETURNS (Path): Where the task says how far it is."""
        return self.output.with_suffix(".progress")

    def is_done(self) -> bool:
        """RETURNS (bool): Whether all answers exist."""
        return self.output.exists()

    def run(self) -> None:
        """Ask the guesser, unless that is done already."""
        if self.is_done():
            return
        if self.use_gpu >= 0:
            require_gpu(self.use_gpu)
        import_code(self.code_path)
        config = load_config(self.config_path, interpolate=True)
        with self.log_path.open("w", encoding="utf8") as log, logging_to(log):
            guesser = make_guesser(read_settings(config).guessers[self.guesser])
        texts = {
            path: list(read_docbin(path, Vocab()))
            for path in self.files[self.part :: self.parts]
        }
        total = sum(map(len, texts.values()))
        progress = ProgressFile(self.progress_path, total)
        for path, docs in texts.items():
            answers_of_file = answers_path(self.folder, self.guesser, path)
            if answers_of_file.exists():
                progress.advance(len(docs))
                continue
            answers: list[list[Guess]] = []
            for batch in minibatch(docs, size=_DOCS_AT_A_TIME):
                answers += ask(self.guesser, guesser, batch)
                progress.advance(len(batch))
            write_answers(answers_of_file, answers)
        write_json(self.output, {"texts": total})
