"""Every message a user can meet, with a code, the offending value and the remedy.

Codes: A0xx crf, A1xx pipeline, A2xx estimation, A3xx data, A4xx report, A5xx cli.
"""

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
