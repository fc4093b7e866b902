"""What keeps transformers of spacy-curated-transformers from being trained."""

from collections.abc import Iterator

import numpy
from packaging.version import Version
from thinc.api import Config

from ..errors import Errors
from .frozen_start import listened_to

_FACTORY = "curated_transformer"
# It makes a number of an array with one value in each step.
_FAILS_FROM = Version("2.4.dev0")


def problems_of_curated(config: Config, component: str) -> Iterator[str]:
    """Check whether a component can listen to such a transformer.

    config (Config): The config of a run, interpolated.
    component (str): The name of the `adak_ner` component.
    YIELDS (str): What is wrong.
    """
    name = listened_to(config, component)
    if name is None or config["components"][name].get("factory") != _FACTORY:
        return
    if name in config["training"]["frozen_components"]:
        yield Errors.A236.format(component=component, name=name)
    elif Version(numpy.__version__) >= _FAILS_FROM:
        yield Errors.A235.format(
            name=name, numpy=numpy.__version__, component=component
        )
