"""Repeat the benchmarks that fit in ten minutes, and write `benchmarks/RESULTS.md`.

    python -m benchmarks
    python -m benchmarks --en sentences.txt --en-encoder FOLDER \\
        --zh titles.txt --zh-encoder FOLDER

Without files the embedded sample is read, and without an encoder one with random
weights is made: that is enough to compare times.
"""

import argparse
import subprocess
import sys

from .corpora import add_corpora
from .page import PAGE, write_page
from .result_files import RESULTS

WITH_CORPORA = ("pipeline", "core_share", "frozen_prediction", "reduced")
OTHERS = ("crf", "startup", "complete_types")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_corpora(parser)
    parser.parse_args()
    for name in (*OTHERS, *WITH_CORPORA):
        print(f"\n{name}", flush=True)
        options = sys.argv[1:] if name in WITH_CORPORA else []
        command = [sys.executable, "-m", f"benchmarks.{name}", *options]
        subprocess.run(command, check=True)
    write_page(RESULTS, PAGE)
    print(f"\nWritten to {PAGE}")


if __name__ == "__main__":
    main()
