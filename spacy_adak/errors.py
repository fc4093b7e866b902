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
