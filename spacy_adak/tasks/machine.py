"""How many trainings this machine has room for, if the settings do not say so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacy.util import registry
from thinc.api import Config

from ..q.adak_block import AdakSettings

# What a training takes, with torch, spaCy and the data: 0.7 GB with frozen rows, more
# where a transformer is fine-tuned.
_BYTES_PER_PROCESS = 2 * 2**30
_MEMORY = Path("/proc/meminfo")
# Packages that a worker imports, and the name that spaCy gives to the file of --code.
_IMPORTED = {
    *("spacy", "spacy_adak", "spacy_legacy", "spacy_loggers", "thinc"),
    "python_code",
}


def settings_for_this_machine(
    settings: AdakSettings, config: Config, use_gpu: int
) -> AdakSettings:
    """Choose what is open: processes if there are several cores and memory for them,
    this process for one core or a GPU.

    settings (AdakSettings): The settings of a run.
    config (Config): Its config.
    use_gpu (int): The id of a GPU, or -1.
    RETURNS (AdakSettings): The same, with an executor and a number of processes.
    """
    n_jobs = settings.n_jobs or min(_cores(), _processes_that_fit())
    executor = settings.executor
    if executor is None:
        in_processes = n_jobs > 1 and use_gpu < 0 and _is_known_to_workers(config)
        executor = "joblib" if in_processes else "serial"
    return settings.model_copy(update={"executor": executor, "n_jobs": n_jobs})


def describe_execution(settings: AdakSettings) -> str:
    """RETURNS (str): Where trainings run, for people."""
    if settings.executor == "serial":
        return "one after the other in this process"
    where = "on Ray" if settings.executor == "ray" else "of this machine"
    return f"in up to {settings.n_jobs} processes {where}"


def _cores() -> int:
    # It knows of the limits of containers, and takes long to import.
    from joblib import cpu_count

    return int(cpu_count())


def _processes_that_fit() -> int:
    available = _available_memory()
    return _cores() if available is None else max(1, available // _BYTES_PER_PROCESS)


def _available_memory() -> int | None:
    """In bytes, where the system tells it."""
    try:
        lines = _MEMORY.read_text(encoding="utf8").splitlines()
    except OSError:
        return None
    values = dict(line.split(":", 1) for line in lines if ":" in line)
    if "MemAvailable" not in values:
        return None
    return int(values["MemAvailable"].split()[0]) * 1024


def _is_known_to_workers(config: Config) -> bool:
    """Whether other processes find all functions that a config names. They don't know
    what a program has registered without an entry point."""
    for kind, name in _functions(config):
        # Factories of spaCy are there once a pipeline of their language is.
        if not registry.has(kind, name):
            continue
        package = getattr(registry.get(kind, name), "__module__", "").split(".")[0]
        is_installed = getattr(registry, kind).get_entry_point(name) is not None
        if package not in _IMPORTED and not is_installed:
            return False
    return True


def _functions(block: Any) -> Iterator[tuple[str, str]]:
    """Registries and names of all functions in a block."""
    if not isinstance(block, dict):
        return
    for key, value in block.items():
        if isinstance(value, str) and (key == "factory" or key.startswith("@")):
            yield key.removeprefix("@").replace("factory", "factories"), value
        yield from _functions(value)
