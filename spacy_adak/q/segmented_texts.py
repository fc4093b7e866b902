"""Several texts, cut into segments, as the tokens of all of them in a row."""

from collections.abc import Sequence

import numpy
import torch
from torch import Tensor

from ..annotation.segments import SegmentBatch, batch_segments
from ..annotation.training_sample import Sample
from ..crf.tags import LabelledSpan


class SegmentedTexts:
    """The tokens of some texts in a row, and the segments they are cut into.

    samples (Sequence[Sample]): What is known of each text, and where it is cut.
    device (torch.device): Where tensors are.
    n_tags (int): N, the number of tags.
    """

    def __init__(
        self, samples: Sequence[Sample], device: torch.device, n_tags: int
    ) -> None:
        self.device = device
        self.ruled_out = [set(sample.known.ruled_out) for sample in samples]
        self.lengths = [len(sample.known.outside) for sample in samples]
        self.starts = numpy.cumsum([0, *self.lengths]).tolist()
        self.text_of_token = torch.repeat_interleave(torch.tensor(self.lengths)).to(
            device
        )
        self.batches = batch_segments(
            [sample.ends for sample in samples], device, n_tags
        )

    def tokens_of(self, text: int) -> slice:
        """RETURNS (slice): The tokens of a text."""
        return slice(self.starts[text], self.starts[text + 1])

    def concatenate(self, arrays: Sequence[numpy.ndarray]) -> Tensor:
        """RETURNS (Tensor): (tokens, *), of what there is for each text."""
        return torch.from_numpy(numpy.concatenate(arrays)).to(self.device)

    def new_per_token(self, dtype: torch.dtype, *width: int) -> Tensor:
        """RETURNS (Tensor): (tokens, *width) zeros."""
        return torch.zeros((self.starts[-1], *width), dtype=dtype, device=self.device)

    def scatter(self, per_token: Tensor, batch: SegmentBatch, values: Tensor) -> None:
        """Write what was computed for segments to the tokens they are made of.

        per_token (Tensor): (tokens, *), written to.
        batch (SegmentBatch): The segments.
        values (Tensor): (segments, longest, *).
        """
        positions = torch.arange(batch.tokens.size(1), device=self.device)
        real = positions < batch.lengths.unsqueeze(1)
        per_token[batch.tokens[real]] = values[real]

    def place(
        self, batch: SegmentBatch, segment: int, span: LabelledSpan
    ) -> tuple[int, LabelledSpan]:
        """RETURNS (tuple[int, LabelledSpan]): The text of a segment, and a span of the
        segment in terms of the text."""
        first = int(batch.tokens[segment, 0])
        text = int(self.text_of_token[first])
        offset = first - self.starts[text]
        return text, LabelledSpan(span.start + offset, span.end + offset, span.type)

    def is_ruled_out(
        self, batch: SegmentBatch, segment: int, span: LabelledSpan
    ) -> bool:
        """RETURNS (bool): Whether a span of a segment is known to be no entity."""
        text, span = self.place(batch, segment, span)
        return span in self.ruled_out[text]
