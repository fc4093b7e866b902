"""Which configs a dataset is trained with: those of its language."""

from pathlib import Path

# The sample has a config of its own, made to be finished in minutes on two cores.
LANGUAGES = {"sample": "sample", "conll2003": "en", "taobao": "zh", "youku": "zh"}


def config_name(language: str, kind: str, recipe: str) -> str:
    """RETURNS (str): The name of the file with a config, without its ending."""
    return f"{language}_{kind}" + ("" if recipe == "best" else f"_{recipe}")


def config_path(
    dataset: str, kind: str, root: Path = Path(), recipe: str = "best"
) -> Path:
    """Find the config for a dataset.

    dataset (str): The dataset.
    kind (str): "cpu", "frozen" or "bert".
    root (Path): The folder of the project.
    recipe (str): "best" or "paper".
    RETURNS (Path): The config.
    """
    if dataset not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise ValueError(f"There is no dataset '{dataset}'. The datasets are: {names}.")
    language = LANGUAGES[dataset]
    path = root / "configs" / f"{config_name(language, kind, recipe)}.cfg"
    if not path.exists():
        stems = sorted(p.stem for p in path.parent.glob(f"{language}_*.cfg"))
        kinds = ", ".join(dict.fromkeys(stem.split("_")[1] for stem in stems))
        raise ValueError(
            f"'{path}' is not there. The configs for '{dataset}' are: {kinds}."
        )
    return path
