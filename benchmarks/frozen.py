"""What remembering the rows of a frozen encoder is worth in a run of ten rounds.

The same run on a part of the embedded sample, once with remembering and once without,
one after the other. Prints how much longer it takes without, and whether both end with
the same weights. The machine should do nothing else meanwhile.

    python -m benchmarks.frozen --encoder path/to/a/transformer

Without an encoder, a BERT with random weights is made: its rows mean nothing, but take
as long as those of any BERT of its size.
"""

import argparse
import os
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import spacy
import srsly
import torch
from spacy.tokens import DocBin
from thinc.api import Config

from spacy_adak.encoders.remembered_rows import RememberedRows
from spacy_adak.encoders.token_rows import TokenEncoder
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.head import serialize_head
from spacy_adak.pipeline.model import get_head
from spacy_adak.run import algorithm, train
from spacy_adak.tasks import blueprint, train_model

from .corpora import make_bert
from .estimation import sample_config
from .result_files import result_path

NO_SHARING: list[tuple[Any, str, Any]] = [
    (blueprint, "share_frozen_encoders", lambda config, folder: None),
    (algorithm, "has_frozen_encoder", lambda config: False),
    (RememberedRows, "get", lambda rows, key: None),
]


def frozen_config(
    folder: Path, encoder: Path, sentences: int, **overrides: Any
) -> Config:
    """The first sentences of the sample, and a config with a frozen transformer."""
    config = sample_config(folder)
    vocab = spacy.blank("en").vocab
    for name, count in (("train", sentences), ("dev", sentences // 4)):
        path = folder / f"{name}.spacy"
        docs = list(DocBin().from_disk(path).get_docs(vocab))[:count]
        DocBin(docs=docs).to_disk(path)
    config["components"]["adak_ner"]["model"]["tok2vec"] = {
        "@architectures": "spacy-adak.FrozenEncoder.v1",
        "encoder": {
            "@architectures": "spacy-transformers.TransformerModel.v3",
            "name": str(encoder),
            "get_spans": {
                "@span_getters": "spacy-transformers.strided_spans.v1",
                "window": 128,
                "stride": 96,
            },
        },
    }
    return Config().from_str(config.to_str(), overrides=overrides, interpolate=False)


def words_of_sample(folder: Path) -> set[str]:
    """All words of the sample."""
    sample_config(folder)
    docs = DocBin().from_disk(folder / "train.spacy").get_docs(spacy.blank("en").vocab)
    return {token.text for doc in docs for token in doc}


def time_run(config: Config, output: Path) -> tuple[float, int, list[bytes]]:
    """Train. RETURNS (tuple): Seconds, texts encoded, and the weights of the heads."""
    encoded = 0
    encode = TokenEncoder.encode

    def counting(encoder: TokenEncoder, docs: Any, **settings: bool) -> Any:
        nonlocal encoded
        encoded += len(docs)
        return encode(encoder, docs, **settings)

    with patch.object(TokenEncoder, "encode", counting):
        start = time.perf_counter()
        train.train(config, output)
        seconds = time.perf_counter() - start
    heads = []
    for name in (train_model.BEST_MODEL, train_model.LAST_MODEL):
        component = spacy.load(output / name).get_pipe("adak_ner")
        assert isinstance(component, AdaKRecognizer)
        heads.append(serialize_head(get_head(component.model)))
    return seconds, encoded, heads


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--encoder", type=Path, default=None)
    parser.add_argument("--sentences", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        encoder = args.encoder or make_bert(folder / "bert", words_of_sample(folder))
        config = frozen_config(
            folder,
            encoder.absolute(),
            args.sentences,
            **{
                "adak.rounds": args.rounds,
                "adak.convergence": 0.0,
                "training.max_epochs": args.epochs,
            },
        )
        seconds, encoded, heads = time_run(config, folder / "remembering")
        for owner, name, replacement in NO_SHARING:
            stack.enter_context(patch.object(owner, name, replacement))
        seconds_without, encoded_without, heads_without = time_run(
            config, folder / "not_remembering"
        )
    result = {
        "what": "a run with a frozen encoder, with and without remembering",
        "encoder": args.encoder.name if args.encoder else "random BERT, 4 x 256",
        "sentences": args.sentences,
        "rounds": args.rounds,
        "epochs": args.epochs,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "seconds": round(seconds, 1),
        "seconds_without": round(seconds_without, 1),
        "texts_encoded": encoded,
        "texts_encoded_without": encoded_without,
        "times_as_fast": round(seconds_without / seconds, 1),
        "same_weights": heads == heads_without,
    }
    print(result)
    sizes = ("sentences", "rounds", "epochs")
    srsly.write_jsonl(result_path("frozen", parser, args, *sizes), [result])
    if heads != heads_without:
        raise SystemExit("The weights differ.")


if __name__ == "__main__":
    main()
