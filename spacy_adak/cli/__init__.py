"""Commands under `python -m spacy adak`: thin wrappers over plain functions.

Every `spacy` command imports this module, so nothing here may import torch: a command
imports the function that does its work when it is called.
"""

from .app import adak_cli
from .combine import combine_cli
from .convert import convert_cli
from .corrupt import corrupt_cli
from .debug_data import debug_data_cli
from .evaluate import evaluate_cli
from .init_config import init_config_cli
from .merge import merge_cli
from .package import package_cli
from .report import report_cli
from .review import review_cli
from .sample import sample_cli
from .suggest import suggest_cli
from .train import train_cli

__all__ = [
    "adak_cli",
    "combine_cli",
    "convert_cli",
    "corrupt_cli",
    "debug_data_cli",
    "evaluate_cli",
    "init_config_cli",
    "merge_cli",
    "package_cli",
    "report_cli",
    "review_cli",
    "sample_cli",
    "suggest_cli",
    "train_cli",
]
