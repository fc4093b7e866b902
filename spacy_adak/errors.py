"""Every message a user can meet, with a code, the offending value and the remedy.

Codes: A0xx crf, A1xx pipeline, A2xx estimation, A3xx data, A4xx report, A5xx cli.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


class WithCodes(type):
    """Prefix every message of a class with its own name: `[A001] ...`."""

    def __getattribute__(cls, code: str) -> Any:
        message = super().__getattribute__(code)
        if code.startswith("__") or not isinstance(message, str):
            return message
        return f"[{code}] {message}"


class Errors(metaclass=WithCodes):
    # crf
    A001 = "Unknown tag scheme '{scheme}'. Choose one of: {schemes}."
    A002 = (
        "Entity type '{type}' is empty or given more than once. Give every entity "
        "type once."
    )
    A003 = (
        "Tag '{right}' after '{left}' (token {position}) is not allowed in the "
        "{scheme} scheme. Correct the tags, check the scheme, or ask for "
        'illegal="repair" to read them as conlleval does.'
    )
    A004 = (
        "Entity {span} does not lie within a sentence of {length} tokens. Give token "
        "offsets with 0 <= start < end <= {length}."
    )
    A005 = (
        "Entity {span} overlaps another one. A tag sequence holds one entity per "
        "token: keep one of the two."
    )

    # pipeline
    A101 = (
        "Can't read the weights of the CRF: {error}. The file is damaged or not one of "
        "this component's: restore it from where you have it, or train again."
    )
    A102 = (
        "Unknown setting '{key}' for {where}.{hint} Valid settings: {valid}. Rename "
        "or remove it in the config."
    )
    A103 = (
        "'{span}' is annotated as {label} and ruled out as {label} by the span group "
        "'{key}', in the text '{text}'. Remove one of the two."
    )
    A104 = (
        "Invalid value {value!r} for the setting '{setting}' of the component "
        "'{name}': expected {expected}."
    )
    A105 = (
        "The label '{label}' is annotated in the text '{text}', but the component "
        "'{name}' was not initialized with it. Its labels are: {labels}. Add it with "
        "add_label before you train, or initialize with examples that have it."
    )
    A106 = (
        "The encoder of the component '{name}' gives values that are not finite for "
        "the text '{text}'. Training has diverged or the weights are damaged: lower "
        "the learning rate, or load the pipeline anew."
    )
    A107 = (
        "The component '{name}' can't be rehearsed. Mix examples that the pipeline "
        "already gets right into its training data, or exclude it: "
        "nlp.rehearse(..., exclude=['{name}'])."
    )
    A108 = (
        "The optimizer has use_averages = true, but averages are not kept for the "
        "PyTorch weights of '{name}', so that predictions would mix averaged and "
        "plain weights. Set use_averages = false in [training.optimizer]."
    )
    A109 = (
        "The model of the component '{name}' is damaged or not its own: its checksum "
        "is {found}, and the one written down with it is {expected}. Restore the "
        "pipeline from where you have it, or train again."
    )
    A110 = (
        "The model of the component '{name}' has the tags {found}, but its "
        "settings ask for {expected}. Load it with the config it was trained with."
    )
    A111 = (
        "Annotation and model allow no common path for the text '{text}' in the "
        "component '{name}'. Check the entities and the span group of ruled out spans."
    )

    A112 = (
        "The estimate for the text '{text}' is for {found} tokens, but the text has "
        "{expected}. Train with the tokenizer that the estimate was made with."
    )


class Warnings(metaclass=WithCodes):
    # pipeline
    W101 = (
        "The component '{name}' found no entity in the examples it was initialized "
        "with, and has no labels. It will find no entities. Add labels with add_label, "
        "or check that the entities of your data align with its tokens."
    )


def refuse_unknown_keys(keys: Iterable[str], where: str, valid: Sequence[str]) -> None:
    """Raise for the first setting that does not exist, and name the nearest that does.

    Settings that no one reads would otherwise be dropped without a word.
    """
    for key in keys:
        if key not in valid:
            nearest = get_close_matches(key, valid, n=1)
            hint = f" Did you mean '{nearest[0]}'?" if nearest else ""
            raise ValueError(
                Errors.A102.format(
                    key=key, where=where, hint=hint, valid=", ".join(valid)
                )
            )
