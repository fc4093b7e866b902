"""What guessers say in annotated data."""

from collections import Counter
from collections.abc import Iterable, Sequence

from spacy.tokens import Doc

from ..data.guesses import guesses_of
from .finding import Finding


def check_guesses(train: Sequence[Doc], dev: Sequence[Doc]) -> Iterable[Finding]:
    """Count the guesses of each guesser, and check whether their labels are annotated.

    train (Sequence[Doc]): The training data.
    dev (Sequence[Doc]): The dev data, if there is any.
    YIELDS (Finding): What was found.
    """
    known = {ent.label_ for doc in [*train, *dev] for ent in doc.ents}
    texts: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = {}
    for doc in [*train, *dev]:
        for name, guesses in guesses_of(doc).items():
            texts[name] += 1
            counts = labels.setdefault(name, Counter())
            counts.update(guess.label for guess in guesses)
    for name, counts in sorted(labels.items()):
        listed = ", ".join(f"{label} {n:,}" for label, n in sorted(counts.items()))
        message = (
            f"{name} guesses {counts.total():,} entities in {texts[name]:,} of the "
            f"{len(train) + len(dev):,} texts{': ' if listed else ''}{listed}."
        )
        data = {"guesser": name, "texts": texts[name], "guesses": dict(counts)}
        if not known or not counts or counts.keys() & known:
            yield Finding("guesses", "info", message, data)
            continue
        message += (
            f" None of its labels is annotated ({', '.join(sorted(known))}), so its "
            "guesses are not compared with anything. Give them these labels."
        )
        yield Finding("guesses", "warning", message, data)
