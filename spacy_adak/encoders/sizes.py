"""Check the sizes of an encoder."""

from ..errors import Errors


def check_sizes(architecture: str, lowest: int, **settings: int) -> None:
    """Raise an error for the first size of an architecture that is too small.

    architecture (str): What it is called.
    lowest (int): What the sizes have to be at least.
    **settings (int): The sizes by the names of their settings.
    """
    for setting, value in settings.items():
        if value < lowest:
            raise ValueError(
                Errors.A135.format(
                    value=value,
                    setting=setting,
                    architecture=architecture,
                    lowest=lowest,
                )
            )
