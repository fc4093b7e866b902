"""Statistics over all documents of a file, to check whether its conversion makes
sense."""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc

from ..errors import Errors, Warnings
from .agreement import RULES
from .complete_types import has_statement
from .formats import Format, Target
from .guesses import named_guesses
from .origins import estimates_of, without_estimates
from .sentences import LANGUAGES_WITHOUT_SPACES
from .summary import Summary

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# Of how many documents the text is looked at.
_SAMPLE = 100


class FileContent:
    """Statistics over all documents of a file. Documents are not kept.

    target_format (str): The format they are written in.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    complete_types (Sequence[str]): The types that the file is said to be complete for.
    """

    def __init__(
        self,
        target_format: Target,
        incorrect_spans_key: str,
        complete_types: Sequence[str],
    ) -> None:
        self._format = target_format
        self._key = incorrect_spans_key
        self._complete_types = complete_types
        self._types: set[str] = set()
        self._stated = 0
        self._guessers: set[str] = set()
        self._documents = self._ruled_out = self._estimates = 0
        self._has_entities = self._has_outside = False
        # Documents with tokens or spans that nobody has decided on, and those of them
        # that have tokens stated to be outside.
        self._open = self._mixed = 0
        self._sample = ""

    def watch(self, docs: Iterable[Doc], summary: Summary) -> Iterator[Doc]:
        """Count documents as they pass.

        docs (Iterable[Doc]): The documents.
        summary (Summary): Where all that is read is counted.
        YIELDS (Doc): The same documents.
        """
        for doc in docs:
            facts = without_estimates(doc)
            self._count(facts, summary.add_doc(facts, self._key))
            yield doc

    def _count(self, facts: Doc, iob: list[int]) -> None:
        self._documents += 1
        if self._documents <= _SAMPLE:
            self._sample += facts.text
        if self._complete_types:
            self._types.update(ent.label_ for ent in facts.ents)
        self._stated += has_statement(facts)
        guesses = named_guesses(facts) if len(facts.spans) else {}
        self._guessers.update(guesses)
        estimates = len(estimates_of(facts)) if len(facts.spans) else 0
        ruled_out = len(facts.spans.get(self._key, ())) if len(facts.spans) else 0
        self._estimates += estimates
        self._ruled_out += ruled_out
        self._has_entities |= bool(
            estimates or ruled_out or 3 in iob or any(guesses.values())
        )
        has_outside = 2 in iob
        is_open = bool(estimates or 0 in iob)
        self._has_outside |= has_outside
        self._open += is_open
        self._mixed += is_open and has_outside

    def check(
        self,
        path: Path,
        source_format: Format,
        lang: str,
        annotators: str,
        summary: Summary,
    ) -> None:
        """Stop where there is nothing to write, and warn where it cannot be right.

        path (Path): The file that was read.
        source_format (Format): Its format.
        lang (str): The language it was read in.
        annotators (str): Whose annotation was taken.
        summary (Summary): What was read, and the problems.
        """
        if not self._documents and annotators not in RULES:
            names = ", ".join(sorted(summary.annotators)) or "none"
            raise ValueError(Errors.A317.format(name=annotators, names=names))
        if not self._documents:
            problems = summary.problems
            raise ValueError(
                Errors.A311.format(
                    path=path,
                    format=source_format,
                    skipped=summary.count_records("skipped"),
                    set_aside=summary.set_aside,
                    problem=f" The first problem: {problems[0]}" if problems else "",
                )
            )
        if not self._has_entities:
            warnings.warn(Warnings.W329.format(path=path), stacklevel=3)
        unseen = [label for label in self._complete_types if label not in self._types]
        if unseen:
            types = ", ".join(sorted(self._types)) or "none"
            message = Warnings.W342.format(
                labels=", ".join(unseen), path=path, types=types
            )
            warnings.warn(message, stacklevel=3)
        cjk = len(_CJK.findall(self._sample))
        is_cjk = 2 * cjk > len(self._sample.replace(" ", ""))
        if is_cjk and lang not in LANGUAGES_WITHOUT_SPACES:
            warnings.warn(Warnings.W328.format(lang=lang), stacklevel=3)
        self._warn_of_losses()

    def _warn_of_losses(self) -> None:
        """Say what the target format has no place for."""
        losses = []
        if self._format == "prodigy":
            losses.append((Warnings.W326, self._mixed))
        elif self._format in ("doccano", "label-studio"):
            # One answer has to hold for the whole file.
            losses.append((Warnings.W326, self._open if self._has_outside else 0))
        if self._format in ("conll", "doccano"):
            losses.append((Warnings.W334, self._estimates))
        if self._format in ("conll", "doccano", "label-studio"):
            losses.append((Warnings.W327, self._ruled_out))
        if self._format == "conll":
            losses.append((Warnings.W343, self._stated))
        if self._guessers and self._format not in ("spacy", "spans"):
            names = ", ".join(sorted(self._guessers))
            message = Warnings.W348.format(names=names, format=self._format)
            warnings.warn(message, stacklevel=4)
        for message, count in losses:
            if count:
                text = message.format(count=count, format=self._format)
                warnings.warn(text, stacklevel=4)
