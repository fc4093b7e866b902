"""The trainable part of the CRF: rows in, scores of tags and moves out. Pure torch."""

import json
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from ..annotation.segments import SegmentBatch
from ..crf.chain import Chain
from ..crf.tags import SCHEMES, TagSet
from ..crf.typed_transitions import are_by_type
from ..errors import Errors

# What the several ways of being no such file lead to.
_DAMAGE = (SafetensorError, ValueError, TypeError, LookupError, RuntimeError)
# How far below O a tag starts that is added to a trained model.
_NEW_TAG_BELOW_OUTSIDE = 10.0
# With more entity types than this, a move from a type to another has no score of its
# own, see `crf.typed_transitions`. A matrix of all moves still costs little with this
# many.
MOST_TYPES_WITH_ALL_MOVES = 100


class TagScores(NamedTuple):
    """What the model says about a batch of documents.

    emissions (Tensor): (tokens of all documents, N).
    transitions (Tensor): (N, N), or with many types (N, P + 4) as in `Chain`; -inf for
        moves that are not legal.
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
    all_moves (bool | None): Whether each move between two tags has a score of its own.
        If None, that depends on the number of types.
    """

    illegal_transitions: Tensor
    illegal_start: Tensor
    illegal_end: Tensor

    def __init__(
        self, n_inputs: int, tagset: TagSet, all_moves: bool | None = None
    ) -> None:
        super().__init__()
        if all_moves is None:
            all_moves = len(tagset.types) <= MOST_TYPES_WITH_ALL_MOVES
        legal = (
            tagset.legal_transitions()
            if all_moves
            else tagset.legal_transitions_by_type()
        )
        N = len(tagset)
        self.tagset = tagset
        self.weight = nn.Parameter(torch.zeros(N, n_inputs))
        self.bias = nn.Parameter(torch.zeros(N))
        self.transitions = nn.Parameter(torch.zeros(legal.shape))
        self.start = nn.Parameter(torch.zeros(N))
        self.end = nn.Parameter(torch.zeros(N))
        illegal = {
            "transitions": ~legal,
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

    def has_finite_moves(self, scores: TagScores) -> bool:
        """RETURNS (bool): Whether the scores of all legal moves are finite. Those of
        others are -inf."""
        moves = (
            (scores.transitions, self.illegal_transitions),
            (scores.start, self.illegal_start),
            (scores.end, self.illegal_end),
        )
        return all(bool((x.isfinite() | illegal).all()) for x, illegal in moves)

    def with_tags(self, tagset: TagSet) -> "CRFHead":
        """Add tags, and predict as before.

        A new tag copies all scores of O and has a lower bias, so that no path through
        it can win before it has learnt something. Where moves to other types are made
        of two parts, these parts are at most such that it scores no more than O there.

        tagset (TagSet): The old tags and new ones.
        RETURNS (CRFHead): A new head.
        """
        n_inputs = self.weight.size(1)
        # Before it is initialized there is nothing to keep.
        by_type = n_inputs > 0 and are_by_type(self.transitions)
        all_moves = not by_type if n_inputs > 0 else None
        head = CRFHead(n_inputs, tagset, all_moves).to(self.weight.device)
        if n_inputs == 0:
            return head
        index = torch.tensor([self.tagset.index.get(tag, 0) for tag in tagset.tags])
        new = torch.tensor([tag not in self.tagset.index for tag in tagset.tags])
        with torch.no_grad():
            head.weight.copy_(self.weight[index])
            head.bias.copy_(self.bias[index])
            head.bias[new] -= _NEW_TAG_BELOW_OUTSIDE
            if by_type:
                head.transitions.copy_(self._transitions_by_type_of(index, new))
            else:
                head.transitions.copy_(self.transitions[index][:, index])
            head.start.copy_(self.start[index])
            head.end.copy_(self.end[index])
        return head

    def _transitions_by_type_of(self, index: Tensor, new: Tensor) -> Tensor:
        """Rows for more tags.

        index (Tensor): (N,) int64, which of the old tags each tag copies.
        new (Tensor): (N,) bool, whether it is new, and copies O.
        RETURNS (Tensor): (N, P + 4).
        """
        P = len(SCHEMES[self.tagset.scheme])
        to_outside, from_outside, leave, enter = self.transitions[:, P:].unbind(1)
        stay_outside = to_outside[0]
        can_leave, can_enter = (~self.illegal_transitions[:, P + 2 :]).unbind(1)
        rows = self.transitions[index]
        rows[new] = stay_outside
        half = stay_outside / 2
        rows[new, P + 2] = torch.minimum(half, (from_outside - enter)[can_enter].min())
        rows[new, P + 3] = torch.minimum(half, (to_outside - leave)[can_leave].min())
        return rows


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
        # What was saved with a score for each move keeps it, however many types it has.
        all_moves = not are_by_type(weights["transitions"])
        new_head = CRFHead(weights["weight"].size(1), tagset, all_moves)
        new_head.load_state_dict(weights)
    except _DAMAGE as error:
        raise ValueError(Errors.A101.format(error=error)) from error
    return new_head.to(device)
