"""Find everything that is wrong with guessers before the first step."""

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from spacy.tokens import Doc

from ..data.guesses import guesses_of
from ..errors import Errors, Warnings, describe
from ..q.adak_block import AdakSettings
from ..q.guessers import PipelineGuesser, ask, make_guesser

# So many texts are enough to see that a guesser answers.
_TEXTS = 20
_NAME = re.compile(r"[\w-]+")


def problems_of_guessers(
    settings: AdakSettings, docs: Sequence[Doc], labels: set[str], uses_q: bool
) -> Iterator[str]:
    """Ask guessers about a few texts.

    settings (AdakSettings): The settings that name them.
    docs (Sequence[Doc]): The training data.
    labels (set[str]): The labels in it.
    uses_q (bool): Whether the loss looks at q.
    YIELDS (str): What is wrong.
    """
    groups = {name for doc in docs for name in guesses_of(doc)}
    if not (uses_q and settings.start.has_likelihood):
        if settings.guessers:
            yield Errors.A243
        elif groups:
            message = Warnings.W216.format(names=", ".join(sorted(groups)))
            warnings.warn(message, stacklevel=2)
    for name, block in settings.guessers.items():
        if not _NAME.fullmatch(name):
            error = "its name may have letters, digits, _ and - only"
            yield Errors.A240.format(name=name, error=error)
            continue
        if name in groups:
            yield Errors.A245.format(name=name, group=name)
        try:
            guesser = make_guesser(block)
            answers = list(ask(name, guesser, docs[:_TEXTS]))
        except Exception as error:  # A guesser may be anything.
            yield Errors.A240.format(name=name, error=describe(error))
            continue
        found = {guess.label for answer in answers for guess in answer}
        if isinstance(guesser, PipelineGuesser):
            found |= guesser.known_labels()
        if found and labels and not found & labels:
            yield Errors.A241.format(
                name=name,
                found=", ".join(sorted(found)),
                labels=", ".join(sorted(labels)),
                example=min(found),
                label=min(labels),
            )


def guessed_types(settings: AdakSettings, docs: Sequence[Doc]) -> set[str]:
    """Find which types are guessed, in the data or by a pipeline that the config names.

    settings (AdakSettings): The settings that name guessers.
    docs (Sequence[Doc]): The training data.
    RETURNS (set[str]): The types. A guesser that can't be loaded has none.
    """
    types = {
        guess.label
        for doc in docs
        for guesses in guesses_of(doc).values()
        for guess in guesses
    }
    for block in settings.guessers.values():
        with suppress(Exception):  # What is wrong with it is told elsewhere.
            guesser = make_guesser(block)
            if isinstance(guesser, PipelineGuesser):
                types |= guesser.known_labels()
    return types


def refuse_own_models(settings: AdakSettings, folder: Path) -> None:
    """Raise an error for a guesser that the run itself would replace.

    settings (AdakSettings): The settings that name the guessers.
    folder (Path): The output folder of the run.
    """
    for name, block in settings.guessers.items():
        path = Path(str(block.get("pipeline", ""))).absolute()
        if path.exists() and path != folder and path.is_relative_to(folder):
            raise ValueError(Errors.A242.format(name=name, path=path))
