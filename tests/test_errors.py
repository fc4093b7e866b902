import re

import pytest

from spacy_adak.errors import Errors, Warnings


@pytest.mark.parametrize("messages", [Errors, Warnings])
def test_every_message_starts_with_its_code(messages: type) -> None:
    codes = [name for name in vars(messages) if not name.startswith("__")]
    assert codes
    for code in codes:
        assert re.fullmatch(r"[AW]\d{3}", code)
        assert getattr(messages, code).startswith(f"[{code}] ")
