"""Feed the loader of weights with files that are no longer what was saved, guided by
coverage.

    pip install atheris
    python -m scripts.fuzz_weights --seconds 60 --found found/weights

A file is loaded as the weights of tags and moves that fit together, or refused with a
code. Anything else is a find, and belongs into `tests/pipeline/test_head.py` once
mended.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

import torch

from spacy_adak.crf.tags import TagSet
from spacy_adak.pipeline.head import CRFHead, deserialize_head, serialize_head

LABELS = (["PER"], ["LOC", "PER", "ORG"])
# The file begins with the length of its header, which a changed header would not fit.
_LENGTH_BYTES = 8
_BETWEEN_HEADER_AND_ARRAYS = b"\n=====\n"


def saved_heads() -> list[bytes]:
    """RETURNS (list[bytes]): Weights as they are saved, to start from."""
    return [
        serialize_head(CRFHead(n_inputs, TagSet(labels, scheme)))
        for labels in LABELS
        for scheme in ("BIO", "BILUO")
        for n_inputs in (1, 3)
    ]


def divide(data: bytes) -> bytes:
    """RETURNS (bytes): A file without the length of its header."""
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    return data[_LENGTH_BYTES:end] + _BETWEEN_HEADER_AND_ARRAYS + data[end:]


def join(divided: bytes) -> bytes:
    """RETURNS (bytes): The file, with the length that its header has."""
    header, _, arrays = divided.partition(_BETWEEN_HEADER_AND_ARRAYS)
    return len(header).to_bytes(_LENGTH_BYTES, "little") + header + arrays


def load_bytes(data: bytes) -> bool:
    """Load weights, score a text with them, and save them again.

    data (bytes): The file.
    RETURNS (bool): Whether they were loaded, or refused with a code.
    """
    device = torch.device("cpu")
    try:
        head = deserialize_head(CRFHead(0, TagSet([])), data, device)
    except ValueError as error:
        if not str(error).startswith("[A101]"):
            raise
        return False
    scores = head(torch.zeros(2, head.weight.size(1)))
    assert scores.emissions.shape == (2, len(head.tagset))
    again = deserialize_head(CRFHead(0, TagSet([])), serialize_head(head), device)
    assert again.tagset.tags == head.tagset.tags
    return True


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--found", type=Path, required=True, help="folder for finds")
    args = parser.parse_args()
    import atheris

    for function in (deserialize_head, CRFHead.__init__, TagSet.__init__):
        atheris.instrument_func(function)
    seeds = args.found / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(saved_heads()):
        (seeds / f"{number}.safetensors").write_bytes(divide(data))

    def test_one_input(divided: bytes) -> None:
        load_bytes(join(divided))
        load_bytes(divided)

    options = [
        f"-max_total_time={args.seconds}",
        "-max_len=4000",
        "-timeout=20",
        f"-artifact_prefix={args.found}/",
        str(seeds),
    ]
    atheris.Setup([sys.argv[0], *options], test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
