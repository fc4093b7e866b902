from pathlib import Path
from threading import Thread

from scripts.experiments.folder_lock import held


def test_folder_is_held_once(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "cell"
    # The lock keeps two descriptors apart as it does two processes.
    with held(folder, wait=False) as first, held(folder, wait=False) as second:
        assert (first, second) == (True, False)
    with held(folder, wait=False) as third:
        assert third


def test_folder_is_waited_for(tmp_path: Path) -> None:
    order = []

    def hold() -> None:
        with held(tmp_path, wait=True):
            order.append("second")

    with held(tmp_path, wait=True):
        thread = Thread(target=hold)
        thread.start()
        thread.join(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
