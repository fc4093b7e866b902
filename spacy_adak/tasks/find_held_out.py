"""Find spans in the texts that a fold model was not trained on, as one task of the
estimate of the recall of annotators."""

from pathlib import Path
from typing import Any, NamedTuple

from spacy.util import minibatch

from ..annotation.completeness import is_meant_to_be_complete
from ..pipeline.adak_ner import AdaKRecognizer
from ..q.held_out_spans import held_out_spans
from ..shards.checkpoint import write_json
from ..shards.with_q import read_shard
from .worker import load_models, prepare_worker

_DOCS_AT_A_TIME = 256


class HeldOutTask(NamedTuple):
    """What a worker needs to know to find spans in a shard. Data goes by path.

    name (str): For messages.
    shard (Path): A `.spacy` file.
    model (Path): A model that was trained without it.
    component (str): The name of the component.
    output (Path): The file for the spans: for each text that is not annotated
        completely a list of [words, label, probability, whether it is annotated,
        whether it touches annotation].
    use_gpu (int): The id of a GPU, or -1.
    code_path (Path | None): Python code to import first.
    """

    name: str
    shard: Path
    model: Path
    component: str
    output: Path
    use_gpu: int
    code_path: Path | None

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where an error is written down."""
        return self.output.with_suffix(".log")

    def is_done(self) -> bool:
        """RETURNS (bool): Whether the spans exist."""
        return self.output.exists()

    def run(self) -> None:
        """Find the spans, unless that is done already."""
        if self.is_done():
            return
        prepare_worker(self.use_gpu, self.code_path)
        (nlp,) = load_models([self.model])
        component = nlp.get_pipe(self.component)
        assert isinstance(component, AdaKRecognizer)
        incomplete = (
            example
            for example in read_shard(nlp, self.shard, None)
            if not is_meant_to_be_complete(example.reference)
        )
        texts: list[list[Any]] = []
        for batch in minibatch(incomplete, size=_DOCS_AT_A_TIME):
            found = held_out_spans(nlp, component, batch)
            for example, spans in zip(batch, found, strict=True):
                words = [token.text for token in example.predicted]
                texts.append(
                    [
                        [words[s.span.start : s.span.end], s.span.type, *s[1:]]
                        for s in spans
                    ]
                )
        write_json(self.output, {"texts": texts})
