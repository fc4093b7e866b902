import json
import pickle
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, save
from torch import nn

from spacy_adak.annotation.segments import batch_segments
from spacy_adak.crf.decode import viterbi
from spacy_adak.crf.lattice import marginals
from spacy_adak.crf.tags import TagSet
from spacy_adak.pipeline.head import (
    MOST_TYPES_WITH_ALL_MOVES,
    CRFHead,
    deserialize_head,
    serialize_head,
)

CPU = torch.device("cpu")


def random_head(
    tagset: TagSet, n_inputs: int = 4, seed: int = 0, all_moves: bool | None = None
) -> CRFHead:
    head = CRFHead(n_inputs, tagset, all_moves)
    generator = torch.Generator().manual_seed(seed)
    for parameter in head.parameters():
        nn.init.normal_(parameter, generator=generator)
    return head


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_untrained_head_scores_all_legal_moves_the_same(scheme: str) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = CRFHead(4, tagset)(torch.randn(7, 4))
    assert not scores.emissions.any()
    legal = torch.where(tagset.legal_transitions(), 0.0, -torch.inf)
    assert torch.equal(scores.transitions, legal)
    assert torch.equal(scores.start.isfinite(), tagset.legal_starts())
    assert torch.equal(scores.end.isfinite(), tagset.legal_ends())


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("types", [["X", "Y", "NEW"], ["NEW", "Y", "X", "NEWER"]])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("all_moves", [True, False])
def test_more_tags_change_no_prediction(
    scheme: str, types: list[str], seed: int, all_moves: bool
) -> None:
    old_tags, new_tags = TagSet(["X", "Y"], scheme), TagSet(types, scheme)
    head = random_head(old_tags, seed=seed, all_moves=all_moves)
    rows = torch.randn(40, 4, generator=torch.Generator().manual_seed(seed))
    (batch,) = batch_segments([[10, 25, 40]], CPU)
    with torch.no_grad():
        old = head(rows).chain(batch)
        new = head.with_tags(new_tags)(rows).chain(batch)
    old_paths, new_paths = viterbi(old).paths[:, 0], viterbi(new).paths[:, 0]
    assert [[old_tags.tags[tag] for tag in path] for path in old_paths] == [
        [new_tags.tags[tag] for tag in path] for path in new_paths
    ]
    kept = [new_tags.index[tag] for tag in old_tags.tags]
    torch.testing.assert_close(
        marginals(new)[..., kept], marginals(old), atol=1e-3, rtol=0
    )


MANY = [str(i) for i in range(MOST_TYPES_WITH_ALL_MOVES + 1)]


def test_with_many_types_weights_grow_with_their_number() -> None:
    assert CRFHead(4, TagSet(MANY[1:])).transitions.shape == (401, 401)
    head = CRFHead(4, TagSet(MANY))
    assert head.transitions.shape == (405, 8)
    scores = head(torch.randn(7, 4))
    assert torch.equal(
        scores.transitions.isfinite(), head.tagset.legal_transitions_by_type()
    )


def test_number_of_types_counts_when_the_head_is_initialized() -> None:
    assert CRFHead(0, TagSet([])).with_tags(TagSet(MANY)).transitions.shape == (405, 8)
    trained = random_head(TagSet(["X", "Y"]))
    assert trained.with_tags(TagSet(MANY)).transitions.shape == (405, 405)


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_new_tag_of_one_of_many_types_never_beats_outside(scheme: str) -> None:
    """Not even by a move from or to another type that scores very high."""
    old_tags = TagSet(["X", "Y"], scheme)
    head = random_head(old_tags, all_moves=False)
    with torch.no_grad():
        head.transitions[:, -2:] += 50.0
    rows = torch.randn(12, 4, generator=torch.Generator().manual_seed(0))
    (batch,) = batch_segments([[12]], CPU)
    with torch.no_grad():
        more = head.with_tags(TagSet(["X", "Y", "Z"], scheme))
        nodes = marginals(more(rows).chain(batch))[..., len(old_tags) :]
    assert nodes.sum(2).max() < 0.01


