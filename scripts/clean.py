"""Remove folders and all that is in them.

python scripts/clean.py corpus training
"""

import shutil
import sys
from pathlib import Path

for name in sys.argv[1:]:
    if Path(name).is_dir():
        shutil.rmtree(name)
