"""What the trainings of a run begin with."""

from pathlib import Path

from ..tasks.recipe import Recipe
from .folder import Run


def recipe_of(
    run: Run,
    number: int,
    estimates: Path | None = None,
    without_fold: int | None = None,
) -> Recipe:
    """What a training begins with.

    run (Run): The run.
    number (int): The round, or 0 for what comes before the first one.
    estimates (Path | None): The folder with q, if it was estimated.
    without_fold (int | None): The fold to train without.
    RETURNS (Recipe): The recipe.
    """
    # Every training has a seed of its own, which depends on nothing but its place.
    place = 0 if without_fold is None else without_fold + 1
    seed = run.config["training"]["seed"] or 0
    is_first_fold = number <= 1 and without_fold is not None
    return Recipe(
        config_path=run.first_folds_config_path if is_first_fold else run.config_path,
        corpus=run.corpus,
        dev_path=run.dev_path,
        seed=(seed + 1_000_003 * number + 7919 * place) % 2**31,
        use_gpu=run.use_gpu,
        code_path=run.code_path,
        estimates=estimates,
        without_fold=without_fold,
    )