@pytest.mark.parametrize("all_moves", [True, False])
def test_head_survives_serialization(all_moves: bool) -> None:
    head = random_head(TagSet(["X", "Ü-1"], "BIO"), all_moves=all_moves)
    loaded = deserialize_head(CRFHead(0, TagSet([])), serialize_head(head), CPU)
    assert loaded.tagset.tags == head.tagset.tags
    assert loaded.tagset.scheme == "BIO"
    for name, value in head.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value)


def test_weights_are_safetensors_with_labels() -> None:
    data = serialize_head(random_head(TagSet(["X"])))
    assert load(data)["weight"].shape == (5, 4)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    tags = json.loads(header["__metadata__"]["spacy_adak"])
    assert tags == {"scheme": "BILUO", "labels": ["X"]}


def test_every_truncated_file_is_refused() -> None:
    data = serialize_head(random_head(TagSet(["X"])))
    for length in range(len(data)):
        with pytest.raises(ValueError, match="A101"):
            deserialize_head(CRFHead(0, TagSet([])), data[:length], CPU)


def test_damaged_file_is_refused_or_has_the_right_shapes() -> None:
    """Nothing but the checksum of the component can find a changed weight."""
    head = random_head(TagSet(["X"]))
    data = serialize_head(head)
    shapes = {name: value.shape for name, value in head.state_dict().items()}
    for position in range(len(data)):
        for bit in (1, 16, 128):
            damaged = bytearray(data)
            damaged[position] ^= bit
            try:
                loaded = deserialize_head(head, bytes(damaged), CPU)
            except ValueError as error:
                assert "A101" in str(error)  # noqa: PT017
            else:
                found = {n: v.shape for n, v in loaded.state_dict().items()}
                assert found == shapes


def relabelled(head: CRFHead, tags: object) -> bytes:
    return save(head.state_dict(), metadata={"spacy_adak": json.dumps(tags)})


@pytest.mark.parametrize(
    "tags",
    [
        {"scheme": "BILUO", "labels": ["X", "Y"]},
        {"scheme": "BIO", "labels": ["X"]},
        {"scheme": "BILUO", "labels": ["X", "X"]},
        {"scheme": "BILUO", "labels": None},
        {"scheme": ["BILUO"], "labels": ["X"]},
        {"scheme": "BILUO"},
        ["X"],
        None,
    ],
)
def test_labels_that_do_not_fit_the_weights_are_refused(tags: object) -> None:
    data = relabelled(random_head(TagSet(["X"])), tags)
    with pytest.raises(ValueError, match="A101"):
        deserialize_head(CRFHead(0, TagSet([])), data, CPU)


@pytest.mark.parametrize("missing", ["weight", "bias", "transitions", "start", "end"])
def test_missing_weights_are_refused(missing: str) -> None:
    weights = random_head(TagSet(["X"])).state_dict()
    del weights[missing]
    tags = json.dumps({"scheme": "BILUO", "labels": ["X"]})
    with pytest.raises(ValueError, match="A101"):
        deserialize_head(
            CRFHead(0, TagSet([])), save(weights, metadata={"spacy_adak": tags}), CPU
        )


def test_foreign_safetensors_file_is_refused() -> None:
    with pytest.raises(ValueError, match="A101"):
        deserialize_head(
            CRFHead(0, TagSet([])), save({"weight": torch.zeros(5, 4)}), CPU
        )


class Attack:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return Path.touch, (self.path,)


def test_pickle_is_refused_and_not_executed(tmp_path: Path) -> None:
    victim = tmp_path / "executed"
    with pytest.raises(ValueError, match="A101"):
        deserialize_head(CRFHead(0, TagSet([])), pickle.dumps(Attack(victim)), CPU)
    assert not victim.exists()
