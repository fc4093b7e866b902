"""Named entity recognition from incomplete annotations, for spaCy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .report.render import render_suggestions
    from .report.reported_run import train
    from .report.run_report import make_report

__all__ = ["__version__", "make_report", "render_suggestions", "train"]
__version__ = "0.1.0"
_MODULES = {
    "make_report": ".report.run_report",
    "render_suggestions": ".report.render",
    "train": ".report.reported_run",
}


def __getattr__(name: str) -> Any:
    """What the package offers, imported when it is used: it needs torch."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
