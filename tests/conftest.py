import os

import torch
from hypothesis import settings

torch.set_num_threads(1)

# Examples that fail are stored and tried again; a run in CI is repeatable.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
