"""What the plug-in adds to the start of every `spacy` command.

    python -m benchmarks.startup

A new process imports what spaCy's own command line imports, and then the plug-in with
everything else it needs. Times are CPU milliseconds, the minimum of several processes.
"""

import argparse
import subprocess
import sys

from .result_files import Row, result_path, write_results

CODE = """
import time
start = time.process_time()
import spacy.cli
loaded = time.process_time()
import spacy_adak.cli
print(loaded - start, time.process_time() - loaded)
"""
MOST_MILLISECONDS = 50


def measure(processes: int) -> Row:
    """Start some processes.

    processes (int): How many.
    RETURNS (Row): How long both imports take.
    """
    spacy_times, plugin_times = [], []
    for _ in range(processes):
        command = [sys.executable, "-c", CODE]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        spacy_time, plugin_time = map(float, run.stdout.split())
        spacy_times.append(spacy_time)
        plugin_times.append(plugin_time)
    return {
        "import of spacy.cli, ms": round(min(spacy_times) * 1e3),
        "import of spacy_adak.cli after it, ms": round(min(plugin_times) * 1e3, 1),
        "at most, ms": MOST_MILLISECONDS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=5)
    args = parser.parse_args()
    row = measure(args.processes)
    print(row)
    write_results(result_path("startup", parser, args, "processes"), args, [row])


if __name__ == "__main__":
    main()
