"""Tasks that go well, go wrong, or take their process with them."""

import os
import signal
import threading
from pathlib import Path
from typing import NamedTuple


class WritingTask(NamedTuple):
    """Writes a file, and does something before."""

    name: str
    output: Path
    deed: str = "nothing"

    @property
    def log_path(self) -> Path:
        return self.output.with_suffix(".log")

    def is_done(self) -> bool:
        return self.output.exists()

    def run(self) -> None:
        tries = self.output.with_suffix(".tries")
        with tries.open("a") as file:
            file.write("x")
        n_tries = len(tries.read_text())
        if self.deed == "raise":
            self.log_path.write_text("so far so good\n")
            raise RuntimeError("the sky has fallen")
        if self.deed == "disk full":
            raise OSError(28, "No space left on device")
        if self.deed == "die" or (self.deed == "die once" and n_tries == 1):
            self.log_path.write_text("last words\n")
            os.kill(os.getpid(), signal.SIGKILL)
        if self.deed == "interrupt":
            raise KeyboardInterrupt
        if self.deed == "count threads":
            tries.write_text(str(threading.active_count()))
        self.output.write_text(str(os.getpid()))
