"""Named entity recognition from incomplete annotations, for spaCy."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run.train import train

__all__ = ["__version__", "train"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`spacy_adak.train`, imported when it is used: it needs torch."""
    if name == "train":
        from .run.train import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
