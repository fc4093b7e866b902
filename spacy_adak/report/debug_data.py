"""What is in annotated data, and what would prevent training on it.

`spacy debug data` does not count missing values, which are the subject of these checks.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from spacy.language import Language
from spacy.tokens import Doc

from ..data.complete_types import (
    corpus_types,
    with_outside_stated,
)
from ..data.convert import make_tokenizer, read_annotations
from ..data.origins import INCORRECT_SPANS_KEY, without_estimates
from ..data.summary import Summary
from ..run.overrides import read_config
from ..run.preflight import read_data
from ..shards.references import tokenizing_pipeline
from .data_checks import (
    check_alignment,
    check_complete_types,
    check_contents,
    check_dev,
    check_labels,
    check_recall,
)
from .finding import EXAMPLES, Finding, Level
from .form_checks import check_contradictions, states_of_forms
from .guess_checks import check_guesses

LEVELS: tuple[Level, ...] = get_args(Level)


def debug_data(
    train: Sequence[Doc],
    dev: Sequence[Doc] | None = None,
    *,
    nlp: Language | None = None,
    summary: Summary | None = None,
    incorrect_spans_key: str = INCORRECT_SPANS_KEY,
) -> list[Finding]:
    """Check annotated data.

    train (Sequence[Doc]): The training data.
    dev (Sequence[Doc] | None): The dev data, if there is any.
    nlp (Language | None): The pipeline to be trained, if entities are to be checked
        against its tokens.
    summary (Summary | None): Problems that were met when the data was read.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    RETURNS (list[Finding]): What was found, in the order of the checks.
    """
    has_dev = dev is not None
    train = [without_estimates(doc) for doc in train]
    dev = [without_estimates(doc) for doc in dev or ()]
    types = corpus_types([*train, *dev])
    train = [with_outside_stated(doc, types) for doc in train]
    dev = [with_outside_stated(doc, types) for doc in dev]
    forms = states_of_forms(train)
    findings = [
        *check_contents("training", train, incorrect_spans_key),
        *(check_contents("dev", dev, incorrect_spans_key) if has_dev else ()),
        *check_complete_types(train),
        *check_recall(train, dev, forms),
        *check_dev(train, dev),
        *check_labels(train, dev),
        *check_contradictions(forms),
        *check_guesses(train, dev),
    ]
    if nlp is not None:
        findings += check_alignment("training", train, nlp)
        findings += check_alignment("dev", dev, nlp)
    if summary is not None and summary.problems:
        shown = "; ".join(str(problem) for problem in summary.problems[:EXAMPLES])
        findings.append(
            Finding(
                "problems",
                "warning",
                f"{len(summary.problems):,} records or spans could not be read as they "
                f"stand: {shown}. Correct them in the file.",
                {"problems": len(summary.problems)},
            )
        )
    return findings


def check_files(
    train_path: Path,
    dev_path: Path | None = None,
    *,
    converter: str | None = None,
    unlabelled: str | None = None,
    lang: str = "en",
) -> list[Finding]:
    """Check files of annotated data.

    train_path (Path): The training data, in any format of `convert`.
    dev_path (Path | None): The dev data, if there is any.
    converter (str | None): Their format. None detects it.
    unlabelled (str | None): What an unlabelled token is, for training data that does
        not state it. In the dev data it is outside.
    lang (str): The language, for the tokenizer.
    RETURNS (list[Finding]): What was found.
    """
    nlp, summary = make_tokenizer(lang), Summary()

    def read(path: Path, default: str | None) -> list[Doc]:
        return list(
            read_annotations(
                path, nlp, summary, converter=converter, unlabelled=default
            )
        )

    train = read(train_path, unlabelled)
    # A .spacy file says itself what is outside.
    says_it = dev_path is not None and dev_path.suffix == ".spacy"
    dev = read(dev_path, None if says_it else "outside") if dev_path else None
    return debug_data(train, dev, summary=summary)


def check_config(path: Path, overrides: dict[str, Any]) -> list[Finding]:
    """Check the data of a config.

    path (Path): The config.
    overrides (dict[str, Any]): Settings to override, by dotted names.
    RETURNS (list[Finding]): What was found.
    """
    raw = read_config(path, overrides)
    train, dev = read_data(raw)
    return debug_data(train, dev, nlp=tokenizing_pipeline(raw.interpolate()))
