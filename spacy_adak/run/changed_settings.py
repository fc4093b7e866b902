"""Which settings differ between the config of a run and one to go on with."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from thinc.api import Config

# The rest says where data is, and comes into these by variables.
_COMPARED = ("nlp", "components", "corpora", "training", "adak")
_VARIABLE = re.compile(r"\$\{([\w.:]+)\}")
_UNSET = object()


class ChangedSetting(NamedTuple):
    """A setting with two values.

    name (str): Its dotted name, as in an override.
    before (Any): What the run was begun with.
    now (Any): What is asked for.
    """

    name: str
    before: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.name}: {_describe(self.before)}, now {_describe(self.now)}"


def changed_settings(begun: Config, asked: Config) -> list[ChangedSetting]:
    """Find what differs.

    begun (Config): The config of the run, not interpolated.
    asked (Config): The other one, not interpolated.
    RETURNS (list[ChangedSetting]): Each setting that differs. A value that comes from a
        variable counts as a change of what the variable stands for.
    """
    before, now = begun.interpolate(), asked.interpolate()
    names: dict[str, None] = {}
    for section in _COMPARED:
        for name in _differences(before.get(section), now.get(section), section):
            written = _value(begun, name)
            variables = []
            if written == _value(asked, name):
                variables = [
                    variable.replace(":", ".")
                    for variable in _VARIABLE.findall(str(written))
                ]
            changed = [v for v in variables if _value(before, v) != _value(now, v)]
            names.update(dict.fromkeys(changed or [name]))
    return [
        ChangedSetting(name, _value(before, name), _value(now, name)) for name in names
    ]


def _differences(before: Any, now: Any, name: str) -> Iterator[str]:
    """The dotted names of all that differs in two blocks."""
    if isinstance(before, Mapping) or isinstance(now, Mapping):
        before = before if isinstance(before, Mapping) else {}
        now = now if isinstance(now, Mapping) else {}
        for key in dict.fromkeys([*before, *now]):
            yield from _differences(
                before.get(key, _UNSET), now.get(key, _UNSET), f"{name}.{key}"
            )
    elif before != now:
        yield name


def _value(config: Mapping[str, Any], name: str) -> Any:
    """What a dotted name stands for."""
    value: Any = config
    for key in name.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return _UNSET
        value = value[key]
    return value


def _describe(value: Any) -> str:
    return "not set" if value is _UNSET else repr(value)
