"""Options and summaries of all commands, as `--help` shows them."""

from collections import Counter

import pytest
from typer.main import get_command
from typer.models import OptionInfo

from scripts.docs.cli_reference import commands, parameters_of
from spacy_adak.cli import adak_cli


@pytest.mark.parametrize("name", commands())
def test_no_two_options_share_a_flag(name: str) -> None:
    flags = Counter(
        flag
        for info in parameters_of(commands()[name]).values()
        if isinstance(info, OptionInfo)
        for names in (info.default, *(info.param_decls or ()))
        for flag in str(names).split("/")
        if flag.strip().startswith("-")
    )
    assert not [flag for flag, count in flags.items() if count > 1]


@pytest.mark.parametrize("name", commands())
def test_summary_of_a_command_is_shown_whole(name: str) -> None:
    """A terminal of 80 columns has room for 62 characters next to the names."""
    command = get_command(adak_cli).commands[name]  # type: ignore[attr-defined]
    assert not command.get_short_help_str(limit=62).endswith("...")
