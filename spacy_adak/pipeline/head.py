"""The trainable part of the CRF: rows in, scores of tags and moves out. Pure torch."""

import json
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from ..annotation.segments import SegmentBatch
from ..crf.chain import Chain
from ..crf.tags import TagSet
from ..errors import Errors

# What the several ways of being no such file lead to.
_DAMAGE = (SafetensorError, ValueError, TypeError, LookupError, RuntimeError)
# How far below O a tag starts that is added to a trained model.
_NEW_TAG_BELOW_OUTSIDE = 10.0


class TagScores(NamedTuple):
    """What the model says about a batch of documents.

    emissions (Tensor): (tokens of all documents, N).
    transitions (Tensor): (N, N), -inf for moves that are not legal.
    start (Tensor): (N,), likewise.
    end (Tensor): (N,), likewise.
    """

    emissions: Tensor
    transitions: Tensor
    start: Tensor
    end: Tensor

    def chain(self, batch: SegmentBatch) -> Chain:
        """RETURNS (Chain): The scores of some segments."""
        return Chain(
            self.emissions[batch.tokens],
            batch.lengths,
            self.transitions,
            self.start,
            self.end,
        )


class CRFHead(nn.Module):
    """Linear emissions and legal moves. All scores start at zero, so that by the rule
    for ties an untrained model says O everywhere.

    n_inputs (int): The width of the rows.
    tagset (TagSet): The tags.
    """

    illegal_transitions: Tensor
    illegal_start: Tensor
    illegal_end: Tensor

    def __init__(self, n_inputs: int, tagset: TagSet) -> None:
        super().__init__()
        N = len(tagset)
        self.tagset = tagset
        self.weight = nn.Parameter(torch.zeros(N, n_inputs))
        self.bias = nn.Parameter(torch.zeros(N))
        self.transitions = nn.Parameter(torch.zeros(N, N))
        self.start = nn.Parameter(torch.zeros(N))
        self.end = nn.Parameter(torch.zeros(N))
        illegal = {
            "transitions": ~tagset.legal_transitions(),
            "start": ~tagset.legal_starts(),
            "end": ~tagset.legal_ends(),
        }
        for name, mask in illegal.items():
            self.register_buffer(f"illegal_{name}", mask, persistent=False)

    def forward(self, rows: Tensor) -> TagScores:
        """rows (Tensor): (tokens, n_inputs). RETURNS (TagScores): The scores."""
        minus_infinity = float("-inf")
        return TagScores(
            nn.functional.linear(rows, self.weight, self.bias),
            self.transitions.masked_fill(self.illegal_transitions, minus_infinity),
            self.start.masked_fill(self.illegal_start, minus_infinity),
            self.end.masked_fill(self.illegal_end, minus_infinity),
        )

    def with_tags(self, tagset: TagSet) -> "CRFHead":
        """Go on with more tags, and predict as before.

        A new tag copies all scores of O and has a lower bias, so that no path through
        it can win before it has learnt something.

        tagset (TagSet): The old tags and new ones.
        RETURNS (CRFHead): A new head.
        """
        head = CRFHead(self.weight.size(1), tagset).to(self.weight.device)
        index = torch.tensor([self.tagset.index.get(tag, 0) for tag in tagset.tags])
        new = torch.tensor([tag not in self.tagset.index for tag in tagset.tags])
        with torch.no_grad():
            head.weight.copy_(self.weight[index])
            head.bias.copy_(self.bias[index])
            head.bias[new] -= _NEW_TAG_BELOW_OUTSIDE
            head.transitions.copy_(self.transitions[index][:, index])
            head.start.copy_(self.start[index])
            head.end.copy_(self.end[index])
        return head


def serialize_head(head: CRFHead) -> bytes:
    """Write the weights as safetensors, with the tags they belong to."""
    tags = {"scheme": head.tagset.scheme, "labels": head.tagset.types}
    return save(head.state_dict(), metadata={"spacy_adak": json.dumps(tags)})


def deserialize_head(head: CRFHead, data: bytes, device: torch.device) -> CRFHead:
    """Build a head from what `serialize_head` wrote; nothing in it is executed.

    head (CRFHead): Not used: the shapes are those of the data.
    data (bytes): The file.
    device (torch.device): Where the weights go.
    RETURNS (CRFHead): A new head.
    """
    try:
        weights = load(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        tags = json.loads(header["__metadata__"]["spacy_adak"])
        tagset = TagSet(tags["labels"], tags["scheme"])
        new_head = CRFHead(weights["weight"].size(1), tagset)
        new_head.load_state_dict(weights)
    except _DAMAGE as error:
        raise ValueError(Errors.A101.format(error=error)) from error
    return new_head.to(device)
