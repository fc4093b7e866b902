"""What a conversion did: documents, entities, unknown tokens, repairs, skips."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from spacy.tokens import Doc

from ..errors import Errors, printable
from .complete_types import types_complete_in
from .guesses import guesses_of
from .origins import ESTIMATED_KEY

Outcome = Literal["repaired", "skipped"]


class Place(NamedTuple):
    """A record of a file, by the line it starts on, and by what it is called there if
    lines are not enough to tell records apart."""

    path: Path
    line: int
    name: str | None = None


class Problem(NamedTuple):
    """Something in a record that could not be read as it is."""

    record: Place
    line: int
    outcome: Outcome
    message: str

    def __str__(self) -> str:
        name = f", {self.record.name}" if self.record.name else ""
        text = f"{self.record.path}, line {self.line}{name}: {self.message}"
        return printable(text)


@dataclass
class Summary:
    """Counts what was read and collects the problems met on the way.

    strict (bool): Raise at the first problem instead of collecting it.
    """

    strict: bool = False
    documents: int = 0
    tokens: int = 0
    unknown_tokens: int = 0
    entities: Counter[str] = field(default_factory=Counter)
    ruled_out: int = 0
    estimated: int = 0
    guessed: int = 0
    complete: Counter[str] = field(default_factory=Counter)
    annotators: Counter[str] = field(default_factory=Counter)
    by_several: int = 0
    disputed: int = 0
    set_aside: int = 0
    problems: list[Problem] = field(default_factory=list)
    outputs: list[Path] = field(default_factory=list)
    # A file may have many problems, and it is asked of each record whether it has one.
    _with_problems: set[Place] = field(
        default_factory=set, init=False, repr=False, compare=False
    )

    def add_problem(
        self, record: Place, outcome: Outcome, message: str, line: int | None = None
    ) -> None:
        """Note a problem, or raise it if the conversion is strict.

        record (Place): The record it was met in.
        outcome (str): "repaired" if the record is kept, "skipped" if it is not.
        message (str): What is wrong and what was done about it.
        line (int | None): The line of the problem, if not the record's first one.
        """
        problem = Problem(record, line or record.line, outcome, message)
        if self.strict:
            raise ValueError(Errors.A300.format(problem=problem))
        self.problems.append(problem)
        self._with_problems.add(record)

    def has_problem(self, record: Place) -> bool:
        """RETURNS (bool): Whether a problem was met in a record."""
        return record in self._with_problems

    def add_doc(self, doc: Doc, incorrect_spans_key: str) -> list[int]:
        """Count a document that was read.

        doc (Doc): The document. Its entities have to be facts.
        incorrect_spans_key (str): Where its ruled-out spans are.
        RETURNS (list[int]): What is known of each token: its `ent_iob`.
        """
        iob: list[int] = doc.to_array("ENT_IOB").tolist()
        self.documents += 1
        self.tokens += len(doc)
        self.unknown_tokens += iob.count(0)
        if 3 in iob:
            self.entities.update(ent.label_ for ent in doc.ents)
        if len(doc.spans):
            self.ruled_out += len(doc.spans.get(incorrect_spans_key, ()))
            self.estimated += len(doc.spans.get(ESTIMATED_KEY, ()))
            self.guessed += sum(map(len, guesses_of(doc).values()))
            self.complete.update(types_complete_in(doc))
        return iob

    def add_annotators(self, names: Collection[str]) -> None:
        """Count a text for those who have annotated it.

        names (Collection[str]): The annotators whose names are known.
        """
        self.annotators.update(list(names))  # of a mapping it would add the values
        self.by_several += len(names) > 1

    def count_records(self, outcome: Outcome) -> int:
        """RETURNS (int): How many records were repaired, or skipped."""
        return len({p.record for p in self.problems if p.outcome == outcome})
