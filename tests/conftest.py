import os

import torch
from hypothesis import settings

torch.set_num_threads(1)
# Ray gives its server half a minute to start, too little for a busy machine.
os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "180")

# Examples that fail are stored and tried again; a run in CI is repeatable.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
