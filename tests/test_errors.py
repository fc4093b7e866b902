import re

from spacy_adak.errors import Errors


def test_every_message_starts_with_its_code() -> None:
    codes = [name for name in vars(Errors) if not name.startswith("__")]
    assert codes
    for code in codes:
        assert re.fullmatch(r"[AW]\d{3}", code)
        assert getattr(Errors, code).startswith(f"[{code}] ")
