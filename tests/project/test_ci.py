"""What runs on GitHub and before a commit is what the package says it supports."""

from configparser import ConfigParser
from pathlib import Path

import srsly

ROOT = Path(__file__).parents[2]
WORKFLOW = srsly.read_yaml(ROOT / ".github" / "workflows" / "tests.yml")
HOOKS = srsly.read_yaml(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]


def test_every_supported_python_is_tested() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf8")
    prefix = "Programming Language :: Python :: 3."
    lines = config["metadata"]["classifiers"].splitlines()
    supported = [line.removeprefix(prefix[:-2]) for line in lines if prefix in line]
    assert WORKFLOW["jobs"]["tests"]["strategy"]["matrix"]["python"] == supported


def test_tests_that_are_named_are_there() -> None:
    named = [
        word
        for job in WORKFLOW["jobs"].values()
        for step in job["steps"]
        for word in step.get("run", "").split()
        if word.startswith("tests/")
    ]
    assert named
    assert all((ROOT / path).exists() for path in named)


def test_commands_of_hooks_are_those_of_make_lint() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    for hook in HOOKS:
        command = hook["entry"].removeprefix(".venv/bin/").split(" --")[0]
        assert f"$(BIN)/{command}" in makefile
