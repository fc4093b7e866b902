import random

import pytest

from scripts.fuzz_weights import divide, join, load_bytes, saved_heads

HEADS = saved_heads()


@pytest.mark.parametrize("data", HEADS)
def test_what_was_saved_is_loaded(data: bytes) -> None:
    assert load_bytes(data)
    assert join(divide(data)) == data


def test_what_was_changed_is_loaded_or_refused_with_a_code() -> None:
    rng = random.Random(0)
    loaded = refused = 0
    for _ in range(300):
        changed = bytearray(divide(rng.choice(HEADS)))
        place, size = rng.randrange(len(changed)), rng.randint(1, 4)
        length = size if rng.random() < 0.5 else rng.randint(0, 4)
        changed[place : place + size] = rng.randbytes(length)
        if load_bytes(join(bytes(changed))):
            loaded += 1
        else:
            refused += 1
    # Arrays may hold any numbers; headers may not.
    assert min(loaded, refused) > 20
